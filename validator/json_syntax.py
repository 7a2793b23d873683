"""Where and why a text is not JSON. The messages of `json` differ between versions of Python; these do
not."""

from __future__ import annotations

import re

# Neighboring parts of each pattern begin with different characters, so that matching takes linear time.
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_START = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*)*')
_TOKEN = re.compile(
    rf'{_STRING_START.pattern}"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?'
    r"|-?Infinity|NaN|true|false|null|[\[\]{},:]"
)
_FOREIGN = re.compile(r"(?:True|False|None|nan|inf|undefined)\b")

_WITH_LIBRARY = "write the file with a JSON library"
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _NEXT = range(6)
_MISSING = {
    _COLON: ("the colon after the key is missing here", 'write "key": value'),
    _NEXT: ("a comma or a closing bracket is missing here", _WITH_LIBRARY),
}
_MISSING[_VALUE] = _MISSING[_FIRST_VALUE] = ("a value is missing here", _WITH_LIBRARY)
_MISSING[_KEY] = _MISSING[_FIRST_KEY] = ("a key in double quotes is missing here", 'write keys as "key"')


def explain_syntax(text: str) -> tuple[int, str, str]:
    """Return where a text that is not JSON goes wrong, what is wrong there, and how to fix it.

    NaN and Infinity pass: they are reported with the other numbers that cannot be used.

    Parameters
    ----------
    text : str
        A text that `json.loads` refuses, nested to any depth.

    Returns
    -------
    (position, problem, hint)
        The position counts characters from 0; it is that of a comma to delete, or of the first character that
        cannot follow what is before it.
    """
    closers: list[str] = []
    expected, before, at = _VALUE, 0, 0
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        token = _TOKEN.match(text, at)
        mark = text[at] if token else ""
        if mark in ("]", "}") and closers[-1:] == [mark] and expected in (_NEXT, _FIRST_VALUE, _FIRST_KEY):
            closers.pop()
            expected = _NEXT
        elif mark == "," and expected == _NEXT and closers:
            expected = _KEY if closers[-1] == "}" else _VALUE
        elif mark == ":" and expected == _COLON:
            expected = _VALUE
        elif mark == '"' and expected in (_KEY, _FIRST_KEY):
            expected = _COLON
        elif mark and mark not in ",:]}" and expected in (_VALUE, _FIRST_VALUE):
            expected = {"[": _FIRST_VALUE, "{": _FIRST_KEY}.get(mark, _NEXT)
            if mark in "[{":
                closers.append("]" if mark == "[" else "}")
        else:
            return _wrong(text, at, before, expected, bool(closers))
        before = at
        at = token.end() if token else at


def _wrong(text: str, at: int, before: int, expected: int, inside: bool) -> tuple[int, str, str]:
    """Return what is wrong at ``at``, where something else is expected; the last token begins at
    ``before``."""
    mark = text[at : at + 1]
    if mark in ("]", "}") and text[before] == "," and expected in (_KEY, _VALUE):
        return (
            before,
            "there is a comma before the closing bracket",
            "delete the trailing comma: JSON has none",
        )
    if mark == "'":
        return at, "strings are in single quotes", 'write them in double quotes: "like this"'
    if text.startswith(("//", "/*", "#"), at):
        return at, "there is a comment", "delete it: JSON has no comments"
    if expected == _NEXT and not inside:
        return at, "there is more text after the end of the JSON value", "write one JSON value into the file"
    if not mark:
        return at, "the file ends too early", "write it again; it may have been cut off"
    foreign = _FOREIGN.match(text, at)
    if foreign:
        return at, f"{foreign[0]} is not JSON", "write the file with a JSON library (true, false, null)"
    start = _STRING_START.match(text, at)
    if start and text[start.end() : start.end() + 1] != '"':
        return _wrong_in_string(text, start.end())
    return (at, *_MISSING[expected])


def _wrong_in_string(text: str, at: int) -> tuple[int, str, str]:
    if at == len(text):
        return at, "the file ends inside a string", "write it again; it may have been cut off"
    if text[at] == "\\":
        return at, "this escape sequence is not JSON", "write \\\\ for a backslash"
    return at, "there is a line break or control character inside a string", "write \\n for a line break"
