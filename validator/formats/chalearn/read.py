"""ChaLearn LAP 2014, both tracks: a CSV file for each sequence, without a header."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from validator.arrays import Ints
from validator.choose import choose_items
from validator.csv_reader import CsvRows, ItemFrames, read_csv_files
from validator.findings import Findings, Note, Read
from validator.formats.rules import Format, Rules
from validator.hints import empty_note, label_hints
from validator.submission import Source, open_submission

# The field with the class of a row.
_CLASS_FIELDS = {"chalearn_action": "action", "chalearn_gesture": "gesture"}


class SequenceRows(NamedTuple):
    """The rows of sequences, annotated or predicted.

    Attributes
    ----------
    keys : list of str, length n_sequences
        The sequences in ascending order, those without rows among them.
    sequence : int64 array, shape (n_rows,)
        The position of each row's sequence in ``keys``; ascending.
    actor, label : int64 arrays, shape (n_rows,)
        Actor and class, from 1; the actor is 1 where rows have none.
    frames : int64 array, shape (n_rows, 2)
        The first and the last frame, from 1.
    """

    keys: list[str]
    sequence: Ints
    actor: Ints
    label: Ints
    frames: Ints


class LabeledRows(Protocol):
    """What hints look at: rows whose sequences are numbered in any way, as in a file or in a reference."""

    @property
    def label(self) -> Ints:
        """The class of each row, from 1; int64, shape (n_rows,)."""

    @property
    def frames(self) -> Ints:
        """The first and the last frame of each row, from 1; int64, shape (n_rows, 2)."""


def read(path: Source, rules: Rules, reference_frames: ItemFrames | None = None) -> Read[SequenceRows]:
    """Check a submission and return the rows of all files.

    Parameters
    ----------
    path : Path, or mapping of str to bytes
        A zip file, or a folder with the submission's files; or their content by name.
    rules : Rules
        Those of the track.
    reference_frames : ItemFrames, optional
        The sequences of the reference and their frames; files of other sequences are not read. Without it (a
        participant at home) every sequence is accepted.

    Raises
    ------
    Refused
        With all problems of all files.
    """
    (csv_rules,) = rules.csv
    reference_sequences = None if reference_frames is None else frozenset(reference_frames.items)
    files: list[tuple[str, str, bytes]] = []
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        name_of_sequence, name_findings = choose_items(submission, csv_rules, reference_sequences)
        # Predictions in memory may be none.
        if path:
            findings.extend(name_findings)
        for sequence, name in name_of_sequence.items():
            if reference_sequences is not None and sequence not in reference_sequences:
                continue
            with findings.part():
                files.append((sequence, name, submission.read(name)))
        with findings.part():
            rows = findings.take(read_csv_files(files, csv_rules, reference_frames))
    return Read(as_sequence_rows(rows, rules), findings.notes)


def as_sequence_rows(rows: CsvRows, rules: Rules) -> SequenceRows:
    """Return rows of files, predicted or annotated, by what their columns mean."""
    columns = rows.columns
    return SequenceRows(
        keys=rows.keys,
        sequence=rows.file_index,
        actor=columns.get("actor", np.ones_like(rows.file_index)),
        label=columns[_CLASS_FIELDS[rules.id]],
        frames=np.stack([columns["start frame"], columns["end frame"]], axis=1),
    )


def hints(rows: LabeledRows) -> list[Note]:
    """Return notes on likely mistakes that need no reference: no rows, or the same class in all of them."""
    if not len(rows.label):
        return [empty_note()]
    lowest_and_highest = {int(rows.label.min()), int(rows.label.max())}
    return label_hints(len(rows.label), lowest_and_highest, "class")


FORMAT = Format(read, hints)
