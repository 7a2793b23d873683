"""What is said of JSON: why a text is none, and where and how a value breaks its schema.

Only runs on files that are wrong import this module.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from validator.columns import (
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
from validator.texts import NUMPY_VALUE, counted, pointer_part, quote, some_words

# What other languages write for values that JSON writes otherwise, or does not have.
_FOREIGN = re.compile(r"(?:True|False|None|nan|inf|undefined)\b")
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


# By types: the ending of the keywords that bound a size, as minItems, and what is counted.
_SIZE_WORDS = {
    "array": ("Items", "list", "entry", "entries"),
    "object": ("Properties", "object", "entry", "entries"),
    "string": ("Length", "string", "character", "characters"),
}


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
    if rule == "value" and mark not in ",:]}":
        start = text[position : position + _SHOWN].splitlines()[0]
        return SyntaxWords(position, rule, f"'{quote(start)}' is in the place of a value", _LIBRARY)
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
    rule = text if text in ("NaN", "Infinity", "-Infinity") else "too large"
    remedy = f"write one that fits into 64 bits, or {schema.get(NO_VALUE, _LEAVE_OUT)}"
    return Words(where, rule, f"{quote(text, 24)} is not a finite number", remedy, "E-JSON-NUMBER")


def repeated_words(key: str, where: str) -> Words:
    """Return the words for an object in which a key occurs twice."""
    problem = f"the key '{quote(key, 40)}' occurs twice in this object"
    return Words(where, "", problem, "keep one of them", "E-JSON-DUPLICATE")


def marked_words(value: JsonValue, where: str, schema: Schema | None) -> Iterator[Words]:
    """Yield words for what no JSON has, in the order of the file: keys that occur twice, NaN and Infinity.

    Without a schema every number is read, so that large ones are wrong, too.
    """
    marks = (Repeating, NoNumber) if schema else (Repeating, NoNumber, LargeNumber)
    # A path is that of the holder and a key: pointers are made of those alone that are reported.
    pending: list[tuple[Any, JsonValue]] = [(None, value)]
    while pending:
        path, current = pending.pop()
        place = where + _pointer(path) if isinstance(current, marks) else ""
        if isinstance(current, (NoNumber, LargeNumber)):
            yield number_words(current.text, place, schema or {})
            continue
        if isinstance(current, Repeating):
            yield repeated_words(current.key, place or "/")
        children = list(current.items() if isinstance(current, dict) else enumerate(current))
        # The last is popped first: reversed, so that problems come in the order of the file.
        for key, child in reversed(children):
            if isinstance(child, (list, dict, *marks)):
                pending.append(((path, key), child))


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

    def words(self, value: JsonValue, schema: Schema, where: str, rule: str) -> Iterator[Words]:
        """Yield words for all that does not fit in a value.

        Only values that their check refuses are looked at, level by level.
        """
        schema = resolved(schema, self._root)
        if isinstance(value, NoNumber):
            return
        if isinstance(value, LargeNumber) and {"number", "integer"}.intersection(
            _names(schema.get("type", []))
        ):
            yield number_words(value.text, where, self._root)
            return
        remedy = _whole(schema) or "see the schema of the file"
        for keyword, wanted in schema.items():
            problem, variant = _broken_rule(keyword, wanted, value)
            if problem:
                yield Words(where or "/", f"{rule}/{keyword}/{variant}", problem, remedy)
        for key, child, child_schema, keyword in self._unfit_children(value, schema):
            yield from self.words(child, child_schema, f"{where}/{pointer_part(key)}", f"{rule}/{keyword}")

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


def _broken_rule(keyword: str, wanted: Any, value: JsonValue) -> tuple[str, str]:
    """Return what is wrong with a value itself by one rule of its schema, "" if nothing, and its variant."""
    kind, text = type_words(value)
    if keyword == "type":
        return _wrong_type(kind, text, _names(wanted), value)
    if kind in _SIZE_WORDS and keyword[3:] == _SIZE_WORDS[kind][0]:
        return _wrong_size(keyword, wanted, len(value), *_SIZE_WORDS[kind][1:]), ""
    if kind == "number" and keyword in ("minimum", "maximum"):
        relation = "less" if keyword == "minimum" else "more"
        is_wrong = value < wanted if keyword == "minimum" else value > wanted
        return f"{quote(repr(value), 24)} is {relation} than {wanted}" if is_wrong else "", ""
    if kind == "object" and keyword == "required":
        missing = [key for key in wanted if key not in value]
        variant = "is" if len(missing) == 1 else "are"
        return f"{' and '.join(map(repr, missing[:3]))} {variant} missing" if missing else "", variant
    if kind == "string" and keyword == "enum" and value not in wanted:
        one_of = "one of " if len(wanted) > 1 else ""
        nearest = NearestNames(wanted).words(value)
        return f"'{quote(value, 40)}' is not {one_of}{some_words(wanted, value)}{nearest}", ""
    if kind == "array" and keyword == "uniqueItems" and wanted:
        count_of_word = Counter(word for word in value if isinstance(word, str))
        repeated = next((word for word, count in count_of_word.items() if count > 1), None)
        return "" if repeated is None else f"'{quote(repeated, 24)}' occurs more than once", ""
    return "", ""


def _wrong_type(kind: str, text: str, names: list[str], value: JsonValue) -> tuple[str, str]:
    """Return what is wrong with the type of a value, "" if nothing, and that type."""
    is_whole = kind == "number" and float(value).is_integer()
    if kind in names or (is_whole and "integer" in names):
        return "", kind
    expected = " or ".join(_TYPE_TEXTS.get(name, name) for name in names)
    return f"this is {text} instead of {expected}", kind


def _wrong_size(keyword: str, wanted: int, size: int, container: str, one: str, several: str) -> str:
    """Return what is wrong with the size of a value, "" if nothing."""
    is_least = keyword.startswith("min")
    if (size >= wanted) if is_least else (size <= wanted):
        return ""
    bound = "least" if is_least else "most"
    return f"the {container} has {counted(size, one, several)} instead of at {bound} {wanted}"


def type_words(value: JsonValue) -> tuple[str, str]:
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
