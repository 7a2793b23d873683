"""The task of Kinetics-TPS."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from scoring_program.challenges.kinetics_tps import page
from scoring_program.challenges.kinetics_tps.measure import (
    VideoStatistics,
    average_areas,
    compute_error_costs,
    compute_scores,
    measure_videos,
)
from scoring_program.challenges.kinetics_tps.reference import (
    Reference,
    load_reference,
)
from scoring_program.settings import Settings
from scoring_program.task import Notes, Task, declared_tasks
from scoring_program.vocabulary import Vocabulary, count_names
from scoring_program.vocabulary_file import read_vocabulary
from validator.archive import Source
from validator.findings import Read
from validator.formats.kinetics_tps import read as submissions
from validator.formats.kinetics_tps.read import KineticsSubmission, frames_of_videos
from validator.formats.rules import load_rules


class KineticsTPS(Task[Reference, KineticsSubmission, VideoStatistics]):
    """Average video accuracy conditioned on Part State Correctness."""

    measure = staticmethod(measure_videos)
    reduce = staticmethod(average_areas)
    scores = staticmethod(compute_scores)
    error_costs = staticmethod(compute_error_costs)
    sections = staticmethod(page.sections)

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the organizers' two JSON files, or the arrays that were prepared from them."""
        return load_reference(folder, load_rules(self.id))

    def items(self, reference: Reference) -> list[str]:
        """Return the videos, in ascending order."""
        return reference.parts.videos

    def names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the classes, parts, and states."""
        return {
            "class": sorted(set(reference.classes)),
            "part": sorted(reference.parts.names),
            "state": sorted(reference.parts.states),
        }

    def load_vocabulary(self, folder: Path, reference: Reference) -> Vocabulary:
        """Return the vocabulary of the folder."""
        return read_vocabulary(folder)

    def submitted_names(self, submission: KineticsSubmission) -> dict[str, dict[str, int]]:
        """Return the classes, parts, and states, with how often each is used."""
        parts = submission.parts
        return {
            "class": dict(Counter(submission.classes.values())),
            "part": count_names(parts.names, parts.part_name),
            "state": count_names(parts.states, parts.proposal_state),
        }

    def read_submission(self, path: Source, reference: Reference) -> Read[KineticsSubmission]:
        """Check and read both JSON files."""
        return submissions.read(path, load_rules(self.id), frames_of_videos(reference.parts))

    def hints(self, reference: Reference, submission: KineticsSubmission) -> Notes:
        """Return notes on empty, constant and repeated predictions, and on boxes in 0..1."""
        return submissions.hints(submission)


TASKS = declared_tasks(__file__, {"kinetics_tps": KineticsTPS})
