"""``split.csv``: the part of each item of a reference, which is decided once and kept.

It lies beside the parts, with the columns ``item`` and ``part``; a part is the name of its folder. One file
holds the items of all tasks whose parts lie there. It may be written by hand.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from organizer.files import write_durable
from scoring_program.task import task_ids
from validator.findings import Findings
from validator.texts import counted, quote, some_words

SPLIT_FILE = "split.csv"
MOST_PARTS = 3
_HEADER = ["item", "part"]
_SHOWN_ITEMS = 5


def part_names(task_id: str, n_parts: int) -> list[str]:
    """Return the names of the parts of a task.

    Examples
    --------
    >>> part_names("bird_calls", 2)
    ['bird_calls', 'bird_calls_2']
    """
    return [task_id, *(f"{task_id}_{number}" for number in range(2, n_parts + 1))]


class SplitTable:
    """The lines of a ``split.csv``, those of one task and those of others.

    Attributes
    ----------
    path : Path
    names : list of str
        What the parts of the task are called, if it has all that it may have.
    part_of_item : mapping of str to int
        The number of the part of each item of the task, from 0; empty if there is no file.
    """

    def __init__(self, folder: Path, task_id: str) -> None:
        """Read the file in a folder. Raises Refused."""
        self.path = folder / SPLIT_FILE
        self.names = part_names(task_id, MOST_PARTS)
        self._rows = _read_rows(self.path)
        self._rows_of_others = [row for row in self._rows if row[1] not in self.names]
        self.part_of_item = _parts_of_items(self._rows, self.names)
        if not self._rows:
            self.part_of_item = _listed_items(folder, self.names)

    @property
    def n_parts(self) -> int:
        """How many parts the task has; 0 if it has not been divided."""
        return max(self.part_of_item.values(), default=-1) + 1

    def write(self, part_of_item: Mapping[str, int]) -> None:
        """Write the parts of the items of the task, if they are others than before."""
        rows = [[item, self.names[part]] for item, part in part_of_item.items()]
        rows = [*self._rows_of_others, *rows]
        if rows != self._rows:
            write_rows(self.path, [_HEADER, *rows])


def write_rows(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write the lines of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_durable(path, text.getvalue())


def _read_rows(path: Path) -> list[list[str]]:
    """Return the lines of a file, none if there is none. Raises Refused."""
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header, *rows = list(csv.reader(stream, strict=True)) or [[]]
    except (ValueError, csv.Error) as error:
        _refuse_file(path, f"it cannot be read: {quote(str(error))}", "")
    if header != _HEADER:
        _refuse_file(path, f"the first line is {quote(','.join(header))!r}, not 'item,part'", "line 1")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(_HEADER):
            _refuse_file(path, f"the row has {counted(len(row), 'value')}, not two", f"line {number}")
    return rows


def _refuse_file(path: Path, problem: str, where: str) -> NoReturn:
    remedy = "write a row for each item: its name, and the name of the folder of its part"
    Findings().refuse("E-SPLIT-FILE", problem, remedy, file=path.name, where=where)


def _parts_of_items(rows: Iterable[list[str]], names: list[str]) -> dict[str, int]:
    """Return the part of each item of a task. Raises Refused if one is there twice, or a part is unknown."""
    part_of_item: dict[str, int] = {}
    all_names = {name for task_id in task_ids() for name in part_names(task_id, MOST_PARTS)}
    with Findings.collect() as findings:
        for number, (item, name) in enumerate(rows, start=2):
            where = f"line {number}"
            if name not in all_names:
                problem, remedy = f"{quote(name)!r} is no part", f"write one of {', '.join(names)}"
                findings.add("E-SPLIT-FILE", problem, remedy, file=SPLIT_FILE, where=where, rule="part")
            elif name in names and item in part_of_item:
                problem, remedy = f"{quote(item)!r} is in the table before", "keep one of both lines"
                findings.add("E-SPLIT-FILE", problem, remedy, file=SPLIT_FILE, where=where, rule="twice")
            elif name in names:
                part_of_item[item] = names.index(name)
    return part_of_item


def _listed_items(folder: Path, names: list[str]) -> dict[str, int]:
    """Return the part of each item as the lists of items beside the parts say, where there is no table."""
    part_of_item = {}
    for part, name in enumerate(names):
        path = folder / f"{name}_ids.txt"
        if path.is_file():
            part_of_item.update(dict.fromkeys(path.read_text(encoding="utf-8").split("\n")[:-1], part))
    return part_of_item


def keep_parts(
    part_of_item: Mapping[str, int], group_of_name: Mapping[str, int], part_of_new: int | None, path: Path
) -> dict[str, int]:
    """Return the part of each name: as it was, or that of its group, or ``part_of_new``.

    Raises Refused with the groups whose items are in two parts, and with the new items that have no part.
    """
    part_of_group: dict[int, int] = {}
    first_of_group: dict[int, str] = {}
    findings = Findings()
    for name in filter(part_of_item.__contains__, group_of_name):
        group, part = group_of_name[name], part_of_item[name]
        if part_of_group.setdefault(group, part) != part:
            problem = f"{quote(name)!r} and {quote(first_of_group[group])!r} are of one group, in two parts"
            remedy = "write one part for both, or correct the groups"
            findings.add("E-SPLIT-GROUP", problem, remedy, file=path.name, rule=str(group))
        first_of_group.setdefault(group, name)
    if part_of_new is not None:
        part_of_group = {**dict.fromkeys(group_of_name.values(), part_of_new), **part_of_group}
    new_names = [quote(name) for name, group in group_of_name.items() if group not in part_of_group]
    if new_names:
        problem = f"{some_words(new_names, most=_SHOWN_ITEMS)}: new, and in no part"
        remedy = "add --new-to PART, or write them into the table"
        findings.add("E-SPLIT-NEW", problem, remedy, file=path.name)
    findings.refuse_problems()
    return {name: part_of_group[group] for name, group in group_of_name.items()}


def change_lines(
    former_parts: Mapping[str, int], part_of_name: Mapping[str, int], names: Sequence[str], noun: str
) -> list[str]:
    """Return what differs from a former division: new items, items that are gone, and items that move."""
    n_kept = sum(former_parts.get(item) == part for item, part in part_of_name.items())
    lines = [f"{n_kept:,} of {counted(len(part_of_name), noun)} stay in their part"]
    for part, name in enumerate(names):
        new_items = [
            item for item, new_part in part_of_name.items() if new_part == part and item not in former_parts
        ]
        if new_items:
            lines.append(f"{_counted_items(new_items, noun, 'new ')}: to {name}")
    gone_items = [item for item in former_parts if item not in part_of_name]
    if gone_items:
        lines.append(f"{_counted_items(gone_items, noun)}: gone from the reference")
    moves: dict[tuple[int, int], list[str]] = {}
    for item, part in part_of_name.items():
        if former_parts.get(item, part) != part:
            moves.setdefault((former_parts[item], part), []).append(item)
    for (old_part, new_part), items in sorted(moves.items()):
        lines.append(f"{counted(len(items), noun)} moved from {names[old_part]} to {names[new_part]}")
    return lines


def _counted_items(items: Sequence[str], noun: str, adjective: str = "") -> str:
    examples = some_words(list(map(quote, items)), most=_SHOWN_ITEMS)
    return f"{counted(len(items), adjective + noun)} ({examples})"
