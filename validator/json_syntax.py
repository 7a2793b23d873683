"""Where and why a text is not JSON, in messages that do not differ between versions of Python."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from validator.texts import NUMPY_VALUE

# Neighboring parts of each pattern begin with different characters, so that matching takes linear time. They
# are for texts whose escape sequences are masked: a repeated group would take a record in memory for each.
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_START = re.compile(r'"[^"\\\x00-\x1f]*')
# The group is empty where there is no token.
_TOKEN = re.compile(
    rf'{_SPACE.pattern}({_STRING_START.pattern}"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?'
    r"|-?Infinity|NaN|true|false|null|[\[\]{},:]|)"
)
# Backslashes come first: each pair of them is one sequence, and the next character is not part of it.
_SHORT_ESCAPES = ("\\\\", '\\"', "\\/", "\\b", "\\f", "\\n", "\\r", "\\t")
_LONG_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}")
# What other languages write for values that JSON writes otherwise, or does not have.
_FOREIGN = re.compile(r"(?:True|False|None|nan|inf|undefined)\b")

LINES = "lines"
"""The rule of a file that is JSON Lines: a JSON value on each line."""

_LIBRARY = "write the file with a JSON library"
_CUT_OFF = "write it again; it may have been cut off"
# The problem and the remedy for each rule.
_MESSAGES = {
    "trailing comma": ("there is a comma before the closing bracket", "delete it: JSON has none"),
    "single quotes": ("strings are in single quotes", 'write them in double quotes: "like this"'),
    "comment": ("there is a comment", "delete it: JSON has no comments"),
    LINES: ("there is a JSON value on each line, as in JSON Lines", "make one JSON value of all lines"),
    "more text": ("there is more text after the end of the JSON value", "write one JSON value into the file"),
    "end": ("the file ends too early", _CUT_OFF),
    "end in string": ("the file ends inside a string", _CUT_OFF),
    "escape": ("this escape sequence is not JSON", "write \\\\ for a backslash"),
    "control": ("there is a line break or control character inside a string", "write \\n for a line break"),
    "value": ("a value is missing here", _LIBRARY),
    "key": ("a key in double quotes is missing here", 'write keys as "key"'),
    "colon": ("the colon after the key is missing here", 'write "key": value'),
    "next": ("a comma or a closing bracket is missing here", _LIBRARY),
}


class _Expected(Enum):
    """What may follow at a place; the first value and key may be missing, as in [] and {}."""

    VALUE = "value"
    FIRST_VALUE = "first value"
    KEY = "key"
    FIRST_KEY = "first key"
    COLON = "colon"
    NEXT = "next"


# Names of their own are looked up faster, once for each token.
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _NEXT = _Expected
_VALUES = (_VALUE, _FIRST_VALUE)
_KEYS = (_KEY, _FIRST_KEY)
_MAY_CLOSE = (_NEXT, _FIRST_VALUE, _FIRST_KEY)
# The rule that is broken where something else is there.
_RULE_OF_MISSING = {
    _VALUE: "value",
    _FIRST_VALUE: "value",
    _KEY: "key",
    _FIRST_KEY: "key",
    _COLON: "colon",
    _NEXT: "next",
}


class SyntaxProblem(NamedTuple):
    """Where a text is not JSON: ``position`` counts characters from 0; ``rule`` stands for the reason."""

    position: int
    rule: str
    problem: str
    remedy: str


def explain_syntax(text: str) -> SyntaxProblem:
    """Return where a text that is not JSON goes wrong, what is wrong there, and how to fix it.

    NaN and Infinity pass: they are reported with the other numbers that cannot be used.

    Parameters
    ----------
    text : str
        A text that `json.loads` refuses, nested to any depth.

    Returns
    -------
    SyntaxProblem
        Its position is that of a comma to delete, or of the first character that cannot follow what is before
        it.
    """
    closers: list[str] = []
    expected = _VALUE
    previous_start = 0
    masked_text = _without_escapes(text)
    for token in _TOKEN.finditer(masked_text):
        start = token.start(1)
        mark = masked_text[start : min(start + 1, token.end())]
        following = _after_token(mark, expected, closers)
        if following is None:
            break
        expected = following
        previous_start = start
    string = _STRING_START.match(masked_text, start)
    string_stop = string.end() if string else None
    return _describe_problem(text, start, previous_start, string_stop, expected, is_inside=bool(closers))


def _without_escapes(text: str) -> str:
    """Return a text of the same length with other characters for the escape sequences of its strings.

    Backslashes that are left are no JSON, those outside of strings among them.
    """
    for escape in _SHORT_ESCAPES:
        text = text.replace(escape, "__")
    return _LONG_ESCAPE.sub("______", text)


def _after_token(mark: str, expected: _Expected, closers: list[str]) -> _Expected | None:
    """Return what is expected after a token that begins with ``mark``, None if it is not allowed there.

    ``closers`` are the brackets that are still to come, the innermost last; they are updated.
    """
    if mark == "," and expected is _NEXT and closers:
        return _KEY if closers[-1] == "}" else _VALUE
    if mark and mark not in ",:]}" and expected in _VALUES:
        if mark == "[":
            closers.append("]")
            return _FIRST_VALUE
        if mark == "{":
            closers.append("}")
            return _FIRST_KEY
        return _NEXT
    if mark in ("]", "}") and closers[-1:] == [mark] and expected in _MAY_CLOSE:
        closers.pop()
        return _NEXT
    if mark == ":" and expected is _COLON:
        return _VALUE
    if mark == '"' and expected in _KEYS:
        return _COLON
    return None


def _describe_problem(
    text: str,
    position: int,
    previous_start: int,
    string_stop: int | None,
    expected: _Expected,
    *,
    is_inside: bool,
) -> SyntaxProblem:
    """Return what is wrong at a position, where something else is expected.

    ``previous_start`` is the position of the token before, ``string_stop`` how far a string at the position
    can be read, None if there is no string, and ``is_inside`` says whether a bracket is open.
    """
    mark = text[position : position + 1]
    if mark in ("]", "}") and text[previous_start] == "," and expected in (_KEY, _VALUE):
        return _problem(previous_start, "trailing comma")
    if mark == "'":
        return _problem(position, "single quotes")
    if text.startswith(("//", "/*", "#"), position):
        return _problem(position, "comment")
    if expected is _NEXT and not is_inside and mark and mark in "{[" and "\n" in _gap(text, position):
        return _problem(position, LINES)
    if expected is _NEXT and not is_inside:
        return _problem(position, "more text")
    if not mark:
        return _problem(position, "end")
    foreign_word = _FOREIGN.match(text, position)
    if foreign_word:
        word = foreign_word[0]
        return SyntaxProblem(
            position, f"foreign {word}", f"{word} is not JSON", f"{_LIBRARY} (true, false, null)"
        )
    numpy_value = NUMPY_VALUE.match(text, position)
    if numpy_value:
        word = numpy_value[0]
        remedy = f"convert values with float(...), int(...), bool(...) or str(...) before, and {_LIBRARY}"
        return SyntaxProblem(position, f"foreign {word}", f"{word} is of numpy, not JSON", remedy)
    if string_stop is not None and text[string_stop : string_stop + 1] != '"':
        return _problem(string_stop, _rule_of_broken_string(text, string_stop))
    return _problem(position, _RULE_OF_MISSING[expected])


def _gap(text: str, position: int) -> str:
    """Return the blanks before a position."""
    before = text[:position]
    return before[len(before.rstrip(" \t\r\n")) :]


def _rule_of_broken_string(text: str, end: int) -> str:
    """Return the rule that a string breaks where it can be read no further."""
    if end == len(text):
        return "end in string"
    return "escape" if text[end] == "\\" else "control"


def _problem(position: int, rule: str) -> SyntaxProblem:
    problem, remedy = _MESSAGES[rule]
    return SyntaxProblem(position, rule, problem, remedy)
