"""The other readings of a submission to either ChaLearn track."""

from __future__ import annotations

import numpy as np

from scoring_program.families.chalearn.files import Prediction, Reference, Rows
from scoring_program.plausibility import Facet, Reading, sample
from validator.facts import EMPTY, label_facts
from validator.findings import Note

_FRAME_RATES = (10, 12, 15, 20, 24, 25, 30, 50, 60)
# Strict enough to tell a row from the row with its length as end.
_CLOSE = 0.9
# A validator lets few rows of start and length through, and no honest row is near as one.
_LENGTH_DEVIATIONS = 2.2
# An honest row may be a frame off by chance.
_SHIFT_DEVIATIONS = 4.0


def facts(submission: Prediction) -> list[Note]:
    """Return notes that need no reference."""
    return label_facts(submission.rows.label, "class") if len(submission.rows.label) else [EMPTY]


def facets(reference: Reference, submission: Prediction) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    rows, truth = submission.rows, reference.rows
    chosen = sample(len(rows.label))
    sequence, label, frames = rows.sequence[chosen], rows.label[chosen], rows.frames[chosen].astype(np.float64)
    pairs = _Pairs(sequence, truth)
    n = len(truth.label)

    def on_action(moved: np.ndarray, label: np.ndarray) -> np.ndarray:
        return pairs.any(pairs.middle(moved) & pairs.same(label))

    def exact(by: int) -> np.ndarray:
        return pairs.any(pairs.exact(frames + by) & pairs.same(label))

    counting, unit = "Frames and classes count from 1", "Write frame numbers: seconds times the frame rate"
    middle = [
        Reading("N-LOOKS-SHIFTED", f"with class {words} 1", on_action(frames, label + by), counting)
        for words, by in (("plus", 1), ("less", -1))
    ]
    for rate in _FRAME_RATES:
        for unit_name, factor in (("seconds", rate), ("milliseconds", rate / 1000)):
            words = f"as {unit_name} at {rate} frames a second"
            middle.append(Reading("N-LOOKS-SCALED", words, on_action(frames * factor, label), unit))
    lengths = np.stack([frames[:, 0], frames.sum(axis=1) - 1], axis=1)
    as_length = pairs.any(pairs.close(lengths) & pairs.same(label))
    length = Reading("N-LOOKS-LENGTH", "as start, length", as_length, "Write the last frame: start + length - 1")
    shifts = [
        Reading("N-LOOKS-SHIFTED", words, exact(by), counting)
        for words, by in (("one frame later", 1), ("one frame earlier", -1))
    ]
    whole = "of your rows begin and end exactly with an annotated one of that class"
    on, close = (
        f"of your rows have {what} an annotated one of that class"
        for what in ("their middle on", "nearly the frames of")
    )
    return [
        Facet(on, on_action(frames, label), middle, n, f"{counting}; {unit.lower()}"),
        Facet(
            close,
            pairs.any(pairs.close(frames) & pairs.same(label)),
            [length],
            n,
            counting,
            deviations=_LENGTH_DEVIATIONS,
        ),
        Facet(whole, exact(0), shifts, n, counting, deviations=_SHIFT_DEVIATIONS),
    ]


class _Pairs:
    """Sampled rows beside all annotated rows of their sequence."""

    def __init__(self, sequence: np.ndarray, truth: Rows) -> None:
        order = np.argsort(truth.sequence, kind="stable")
        first = np.searchsorted(truth.sequence[order], sequence)
        last = np.searchsorted(truth.sequence[order], sequence, "right")
        self._n = len(sequence)
        self._row = np.repeat(np.arange(self._n), last - first)
        own = np.concatenate([np.zeros(0, np.int64), *map(np.arange, first.tolist(), last.tolist())])
        self._label, self._frames = truth.label[order][own], truth.frames[order][own]

    def any(self, pairs: np.ndarray) -> np.ndarray:
        """Return which rows have a pair that is true."""
        return np.bincount(self._row[pairs], minlength=self._n) > 0

    def same(self, label: np.ndarray) -> np.ndarray:
        return label[self._row] == self._label

    def exact(self, frames: np.ndarray) -> np.ndarray:
        return (frames[self._row] == self._frames).all(axis=1)

    def middle(self, frames: np.ndarray) -> np.ndarray:
        middle = frames.mean(axis=1)[self._row]
        return (middle >= self._frames[:, 0]) & (middle <= self._frames[:, 1])

    def close(self, frames: np.ndarray) -> np.ndarray:
        own = frames[self._row]
        common = np.minimum(own[:, 1], self._frames[:, 1]) - np.maximum(own[:, 0], self._frames[:, 0]) + 1
        lengths = own[:, 1] - own[:, 0] + self._frames[:, 1] - self._frames[:, 0] + 2
        return common > _CLOSE * (lengths - common)
