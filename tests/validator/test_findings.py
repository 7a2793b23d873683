"""How texts of participants are quoted."""

from __future__ import annotations

import sys
import unicodedata

import numpy as np

from validator.findings import Findings, Problem, counted, is_printable, quote


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
    assert quote("x" * 80) == "x" * 80


def test_one_and_many_are_one_kind_of_problem():
    findings = Findings()
    for count in ("1 field", "2 fields"):
        findings.add(
            "E-X", f"the row has {count} instead of 3", "write 3", file="a.csv", where=f"line {count[0]}"
        )
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
        "and at least 5 more of these or other kinds; fix these first",
    ]
    assert findings.told_total() == "at least 9 problems"
    assert [(kind["count"], kind["at_least"]) for kind in findings.as_dict()["kinds"]] == [
        (2, True),
        (2, False),
    ]


def with_problems(n_kinds, each):
    findings = Findings()
    for kind in range(n_kinds):
        for row in range(each):
            findings.add(f"E-{kind}", "it is wrong", "correct it", file="a.csv", where=f"line {row + 1}")
    return findings


def test_of_one_kind_two_hundred_are_kept_and_all_are_counted():
    findings = Findings()
    wrong = np.ones(204, bool)
    wrong[1] = False
    for row in findings.first_of(wrong):
        findings.add("E-X", "it is wrong", "correct it", file="a.csv", where=f"line {row + 1}")
    assert (len(findings.problems), findings.total, findings.told_total()) == (200, 203, "203 problems")
    assert findings.lines() == [
        "1. E-X a.csv line 1, line 3, line 4: it is wrong (203 such problems); correct it."
    ]
    assert findings.as_dict()["kinds"] == [
        {"code": "E-X", "file": "a.csv", "count": 203, "at_least": False, "first": "line 1"}
    ]
    assert findings.as_dict()["more"] == 3


def test_nothing_wrong_is_no_problem():
    findings = Findings()
    assert list(findings.first_of(np.zeros(9, bool))) == []
    assert findings.ok and findings.complete and findings.lines() == []
    assert findings.as_dict() == {"valid": True, "problems": [], "more": 0, "kinds": [], "notes": []}


def test_five_thousand_problems_are_kept():
    findings = with_problems(26, 201)
    assert (len(findings.problems), findings.total) == (5000, 26 * 201)


def test_twenty_kinds_are_shown():
    findings = with_problems(23, 2)
    lines = findings.lines()
    assert (len(lines), lines[-1], findings.unshown()) == (
        21,
        "and 6 more of other kinds; fix these first",
        6,
    )
    assert lines[19].startswith("20. E-19 a.csv line 1, line 2: it is wrong (2 such problems)")
    assert with_problems(20, 1).lines()[-1] == "20. E-19 a.csv line 1: it is wrong; correct it."
    assert len(findings.lines(shown=None)) == 23


def test_a_problem_without_a_place_is_one_line():
    assert Problem("E-X", "it is wrong", "correct it").line() == "E-X: it is wrong; correct it."


def test_one_and_many_are_counted():
    assert [counted(number, "box", "boxes") for number in (0, 1, 2)] == ["0 boxes", "1 box", "2 boxes"]
    assert counted(2000, "video") == "2,000 videos"
