"""The CSV files of the two ChaLearn tracks, both sides as arrays.

A reference is a folder with two CSV files for each sequence, or one file with the texts of all of them, which
``prepare`` writes: opening hundreds of small files takes longer than to read what they hold.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.result import missing_notes
from validator.arrays import Bools, Ints
from validator.csv_reader import CsvRows, ItemFrames, read_csv_files
from validator.findings import Findings, Read
from validator.formats.chalearn.read import SequenceRows, as_sequence_rows, read
from validator.formats.rules import CsvRules, Field, Rules
from validator.submission import Source

PREPARED_FILE = "sequences.json"
_LABELS_NAME = "{key}_labels.csv"
_DATA_NAME = "{key}_data.csv"
# The last line counts; what follows the number of frames (fps, depth) is not needed for scoring.
_N_FRAMES = Field("number of frames", minimum=1, maximum=10**9)
_DATA_RULES = CsvRules(_DATA_NAME, (_N_FRAMES,), further_columns=True)
_EMPTY = ": nothing is predicted there, but they count as covered"
_MISSING = ": nothing is predicted there, and they do not count as covered"
# The sequence, the name of the file, and its content.
SequenceFile = tuple[str, str, bytes]


class Track(NamedTuple):
    """One of the two tracks; ``classes`` are the names of the classes 1, 2, ..."""

    instance: str
    classes: tuple[str, ...]
    n_actors: int

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)


class Rows(NamedTuple):
    """Rows, sequence by sequence: int64 arrays of length n. ``frames`` (n, 2) are 1-based and inclusive."""

    sequence: Ints
    actor: Ints
    label: Ints
    frames: Ints


class Reference(NamedTuple):
    """The ground truth.

    ``sequences`` ascend; ``n_frames``, int64, has the same length. ``contents`` are the CSV files that were
    read, by name, in ascending order.
    """

    track: Track
    sequences: list[str]
    n_frames: Ints
    rows: Rows
    contents: Mapping[str, bytes] = {}


class Prediction(NamedTuple):
    """A valid submission; ``present`` (n_sequences,) says which sequences have a file."""

    rows: Rows
    present: Bools


def load_reference(track: Track, rules: Rules, folder: Path) -> Reference:
    """Read ``{Id}_labels.csv`` and ``{Id}_data.csv`` of each sequence. Raises Refused."""
    contents = read_contents(folder)
    label_files = _files(contents, _LABELS_NAME)
    data_files = _files(contents, _DATA_NAME)
    with Findings.collect() as findings:
        if not label_files:
            remedy = "put a {Id}_labels.csv and a {Id}_data.csv there for each sequence"
            findings.refuse("E-REF-NONE", "there is no such file", remedy, file="{Id}_labels.csv")
        _check_pairs(label_files, data_files, findings)
        unlabeled = findings.take(read_sequences(track, data_files))
        findings.refuse_problems()
        frames = ItemFrames(unlabeled.sequences, unlabeled.n_frames)
        label_rules = rules.csv[0]._replace(path=_LABELS_NAME, other_paths=())
        labels = findings.take(read_csv_files(label_files, label_rules, frames))
    rows = as_sequence_rows(labels, rules)
    return unlabeled._replace(rows=_rows(rows, rows.keys), contents=contents)


def read_sequences(track: Track, data_files: list[SequenceFile]) -> Read[Reference]:
    """Return the sequences of ``{Id}_data.csv`` files without any rows, which is what is public of them.

    Raises Refused.
    """
    read = read_csv_files(data_files, _DATA_RULES)
    no_rows = np.zeros(0, np.int64)
    reference = Reference(
        track=track,
        sequences=read.content.keys,
        n_frames=_last_values(read.content),
        rows=Rows(no_rows, no_rows, no_rows, np.zeros((0, 2), np.int64)),
    )
    return Read(reference, read.notes)


def select_sequences(reference: Reference, sequences: Collection[str]) -> Reference:
    """Return some sequences, which are all that remain."""
    is_selected = np.array([sequence in sequences for sequence in reference.sequences], dtype=bool)
    rows = reference.rows
    is_theirs = is_selected[rows.sequence]
    new_number = np.cumsum(is_selected) - 1
    return reference._replace(
        sequences=[sequence for sequence in reference.sequences if sequence in sequences],
        n_frames=reference.n_frames[is_selected],
        rows=Rows(
            sequence=new_number[rows.sequence[is_theirs]],
            actor=rows.actor[is_theirs],
            label=rows.label[is_theirs],
            frames=rows.frames[is_theirs],
        ),
    )


def read_submission(rules: Rules, path: Source, reference: Reference) -> Read[Prediction]:
    """Check the submission against its rules and the sequences of the reference. Raises Refused."""
    frames = ItemFrames(reference.sequences, reference.n_frames)
    submission = read(path, rules, frames)
    rows = submission.content
    is_present = np.isin(reference.sequences, rows.keys)
    prediction = Prediction(_rows(rows, reference.sequences), is_present)
    has_row = np.bincount(prediction.rows.sequence, minlength=len(is_present)) > 0
    notes = [
        *submission.notes,
        *missing_notes("N-FILE-EMPTY", "a file without rows", is_present & ~has_row, "sequence", _EMPTY),
        *missing_notes("N-FILE-MISSING", "no file", ~is_present, "sequence", _MISSING),
    ]
    return Read(prediction, notes)


def _rows(rows: SequenceRows, sequences: list[str]) -> Rows:
    """Return rows with the numbers of their sequences in the reference."""
    number_of_sequence = {sequence: number for number, sequence in enumerate(sequences)}
    numbers = np.array([number_of_sequence[key] for key in rows.keys], dtype=np.int64)
    return Rows(numbers[rows.sequence], rows.actor, rows.label, rows.frames)


def read_contents(folder: Path) -> dict[str, bytes]:
    """Return the CSV files of a reference by name, in ascending order, whatever its form. Raises Refused."""
    prepared = folder / PREPARED_FILE
    if prepared.is_file():
        return _read_prepared(prepared)
    contents = {}
    # Names sort faster than paths: there may be many. Macs write ._files beside files.
    for name in sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")):
        is_of_sequence = name.endswith((_LABELS_NAME.format(key=""), _DATA_NAME.format(key="")))
        # To make a path of each of many files takes longer than to read it.
        path = f"{folder}/{name}"
        if is_of_sequence and os.path.isfile(path):  # noqa: PTH113
            with open(path, "rb") as stream:  # noqa: PTH123
                contents[name] = stream.read()
    return contents


def _read_prepared(path: Path) -> dict[str, bytes]:
    """Return the CSV files that a prepared file holds. Raises Refused."""
    try:
        text_of_name = json.loads(path.read_text(encoding="utf-8"))
        return {name: text.encode() for name, text in sorted(text_of_name.items())}
    except (ValueError, AttributeError):
        problem = "the prepared reference cannot be read"
        Findings().refuse("E-REF-PREPARED", problem, "prepare it again", file=path.name)


def write_prepared(contents: Mapping[str, bytes], path: Path) -> None:
    """Write the CSV files of a reference as one file, a line for each."""
    lines = []
    for name, content in sorted(contents.items()):
        lines.append(f"{json.dumps(name)}: {json.dumps(content.decode())}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _files(contents: Mapping[str, bytes], pattern: str) -> list[SequenceFile]:
    """Return the files whose names fit a pattern, with the sequence that their names begin with."""
    ending = pattern.replace("{key}", "")
    files = []
    for name, content in contents.items():
        sequence = name.removesuffix(ending)
        if sequence and name.endswith(ending):
            files.append((sequence, name, content))
    return files


def _check_pairs(label_files: list[SequenceFile], data_files: list[SequenceFile], findings: Findings) -> None:
    labeled = {sequence for sequence, _, _ in label_files}
    with_data = {sequence for sequence, _, _ in data_files}
    _add_partners(labeled - with_data, _LABELS_NAME, _DATA_NAME, findings)
    _add_partners(with_data - labeled, _DATA_NAME, _LABELS_NAME, findings)


def _add_partners(sequences: set[str], name: str, partner: str, findings: Findings) -> None:
    """Add a problem for each sequence that has one file without its partner."""
    # The same words for all: those of many sequences become one line.
    problem = f"{partner.format(key='{Id}')} is missing"
    for sequence in sorted(sequences):
        findings.add("E-REF-PAIR", problem, "each sequence needs both", file=name.format(key=sequence))


def _last_values(data: CsvRows) -> Ints:
    """Return the number of frames in the last row of each file. Raises Refused."""
    n_rows = np.bincount(data.file_index, minlength=len(data.keys))
    with Findings.collect() as findings:
        for index in np.flatnonzero(n_rows == 0):
            name = _DATA_NAME.format(key=data.keys[index])
            findings.add("E-REF-EMPTY", "the file is empty", "write numFrames,fps,maxDepth", file=name)
    last_row = np.cumsum(n_rows) - 1
    return data.columns[_N_FRAMES.name][last_row]
