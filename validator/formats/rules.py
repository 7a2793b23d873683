"""The rules of a task: what its submissions must look like, declared in
``validator/formats/<challenge>/<task>.files.yaml``."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from validator.discovery import discover
from validator.strict_yaml import load_strict
from validator.submission import Limits

# This package; kits have it below another one.
_FORMATS = __package__
RULES_ENDING = ".files.yaml"
"""How the names of files of rules end; the id of the task is before it."""
# Tasks that declare the values of items name the file first.
_DECLARES_VALUES = re.compile("^(file|values) *:", re.MULTILINE)


class Field(NamedTuple):
    """A column of whole numbers in CSV files without a header."""

    name: str
    minimum: int = 0
    maximum: float = math.inf


class CsvRules(NamedTuple):
    """Rules of CSV files of whole numbers without a header, one an ``item``.

    Attributes
    ----------
    path : str
        The name of the file of an item, which holds ``{key}``, as ``{key}_prediction.csv``.
    fields : tuple of Field
        In the order of the files.
    item : str
        What the files are one of each of.
    other_paths : tuple of str
        Other spellings of the names of files.
    data_paths : tuple of str
        The names of files of the data, which hold the key of an item and no predictions.
    frames : tuple of str
        No fields, or the first frame, which the item must have, and the last, which is not before it. It is
        cut to the item's. The other fields have a maximum then.
    table_columns : tuple of str
        The columns of a table of all items from which ``people-in-video convert`` makes the files of items;
        none where it does not.
    """

    path: str
    fields: tuple[Field, ...]
    item: str = "item"
    other_paths: tuple[str, ...] = ()
    data_paths: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    table_columns: tuple[str, ...] = ()


class JsonFile(NamedTuple):
    """A JSON file: its name, which may hold ``*``, its schema, and limits.

    ``each`` is the member of the top-level object whose entries are read one by one, "" if it is that object
    itself. A file has at most ``entries`` (videos, detections), and ``values`` at all depths if it is read at
    once; None for as many as there are. ``item`` is the member of the entries of a list that names the item;
    other entries are members by the name of the item.
    """

    name: str
    schema: Path
    each: str = ""
    entries: int | None = None
    values: int | None = None
    item: str = ""


class Rules(NamedTuple):
    """Everything that a submission to one task is checked against: CSV files, JSON files, or a table.

    With ``any_single`` a submission with one file of another name is accepted. ``tool_names`` are patterns of
    names under which tools write the file to send, beside others that are not. ``reference_schemas`` are
    those of files of the reference. ``form`` is what items have, a `Form` of ``values.py``; None
    unless the rules follow from it.
    """

    id: str
    folder: Path
    limits: Limits
    csv: tuple[CsvRules, ...] = ()
    json: tuple[JsonFile, ...] = ()
    any_single: bool = False
    tool_names: tuple[str, ...] = ()
    reference_schemas: tuple[Path, ...] = ()
    form: Any = None

    @property
    def name_patterns(self) -> Sequence[str]:
        """The names of the files of a submission, with ``*`` for what differs."""
        if self.form is not None:
            return [self.form.file]
        patterns = [file.path.replace("{key}", "*") for file in self.csv]
        patterns += [file.name for file in self.json]
        return patterns


def parse_rules(path: Path) -> Rules:
    """Return the rules in a file, which ``files.schema.json`` describes and building a program checks.

    Raises Refused where ``values`` cannot be used.
    """
    text, folder = path.read_text(encoding="utf-8"), path.parent
    task_id = path.name.removesuffix(RULES_ENDING)
    if _DECLARES_VALUES.search(text):
        # Only programs of such tasks hold the module.
        rules: Rules = importlib.import_module(f"{_FORMATS}.values").rules_of_values(task_id, path, text)
        return rules
    data = load_strict(text)
    json_files = []
    for words in data.pop("json", ()):
        json_files.append(JsonFile(**{**words, "schema": folder / words["schema"]}))
    return Rules(
        id=task_id,
        folder=folder,
        limits=Limits(**data.pop("limits")),
        csv=tuple(_parse_csv_rules(**words) for words in data.pop("csv", ())),
        json=tuple(json_files),
        tool_names=tuple(data.pop("tool_names", ())),
        reference_schemas=tuple(folder / name for name in data.pop("reference_schemas", ())),
        **data,
    )


def _parse_csv_rules(fields: list[dict[str, Any]], **words: Any) -> CsvRules:
    """Return an entry of ``csv`` in a file of rules; lists become tuples."""
    members: dict[str, Any] = {}
    for word, value in words.items():
        members[word] = tuple(value) if isinstance(value, list) else value
    return CsvRules(fields=tuple(Field(**field) for field in fields), **members)


def task_ids(root: str = _FORMATS) -> list[str]:
    """Return the ids of the tasks that have rules below a package, in ascending order."""
    paths = discover(root, f"*/*{RULES_ENDING}")
    return sorted(path.name.removesuffix(RULES_ENDING) for path in paths)


@cache
def load_rules(task_id: str, root: str = _FORMATS) -> Rules:
    """Read the rules of a task. Raises FileNotFoundError for an unknown id."""
    for path in discover(root, f"*/{task_id}{RULES_ENDING}"):
        return parse_rules(path)
    raise FileNotFoundError(f"there are no rules of {task_id}")
