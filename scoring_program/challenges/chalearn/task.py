"""The two tasks of ChaLearn LAP 2014: track 2, actions, and track 3, gestures.

A row of a submission to track 2 is ``actor,action,start frame,end frame``; of one to track 3
``gesture,start frame,end frame``.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from scoring_program.challenges.chalearn import evidence, measure, page
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import (
    PREPARED_FILE,
    Prediction,
    Reference,
    Track,
    load_reference,
    read_submission,
    select_sequences,
    write_prepared,
)
from scoring_program.repairs.search import Comparison
from scoring_program.result import Section, Sections
from scoring_program.settings import Settings
from scoring_program.signature import contents_hash
from scoring_program.task import Notes, Options, Task, declared_tasks
from validator.arrays import Floats
from validator.findings import Read
from validator.formats.chalearn.read import hints
from validator.formats.rules import load_rules
from validator.submission import Source

_ACTIONS = ("wave", "point", "clap", "crouch", "jump", "walk", "run", "shake hands", "hug", "kiss", "fight")
_GESTURES = (
    *("vattene", "vieniqui", "perfetto", "furbo", "cheduepalle"),
    *("chevuoi", "daccordo", "seipazzo", "combinato", "freganiente"),
    *("ok", "cosatifarei", "basta", "prendere", "noncenepiu"),
    *("fame", "tantotempo", "buonissimo", "messidaccordo", "sonostufo"),
)


class TrackTask(Task[Reference, Prediction, SequenceStatistics]):
    """The task of one track."""

    track: Track
    reference_files = ("*_labels.csv", "*_data.csv")

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the labels and the number of frames of each sequence."""
        return load_reference(self.track, load_rules(self.id), folder)

    def source_files(self, source: Path, settings: Settings) -> list[str]:
        """Return the prepared file if there is one, which is read alone, or the CSV files."""
        is_prepared = (source / PREPARED_FILE).is_file()
        return [PREPARED_FILE] if is_prepared else super().source_files(source, settings)

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Check the CSV files and write them as one file."""
        reference = self.load_reference(source, settings)
        write_prepared(reference.contents, output / PREPARED_FILE)
        return []

    def reference_digest(self, folder: Path, settings: Settings, reference: Reference) -> str:
        """Return a hash of the CSV files, which preparing does not change."""
        if (folder / PREPARED_FILE).is_file():
            return contents_hash(reference.contents.items())
        return super().reference_digest(folder, settings, reference)

    def items(self, reference: Reference) -> list[str]:
        """Return the sequences."""
        return reference.sequences

    def select_items(self, reference: Reference, items: Collection[str]) -> Reference:
        """Return some sequences."""
        return select_sequences(reference, items)

    def public_names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the classes as submissions write them, and their names in the same order."""
        classes = self.track.classes
        return {"class": [str(number) for number in range(1, len(classes) + 1)], "class_name": list(classes)}

    def read_submission(self, path: Source, reference: Reference) -> Read[Prediction]:
        """Check and read one CSV file for each sequence."""
        return read_submission(load_rules(self.id), path, reference)

    def measure(self, reference: Reference, submission: Prediction, settings: Settings) -> SequenceStatistics:
        """Compare the frames of each class in each sequence."""
        return measure.measure(reference, submission, settings)

    def reduce(self, statistics: SequenceStatistics, weights: Floats) -> Floats:
        """Return the weighted mean of the sequences that count."""
        return measure.mean_score(statistics, weights)

    def scores(self, statistics: SequenceStatistics) -> dict[str, float]:
        """Return the mean Jaccard index and what goes with it."""
        return measure.scores(statistics)

    def error_costs(self, statistics: SequenceStatistics) -> dict[str, float]:
        """Return the score if each type of error were fixed."""
        return measure.error_costs(statistics)

    def sections(
        self, reference: Reference, submission: Prediction, statistics: SequenceStatistics
    ) -> Sections:
        """Return all sections, the aggregates first."""
        return page.sections(reference, submission, statistics)

    def drawings(
        self, reference: Reference, submission: Prediction, statistics: SequenceStatistics, number: int
    ) -> list[Section]:
        """Return the timelines of the worst sequences."""
        from scoring_program.challenges.chalearn.full_sections import timelines

        return timelines(reference, submission, statistics, number)

    def hints(self, reference: Reference, submission: Prediction) -> Notes:
        """Return notes on missing rows, and on one class for all."""
        return hints(submission.rows)

    def comparisons(self, reference: Reference, submission: Prediction) -> list[Comparison]:
        """Return what the search for repairs compares."""
        return evidence.comparisons(reference, submission)


class ActionTask(TrackTask):
    """Track 2."""

    track = Track("action", _ACTIONS, n_actors=2)


class GestureTask(TrackTask):
    """Track 3."""

    track = Track("gesture", _GESTURES, n_actors=1)


TASKS = declared_tasks(__file__, {"chalearn_action": ActionTask, "chalearn_gesture": GestureTask})
