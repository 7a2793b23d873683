"""Both ChaLearn tracks as their text says it, from the files to the score and the page, with sets of frames and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

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
        found = {}
        for cell in sorted(self.truth if self._released else {**self.truth, **self.predicted}):
            truth, predicted = self.truth.get(cell, set()), self.predicted.get(cell, set())
            if truth | predicted:
                found[cell] = Fraction(len(truth & predicted), len(truth | predicted))
            elif not (apart and self._released):
                found[cell] = Fraction(0)
        return found

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
    cells = {sequence.name: sequence.jaccard(apart) for sequence in sequences}
    return {name: mean(list(found.values())) for name, found in cells.items() if found}


def false_classes(sequence: Sequence) -> int:
    return sum(cell not in sequence.truth for cell in sequence.predicted)


def scores(sequences: list[Sequence], apart: bool) -> dict[str, Fraction]:
    """Return all numbers of the leaderboard."""
    total = mean(list(sequence_scores(sequences, apart).values()))
    annotated = predicted = both = 0
    for sequence in sequences:
        for cell in {**sequence.truth, **sequence.predicted}:
            truth, guess = sequence.truth.get(cell, set()), sequence.predicted.get(cell, set())
            annotated, predicted, both = (
                annotated + len(truth),
                predicted + len(guess),
                both + len(truth & guess),
            )
    return {
        "score": total,
        "mean_jaccard": total,
        "coverage": mean([Fraction(sequence.present) for sequence in sequences]),
        "precision_frames": Fraction(both, max(predicted, 1)),
        "recall_frames": Fraction(both, max(annotated, 1)),
        "false_positive_classes": mean([Fraction(false_classes(sequence)) for sequence in sequences]),
    }


def class_rows(sequences: list[Sequence], apart: bool) -> dict[int, tuple[Fraction, ...]]:
    """Return for each class that occurs: mean Jaccard index, frames annotated and predicted, cells annotated."""
    rows: dict[int, tuple[Fraction, ...]] = {}
    labels = {label for sequence in sequences for _, label in {**sequence.truth, **sequence.predicted}}
    for label in sorted(labels):
        counting = [
            value
            for sequence in sequences
            for cell, value in sequence.jaccard(apart).items()
            if cell[1] == label
        ]
        frames = [
            sum(
                len(found)
                for sequence in sequences
                for cell, found in getattr(sequence, side).items()
                if cell[1] == label
            )
            for side in ("truth", "predicted")
        ]
        annotated = sum(cell[1] == label for sequence in sequences for cell in sequence.truth)
        rows[label] = (mean(counting), *map(Fraction, frames), Fraction(annotated))
    return rows


def confusions(sequences: list[Sequence], unpaired: int) -> dict[tuple[int, int], int]:
    """Return how many frames of a class are predicted as another or the same; ``unpaired`` stands for no class."""
    found: Counter[tuple[int, int]] = Counter()
    for sequence in sequences:
        sides = (sequence.of_class(sequence.truth), sequence.of_class(sequence.predicted))
        for frame in range(1, sequence.n_frames + 1):
            true, guessed = ({label for label, frames in side.items() if frame in frames} for side in sides)
            found.update((label, label) for label in true & guessed)
            missed, false = true - guessed, guessed - true
            if missed or false:
                found.update(product(missed or {unpaired}, false or {unpaired}))
    return dict(found)
