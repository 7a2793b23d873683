"""What is said of JSON: why a text is none, and where and how a value breaks its schema.

Only runs on files that are wrong import this module. jsonschema says which rule a value breaks; where it is
not installed, a problem is the place and the description in the schema.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from validator.json_columns import (
    NO_VALUE,
    Check,
    JsonValue,
    LargeNumber,
    NoNumber,
    Repeating,
    Schema,
    UnfitError,
    check_of,
    resolved,
)
from validator.nearest_names import NearestNames
from validator.texts import NUMPY_VALUE, counted, pointer_part, quote, some_words

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

    Errors = Iterator[ValidationError]

# What other languages write for values that JSON writes otherwise, or does not have.
_FOREIGN = re.compile(r"(?:True|False|None|nan|inf|undefined)\b")
# What begins like a value, and goes on otherwise, up to there: 01, 9.5px.
_BEGUN = re.compile(r"[\w.+-]{2,}\Z")
_BLANKS = " \t\r\n"
_LIBRARY = "write the file with a JSON library"
_CUT_OFF = "write it again; it may have been cut off"
# So many characters of what is no JSON are quoted.
_SHOWN = 24
_LEAVE_OUT = "leave out the entry that it belongs to"
# The rule for each message of `json`, and what is said of each rule.
_RULE_OF_MESSAGE = {
    "Expecting value": "value",
    "Expecting property name": "key",
    "Illegal trailing comma": "trailing comma",
    "Expecting ':' delimiter": "colon",
    "Expecting ',' delimiter": "next",
    "Unterminated string": "end in string",
    "Invalid control character": "control",
    "Invalid \\": "escape",
    "Extra data": "more text",
}
_SYNTAX_TEXTS = {
    "trailing comma": ("there is a comma before the closing bracket", "delete it: JSON has none"),
    "single quotes": ("strings are in single quotes", 'write them in double quotes: "like this"'),
    "comment": ("there is a comment", "delete it: JSON has no comments"),
    "lines": ("there is a JSON value on each line, as in JSON Lines", "make one JSON value of all lines"),
    "more text": ("there is more text after the end of the JSON value", "write one JSON value into the file"),
    "empty": ("the file is empty", "write JSON into it"),
    "end": ("the file ends too early", _CUT_OFF),
    "end in string": ("the file ends inside a string", _CUT_OFF),
    "escape": ("this escape sequence is not JSON", "write \\\\ for a backslash"),
    "control": ("there is a line break or control character inside a string", "write \\n for a line break"),
    "value": ("a value is missing here", _LIBRARY),
    "key": ("a key in double quotes is missing here", 'write keys as "key"'),
    "colon": ("the colon after the key is missing here", 'write "key": value'),
    "next": ("a comma or a closing bracket is missing here", _LIBRARY),
}  # fmt: skip
_TYPE_TEXTS = {
    "object": "an object {…}", "array": "a list […]", "string": "a string", "number": "a number",
    "integer": "a whole number", "boolean": "true or false",
}  # fmt: skip


# By keywords, as minItems and maxItems.
_SIZE_WORDS = {
    "Items": ("list", "entry", "entries"),
    "Properties": ("object", "entry", "entries"),
    "Length": ("string", "character", "characters"),
}
_LENGTHS = ("minItems", "maxItems")
# So many values tell of what type those of a list are.
_VALUES_LOOKED_AT = 5


class SyntaxWords(NamedTuple):
    """Why a text is no JSON: ``position`` counts characters from 0; ``rule`` stands for the reason."""

    position: int
    rule: str
    problem: str
    remedy: str


class Words(NamedTuple):
    """What is wrong with a value at a JSON Pointer, "" for the whole, and how to fix it.

    ``code`` is that of the problem, and ``rule`` stands for the rule that is broken.
    """

    where: str
    rule: str
    problem: str
    remedy: str
    code: str = "E-JSON-SCHEMA"


def syntax_words(error: json.JSONDecodeError, schema: Schema) -> SyntaxWords:
    """Return where a text that `json` refuses goes wrong, what is wrong there, and how to fix it.

    The words are the same in all versions of Python. The position is that of a comma to delete, or of the
    first character that cannot follow what is before it; ``schema`` says what a file is as a whole.
    """
    text, position = error.doc, error.pos
    rule = _rule_of_message(error)
    if rule == "end in string":
        return _syntax_words(rule, len(text))
    if rule == "escape":
        return _syntax_words(rule, text.rfind("\\", 0, position + 1))
    if rule in ("control", "trailing comma"):
        return _syntax_words(rule, position)
    rest = text[position:]
    position += len(rest) - len(rest.lstrip(_BLANKS))
    before = text[:position].rstrip(_BLANKS)
    return _words_of_mark(text, position, before, rule, schema)


def _words_of_mark(text: str, position: int, before: str, rule: str, schema: Schema) -> SyntaxWords:
    """Return the words for what begins at a position of a text, where something else is expected."""
    mark = text[position : position + 1]
    if mark in ("]", "}") and before.endswith(",") and rule in ("value", "key"):
        return _syntax_words("trailing comma", len(before) - 1)
    if mark == "'":
        return _syntax_words("single quotes", position)
    if text.startswith(("//", "/*", "#"), position):
        return _syntax_words("comment", position)
    if rule == "more text" and mark in ("{", "[") and "\n" in text[len(before) : position]:
        words, whole = _syntax_words("lines", position), _whole(schema)
        return words._replace(remedy=f"{words.remedy}: {whole}") if whole else words
    if not mark:
        return _syntax_words("end" if before else "empty", position)
    foreign_word = _FOREIGN.match(text, position)
    if foreign_word and rule != "more text":
        problem, remedy = f"{foreign_word[0]} is not JSON", f"{_LIBRARY} (true, false, null)"
        return SyntaxWords(position, f"foreign {foreign_word[0]}", problem, remedy)
    numpy_value = NUMPY_VALUE.match(text, position)
    if numpy_value and rule != "more text":
        problem = f"{numpy_value[0]} is of numpy, not JSON"
        remedy = f"convert values with float(...), int(...), bool(...) or str(...) before, and {_LIBRARY}"
        return SyntaxWords(position, f"foreign {numpy_value[0]}", problem, remedy)
    begun = _BEGUN.search(text, max(0, position - _SHOWN), position + 1) if rule == "next" else None
    if begun or (rule == "value" and mark not in ",:]}"):
        first = begun.start() if begun else position
        start = text[first : first + _SHOWN].splitlines()[0]
        return SyntaxWords(first, rule, f"'{quote(start)}' is in the place of a value", _LIBRARY)
    return _syntax_words(rule, position)


def _rule_of_message(error: json.JSONDecodeError) -> str:
    for beginning, rule in _RULE_OF_MESSAGE.items():
        if error.msg.startswith(beginning):
            return rule
    return "value"


def _syntax_words(rule: str, position: int) -> SyntaxWords:
    problem, remedy = _SYNTAX_TEXTS[rule]
    return SyntaxWords(position, rule, problem, remedy)


def _whole(schema: Schema) -> str:
    """Return what a schema says a file is as a whole, "" if nothing."""
    description = schema.get("description", "")
    return f"{description[:1].lower()}{description[1:]}"


def number_words(text: str, where: str, schema: Schema) -> Words:
    """Return the words for a number that is not finite, as it is written; ``schema`` is that of the file."""
    no_value = schema.get(NO_VALUE, _LEAVE_OUT)
    problem, remedy = f"{quote(text, 24)} is not a finite number", "write one that fits into 64 bits"
    rule = "too large"
    if text == "NaN":
        # What numpy and pandas write where there is no number.
        rule = text
        problem, remedy = "NaN stands for a missing number", f"write a number, or {no_value}"
    elif text.endswith("Infinity"):
        rule = text
        remedy = f"write a finite number, or {no_value}"
    return Words(where, rule, problem, remedy, "E-JSON-NUMBER")


def repeated_words(key: str, where: str) -> Words:
    """Return the words for an object in which a key occurs twice."""
    problem = f"the key '{quote(key, 40)}' occurs twice in this object"
    return Words(where, "", problem, "keep one of them", "E-JSON-DUPLICATE")


def marked_words(value: JsonValue, where: str, schema: Schema | None) -> Iterator[Words]:
    """Yield words for what no JSON has, in the order of the file: keys that occur twice, NaN and Infinity.

    Without a schema every number is read, so that large ones are wrong, too.
    """
    marks = (Repeating, NoNumber) if schema else (Repeating, NoNumber, LargeNumber)
    # The children that are left at each level. A path is that of the holder and a key: pointers are made of
    # those alone that are reported.
    pending: list[Iterator[tuple[Any, JsonValue]]] = [iter([(None, value)])]
    while pending:
        path, current = next(pending[-1], (None, None))
        if current is None:
            pending.pop()
            continue
        if isinstance(current, marks):
            place = where + _pointer(path)
            if isinstance(current, Repeating):
                yield repeated_words(current.key, place or "/")
            else:
                yield number_words(current.text, place, schema or {})
        if isinstance(current, (list, dict)):
            pending.append(_children(current, path, (list, dict, *marks)))


def _children(
    value: list[JsonValue] | dict[str, JsonValue], path: Any, types: tuple[type, ...]
) -> Iterator[tuple[Any, JsonValue]]:
    """Yield what a list or an object holds of some types, each with its path, in the order of the file."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    return (((path, key), child) for key, child in children if isinstance(child, types))


def _pointer(path: Any) -> str:
    """Return the JSON Pointer of a path: None for the whole, or the path of the holder and a key."""
    return f"{_pointer(path[0])}/{pointer_part(path[1])}" if path else ""


class Explainer:
    """Explains where values break a schema, or a part of it.

    Parameters
    ----------
    root : mapping
        The schema of the file, with its definitions.
    """

    def __init__(self, root: Schema) -> None:
        self._root = root
        # By the ids of schemas, which the root keeps.
        self._checks: dict[int, Check] = {}
        self._validators: dict[int, Validator] = {}

    def words(self, value: JsonValue, schema: Schema, where: str, rule: str) -> Iterator[Words]:
        """Yield words for all that does not fit in a value.

        Only values that their check refuses are looked at, level by level, so that jsonschema sees each once.
        """
        schema = resolved(schema, self._root)
        if isinstance(value, NoNumber):
            return
        if isinstance(value, LargeNumber) and {"number", "integer"}.intersection(
            _names(schema.get("type", []))
        ):
            yield number_words(value.text, where, self._root)
            return
        has_words = False
        has_other_length = False
        for error in self._errors(value, schema):
            has_words = True
            has_other_length |= error.validator in _LENGTHS
            yield _error_words(error, where or "/", rule)
        if has_other_length and self._holds_others(value, schema):
            return
        for key, child, child_schema, keyword in self._unfit_children(value, schema):
            has_words = True
            yield from self.words(child, child_schema, f"{where}/{pointer_part(key)}", f"{rule}/{keyword}")
        if not has_words and _validator_class() is None:
            yield Words(where or "/", rule, "this value does not fit", _remedy(schema))

    def _holds_others(self, values: list[JsonValue], schema: Schema) -> bool:
        """Return whether a list holds values of another type, as two points in the place of four numbers."""
        items = resolved(schema.get("items", {}), self._root)

        def is_other(value: JsonValue) -> bool:
            return any(error.validator == "type" for error in self._errors(value, items))

        return bool(values) and all(map(is_other, values[:_VALUES_LOOKED_AT]))

    def _errors(self, value: JsonValue, schema: Schema) -> Errors:
        """Yield what jsonschema finds in a value itself, nothing where it is not installed."""
        if id(schema) not in self._validators:
            make = _validator_class()
            if make is None:
                return
            inner_keywords = ("properties", "additionalProperties", "items", "definitions")
            own_rules = {word: rule for word, rule in schema.items() if word not in inner_keywords}
            self._validators[id(schema)] = make(own_rules)
        yield from self._validators[id(schema)].iter_errors(value)

    def _unfit_children(
        self, value: JsonValue, schema: Schema
    ) -> Iterator[tuple[object, JsonValue, Schema, str]]:
        """Yield what is wrong directly in a list or an object: key, value, schema, and its keyword."""
        if isinstance(value, list):
            for index in self._unfit(value, schema.get("items", {})):
                yield index, value[index], schema["items"], "items"
        if not isinstance(value, dict):
            return
        named = schema.get("properties", {})
        for key, child_schema in named.items():
            if key in value and any(True for _ in self._unfit([value[key]], child_schema)):
                yield key, value[key], child_schema, f"properties/{key}"
        further = [key for key in value if key not in named]
        children = [value[key] for key in further]
        for index in self._unfit(children, schema.get("additionalProperties", {})):
            yield further[index], children[index], schema["additionalProperties"], "additionalProperties"

    def _unfit(self, values: list[JsonValue], schema: Schema) -> Iterator[int]:
        """Yield the places of values that do not fit: halves of which all fit are left out."""
        if not schema:
            return
        if id(schema) not in self._checks:
            self._checks[id(schema)] = check_of(schema, self._root)
        check = self._checks[id(schema)]
        pending = [(0, len(values))]
        while pending:
            first, end = pending.pop()
            try:
                check(values[first:end])
            except UnfitError:
                middle = (first + end) // 2
                if middle == first:
                    yield first
                else:
                    pending += [(middle, end), (first, middle)]


def _names(names: str | list[str]) -> list[str]:
    """Return the types of a schema, which may be one."""
    return [names] if isinstance(names, str) else names


@cache
def _validator_class() -> Any:
    """Return jsonschema's validator, None where it is not installed.

    All missing keys are one error, and lists of words take linear time. Errors of values that may be as large
    as the file have no message: that of jsonschema would hold the value as a text.
    """
    try:
        import jsonschema
    except ImportError:
        return None

    def rule(is_broken: Callable[[Any, JsonValue], bool], type_name: str = "") -> Callable[..., Errors]:
        def errors(validator: Any, allowed: Any, value: JsonValue, schema: Schema) -> Errors:
            is_looked_at = not type_name or validator.is_type(value, type_name)
            if is_looked_at and is_broken(allowed, value):
                yield jsonschema.ValidationError("")

        return errors

    is_type = jsonschema.Draft7Validator.TYPE_CHECKER.is_type
    rules = {
        "type": rule(lambda names, value: not any(is_type(value, name) for name in _names(names))),
        "required": rule(lambda keys, value: not value.keys() >= set(keys), "object"),
        "enum": rule(lambda words, value: value not in words, "string"),
        "uniqueItems": rule(lambda is_rule, value: is_rule and bool(_repeated_words(value)), "array"),
        "minItems": rule(lambda least, value: len(value) < least, "array"),
        "maxItems": rule(lambda most, value: len(value) > most, "array"),
        "minProperties": rule(lambda least, value: len(value) < least, "object"),
        "maxProperties": rule(lambda most, value: len(value) > most, "object"),
        "minLength": rule(lambda least, value: len(value) < least, "string"),
        "maxLength": rule(lambda most, value: len(value) > most, "string"),
    }
    return jsonschema.validators.extend(jsonschema.Draft7Validator, rules)


def _repeated_words(values: list[JsonValue]) -> list[str]:
    """Return the words that a list holds more than once, in the order of the first ones."""
    count_of_word = Counter(value for value in values if isinstance(value, str))
    return [word for word, count in count_of_word.items() if count > 1]


def _remedy(schema: Mapping[str, Any]) -> str:
    return _whole(schema) or "see the schema of the file"


def _error_words(error: ValidationError, where: str, rule: str) -> Words:
    """Return the words for an error of jsonschema at a place."""
    keyword, allowed, value = error.validator, error.validator_value, error.instance
    variant = ""
    if keyword == "type":
        expected = " or ".join(_TYPE_TEXTS.get(name, name) for name in _names(allowed))
        variant, text = _type_words(value)
        problem = f"this is {text} instead of {expected}"
    elif keyword == "required":
        missing = [key for key in allowed if key not in value]
        variant = "is" if len(missing) == 1 else "are"
        problem = f"{' and '.join(map(repr, missing[:3]))} {variant} missing"
    elif keyword == "enum":
        one_of = "one of " if len(allowed) > 1 else ""
        nearest = NearestNames(allowed).words(value)
        problem = f"'{quote(value, 40)}' is not {one_of}{some_words(allowed, value)}{nearest}"
    elif keyword[3:] in _SIZE_WORDS:
        container, *noun = _SIZE_WORDS[keyword[3:]]
        bound = "least" if keyword.startswith("min") else "most"
        problem = f"the {container} has {counted(len(value), *noun)} instead of at {bound} {allowed}"
    elif keyword in ("minimum", "maximum"):
        relation = "less" if keyword == "minimum" else "more"
        problem = f"{quote(repr(value), 24)} is {relation} than {allowed}"
    elif keyword == "uniqueItems":
        problem = f"'{quote(_repeated_words(value)[0], 24)}' occurs more than once"
    else:
        problem = quote(error.message)
    return Words(where, f"{rule}/{keyword}/{variant}", problem, _remedy(error.schema))


def _type_words(value: JsonValue) -> tuple[str, str]:
    """Return the type of a value in JSON, and what it is, for messages."""
    if value is None:
        return "null", "null (None in Python)"
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, (int, float)):
        text = value.text if isinstance(value, LargeNumber) else repr(value)
        return "number", f"the number {quote(text, 24)}"
    if isinstance(value, str):
        return "string", "a string"
    return ("array", "a list") if isinstance(value, list) else ("object", "an object")
