"""What is said of JSON: why a text is none, and where and how a value breaks its schema.

Only runs on files that are wrong import this module. jsonschema says which rule a value breaks.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend

from validator.findings import Problem
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
from validator.names import NearestNames
from validator.texts import counted, pointer_part, printed_value, quote, some_words

Errors = Iterator[ValidationError]

# What other languages write for values that JSON writes otherwise, or does not have.
_FOREIGN = re.compile(r"(?:True|False|None|nan|inf|undefined)\b")
# A value that begins below other text.
_VALUE_BELOW = re.compile(r"^[ \t]*[{\[]", re.MULTILINE)
# What begins like a value, and goes on otherwise, up to there: 01, 9.5px.
_BEGUN = re.compile(r"[\w.+-]{2,}\Z")
_BLANKS = " \t\r\n"
_LIBRARY = "write the file with a JSON library"
_ONE_VALUE = "write one JSON value into the file, and nothing else"
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
    "typographic quotes": ("strings are in typographic quotation marks", 'write straight ones: "like this"'),
    "blank": ("there is a blank that JSON does not have, such as a no-break space", "write an ordinary one"),
    "comment": ("there is a comment", "delete it: JSON has no comments"),
    "lines": ("there is a JSON value on each line, as in JSON Lines", "make one JSON value of all lines"),
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
_RULE_OF_MARK = {
    "'": "single quotes",
    **dict.fromkeys("\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb", "typographic quotes"),
}
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


def syntax_problem(error: json.JSONDecodeError, schema: Schema) -> tuple[int, Problem]:
    """Return where a text that `json` refuses goes wrong, in characters from 0, and the problem there.

    It is the same in all versions of Python. The position is that of a comma to delete, or of the
    first character that cannot follow what is before it; ``schema`` says what a file is as a whole.
    """
    text, position = error.doc, error.pos
    rules = (rule for start, rule in _RULE_OF_MESSAGE.items() if error.msg.startswith(start))
    rule = next(rules, "value")
    if rule == "end in string":
        return len(text), _syntax_problem(rule)
    if rule == "escape":
        return text.rfind("\\", 0, position + 1), _syntax_problem(rule)
    if rule in ("control", "trailing comma"):
        return position, _syntax_problem(rule)
    text_ahead = text[position:]
    position += len(text_ahead) - len(text_ahead.lstrip(_BLANKS))
    text_before = text[:position].rstrip(_BLANKS)
    return _problem_of_mark(text, position, text_before, rule, schema)


def _problem_of_mark(
    text: str, position: int, text_before: str, rule: str, schema: Schema
) -> tuple[int, Problem]:
    """Return place and problem of what begins at a position of a text, where something else is expected."""
    mark = text[position : position + 1]
    if mark in ("]", "}") and text_before.endswith(",") and rule in ("value", "key"):
        return len(text_before) - 1, _syntax_problem("trailing comma")
    if mark in _RULE_OF_MARK:
        return position, _syntax_problem(_RULE_OF_MARK[mark])
    if mark.isspace():
        return position, _syntax_problem("blank")
    if text.startswith(("//", "/*", "#"), position):
        return position, _syntax_problem("comment")
    if rule == "more text" and mark in ("{", "[") and "\n" in text[len(text_before) : position]:
        lines, whole = _syntax_problem("lines"), _whole(schema)
        return position, lines._replace(remedy=f"{lines.remedy}: {whole}") if whole else lines
    if not mark:
        return position, _syntax_problem("end" if text_before else "empty")
    foreign_problem = None if rule == "more text" else _foreign_problem(text, position)
    if foreign_problem:
        return position, foreign_problem
    beginning = _BEGUN.search(text, max(0, position - _SHOWN), position + 1) if rule == "next" else None
    if beginning or rule == "more text" or (rule == "value" and mark not in ",:]}"):
        first = beginning.start() if beginning else position
        return first, _text_problem(text, first, text_before, rule)
    return position, _syntax_problem(rule)


def _text_problem(text: str, position: int, text_before: str, rule: str) -> Problem:
    """Return the problem of text that is no JSON, from a position on."""
    start = quote(text[position : position + _SHOWN].splitlines()[0])
    problem, remedy = f"'{start}' is in the place of a value", _LIBRARY
    if rule == "more text":
        problem, remedy = f"there is more text after the end of the JSON value, '{start}'", _ONE_VALUE
    elif not text_before and _VALUE_BELOW.search(text, position):
        problem, remedy = f"there is text before the JSON value, '{start}'", _ONE_VALUE
    return Problem("E-JSON-SYNTAX", problem, remedy, rule=rule)


def _foreign_problem(text: str, position: int) -> Problem | None:
    """Return the problem of what another language or a library writes for a value, None for anything else."""
    foreign_word = _FOREIGN.match(text, position)
    if foreign_word:
        problem, remedy = f"{foreign_word[0]} is not JSON", f"{_LIBRARY} (true, false, null)"
        return Problem("E-JSON-SYNTAX", problem, remedy, rule=f"foreign {foreign_word[0]}")
    printed = printed_value(text, position)
    if printed is None:
        return None
    conversion = "float(...), int(...), bool(...) or str(...)"
    if printed.text in ("array", "tensor"):
        conversion = ".tolist()"
    problem = f"{printed.text} is of {printed.library}, not JSON"
    remedy = f"convert values with {conversion} before, and {_LIBRARY}"
    return Problem("E-JSON-SYNTAX", problem, remedy, rule=f"foreign {printed.text}")


def _syntax_problem(rule: str) -> Problem:
    problem, remedy = _SYNTAX_TEXTS[rule]
    return Problem("E-JSON-SYNTAX", problem, remedy, rule=rule)


def _whole(schema: Schema) -> str:
    """Return what a schema says a file is as a whole, "" if nothing."""
    description = schema.get("description", "")
    return f"{description[:1].lower()}{description[1:]}"


def _number_problem(text: str, where: str, schema: Schema) -> Problem:
    """Return the problem of a number that is not finite, as it is written; ``schema`` is that of the file."""
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
    return Problem("E-JSON-NUMBER", problem, remedy, where=where, rule=rule)


def repeated_problem(key: str, where: str) -> Problem:
    """Return the problem of an object in which a key occurs twice."""
    problem = f"the key '{quote(key, 40)}' occurs twice in this object"
    return Problem("E-JSON-DUPLICATE", problem, "keep one of them", where=where)


def marked_problems(value: JsonValue, where: str, schema: Schema) -> Iterator[Problem]:
    """Yield problems with what no JSON has, in the order of the file: repeated keys, NaN and Infinity.

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
                yield repeated_problem(current.key, place or "/")
            else:
                yield _number_problem(current.text, place, schema)
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
        self._validators: dict[int, Draft7Validator] = {}

    def problems(self, value: JsonValue, schema: Schema, where: str, rule: str) -> Iterator[Problem]:
        """Yield all that does not fit in a value.

        Only values that their check refuses are looked at, level by level, so that jsonschema sees each once.
        """
        schema = resolved(schema, self._root)
        if isinstance(value, NoNumber):
            return
        if isinstance(value, LargeNumber) and {"number", "integer"}.intersection(
            _names(schema.get("type", []))
        ):
            yield _number_problem(value.text, where, self._root)
            return
        has_other_length = False
        for error in self._errors(value, schema):
            has_other_length |= error.validator in _LENGTHS
            yield _problem_of_error(error, where or "/", rule)
        if has_other_length and self._holds_others(value, schema):
            return
        for key, child, child_schema, keyword in self._unfit_children(value, schema):
            yield from self.problems(child, child_schema, f"{where}/{pointer_part(key)}", f"{rule}/{keyword}")

    def _holds_others(self, values: list[JsonValue], schema: Schema) -> bool:
        """Return whether a list holds values of another type, as two points in the place of four numbers."""
        items = resolved(schema.get("items", {}), self._root)

        def is_other(value: JsonValue) -> bool:
            return any(error.validator == "type" for error in self._errors(value, items))

        return bool(values) and all(map(is_other, values[:_VALUES_LOOKED_AT]))

    def _errors(self, value: JsonValue, schema: Schema) -> Errors:
        """Yield what jsonschema finds in a value itself."""
        if id(schema) not in self._validators:
            inner_keywords = ("properties", "additionalProperties", "items", "definitions")
            own_rules = {word: rule for word, rule in schema.items() if word not in inner_keywords}
            self._validators[id(schema)] = _Validator(own_rules)
        yield from self._validators[id(schema)].iter_errors(value)

    def _unfit_children(
        self, value: JsonValue, schema: Schema
    ) -> Iterator[tuple[object, JsonValue, Schema, str]]:
        """Yield what is wrong directly in a list or an object: key, value, schema, and its keyword."""
        groups: list[tuple[Sequence[Any], Schema, str]] = []
        if isinstance(value, list):
            groups.append((range(len(value)), schema.get("items", {}), "items"))
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            groups += [([key], part, f"properties/{key}") for key, part in properties.items() if key in value]
            other_keys = [key for key in value if key not in properties]
            groups.append((other_keys, schema.get("additionalProperties", {}), "additionalProperties"))
        for keys, part, keyword in groups:
            for index in self._unfit([value[key] for key in keys], part):
                yield keys[index], value[keys[index]], part, keyword

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


def _rule(is_broken: Callable[[Any, JsonValue], bool], type_name: str = "") -> Callable[..., Errors]:
    """Return a rule of jsonschema, of values of one type or of all."""

    def errors(validator: Any, keyword_value: Any, value: JsonValue, schema: Schema) -> Errors:
        is_looked_at = not type_name or validator.is_type(value, type_name)
        if is_looked_at and is_broken(keyword_value, value):
            yield ValidationError("")

    return errors


_is_type = Draft7Validator.TYPE_CHECKER.is_type
# All missing keys are one error, and lists of words take linear time. Errors of values that may be as large
# as the file have no message: that of jsonschema would hold the value as a text.
_RULES = {
    "type": _rule(lambda names, value: not any(_is_type(value, name) for name in _names(names))),
    "required": _rule(lambda keys, value: not value.keys() >= set(keys), "object"),
    "enum": _rule(lambda words, value: value not in words, "string"),
    "uniqueItems": _rule(lambda is_rule, value: is_rule and bool(_repeated_words(value)), "array"),
    "minItems": _rule(lambda least, value: len(value) < least, "array"),
    "maxItems": _rule(lambda most, value: len(value) > most, "array"),
    "minProperties": _rule(lambda least, value: len(value) < least, "object"),
    "maxProperties": _rule(lambda most, value: len(value) > most, "object"),
    "minLength": _rule(lambda least, value: len(value) < least, "string"),
    "maxLength": _rule(lambda most, value: len(value) > most, "string"),
}
_Validator: Any = extend(Draft7Validator, _RULES)


def _repeated_words(values: list[JsonValue]) -> list[str]:
    """Return the words that a list holds more than once, in the order of the first ones."""
    count_of_word = Counter(value for value in values if isinstance(value, str))
    return [word for word, count in count_of_word.items() if count > 1]


def _schema_problem(problem: str, schema: Mapping[str, Any], where: str, rule: str) -> Problem:
    remedy = _whole(schema) or "see the schema of the file"
    return Problem("E-JSON-SCHEMA", problem, remedy, where=where, rule=rule)


def _shown_key(key: str) -> str:
    """Return a key as a message shows it: in quotes where it has blanks at its ends, or is empty."""
    text = quote(key, 24)
    return text if key and key == key.strip() else f"'{text}'"


def _problem_of_error(error: ValidationError, where: str, rule: str) -> Problem:
    keyword, keyword_value, value = error.validator, error.validator_value, error.instance
    variant = ""
    if keyword == "type":
        type_names = " or ".join(_TYPE_TEXTS.get(name, name) for name in _names(keyword_value))
        variant, text = _type_words(value)
        problem = f"this is {text} instead of {type_names}"
    elif keyword == "required":
        missing_keys = [key for key in keyword_value if key not in value]
        variant = "is" if len(missing_keys) == 1 else "are"
        problem = f"{' and '.join(map(repr, missing_keys[:3]))} {variant} missing"
        if value:
            # One more than are shown.
            keys = map(_shown_key, islice(value, 6))
            problem += f" beside {some_words(list(keys))}"
    elif keyword == "enum":
        one_of = "one of " if len(keyword_value) > 1 else ""
        nearest = NearestNames(keyword_value).words(value)
        problem = f"'{quote(value, 40)}' is not {one_of}{some_words(keyword_value, value)}{nearest}"
    elif keyword[3:] in _SIZE_WORDS:
        size = keyword[3:]
        container, *noun = _SIZE_WORDS[size]
        bound = "at least " if keyword.startswith("min") else "at most "
        if error.schema.get(f"min{size}") == error.schema.get(f"max{size}"):
            bound = ""
        problem = f"the {container} has {counted(len(value), *noun)} instead of {bound}{keyword_value}"
    elif keyword in ("minimum", "maximum"):
        relation = "less" if keyword == "minimum" else "more"
        problem = f"{quote(repr(value), 24)} is {relation} than {keyword_value}"
    elif keyword == "uniqueItems":
        problem = f"'{quote(_repeated_words(value)[0], 24)}' occurs more than once"
    else:
        problem = quote(error.message)
    return _schema_problem(problem, error.schema, where, f"{rule}/{keyword}/{variant}")


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
