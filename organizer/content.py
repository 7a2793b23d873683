"""What a reference holds, for the overview of its organizers, and checks for what of it is likely a mistake.

Each check adds warnings, whose codes begin with ``R-``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from scoring_program.result import Drawing, Drawings, Section
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings
from validator.texts import folded, quote

_RARER = 10
_AREA_RATIO = 1000
_DRAWN = 6
Place = Callable[[int], str]


class Values(NamedTuple):
    """Numbers of one kind, such as lengths; ``place`` names the thing that has the number of an index."""

    title: str
    numbers: Floats | Ints
    place: Place


@dataclass(frozen=True)
class Content:
    """What of a reference is scored.

    Attributes
    ----------
    n_instances : int
        How many annotations predictions are compared with.
    counts : mapping of str to int
        How many there are of each thing, items first.
    names : mapping of str to (mapping of str to int)
        For each kind of name (class, part, state) how often each occurs.
    values : sequence of Values
    warnings : Findings
        What is likely a mistake.
    draw : callable
        Returns sections that draw a few items.
    """

    n_instances: int
    counts: Mapping[str, int]
    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    values: Sequence[Values] = ()
    warnings: Findings = field(default_factory=Findings)
    draw: Callable[[], Sequence[Section]] = list


def chosen(numbers: Ints) -> list[int]:
    """Return a few things by their ``numbers`` (n,) of annotations, evenly from the most to the least."""
    order = np.argsort(-numbers, kind="stable")[: np.count_nonzero(numbers)].tolist()
    return [order[i] for i in np.linspace(0, len(order) - 1, min(_DRAWN, len(order))).astype(int)]


def drawings(things: str, numbers: Ints, draw: Callable[[int], Drawing]) -> list[Section]:
    """Return the section with drawings of some of these things."""
    note = f"{things} with the most annotations, the least, and some between. Point at a shape for its words."
    return [Drawings("drawings", f"{things} drawn", note, [draw(index) for index in chosen(numbers)])]


def check_names(
    kind: str, counts: Mapping[str, int], file: str, warnings: Findings, words: Collection[str] = ()
) -> None:
    """Warn of names with outer blanks, and of two that are equal up to case, blanks, ``_`` and ``-``.

    Warn also of a name one edit (but of a digit) from another one if it occurs once or is 10 times rarer,
    unless it is made of known ``words``.
    """
    for name in sorted(name for name in counts if name != name.strip()):
        problem = f"the {kind} {name!r} begins or ends with a blank"
        warnings.add("R-NAME", problem, "take the blank out", file=file, rule=f"{kind} {name}")
    plain = {name: re.sub(r"[\s_-]", "", folded(name)) for name in counts if name == name.strip()}
    for common, name in combinations(sorted(plain, key=lambda name: (-counts[name], name)), 2):
        n, n_common = counts[name], counts[common]
        is_rare = n < n_common and (n == 1 or n * _RARER <= n_common)
        is_near = is_rare and _is_one_edit(plain[name], plain[common])
        if is_near and all(word in words for word in re.split(r"[\s_-]+", folded(name))):
            continue
        if is_near or plain[name] == plain[common]:
            problem = f"the {kind} {quote(name)!r} ({n:,}) is nearly {quote(common)!r} ({n_common:,})"
            remedy = "write both alike, if they are one"
            warnings.add("R-NAME", problem, remedy, file=file, rule=f"{kind} {name}")


def _is_one_edit(first: str, second: str) -> bool:
    """Return whether inserting, deleting or changing a character, no digit, makes two texts equal."""
    if abs(len(first) - len(second)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    one, other = first[start:], second[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) == 1 and not re.search(r"\d", one + other)


def check_same(
    items: Sequence[str], tables: Sequence[tuple[Ints, Floats | Ints]], warnings: Findings
) -> None:
    """Warn of items with the content of another one.

    ``tables`` are pairs of arrays: the item of each row, ascending, and the rows. Items without rows may be
    alike.
    """
    bounds = [np.searchsorted(owner, np.arange(len(items) + 1)) for owner, _ in tables]
    known: dict[bytes, str] = {}
    for number, item in enumerate(items):
        own = [rows[i[number] : i[number + 1]] for i, (_, rows) in zip(bounds, tables)]
        digest = hashlib.sha256(b"".join(b"%d," % rows.size + rows.tobytes() for rows in own)).digest()
        if any(map(len, own)) and (other := known.setdefault(digest, item)) != item:
            problem = f"its annotations are exactly those of {quote(other)}"
            warnings.add("R-SAME", problem, "keep one, or correct it", file=item, rule="same")


def repeated(rows: Floats | Ints) -> Bools:
    """Return which rows are equal to an earlier one; rows have shape (n, k)."""
    is_repeated = np.ones(len(rows), dtype=bool)
    is_repeated[np.unique(rows, axis=0, return_index=True)[1]] = False
    return is_repeated


def warn_where(wrong: Bools, code: str, problem: str, at: tuple[str, Place], warnings: Findings) -> None:
    """Warn of each thing that is wrong; ``at`` is the file, and a function that names the place in it."""
    remedy = "compare it with the source of the annotations"
    for index in warnings.first_of(wrong):
        warnings.add(code, problem, remedy, file=at[0], where=at[1](index), rule=problem)


def check_boxes(kind: str, boxes: Floats, at: tuple[str, Place], warnings: Findings) -> None:
    """Warn of boxes ``x1, y1, x2, y2`` that are swapped, empty, of a very different area, or more than a
    third at negative coordinates: what is at the border is annotated a little beyond it."""
    size = boxes[:, 2:] - boxes[:, :2]
    swapped, empty = np.logical_or(*(size < 0).T), np.logical_or(*(size == 0).T)
    area = np.where(swapped | empty, np.nan, size.prod(axis=1))
    median = float(np.median(area[area > 0])) if (area > 0).any() else 1.0
    for wrong, what in (
        (swapped, "x2 < x1 or y2 < y1"),
        (empty & ~swapped, "no area"),
        ((size <= 1).all(axis=1) & ~swapped & ~empty, "no side of more than a pixel"),
        (np.logical_or(*(boxes[:, :2] < -size / 3).T) & ~swapped, "negative coordinates"),
        (area > _AREA_RATIO * median, f"more than {_AREA_RATIO:,} times the median area"),
        (area * _AREA_RATIO < median, f"less than 1/{_AREA_RATIO:,} of the median area"),
    ):
        warn_where(wrong, "R-BOX", f"the box of the {kind} has {what}", at, warnings)
