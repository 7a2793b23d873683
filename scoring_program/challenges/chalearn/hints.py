"""The other interpretations of a submission to either ChaLearn track."""

from __future__ import annotations

from itertools import product

import numpy as np

from scoring_program.challenges.chalearn.reference import Prediction, Reference, Rows
from scoring_program.hints import Check, Interpretation, sample
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Floats, Ints
from validator.texts import counted

_FRAME_RATES = (10, 12, 15, 20, 24, 25, 30, 50, 60)
_COUNTING, _UNIT = "Frames and classes count from 1", "Write frame numbers: seconds times the frame rate"
_RATE = "Write frame numbers of the video at its own frame rate"
# A row whose end is its length differs little from the right one if it begins early.
_CLOSE = (0.75, 0.9)
# The validator accepts few rows of start and length, and no correct row is near an annotated one as such.
_LENGTH_DEVIATIONS = 2.2
# A correct row may be a frame off by chance.
_SHIFT_DEVIATIONS = 4.0


def checks(reference: Reference, submission: Prediction) -> list[Check]:
    """Return what to compare with the reference, in the order of scoring."""
    rows = submission.rows
    sampled_rows = sample(len(rows.label))
    sequence, label = rows.sequence[sampled_rows], rows.label[sampled_rows]
    pairs, *others = (_Pairs(sequence + by, label, reference.rows) for by in (0, 1, -1))
    frames = rows.frames[sampled_rows].astype(np.float64)
    middles = _middles(pairs, frames, others)
    return [middles, *(_lengths(pairs, frames, iou) for iou in _CLOSE), _exact(pairs, frames)]


def _middles(pairs: _Pairs, frames: Floats, neighbors: list[_Pairs]) -> Check:
    interpretations = [
        Interpretation("N-LOOKS-SHIFTED", f"with class {words} 1", pairs.middle(frames, by), _COUNTING)
        for words, by in (("plus", 1), ("less", -1))
    ]
    for words, other in zip(("next", "previous"), neighbors):
        how, remedy = f"as rows of the {words} sequence", "Each file has the rows of its own sequence"
        interpretations.append(Interpretation("N-LOOKS-SHIFTED", how, other.middle(frames), remedy))
    for rate, (unit, units) in product(_FRAME_RATES, (("seconds", 1), ("milliseconds", 1000))):
        words = f"as {unit} at {counted(rate, 'frame')} a second"
        fits = pairs.middle(frames * (rate / units))
        interpretations.append(Interpretation("N-LOOKS-SCALED", words, fits, _UNIT))
    for times, how in ((2.0, "twice"), (0.5, "half")):
        words, fits = f"at {how} the frame rate", pairs.middle(frames * times)
        interpretations.append(Interpretation("N-LOOKS-SCALED", words, fits, _RATE))
    claim = "of your rows have their middle on an annotated one of that class"
    return Check(claim, pairs.middle(frames), interpretations, pairs.n_annotated)


def _lengths(pairs: _Pairs, frames: Floats, iou: float) -> Check:
    read_as_length = np.stack([frames[:, 0], frames.sum(axis=1) - 1], axis=1)
    remedy = "Write the last frame: start + length - 1"
    others = [Interpretation("N-LOOKS-LENGTH", "as start, length", pairs.close(read_as_length, iou), remedy)]
    claim, n = "of your rows have nearly the frames of an annotated one of that class", pairs.n_annotated
    return Check(claim, pairs.close(frames, iou), others, n, deviations=_LENGTH_DEVIATIONS)


def _exact(pairs: _Pairs, frames: Floats) -> Check:
    interpretations = [
        Interpretation("N-LOOKS-SHIFTED", words, pairs.exact(frames + by), _COUNTING)
        for words, by in (("one frame later", 1), ("one frame earlier", -1))
    ]
    claim, n = "of your rows begin and end exactly with an annotated one of that class", pairs.n_annotated
    return Check(claim, pairs.exact(frames), interpretations, n, deviations=_SHIFT_DEVIATIONS)


class _Pairs:
    """Sampled rows, each paired with all annotated rows of its sequence. Methods say which rows fit one."""

    def __init__(self, sequence: Ints, label: Ints, ground_truth: Rows) -> None:
        self._n = len(sequence)
        self._row, annotated, _ = pairs_in_groups(sequence, ground_truth.sequence)
        self.n_annotated = len(np.unique(annotated))
        self._frames = ground_truth.frames[annotated]
        self._above = ground_truth.label[annotated] - label[self._row]

    def exact(self, frames: Floats) -> Bools:
        """Rows that begin and end with it."""
        return self._any((frames[self._row] == self._frames).all(axis=1) & (self._above == 0))

    def middle(self, frames: Floats, class_shift: int = 0) -> Bools:
        """Rows whose middle is on it, if ``class_shift`` is added to their class."""
        middle = frames.mean(axis=1)[self._row]
        inside = (middle >= self._frames[:, 0]) & (middle <= self._frames[:, 1])
        return self._any(inside & (self._above == class_shift))

    def close(self, frames: Floats, iou: float) -> Bools:
        """Rows that overlap it by more than ``iou``."""
        start, end = frames[self._row].T
        common = np.minimum(end, self._frames[:, 1]) - np.maximum(start, self._frames[:, 0]) + 1
        lengths = end - start + self._frames[:, 1] - self._frames[:, 0] + 2
        return self._any((common > iou * (lengths - common)) & (self._above == 0))

    def _any(self, pairs: Bools) -> Bools:
        return np.bincount(self._row[pairs], minlength=self._n) > 0
