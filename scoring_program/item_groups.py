"""Groups of items that depend on each other, such as sequences of one person.

The setting ``item_groups`` names a CSV file of the reference folder with the header ``item,group``.
Half-samples then hold whole groups, and everything that depends on the number of items counts groups.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from validator.arrays import Ints
from validator.findings import Findings
from validator.texts import counted, quote

HEADER = ["item", "group"]
_CODE = "E-REF-GROUPS"


class ItemGroups(NamedTuple):
    """The independent units of a reference.

    Attributes
    ----------
    number : int array of shape (n_items,)
        The group of each item, ``0..n-1`` in ascending order of the groups' names; 0, 1, ... without groups.
    digest : str
        SHA-256 in hex of the sorted lines; "" without groups.
    plural : str
        What groups are called, from the name of the file: ``persons.csv`` holds persons.
    """

    number: Ints
    digest: str = ""
    plural: str = "groups"

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return int(self.number.max(initial=-1)) + 1

    def count_text(self, item: str) -> str:
        """Return what a score is computed over: ``240 sequences``, or ``80 sequences of 9 persons``."""
        items = counted(len(self.number), item)
        if not self.digest:
            return items
        return f"{items} of {self.n_groups:,} {self.plural}"


def load_groups(folder: Path, name: str, items: Sequence[str], other_names: Collection[str]) -> ItemGroups:
    """Return the groups of the items of a reference; each item is its own if ``name`` is "". Raises Refused.

    ``other_names`` are names of the data that are not items and may have lines, too.
    """
    if not name:
        return ItemGroups(np.arange(len(items)))
    with Findings.collect() as findings:
        group_of = _read(folder, name, {*items, *other_names}, findings)
        for item in [item for item in items if item not in group_of]:
            problem, remedy = f"the item {quote(item)} has no group", "add a line for it"
            findings.add(_CODE, problem, remedy, file=name, rule="missing")
        groups = sorted({group_of.get(item, "") for item in items})
        if findings.ok and len(groups) < 2:
            problem, remedy = "all items are in one group", "give at least 2 groups, or take the setting out"
            findings.add(_CODE, problem, remedy, file=name, rule="one group")
        findings.refuse_problems()
        position = {group: number for number, group in enumerate(groups)}
    lines = "\n".join(sorted(f"{item},{group}" for item, group in group_of.items()))
    plural = Path(name).stem.replace("_", " ").replace("-", " ")
    number = np.array([position[group_of[item]] for item in items], dtype=np.int64)
    return ItemGroups(number, hashlib.sha256(lines.encode()).hexdigest(), plural)


def _read(folder: Path, name: str, known_names: Collection[str], findings: Findings) -> dict[str, str]:
    """Return the group of each line's item; add a problem for each line that is not right."""
    import csv

    path = folder / name
    if Path(name).name != name or not path.is_file():
        findings.refuse(_CODE, "there is no such file in the reference folder", "add it", file=name)
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        findings.refuse(_CODE, f"this is not a CSV file: {reason}", "save it as UTF-8 CSV", file=name)
    if not rows or rows[0] != HEADER:
        findings.refuse(
            _CODE,
            "the first line is not item,group",
            "write this line there, and commas in all lines",
            file=name,
        )
    group_of: dict[str, str] = {}
    for line, row in enumerate(rows[1:], start=2):
        problem = ""
        if len(row) != len(HEADER) or not row[1].strip():
            problem, rule = "the line is not an item and its group", "line"
        elif row[0] not in known_names:
            problem, rule = f"{quote(row[0])} is not in the reference", "unknown"
        elif row[0] in group_of:
            problem, rule = f"the item {quote(row[0])} has a second line", "repeated"
        if problem:
            findings.add(_CODE, problem, "correct it", file=name, where=f"line {line}", rule=rule)
        else:
            group_of[row[0]] = row[1]
    return group_of
