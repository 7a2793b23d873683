"""Where and why a text is not JSON, in messages that do not differ between versions of Python."""

from __future__ import annotations

import re
from typing import NamedTuple

# Neighboring parts of each pattern begin with different characters, so that matching takes linear time.
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_START = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*)*')
# The group is empty where there is no token.
_TOKEN = re.compile(
    rf'{_SPACE.pattern}({_STRING_START.pattern}"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?'
    r"|-?Infinity|NaN|true|false|null|[\[\]{},:]|)"
)
_FOREIGN = re.compile(r"(?:True|False|None|nan|inf|undefined)\b")

_LIBRARY = "write the file with a JSON library"
_CUT_OFF = "write it again; it may have been cut off"
# What is expected at a place; the first ones may be missing, as in [] and {}.
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _NEXT = range(6)
# The problem and the remedy for each rule.
_MESSAGES = {
    "trailing comma": ("there is a comma before the closing bracket", "delete it: JSON has none"),
    "single quotes": ("strings are in single quotes", 'write them in double quotes: "like this"'),
    "comment": ("there is a comment", "delete it: JSON has no comments"),
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
# By what is expected.
_MISSING = ("value", "value", "key", "key", "colon", "next")


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
    expected, before = _VALUE, 0
    for token in _TOKEN.finditer(text):
        at = token.start(1)
        mark = text[at : token.end()][:1]
        if mark == "," and expected == _NEXT and closers:
            expected = _KEY if closers[-1] == "}" else _VALUE
        elif mark and mark not in ",:]}" and expected in (_VALUE, _FIRST_VALUE):
            expected = {"[": _FIRST_VALUE, "{": _FIRST_KEY}.get(mark, _NEXT)
            if mark in "[{":
                closers.append("]" if mark == "[" else "}")
        elif mark in ("]", "}") and closers[-1:] == [mark] and expected in (_NEXT, _FIRST_VALUE, _FIRST_KEY):
            closers.pop()
            expected = _NEXT
        elif mark == ":" and expected == _COLON:
            expected = _VALUE
        elif mark == '"' and expected in (_KEY, _FIRST_KEY):
            expected = _COLON
        else:
            break
        before = at
    return _wrong(text, at, before, expected, bool(closers))


def _wrong(text: str, at: int, before: int, expected: int, inside: bool) -> SyntaxProblem:
    """Return what is wrong at ``at``, where something else is expected, after the token at ``before``."""
    mark = text[at : at + 1]
    start = _STRING_START.match(text, at)
    foreign = _FOREIGN.match(text, at)
    if mark in ("]", "}") and text[before] == "," and expected in (_KEY, _VALUE):
        at, rule = before, "trailing comma"
    elif mark == "'":
        rule = "single quotes"
    elif text.startswith(("//", "/*", "#"), at):
        rule = "comment"
    elif expected == _NEXT and not inside:
        rule = "more text"
    elif not mark:
        rule = "end"
    elif foreign:
        remedy = f"{_LIBRARY} (true, false, null)"
        return SyntaxProblem(at, f"foreign {foreign[0]}", f"{foreign[0]} is not JSON", remedy)
    elif start and text[start.end() : start.end() + 1] != '"':
        at = start.end()
        rule = "end in string" if at == len(text) else "escape" if text[at] == "\\" else "control"
    else:
        rule = _MISSING[expected]
    return SyntaxProblem(at, rule, *_MESSAGES[rule])
