"""Evaluators of one's own: what `organizer new-task --evaluator` makes of a script and two example files."""

from __future__ import annotations

import faulthandler
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from organizer.bundle.modules import imported_names, needed_modules
from organizer.files import write_files
from people_in_video.items.csv_folder import read_csv_folder
from scoring_program.metrics.evaluator import Evaluator, column_key
from scoring_program.settings import COMMON
from validator import limits
from validator.findings import Findings
from validator.texts import quote, some_words

TRUTH, PREDICTION = "truth.json", "prediction.json"
_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}
# Packages that every program has.
_PRESENT = {"numpy", "yaml"}
_GRACE_SECONDS = 20.0
_OWN_KEYS = {"coverage", "score_low", "score_high"}


class Wrapped(NamedTuple):
    """An evaluator with its two examples.

    Attributes
    ----------
    truth, predicted : mapping of str to value
    numbers : mapping of str to float
        What it returns for them, by the keys of the columns.
    titles : mapping of str to str
        The evaluator's own keys of these numbers.
    code : mapping of str to bytes
        The evaluator and the modules beside it that it imports, by their names.
    """

    truth: Mapping[str, Any]
    predicted: Mapping[str, Any]
    numbers: Mapping[str, float]
    titles: Mapping[str, str]
    code: Mapping[str, bytes]


def wrap(
    path: Path, truth_path: Path, prediction_path: Path, score: str, needs: Collection[str] = ()
) -> Wrapped:
    """Return an evaluator and its examples, evaluated. Raises Refused."""
    truth, predicted = _read(truth_path), _read(prediction_path)
    common_predictions = {key: value for key, value in predicted.items() if key in truth}
    if not common_predictions:
        problem = f"no key of {prediction_path.name} ({_keys_text(predicted)}) is in {truth_path.name}"
        problem += f" ({_keys_text(truth)})"
        Findings().refuse("E-NEW", problem, "write objects from the key of each item to its value")
    code = local_modules(path)
    missing_needs = sorted(_packages_of(code).difference(needs))
    if missing_needs:
        remedy = f'add --needs "{" ".join(sorted({*needs, *missing_needs}))}"'
        Findings().refuse("E-NEW", f"the evaluator imports {', '.join(missing_needs)}", remedy)
    with TemporaryDirectory() as name:
        # As it will be: what it needs beside these modules is missing here, too.
        folder = Path(name).resolve()
        write_files(code, folder)
        with within_time_limit():
            returned_numbers = Evaluator(folder / path.name, "", is_open=True).call(truth, common_predictions)
        keys = list(returned_numbers)
        if score not in keys:
            names = ", ".join(keys)
            Findings().refuse("E-NEW", f"the evaluator returns {names}", "write one of them as --score")
        evaluator = Evaluator(folder / path.name, score, is_open=True, is_silent=True)
        with within_time_limit():
            numbers = evaluator.evaluate(truth, common_predictions)
        if numbers != {column_key(key): number for key, number in returned_numbers.items()}:
            Findings().refuse(
                "E-NEW", "the evaluator returns other numbers the second time", "let it not draw"
            )
    return Wrapped(
        truth=truth,
        predicted=common_predictions,
        numbers=numbers,
        titles=_titles_of(keys, score),
        code=code,
    )


@contextmanager
def within_time_limit() -> Iterator[None]:
    """End an evaluator that takes longer than a run may take by default. Raises Refused."""
    (seconds,) = (setting.default for setting in COMMON if setting.name == "time_limit")
    try:
        limits.start(seconds)
        # What takes any exception, or waits in C, is ended where it is; its lines are printed.
        faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, file=2, exit=True)
        yield
        limits.check_time()
    except limits.TimeLimitError as error:
        limits.release(error)
        problem = f"the evaluator has not ended within the time limit of a run, {seconds:g} s"
        Findings().refuse("E-NEW", problem, "correct it, or give fewer items as examples")
    finally:
        faulthandler.cancel_dump_traceback_later()
        limits.finish()


def _titles_of(keys: Collection[str], score: str) -> dict[str, str]:
    """Return the evaluator's keys by those of the columns. Raises Refused."""
    titles = {column_key(key): key for key in keys}
    taken_keys = _OWN_KEYS if column_key(score) == "score" else _OWN_KEYS | {"score"}
    if "" in titles or taken_keys & titles.keys() or len(titles) < len(keys):
        problem = f"keys of the evaluator are no different names of columns: {', '.join(keys)}"
        remedy = "rename them: digits and letters from a to z tell them apart, capitals do not"
        Findings().refuse("E-NEW", problem, f"{remedy}; {', '.join(sorted(taken_keys))} are taken")
    return titles


def _keys_text(values: Mapping[str, Any]) -> str:
    return some_words([quote(key) for key in values])


def _read(path: Path) -> dict[str, Any]:
    """Return the items of a JSON file, or of a folder with a CSV file for each. Raises Refused."""
    try:
        content = read_csv_folder(path) if path.is_dir() else json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        problem, _, remedy = str(error).partition("; ")
        remedy = remedy or "give a JSON file, or a folder with a CSV file for each item"
        Findings().refuse("E-NEW", f"{path.name} cannot be read: {problem}", remedy)
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
    """Return the code of a module and of those beside it that it imports, by names. Raises Refused."""
    code = {path.name: path.read_bytes()}
    try:
        return {**code, **needed_modules(imported_names(code[path.name]), path.parent)}
    except (SyntaxError, ValueError) as error:
        problem = f"{path.name}, or a module that it imports, is no Python: {error}"
        Findings().refuse("E-NEW", problem, "correct it")


def _packages_of(code: Mapping[str, bytes]) -> set[str]:
    """Return the packages that modules import and that programs do not have anyway.

    What they try to import they can do without.
    """
    packages = set()
    for name, text in code.items():
        names = imported_names(text, Path(name).parent.parts, has_tried=False)
        packages |= {module.partition(".")[0] for module in names}
    own_names = {Path(name).parts[0].partition(".")[0] for name in code}
    return {name for name in packages - own_names - _PRESENT if _is_installed(name)}


def _is_installed(name: str) -> bool:
    """Return whether a module is of a package, not of Python."""
    spec = find_spec(name)
    return spec is not None and "-packages" in str(spec.origin)
