"""How texts of participants are quoted."""

from __future__ import annotations

import sys
import unicodedata

from validator.findings import is_printable, quote


def test_what_python_cannot_print_is_escaped_on_every_version():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        # Which code points are assigned differs between versions of Python.
        if not character.isprintable() and unicodedata.category(character) != "Cn":
            assert not is_printable(character), hex(code)
    assert all(map(is_printable, "aé手😀\U0001fae8"))


def test_quotes_fit_on_one_line():
    assert quote("a\x1b[31m\n\u202e\ud800b") == "a\\x1b[31m\\n\\u202e\\ud800b"
    assert quote("x" * 100) == "x" * 79 + "…"
