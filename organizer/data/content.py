"""What a reference holds, for the overview of its organizers, and checks for what of it is likely a mistake.

Each check adds warnings, whose codes begin with ``R-``.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from people_in_video.drawings.scenes import Drawing
from people_in_video.drawings.svg import Drawings
from scoring_program.result import Section
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings
from validator.texts import counted, folded, quote

_RARER = 10
_AREA_RATIO = 1000
# Numbers of which fewer are different, or fewer of all, are counts or ratings: these are often equal.
_LEAST_DIFFERENT = 11
_LEAST_SHARE_DIFFERENT = 0.25
_DRAWN = 6
# Of so many boxes, some reach beyond this share of their picture.
_LEAST_BOXES = 20
_NEAR = 0.6
# So many items, and such a share of them, are no accident.
_LEAST_ITEMS = 3
_LEAST_SHARE_NEAR = 0.05
Place = Callable[[int], str]


class Values(NamedTuple):
    """Numbers of one kind, such as lengths; ``place`` names the thing that has the number of an index.

    ``things`` is what has a number each, as a plural: "videos".
    """

    title: str
    numbers: Floats | Ints
    place: Place
    things: str = "items"


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
    is_checked : bool
        Whether the annotations were looked at for mistakes.
    """

    n_instances: int
    counts: Mapping[str, int]
    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    values: Sequence[Values] = ()
    warnings: Findings = field(default_factory=Findings)
    draw: Callable[[], Sequence[Section]] = list
    is_checked: bool = True

    def warning_lines(self) -> list[str]:
        """Return the warnings as lines for a terminal."""
        return [f"warning {line}" for line in self.warnings.lines(most=None)]


def choose_evenly(numbers: Ints) -> list[int]:
    """Return a few items by their ``numbers`` (n,) of annotations, evenly from the most to the least."""
    most_first = np.argsort(-numbers, kind="stable")[: np.count_nonzero(numbers)]
    n_drawn = min(_DRAWN, len(most_first))
    places = np.linspace(0, len(most_first) - 1, n_drawn).astype(int)
    return most_first[places].tolist()


def drawings(plural: str, numbers: Ints, draw: Callable[[int], Drawing]) -> list[Section]:
    """Return the section with drawings of some items, by their ``numbers`` (n,) of annotations.

    ``plural`` is what they are called: "Frames".
    """
    note = f"{plural} with the most annotations, the least, and some between. Point at a shape for its words."
    drawn_items = [draw(index) for index in choose_evenly(numbers)]
    return [Drawings("drawings", f"{plural} drawn", note, drawn_items)]


def check_names(
    kind: str,
    counts: Mapping[str, int],
    file: str,
    warnings: Findings,
    words: Collection[str] = (),
    place_of_name: Callable[[str], str] = lambda name: "",
) -> None:
    """Warn of names with outer blanks, and of two that are equal up to case, blanks, ``_`` and ``-``.

    ``place_of_name`` returns where a name occurs first.

    Warn also of a name one edit (but of a digit) from another one if it occurs once or is 10 times rarer,
    unless it is made of known ``words``.
    """
    plain: dict[str, str] = {}
    for name in sorted(counts):
        if name != name.strip():
            problem = f"the {kind} {name!r} ({counts[name]:,}) begins or ends with a blank"
            place = {"file": file, "where": place_of_name(name), "rule": f"{kind} {name}"}
            warnings.add("R-NAME", problem, "take the blank out", **place)
        else:
            plain[name] = re.sub(r"[\s_-]", "", folded(name))
    most_frequent_first = sorted(plain, key=lambda name: (-counts[name], name))
    for common, name in combinations(most_frequent_first, 2):
        is_typo = _is_rare_beside(counts[name], counts[common]) and _is_one_edit(plain[name], plain[common])
        if is_typo and all(word in words for word in re.split(r"[\s_-]+", folded(name))):
            continue
        if is_typo or plain[name] == plain[common]:
            pair_text = f"{quote(name)!r} ({counts[name]:,}) is nearly {quote(common)!r} ({counts[common]:,})"
            remedy = "write both alike, if they are one"
            warnings.add("R-NAME", f"the {kind} {pair_text}", remedy, file=file, rule=f"{kind} {name}")


def _is_rare_beside(n: int, n_common: int) -> bool:
    """Return whether a name that occurs n times may be a slip of one that occurs ``n_common`` times."""
    return n < n_common and (n == 1 or n * _RARER <= n_common)


def _is_one_edit(first: str, second: str) -> bool:
    """Return whether inserting, deleting or changing a character, no digit, makes two texts equal."""
    if abs(len(first) - len(second)) > 1:
        return False
    while first and second and first[0] == second[0]:
        first = first[1:]
        second = second[1:]
    while first and second and first[-1] == second[-1]:
        first = first[:-1]
        second = second[:-1]
    has_digit = re.search(r"\d", first + second) is not None
    return max(len(first), len(second)) == 1 and not has_digit


def check_same(
    items: Sequence[str], tables: Sequence[tuple[Ints, Floats | Ints]], warnings: Findings
) -> None:
    """Warn of items with the content of another one.

    ``tables`` are pairs of arrays: the item of each row, ascending, and the rows. Items without rows may be
    alike.
    """
    starts_of_tables = [np.searchsorted(owner, np.arange(len(items) + 1)) for owner, _ in tables]
    first_with_content: dict[bytes, str] = {}
    for number, item in enumerate(items):
        rows_of_tables = []
        for starts, (_, rows) in zip(starts_of_tables, tables):
            rows_of_tables.append(rows[starts[number] : starts[number + 1]])
        if not any(map(len, rows_of_tables)):
            continue
        other = first_with_content.setdefault(_hash_tables(rows_of_tables), item)
        if other != item:
            problem = f"its annotations are exactly those of {quote(other)}"
            warnings.add("R-SAME", problem, "keep one, or correct it", file=item, rule="same")


def _hash_tables(tables: Sequence[Floats | Ints]) -> bytes:
    """Return a hash of the sizes and the content of tables."""
    digest = hashlib.sha256()
    for rows in tables:
        digest.update(b"%d," % rows.size)
        digest.update(rows.tobytes())
    return digest.digest()


def repeated(rows: Floats | Ints) -> Bools:
    """Return which rows are equal to an earlier one; rows have shape (n, k)."""
    is_repeated = np.ones(len(rows), dtype=bool)
    is_repeated[np.unique(rows, axis=0, return_index=True)[1]] = False
    return is_repeated


def find_overlaps(groups: Floats | Ints, intervals: Floats | Ints) -> Bools:
    """Return which intervals (n, 2) begin before an earlier one of their group (n, k) ends, if not equal."""
    rows: Floats = np.column_stack([groups, intervals])
    is_repeated = repeated(rows)
    is_overlapping = np.zeros(len(rows), dtype=bool)
    last_end_of_group: dict[tuple[float, ...], float] = {}
    for row in np.lexsort(rows.T[::-1]).tolist():
        *columns, start, end = rows[row].tolist()
        last_end = last_end_of_group.get(tuple(columns), -math.inf)
        is_overlapping[row] = start < last_end and not is_repeated[row]
        last_end_of_group[tuple(columns)] = max(end, last_end)
    return is_overlapping


def warn_where(
    is_wrong: Bools, code: str, problem: str, location: tuple[str, Place], warnings: Findings
) -> None:
    """Warn of each row that is wrong; ``location`` is the file, and a function that names the place in it."""
    file, name_place = location
    remedy = "compare it with the source of the annotations"
    for index in warnings.first_of(is_wrong):
        warnings.add(code, problem, remedy, file=file, where=name_place(index), rule=problem)


def warn_of_share(
    is_doubtful: Bools, code: str, problem: str, items: tuple[str, str, Sequence[str]], warnings: Findings
) -> None:
    """Warn in one line of how many things are doubtful, and which is the first.

    ``problem`` goes on after "12 of 240 videos"; ``items`` are the file, what a thing is, and the name of
    each.
    """
    file, noun, names = items
    if is_doubtful.any():
        share = f"{np.count_nonzero(is_doubtful):,} of {counted(len(names), noun)}"
        first = quote(names[int(is_doubtful.argmax())])
        remedy = "compare with the source of the annotations"
        warnings.add(code, f"{share} {problem}; the first is {first}", remedy, file=file, rule=problem)


def check_reach(
    reach: Floats, owner: Ints, items: tuple[str, str, Sequence[str]], least: int, warnings: Findings
) -> None:
    """Warn if no box reaches far into its picture, as boxes of a smaller one do, or none of many items.

    ``reach`` (n, k) is how far the box of a row reaches to the right, and down if k is 2, as a share of the
    size; ``owner`` (n,) is the item of each. ``items`` are the file, what an item is, and the name of each.
    Items with fewer than ``least`` boxes are not judged alone: their boxes may all be on one side.
    """
    file, noun, names = items
    farthest = float(reach.max(initial=0))
    remedy = "check that boxes and sizes are of the same resolution"
    if len(reach) >= _LEAST_BOXES and farthest <= _NEAR:
        problem = f"none of {len(reach):,} boxes reaches beyond {farthest:.0%} of the width or height"
        warnings.add("R-SIZE", problem, remedy, file=file, rule="reach")
        return
    farthest_of_item = np.zeros(len(names))
    np.maximum.at(farthest_of_item, owner, reach.max(axis=1))
    is_judged = np.bincount(owner, minlength=len(names)) >= least
    is_near = is_judged & (farthest_of_item <= _NEAR)
    n_judged, n_near = int(is_judged.sum()), int(is_near.sum())
    if n_near >= max(_LEAST_ITEMS, _LEAST_SHARE_NEAR * n_judged):
        share = f"{n_near:,} of {counted(n_judged, noun)}"
        problem = f"{share} with {least} boxes or more have none beyond {_NEAR:.0%} of the width or height; "
        problem += f"the first is {quote(names[int(is_near.argmax())])}"
        warnings.add("R-SIZE", problem, remedy, file=file, rule="reach")


def check_constant(noun: str, values: Collection[object], file: str, warnings: Findings) -> None:
    """Warn if all items have the same value; ``noun`` is what they are called, as "label"."""
    if len(values) > 1 and len(set(values)) == 1:
        problem = f"all {len(values):,} items have the same {noun}"
        remedy = "compare it with the source of the annotations"
        warnings.add("R-CONSTANT", problem, remedy, file=file, rule=noun)


def check_columns(columns: Sequence[Values], file: str, warnings: Findings) -> None:
    """Warn of columns of numbers that are constant, or have one number far more often than any other.

    Warn also of rows that are equal to an earlier one, where there are several columns and the numbers of one
    are fine enough that this is no accident.
    """
    n_fine_columns = 0
    for column in columns:
        check_constant(f"number in the column {quote(column.title)}", column.numbers.tolist(), file, warnings)
        numbers, counts = np.unique(column.numbers, return_counts=True)
        if len(numbers) < _LEAST_DIFFERENT:
            continue
        n_fine_columns += len(numbers) >= _LEAST_SHARE_DIFFERENT * len(column.numbers)
        second, first = np.sort(counts)[-2:].tolist()
        if first >= _RARER * second:
            number = f"{numbers[counts.argmax()]:g}"
            problem = f"the number {number} is in the column {quote(column.title)} {first:,} times, "
            problem += f"any other one at most {counted(second, 'time')}"
            remedy = "check that it does not stand where a number is missing"
            warnings.add("R-FREQUENT", problem, remedy, file=file, rule=column.title)
    if len(columns) > 1 and n_fine_columns:
        rows: Floats = np.column_stack([column.numbers for column in columns])
        is_repeated = repeated(rows)
        problem = "the numbers are exactly those of an earlier item"
        warn_where(is_repeated, "R-SAME", problem, (file, columns[0].place), warnings)


def check_boxes(kind: str, boxes: Floats, location: tuple[str, Place], warnings: Findings) -> None:
    """Warn of boxes ``x1, y1, x2, y2`` that are swapped, empty, of a very different area, or more than a
    third at negative coordinates: what is at the border is annotated a little beyond it."""
    size = boxes[:, 2:] - boxes[:, :2]
    is_swapped = (size < 0).any(axis=1)
    is_empty = (size == 0).any(axis=1) & ~is_swapped
    is_pixel = (size <= 1).all(axis=1) & ~is_swapped & ~is_empty
    is_outside = (boxes[:, :2] < -size / 3).any(axis=1) & ~is_swapped
    area = np.where(is_swapped | is_empty, np.nan, size.prod(axis=1))
    median = float(np.median(area[area > 0])) if (area > 0).any() else 1.0
    wrong_boxes = {
        "x2 < x1 or y2 < y1": is_swapped,
        "no area": is_empty,
        "no side of more than a pixel": is_pixel,
        "negative coordinates": is_outside,
        f"more than {_AREA_RATIO:,} times the median area": area > _AREA_RATIO * median,
        f"less than 1/{_AREA_RATIO:,} of the median area": area * _AREA_RATIO < median,
    }
    for fault, is_wrong in wrong_boxes.items():
        warn_where(is_wrong, "R-BOX", f"the box of the {kind} has {fault}", location, warnings)
