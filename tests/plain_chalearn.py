"""Both ChaLearn tracks as their text says it, from the files to the score and the page, with sets of frames and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import TypeVar

ValueT = TypeVar("ValueT")
Cell = tuple[int, int]
"""Actor (0 where actors do not matter) and class."""


class Sequence:
    """The frames of each cell on both sides of one sequence."""

    def __init__(self, name: str, n_frames: int, truth: str, prediction: str | None, released: bool) -> None:
        self.name, self.n_frames, self.present = name, n_frames, prediction is not None
        self._released = released
        self.truth, self.predicted = self._cells(truth), self._cells(prediction or "")

    def _cells(self, text: str) -> dict[Cell, set[int]]:
        cells: dict[Cell, set[int]] = {}
        for line in text.split():
            *actor, label, start, end = map(int, line.split(","))
            # The released script does not take the end frame, and keeps actors apart.
            last = end - 1 if self._released else end
            cell = (actor[0] if actor and self._released else 0, label)
            frames = cells.setdefault(cell, set())
            for frame in range(start, last + 1):
                if frame <= self.n_frames:
                    frames.add(frame)
        return cells

    def jaccard(self, apart: bool) -> dict[Cell, Fraction]:
        """Return the Jaccard index of each cell that counts; ``apart`` says whether the track has actors."""
        jaccard_of_cell = {}
        for cell in sorted(self.truth if self._released else {**self.truth, **self.predicted}):
            true_frames = self.truth.get(cell, set())
            predicted_frames = self.predicted.get(cell, set())
            n_either = len(true_frames | predicted_frames)
            if n_either:
                jaccard_of_cell[cell] = Fraction(len(true_frames & predicted_frames), n_either)
            elif not (apart and self._released):
                jaccard_of_cell[cell] = Fraction(0)
        return jaccard_of_cell

    def of_class(self, side: dict[Cell, set[int]]) -> dict[int, set[int]]:
        """Return the frames of each class of one side, of all actors together."""
        merged: dict[int, set[int]] = {}
        for (_, label), frames in side.items():
            merged.setdefault(label, set()).update(frames)
        return merged


def read(reference: Mapping[str, str], submission: Mapping[str, str], protocol: str) -> list[Sequence]:
    """Return the sequences of a reference; files are given by name."""
    ending = "_labels.csv"
    return [
        Sequence(
            name[: -len(ending)],
            int(reference[name.replace(ending, "_data.csv")].split()[-1].split(",")[0]),
            text,
            submission.get(name.replace(ending, "_prediction.csv")),
            protocol == "released",
        )
        for name, text in sorted(reference.items())
        if name.endswith(ending)
    ]


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def sequence_scores(sequences: list[Sequence], apart: bool) -> dict[str, Fraction]:
    """Return the score of each sequence in which a class counts."""
    jaccards = {sequence.name: list(sequence.jaccard(apart).values()) for sequence in sequences}
    return {name: mean(values) for name, values in jaccards.items() if values}


def false_classes(sequence: Sequence) -> int:
    return sum(cell not in sequence.truth for cell in sequence.predicted)


def scores(sequences: list[Sequence], apart: bool) -> dict[str, Fraction]:
    """Return all numbers of the leaderboard."""
    total = mean(list(sequence_scores(sequences, apart).values()))
    n_annotated = n_predicted = n_both = 0
    for sequence in sequences:
        for cell in {**sequence.truth, **sequence.predicted}:
            true_frames = sequence.truth.get(cell, set())
            predicted_frames = sequence.predicted.get(cell, set())
            n_annotated += len(true_frames)
            n_predicted += len(predicted_frames)
            n_both += len(true_frames & predicted_frames)
    return {
        "score": total,
        "mean_jaccard": total,
        "coverage": mean([Fraction(sequence.present) for sequence in sequences]),
        "precision_frames": Fraction(n_both, max(n_predicted, 1)),
        "recall_frames": Fraction(n_both, max(n_annotated, 1)),
        "false_positive_classes": mean([Fraction(false_classes(sequence)) for sequence in sequences]),
    }


def class_rows(sequences: list[Sequence], apart: bool) -> dict[int, tuple[Fraction, ...]]:
    """Return for each class that occurs: mean Jaccard index, frames annotated and predicted, cells annotated."""
    rows: dict[int, tuple[Fraction, ...]] = {}
    labels = {label for sequence in sequences for _, label in {**sequence.truth, **sequence.predicted}}
    for label in sorted(labels):
        jaccards: list[Fraction] = []
        n_true_frames = n_predicted_frames = n_annotated = 0
        for sequence in sequences:
            jaccard_of_cell = of_label(sequence.jaccard(apart), label)
            frames_of_true_cell = of_label(sequence.truth, label)
            frames_of_predicted_cell = of_label(sequence.predicted, label)
            jaccards += jaccard_of_cell.values()
            n_true_frames += sum(map(len, frames_of_true_cell.values()))
            n_predicted_frames += sum(map(len, frames_of_predicted_cell.values()))
            n_annotated += len(frames_of_true_cell)
        counts = (n_true_frames, n_predicted_frames, n_annotated)
        rows[label] = (mean(jaccards), *map(Fraction, counts))
    return rows


def of_label(value_of_cell: Mapping[Cell, ValueT], label: int) -> dict[Cell, ValueT]:
    """Return the cells of one class."""
    return {cell: value for cell, value in value_of_cell.items() if cell[1] == label}


def confusions(sequences: list[Sequence], unpaired: int) -> dict[tuple[int, int], int]:
    """Return how many frames of a class are predicted as another or the same; ``unpaired`` stands for no class."""
    counts: Counter[tuple[int, int]] = Counter()
    for sequence in sequences:
        true_frames = sequence.of_class(sequence.truth)
        predicted_frames = sequence.of_class(sequence.predicted)
        for frame in range(1, sequence.n_frames + 1):
            true_labels = {label for label, frames in true_frames.items() if frame in frames}
            predicted_labels = {label for label, frames in predicted_frames.items() if frame in frames}
            counts.update((label, label) for label in true_labels & predicted_labels)
            missed_labels = true_labels - predicted_labels
            false_labels = predicted_labels - true_labels
            if missed_labels or false_labels:
                counts.update(product(missed_labels or {unpaired}, false_labels or {unpaired}))
    return dict(counts)
