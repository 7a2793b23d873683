"""ChaLearn LAP 2014, both tracks: a CSV file for each sequence, without a header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from validator.arrays import Ints
from validator.choose_items import choose_items
from validator.csv_reader import CsvRows, read_csv_files
from validator.findings import Findings, Note, Read
from validator.formats.rules import Rules
from validator.hints import empty_note, label_hints
from validator.submission import Source, open_submission
from validator.texts import counted

# The field with the class of a row.
_CLASS_FIELDS = {"chalearn_action": "action", "chalearn_gesture": "gesture"}
# Hints: from so many files or rows on, and above this share of the rows.
_LEAST_FILES = 3
_LEAST_ROWS_OF_FILE = 2
_LEAST_ROWS = 20
_MOST_SHARED = 0.8
# The share of a sequence that gaps between its rows may have, and above that of sequences without gaps.
_MOST_GAPS = 0.01
_MOST_GAPLESS = 0.9


class Rows(NamedTuple):
    """The rows of sequences, annotated or predicted: int64 arrays of length n.

    Attributes
    ----------
    sequence : array, shape (n,)
        The position of each row's sequence in a list of these; ascending.
    actor, label : arrays, shape (n,)
        Actor and class, from 1; the actor is 1 where rows have none.
    frames : array, shape (n, 2)
        The first and the last frame, from 1.
    """

    sequence: Ints
    actor: Ints
    label: Ints
    frames: Ints


class SequenceRows(NamedTuple):
    """The sequences of a submission in ascending order, those without rows among them, and their rows."""

    sequences: list[str]
    rows: Rows


def read(
    path: Source, rules: Rules, n_frames_of_sequence: Mapping[str, int] | None = None
) -> Read[SequenceRows]:
    """Check a submission and return the rows of all files.

    Parameters
    ----------
    path : Path, or mapping of str to bytes
        A zip file, or a folder with the submission's files; or their content by name.
    rules : Rules
        Those of the track.
    n_frames_of_sequence : mapping of str to int, optional
        The sequences of the reference and their frames; files of other sequences are not read. Without it (a
        participant at home) every sequence is accepted.

    Raises
    ------
    Refused
        With all problems of all files.
    """
    (csv_rules,) = rules.csv
    files: list[tuple[str, str, bytes]] = []
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        name_of_sequence, name_findings = choose_items(submission, csv_rules, n_frames_of_sequence)
        # Predictions in memory may be none.
        if path:
            findings.extend(name_findings)
        for sequence, name in name_of_sequence.items():
            if n_frames_of_sequence is None or sequence in n_frames_of_sequence:
                with findings.part():
                    files.append((sequence, name, submission.read(name)))
        with findings.part():
            rows = findings.take(read_csv_files(files, csv_rules, n_frames_of_sequence))
    return Read(SequenceRows(rows.keys, as_rows(rows, rules)), findings.notes)


def as_rows(rows: CsvRows, rules: Rules) -> Rows:
    """Return rows of files, predicted or annotated, by what their columns mean."""
    columns = rows.columns
    return Rows(
        sequence=rows.file_index,
        actor=columns.get("actor", np.ones_like(rows.file_index)),
        label=columns[_CLASS_FIELDS[rules.id]],
        frames=np.stack([columns["start frame"], columns["end frame"]], axis=1),
    )


def hints(rows: Rows) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not len(rows.label):
        return [empty_note()]
    lowest_and_highest = {int(rows.label.min()), int(rows.label.max())}
    return [
        *(label_hints(len(rows.label), lowest_and_highest, "class") or _equal_files(rows)),
        *_several_classes(rows),
        *_overlapping_rows(rows),
        *_rows_without_gaps(rows),
    ]


def _equal_files(rows: Rows) -> list[Note]:
    _, n_rows = np.unique(rows.sequence, return_counts=True)
    if len(n_rows) < _LEAST_FILES or n_rows[0] < _LEAST_ROWS_OF_FILE or (n_rows != n_rows[0]).any():
        return []
    columns = np.column_stack([rows.actor, rows.label, rows.frames])
    order = np.lexsort((*columns.T, rows.sequence))
    rows_of_file = columns[order].reshape(len(n_rows), int(n_rows[0]), columns.shape[1])
    if (rows_of_file != rows_of_file[0]).any():
        return []
    text = f"all {len(n_rows):,} sequences have the same {counted(int(n_rows[0]), 'row')}"
    return [Note("N-LOOKS-CONSTANT", text)]


def _several_classes(rows: Rows) -> list[Note]:
    n_rows = len(rows.label)
    if n_rows < _LEAST_ROWS:
        return []
    intervals = np.column_stack([rows.sequence, rows.frames])
    _, first_row, interval = np.unique(intervals, axis=0, return_index=True, return_inverse=True)
    interval = interval.ravel()
    is_other_class = rows.label != rows.label[first_row[interval]]
    is_shared = np.bincount(interval, is_other_class) > 0
    n_shared = int(is_shared[interval].sum())
    if n_shared <= _MOST_SHARED * n_rows:
        return []
    text = (
        f"{n_shared:,} of {counted(n_rows, 'row')} have start and end of a row of another class. Each class "
    )
    text += "that a sequence does not have counts with 0 under the published rules"
    return [Note("N-REPEATED", text)]


def _overlapping_rows(rows: Rows) -> list[Note]:
    """Return a note if most rows share more than half of their frames with one of their class and actor.

    That is no mistake: the rows of two good models do so, too.
    """
    n_rows = len(rows.label)
    if n_rows < _LEAST_ROWS:
        return []
    order = np.lexsort((rows.frames[:, 1], rows.frames[:, 0], rows.label, rows.actor, rows.sequence))
    group = np.column_stack([rows.sequence, rows.actor, rows.label])[order]
    start, end = rows.frames[order].T
    n_common = np.minimum(end[1:], end[:-1]) - start[1:] + 1
    n_shorter = np.minimum(end[1:] - start[1:], end[:-1] - start[:-1]) + 1
    overlaps = (group[1:] == group[:-1]).all(axis=1) & (2 * n_common > n_shorter)
    n_overlapping = int((np.append(overlaps, False) | np.append(False, overlaps)).sum())
    if n_overlapping <= _MOST_SHARED * n_rows:
        return []
    text = f"{n_overlapping:,} of {counted(n_rows, 'row')} share more than half of their frames, or of the "
    text += "other's, with a row of the same class. A frame counts once: they are longer rows together"
    return [Note("N-ROWS-OVERLAP", text)]


def _rows_without_gaps(rows: Rows) -> list[Note]:
    """Return a note if nearly no sequence has a frame between its rows that is in none of them.

    That is no mistake: there are videos in which something happens all of the time.
    """
    if len(rows.label) < _LEAST_ROWS:
        return []
    order = np.lexsort((rows.frames[:, 0], rows.sequence))
    sequence, (start, end) = rows.sequence[order], rows.frames[order].T
    _, first, n_rows = np.unique(sequence, return_index=True, return_counts=True)
    if len(first) < _LEAST_FILES:
        return []
    is_gapless = np.zeros(len(first), dtype=bool)
    for number, (begin, n) in enumerate(zip(first.tolist(), n_rows.tolist())):
        last = np.maximum.accumulate(end[begin : begin + n])
        gaps = start[begin + 1 : begin + n] - last[:-1] - 1
        n_frames = last[-1] - start[begin] + 1
        is_gapless[number] = n > 1 and gaps.clip(0).sum() <= _MOST_GAPS * n_frames
    if is_gapless.mean() <= _MOST_GAPLESS:
        return []
    text = (
        f"in {int(is_gapless.sum()):,} of {counted(len(first), 'sequence')} each frame between the first row "
    )
    text += "and the last is in a row, so that no frame counts as one in which nothing happens"
    return [Note("N-ROWS-GAPLESS", text)]
