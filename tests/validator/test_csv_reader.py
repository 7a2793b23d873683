"""The reader of CSV files without a header: what it accepts, and where it points when it does not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import compact_lines, findings_of, places_of, text_of, values_of
from validator import csv_reader
from validator.checking import plain_findings
from validator.csv_reader import read_csv_files
from validator.findings import Findings, Refused
from validator.formats.rules import Field, load_rules
from validator.texts import printable

pytestmark = pytest.mark.interpreters

(GESTURES,) = load_rules("chalearn_gesture").csv


def read(data, n_frames=None, rules=GESTURES):
    """Return the rows of a file without a header, None if it is refused, and the findings."""
    frames = None if n_frames is None else {"S1": n_frames}
    try:
        rows = read_csv_files([("S1", "S1_prediction.csv", data)], rules, frames)
    except Refused as refused:
        return None, refused.findings
    columns = [rows.content.columns[field.name] for field in rules.fields]
    return np.stack(columns, axis=1).tolist(), Findings(notes=rows.notes)


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
    ("data", "keyword"),
    [
        (b"\xef\xbb\xbf1,2,3\n", "byte order mark"),
        (b"1,2,3\r\n", "Windows"),
        (b"1,2,3\r", "(CR)"),
        (b"1,2,3\n\n", "empty"),
        (b"1,2,3\n  \n\n", "empty"),
    ],
)
def test_odd_but_harmless_files_are_read_with_a_note(data, keyword):
    values, findings = read(data)
    assert values == [[1, 2, 3]]
    assert findings.problems == []
    (note,) = findings.notes
    assert note.code == "N-CSV-READ"
    assert keyword in note.text


@pytest.mark.parametrize(
    ("data", "code", "where", "values"),
    [
        ("1\t2\t3\n", "E-CSV-SEPARATOR", "line 1 column 1", []),
        (" 1  2 3 \n", "E-CSV-SEPARATOR", "line 1 column 1", []),
        ("1,2,3,4\n", "E-CSV-COLUMNS", "line 1 column 4", ["'1,2,3,4'", "4", "3"]),
        ("0,7,10,76\n1,2,80,95\n", "E-CSV-COLUMNS", "line 1 column 1", ["'0,7,10,76'", "4", "3"]),
        ("1,2,12345678901234567890.0\n", "E-CSV-INTEGER", "line 1 column 3", ["'12345678901234567890.0'"]),
        ("1,2,1e999\n", "E-CSV-INTEGER", "line 1 column 3", ["'1e999'", "'%d'", "','"]),
        ("0,2,3\n", "E-CSV-RANGE", "line 1 column 1", ["0", "1", "20", "0", "1", "20"]),
        ("21,2,3\n", "E-CSV-RANGE", "line 1 column 1", ["21", "1", "20", "21", "1", "20"]),
        ("1,0,3\n", "E-CSV-RANGE", "line 1 column 2", ["0", "1", "0", "1"]),
        ("1,2,3\n1,120,90\n", "E-CSV-RANGE", "line 2 column 3", ["90", "120"]),
        ("1,2,3\n1,2,3\u2028\n", "E-CSV-ENCODING", "line 2 column 3", ["'\\u2028'"]),
    ],
)  # fmt: skip
def test_wrong_line_is_located(data, code, where, values):
    _, findings = read(data.encode())
    assert places_of(findings)[0] == (code, "S1_prediction.csv", where)
    assert values_of(text_of(findings.problems[0])) == values


def test_numbers_that_numpy_printed_are_no_header_and_no_words():
    _, findings = read(b"np.int64(7), np.int64(10),np.int64(76)\n7,np.float64(90.0),95\n")
    assert places_of(findings) == [
        ("E-CSV-INTEGER", "S1_prediction.csv", "line 1 column 1"),
        ("E-CSV-INTEGER", "S1_prediction.csv", "line 1 column 2"),
        ("E-CSV-INTEGER", "S1_prediction.csv", "line 1 column 3"),
        ("E-CSV-INTEGER", "S1_prediction.csv", "line 2 column 2"),
    ]
    for problem in findings.problems:
        assert "numpy" in problem.problem
        assert "int(...)" in problem.remedy


@pytest.mark.parametrize("row", ["7,10,5,76", '7,"10,5",76', '7,"1,010",1076'])
def test_a_row_with_a_comma_in_a_number_is_shown_without_a_guess(row):
    _, findings = read(f"7,10,76\n{row}\n".encode())
    (problem,) = findings.problems
    assert (problem.code, problem.where) == ("E-CSV-COLUMNS", "line 2 column 4")
    assert row in problem.problem
    assert problem.remedy == "write gesture,start frame,end frame"


@pytest.mark.parametrize(
    ("rows", "column"),
    [("1,7,10,76\n2,2,80,95\n", 4), ("0,7,10,76\n0,2,80,95\n", 4), ("0,7,10,76\n1,2,80\n", 4)],
)
def test_a_first_column_that_does_not_count_rows_is_no_index(rows, column):
    _, findings = read(rows.encode())
    assert places_of(findings)[0] == ("E-CSV-COLUMNS", "S1_prediction.csv", f"line 1 column {column}")
    assert "index" not in text_of(findings.problems[0])


@pytest.mark.parametrize(
    ("data", "where", "keyword"),
    [
        ('1,"2",3\n', "line 1 column 2", "quoted"),
        ("1,2,3\n1,,3\n", "line 2 column 2", "empty"),
        ("1,+2,3\n", "line 1 column 2", "sign"),
        ("1,-2,3\n", "line 1 column 2", "negative"),
        ('"furbo",2,3\n', "line 1 column 1", "is a word"),
        ("1,2," + "9" * 400 + "\n", "line 1 column 3", "too many digits"),
        ("1,2,٣\n", "line 1 column 3", "the digits 0 to 9"),
        ("1,2,N/A\n", "line 1 column 3", "missing number"),
        ("1,2,tensor(3)\n", "line 1 column 3", "PyTorch"),
        ("1,2,np.True_\n", "line 1 column 3", "numpy"),
        ("1,2,00:03\n", "line 1 column 3", "the number of the frame"),
        ("1,1_0,3\n", "line 1 column 2", "digits only"),
    ],
)
def test_what_is_no_plain_whole_number_is_told_apart(data, where, keyword):
    _, findings = read(data.encode())
    assert places_of(findings)[0] == ("E-CSV-INTEGER", "S1_prediction.csv", where)
    assert keyword in text_of(findings.problems[0])


@pytest.mark.parametrize(
    ("data", "where", "keyword"),
    [
        (b"1,2,3\n1,2,3\n1,\x002,3\n", "line 3 column 2", "NUL"),
        (b"1\0,", "line 1 column 1", "NUL"),
        (b"1,2\0", "line 1 column 2", "NUL"),
        (b"1,2,3\n1,\xff,3\n", "line 2 column 1", "byte 8"),
    ],
)
def test_wrong_encoding_is_told_apart_and_located(data, where, keyword):
    _, findings = read(data)
    assert places_of(findings) == [("E-CSV-ENCODING", "S1_prediction.csv", where)]
    assert keyword in text_of(findings.problems[0])


@pytest.mark.parametrize(
    ("data", "keyword"),
    [
        ("1,2,3\n".encode("utf-16"), "UTF-16"),
        ("1,2,3\n".encode("utf-16-le"), "UTF-16"),
        ("1,2,3\n".encode("utf-32"), "UTF-32"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (b"\x1f\x8b\x08\0", "unpack"),
        (b"PK\x03\x04" + bytes(22) + b"\x13\0\0\0[Content_Types].xml", "Excel"),
        (b"<html>\n", "download"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_told(data, keyword):
    (problem,) = read(data)[1].problems
    assert problem.code == "E-FILE-KIND"
    assert keyword in text_of(problem)


def test_first_frame_behind_the_end_is_a_problem_beside_how_late_rows_end():
    _, findings = read(b"1,1234,2000\n", 1000)
    assert places_of(findings) == [("E-CSV-FRAME", "S1_prediction.csv", "line 1 column 2")]
    assert "up to 2.00 times as late" in findings.problems[0].remedy


def test_last_frame_behind_the_end_is_noted_and_left_to_the_metric():
    values, findings = read(b"1,2,3\n1,5,11\n2,6,12\n1,2,10\n", 10)
    assert values == [[1, 2, 3], [1, 5, 11], [2, 6, 12], [1, 2, 10]]
    (note,) = findings.notes
    assert (note.code, values_of(note.text)) == ("N-CSV-CUT", ["2"])


@pytest.mark.parametrize("line", [b"x\n", b"1,2\n", b"99,1,2\n"], ids=["words", "rows", "ranges"])
def test_of_very_many_bad_lines_two_hundred_are_kept_and_all_are_counted(line):
    _, findings = read(line * 2000)
    assert len(findings.problems) == 200
    kinds = [(kind["count"], kind["at_least"]) for kind in plain_findings(findings)["kinds"]]
    assert kinds == [(2000, False)]
    assert findings.is_complete


def test_bad_lines_of_many_files_are_one_line_however_many_there_are(monkeypatch):
    monkeypatch.setattr(csv_reader, "_MOST_WRONG_LINES", 10_000)
    lines = b"1;2;3\n" * 4_000
    files = [(f"S{number}", f"S{number}_prediction.csv", lines) for number in range(5)]
    findings = findings_of(read_csv_files, files, GESTURES)
    (line, uncounted) = findings.lines()[:2]
    assert line.startswith("1. E-CSV-SEPARATOR: ")
    assert "in 5 files" in line
    assert uncounted.startswith("and at least ")
    assert findings.total == 20_000


def test_bad_lines_of_a_thousand_files_are_all_counted():
    files = [(f"S{number}", f"S{number}_prediction.csv", b"1,2,x\n" * 2) for number in range(1000)]
    (line,) = findings_of(read_csv_files, files, GESTURES).lines()
    assert "In 2,000 places in 1,000 files" in line


def test_each_kind_of_bad_line_is_counted_for_itself():
    _, findings = read(b"1,2\n" * 300 + b"1,2,x\n" + b"1\n1;2;3\n" * 200)
    counts = [(kind["code"], kind["count"], kind["at_least"]) for kind in plain_findings(findings)["kinds"]]
    assert counts == [
        ("E-CSV-COLUMNS", 500, False),
        ("E-CSV-INTEGER", 1, False),
        ("E-CSV-SEPARATOR", 200, False),
    ]
    assert findings.total == 701
    assert findings.is_complete


@pytest.mark.parametrize("n", [1, 2])
def test_notes_on_files_say_how_many(n):
    own = [(f"S{number}", f"S{number}_prediction.csv", b"\xef\xbb\xbf1,5,9\r\n\r\n") for number in range(n)]
    findings = findings_of(read_csv_files, own, GESTURES, dict.fromkeys((key for key, _, _ in own), 7))
    assert [note.code for note in findings.notes] == ["N-CSV-READ", "N-CSV-READ", "N-CSV-READ", "N-CSV-CUT"]
    assert [values_of(note.text) for note in findings.notes] == [[str(n)]] * 4


def test_different_texts_of_one_rule_are_one_kind():
    for lines, n_kinds in (
        (["1.0", "25.00", "3."], 1),
        (["x", "y", "z1"], 1),
        (["nan", "None"], 1),
        (["1.0", "x", "+1", ""], 4),
    ):
        _, findings = read("".join(f"1,{field},3\n" for field in lines).encode())
        assert (len(compact_lines(findings)), findings.total) == (n_kinds, len(lines))
    # One text, two columns.
    assert len(compact_lines(read(b"1,x,3\n1,2,x\n")[1])) == 1


def test_lines_of_another_type_hide_no_problem_of_other_lines():
    _, findings = read(b"x,1,5\n99,1,5\n1,9,5\n\n1,0,4\n1,7,9\n1,700,701\n", 600)
    assert [(problem.code, problem.where) for problem in findings.problems] == [
        ("E-CSV-INTEGER", "line 1 column 1"),
        ("E-CSV-EMPTY-LINE", "line 4 column 1"),
        ("E-CSV-RANGE", "line 2 column 1"),
        ("E-CSV-RANGE", "line 5 column 2"),
        ("E-CSV-RANGE", "line 3 column 3"),
        ("E-CSV-FRAME", "line 7 column 2"),
    ]


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b"0,1,5\n19,6,9\n", ["0", "19", "1", "20"]),
        (b"30,60,3\n40,90,2\n", ["30", "40", "1", "20"]),
    ],
)
def test_the_range_of_all_values_is_told_beside_that_of_the_rules(data, values):
    _, findings = read(data)
    assert values_of(findings.problems[0].remedy) == values


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
        problem.file and (problem.where or problem.code == "E-FILE-KIND") for problem in findings.problems
    )


def test_lines_count_from_the_start_of_each_file():
    files = [("S1", "S1_prediction.csv", b"1,1,2\n1,1,2\n"), ("S2", "S2_prediction.csv", b"1,1,2\n99,1,2\n")]
    findings = findings_of(read_csv_files, files, GESTURES)
    assert places_of(findings)[0] == ("E-CSV-RANGE", "S2_prediction.csv", "line 2 column 1")


@pytest.mark.parametrize(
    "line",
    [
        "a" + " " * 300_000 + "!",
        " " * 300_000,
        "1," + " " * 300_000 + "x",
        '"' * 300_000,
        "1" * 300_000,
        "a;" * 150_000,
        "1;2;" + "3" * 300_000,
        "1,5;2;" + "3" * 300_000,
    ],
)
def test_long_lines_are_explained_in_linear_time(line):
    # Quadratic patterns take minutes here.
    _, findings = read(f"{line}\n1,2,x\n".encode())
    assert findings.total == 2


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_characters_that_others_take_for_ends_of_lines_are_refused(mark):
    (problem,) = read(f"1,2,3,{mark}9,9,9\n4,5,6\n".encode())[1].problems
    assert (problem.code, problem.where) == ("E-CSV-ENCODING", "line 1 column 4")
    assert values_of(problem.problem) == [f"'{printable(mark)}'"]


@pytest.mark.parametrize(
    ("last", "is_noted"),
    [
        ([48, 50, 39, 44], True),
        ([64] * 4, True),
        ([101, 50, 39, 44], False),
        ([300, 300, 300, 450], False),
        ([48, 50, 39, 451], False),
    ],
)
def test_rows_that_end_before_the_second_half_of_all_items_are_noted(last, is_noted):
    items = [f"S{number}" for number in range(4)]
    frames = dict(zip(items, [1000, 1020, 800, 900]))
    files = [(key, f"{key}_prediction.csv", f"1,1,{end}\n".encode()) for key, end in zip(items, last)]
    notes = read_csv_files(files, GESTURES, frames).notes
    assert [note.code for note in notes] == ["N-CSV-EARLY"] * is_noted
    ends = [str(end) for end in sorted({min(last), max(last)})]
    assert all(values_of(note.text) == [*ends, "800", "1,020"] for note in notes)


def test_where_rows_are_refused_nothing_is_said_of_where_they_end():
    # The second column is the last frame, the third the class.
    files = [(f"S{number}", f"S{number}_prediction.csv", b"1,300,7\n") for number in range(4)]
    frames = dict.fromkeys((key for key, _, _ in files), 1000)
    with pytest.raises(Refused) as error:
        read_csv_files(files, GESTURES, frames)
    findings = error.value.findings
    assert {problem.code for problem in findings.problems} == {"E-CSV-RANGE"}
    assert findings.notes == []


@pytest.mark.parametrize(
    ("last", "is_noted"),
    [
        ([600] * 5 + [400] * 5, True),
        ([100, 500] * 5, True),
        ([600] * 5 + [400] * 4, False),
        ([600] * 4 + [400] * 6, False),
        ([671] + [670] * 9, False),
        ([670] * 10, True),
    ],
)
def test_many_items_that_end_at_one_frame_long_before_their_last_are_noted(last, is_noted):
    items = [f"S{number:02d}" for number in range(len(last))]
    frames = dict.fromkeys(items, 1000)
    files = [(key, f"{key}_prediction.csv", f"1,1,{end}\n".encode()) for key, end in zip(items, last)]
    notes = read_csv_files(files, GESTURES, frames).notes
    assert [note.code for note in notes] == ["N-CSV-EARLY"] * is_noted


@pytest.mark.parametrize("background", [0, 21])
@pytest.mark.parametrize(("shift", "is_told"), [(0, True), (1, False), (-1, False)])
def test_rows_of_a_background_are_told_to_be_left_out(background, shift, is_told):
    frames = [(1, 9), (10, 19), (20, 29), (30, 39), (40, 59), (60, 61)]
    lines = []
    for number, (first, last) in enumerate(frames):
        lines.append(f"{number},{first},{last}" if number % 2 else f"{background},{first},{last + shift}")
    _, findings = read("\n".join(lines).encode())
    (kind,) = plain_findings(findings)["kinds"]
    assert (kind["code"], kind["count"]) == ("E-CSV-RANGE", 3)
    assert ("leave them out" in findings.problems[0].remedy) == is_told


def test_a_row_of_a_background_is_no_header_of_pandas():
    _, findings = read(b"0,1,2\n7,3,9\n0,10,19\n7,20,29\n0,30,39\n")
    assert [kind["code"] for kind in plain_findings(findings)["kinds"]] == ["E-CSV-RANGE"]
    assert findings.total == 3


def test_a_number_alone_is_no_header_where_rows_have_one_field():
    rules = GESTURES._replace(fields=(Field("frames", minimum=1),), frames=())
    findings = findings_of(read_csv_files, [("S", "S_data.csv", b"0\n")], rules)
    assert [problem.code for problem in findings.problems] == ["E-CSV-RANGE"]


def test_classes_out_of_range_that_are_several_are_no_background():
    _, findings = read(b"0,1,9\n5,10,19\n21,20,29\n6,30,39\n0,40,49\n")
    assert "leave them out" not in findings.problems[0].remedy


# What is wrong in all rows, and what the message is to say; those that name a change are certain.
CAUSES = [
    ("7,10,76,\n2,80,95,\n", "E-CSV-COLUMNS", "comma at the end", lambda text: text.replace(",\n", "\n")),
    ("7,10,76,0.9\n2,80,95,0.8\n", "E-CSV-COLUMNS", "fourth", lambda text: re.sub(",0[.].", "", text)),
    ("a,7,10,76\nb,2,80,95\n", "E-CSV-COLUMNS", "first", lambda text: re.sub("(?m)^..", "", text)),
    ("7,a,10,76\n2,b,80,95\n", "E-CSV-COLUMNS", "second", lambda text: re.sub(",[ab]", "", text)),
    ("7,10,76\n,2,80,95\n", "E-CSV-COLUMNS", "first", lambda text: re.sub("(?m)^,", "", text)),
    ("0,7,10,76\n1,2,80,95\n", "E-CSV-COLUMNS", "index=False", lambda text: re.sub("(?m)^.,", "", text)),
    ("# a,b,c\n7,10,76\n", "E-CSV-HEADER", "delete the line", lambda text: text.split("\n", 1)[1]),
    ("% a,b,c\n7,10,76\n", "E-CSV-HEADER", "delete the line", lambda text: text.split("\n", 1)[1]),
    ("0,1,2\n7,10,76\n", "E-CSV-HEADER", "delete the line", lambda text: text.split("\n", 1)[1]),
    ("0,1,2\n", "E-CSV-HEADER", "delete the line", lambda text: ""),
    ("a,b,c,\n7,10,76\n", "E-CSV-HEADER", "delete the line", lambda text: text.split("\n", 1)[1]),
    ("7;10;76\n", "E-CSV-SEPARATOR", "semicolons", lambda text: text.replace(";", ",")),
    ("7\uff0c10\uff0c76\n", "E-CSV-SEPARATOR", "full-width", lambda text: text.replace("\uff0c", ",")),
    ("7\u300110\u300176\n", "E-CSV-SEPARATOR", "by ideographic commas", lambda text: text.replace("\u3001", ",")),
    ("7\uff1b10\uff1b76\n", "E-CSV-SEPARATOR", "full-width semi", lambda text: text.replace("\uff1b", ",")),
    ("7,10\uff0c76\n", "E-CSV-SEPARATOR", "commas and full-width", lambda text: text.replace("\uff0c", ",")),
    ("7|10|76|\n", "E-CSV-SEPARATOR", "by vertical bars", lambda text: "7,10,76\n"),
    ("7;10;76;\n", "E-CSV-SEPARATOR", "by semicolons", lambda text: "7,10,76\n"),
    ("7,10,76;\n", "E-CSV-SEPARATOR", "the semicolon at the end", lambda text: text.replace(";", "")),
    ("7,10,76\u3001\n", "E-CSV-SEPARATOR", "the ideographic comma", lambda text: text.replace("\u3001", "")),
    ("7,10,76 ; ,\n2,80,95\n", "E-CSV-SEPARATOR", "the semicolon and the comma at", lambda text: text.replace("; ,", "")),
    ("7,10,76,,\n2,80,95\n", "E-CSV-COLUMNS", "commas at the end", lambda text: text.replace(",,", "")),
    ("7\u300010\u300076\n", "E-CSV-SEPARATOR", "ideographic spaces", lambda text: text.replace("\u3000", ",")),
    ("7 10 76\n", "E-CSV-SEPARATOR", "blanks", lambda text: text.replace(" ", ",")),
    ("7,0;3,0;82,0\n", "E-CSV-SEPARATOR", "decimals", lambda text: text.replace(",0", "").replace(";", ",")),
    ("7,0\t3,0\t82,0\n", "E-CSV-SEPARATOR", "decimals", lambda text: re.sub("\t", ",", text.replace(",0", ""))),
    ("7,0 3,0 82,0\n", "E-CSV-SEPARATOR", "decimals", lambda text: re.sub(" ", ",", text.replace(",0", ""))),
    ("7;3;82,0\n", "E-CSV-SEPARATOR", "decimals", lambda text: text.replace(",0", "").replace(";", ",")),
    ("7;3;1.004\n", "E-CSV-SEPARATOR", "thousands", lambda text: text.replace(".", "").replace(";", ",")),
    ("7.0e+00,1.0e+01,7.6e+01\n", "E-CSV-INTEGER", "fmt='%d'", lambda text: "7,10,76\n"),
    ("7.0,10.0,76.0\n", "E-CSV-INTEGER", "astype(int)", lambda text: text.replace(".0", "")),
    ("\uff17,10,76\n", "E-CSV-INTEGER", "ASCII", lambda text: text.replace("\uff17", "7")),
    ("[7, 10, 76]\n[2, 80, 95]\n", "E-CSV-INTEGER", "bracket", lambda text: re.sub("[][]", "", text)),
    ('"7,10,76"\n"2,80,95"\n', "E-CSV-INTEGER", "without quotes", lambda text: text.replace('"', "")),
    ("1,7,10,76\n2,2,80,95\n3,2,99,120\n", "E-CSV-COLUMNS", "leave out the first column, which counts the rows", lambda text: re.sub("(?m)^.,", "", text)),
    ('"1",7,10,76\n"2",2,80,95\n', "E-CSV-COLUMNS", "first", lambda text: re.sub('(?m)^"."[,]', "", text)),
    ('"","V1","V2","V3"\n', "E-CSV-HEADER", "delete the line", lambda text: ""),
    ('"7","10","76"\n', "E-CSV-INTEGER", "quoted", lambda text: text.replace('"', "")),
    (",0,1,2\n0,7,10,76\n1,2,80,95\n", "E-CSV-COLUMNS", "index=False, header=False", lambda text: "7,10,76\n"),
    (",a,b,c\n0,7,10,76\n1,2,80,95\n", "E-CSV-COLUMNS", "index=False, header=False", lambda text: "7,10,76\n"),
    ("7,10,inf\n", "E-CSV-INTEGER", "a whole number", lambda text: text.replace("inf", "76")),
    ("7,10,76\n# 3 gestures\n", "E-CSV-COLUMNS", "1 field", lambda text: text[: text.index("#")]),
    ("7,10,76\n\n2,80,95\n", "E-CSV-EMPTY-LINE", "delete", lambda text: text.replace("\n\n", "\n")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "words", "cure"), CAUSES)
def test_a_cause_is_named_and_its_cure_leaves_nothing_wrong(text, code, words, cure):
    _, findings = read(text.encode())
    (kind,) = plain_findings(findings)["kinds"]
    assert kind["code"] == code
    assert words in text_of(findings.problems[0])
    assert read(cure(text).encode())[1].ok


def test_a_separator_at_the_end_is_named_beside_what_else_is_wrong():
    _, findings = read(b"7.0,10.0,76.0,\n2.0,80.0,95.0,\n")
    kinds = [(kind["code"], kind["count"]) for kind in plain_findings(findings)["kinds"]]
    assert kinds == [("E-CSV-COLUMNS", 2), ("E-CSV-INTEGER", 6)]
    assert findings.problems[0].remedy == "delete the comma at the end of each row"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("7,0.50,6.00\n2,7.00,8.25\n", "E-CSV-INTEGER"),
        ("7;10;76\n2;900;1.004\n", "E-CSV-SEPARATOR"),
        ("background\nbackground\nshake_hands\n", "E-CSV-COLUMNS"),
    ],
)
def test_lines_that_a_program_writes_in_two_ways_are_one_problem(text, code):
    _, findings = read(text.encode())
    assert [kind["code"] for kind in plain_findings(findings)["kinds"]] == [code]


def test_a_column_too_many_is_named_beside_rows_that_lack_one():
    _, findings = read(b"7,10,76,a\n2,80\n")
    many, few = findings.problems
    assert "leave out the fourth column" in many.remedy
    assert few.remedy == "write gesture,start frame,end frame"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("7,1.004,1.120\n", "without a point for thousands or decimals"),
        ("7,nan,5\n", "missing number"),
        ("7,10,5\n", "start frame <= end frame"),
        ("1,7,10,76\n2,2,80,95\n", "write gesture,start frame,end frame"),
        ("7,1\xa0004,1\xa0120\n", "digits only"),
        ("7.0e+00;1.0e+01;7.6e+01\n", "write gesture,start frame,end frame"),
    ],
)
def test_where_the_cause_is_not_known_no_change_is_named(text, words):
    _, findings = read(text.encode())
    assert words in text_of(findings.problems[0])
    assert not re.search(
        "multiply|swap|length|task|leave out the",
        text_of(findings.problems[0]).replace("leave out the row", ""),
    )
