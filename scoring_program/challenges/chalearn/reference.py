"""The CSV files of the two ChaLearn tracks, both sides as arrays."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.result import missing_notes
from validator.archive import Source
from validator.arrays import Bools, Ints
from validator.csv_files import CsvRows, read_csv_files
from validator.findings import Findings, Read
from validator.formats.chalearn.read import read
from validator.formats.rules import CsvRules, Field, Rules

_LABELS_NAME = "{key}_labels.csv"
_DATA_NAME = "{key}_data.csv"
# The last line counts; what follows the number of frames (fps, depth) is not needed for scoring.
_N_FRAMES = Field("number of frames", minimum=1, maximum=10**9)
_DATA_RULES = CsvRules(_DATA_NAME, (_N_FRAMES,), further_columns=True)
# Key, name, and content.
_File = tuple[str, str, bytes]


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
    """Ground truth. ``sequences`` ascend; ``n_frames`` is an int64 array of the same length."""

    track: Track
    sequences: list[str]
    n_frames: Ints
    rows: Rows


class Prediction(NamedTuple):
    """A valid submission; ``present`` (n_sequences,) says which sequences have a file."""

    rows: Rows
    present: Bools


def load_reference(track: Track, rules: Rules, folder: Path) -> Reference:
    """Read ``{Id}_labels.csv`` and ``{Id}_data.csv`` of each sequence. Raises Refused."""
    # Names sort faster than paths: there may be many.
    names = sorted(path.name for path in folder.iterdir())
    files = {pattern: _files(folder, names, pattern) for pattern in (_LABELS_NAME, _DATA_NAME)}
    with Findings.collect() as findings:
        if not files[_LABELS_NAME]:
            remedy = "put a {Id}_labels.csv and a {Id}_data.csv there for each sequence"
            findings.refuse("E-REF-NONE", "there is no such file", remedy, file="{Id}_labels.csv")
        _check_pairs(files, findings)
        data = findings.take(read_csv_files(files[_DATA_NAME], _DATA_RULES))
        findings.refuse_problems()
        n_frames = _last_rows(data)
        labels = rules.csv[0]._replace(path=_LABELS_NAME, other_paths=())
        rows = findings.take(read_csv_files(files[_LABELS_NAME], labels, n_frames, reference_words=True))
    frames = np.array([n_frames[key] for key in rows.keys], dtype=np.int64)
    return Reference(track, rows.keys, frames, _rows(track, rows, rows.keys))


def read_submission(rules: Rules, path: Source, reference: Reference) -> Read[Prediction]:
    """Check the submission against its rules and the sequences of the reference. Raises Refused."""
    last_frames = dict(zip(reference.sequences, reference.n_frames.tolist()))
    submission = read(path, rules, last_frames)
    rows = submission.content
    present = np.isin(reference.sequences, rows.keys)
    notes = [*submission.notes, *missing_notes("N-FILE-MISSING", "no file", ~present, "sequence")]
    return Read(Prediction(_rows(reference.track, rows, reference.sequences), present), notes)


def _rows(track: Track, rows: CsvRows, sequences: list[str]) -> Rows:
    position = {key: index for index, key in enumerate(sequences)}
    sequence = np.array([position[key] for key in rows.keys], dtype=np.int64)[rows.file_index]
    actor = rows.values[:, 0] if track.n_actors > 1 else np.ones_like(sequence)
    return Rows(sequence, actor, rows.values[:, -3], rows.values[:, -2:])


def _files(folder: Path, names: list[str], pattern: str) -> list[_File]:
    ending = pattern.replace("{key}", "")
    paths = ((name[: -len(ending)], folder / name) for name in names if name.endswith(ending))
    return [(key, path.name, path.read_bytes()) for key, path in paths if key and path.is_file()]


def _check_pairs(files: dict[str, list[_File]], findings: Findings) -> None:
    keys = {pattern: {key for key, _, _ in of_pattern} for pattern, of_pattern in files.items()}
    for pattern, partner in ((_LABELS_NAME, _DATA_NAME), (_DATA_NAME, _LABELS_NAME)):
        for key in sorted(keys[pattern] - keys[partner]):
            problem = f"{partner.format(key=key)} is missing"
            findings.add("E-REF-PAIR", problem, "each sequence needs both", file=pattern.format(key=key))


def _last_rows(data: CsvRows) -> dict[str, int]:
    counts = np.bincount(data.file_index, minlength=len(data.keys))
    with Findings.collect() as findings:
        for index in np.flatnonzero(counts == 0):
            name = _DATA_NAME.format(key=data.keys[index])
            findings.add("E-REF-EMPTY", "the file is empty", "write numFrames,fps,maxDepth", file=name)
    last = np.cumsum(counts) - 1
    return dict(zip(data.keys, data.values[last, 0].tolist()))
