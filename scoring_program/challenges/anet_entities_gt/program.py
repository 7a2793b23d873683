"""ActivityNet-Entities, sub-task I: is each word of the given sentences in the right box?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scoring_program.challenge import Settings
from scoring_program.families.anet_entities.files import Reference
from scoring_program.families.anet_entities.joining import Joined, join
from scoring_program.families.anet_entities.program import EntitiesProgram

from scoring_program.families.anet_entities import files
from scoring_program.metrics import grounding
from scoring_program.result import Statistics
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings
from validator.formats.anet_entities import Grounding


@dataclass(frozen=True)
class WordStatistics(Statistics):
    """What became of each annotated word; arrays of shape (n_words,).

    ``correct``: it is grounded right; ``predicted``: it has an object; ``video``: the item that it belongs
    to.
    """

    correct: Bools
    predicted: Bools
    label: Ints
    video: Ints
    joined: Joined


class GivenSentences(EntitiesProgram[Reference, WordStatistics]):
    """The program of sub-task I; both protocols are the same."""

    challenge_id = "anet_entities_gt"

    def load_reference(self, folder: Path, settings: Settings, findings: Findings) -> Reference | None:
        """Read the annotations of the chosen splits."""
        return files.load(folder, settings, findings)

    def check_reference(
        self, folder: Path, settings: Settings, reference: Reference, findings: Findings
    ) -> None:
        """Add mistakes of organizers that do not stop a run."""
        files.check(settings, reference, findings)

    def measure(self, reference: Reference, submission: Grounding, settings: Settings) -> WordStatistics:
        """Compare the object of each word with its reference boxes."""
        joined, words = join(reference, submission), reference.words
        correct, predicted = grounding.words_correct(joined.objects, words)
        video = joined.segment_video[words.segment]
        n = len(joined.videos)
        n_words = np.bincount(video, minlength=n)
        share = np.bincount(video, correct, n) / np.maximum(n_words, 1)
        item_scores = np.where((joined.submitted_of_video > 0) & (n_words > 0), share, np.nan)
        return WordStatistics(
            joined.videos, item_scores, joined.notes, correct, predicted, words.label, video, joined
        )

    def reduce(self, statistics: WordStatistics, weights: Floats) -> Floats:
        """Return the mean over classes of their share of right words."""
        return grounding.weighted_class_mean(statistics.correct, statistics.label, statistics.video, weights)

    def scores(self, statistics: WordStatistics) -> dict[str, float]:
        """Return the localization accuracy and what goes with it."""
        accuracy = _accuracy(statistics, statistics.correct)
        return {
            "score": accuracy,
            "coverage": grounding.share(statistics.predicted),
            "localization_accuracy": accuracy,
            "word_accuracy": grounding.share(statistics.correct),
        }

    def losses(self, statistics: WordStatistics) -> dict[str, float]:
        """Return the score if words without an object, or those with one, were right."""
        correct, predicted = statistics.correct, statistics.predicted
        return {
            "objects_missing": _accuracy(statistics, correct | ~predicted),
            "boxes": _accuracy(statistics, correct | predicted),
        }


def _accuracy(statistics: WordStatistics, correct: Bools) -> float:
    return grounding.localization_accuracy(correct, statistics.label, len(statistics.joined.classes))


PROGRAM = GivenSentences()
