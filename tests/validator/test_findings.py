"""How texts of participants are quoted."""

from __future__ import annotations

import sys
import unicodedata

from validator.findings import Findings, is_printable, quote


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


def test_one_and_many_are_one_kind_of_problem():
    findings = Findings()
    for count in ("1 field", "2 fields"):
        findings.add("E-X", f"the row has {count} instead of 3", "write 3", file="a.csv", where=f"line {count[0]}")
    findings.add("E-X", "the row has 2 files", "write 3", file="a.csv")
    first, second = findings.lines()
    assert "(2 such problems)" in first and "such" not in second


def test_what_was_not_looked_at_is_added_to_no_kind():
    findings = Findings()
    for place in range(2):
        findings.add("E-X", "'it's' is wrong", "correct it", file="a.json", where=f"/{place}")
        findings.add("E-X", "'it's' is wrong", "correct it", file="b.json", where=f"/{place}")
    assert findings.told_total() == "4 problems"
    findings.count_unread(5, "a.json")
    assert findings.lines() == [
        "1. E-X a.json /0, /1: 'it's' is wrong (at least 2 such problems); correct it.",
        "2. E-X b.json /0, /1: 'it's' is wrong (2 such problems); correct it.",
        "and at least 5 more",
    ]
    assert findings.told_total() == "at least 9 problems"
    assert [(kind["count"], kind["at_least"]) for kind in findings.as_dict()["kinds"]] == [(2, True), (2, False)]
