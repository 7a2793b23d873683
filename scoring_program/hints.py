"""Hints: notes on likely mistakes in valid submissions, found by other interpretations of a sample.

The challenge lists what is compared with the reference, and the other interpretations (`Check`); this module
judges them. Hints change no score. They give shares of the sample in steps of 5 %, nothing of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from scoring_program.disclosure import MIN_GROUP, shows_comparisons
from scoring_program.low_score import MIN_ANNOTATED, Step
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.messages import Note

_SAMPLE = 200
# How many times as large the share that another interpretation fits must be, or by how much larger.
_TIMES = 2.5
_MARGIN = 0.4
_LOST_SHARE = 0.05
# A scale is tried if it is this far from 1; pairs agree on it within the tolerance. Both are logarithms.
_LEAST_SCALE = 0.2
_SCALE_TOLERANCE = 0.1
_SCALES_TRIED = 200
_LEAST_PAIRS = 8
_USUAL_SCALES = (0.5, 2.0)


class Interpretation(NamedTuple):
    """Another way to read the sample: ``words`` say how, as "as [x, y, width, height]".

    ``fits`` (n,) says which entries of the sample agree with the reference then.
    """

    code: str
    words: str
    fits: Bools
    remedy: str


class Check(NamedTuple):
    """One thing that is compared with the reference.

    Attributes
    ----------
    claim : str
        What the shares are of: "of your boxes meet an annotated person".
    as_is : bool array of shape (n,)
        Which entries of the sample agree with the reference.
    interpretations : sequence of Interpretation
    annotated : int
        How many annotated instances were compared.
    deviations : float
        How much better another interpretation must fit, in standard deviations of a sign test.
    least_share : float
        The share of the sample that another interpretation must fit.
    explains : tuple of str
        The codes of notes that have the same cause, as that videos are missing because of their names. With
        such a hint nothing that follows is compared.
    step : str
        At which step agreement is lost where hardly anything agrees: "items", "names" or "places".
    """

    claim: str
    as_is: Bools
    interpretations: Sequence[Interpretation]
    annotated: int
    deviations: float = 3.0
    least_share: float = 0.15
    explains: tuple[str, ...] = ()
    step: str = "places"


def agreement_steps(checks: Sequence[Check]) -> list[Step]:
    """Return how far a submission agrees with the reference as it is, by what checks compare."""
    steps = []
    for check in checks:
        step = Step(
            name=check.step,
            claim=check.claim,
            agrees=check.as_is,
            n_annotated=check.annotated,
            # Items are compared by their ids.
            needs_labels=check.step != "items",
        )
        steps.append(step)
    return steps


def likely_mistakes(
    notes: Sequence[Note], checks: Callable[[], Sequence[Check]], settings: Settings
) -> list[Note]:
    """Return notes on likely mistakes: those that need no reference, and those of checks in order of scoring.

    Notes that look at the reference are left out at ``detail: none`` and where fewer than 20 annotated
    instances, or fewer than 5 entries of the submission, were compared.
    """
    if not settings["notes"]:
        return []
    hints, codes = list(notes), {note.code for note in notes}
    checked: Sequence[Check] = ()
    if shows_comparisons(settings["detail"]) and "N-EMPTY" not in codes:
        with np.errstate(all="ignore"):  # boxes may be as large as numbers go
            checked = checks()
    checked = [
        check for check in checked if check.annotated >= MIN_ANNOTATED and len(check.as_is) >= MIN_GROUP
    ]
    # Coordinates in 0..1 also fit with a scale, but that says less.
    needless = {"N-LOOKS-SCALED"} if "N-LOOKS-NORMALIZED" in codes else set()
    noted: set[str] = set()
    for check in checked:
        best = best_interpretation(check)
        if best and best.words not in noted and best.code not in needless:
            noted.add(best.words)
            shares = f"{_percent(best.fits)} {check.claim}; as submitted, {_percent(check.as_is)}"
            text = f"read {best.words}, {shares}. {best.remedy}"
            hints.append(Note(best.code, text, check.explains))
        if hints and check.explains and check.explains == hints[-1].explains:
            break
    return hints


def best_interpretation(check: Check) -> Interpretation | None:
    """Return the best interpretation that fits far better than the submission, or None."""
    better = (other for other in check.interpretations if _far_better(check, other.fits))
    return max(better, key=lambda other: float(other.fits.mean()), default=None)


def _far_better(check: Check, after: Bools) -> bool:
    before, share = check.as_is, float(after.mean())
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    certain = gained > lost and gained - lost >= check.deviations * (gained + lost) ** 0.5
    far = share >= _TIMES * float(before.mean()) or share >= float(before.mean()) + _MARGIN
    return certain and far and share >= check.least_share


def _percent(fits: Bools) -> str:
    return f"{5 * round(20 * float(fits.mean()))} %"


def sample(n: int) -> Ints:
    """Return at most 200 of the indexes 0..n-1, evenly spread and the same each time."""
    return np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64)) if n else np.zeros(0, np.int64)


class BoxPairs(NamedTuple):
    """Boxes of ``n`` sampled entries, each paired with all boxes of the reference that it may refer to.

    ``entry`` (k,) is the entry of each pair; ``prediction`` (k, 4) is as submitted, ``ground_truth`` (k, 4)
    as ``x1, y1, x2, y2``.
    """

    n: int
    entry: Ints
    prediction: Floats
    ground_truth: Floats

    def find_overlapping(self, corners: Floats, iou: float = 0.5) -> Bools:
        """Return which entries have a pair with IoU above ``iou`` if ``corners`` (k, 4) are their boxes."""
        low = np.maximum(corners[:, :2], self.ground_truth[:, :2])
        high = np.minimum(corners[:, 2:], self.ground_truth[:, 2:])
        common = np.clip(high - low + 1, 0, None).prod(axis=1)
        predicted_area = np.clip(_size(corners) + 1, 0, None).prod(axis=1)
        true_area = np.clip(_size(self.ground_truth) + 1, 0, None).prod(axis=1)
        overlap = common > iou * (predicted_area + true_area - common)
        return np.bincount(self.entry[overlap], minlength=self.n) > 0

    def corner_interpretations(self) -> list[Interpretation]:
        """Return the other interpretations of boxes that should be ``x1, y1, x2, y2``."""
        boxes = self.prediction
        half = np.pad(boxes[:, 2:] / 2, ((0, 0), (0, 2)))
        others = [
            ("N-LOOKS-XYWH", "as [x, y, width, height]", with_sizes(boxes)),
            ("N-LOOKS-XYWH", "as [center x, center y, width, height]", with_sizes(boxes - half)),
            ("N-LOOKS-SWAPPED", "as [y1, x1, y2, x2]", boxes[:, [1, 0, 3, 2]]),
        ]
        return self.interpretations(boxes, others, "Write boxes as [x1, y1, x2, y2]")

    def interpretations(
        self, corners: Floats, others: Sequence[tuple[str, str, Floats]], remedy: str
    ) -> list[Interpretation]:
        """Return interpretations of (code, words, corners), and scaled: best fit, half, double."""
        read = []
        for code, words, boxes in others:
            read.append(Interpretation(code, words, self.find_overlapping(boxes), remedy))
        remedy = "Give pixels of the original size, not of a resized one"
        for x, y in [*self._scale(corners), *((scale, scale) for scale in _USUAL_SCALES)]:
            words, boxes = f"with x times {x:.2f} and y times {y:.2f}", corners * np.array([x, y, x, y])
            read.append(Interpretation("N-LOOKS-SCALED", words, self.find_overlapping(boxes), remedy))
        return read

    def _scale(self, corners: Floats) -> list[tuple[float, float]]:
        """Return the factors of x and y on which most pairs agree, in position and in size, if they do."""
        size_ratio = np.log(_size(self.ground_truth) / _size(corners))
        center_ratio = np.log(_center(self.ground_truth) / _center(corners))
        agree = (np.abs(size_ratio - center_ratio) < 2 * _SCALE_TOLERANCE).all(axis=1)
        factor = ((size_ratio + center_ratio) / 2)[agree]
        if len(factor) < _LEAST_PAIRS:
            return []
        tried = factor[np.linspace(0, len(factor) - 1, min(len(factor), _SCALES_TRIED)).astype(np.int64)]
        near = (np.abs(tried[:, None] - factor) < _SCALE_TOLERANCE).all(axis=2)
        best = np.median(factor[near[near.sum(axis=1).argmax()]], axis=0)
        x, y = np.exp(best).tolist()
        return [(x, y)] if np.abs(best).max() >= _LEAST_SCALE else []


def _size(boxes: Floats) -> Floats:
    return boxes[:, 2:] - boxes[:, :2]


def _center(boxes: Floats) -> Floats:
    return boxes[:, 2:] + boxes[:, :2]


def with_sizes(boxes: Floats) -> Floats:
    """Return the corners of boxes ``x, y, width, height``."""
    return np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)


def names_check(words: Sequence[str], true_names: Sequence[str], what: str, annotated: int) -> Check:
    """Return the check of names; `scoring_program.vocabulary` says how unknown ones are spelled."""
    sampled_words = [words[index] for index in sample(len(words)).tolist()]
    claim = f"of your {what} occur in the reference"
    return Check(claim, is_in(sampled_words, true_names), (), annotated, step="names")


def is_in(entries: Iterable[Hashable], true_entries: Iterable[Hashable]) -> Bools:
    """Return which entries are among those of the reference; bool, shape (n,)."""
    true_set = set(true_entries)
    return np.array([entry in true_set for entry in entries], dtype=bool)
