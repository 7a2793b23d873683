"""Texts of messages: printable, quoted, counted, and in a word list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

_MOST_WORDS = 5
_LONGEST_QUOTE = 80
# A fixed list, because str.isprintable differs between versions of Python for new characters.
_UNPRINTABLE = re.compile(
    "[\0-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)


def is_printable(text: str) -> bool:
    """Return whether a text holds no control characters, odd blanks, private or unpaired code points."""
    return not _UNPRINTABLE.search(text)


def quote(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return ``text`` fit for one line of a log: printable characters only, not longer than ``longest``."""
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return printable(text)


def quote_path(path: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return a path fit for one line of a log; of a long one the end, which says most, is kept.

    Examples
    --------
    >>> quote_path("data/reference/settings.yaml", longest=14)
    '…settings.yaml'
    """
    if len(path) > longest:
        path = "…" + path[len(path) - longest + 1 :]
    return printable(path)


# What numpy 2 prints for a value in a list, and numpy and PyTorch for arrays, up to the bracket.
_PRINTED_VALUES = {
    "numpy": re.compile(
        r"(?:np|numpy)\.(?:(?:(?:u?int|float)[0-9]{1,3}|str_)(?=\()|(?:True_|False_)(?!\w))|array(?=\()"
    ),
    "PyTorch": re.compile(r"tensor(?=\()"),
}


class PrintedValue(NamedTuple):
    """The beginning of what a library prints for a value, as ``np.int64`` or ``tensor``."""

    library: str
    text: str


def printed_value(text: str, position: int = 0) -> PrintedValue | None:
    """Return what a library has printed for a value that begins at a position, None where it is another text.

    Examples
    --------
    >>> printed_value("np.int64(7)")
    PrintedValue(library='numpy', text='np.int64')
    >>> printed_value("[tensor(7)]", 1).library, printed_value("7")
    ('PyTorch', None)
    """
    for library, pattern in _PRINTED_VALUES.items():
        match = pattern.match(text, position)
        if match:
            return PrintedValue(library, match[0])
    return None


_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def folded(text: str) -> str:
    """Return text with the letters A to Z in lower case. Other letters depend on the version of Unicode."""
    return text.translate(_ASCII_LOWER)


def printable(text: str) -> str:
    """Return ``text`` on one line, with escapes for what is not printable."""
    return _UNPRINTABLE.sub(lambda character: character[0].encode("unicode_escape").decode("ascii"), text)


def without_unprintable(text: str) -> str:
    """Return ``text`` without what is not printable."""
    return _UNPRINTABLE.sub("", text)


def visible(text: str) -> str:
    """Return ``text`` with a sign for a missing character in place of each that is not printable."""
    return _UNPRINTABLE.sub("\ufffd", text)


def some_words(words: Sequence[str], example: str = "", most: int = _MOST_WORDS) -> str:
    """Return the first of several words, one that is like ``example`` up to case and outer blanks before all.

    Examples
    --------
    >>> some_words(["robin", "wren", "owl"], "Owl")
    'owl, robin, wren'
    """
    folded_example = folded(example.strip())
    alike_first = sorted(words, key=lambda word: folded(word.strip()) != folded_example)
    text = ", ".join(alike_first[:most])
    return f"{text}, …" if len(words) > most else text


def counted(number: int, thing: str, plural: str = "") -> str:
    """Return a number with the thing that is counted: "1 video", "2,000 videos"."""
    noun = thing if number == 1 else plural or f"{thing}s"
    return f"{number:,} {noun}"


def pointer_part(part: object) -> str:
    """Return a key or index as a part of a JSON Pointer (RFC 6901), fit for a log."""
    return quote(str(part).replace("~", "~0").replace("/", "~1"))
