"""Evaluators of one's own: what `organizer new-task --evaluator` makes of a script and two example files."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scoring_program.metrics.evaluator import Evaluator, column_key
from validator.findings import Findings

TRUTH, PREDICTION = "truth.json", "prediction.json"
_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}
_OWN_KEYS = {"coverage", "score_low", "score_high"}


class Wrapped(NamedTuple):
    """An evaluator with its two examples.

    Attributes
    ----------
    path : Path
    score : str
        The number that ranks.
    truth, predicted : mapping of str to value
    numbers : mapping of str to float
        What it returns for them, by the keys of the columns.
    titles : mapping of str to str
        The evaluator's own keys of these numbers.
    """

    path: Path
    score: str
    truth: Mapping[str, Any]
    predicted: Mapping[str, Any]
    numbers: Mapping[str, float]
    titles: Mapping[str, str]


def wrap(path: Path, truth_path: Path, prediction_path: Path, score: str) -> Wrapped:
    """Return an evaluator and its examples, evaluated. Raises Refused."""
    truth, predicted = _read(truth_path), _read(prediction_path)
    known = {key: value for key, value in predicted.items() if key in truth}
    if not known:
        problem = f"no item of {prediction_path.name} is in {truth_path.name}"
        Findings().refuse("E-NEW", problem, "give two files of the same items")
    keys = _returned_keys(path, truth, known)
    if score not in keys:
        names = ", ".join(keys)
        Findings().refuse("E-NEW", f"the evaluator returns {names}", "write one of them as --score")
    numbers = Evaluator(path.resolve(), score, is_open=True).evaluate(truth, known)
    titles = {column_key(key): key for key in keys}
    wrong_keys = {key for key in titles if not key or key in _OWN_KEYS}
    if column_key(score) != "score":
        wrong_keys |= {"score"} & titles.keys()
    if wrong_keys or len(titles) < len(keys):
        problem = f"keys of the evaluator are not different words of their own: {', '.join(keys)}"
        Findings().refuse("E-NEW", problem, f"rename them; {', '.join(sorted(_OWN_KEYS))} are taken")
    return Wrapped(path, score, truth, known, numbers, titles)


def _returned_keys(path: Path, truth: Mapping[str, Any], predicted: Mapping[str, Any]) -> list[str]:
    """Return the keys of what an evaluator returns."""
    return Evaluator(path.resolve(), "", is_open=True).keys(truth, predicted)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        Findings().refuse("E-NEW", f"{path.name} cannot be read: {error}", "give a JSON file")
    if not isinstance(content, dict) or not content:
        remedy = "write an object from the key of each item to its value"
        Findings().refuse("E-NEW", f"{path.name} is no map of items", remedy)
    return content


def schema_of(values: Iterable[Any]) -> dict[str, Any]:
    """Return the JSON Schema of values, as wide as they show.

    Examples
    --------
    >>> schema_of([{"label": "robin", "score": 1}, {"label": "owl", "score": 0.5}])["required"]
    ['label', 'score']
    >>> schema_of([[1, 2], []])
    {'type': 'array', 'items': {'type': 'number'}}
    """
    values = list(values)
    if values and all(isinstance(value, dict) for value in values):
        return _schema_of_objects(values)
    if values and all(isinstance(value, list) for value in values):
        entries = [entry for value in values for entry in value]
        return {"type": "array", **({"items": schema_of(entries)} if entries else {}), **_length_of(values)}
    types = sorted({_TYPES.get(type(value), "") for value in values})
    if "" in types:
        problem = "objects and lists are mixed with other values"
        Findings().refuse("E-NEW", problem, "write values of one form in each place")
    schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    return schema


def _length_of(values: list[list[Any]]) -> dict[str, int]:
    """Return the length of lists of numbers that all have the same, such as corners, in words of a schema."""
    lengths = {len(value) for value in values}
    are_numbers = all(isinstance(entry, (int, float)) for value in values for entry in value)
    (length,) = lengths if len(lengths) == 1 else (0,)
    return {"minItems": length, "maxItems": length} if are_numbers and length and len(values) > 1 else {}


def _schema_of_objects(values: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of records with the same keys, or of maps from any keys."""
    keys = list(values[0])
    are_records = all(value.keys() == values[0].keys() for value in values)
    if are_records and keys and len(values) > 1:
        properties = {key: schema_of(value[key] for value in values) for key in keys}
        return {"type": "object", "required": keys, "properties": properties}
    entries = [entry for value in values for entry in value.values()]
    return {"type": "object", **({"additionalProperties": schema_of(entries)} if entries else {})}


def local_modules(path: Path) -> dict[str, bytes]:
    """Return the code of a module and of those in its folder that it imports, by their names."""
    code: dict[str, bytes] = {}
    pending = [path]
    while pending:
        module = pending.pop()
        name = module.relative_to(path.parent).as_posix()
        if name in code:
            continue
        code[name] = module.read_bytes()
        for imported in _imported_names(code[name]):
            base = path.parent.joinpath(*imported.split("."))
            pending += [found for found in (base.with_suffix(".py"), base / "__init__.py") if found.is_file()]
    return code


def _imported_names(code: bytes) -> Iterable[str]:
    """Yield the names of the modules that a module imports, and of the packages that they are in."""
    for node in ast.walk(ast.parse(code)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)]
        for name in filter(None, names):
            words = name.split(".")
            yield from (".".join(words[:end]) for end in range(1, len(words) + 1))
