"""The two tasks of ActivityNet-Entities: sub-task I, given sentences, and II, generated sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from scoring_program.challenges.anet_entities.measure import (
    SentenceStatistics,
    WordStatistics,
    generated_error_costs,
    generated_score,
    generated_scores,
    given_error_costs,
    given_score,
    given_scores,
    measure_generated,
    measure_given,
)
from scoring_program.challenges.anet_entities.page import (
    generated_sections,
    given_sections,
)
from scoring_program.challenges.anet_entities.reference import (
    Reference,
    load_lemmas,
    load_reference,
)
from scoring_program.result import Sections, Statistics
from scoring_program.settings import Settings
from scoring_program.task import Notes, Task, declared_tasks
from scoring_program.vocabulary import Vocabulary, count_names
from scoring_program.vocabulary_file import read_vocabulary
from validator.archive import Source
from validator.arrays import Floats
from validator.findings import Read
from validator.formats.anet_entities import read as submissions
from validator.formats.anet_entities.read import Grounding
from validator.formats.rules import load_rules

StatisticsT = TypeVar("StatisticsT", bound=Statistics)


class EntitiesTask(Task[Reference, Grounding, StatisticsT]):
    """Reads submissions and prepares the annotations; a subclass says what it measures."""

    def items(self, reference: Reference) -> list[str]:
        """Return the videos with an annotated segment."""
        return reference.annotated_videos()

    def known_items(self, reference: Reference) -> frozenset[str]:
        """Return the videos of the splits that are scored."""
        return reference.chosen_videos

    def read_submission(self, path: Source, reference: Reference) -> Read[Grounding]:
        """Check and read the JSON file."""
        return submissions.read(path, load_rules(self.id), self.known_items(reference))

    def names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the classes of all words, in ascending order."""
        return {"class": sorted({*reference.classes, *reference.vocab})}

    def public_names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the vocabulary that the annotations declare, which the challenge publishes."""
        return {"class": reference.vocab} if reference.vocab else {}

    def other_names(self, reference: Reference) -> list[str]:
        """Return all videos, of other splits and without annotations, too."""
        return reference.videos


class GivenSentences(EntitiesTask[WordStatistics]):
    """Sub-task I; both protocols are the same."""

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the annotations of the chosen splits."""
        return load_reference(folder, settings)

    def measure(self, reference: Reference, submission: Grounding, settings: Settings) -> WordStatistics:
        """Judge the words of all segments."""
        return measure_given(reference, submission, settings)

    def reduce(self, statistics: WordStatistics, weights: Floats) -> Floats:
        """Return the localization accuracy for each row of weights."""
        return given_score(statistics, weights)

    def scores(self, statistics: WordStatistics) -> dict[str, float]:
        """Return the numbers of the leaderboard."""
        return given_scores(statistics)

    def error_costs(self, statistics: WordStatistics) -> dict[str, float]:
        """Return the score without the errors of each type."""
        return given_error_costs(statistics)

    def sections(self, reference: Reference, submission: Grounding, statistics: WordStatistics) -> Sections:
        """Return the sections of the detail page."""
        return given_sections(reference, submission, statistics)

    def hints(self, reference: Reference, submission: Grounding) -> Notes:
        """Return notes on empty, constant and counted predictions, and on boxes in 0..1."""
        return submissions.given_hints(submission)


class GeneratedSentences(EntitiesTask[SentenceStatistics]):
    """Sub-task II; both protocols are the same."""

    def load_vocabulary(self, folder: Path, reference: Reference) -> Vocabulary:
        """Return the vocabulary of the folder, otherwise that of the annotations."""
        return {**self.public_names(reference), **read_vocabulary(folder)}

    def submitted_names(self, submission: Grounding) -> dict[str, dict[str, int]]:
        """Return the classes of all objects, with how often each is used."""
        return {"class": count_names(submission.classes, submission.label)}

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the annotations of the chosen splits and their lemmas."""
        annotated = load_reference(folder, settings)
        lemmas, lemmatizer = load_lemmas(folder)
        return annotated._replace(lemmas=lemmas, lemmatizer=lemmatizer)

    def signature_parts(self, reference: Reference, settings: Settings) -> dict[str, str]:
        """Return the name of the lemmatizer."""
        return {"lemmas": reference.lemmatizer}

    def measure(self, reference: Reference, submission: Grounding, settings: Settings) -> SentenceStatistics:
        """Judge the objects and words of all segments."""
        return measure_generated(reference, submission, settings)

    def reduce(self, statistics: SentenceStatistics, weights: Floats) -> Floats:
        """Return the F1 per sentence for each row of weights."""
        return generated_score(statistics, weights)

    def scores(self, statistics: SentenceStatistics) -> dict[str, float]:
        """Return the numbers of the leaderboard."""
        return generated_scores(statistics)

    def error_costs(self, statistics: SentenceStatistics) -> dict[str, float]:
        """Return the score without the errors of each type."""
        return generated_error_costs(statistics)

    def sections(
        self, reference: Reference, submission: Grounding, statistics: SentenceStatistics
    ) -> Sections:
        """Return the sections of the detail page."""
        return generated_sections(reference, submission, statistics)

    def hints(self, reference: Reference, submission: Grounding) -> Notes:
        """Return notes on empty, constant and repeated predictions, and on boxes in 0..1."""
        return submissions.generated_hints(submission)


TASKS = declared_tasks(
    __file__, {"anet_entities_gt": GivenSentences, "anet_entities_gen": GeneratedSentences}
)
