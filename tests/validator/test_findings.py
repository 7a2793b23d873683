"""Findings: how texts of participants are quoted, which problems are one kind, and how findings are put together."""

from __future__ import annotations

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import compact_lines, fewer_examples, refused, values_of
from validator.checking import plain_findings
from validator.findings import Findings, Note, Problem, Read, Refused, note_lines
from validator.texts import counted, is_printable, quote


def test_what_python_cannot_print_is_escaped_on_every_version():
    unprintable = [
        character for character in map(chr, range(sys.maxunicode + 1)) if not character.isprintable()
    ]
    # Which code points are assigned differs between versions of Python. Most others are private.
    assigned = [character for character in unprintable if unicodedata.category(character) not in ("Cn", "Co")]
    assert not any(map(is_printable, [*assigned, "\ue000", "\U000f0000", chr(sys.maxunicode - 2)]))
    assert all(map(is_printable, "aé手😀\U0001fae8"))


def test_quotes_fit_on_one_line():
    assert quote("a\x1b[31m\n\u202e\ud800b") == "a\\x1b[31m\\n\\u202e\\ud800b"
    assert quote("x" * 100) == "x" * 79 + "…"
    assert quote("x" * 80) == "x" * 80


def test_different_texts_of_one_rule_are_one_kind():
    findings = Findings()
    for line, problem in enumerate(["the row has 1 field", "the row is empty", "'é' is a row"], start=1):
        findings.add(
            "E-CSV-RANGE", problem, f"write {line}", file="a.csv", where=f"line {line}", rule="fields"
        )
    (placed,) = findings.summary().problems()
    assert placed.first == findings.problems[0]
    assert (placed.as_dict()["where"], placed.n_places) == ("line 1, line 2, line 3", 3)


@pytest.mark.parametrize("other", [{"code": "E-CSV-LABEL"}, {"rule": "other"}])
def test_one_text_is_two_kinds_where_code_or_rule_differ(other):
    findings = Findings()
    for kind in ({}, other):
        findings.add(
            **{
                "code": "E-CSV-RANGE",
                "problem": "it is wrong",
                "remedy": "correct it",
                "file": "a.csv",
                **kind,
            }
        )
    assert len(compact_lines(findings)) == 2
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [1, 1]


@pytest.mark.parametrize("files", ["ab", "abcd"])
def test_a_rule_broken_in_several_files_is_shown_with_the_first_problem(files):
    findings = Findings()
    for file in files:
        for value in (21, 22):
            findings.add(
                "E-CSV-RANGE", f"{file} holds {value}", "correct it", file=f"{file}.csv", rule="range"
            )
    (placed,) = findings.summary().problems()
    assert placed.first == findings.problems[0]
    assert (placed.n_places, placed.n_files) == (2 * len(files), len(files))


def test_what_was_not_looked_at_is_added_to_no_kind():
    findings = Findings()
    for place in range(2):
        findings.add("E-CSV-RANGE", "'it's' is wrong", "correct it", file="a.json", where=f"/{place}")
        findings.add("E-CSV-LABEL", "'it's' is wrong", "correct it", file="b.json", where=f"/{place}")
    assert (findings.total, findings.is_complete) == (4, True)
    findings.count_unread(5, "a.json")
    assert (findings.total, findings.is_complete) == (9, False)
    assert findings.summary().not_shown() == 5
    lines = findings.lines()
    assert len(lines) == 3
    assert ["at least" in line for line in lines] == [True, False, True]
    assert [(kind["count"], kind["at_least"]) for kind in plain_findings(findings)["kinds"]] == [
        (2, True),
        (2, False),
    ]


def with_problems(n_kinds, each):
    findings = Findings()
    for kind in range(n_kinds):
        for row in range(each):
            findings.add(
                "E-CSV-RANGE",
                "it is wrong",
                "correct it",
                file="a.csv",
                where=f"line {row + 1}",
                rule=str(kind),
            )
    return findings


def test_of_one_kind_two_hundred_are_kept_and_all_are_counted():
    findings = Findings()
    wrong = np.ones(204, bool)
    wrong[1] = False
    for row in findings.first_of(wrong):
        findings.add("E-CSV-RANGE", "it is wrong", "correct it", file="a.csv", where=f"line {row + 1}")
    assert (len(findings.problems), findings.total, findings.is_complete) == (200, 203, True)
    (placed,) = findings.summary().problems()
    assert (placed.as_dict()["where"], placed.n_places) == ("line 1, line 3, line 4", 203)
    assert plain_findings(findings)["kinds"] == [
        {"code": "E-CSV-RANGE", "file": "a.csv", "count": 203, "at_least": False, "first": "line 1"}
    ]
    assert plain_findings(findings)["more"] == 3


def test_nothing_wrong_is_no_problem():
    findings = Findings()
    assert list(findings.first_of(np.zeros(9, bool))) == []
    assert findings.ok and findings.is_complete and compact_lines(findings) == []
    assert plain_findings(findings) == {"valid": True, "problems": [], "more": 0, "kinds": [], "notes": []}


def test_twenty_kinds_are_shown():
    findings = with_problems(23, 2)
    lines = findings.lines()
    assert (len(lines), values_of(lines[-1]), findings.summary().not_shown()) == (21, ["6"], 6)
    assert lines[19] == "20. E-CSV-RANGE a.csv: it is wrong; correct it. In 2 places: line 1, line 2."
    assert with_problems(20, 1).lines()[-1] == "20. E-CSV-RANGE a.csv: it is wrong; correct it. At line 1."
    assert len(findings.lines(most=None)) == 23


def test_how_many_problems_there_are_is_put_in_words():
    summary = with_problems(1, 1).summary()
    assert (summary.total_text(), summary.not_shown_text()) == ("1 problem", "")
    findings = with_problems(21, 100)
    assert findings.summary().total_text() == "21 problems, in 2,100 places"
    assert findings.summary().not_shown_text() == "and others, in 100 more places; fix these first"
    findings.count_unread(1000, "a.csv")
    assert findings.summary().total_text() == "at least 21 problems, in at least 3,100 places"
    assert findings.summary().not_shown_text() == "and at least 1,100 more places; fix these first"


def test_notes_on_likely_mistakes_come_first():
    codes = ["N-FOLDER", "N-LOOKS-CONSTANT", "N-FILE-IGNORED", "N-EMPTY"]
    lines = note_lines([Note(code, "text") for code in codes])
    places = [codes.index(code) for line in lines for code in codes if code in line]
    assert places == [1, 3, 0, 2]


def test_a_problem_as_data_has_the_public_keys():
    problem = Problem("E-CSV-RANGE", "it is wrong", "correct it", "a.csv", "line 1", "rule")
    assert problem.as_dict() == {
        "code": "E-CSV-RANGE", "problem": "it is wrong", "hint": "correct it", "file": "a.csv", "where": "line 1",
    }  # fmt: skip


def test_one_and_many_are_counted():
    assert [counted(number, "box", "boxes") for number in (0, 1, 2)] == ["0 boxes", "1 box", "2 boxes"]
    assert counted(2000, "video") == "2,000 videos"


def add(findings, code, where=""):
    findings.add(code, "it is wrong", "correct it", where=where)


def refuse(*codes):
    """Raise Refused with a problem of each code and a note."""
    with Findings.collect() as findings:
        findings.note("N-JUNK", f"before {codes[0]}")
        for code in codes:
            add(findings, code)


def codes(findings):
    return [problem.code for problem in findings.problems]


def test_collecting_without_a_problem_gives_the_notes():
    with Findings.collect() as findings:
        assert findings.take(Read("content", [Note("N-JUNK", "read")])) == "content"
        findings.note("N-FOLDER", "afterwards")
    assert [note.code for note in findings.notes] == ["N-JUNK", "N-FOLDER"]


def test_problems_of_all_parts_are_reported_in_their_order():
    def collect():
        with Findings.collect() as findings:
            with findings.part():
                refuse("E-ZIP-BOMB", "E-ZIP-CASE")
            add(findings, "E-ZIP-COUNT")
            with findings.part():
                findings.take(Read(None, [Note("N-FOLDER", "fine")]))
            with findings.part():
                add(findings, "E-ZIP-DAMAGED")
                refuse("E-ZIP-EMPTY")
            refuse("E-ZIP-LINK")

    findings = refused(collect)
    assert codes(findings) == [
        "E-ZIP-BOMB",
        "E-ZIP-CASE",
        "E-ZIP-COUNT",
        "E-ZIP-DAMAGED",
        "E-ZIP-EMPTY",
        "E-ZIP-LINK",
    ]
    assert [note.text for note in findings.notes] == [
        "before E-ZIP-BOMB",
        "fine",
        "before E-ZIP-EMPTY",
        "before E-ZIP-LINK",
    ]


def test_own_findings_that_are_raised_within_a_part_count_once():
    with pytest.raises(Refused) as caught, Findings.collect() as findings:
        with findings.part():
            add(findings, "E-ZIP-BOMB")
            findings.refuse_problems()
        add(findings, "E-ZIP-CASE")
    assert caught.value.findings is findings
    assert (codes(findings), findings.total) == (["E-ZIP-BOMB", "E-ZIP-CASE"], 2)


def test_problems_of_inner_collections_are_those_of_the_outer_one():
    def inner():
        with Findings.collect() as findings:
            add(findings, "E-ZIP-CASE")
            refuse("E-ZIP-COUNT")

    def outer():
        with Findings.collect() as findings:
            add(findings, "E-ZIP-BOMB")
            with findings.part():
                inner()
            add(findings, "E-ZIP-DAMAGED")

    assert codes(refused(outer)) == ["E-ZIP-BOMB", "E-ZIP-CASE", "E-ZIP-COUNT", "E-ZIP-DAMAGED"]


def test_other_exceptions_pass():
    findings = Findings()
    with pytest.raises(ValueError, match="our own"), findings.part():
        raise ValueError("our own")
    with pytest.raises(ValueError, match="our own"), Findings.collect() as findings:
        add(findings, "E-ZIP-BOMB")
        raise ValueError("our own")
    assert codes(findings) == ["E-ZIP-BOMB"]


def test_problems_refuse_and_notes_do_not():
    findings = Findings()
    findings.note("N-JUNK", "fine")
    findings.refuse_problems()
    findings.count_unread(1, "a.csv")
    assert refused(findings.refuse_problems) is findings


def test_an_exception_reads_as_its_lines():
    with pytest.raises(
        Refused, match=r"^1\. E-ZIP-BOMB: it is wrong; correct it\.\n2\. E-ZIP-CASE: it is wrong; correct"
    ):
        refuse("E-ZIP-BOMB", "E-ZIP-CASE")


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["add", "first_of", "unread", "note"]),
        st.integers(0, 4),
        st.sampled_from([1, 2, 150, 201]),
    ),
    max_size=8,
).map(lambda events: list(enumerate(events)))


def recorded(events):
    """Return the findings of events: (number, (what, kind, how many))."""
    findings = Findings()
    for number, (what, kind, count) in events:
        file, rule = f"{kind % 2}.csv", f"rule {kind}"
        if what == "note":
            findings.note("N-JUNK", f"note {number} of {kind}")
        elif what == "unread":
            findings.count_unread(count, file)
        else:
            rows = range(count) if what == "add" else findings.first_of(np.ones(count, bool))
            for row in rows:
                findings.add(
                    "E-CSV-RANGE", f"{number} is wrong", "?", file=file, where=f"line {row}", rule=rule
                )
    return findings


def summarized(findings):
    kept = findings.problems, findings.notes, plain_findings(findings)
    return (
        *kept,
        findings.lines(1),
        findings.summary().not_shown(1),
        findings.summary().total_text(),
        findings.is_complete,
    )


@fewer_examples()
@given(EVENTS, st.integers(0, 8), st.integers(0, 8))
def test_findings_of_parts_count_as_those_of_the_whole(events, first, length):
    """Counts, caps, the order, and "at least" do not depend on how findings are put together."""
    inner = recorded(events[first : first + length])
    inner.extend(recorded(events[first + length :]))
    outer = recorded(events[:first])
    outer.extend(inner)
    assert summarized(outer) == summarized(recorded(events))


def test_five_thousand_problems_are_kept_of_all_parts_together():
    findings = with_problems(20, 200)
    findings.extend(with_problems(26, 201))
    assert (len(findings.problems), findings.total) == (5001, 20 * 200 + 26 * 201)
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [401] * 20 + [201] * 6


def test_a_problem_that_is_refused_at_once_comes_after_the_others_and_hides_its_cause():
    findings = Findings()
    findings.add("E-ZIP-BOMB", "first", "x")
    with pytest.raises(Refused) as caught:
        try:
            raise ValueError("secret")
        except ValueError:
            findings.refuse("E-ZIP-CASE", "second", "y", file="f", where="w", rule="r")
    assert caught.value.findings is findings
    assert [problem.kind for problem in findings.problems] == [
        ("E-ZIP-BOMB", "", ""),
        ("E-ZIP-CASE", "f", "r"),
    ]
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("places", "line"),
    [
        ([("", "")], ": it is 0; count from 1."),
        ([("a.csv", "")], " a.csv: it is 0; count from 1."),
        ([("a.csv", "line 2")], " a.csv: it is 0; count from 1. At line 2."),
        ([("a.csv", f"/{n}") for n in range(1788)], " a.csv: it is 0; count from 1. In 1,788 places: /0, /1, /2 and 1,785 more."),
        ([(f"{name}.csv", "line 1") for name in "abcde"], ": it is 0; count from 1. In 5 files: a.csv line 1, b.csv line 1, c.csv line 1 and 2 more."),
        ([(f"{name}.csv", "") for name in "aabbccdd"], ": it is 0; count from 1. In 8 places in 4 files: a.csv, b.csv, c.csv and 1 more."),
    ],
    ids=["no file", "no place", "one place", "many places", "files", "places in files"],
)  # fmt: skip
def test_a_problem_is_a_line_that_ends_with_its_first_places(places, line):
    findings = Findings()
    for file, where in places:
        findings.add("E-CSV-RANGE", "it is 0", "count from 1", file=file, where=where, rule="range")
    assert findings.lines() == [f"1. E-CSV-RANGE{line}"]


def test_files_are_renamed_with_all_that_was_counted():
    findings = Findings()
    for number in range(300):
        findings.add("E-CSV-RANGE", "it is 0", "count from 1", file="a.csv", where=f"line {number}")
    findings.count_unread(5, "a.csv")
    renamed = findings.with_files(lambda file: f"mine: {file}")
    assert {problem.file for problem in renamed.problems} == {"mine: a.csv"}
    assert renamed.summary().total_text() == findings.summary().total_text()
    assert renamed.lines()[0].startswith("1. E-CSV-RANGE mine: a.csv: it is 0")


def test_a_long_path_keeps_its_end():
    findings = Findings()
    findings.add("E-REF-NONE", "a file is missing", "add it", file=f"{'folder/' * 20}settings.yaml")
    (problem,) = findings.problems
    assert problem.file.startswith("…")
    assert problem.file.endswith("/folder/settings.yaml")


def test_a_question_ends_without_a_period():
    findings = Findings()
    findings.add("E-SETTINGS-KEY", "there is no setting of this name", "did you mean protocol?")
    (problem,) = findings.problems
    assert problem.cure().endswith("did you mean protocol?")
