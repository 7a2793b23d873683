"""The two tasks of ChaLearn LAP 2014: track 2, actions, and track 3, gestures.

A row of a submission to track 2 is ``actor,action,start frame,end frame``; of one to track 3
``gesture,start frame,end frame``.
"""

from __future__ import annotations

from pathlib import Path

from scoring_program.challenges.chalearn import hints, measure, page
from scoring_program.challenges.chalearn.measure import SequenceStatistics
from scoring_program.challenges.chalearn.reference import (
    Prediction,
    Reference,
    Track,
    load_reference,
    read_submission,
)
from scoring_program.hints import likely_mistakes
from scoring_program.settings import Settings
from scoring_program.task import Notes, Task, declared_tasks
from validator.archive import Source
from validator.findings import Read
from validator.formats.chalearn.read import class_hints
from validator.formats.rules import load_rules

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
    reduce = staticmethod(measure.mean_score)
    scores = staticmethod(measure.scores)
    error_costs = staticmethod(measure.error_costs)
    sections = staticmethod(page.sections)
    drawings = staticmethod(page.timelines)
    measure = staticmethod(measure.measure)

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the labels and the number of frames of each sequence."""
        return load_reference(self.track, load_rules(self.id), folder)

    def items(self, reference: Reference) -> list[str]:
        """Return the sequences."""
        return reference.sequences

    def read_submission(self, path: Source, reference: Reference) -> Read[Prediction]:
        """Check and read one CSV file for each sequence."""
        return read_submission(load_rules(self.id), path, reference)

    def hints(self, reference: Reference, submission: Prediction, settings: Settings, score: float) -> Notes:
        """Return notes on wrong classes, frames, and times."""
        notes = class_hints(submission.rows.label)
        return likely_mistakes(notes, lambda: hints.checks(reference, submission), settings, score)


class ActionTask(TrackTask):
    """Track 2."""

    track = Track("action", _ACTIONS, n_actors=2)


class GestureTask(TrackTask):
    """Track 3."""

    track = Track("gesture", _GESTURES, n_actors=1)


TASKS = declared_tasks(__file__, {"chalearn_action": ActionTask, "chalearn_gesture": GestureTask})
