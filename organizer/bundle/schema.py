"""Checking competition.yaml against the JSON Schema of its form: all rules about one value or one entry.

The schema says what the platform takes, its part ``advice`` what else a competition needs to work.
``words.json`` has the level, code, problem and hint of an error by its keyword, or by the title of the part
of the schema that it violates.
"""

from __future__ import annotations

import difflib
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from organizer.bundle.competition import Competition
from organizer.bundle.report import LintReport
from validator.findings import quote


def _load(name: str) -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "schemas" / f"{name}.json").read_text(encoding="utf-8"))


_DEFINITIONS, _WORDS = _load("definitions"), _load("words")


def check_schema(data: Competition, form: str, report: LintReport) -> bool:
    """Check each value of competition.yaml; return whether its structure allows further checks."""
    schema = {**_load(f"competition-{form}"), "definitions": _DEFINITIONS}
    validator, plain = _Validator(schema, format_checker=_formats), _plain(data)
    errors = sorted(validator.iter_errors(plain), key=lambda error: list(map(str, error.path)))
    for error in [*errors, *validator.descend(plain, _DEFINITIONS["unread"])]:
        _report(error, report)
    if not report.ok:
        return False
    for error in validator.descend(plain, schema["advice"]):
        _report(error, report)
    return True


def _plain(node: Any) -> Any:
    """Return data as JSON has it, with neither integer keys (the phases of the older form) nor dates."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return node if isinstance(node, (str, int, float, type(None))) else str(node)


def _properties(validator: Any, properties: Any, instance: Any, _: Any) -> Iterator[Any]:
    """Check properties as JSON Schema does, and the ``default`` of those that are missing."""
    for key, part in properties.items() if isinstance(instance, dict) else ():
        if key in instance:
            yield from validator.descend(instance[key], part, path=key)
        elif part is not True and "default" in part:
            yield from validator.descend(part["default"], part, path=key)


_Validator = jsonschema.validators.extend(jsonschema.Draft7Validator, {"properties": _properties})
_formats = jsonschema.FormatChecker(())
# What a server gives to the things that it holds: random UUIDs.
_formats.checks("uuid4", raises=ValueError)(lambda text: uuid.UUID(text).version == 4)


def _report(error: Any, report: LintReport) -> None:
    """Report an error of jsonschema in our words, and unknown keys one by one."""
    named = (name for name in (error.validator, error.schema.get("title"), "otherwise") if name in _WORDS)
    level, code, problem, hint = _WORDS[next(named)]
    record = report.error if level == "error" else report.warn
    value, path = str(error.instance), [str(part) for part in error.absolute_path]
    where = "".join(f"/{part}" for part in path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema["properties"])
        for key in sorted(error.instance.keys() - known):
            close = difflib.get_close_matches(key, known, n=1)
            near = f"the nearest known key is {close[0]}" if close else f"known here are {', '.join(known)}"
            record(code, problem.format(key=quote(key)), hint.format(nearest=near), f"{where}/{key}")
        return
    fields = {"value": quote(value, 200), "short": quote(value), "message": quote(error.message, 200)}
    fields.update(key=path[-1] if path else "", limit=error.validator_value)
    if error.validator == "required":
        fields["missing"] = ", ".join(key for key in error.validator_value if key not in error.instance)
    record(code, problem.format(**fields), hint.format(**fields), where or "/")
