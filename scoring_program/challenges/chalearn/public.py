"""What is public of a track of ChaLearn: sequences and their lengths; and what they say of a submission."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring_program.challenges.chalearn.reference import Prediction, Reference, Track
from validator.arrays import Ints
from validator.findings import Note, Read
from validator.formats.chalearn.read import hints, read
from validator.formats.rules import Rules
from validator.hints import missing_notes
from validator.submission import Source

_EMPTY = ": nothing is predicted there, but they count as covered"
_MISSING = ": nothing is predicted there, and they do not count as covered"


class PublicSequences(NamedTuple):
    """The sequences, ascending, with their numbers of frames."""

    track: Track
    sequences: list[str]
    n_frames: Ints

    @property
    def items(self) -> list[str]:
        """The sequences."""
        return self.sequences

    @property
    def vocabulary(self) -> dict[str, list[str]]:
        """The classes as submissions write them, and their names in the same order."""
        classes = self.track.classes
        return {"class": [str(number) for number in range(1, len(classes) + 1)], "class_name": list(classes)}


def public(reference: Reference) -> PublicSequences:
    """Return the sequences of a reference."""
    return PublicSequences(
        track=reference.track,
        sequences=reference.sequences,
        n_frames=reference.n_frames,
    )


def read_submission(rules: Rules, source: Source, public: PublicSequences, keep: object) -> Read[Prediction]:
    """Check and read one CSV file for each sequence. Raises Refused."""
    frames = dict(zip(public.sequences, public.n_frames.tolist()))
    submission = read(source, rules, frames)
    sequences, rows = submission.content
    is_present = np.isin(public.sequences, sequences)
    # Both sides ascend.
    numbers = np.flatnonzero(is_present)
    return Read(Prediction(rows._replace(sequence=numbers[rows.sequence]), is_present), submission.notes)


def notes(submission: Prediction, public: PublicSequences) -> list[Note]:
    """Return notes on missing files and rows, and on one class for all."""
    is_present = submission.present
    has_row = np.bincount(submission.rows.sequence, minlength=len(is_present)) > 0
    return [
        *missing_notes("N-FILE-EMPTY", "a file without rows", is_present & ~has_row, "sequence", _EMPTY),
        *missing_notes("N-FILE-MISSING", "no file", ~is_present, "sequence", _MISSING),
        *hints(submission.rows),
    ]
