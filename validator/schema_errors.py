"""Explaining in bounded time where JSON values break their schema, with jsonschema, in words of our own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator import typed_json
from validator.findings import Findings
from validator.json_keys import Schema
from validator.names import NearestNames
from validator.strict_json import JsonValue, pointer_part
from validator.texts import counted, quote, some_words

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from msgspec.json import Decoder

    Errors = Iterator[ValidationError]


@dataclass
class Budget:
    """What of a submission's files may still be explained, which takes many times as long as reading.

    Attributes
    ----------
    problems : int
        How many problems.
    values : int
        How many values may be looked at for that.
    entries : int
        How many wrong entries of large files; the others are counted.
    bytes : int
        A larger text is not parsed strictly: a file above this size is large.
    """

    problems: int = 200
    values: int = 500_000
    entries: int = 20
    bytes: int = 1_000_000


class ExplainSizes(NamedTuple):
    """``small_value`` is the number of values, at all depths, that jsonschema walks at once."""

    small_value: int = 200


_EXPLAIN_SIZES = ExplainSizes()


class _Progress(Enum):
    """How far explaining a value came."""

    DONE = "all problems of the value are explained"
    ENOUGH = "the value has more problems than are explained"
    STOPPED = "explaining has taken long enough"


class _Child(NamedTuple):
    """A value directly in another one, with its schema and where that is in the schema around it."""

    key: object
    value: JsonValue
    schema: Schema
    schema_path: list[str]


class Checks(NamedTuple):
    """What checks the values of one schema.

    The schema is kept, because its id stands for it, which may be that of another one once it is gone.
    """

    validator: Validator
    decoder: Decoder
    schema: Schema


class SchemaExplainer:
    """Explains the problems of one file.

    jsonschema takes a hundred times as long as reading. So large values are taken apart, what the typed
    decoders accept is left out, and after the budget the rest is not explained.

    Parameters
    ----------
    definitions : mapping
        The definitions of the schema.
    findings : Findings
        Where problems are added.
    name : str
        The name of the file, for messages.
    budget : Budget
        One for all files of a submission.
    sizes : ExplainSizes, optional
    checks : dict of int to Checks, optional
        What was made for parts of the same schema before, by their ids; it is added to. What is made stays in
        memory for ever.
    """

    def __init__(
        self,
        definitions: Schema,
        findings: Findings,
        name: str,
        budget: Budget,
        sizes: ExplainSizes = _EXPLAIN_SIZES,
        checks: dict[int, Checks] | None = None,
    ) -> None:
        self._definitions = definitions
        self._findings = findings
        self._name = name
        self._budget = budget
        self._sizes = sizes
        self._checks_by_id: dict[int, Checks] = {}

    def fits(self, value: JsonValue, schema: Schema) -> bool:
        """Return whether a value has no problems.

        The typed decoder says so; what it accepts need not be walked by jsonschema.
        """
        try:
            self._checks(schema).decoder.decode(json.dumps(value).encode())
        except (*typed_json.DECODE_ERRORS, ValueError):
            return False
        return True

    def explain(self, value: JsonValue, schema: Schema, where: str = "") -> bool:
        """Add the problems of a value at a JSON Pointer; return whether the next one may be explained."""
        progress = self._explain(value, schema, where, rule="entry" if where else "")
        if progress is _Progress.ENOUGH:
            self._findings.count_unread(1, self._name)
        return progress is not _Progress.STOPPED

    def explain_entry(self, value: JsonValue, schema: Schema, where: str, *, is_only_entry: bool) -> bool:
        """Add the problems of an entry of a file; return whether the next one may be explained.

        Of very many entries with problems only their number is counted.
        """
        if is_only_entry and self._holds_entries(value, schema):
            problem, remedy = "the entries are in a further object", "remove the object, keep its entries"
            self._findings.add("E-JSON-SCHEMA", problem, remedy, file=self._name, where=where)
            return True
        if self._budget.problems <= 0:
            self._findings.count_unread(1, self._name)
            return True
        return self.explain(value, schema, where)

    def _holds_entries(self, value: JsonValue, schema: Schema) -> bool:
        """Return whether a value is an object whose first value fits the schema of an entry."""
        if not isinstance(value, dict) or not value:
            return False
        first = next(iter(value.values()))
        return first is not None and self.fits(first, schema)

    def _checks(self, schema: Schema) -> Checks:
        """Return what checks the values of a part of the schema; it is made once."""
        if id(schema) not in self._checks_by_id:
            whole = {**schema, "definitions": self._definitions}
            decoder = typed_json.decoder_for(whole, whole)
            self._checks_by_id[id(schema)] = Checks(_validator_class()(whole), decoder, schema)
        return self._checks_by_id[id(schema)]

    def _explain(self, value: JsonValue, schema: Schema, where: str, rule: str) -> _Progress:
        while "$ref" in schema:
            schema = self._definitions[schema["$ref"].rpartition("/")[2]]
        size = self._size(value)
        is_small = size <= self._sizes.small_value
        self._budget.values -= size if is_small else len(value)
        if self._budget.values < 0:
            return self._stop(where)
        if is_small:
            return self._report(self._checks(schema).validator.iter_errors(value), where, rule)
        shallow_validator = _validator_class()(_without_children(schema))
        progress = self._report(shallow_validator.iter_errors(value), where, rule)
        for child in _children(value, schema):
            if progress is not _Progress.DONE:
                break
            progress = self._explain_child(child, where, rule)
        return progress

    def _explain_child(self, child: _Child, where: str, rule: str) -> _Progress:
        if not child.schema or self.fits(child.value, child.schema):
            return _Progress.DONE
        if self._budget.problems <= 0:
            return _Progress.ENOUGH
        place = f"{where}/{pointer_part(child.key)}"
        return self._explain(child.value, child.schema, place, "/".join([rule, *child.schema_path]))

    def _stop(self, where: str) -> _Progress:
        problem = f"explaining stopped at {where or '/'}; there may be more"
        remedy = "correct what is listed, and check again"
        self._findings.add("E-JSON-STOPPED", problem, remedy, file=self._name)
        return _Progress.STOPPED

    def _report(self, errors: Errors, where: str, rule: str) -> _Progress:
        """Add errors of jsonschema, as many as the budget allows."""
        for error in errors:
            if self._budget.problems <= 0:
                return _Progress.ENOUGH
            self._budget.problems -= 1
            place = where + "".join(f"/{pointer_part(part)}" for part in error.absolute_path)
            words = _error_words(error)
            self._findings.add(
                "E-JSON-SCHEMA",
                words.problem,
                words.remedy,
                file=self._name,
                where=place or "/",
                rule="/".join([rule, *map(str, error.absolute_schema_path), words.variant]),
            )
        return _Progress.DONE

    def _size(self, value: JsonValue) -> int:
        """Return how many values a value holds, itself among them; any larger number if it is not small."""
        most = self._sizes.small_value
        size, pending = 0, [value]
        while pending and size <= most:
            current = pending.pop()
            size += 1
            if isinstance(current, (dict, list)):
                size += max(len(current) - most, 0)
                inner_values = current.values() if isinstance(current, dict) else current
                pending += islice(inner_values, most)
        return size


def _without_children(schema: Schema) -> Schema:
    """Return the part of a schema that is about a value itself."""
    child_keywords = ("properties", "additionalProperties", "items")
    return {keyword: rule for keyword, rule in schema.items() if keyword not in child_keywords}


def _children(value: JsonValue, schema: Schema) -> Iterator[_Child]:
    """Yield what is directly in a list or an object; of an object first what its schema names."""
    if isinstance(value, list):
        item_schema = schema.get("items", {})
        for index, item in enumerate(value):
            yield _Child(index, item, item_schema, ["items"])
        return
    named_schemas = schema.get("properties", {})
    other_schema = schema.get("additionalProperties", {})
    for key, named_schema in named_schemas.items():
        if key in value:
            yield _Child(key, value[key], named_schema, ["properties", key])
    for key, member in value.items():
        if key not in named_schemas:
            yield _Child(key, member, other_schema, ["additionalProperties"])


def _repeated_words(value: JsonValue) -> list[str]:
    """Return the words that a list holds more than once, in the order of the first ones."""
    if not isinstance(value, list):
        return []
    count_of_word = Counter(word for word in value if isinstance(word, str))
    return [word for word, count in count_of_word.items() if count > 1]


@cache
def _validator_class() -> Callable[[Schema], Validator]:
    """Return jsonschema's validator with further keys in the order of the file, all missing ones at once,
    and rules of lists of words that take linear time."""
    import jsonschema

    def further_keys(validator: Validator, rule: Schema, value: JsonValue, schema: Schema) -> Errors:
        named_keys = schema.get("properties", {})
        for key, child in value.items() if isinstance(value, dict) else ():
            if key not in named_keys:
                yield from validator.descend(child, rule, path=key)

    def required(validator: Validator, keys: list[str], value: JsonValue, schema: Schema) -> Errors:
        if isinstance(value, dict) and not value.keys() >= set(keys):
            yield jsonschema.ValidationError("keys are missing")

    def enum(validator: Validator, words: list[str], value: JsonValue, schema: Schema) -> Errors:
        if isinstance(value, str) and value not in words:
            yield jsonschema.ValidationError("it is another word")

    def distinct(validator: Validator, rule: bool, value: JsonValue, schema: Schema) -> Errors:
        # jsonschema would compare each pair of a list with values of several types.
        repeated_words = _repeated_words(value)
        if rule and repeated_words:
            problem = f"'{quote(repeated_words[0], 24)}' occurs more than once"
            yield jsonschema.ValidationError(problem)

    rules = {
        "additionalProperties": further_keys,
        "required": required,
        "enum": enum,
        "uniqueItems": distinct,
    }
    return jsonschema.validators.extend(jsonschema.Draft7Validator, rules)


class _ErrorWords(NamedTuple):
    """What is wrong, how to fix it, and in which of several ways a rule is broken."""

    problem: str
    remedy: str
    variant: str = ""


_TYPE_TEXTS = {
    "object": "an object {…}", "array": "a list […]", "string": "a string", "number": "a number",
    "integer": "a whole number", "boolean": "true or false",
}  # fmt: skip


def _error_words(error: ValidationError) -> _ErrorWords:
    description = error.schema.get("description", "see the schema of the file")
    remedy = description[:1].lower() + description[1:]
    keyword, allowed, value = error.validator, error.validator_value, error.instance
    if keyword == "type":
        return _ErrorWords(_type_problem(value, allowed), remedy, _type_name(value))
    if keyword == "required":
        missing = [key for key in allowed if key not in value]
        verb = "is" if len(missing) == 1 else "are"
        return _ErrorWords(f"{' and '.join(map(repr, missing[:3]))} {verb} missing", remedy, verb)
    if keyword == "enum":
        one_of = "one of " if len(allowed) > 1 else ""
        nearest = NearestNames(allowed).words(value)
        problem = f"'{quote(value, 40)}' is not {one_of}{some_words(allowed, value)}{nearest}"
    elif keyword in ("minItems", "maxItems", "minProperties", "maxProperties"):
        container = "list" if keyword.endswith("Items") else "object"
        bound = "least" if keyword.startswith("min") else "most"
        size = counted(len(value), "entry", "entries")
        problem = f"the {container} has {size} instead of at {bound} {allowed}"
    elif keyword == "minimum":
        problem = f"{quote(repr(value), 24)} is less than {allowed}"
    elif keyword == "maximum":
        problem = f"{quote(repr(value), 24)} is more than {allowed}"
    else:
        problem = quote(error.message)
    return _ErrorWords(problem, remedy)


def _type_problem(value: JsonValue, allowed: str | list[str]) -> str:
    names = [allowed] if isinstance(allowed, str) else allowed
    expected = " or ".join(_TYPE_TEXTS.get(name, name) for name in names)
    return f"this is {_value_text(value)} instead of {expected}"


def _type_name(value: JsonValue) -> str:
    """Return the type of a value in JSON; numbers that are not finite are a kind of their own."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number" if abs(value) < np.inf else "not finite"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _value_text(value: JsonValue) -> str:
    """Return what a value is, for messages."""
    if value is None:
        return "null (None in Python)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return "NaN" if value != value else f"the number {quote(repr(value), 24)}"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"
