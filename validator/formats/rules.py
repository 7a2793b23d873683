"""The rules of a task: what its submissions must look like, declared in
``validator/formats/<challenge>/<task>.yaml``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from validator.archive import Limits
from validator.findings import Note, Read
from validator.strict_yaml import YamlValue, load_strict

_FOLDER = Path(__file__).parent
ContentT = TypeVar("ContentT")


@dataclass(frozen=True)
class Column:
    """An integer column: its name as messages use it, and its range (both ends allowed)."""

    name: str
    min: int
    max: int | None = None


@dataclass(frozen=True)
class CsvRules:
    """Rules of a family of CSV files, one an ``item``: ``name`` holds ``{key}``, as ``{key}_prediction.csv``.

    ``order`` lists pairs of column names, left <= right in each row. ``first_and_last`` names the two columns
    that span frames: the first must be within the item's frames, the last is cut to them.
    """

    name: str
    columns: tuple[Column, ...]
    item: str = "item"
    also_named: tuple[str, ...] = ()
    order: tuple[tuple[str, str], ...] = ()
    first_and_last: tuple[str, str] | None = None
    extra_columns: bool = False

    def index(self, column: str) -> int:
        """Return the position of the column of this name."""
        return [known.name for known in self.columns].index(column)


@dataclass(frozen=True)
class JsonFile:
    """A JSON file: its name, which may hold ``*``, its schema, and limits.

    ``each`` is the member of the top-level object whose entries are read one by one, "" if it is that object
    itself. A file has at most ``entries`` (videos, detections), and ``values`` at all depths if it is read at
    once; None for as many as there are.
    """

    name: str
    schema: Path
    each: str = ""
    entries: int | None = None
    values: int | None = None


@dataclass(frozen=True)
class Rules:
    """Everything that a submission to one task is checked against: ``csv`` or ``json`` is there.

    With ``any_single`` a submission with one file of another name is accepted. ``reference_schemas`` are
    those of files of the reference.
    """

    id: str
    folder: Path
    limits: Limits
    csv: CsvRules | None = None
    json: tuple[JsonFile, ...] = ()
    any_single: bool = False
    reference_schemas: tuple[Path, ...] = ()

    @property
    def name_patterns(self) -> Sequence[str]:
        """The names of the files of a submission, with ``*`` for what differs."""
        return [self.csv.name.format(key="*")] if self.csv else [file.name for file in self.json]

    @property
    def data_files(self) -> list[Path]:
        """The files that the rules consist of."""
        return [
            self.folder / f"{self.id}.yaml",
            *(file.schema for file in self.json),
            *self.reference_schemas,
        ]


@dataclass(frozen=True)
class Format(Generic[ContentT]):
    """The reader of the submissions to the tasks of a challenge.

    Attributes
    ----------
    read : callable
        Checks a submission and returns its content, without a reference. Raises Refused.
    hints : callable
        Returns notes on likely mistakes that need no reference.
    """

    read: Callable[[Path, Rules], Read[ContentT]]
    hints: Callable[[ContentT], list[Note]]


def parse_rules(path: Path) -> Rules:
    """Return the rules in a file. Raises TypeError for an unknown key."""
    data = load_strict(path.read_text(encoding="utf-8"))
    limits, folder = Limits(**data.pop("limits")), path.parent
    csv = parse_csv_rules(data.pop("csv")) if "csv" in data else None
    files = [JsonFile(**{**file, "schema": folder / file["schema"]}) for file in data.pop("json", ())]
    references = tuple(folder / name for name in data.pop("reference_schemas", ()))
    return Rules(path.stem, folder, limits, csv, tuple(files), reference_schemas=references, **data)


def parse_csv_rules(data: dict[str, YamlValue]) -> CsvRules:
    """Return the ``csv`` part of a file of rules. Raises TypeError for an unknown key."""
    columns = tuple(Column(**column) for column in data.pop("columns"))
    also_named, order = tuple(data.pop("also_named", ())), tuple(map(tuple, data.pop("order", ())))
    first_and_last = tuple(data.pop("first_and_last", ())) or None
    return CsvRules(
        columns=columns, also_named=also_named, order=order, first_and_last=first_and_last, **data
    )


def task_ids() -> list[str]:
    """Return the ids of the tasks that have rules here, in ascending order."""
    return sorted(path.stem for path in _FOLDER.glob("*/*.yaml"))


def load_rules(task_id: str) -> Rules:
    """Read the rules of a task. Raises FileNotFoundError for an unknown id."""
    for path in _FOLDER.glob(f"*/{task_id}.yaml"):
        return parse_rules(path)
    raise FileNotFoundError(f"there are no rules of {task_id}")


def load_format(task_id: str) -> tuple[Format[Any], Rules]:
    """Return the format of a task, which reads its submissions, and its rules. Raises as `load_rules`."""
    rules = load_rules(task_id)
    module = importlib.import_module(f"validator.formats.{rules.folder.name}.read")
    return module.FORMAT, rules
