"""What the two ChaLearn tracks share: their CSV files, and the way from rows to scores.

The tracks differ in one thing. An action row begins with the actor, and the released script keeps actors
apart; the published text does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.metrics import frame_jaccard as fj
from scoring_program.result import FULL, LEVELS, SUMMARY, Column, Histogram, Lane, Result, Section, Table, Timeline
from validator.check import check_submission
from validator.csv_files import CsvRows, read_csv_files
from validator.findings import Findings
from validator.rules import Column as CsvColumn
from validator.rules import CsvRules, load_csv_rules, load_rules

_LABELS_NAME = "{key}_labels.csv"
_DATA_NAME = "{key}_data.csv"
# The last line counts; what follows the number of frames (fps, depth) is not needed for scoring.
_DATA_RULES = CsvRules(_DATA_NAME, (CsvColumn("number of frames", 1, 10**9),), extra_columns=True)
_BINS = 10
_CONFUSIONS_SHOWN = 15
_TIMELINES_SHOWN = 100


@dataclass(frozen=True)
class Rows:
    """Rows of all sequences: int64 arrays of length n. ``frames`` (n, 2) are 1-based with both ends included."""

    sequence: np.ndarray
    actor: np.ndarray
    label: np.ndarray
    frames: np.ndarray


@dataclass(frozen=True)
class Reference:
    """Ground truth. ``sequences`` ascend; ``n_frames`` is an int64 array of the same length."""

    sequences: list[str]
    n_frames: np.ndarray
    rows: Rows


@dataclass(frozen=True)
class Prediction:
    """A valid submission; ``present`` (n_sequences,) says which sequences have a file."""

    rows: Rows
    present: np.ndarray


@dataclass(frozen=True)
class Track:
    """One of the two tracks."""

    challenge_id: str
    thing: str
    n_classes: int
    n_actors: int
    reference_files: tuple[str, ...] = ("*_labels.csv", "*_data.csv")

    def load_reference(self, folder: Path, settings: dict[str, Any], findings: Findings) -> Reference | None:
        """Read ``{Id}_labels.csv`` and ``{Id}_data.csv`` of each sequence; None after a problem."""
        files: dict[str, dict[str, bytes]] = {_LABELS_NAME: {}, _DATA_NAME: {}}
        for path in sorted(folder.iterdir()):
            for pattern, found in files.items():
                match = re.fullmatch(re.escape(pattern).replace(r"\{key\}", "(.+)"), path.name)
                if match and path.is_file():
                    found[match.group(1)] = path.read_bytes()
        if not files[_LABELS_NAME]:
            hint = "put a {Id}_labels.csv and a {Id}_data.csv there for each sequence"
            findings.add("E-REF-NONE", "there are no ground-truth files", hint, file=folder.name)
            return None
        self._check_pairs(files, findings)
        data = read_csv_files(_named(files[_DATA_NAME], _DATA_NAME), _DATA_RULES, findings)
        if not findings.ok:
            return None
        n_frames = _last_rows(data, findings)
        if not findings.ok:
            return None
        labels = replace(load_csv_rules(self.challenge_id), name=_LABELS_NAME, also_named=())
        rows = read_csv_files(
            _named(files[_LABELS_NAME], _LABELS_NAME), labels, findings, n_frames, reference_words=True
        )
        if not findings.ok:
            return None
        frames = np.array([n_frames[key] for key in rows.keys], dtype=np.int64)
        return Reference(rows.keys, frames, self._rows(rows, rows.keys))

    def _check_pairs(self, files: dict[str, dict[str, bytes]], findings: Findings) -> None:
        for pattern, partner in ((_LABELS_NAME, _DATA_NAME), (_DATA_NAME, _LABELS_NAME)):
            for key in sorted(files[pattern].keys() - files[partner].keys()):
                missing = partner.format(key=key)
                findings.add(
                    "E-REF-PAIR", f"{missing} is missing", "each sequence needs both", pattern.format(key=key)
                )

    def read_submission(self, path: Path, reference: Reference, findings: Findings) -> Prediction | None:
        """Check the submission against its rules and the sequences of the reference; None after a problem."""
        last_frames = dict(zip(reference.sequences, reference.n_frames.tolist()))
        rows = check_submission(path, load_rules(self.challenge_id), findings, last_frames)
        if rows is None:
            return None
        missing = len(reference.sequences) - len(rows.keys)
        if missing:
            findings.note("N-FILE-MISSING", f"{missing} of {len(reference.sequences)} sequences have no file")
        return Prediction(self._rows(rows, reference.sequences), np.isin(reference.sequences, rows.keys))

    def _rows(self, rows: CsvRows, sequences: list[str]) -> Rows:
        position = {key: index for index, key in enumerate(sequences)}
        sequence = np.array([position[key] for key in rows.keys], dtype=np.int64)[rows.file_index]
        actor = rows.values[:, 0] if self.n_actors > 1 else np.ones_like(sequence)
        return Rows(sequence, actor, rows.values[:, -3], rows.values[:, -2:])

    def score(self, reference: Reference, prediction: Prediction, settings: dict[str, Any]) -> Result:
        """Score a prediction by the protocol that the settings choose."""
        released = settings["protocol"] == "released"
        convert = fj.released_slices if released else fj.inclusive_frames
        truth, guess = reference.rows, prediction.rows
        truth_frames = convert(truth.frames, reference.n_frames[truth.sequence])
        guess_frames = convert(guess.frames, reference.n_frames[guess.sequence])
        truth_cell, guess_cell = self._cells(truth, released), self._cells(guess, released)
        cells, place = np.unique(np.concatenate([truth_cell, guess_cell]), return_inverse=True)
        truth_place, guess_place = place[: len(truth_cell)], place[len(truth_cell) :]
        counts = fj.count_frames(truth_frames, truth_place, guess_frames, guess_place, len(cells))
        in_truth, in_guess = np.isin(cells, truth_cell), np.isin(cells, guess_cell)
        counts_in = in_truth if released else in_truth | in_guess
        if released and self.n_actors > 1:
            counts_in = counts_in & (counts.union > 0)
        cell_sequence = cells // (self.n_classes * self.n_actors)
        cell_label = cells % self.n_classes + 1
        n = len(reference.sequences)
        jaccard = fj.jaccard_index(counts)
        means, kept = fj.sequence_means(jaccard, counts_in, cell_sequence, n)
        false_positives = np.bincount(cell_sequence[in_guess & ~in_truth], minlength=n)
        mean = fj.mean_of(means[kept])
        scores = {
            "score": mean,
            "coverage": float(prediction.present.mean()),
            "mean_jaccard": mean,
            "precision_frames": fj.frame_precision(counts),
            "recall_frames": fj.frame_recall(counts),
            "false_positive_classes": fj.mean_of(false_positives),
        }
        items = {
            "sequence": np.array(reference.sequences),
            "jaccard": means,
            "counts": kept,
            "false_positive_classes": false_positives,
        }
        cell_table = _CellTable(cell_label, counts_in, jaccard, counts)
        sections: list[Section] = []
        levels = LEVELS[settings["detail"]]
        if SUMMARY in levels:
            sections += self._summary(reference, prediction, (truth_frames, guess_frames), cell_table, means[kept])
        if FULL in levels:
            sections += self._full(reference, prediction, (truth_frames, guess_frames), items)
        return Result(scores, items, sections, _notes(int((~kept).sum())))

    def _cells(self, rows: Rows, actors_apart: bool) -> np.ndarray:
        actor = rows.actor - 1 if actors_apart else 0
        return (rows.sequence * self.n_actors + actor) * self.n_classes + rows.label - 1

    def _summary(
        self,
        reference: Reference,
        prediction: Prediction,
        frames: tuple[np.ndarray, np.ndarray],
        cells: _CellTable,
        means: np.ndarray,
    ) -> list[Section]:
        histogram, edges = np.histogram(means, bins=_BINS, range=(0, 1))
        overlap = self._overlap(reference.rows, prediction.rows, frames)
        np.fill_diagonal(overlap, 0)
        confused = [(int(overlap[i, j]), i + 1, j + 1) for i, j in zip(*np.nonzero(overlap))]
        confused.sort(key=lambda entry: (-entry[0], entry[1:]))
        return [
            Table(
                f"{self.thing.capitalize()} classes",
                f"Jaccard: mean over the sequences in which the {self.thing} counts.",
                [
                    Column(self.thing.capitalize()),
                    Column("Jaccard", "share"),
                    Column("Frames, ground truth", "count"),
                    Column("Frames, predicted", "count"),
                    Column("Sequences", "count"),
                ],
                cells.per_class(),
                SUMMARY,
            ),
            Histogram(
                "Distribution of the sequence scores",
                "Sequences by their mean Jaccard index.",
                edges.tolist(),
                histogram.tolist(),
                "mean Jaccard index",
                "sequences",
                SUMMARY,
            ),
            Table(
                "Confused in time",
                "Frames on which the first class is annotated while the second is predicted.",
                [Column("Annotated"), Column("Predicted"), Column("Frames", "count")],
                [
                    (f"{self.thing} {i}", f"{self.thing} {j}", frames_shared)
                    for frames_shared, i, j in confused[:_CONFUSIONS_SHOWN]
                ],
                SUMMARY,
            ),
        ]

    def _overlap(self, truth: Rows, guess: Rows, frames: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        merged = []
        for rows, intervals in zip((truth, guess), frames):
            disjoint, cell = fj.merge_intervals(intervals, rows.sequence * self.n_classes + rows.label - 1)
            merged.append((disjoint, cell // self.n_classes, cell % self.n_classes))
        return fj.overlap_matrix(*merged[0], *merged[1], self.n_classes)

    def _full(
        self,
        reference: Reference,
        prediction: Prediction,
        frames: tuple[np.ndarray, np.ndarray],
        items: dict[str, np.ndarray],
    ) -> list[Section]:
        kept = np.flatnonzero(items["counts"])
        worst = kept[np.argsort(items["jaccard"][kept], kind="stable")]
        table = Table(
            "Sequences",
            f"The worst first; timelines of the first {_TIMELINES_SHOWN} follow.",
            [
                Column("Sequence"),
                Column("Jaccard", "share"),
                Column("False positive classes", "count"),
                Column("Prediction file"),
            ],
            [
                (
                    reference.sequences[i],
                    float(items["jaccard"][i]),
                    int(items["false_positive_classes"][i]),
                    "yes" if prediction.present[i] else "missing",
                )
                for i in worst
            ],
            FULL,
        )
        sides = (reference.rows, frames[0]), (prediction.rows, frames[1])
        timelines = [
            Timeline(
                reference.sequences[index],
                "Ground truth above, prediction below, one lane per class.",
                int(reference.n_frames[index]),
                self._lanes(int(index), sides),
                FULL,
            )
            for index in worst[:_TIMELINES_SHOWN]
        ]
        return [table, *timelines]

    def _lanes(self, index: int, sides: tuple[tuple[Rows, np.ndarray], ...]) -> list[Lane]:
        lanes: dict[int, tuple[list[tuple[int, int]], ...]] = {}
        for side, (rows, intervals) in enumerate(sides):
            # Rows ascend by sequence, so those of one sequence are a slice.
            here = slice(*np.searchsorted(rows.sequence, [index, index + 1]))
            for label, (start, end) in zip(rows.label[here].tolist(), intervals[here].tolist()):
                lanes.setdefault(label, ([], []))[side].append((start, end))
        return [Lane(f"{self.thing} {label}", *lanes[label]) for label in sorted(lanes)]


@dataclass(frozen=True)
class _CellTable:
    """Cells with their class and counts, to be reduced to a table of classes."""

    label: np.ndarray
    counts_in: np.ndarray
    jaccard: np.ndarray
    counts: fj.FrameCounts

    def per_class(self) -> list[tuple[str, float, int, int, int]]:
        """Return class, mean Jaccard index, frames in ground truth, frames predicted, sequences."""
        rows = []
        for label in np.unique(self.label).tolist():
            here = self.label == label
            counting = here & self.counts_in
            rows.append(
                (
                    str(label),
                    fj.mean_of(self.jaccard[counting]),
                    int(self.counts.ground_truth[here].sum()),
                    int(self.counts.prediction[here].sum()),
                    int(counting.sum()),
                )
            )
        return rows


def _named(files: dict[str, bytes], pattern: str) -> list[tuple[str, str, bytes]]:
    return [(key, pattern.format(key=key), data) for key, data in files.items()]


def _last_rows(data: CsvRows, findings: Findings) -> dict[str, int]:
    counts = np.bincount(data.file_index, minlength=len(data.keys))
    for index in np.flatnonzero(counts == 0):
        name = _DATA_NAME.format(key=data.keys[index])
        findings.add("E-REF-EMPTY", "the file is empty", "write numFrames,fps,maxDepth", name)
    last = np.cumsum(counts) - 1
    return dict(zip(data.keys, data.values[last, 0].tolist())) if findings.ok else {}


def _notes(left_out: int) -> list[str]:
    return [f"{left_out} sequences in which no class counts were left out of the mean."] if left_out else []


ACTION = Track("chalearn_action", "action", n_classes=11, n_actors=2)
GESTURE = Track("chalearn_gesture", "gesture", n_classes=20, n_actors=1)
