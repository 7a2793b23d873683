"""The rules of a task: what its submissions must look like, declared in
``validator/formats/<challenge>/<task>.yaml``."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from validator.archive import Limits
from validator.findings import Note, Read
from validator.strict_yaml import YamlValue, load_strict

_FOLDER = Path(__file__).parent
_TYPES = ("integer", "number", "string")
_ENDS = ("minimum", -math.inf), ("maximum", math.inf)
ContentT = TypeVar("ContentT")


@dataclass(frozen=True)
class Field:
    """A column of CSV files.

    ``type`` is ``string`` (one of the labels ``enum`` if there are any), ``integer``, or ``number``; a range
    has both ends. The values of a ``unique`` field differ.
    """

    name: str
    type: str = "integer"
    enum: tuple[str, ...] = ()
    unique: bool = False
    minimum: float = -math.inf
    maximum: float = math.inf


@dataclass(frozen=True)
class CsvRules:
    """Rules of a table (one CSV file with a header), or of CSV files without a header, one an ``item``.

    Attributes
    ----------
    path : str
        The name; those of files of items hold ``{key}``, as ``{key}_prediction.csv``.
    fields : tuple of Field
        Of a table in any order, as its header says; without a header in this order.
    key : str
        The field that identifies the rows of a table, "" for files of items.
    values : int
        Commas and line ends of a table together are at most as many.
    other_paths : tuple of str
        Other spellings of the names of files of items.
    order : tuple of str
        No fields, or two, left <= right in each row.
    frames : tuple of str
        No fields, or the first frame, which the item must have, and the last, which is cut to the item's.
    further_columns : bool
        Whether rows may go on after the fields.
    """

    path: str
    fields: tuple[Field, ...]
    key: str = ""
    values: int = 20_000_000
    item: str = "item"
    other_paths: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    further_columns: bool = False


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
    """Everything that a submission to one task is checked against: CSV files or JSON files.

    With ``any_single`` a submission with one file of another name is accepted. ``reference_schemas`` are
    those of files of the reference.
    """

    id: str
    folder: Path
    limits: Limits
    csv: tuple[CsvRules, ...] = ()
    json: tuple[JsonFile, ...] = ()
    any_single: bool = False
    reference_schemas: tuple[Path, ...] = ()

    @property
    def name_patterns(self) -> Sequence[str]:
        """The names of the files of a submission, with ``*`` for what differs."""
        return [*(file.path.replace("{key}", "*") for file in self.csv), *(file.name for file in self.json)]

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
    """Return the rules in a file. Raises TypeError or ValueError for an unknown key."""
    data = load_strict(path.read_text(encoding="utf-8"))
    limits, folder = Limits(**data.pop("limits")), path.parent
    csv = tuple(map(parse_csv_rules, data.pop("csv", ())))
    files = [JsonFile(**{**file, "schema": folder / file["schema"]}) for file in data.pop("json", ())]
    references = tuple(folder / name for name in data.pop("reference_schemas", ()))
    return Rules(path.stem, folder, limits, csv, tuple(files), reference_schemas=references, **data)


def parse_csv_rules(data: dict[str, YamlValue]) -> CsvRules:
    """Return an entry of ``csv`` in a file of rules. Raises ValueError for a word that is not supported."""
    dialect, schema = _take(data, "dialect", dict), _take(data, "schema", dict)
    header = _take(dialect, "header", bool)
    _take(dialect, "delimiter", ",", default=",")
    _take(schema, "fieldsMatch", "subset" if header else "exact")
    fields = tuple(_field(field, header) for field in _take(schema, "fields", [dict]))
    if header:
        _take(dialect, "quoteChar", '"', default='"')
        key, *more = _take(schema, "primaryKey", [str])
        if more or Field(key, "string") not in fields:
            raise ValueError("primaryKey must be one field, a string without constraints")
        values = _take(data, "x-values", int, default=CsvRules.values)
        rules = CsvRules(_take(data, "path", str), fields, key, values)
    else:
        rules = CsvRules(
            _take(data, "x-path", str),
            fields,
            item=_take(data, "x-item", str),
            other_paths=tuple(_take(data, "x-other-paths", [str], default=())),
            order=tuple(_take(schema, "x-order", [str], default=())),
            frames=tuple(_take(schema, "x-frames", [str], default=())),
            further_columns=_take(schema, "x-further-columns", bool, default=False),
        )
        if any(path.count("{key}") != 1 for path in (rules.path, *rules.other_paths)):
            raise ValueError("x-path and x-other-paths must hold {key}, once")
    _end(data, dialect, schema)
    names = {field.name for field in fields}
    pairs = filter(None, (rules.order, rules.frames))
    if len(names) < len(fields) or not all(len(names.intersection(pair)) == len(pair) == 2 for pair in pairs):
        raise ValueError("fields must have different names, and x-order and x-frames name two of them")
    return rules


def _field(data: dict[str, YamlValue], header: bool) -> Field:
    name, type_name = _take(data, "name", str), _take(data, "type", *_TYPES[: None if header else 1])
    constraints, is_text = _take(data, "constraints", dict, default={}), type_name == "string"
    _take(constraints, "required", True, default=True)
    unique = header and _take(constraints, "unique", bool, default=False)
    enum = _take(constraints, "enum", [str], default=()) if is_text else ()
    ends = (_take(constraints, word, int, float, default=end) for word, end in _ENDS if not is_text)
    field = Field(name, type_name, tuple(enum), unique, *ends)
    _end(data, constraints)
    return field


def _take(
    data: dict[str, YamlValue], word: str, *accepted: YamlValue, default: YamlValue = None
) -> YamlValue:
    """Remove a word from a mapping and return its value: of a type (``str``, ``[str]``), or one accepted."""
    if word not in data:
        if default is None:
            raise ValueError(f"{word} is missing")
        return default
    value = data.pop(word)
    types = list(set(map(type, value))) if isinstance(value, list) else type(value)
    if types not in accepted and value not in accepted:
        raise ValueError(f"{word} {value!r} is not supported")
    return value


def _end(*mappings: dict[str, YamlValue]) -> None:
    """Raise ValueError if words are left."""
    if words := list(itertools.chain(*mappings)):
        raise ValueError(f"{', '.join(map(str, words))} is not supported")


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
