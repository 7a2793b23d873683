"""The values of items that a task of one's own declares, and the rules of its file that follow from them.

``values`` in ``<task>.files.yaml`` says in words what each item has::

    file: bird_calls.csv
    values: {kind: label, labels: [robin, wren, owl]}

A submission is such a file, CSV or JSON by the ending of the name. So is the ground truth, but that it has no
scores, and is the map of items itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

import yaml

from validator.findings import Findings
from validator.formats.rules import JsonFile, Rules
from validator.strict_yaml import load_strict
from validator.submission import Limits
from validator.texts import is_printable

_LIMITS = Limits(files=1000, file_bytes=300_000_000, total_bytes=300_000_000)
_MOST_ITEMS, _MOST_VALUES = 2_000_000, 20_000_000
_LARGEST = 1e9
_LATEST = 1e6
_MOST_INSTANCES = 1000


class Kind(Enum):
    """What an item has: a label, numbers, a list of labels, segments or boxes, or a value with a schema."""

    LABEL = "label"
    NUMBER = "number"
    COLUMNS = "columns"
    LABELS = "labels"
    SEGMENTS = "segments"
    BOXES = "boxes"
    VALUE = "value"


# What a declaration must say of each kind, and what it may say.
_WORDS = {
    Kind.LABEL: (["labels"], []),
    Kind.NUMBER: ([], ["minimum", "maximum"]),
    Kind.COLUMNS: (["columns"], ["minimum", "maximum"]),
    Kind.LABELS: (["labels"], []),
    Kind.SEGMENTS: (["labels"], ["latest", "scores", "names", "missing"]),
    Kind.BOXES: (["labels"], ["minimum", "maximum", "scores", "names", "missing"]),
    Kind.VALUE: (["schema", "truth_schema", "example"], ["missing"]),
}
CORNERS = {Kind.SEGMENTS: ("start", "end"), Kind.BOXES: ("x1", "y1", "x2", "y2")}
"""The numbers that say where an instance is: the starts, then the ends."""
LIST_OF_CORNERS = {Kind.SEGMENTS: "segment", Kind.BOXES: "box"}
"""The usual key of a list of these numbers."""
# The kinds that a cell of a table can hold.
KINDS_OF_CSV = (Kind.LABEL, Kind.NUMBER, Kind.COLUMNS)


class InstanceKeys(NamedTuple):
    """The keys of a segment or a box in a JSON file.

    Attributes
    ----------
    label, score : str
        ``score`` is "" for instances without one.
    corners : tuple of str
        The numbers that say where it is, the starts first.
    list : str
        The key of the list that holds these numbers, "" if each has its own key.
    """

    label: str
    score: str
    corners: tuple[str, ...]
    list: str


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
    instance : InstanceKeys or None
        None unless an item has a list of segments or boxes.
    is_missing_empty : bool
        Whether an item that is not submitted counts as one with an empty list, or none.
    schema, truth_schema : mapping or None
        The JSON Schema of a value in a submission, and in the ground truth, where these are any values.
    example : value
        One that an evaluator takes, where values are of any kind.
    """

    kind: Kind
    names: tuple[str, ...]
    range: tuple[float, float]
    file: str
    each: str
    key: str
    column: str
    instance: InstanceKeys | None = None
    is_missing_empty: bool = False
    schema: Mapping[str, Any] | None = None
    truth_schema: Mapping[str, Any] | None = None
    example: Any = None

    @property
    def instance_keys(self) -> InstanceKeys:
        """The keys of a segment or a box. Raises ValueError for other kinds."""
        if self.instance is None:
            raise ValueError(f"{self.kind.value} are no instances")
        return self.instance

    @property
    def has_scores(self) -> bool:
        """Whether predicted segments or boxes have scores, by which they are ranked."""
        return self.instance is not None and bool(self.instance.score)

    @property
    def truth(self) -> Form:
        """What an item has in the ground truth."""
        instance = self.instance and self.instance._replace(score="")
        form = self._replace(file=self.truth_file, each="", instance=instance, is_missing_empty=False)
        return form._replace(schema=self.truth_schema, example=None)

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


def rules_of_values(task_id: str, path: Path, text: str) -> Rules:
    """Return the rules that follow from what items have, by the text of a file. Raises Refused."""
    with reading_declaration(path):
        data = load_strict(text)
        if data.keys() != {"file", "values"}:
            raise ValueError("it holds file and values, and nothing else")
        form = parse_form(data["file"], data["values"])
    rules = Rules(id=task_id, folder=path.parent, limits=_LIMITS, form=form)
    if form.is_table:
        return rules
    # Readers use the name and the text of a schema alone.
    schema = cast(Path, json_schema(form))
    file = JsonFile(form.file, schema, each=form.each, entries=_MOST_ITEMS, values=_MOST_VALUES)
    return rules._replace(json=(file,), any_single=True)


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
        each=_text_of(words, "each", ""),
        key=_text_of(words, "key", "id"),
        column=_text_of(words, "column", kind.value),
        instance=_instance_keys_of(kind, words),
        is_missing_empty=_is_missing_empty(words),
        schema=words.get("schema"),
        truth_schema=words.get("truth_schema"),
        example=words.get("example"),
    )
    if form.is_table and form.key in form.columns:
        raise ValueError(f"values: the key of an item and a column are both called {form.key}")
    return form


def _check_words(kind: Kind, is_table: bool, words: Mapping[str, Any]) -> None:
    needed_words, further_words = _WORDS[kind]
    possible_words = {"kind", *needed_words, *further_words}
    if not is_table:
        possible_words.add("each")
    else:
        possible_words |= {"key"} if kind is Kind.COLUMNS else {"key", "column"}
    states = {"unknown": words.keys() - possible_words, "missing": set(needed_words) - words.keys()}
    parts = [f"{state} {', '.join(sorted(map(str, names)))}" for state, names in states.items() if names]
    if parts:
        raise ValueError(f"values: {' and '.join(parts)}")


def _text_of(words: Mapping[str, Any], word: str, default: str) -> str:
    """Return the name of a key or a column, which is empty only by default. Raises ValueError."""
    text = words.get(word, default)
    if not isinstance(text, str):
        raise ValueError(f"values: {word} is a text; write numbers, yes and no in quotes")
    if text != default and not _is_name(text):
        raise ValueError(f"values: {word} is a name without blanks around it")
    return text


def _is_name(text: str) -> bool:
    return text == text.strip() != "" and is_printable(text)


def _names_of(words: Mapping[str, Any]) -> tuple[str, ...]:
    word = "labels" if "labels" in words else "columns"
    if word not in words:
        return ()
    names = words[word]
    if not isinstance(names, (list, tuple)):
        raise ValueError(f"values: {word} are a list")
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"values: {word} are texts; write numbers, yes and no in quotes")
    if not all(map(_is_name, names)):
        raise ValueError(f"values: {word} are names without blanks around them")
    # Detection of one kind of thing is usual.
    is_one_enough = words.get("kind") in {kind.value for kind in CORNERS}
    if len(names) < (1 if is_one_enough else 2) or len(set(names)) < len(names):
        raise ValueError(f"values: {word} are at least {'one' if is_one_enough else 'two'}, all different")
    return tuple(names)


def _is_missing_empty(words: Mapping[str, Any]) -> bool:
    missing = words.get("missing", "")
    if missing not in ("", "empty"):
        raise ValueError("values: missing is empty, or left out: then every item must be submitted")
    return bool(missing)


def _instance_keys_of(kind: Kind, words: Mapping[str, Any]) -> InstanceKeys | None:
    """Return the keys of a segment or a box, None for other kinds. Raises ValueError."""
    if kind not in CORNERS:
        return None
    corners = CORNERS[kind]
    has_scores = words.get("scores", False)
    if not isinstance(has_scores, bool):
        raise ValueError("values: scores is true or false")
    names = words.get("names", {})
    if not isinstance(names, Mapping):
        raise ValueError(f"values: {_names_text(kind)}")
    names = dict(names)
    label = names.pop("label", "label")
    score = names.pop("score", "score") if has_scores else ""
    lists = [key for key, value in names.items() if value == list(corners)]
    keys = [label, score, *lists]
    if len(lists) < len(names) or len(lists) > 1 or not all(isinstance(key, str) for key in keys):
        raise ValueError(f"values: {_names_text(kind)}")
    instance = InstanceKeys(label=label, score=score, corners=corners, list="".join(lists))
    if len({*keys, *corners}) < len(keys) + len(corners):
        raise ValueError("values: names are all different")
    return instance


def _names_text(kind: Kind) -> str:
    """Return what other names are like; those of corners are in a list under a name of its own."""
    return f"names are like {{{LIST_OF_CORNERS[kind]}: [{', '.join(CORNERS[kind])}], label: category}}"


def _range_of(kind: Kind, words: Mapping[str, Any]) -> tuple[float, float]:
    default_range = (0.0, _LATEST) if kind is Kind.SEGMENTS else (-_LARGEST, _LARGEST)
    lowest = words.get("minimum", default_range[0])
    highest = words.get("latest", words.get("maximum", default_range[1]))
    bounds = (lowest, highest)
    are_numbers = all(type(bound) in (int, float) and math.isfinite(bound) for bound in bounds)
    if not are_numbers or lowest >= highest:
        raise ValueError("values: minimum, maximum and latest are numbers, the lowest first")
    if kind is Kind.SEGMENTS and words.get("scores"):
        # Detectors predict times before the beginning, too.
        lowest = -highest
    return float(lowest), float(highest)


def json_schema(form: Form) -> GeneratedSchema:
    """Return the JSON Schema of a JSON file."""
    value_text, value = _described_value(form)
    items = {
        "description": f"Map the key of each item to {value_text}",
        "type": "object",
        "additionalProperties": value,
    }
    schema = items
    if form.each:
        description = f"Write an object whose member {form.each} maps the key of each item to {value_text}"
        schema = {
            "description": description,
            "type": "object",
            "required": [form.each],
            "properties": {form.each: items},
        }
    return GeneratedSchema(form.file, json.dumps(schema))


def _described_value(form: Form) -> tuple[str, dict[str, Any]]:
    """Return what an item has, in words, and its schema."""
    if form.schema is not None:
        return "its value", dict(form.schema)
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
    if form.kind is Kind.SEGMENTS:
        number["description"] = f"Write seconds {range_text(form)}"
    if form.has_scores:
        # A label that is not known is noted, and changes nothing.
        del label["enum"]
    return f"the list of its {form.kind.value}", {
        "description": f"Write a list of {form.kind.value}, at most {_MOST_INSTANCES:,}",
        "type": "array",
        "maxItems": _MOST_INSTANCES,
        "items": _instance_schema(form.instance_keys, label, number),
    }


def _instance_schema(keys: InstanceKeys, label: dict[str, Any], number: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a segment or a box, from those of its label and of its numbers."""
    properties = {keys.label: label}
    if keys.list:
        n_corners = len(keys.corners)
        properties[keys.list] = {
            "description": f"Write the list [{', '.join(keys.corners)}]",
            "type": "array",
            "minItems": n_corners,
            "maxItems": n_corners,
            "items": number,
        }
    else:
        properties.update(dict.fromkeys(keys.corners, number))
    if keys.score:
        properties[keys.score] = {
            "description": "Write a number; the highest is the most certain",
            "type": "number",
            "minimum": -_LARGEST,
            "maximum": _LARGEST,
        }
    return {
        "description": f"Write an object with {', '.join(properties)}",
        "type": "object",
        "required": list(properties),
        "properties": properties,
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
