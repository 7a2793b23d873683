"""Tables of items: what is accepted, and where messages point when it is not."""

from __future__ import annotations

import csv
import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import compact_lines, places_of, text_of, values_of
from validator.findings import Findings, Refused
from validator.formats.items import table
from validator.formats.items.table import read_table
from validator.formats.values import parse_form

pytestmark = pytest.mark.interpreters

BIRDS = parse_form("birds.csv", {"kind": "label", "labels": ["robin", "wren"]})
SIZES = parse_form("birds.csv", {"kind": "columns", "columns": ["n", "p"], "minimum": 0, "maximum": 9})
GOOD = "id,n,p\na,1,0.5\nb,2,1e-3\n"


def table_of(text, *keys, form=SIZES):
    """Return the values of a table, None if it is refused, and the findings."""
    data = text if isinstance(text, bytes) else text.encode()
    try:
        found = read_table(data, "birds.csv", form, *keys)
    except Refused as refused:
        return None, refused.findings
    return found.content, Findings(notes=found.notes)


def birds_of(text, *keys):
    return table_of(text, *keys, form=BIRDS)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "\ufeff" + GOOD,
        GOOD + "\n\n",
        "p,n,id\n0.5,1,a\n1e-3,2,b\n",
        ",id,n,p,comment\n0,a,1,0.5,x\n1,b,2,0.001,\n",
        '"id","n","p"\n"a","1","0.5"\n"b","2","0.001"\n',
        "id, n, p\na, +1, .5\nb, 02., 0.001\n",
    ],
)
def test_files_as_people_have_them(text):
    values, findings = table_of(text)
    assert compact_lines(findings) == []
    assert values.keys == ["a", "b"]
    assert values.values.tolist() == [[1, 0.5], [2, 0.001]]


def test_labels_are_numbers_of_labels():
    values, findings = birds_of("id, label\na, wren\nb,robin\n")
    assert compact_lines(findings) == []
    assert (values.keys, values.values.tolist(), values.names) == (["a", "b"], [1, 0], ("robin", "wren"))
    assert values.values.dtype == np.int64


@pytest.mark.parametrize(
    ("form", "text", "columns"),
    [
        (SIZES, "np.str_('id'),n,p\na,1,0.5\n", [1]),
        (SIZES, "a,np.int64(1),np.float64(3.0)\n", [1]),
        (SIZES, "id,n,p\na,np.int64(1),np.float64(3.0)\n", [2, 3]),
        (BIRDS, "id,label\na,np.str_('robin')\n", [2]),
    ],
)
def test_tables_that_numpy_printed_are_said_to_be(form, text, columns):
    _, findings = table_of(text, form=form)
    assert [int(problem.where.split()[-1]) for problem in findings.problems] == columns
    assert all("numpy" in problem.problem for problem in findings.problems)


def test_accepted_oddities_are_noted():
    _, findings = table_of("\ufeff" + GOOD.replace("\n", "\r\n"))
    assert [note.code for note in findings.notes] == ["N-CSV-READ", "N-CSV-READ"]
    assert [values_of(note.text) for note in findings.notes] == [["1"], ["1"]]


def test_columns_that_are_not_needed_are_named():
    _, findings = table_of("id,n,p,,extra\na,1,1,7,8\n")
    (note,) = findings.notes
    assert note.code == "N-CSV-COLUMNS"
    assert "birds.csv" in note.text
    assert note.text.endswith(": (no name), extra")
    for n, named in ((5, "c0, c1, c2, c3, c4"), (6, "c0, c1, c2, c3, c4, …"), (7, "c0, c1, c2, c3, c4, …")):
        others = ",".join(f"c{i}" for i in range(n))
        assert table_of(f"id,n,p,{others}\n")[1].notes[0].text.endswith(f": {named}")


@pytest.mark.parametrize(
    ("text", "code", "where", "keyword"),
    [
        ("", "E-CSV-HEADER", "line 1 column 1", "no id and no n and no p"),
        ("a,1,1\n", "E-CSV-HEADER", "line 1 column 1", "no id"),
        ("id,n,p,n\n", "E-CSV-HEADER", "line 1 column 1", "several columns n"),
        ("id;n;p\na;1;1\n", "E-CSV-SEPARATOR", "line 1 column 1", "semicolons"),
        ("id;n;p\na;1,0;1\n", "E-CSV-SEPARATOR", "line 1 column 1", "a point for decimals"),
        ("id\tn\tp\tx\n", "E-CSV-SEPARATOR", "line 1 column 1", "tabs"),
        ("id\uff0cn\uff0cp\n", "E-CSV-SEPARATOR", "line 1 column 1", "full-width commas"),
        ("id;n;p,x\n", "E-CSV-HEADER", "line 1 column 1", "no id and no n"),
        ("something\n", "E-CSV-HEADER", "line 1 column 1", "no id and no n"),
        ("id,n,p\na,1\n", "E-CSV-COLUMNS", "line 2 column 3", "2 fields"),
        ("id,n,p\na\uff0c1\uff0c1\n", "E-CSV-COLUMNS", "line 2 column 2", "'a\uff0c1\uff0c1'"),
        ("id,n,p\na,b,1,1\n", "E-CSV-COLUMNS", "line 2 column 4", "4 fields"),
        ("id,n,p\na,1,1,\nb,1,1,\n", "E-CSV-COLUMNS", "line 2 column 4", "the comma at the end"),
        ("id,n,p\n\na,x,1\n", "E-CSV-NUMBER", "line 3 column 2", "'x'"),
        ("n,id,p\n1,,1\n", "E-CSV-EMPTY", "line 2 column 2", "id"),
        (GOOD + ",,\n , ,\n,\n", "E-CSV-EMPTY", "line 4 column 1", "the row is empty; delete it"),
        ("id,n,p\na,tensor(1),1\n", "E-CSV-NUMBER", "line 2 column 2", "PyTorch"),
        ("id,n,p\na,1_0,1\n", "E-CSV-NUMBER", "line 2 column 2", "n '1_0'"),
        ("id,n,p\na,١,1\n", "E-CSV-NUMBER", "line 2 column 2", "n '١'"),
        ("id,n,p\na,1,1e999\n", "E-CSV-NUMBER", "line 2 column 3", "p '1e999'"),
        ("id,n,p\na,1,0.5;\n", "E-CSV-NUMBER", "line 2 column 3", "p '0.5;'"),
        ("id,n,p\na,1,\n", "E-CSV-NUMBER", "line 2 column 3", "p ''"),
        ("id,n,p\na,1,-1\n", "E-CSV-RANGE", "line 2 column 3", "0..9"),
        ("id,n,p\na,10,1\n", "E-CSV-RANGE", "line 2 column 2", "0..9"),
        ('id,n,p\na,"1,1\n', "E-CSV-SYNTAX", "line 2", ""),
        (GOOD + "a,1,1\n", "E-KEY-TWICE", "line 4 column 1", "line 2 column 1"),
        (GOOD.encode() + b"\0", "E-CSV-ENCODING", "line 4 column 1", "NUL"),
        (b"\x1f\x8b\x08\0", "E-FILE-KIND", "", "unpack"),
    ],
)
def test_problems_have_their_place(text, code, where, keyword):
    values, findings = table_of(text)
    assert values is None
    (placed,) = findings.summary().problems()
    problem = placed.first
    assert (problem.code, problem.file, problem.where) == (code, "birds.csv", where)
    assert keyword in text_of(problem)


def test_rows_of_another_type_or_length_hide_no_problem_of_others():
    text = "id,n,p\na,1,0.5\nb,1\nc,x,0.5\nd,-1,-2\na,1,nan\n"
    _, findings = table_of(text, ["a", "b", "c", "d"])
    assert [(problem.code, problem.where) for problem in findings.problems] == [
        ("E-CSV-COLUMNS", "line 3 column 3"),
        ("E-CSV-NUMBER", "line 4 column 2"),
        ("E-CSV-RANGE", "line 5 column 2"),
        ("E-CSV-NUMBER", "line 6 column 3"),
        ("E-CSV-RANGE", "line 5 column 3"),
        ("E-KEY-TWICE", "line 6 column 1"),
    ]


def test_numbers_need_no_bounds():
    form = parse_form("birds.csv", {"kind": "number"})
    values, findings = table_of("id,number\na,-1e8\n", form=form)
    assert compact_lines(findings) == []
    assert values.values.tolist() == [-1e8]


@pytest.mark.parametrize(
    ("n", "hint"), [(4, " l0, l1, l2, l3"), (5, " l0, l1, l2, l3, l4"), (6, " l0, l1, l2, l3, l4, …")]
)
def test_the_first_labels_are_named(n, hint):
    form = parse_form("birds.csv", {"kind": "label", "labels": [f"l{i}" for i in range(n)]})
    _, findings = table_of("id,label\na,owl\n", form=form)
    (problem,) = findings.problems
    assert (problem.code, problem.where, values_of(problem.problem)) == (
        "E-CSV-LABEL",
        "line 2 column 2",
        ["'owl'"],
    )
    assert problem.remedy.endswith(hint)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_table_that_takes_too_much_memory_is_refused(monkeypatch, end):
    text = "id,n,p" + end * 5
    most = table.expected_memory(text.encode())
    monkeypatch.setattr(table, "_MOST_MEMORY", most)
    assert table_of(text)[1].ok
    monkeypatch.setattr(table, "_MOST_MEMORY", most - 1)
    _, findings = table_of(text)
    assert places_of(findings) == [("E-CSV-COUNT", "birds.csv", "")]
    assert values_of(findings.problems[0].problem) == ["5", "2", f"{len(text)}"]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{number},0.25,0.5\n" for number in range(500)),
        "".join(f"{number},0.25,0.5\r\n" for number in range(500)),
        "".join(f"{number},x,y\n" for number in range(500)),
        "".join(f"{number},{'p' * 500},1\n" for number in range(100)),
        "\N{GRINNING FACE},1,1\n" + "".join(f"{number},{'p' * 500},1\n" for number in range(200)),
        "," * 5000,
        "\n" * 2000,
    ],
    ids=["rows", "Windows", "wrong", "long", "wide", "commas", "blank"],
)
def test_no_table_takes_more_memory_than_is_expected(text):
    data = f"id,n,p\n{text}".encode()
    # What explaining imports takes memory once.
    table_of("id,n,p\nx,y,0.5\n")
    tracemalloc.start()
    table_of(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak + len(data) < table.expected_memory(data) + 50_000


def test_rows_come_in_the_order_that_is_asked_for():
    values, findings = table_of(GOOD, ["b", "a"])
    assert compact_lines(findings) == []
    assert (values.keys, values.values.tolist()) == (["b", "a"], [[2, 0.001], [1, 0.5]])
    assert table_of(GOOD, ["a", "b"])[0].values.tolist() == [[1, 0.5], [2, 0.001]]


def test_unknown_double_and_missing_keys_are_named():
    text = GOOD + "x,1,1\na,1,1\n"
    values, findings = table_of(text, ["a", "b", "other1", "other2"])
    assert values is None
    assert places_of(findings) == [
        ("E-KEY-UNKNOWN", "birds.csv", "line 4 column 1"),
        ("E-KEY-TWICE", "birds.csv", "line 5 column 1"),
        ("E-KEY-MISSING", "birds.csv", ""),
    ]
    unknown, twice, missing = findings.problems
    assert values_of(unknown.problem) == ["'x'"]
    assert values_of(twice.problem) == ["'a'", "2", "1"]
    assert values_of(missing.problem)[:2] == ["2", "4"]
    assert "other1, other2" in missing.problem
    (missing,) = table_of("id,n,p\n", ["a"])[1].problems
    assert (missing.code, values_of(missing.problem)) == ("E-KEY-MISSING", ["1", "1"])


def test_many_wrong_labels_are_counted():
    _, findings = birds_of("id,label\n" + "".join(f"{i},owl\n" for i in range(1000)))
    assert findings.total == 1000
    (placed,) = findings.summary().problems()
    places = "line 2 column 2, line 3 column 2, line 4 column 2"
    assert (placed.first.code, placed.as_dict()["where"], placed.n_places) == ("E-CSV-LABEL", places, 1000)
    assert values_of(placed.first.problem) == ["'owl'"]


def test_a_kind_of_problem_is_a_column_and_what_is_wrong_in_it():
    for rows, n_kinds in ((["x,1", "1_,1", ",1"], 1), (["x,x"], 2), (["99,1", "10,1", "1,-1"], 2)):
        _, findings = table_of("id,n,p\n" + "".join(f"{i},{row}\n" for i, row in enumerate(rows)))
        assert len(compact_lines(findings)) == n_kinds
    assert len(compact_lines(table_of("id,n,p,n,id\n")[1])) == 2
    assert len(compact_lines(birds_of("id,label\na,owl\nb,\nc,crow\n")[1])) == 1


@pytest.mark.parametrize("field", ["1" * 100_000 + "x", "1." + "1" * 100_000 + "x", "." * 100_000])
def test_long_fields_are_checked_in_linear_time(field):
    # Quadratic patterns take minutes here.
    _, findings = table_of(f"id,n,p\na,{field},1\n")
    assert places_of(findings) == [("E-CSV-NUMBER", "birds.csv", "line 2 column 2")]


WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1)


@given(st.lists(WORDS.map(str.strip).filter(bool), unique=True), st.randoms())
def test_what_the_csv_module_writes_is_read_back(keys, rng):
    rows = [(key, rng.randrange(10), rng.random()) for key in keys]
    text = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    csv.writer(text, quoting=quoting).writerows([("id", "n", "p"), *rows])
    rng.shuffle(rows)
    values, findings = table_of(text.getvalue(), [row[0] for row in rows])
    assert compact_lines(findings) == []
    assert values.keys == [row[0] for row in rows]
    assert values.values.tolist() == [[n, p] for _, n, p in rows]


@given(st.text('ab,\n\r";19.e-Nid lpn\t', max_size=60))
def test_any_text_ends_in_a_verdict(text):
    for values, findings in (table_of("id,n,p\n" + text), birds_of("id,label\n" + text)):
        assert (values is None) == (not findings.ok)
