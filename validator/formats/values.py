"""The values of items that a task of one's own declares, and the rules of its file that follow from them.

``values`` in ``<task>.files.yaml`` says in words what each item has::

    file: bird_calls.csv
    values: {kind: label, labels: [robin, wren, owl]}

A submission and the ground truth are such a file each, CSV or JSON by the ending of the name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import yaml

from validator.findings import Findings
from validator.texts import is_printable

_LARGEST = 1e9
_LATEST = 1e6
_MOST_SEGMENTS = 1000


class Kind(Enum):
    """What an item has: a label, a number, a number in each column, or a list of labels or of segments."""

    LABEL = "label"
    NUMBER = "number"
    COLUMNS = "columns"
    LABELS = "labels"
    SEGMENTS = "segments"


# What a declaration must say of each kind, and what it may say.
_NEEDED_WORDS = {
    Kind.LABEL: {"labels"},
    Kind.NUMBER: set[str](),
    Kind.COLUMNS: {"columns"},
    Kind.LABELS: {"labels"},
    Kind.SEGMENTS: {"labels"},
}
_FURTHER_WORDS = {
    Kind.LABEL: set[str](),
    Kind.NUMBER: {"minimum", "maximum"},
    Kind.COLUMNS: {"minimum", "maximum"},
    Kind.LABELS: set[str](),
    Kind.SEGMENTS: {"latest"},
}
# The kinds that a cell of a table can hold.
KINDS_OF_CSV = (Kind.LABEL, Kind.NUMBER, Kind.COLUMNS)


class Form(NamedTuple):
    """What an item has.

    Attributes
    ----------
    kind : Kind
    names : tuple of str
        All labels, or all columns.
    range : (float, float)
        The lowest and the highest number, or time in seconds.
    file : str
        The name of the file of a submission.
    each : str
        The key of a JSON file under which the map of items is, "" if the file is that map.
    key, column : str
        The columns of a table that hold the key of an item, and its label or its one number.
    """

    kind: Kind
    names: tuple[str, ...]
    range: tuple[float, float]
    file: str
    each: str
    key: str
    column: str

    @property
    def is_table(self) -> bool:
        """Whether the file is CSV."""
        return self.file.endswith(".csv")

    @property
    def truth_file(self) -> str:
        """The name of the file of the ground truth."""
        return "truth.csv" if self.is_table else "truth.json"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table beside the key."""
        return self.names if self.kind is Kind.COLUMNS else (self.column,)


class GeneratedSchema(NamedTuple):
    """The text of a JSON Schema that no file holds; it is read as a file is."""

    name: str
    text: str

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the text."""
        return self.text


@contextmanager
def reading_declaration(path: Path) -> Iterator[None]:
    """Refuse what an organizer declares in a file where reading it raises an error."""
    try:
        yield
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        _refuse_declaration(
            path, getattr(error, "problem", "") or "no YAML", f"line {mark.line + 1}" if mark else ""
        )
    except KeyError as error:
        _refuse_declaration(path, f"{error} is missing")
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        _refuse_declaration(path, str(error))


def _refuse_declaration(path: Path, problem: str, where: str = "") -> NoReturn:
    remedy = "docs/new_task.md lists what a declaration says"
    text = f"this declaration cannot be used: {problem}"
    Findings().refuse("E-SCHEMA", text, remedy, file=path.name, where=where)


def parse_form(file: str, words: Mapping[str, Any]) -> Form:
    """Return what ``file`` and ``values`` declare.

    Raises
    ------
    ValueError
        Something is missing, unknown, or contradicts something else.
    """
    kinds = {kind.value: kind for kind in Kind}
    kind = kinds.get(words.get("kind", ""))
    if kind is None:
        raise ValueError(f"values: kind is one of {', '.join(kinds)}")
    if not file.endswith((".csv", ".json")):
        raise ValueError("file: the name ends with .csv or .json")
    is_table = file.endswith(".csv")
    if is_table and kind not in KINDS_OF_CSV:
        raise ValueError(f"values: kind {kind.value} needs a file that ends with .json")
    _check_words(kind, is_table, words)
    form = Form(
        kind=kind,
        names=_names_of(words),
        range=_range_of(kind, words),
        file=file,
        each=words.get("each", ""),
        key=words.get("key", "id"),
        column=words.get("column", kind.value),
    )
    if form.is_table and form.key in form.columns:
        raise ValueError(f"values: the key of an item and a column are both called {form.key}")
    return form


def _check_words(kind: Kind, is_table: bool, words: Mapping[str, Any]) -> None:
    """Raise ValueError for words that are missing or unknown."""
    needed_words = _NEEDED_WORDS[kind]
    possible_words = {"kind"} | needed_words | _FURTHER_WORDS[kind]
    if not is_table:
        possible_words.add("each")
    else:
        possible_words |= {"key"} if kind is Kind.COLUMNS else {"key", "column"}
    unknown_words = words.keys() - possible_words
    missing_words = needed_words - words.keys()
    if unknown_words or missing_words:
        raise ValueError(f"values: unknown {sorted(unknown_words)}, missing {sorted(missing_words)}")


def _names_of(words: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all labels or columns. Raises ValueError unless they are different texts."""
    word = "labels" if "labels" in words else "columns"
    if word not in words:
        return ()
    names = words[word]
    are_texts = all(isinstance(name, str) and is_printable(name) for name in names)
    if not are_texts or any(name != name.strip() or not name for name in names):
        raise ValueError(f"values: {word} are texts; write numbers, yes and no in quotes")
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"values: {word} are at least two, all different")
    return tuple(names)


def _range_of(kind: Kind, words: Mapping[str, Any]) -> tuple[float, float]:
    default_range = (0.0, _LATEST) if kind is Kind.SEGMENTS else (-_LARGEST, _LARGEST)
    lowest = words.get("minimum", default_range[0])
    highest = words.get("latest", words.get("maximum", default_range[1]))
    are_numbers = all(isinstance(end, (int, float)) and math.isfinite(end) for end in (lowest, highest))
    if not are_numbers or lowest >= highest:
        raise ValueError("values: minimum, maximum and latest are numbers, the lowest first")
    return float(lowest), float(highest)


def table_schema(form: Form) -> dict[str, Any]:
    """Return the Table Schema of a CSV file."""
    constraints: dict[str, Any]
    if form.kind is Kind.LABEL:
        value_type, constraints = "string", {"enum": list(form.names)}
    else:
        value_type, constraints = "number", dict(zip(("minimum", "maximum"), form.range))
    fields: list[dict[str, Any]] = [{"name": form.key, "type": "string"}]
    fields += [{"name": name, "type": value_type, "constraints": constraints} for name in form.columns]
    return {"fields": fields, "fieldsMatch": "subset", "primaryKey": [form.key]}


def json_schema(form: Form) -> GeneratedSchema:
    """Return the JSON Schema of a JSON file."""
    what, value = _described_value(form)
    items = {
        "description": f"Map the key of each item to {what}",
        "type": "object",
        "additionalProperties": value,
    }
    schema = items
    if form.each:
        description = f"Write an object whose member {form.each} maps the key of each item to {what}"
        schema = {
            "description": description,
            "type": "object",
            "required": [form.each],
            "properties": {form.each: items},
        }
    return GeneratedSchema(form.file, json.dumps(schema))


def _described_value(form: Form) -> tuple[str, dict[str, Any]]:
    """Return what an item has, in words, and its schema."""
    any_label = " or ".join(form.names)
    label = {"description": f"Write a label: {any_label}", "type": "string", "enum": list(form.names)}
    lowest, highest = form.range
    number = {
        "description": f"Write a number {range_text(form)}",
        "type": "number",
        "minimum": lowest,
        "maximum": highest,
    }
    if form.kind is Kind.LABEL:
        return "its label", {**label, "description": f"Write {any_label}"}
    if form.kind is Kind.NUMBER:
        return "its number", number
    if form.kind is Kind.COLUMNS:
        return "its numbers", {
            "description": f"Write an object with these numbers: {', '.join(form.names)}",
            "type": "object",
            "required": list(form.names),
            "properties": dict.fromkeys(form.names, number),
        }
    if form.kind is Kind.LABELS:
        return "the list of its labels", {
            "description": f"Write a list of labels, each once: {any_label}",
            "type": "array",
            "uniqueItems": True,
            "items": label,
        }
    seconds = {**number, "description": f"Write seconds {range_text(form)}"}
    return "the list of its segments", {
        "description": f"Write a list of segments, at most {_MOST_SEGMENTS:,}",
        "type": "array",
        "maxItems": _MOST_SEGMENTS,
        "items": {
            "description": "Write an object with a label, a start and an end",
            "type": "object",
            "required": ["label", "start", "end"],
            "properties": {"label": label, "start": seconds, "end": seconds},
        },
    }


def range_text(form: Form) -> str:
    """Return the range of numbers or times in words.

    Examples
    --------
    >>> range_text(parse_form("ages.csv", {"kind": "number", "minimum": 0, "maximum": 120}))
    'from 0 to 120'
    >>> range_text(parse_form("ages.csv", {"kind": "number"}))
    'from -1e9 to 1e9'
    """
    lowest, highest = (f"{end:g}".replace("e+0", "e") for end in form.range)
    return f"from {lowest} to {highest}"
