"""Notes on mistakes that no validator can refuse: a sample of the submission is read in other ways.

``challenges/<id>/plausibility.py`` lists what is compared with the reference and the other readings
(`Facet`); this module judges them. Notes change no score. They give shares over the whole sample in steps of
5 % and name nothing of the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from scoring_program.disclosure import FEWEST
from scoring_program.metrics.arrays import Bools, Floats, Ints
from validator.findings import Note

FEWEST_ANNOTATED = 20
_SAMPLE = 200
_USUAL = (
    "Usual causes: names in another spelling, ids or frames counted from 0, boxes in another unit or order"
)
# How many times as large the share that another reading fits must be, or by how much larger.
_TIMES = 2.5
_MARGIN = 0.4
_LOST_SHARE = 0.05
_LOST = "At most 5 %"
# A scale is tried if it is at least this far from 1; pairs agree on it within the tolerance. Both are
# logarithms.
_LEAST_SCALE = 0.2
_SCALE_TOLERANCE = 0.1
_SCALES_TRIED = 200
_FEWEST_PAIRS = 8
_USUAL_SCALES = (0.5, 2.0)


@dataclass(frozen=True)
class Reading:
    """Another way to read the sample.

    Attributes
    ----------
    code : str
    words : str
        How it is read: "as [x, y, width, height]".
    fits : bool array of shape (n,)
        Which entries of the sample agree with the reference then.
    fix : str
    """

    code: str
    words: str
    fits: Bools
    fix: str


@dataclass(frozen=True)
class Facet:
    """One thing that is compared with the reference.

    Attributes
    ----------
    claim : str
        What the shares are of: "of your boxes meet an annotated person".
    as_is : bool array of shape (n,)
        Which entries of the sample agree with the reference.
    readings : sequence of Reading
    annotated : int
        How many annotated instances were compared.
    causes : str
        The usual causes if nothing agrees.
    unknown : str
        The code of a note if hardly anything agrees in any reading; "" for none.
    deviations : float
        How much better another reading must fit, in standard deviations of a sign test.
    least_share : float
        The share of the sample that another reading must fit.
    """

    claim: str
    as_is: Bools
    readings: Sequence[Reading]
    annotated: int
    causes: str
    unknown: str = ""
    deviations: float = 3.0
    least_share: float = 0.15


class Plausibility(Protocol):
    """What ``challenges/<id>/plausibility.py`` offers."""

    def facts(self, submission: Any) -> list[Note]:
        """Return notes that need no reference."""

    def facets(self, reference: Any, submission: Any) -> list[Facet]:
        """Return what to compare with the reference, in the order of scoring."""


def notes(
    task: Plausibility | None, reference: Any, submission: Any, settings: Mapping[str, Any], score: float
) -> list[Note]:
    """Return notes on what looks like a mistake; a ``score`` of 0 adds one.

    ``reference`` and ``submission`` are what the challenge's program made of them. Notes that look at the
    reference are left out at ``detail: none`` and where fewer than 20 annotated instances, or fewer than 5
    entries of the submission, were compared.
    """
    if task is None or not settings["notes"]:
        return []
    made = task.facts(submission)
    empty, normalized = (
        any(note.code == code for note in made) for code in ("N-EMPTY", "N-LOOKS-NORMALIZED")
    )
    with np.errstate(all="ignore"):  # boxes may be as large as numbers go
        facets = [] if settings["detail"] == "none" or empty else task.facets(reference, submission)
    facets = [facet for facet in facets if facet.annotated >= FEWEST_ANNOTATED and len(facet.as_is) >= FEWEST]
    readings: set[str] = set()
    for facet in facets:
        best = best_reading(facet)
        # Coordinates in 0..1 also fit with a scale, but that says less.
        if best and best.words not in readings and not (best.code == "N-LOOKS-SCALED" and normalized):
            readings.add(best.words)
            shares = f"{_percent(best.fits)} {facet.claim}; as submitted, {_percent(facet.as_is)}"
            made.append(Note(best.code, f"read {best.words}, {shares}. {best.fix}"))
        elif not best and facet.unknown and _is_lost(facet):
            made.append(Note(facet.unknown, f"{_LOST} {facet.claim}. {facet.causes}"))
    if score == 0 and not empty:
        made.append(_zero(facets))
    return made


def best_reading(facet: Facet) -> Reading | None:
    """Return the reading that fits far better than what was submitted, the best of several; None if there
    is none."""
    better = [reading for reading in facet.readings if _far_better(facet, reading.fits)]
    return max(better, key=lambda reading: float(reading.fits.mean()), default=None)


def _far_better(facet: Facet, after: Bools) -> bool:
    before, share = facet.as_is, float(after.mean())
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    certain = gained > lost and gained - lost >= facet.deviations * (gained + lost) ** 0.5
    far = share >= _TIMES * float(before.mean()) or share >= float(before.mean()) + _MARGIN
    return certain and far and share >= facet.least_share


def _is_lost(facet: Facet) -> bool:
    """Return whether hardly anything agrees: a small share rather than none, so that no single entry
    decides it."""
    return float(facet.as_is.mean()) <= _LOST_SHARE


def _zero(facets: Sequence[Facet]) -> Note:
    lost = next(filter(_is_lost, facets), None)
    stage = f" {_LOST} {lost.claim}. {lost.causes}" if lost else f" {_USUAL}"
    return Note("N-ZERO", f"the score is 0.{stage}")


def _percent(fits: Bools) -> str:
    return f"{5 * round(20 * float(fits.mean()))} %"


def sample(n: int) -> Ints:
    """Return at most 200 of the indexes 0..n-1, evenly spread and the same each time."""
    return np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64)) if n else np.zeros(0, np.int64)


@dataclass(frozen=True)
class BoxPairs:
    """Sampled boxes, each paired with all boxes of the reference that it may refer to.

    Attributes
    ----------
    n : int
        Number of sampled entries.
    entry : int array of shape (k,)
        Which entry each pair belongs to.
    prediction, ground_truth : float64 arrays of shape (k, 4)
        ``prediction`` as submitted, ``ground_truth`` as ``x1, y1, x2, y2``.
    """

    n: int
    entry: Ints
    prediction: Floats
    ground_truth: Floats

    def met(self, corners: Floats, iou: float = 0.5) -> Bools:
        """Return which entries have a pair with IoU above ``iou`` if ``corners`` (k, 4) are those of the
        entries."""
        low = np.maximum(corners[:, :2], self.ground_truth[:, :2])
        high = np.minimum(corners[:, 2:], self.ground_truth[:, 2:])
        common = np.clip(high - low + 1, 0, None).prod(axis=1)
        areas = [np.clip(_size(boxes) + 1, 0, None).prod(axis=1) for boxes in (corners, self.ground_truth)]
        good = common > iou * (areas[0] + areas[1] - common)
        return np.bincount(self.entry[good], minlength=self.n) > 0

    def corner_readings(self) -> list[Reading]:
        """Return the other readings of boxes that should be ``x1, y1, x2, y2``."""
        boxes, fix = self.prediction, "Write boxes as [x1, y1, x2, y2]"
        forms = [
            ("N-LOOKS-XYWH", "as [x, y, width, height]", with_sizes(boxes), fix),
            ("N-LOOKS-SWAPPED", "as [y1, x1, y2, x2]", boxes[:, [1, 0, 3, 2]], fix),
        ]
        return self.readings(boxes, forms)

    def readings(self, corners: Floats, forms: Sequence[tuple[str, str, Floats, str]]) -> list[Reading]:
        """Return readings of (code, words, corners, fix), and with a scale: half, double, and what fits
        best."""
        made = [Reading(code, words, self.met(boxes), fix) for code, words, boxes, fix in forms]
        scales = [np.full(2, scale) for scale in _USUAL_SCALES]
        fitted = self._scale(corners)
        for scale in scales if fitted is None else [fitted, *scales]:
            words = f"with x times {scale[0]:.2f} and y times {scale[1]:.2f}"
            fix = "Give pixels of the original size, not of a resized one"
            made.append(Reading("N-LOOKS-SCALED", words, self.met(corners * np.tile(scale, 2)), fix))
        return made

    def _scale(self, corners: Floats) -> Floats | None:
        """Return the factors of x and y on which most pairs agree, in position and in size."""
        size, center = (np.log(of(self.ground_truth) / of(corners)) for of in (_size, _center))
        factor = ((size + center) / 2)[(np.abs(size - center) < 2 * _SCALE_TOLERANCE).all(axis=1)]
        if len(factor) < _FEWEST_PAIRS:
            return None
        tried = factor[np.linspace(0, len(factor) - 1, min(len(factor), _SCALES_TRIED)).astype(np.int64)]
        near = (np.abs(tried[:, None] - factor) < _SCALE_TOLERANCE).all(axis=2)
        best = np.median(factor[near[near.sum(axis=1).argmax()]], axis=0)
        return np.exp(best) if np.abs(best).max() >= _LEAST_SCALE else None


def _size(boxes: Floats) -> Floats:
    return boxes[:, 2:] - boxes[:, :2]


def _center(boxes: Floats) -> Floats:
    return boxes[:, 2:] + boxes[:, :2]


def with_sizes(boxes: Floats) -> Floats:
    """Return the corners of boxes ``x, y, width, height``."""
    return np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)


def names_facet(
    words: Sequence[str],
    known: Sequence[str],
    what: str,
    annotated: int,
    also: Callable[[str], str] = str.lower,
) -> Facet:
    """Return the facet of names that must be spelled as in the reference; ``also`` turns forms of a word into
    one.

    Fewer than 5 different names are not judged unless they are numbers, nor is another spelling of fewer.
    """
    chosen = [words[index] for index in sample(len(words)).tolist()]
    how = "with underscores" if also is str.lower else "in the singular"
    as_is, fits = (
        is_in(chosen, known),
        is_in([_plain(word, also) for word in chosen], {_plain(w, also) for w in known}),
    )
    respelled = {word for word, gained in zip(chosen, (fits & ~as_is).tolist()) if gained}
    reading = Reading(
        "N-LOOKS-SPELLED", f"with {what} in lower case and {how}", fits, "Names are compared exactly"
    )
    are_numbers = bool(chosen) and all(word.strip().isdigit() for word in chosen)
    causes = "Write the names as the format page and the class list do"
    return Facet(
        f"of your {what} occur in the reference",
        as_is,
        [reading] if len(respelled) >= FEWEST else [],
        annotated if are_numbers or len(set(chosen)) >= FEWEST else 0,
        f"{causes}; yours are numbers" if are_numbers else causes,
        "N-LOOKS-SPELLED",
    )


def is_in(entries: Iterable[Hashable], known: Iterable[Hashable]) -> Bools:
    """Return which entries are among the known ones; bool, shape (n,)."""
    known = set(known)
    return np.array([entry in known for entry in entries], dtype=bool)


def _plain(word: str, also: Callable[[str], str]) -> str:
    return also(re.sub(r"[\W_]+", "", word.lower()))
