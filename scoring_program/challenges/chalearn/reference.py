"""The CSV files of the two ChaLearn tracks, both sides as arrays.

A reference is a folder with two CSV files for each sequence, or one file with the texts of all of them, which
``prepare`` writes: opening hundreds of small files takes longer than to read what they hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.settings import Settings
from scoring_program.signature import contents_hash
from validator.arrays import Bools, Ints
from validator.csv_reader import CsvRows, read_csv_files
from validator.csv_text import decode_csv
from validator.findings import Findings, Read
from validator.formats.chalearn.read import Rows, as_rows
from validator.formats.rules import CsvRules, Field, Rules

PREPARED_FILE = "sequences.json"
_LABELS_NAME = "{key}_labels.csv"
_DATA_NAME = "{key}_data.csv"
_N_FRAMES = Field("number of frames", minimum=1, maximum=10**9)
_DATA_RULES = CsvRules(_DATA_NAME, (_N_FRAMES,))
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


class Reference(NamedTuple):
    """The ground truth.

    ``sequences`` ascend; ``n_frames``, int64, has the same length. ``contents`` are the CSV files that were
    read, by name, in ascending order; ``digest`` is their hash, which preparing does not change, if they were
    prepared.
    """

    track: Track
    sequences: list[str]
    n_frames: Ints
    rows: Rows
    contents: Mapping[str, bytes] = {}
    digest: str = ""


class Prediction(NamedTuple):
    """A valid submission; ``present`` (n_sequences,) says which sequences have a file."""

    rows: Rows
    present: Bools


def load_reference(track: Track, rules: Rules, folder: Path, settings: Settings) -> Reference:
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
        frames = dict(zip(unlabeled.sequences, unlabeled.n_frames.tolist()))
        label_rules = rules.csv[0]._replace(path=_LABELS_NAME, other_paths=())
        labels = findings.take(read_csv_files(label_files, label_rules, frames))
    rows = as_rows(labels, rules)
    digest = contents_hash(contents.items()) if (folder / PREPARED_FILE).is_file() else ""
    return unlabeled._replace(digest=digest, rows=rows, contents=contents)


def items(reference: Reference) -> list[str]:
    """Return the sequences."""
    return reference.sequences


def identity(reference: Reference, settings: Settings) -> dict[str, str]:
    """Return the hash of the CSV files of a prepared reference."""
    return {"ref": reference.digest} if reference.digest else {}


def read_sequences(track: Track, data_files: list[SequenceFile]) -> Read[Reference]:
    """Return the sequences of ``{Id}_data.csv`` files without any rows, which is what is public of them.

    Raises Refused.
    """
    # What follows the number of frames (fps, depth) is not needed for scoring.
    files = [(sequence, name, _first_fields(content, name)) for sequence, name, content in data_files]
    reading = read_csv_files(files, _DATA_RULES)
    no_rows = np.zeros(0, np.int64)
    reference = Reference(
        track=track,
        sequences=reading.content.keys,
        n_frames=_last_values(reading.content),
        rows=Rows(no_rows, no_rows, no_rows, np.zeros((0, 2), np.int64)),
    )
    return Read(reference, reading.notes)


def _first_fields(content: bytes, name: str) -> bytes:
    """Return the lines of a CSV file up to the first comma. Raises Refused where it is no text."""
    text, _ = decode_csv(content, name)
    return "\n".join(line.partition(",")[0] for line in text.split("\n")).encode()


def read_contents(folder: Path) -> dict[str, bytes]:
    """Return the CSV files of a reference by name, in ascending order, whatever its form. Raises Refused."""
    prepared_path = folder / PREPARED_FILE
    if prepared_path.is_file():
        return _read_prepared(prepared_path)
    endings = (_LABELS_NAME.format(key=""), _DATA_NAME.format(key=""))
    # Macs write ._files beside files.
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.name.endswith(endings) and not path.name.startswith(".") and path.is_file()
    }


def _read_prepared(path: Path) -> dict[str, bytes]:
    """Return the CSV files that a prepared file holds. Raises Refused."""
    try:
        text_of_name = json.loads(path.read_text(encoding="utf-8"))
        return {name: text.encode() for name, text in sorted(text_of_name.items())}
    except (ValueError, AttributeError, RecursionError):
        problem = "the prepared reference cannot be read"
        Findings().refuse("E-REF-PREPARED", problem, "prepare it again", file=path.name)


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
    """Add a problem for each sequence that has one file without its partner."""
    labeled = {sequence for sequence, _, _ in label_files}
    with_data = {sequence for sequence, _, _ in data_files}
    for name, partner, sequences in (
        (_LABELS_NAME, _DATA_NAME, labeled - with_data),
        (_DATA_NAME, _LABELS_NAME, with_data - labeled),
    ):
        # The same words for all: those of many sequences become one line.
        problem = f"{partner.format(key='{Id}')} is missing"
        for sequence in sorted(sequences):
            file = name.format(key=sequence)
            findings.add("E-REF-PAIR", problem, "each sequence needs both", file=file)


def _last_values(data: CsvRows) -> Ints:
    """Return the number of frames in the last row of each file, which counts. Raises Refused."""
    n_rows = np.bincount(data.file_index, minlength=len(data.keys))
    with Findings.collect() as findings:
        for index in np.flatnonzero(n_rows == 0):
            name = _DATA_NAME.format(key=data.keys[index])
            findings.add("E-REF-EMPTY", "the file is empty", "write numFrames,fps,maxDepth", file=name)
    last_row = np.cumsum(n_rows) - 1
    return data.columns[_N_FRAMES.name][last_row]
