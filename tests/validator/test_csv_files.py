"""The CSV engine: what it accepts, where it points when it does not, and that both of its ways agree."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import findings_of
from validator.csv_files import read_csv_files
from validator.findings import Findings, Refused, printable
from validator.formats.chalearn.read import csv_rules
from validator.formats.rules import load_rules

RULES = csv_rules(load_rules("chalearn_gesture"))


def read(data, last=None, rules=RULES):
    """Return the rows, None if the file is refused, and the findings."""
    try:
        rows = read_csv_files([("S1", "S1_prediction.csv", data)], rules, last)
    except Refused as refused:
        return None, refused.findings
    return rows.content.values.tolist(), Findings(notes=rows.notes)


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", []),
        (b"1,2,3", [[1, 2, 3]]),
        (b"1,2,3\n", [[1, 2, 3]]),
        (b" 1 ,\t2, 3 \n20,7,7\n", [[1, 2, 3], [20, 7, 7]]),
        (b"01,2,003\n", [[1, 2, 3]]),
    ],
)
def test_plain_files_are_read_without_a_note(data, rows):
    values, findings = read(data)
    assert values == rows
    assert findings.problems == []
    assert findings.notes == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xef\xbb\xbf1,2,3\n", "byte order mark"),
        (b"1,2,3\r\n", "Windows line ends"),
        (b"1,2,3\n\n", "empty line"),
        (b"1,2,3\n  \n\n", "empty line"),
    ],
)
def test_odd_but_harmless_files_are_read_with_a_note(data, words):
    values, findings = read(data)
    assert values == [[1, 2, 3]]
    assert findings.problems == []
    assert words in findings.notes[0].text


@pytest.mark.parametrize(
    ("data", "code", "where", "words"),
    [
        ("gesture,start,end\n1,2,3\n", "E-CSV-HEADER", "line 1 column 1", "header"),
        ("1,2,3\n\n4,5,6\n", "E-CSV-EMPTY-LINE", "line 2 column 1", "empty"),
        ("1;2;3\n", "E-CSV-SEPARATOR", "line 1 column 1", "commas"),
        ("1\t2\t3\n", "E-CSV-SEPARATOR", "line 1 column 1", "commas"),
        ("1,2\n", "E-CSV-COLUMNS", "line 1 column 2", "2 fields instead of 3"),
        ("1,2,3,4\n", "E-CSV-COLUMNS", "line 1 column 4", "4 fields"),
        ("1,2,12.0\n", "E-CSV-INTEGER", "line 1 column 3", "write 12"),
        ('1,"2",3\n', "E-CSV-INTEGER", "line 1 column 2", "quoted"),
        ("1,2,3\n1,,3\n", "E-CSV-INTEGER", "line 2 column 2", "empty"),
        ("1,2,x\n", "E-CSV-INTEGER", "line 1 column 3", "not a whole number"),
        ("1,-2,3\n", "E-CSV-INTEGER", "line 1 column 2", "sign"),
        ("1,2,12345678901234567890.0\n", "E-CSV-INTEGER", "line 1 column 3", "write 123456789012345678."),
        ("1,2,nan\n", "E-CSV-INTEGER", "line 1 column 3", "'nan'"),
        ("1,2,1e999\n", "E-CSV-INTEGER", "line 1 column 3", "not a whole number"),
        ("1,2," + "9" * 400 + "\n", "E-CSV-INTEGER", "line 1 column 3", "too many digits"),
        ("1,2,٣\n", "E-CSV-INTEGER", "line 1 column 3", "digits only"),
        ("1,1_0,3\n", "E-CSV-INTEGER", "line 1 column 2", "digits only"),
        ("0,2,3\n", "E-CSV-RANGE", "line 1 column 1", "gesture 0 is not in 1..20"),
        ("21,2,3\n", "E-CSV-RANGE", "line 1 column 1", "gesture 21"),
        ("1,0,3\n", "E-CSV-RANGE", "line 1 column 2", "1 or more"),
        ("1,2,3\n1,120,90\n", "E-CSV-RANGE", "line 2 column 3", "end frame 90 is before start frame 120"),
        ("1,2,3\n1,2,3\u2028\n", "E-CSV-INTEGER", "line 2 column 3", "not a whole number"),
    ],
)
def test_wrong_line_is_located(data, code, where, words):
    _, findings = read(data.encode())
    problem = findings.problems[0]
    assert (problem.code, problem.file, problem.where) == (code, "S1_prediction.csv", where)
    assert words in problem.line()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("1,2,3\n".encode("utf-16"), "UTF-16"),
        ("1,2,3\n".encode("utf-16-le"), "UTF-16"),
        (b"1,2,3\n1,\x002,3\n", "NUL"),
        (b"1\0,", "NUL"),
        (b"1\0,2", "NUL"),
        (b"1,2\0", "NUL"),
        (b"1,2,3\n1,\xff,3\n", "not valid UTF-8"),
    ],
)
def test_wrong_encoding_is_located(data, words):
    _, findings = read(data)
    assert findings.problems[0].code == "E-CSV-ENCODING"
    assert words in findings.problems[0].line()


def test_further_columns_are_left_out_where_the_rules_allow_them():
    rules = replace(RULES, extra_columns=True)
    for data, rows in (
        (b"1,2,3,0.5,x\n4,5,6\n", [[1, 2, 3], [4, 5, 6]]),
        (b"4,5,6\n\n1,2,3,\r\n", None),
        (b"1,2,3,0.5", [[1, 2, 3]]),
        (b"1,2\n", None),
        (b"1,x,3,4\n", None),
    ):
        found, findings = read(data, rules=rules)
        assert found == rows
    assert (
        findings.problems[0]
        .line()
        .startswith("E-CSV-INTEGER S1_prediction.csv line 1 column 2: start frame 'x'")
    )


def test_first_frame_behind_the_end_is_a_problem_that_hides_the_number_of_frames():
    _, findings = read(b"1,1234,2000\n", {"S1": 1233})
    assert "start frame 1234 is after the last frame;" in findings.lines()[0]
    assert "1233" not in findings.lines()[0]


def test_last_frame_behind_the_end_is_noted_and_left_to_the_metric():
    values, findings = read(b"1,10,2000\n1,5,100\n", {"S1": 100})
    assert values == [[1, 10, 2000], [1, 5, 100]]
    assert findings.notes[0].text == "1 row cut at the last frame: the end frame is after it"


def test_a_million_bad_lines_are_counted_and_not_kept():
    _, findings = read(b"x\n" * 100_000)
    assert findings.total == 100_000
    assert len(findings.problems) <= 201
    assert len(findings.lines()) == 3
    assert "(at least 1,999 such problems)" in findings.lines()[1]
    assert findings.lines()[2] == "and at least 98,000 more of these or other kinds; fix these first"
    assert findings.total_text() == "at least 100,000 problems"


def test_each_kind_of_bad_line_is_counted_for_itself():
    _, findings = read(b"1,2\n" * 300 + b"1,2,x\n" + b"1\n1;2;3\n" * 200)
    counts = [(kind["code"], kind["count"], kind["at_least"]) for kind in findings.as_dict()["kinds"]]
    assert counts == [
        ("E-CSV-COLUMNS", 500, False),
        ("E-CSV-INTEGER", 1, False),
        ("E-CSV-SEPARATOR", 200, False),
    ]
    assert (findings.total, findings.total_text()) == (701, "701 problems")


def test_rows_from_zero_and_other_wrong_ones_are_counted_apart():
    _, findings = read(b"0,1,2\n" * 300 + b"99,1,2\n" * 250)
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [300, 250]


@pytest.mark.parametrize(("n", "files"), [(1, "1 file"), (2, "2 files")])
def test_notes_on_files_say_one_and_many(n, files):
    own = [(f"S{number}", f"S{number}_prediction.csv", b"\xef\xbb\xbf1,5,9\r\n\r\n") for number in range(n)]
    findings = findings_of(read_csv_files, own, RULES, {key: 7 for key, _, _ in own})
    assert [note.line() for note in findings.notes] == [
        f"N-CSV-READ: a byte order mark was skipped in {files}",
        f"N-CSV-READ: Windows line ends were accepted in {files}",
        f"N-CSV-READ: an empty line at the end was accepted in {files}",
        f"N-CSV-CUT: {files.replace('file', 'row')} cut at the last frame: the end frame is after it",
    ]


def test_different_texts_of_one_rule_are_one_kind():
    for lines, n_kinds in ((["1.0", "25.00", "3."], 1), (["x", "y", "'"], 1), (["1.0", "x", "+1", ""], 4)):
        _, findings = read("".join(f"1,{field},3\n" for field in lines).encode())
        assert (len(findings.lines()), findings.total) == (n_kinds, len(lines))
    # One text, two columns.
    assert len(read(b"1,x,3\n1,2,x\n")[1].lines()) == 2


def test_bad_ranges_are_counted_too():
    _, findings = read(b"99,1,2\n" * 1000)
    assert findings.total == 1000
    assert len(findings.problems) == 200
    assert "(1,000 such problems)" in findings.lines()[0]


def test_one_kind_of_problem_does_not_hide_another():
    _, findings = read(b"99,1,2\n" * 100 + b"1,5,2\n")
    assert any("is before start frame" in line for line in findings.lines())


FIELD = st.one_of(
    st.integers(0, 30).map(str),
    st.sampled_from(["", " 3", "3 ", "x", "1.0", "-1", "1e3", "٣", '"1"', "1;2", "\x1f", "\x0b"]),
)
LINE = st.lists(FIELD, min_size=1, max_size=4).map(",".join)
TEXT = st.tuples(
    st.lists(LINE, max_size=5), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\n", "\r\n\n"])
).map(lambda parts: parts[1].join(parts[0]) + parts[2])


@given(TEXT)
def test_engine_agrees_with_a_plain_reader(text):
    values, findings = read(text.encode())
    lines = re.split("\r\n|\r|\n", text)
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    rows, good = [], True
    for line in lines:
        fields = [field.strip(" \t") for field in line.split(",")]
        if len(fields) != 3 or not all(re.fullmatch("[0-9]+", field) for field in fields):
            good = False
            continue
        row = [int(field) for field in fields]
        good &= 1 <= row[0] <= 20 and 1 <= row[1] <= row[2]
        rows.append(row)
    assert findings.ok == good
    assert values == (rows if good else None)


@given(st.binary(max_size=60))
def test_any_bytes_end_in_rows_or_located_problems(data):
    _, findings = read(data)
    assert all(
        (problem.file and problem.where) or "UTF-16" in problem.problem for problem in findings.problems
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"1,2,3\n1,\xff,3\n", "line 2 column 1: byte 8 is not valid UTF-8"),
        (b"1,2,3\n1,2,3\n1,\0,3\n", "line 3 column 1: there is a NUL byte"),
    ],
)
def test_encoding_problems_name_their_line(data, words):
    _, findings = read(data)
    assert words in findings.lines()[0]


def test_rows_past_the_last_frame_are_counted_in_a_note():
    _, findings = read(b"1,2,3\n1,5,11\n2,6,12\n1,2,10\n", {"S1": 10})
    assert [note.text for note in findings.notes] == [
        "2 rows cut at the last frame: the end frame is after it"
    ]


def test_accepted_oddities_are_counted_over_files():
    files = [(str(i), f"{i}_prediction.csv", b"1,2,3\r\n") for i in range(3)]
    findings = findings_of(read_csv_files, files, RULES)
    assert [note.text for note in findings.notes] == ["Windows line ends were accepted in 3 files"]


def test_of_very_many_bad_lines_two_hundred_are_kept_and_all_are_counted():
    _, findings = read(b"1,2\n" * 270)
    assert len(findings.problems) == 200
    assert findings.total == 270


@pytest.mark.parametrize(
    ("n_wrong", "n_rows", "hint"),
    [(2, 3, False), (3, 3, True), (4, 4, True), (3, 14, True), (3, 15, False), (3, 16, False)],
)
def test_many_ends_before_their_start_may_be_lengths(n_wrong, n_rows, hint):
    _, findings = read(b"1,9,3\n" * n_wrong + b"1,2,3\n" * (n_rows - n_wrong))
    assert findings.total == n_wrong
    assert ("if it is a length, write start + length - 1" in findings.problems[0].remedy) == hint


def test_lines_count_from_the_start_of_each_file():
    files = [("S1", "S1_prediction.csv", b"1,1,2\n1,1,2\n"), ("S2", "S2_prediction.csv", b"1,1,2\n99,1,2\n")]
    findings = findings_of(read_csv_files, files, RULES)
    assert "S2_prediction.csv line 2 column 1: gesture 99 is not in 1..20" in findings.lines()[0]


@pytest.mark.parametrize(
    "line",
    [
        "a" + " " * 300_000 + "!",
        " " * 300_000,
        "1," + " " * 300_000 + "x",
        '"' * 300_000,
        "1" * 300_000,
        "a;" * 150_000,
    ],
)
def test_long_lines_are_explained_in_linear_time(line):
    # Quadratic patterns take minutes here.
    _, findings = read(f"{line}\n1,2,x\n".encode())
    assert findings.total == 2


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_characters_that_others_take_for_ends_of_lines_are_refused(mark):
    rules = replace(RULES, extra_columns=True)
    (problem,) = read(f"1,2,3,{mark}9,9,9\n4,5,6\n".encode(), rules=rules)[1].problems
    assert (problem.code, problem.where) == ("E-CSV-ENCODING", "line 1 column 4")
    assert problem.problem == f"'{printable(mark)}9' holds control characters"
