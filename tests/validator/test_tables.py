"""CSV files with a header: what is accepted, where it points when it does not, keys, and several files."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.findings import Findings, Refused
from validator.tables import TableColumn, TableRules, read_table, table_facts

RULES = TableRules(
    "birds.csv",
    (
        TableColumn("id"),
        TableColumn("label", labels=("robin", "wren")),
        TableColumn("n", "integer", min=0, max=9),
        TableColumn("p", "decimal", min=0),
    ),
)
GOOD = "id,label,n,p\na,robin,1,0.5\nb,wren,2,1e-3\n"


def read(text, *asked, rules=RULES):
    """Return the table, None if the file is refused, and the findings."""
    data = text if isinstance(text, bytes) else text.encode()
    try:
        found = read_table(data, "birds.csv", rules, *asked)
    except Refused as refused:
        return None, refused.findings
    return found.content, Findings(notes=found.notes)


def plain(table):
    return {name: list(values) for name, values in table.columns.items()}


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "\ufeff" + GOOD,
        GOOD + "\n\n",
        "p,n,id,label\n0.5,1,a,robin\n1e-3,2,b,wren\n",
        ",label,id,n,p,comment\n0,robin,a,1,0.5,x\n1,wren,b,2,0.001,\n",
        '"id","label","n","p"\n"a","robin","1","0.5"\n"b","wren","2","0.001"\n',
        "id, label, n, p\na, robin, +1, .5\nb, wren, 02, 0.001\n",
    ],
)
def test_files_as_people_have_them(text):
    table, findings = read(text)
    assert findings.lines() == []
    assert plain(table) == {"id": ["a", "b"], "label": [0, 1], "n": [1, 2], "p": [0.5, 0.001]}
    assert (table.columns["n"].dtype, table.columns["p"].dtype) == (np.int64, np.float64)


def test_accepted_oddities_are_noted():
    _, findings = read("\ufeff" + GOOD.replace("\n", "\r\n"))
    assert [note.line() for note in findings.notes] == [
        "N-CSV-READ: a byte order mark was skipped in 1 file",
        "N-CSV-READ: Windows line ends were accepted in 1 file",
    ]


def test_columns_that_are_not_needed_are_named():
    _, findings = read("id,label,n,p,,extra\na,robin,1,1,7,8\n")
    assert [note.line() for note in findings.notes] == [
        "N-CSV-COLUMNS: birds.csv has columns that are not needed and were ignored: (no name), extra"
    ]
    for n, named in ((5, "c0, c1, c2, c3, c4"), (6, "c0, c1, c2, c3, c4 …"), (7, "c0, c1, c2, c3, c4 …")):
        others = ",".join(f"c{i}" for i in range(n))
        assert read(f"id,label,n,p,{others}\n")[1].notes[0].text.endswith(f"were ignored: {named}")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "1. E-CSV-HEADER birds.csv line 1 column 1: the header has no id and no label and no n and no p: it is ''"),
        ("a,robin,1,1\n", "E-CSV-HEADER birds.csv line 1 column 1: the header has no id"),
        ("id,label,n,p,n\n", "E-CSV-HEADER birds.csv line 1 column 1: there are several columns n"),
        ("id;label;n;p\na;robin;1;1\n", "E-CSV-SEPARATOR birds.csv line 1 column 1: the fields are separated by semi"),
        ("id\tlabel\tn\tp\tx\n", "E-CSV-SEPARATOR birds.csv line 1 column 1: the fields are separated by tabs"),
        ("id;label;n;p,x\n", "E-CSV-HEADER birds.csv line 1 column 1: the header has no id and no label"),
        ("something\n", "E-CSV-HEADER birds.csv line 1 column 1: the header has no id and no label"),
        ("id,label,n,p\na,robin,1\n", "E-CSV-COLUMNS birds.csv line 2 column 4: the row has 3 fields instead of 4"),
        ("id,label,n,p\na,b,robin,1,1\n", "E-CSV-COLUMNS birds.csv line 2 column 5: the row has 5 fields instead of 4"),
        ("id,label,n,p\n\na,owl,1,1\n", "E-CSV-LABEL birds.csv line 3 column 2: label 'owl' is not a label"),
        ("label,id,n,p\nrobin,,1,1\n", "E-CSV-EMPTY birds.csv line 2 column 2: id is empty"),
        ("id,label,n,p\na,robin,12.0,1\n", "E-CSV-NUMBER birds.csv line 2 column 3: n '12.0' is not a whole number"),
        ("id,label,n,p\na,robin,1_0,1\n", "E-CSV-NUMBER birds.csv line 2 column 3: n '1_0' is not a whole number"),
        (f"id,label,n,p\na,robin,{'9' * 400},1\n", "is not a whole number; write digits only, at most 18."),
        ("id,label,n,p\na,robin,١,1\n", "E-CSV-NUMBER birds.csv line 2 column 3: n '١' is not a whole number"),
        ("id,label,n,p\na,robin,1,nan\n", "E-CSV-NUMBER birds.csv line 2 column 4: p 'nan' is not a finite number"),
        ("id,label,n,p\na,robin,1,1e999\n", "E-CSV-NUMBER birds.csv line 2 column 4: p '1e999' is not a finite"),
        ("id,label,n,p\na,robin,1,\n", "E-CSV-NUMBER birds.csv line 2 column 4: p '' is not a finite number"),
        ("id,label,n,p\na,robin,10,1\n", "E-CSV-RANGE birds.csv line 2 column 3: n '10' is not in 0..9"),
        ("id,label,n,p\na,robin,1,-1\n", "E-CSV-RANGE birds.csv line 2 column 4: p '-1' is not in 0..inf"),
        ('id,label,n,p\na,"robin,1,1\n', "E-CSV-SYNTAX birds.csv line 2: the file cannot be split into fields"),
        (GOOD + "a,wren,1,1\n", "E-KEY-TWICE birds.csv line 4 column 1: 'a' is also in line 2 column 1"),
        (GOOD.encode("utf-16"), "E-CSV-ENCODING birds.csv: the file is UTF-16"),
        (GOOD.encode() + b"\0", "E-CSV-ENCODING birds.csv line 4 column 1: there is a NUL byte"),
    ],
)  # fmt: skip
def test_problems_have_their_place(text, line):
    table, findings = read(text)
    assert table is None
    assert len(findings.lines()) == 1
    assert line in findings.lines()[0]


def test_whole_numbers_have_up_to_eighteen_digits_and_numbers_need_no_bounds():
    rules = TableRules(
        "birds.csv", (TableColumn("id"), TableColumn("n", "integer"), TableColumn("p", "decimal", max=5))
    )
    table, findings = read(f"id,n,p\na,{'9' * 18},-1e300\n", rules=rules)
    assert findings.lines() == []
    assert plain(table) == {"id": ["a"], "n": [10**18 - 1], "p": [-1e300]}
    assert "is not a whole number" in read(f"id,n,p\na,{'9' * 19},0\n", rules=rules)[1].lines()[0]
    assert "p '6' is not in -inf..5" in read("id,n,p\na,1,6\n", rules=rules)[1].lines()[0]


@pytest.mark.parametrize(
    ("n", "hint"), [(4, "l0, l1, l2, l3."), (5, "l0, l1, l2, l3, l4."), (6, "l0, l1, l2, l3, l4, ….")]
)
def test_the_first_labels_are_named(n, hint):
    labels = tuple(f"l{i}" for i in range(n))
    rules = TableRules("birds.csv", (TableColumn("id"), TableColumn("label", labels=labels)))
    assert read("id,label\na,owl\n", rules=rules)[1].lines()[0].endswith(f"write one of {hint}")


@pytest.mark.parametrize(("n_lf", "n_cr"), [(5, 4), (2, 2), (1, 7)])
def test_commas_and_line_ends_count_as_values(n_lf, n_cr):
    text = "id,label,n,p" + "\r" * n_cr + "\n" * n_lf
    most = 3 + n_cr + n_lf
    assert read(text, rules=TableRules("birds.csv", RULES.columns, values=most))[1].ok
    assert not read(text, rules=TableRules("birds.csv", RULES.columns, values=most - 1))[1].ok


def test_too_many_values_are_refused_before_they_are_split():
    _, findings = read("id,label,n,p\n" + "," * 100, rules=TableRules("birds.csv", RULES.columns, values=50))
    assert findings.lines()[0].startswith("1. E-CSV-COUNT birds.csv:")
    assert "than 50; submit only" in findings.lines()[0]


def test_rows_come_in_the_order_that_is_asked_for():
    table, findings = read(GOOD, ["b", "a"])
    assert findings.lines() == []
    assert plain(table) == {"id": ["b", "a"], "label": [1, 0], "n": [2, 1], "p": [0.001, 0.5]}
    assert plain(read(GOOD, ["a", "b"])[0])["n"] == [1, 2]


def test_unknown_and_double_keys_are_named_and_missing_ones_counted():
    text = GOOD + "x,wren,1,1\na,wren,1,1\n"
    for named in (False, True):
        table, findings = read(text, ["a", "b", "secret1", "secret2"], named)
        assert table is None
        assert [problem.line() for problem in findings.problems] == [
            "E-KEY-UNKNOWN birds.csv line 4 column 1: 'x' is not one of the requested keys; correct or drop it.",
            "E-KEY-TWICE birds.csv line 5 column 1: 'a' is also in line 2 column 1; keep one of them.",
            f"E-KEY-MISSING birds.csv: keys are missing: 2 of 4{', as secret1, secret2' if named else ''}; "
            "predict every item exactly once.",
        ]
    assert read("id,label,n,p\n", ["a"])[1].lines() == [
        "1. E-KEY-MISSING birds.csv: keys are missing: 1 of 1; predict every item exactly once."
    ]


def test_many_problems_are_counted():
    _, findings = read("id,label,n,p\n" + "".join(f"{i},owl,1,1\n" for i in range(1000)))
    assert findings.total == 1000
    (line,) = findings.lines()
    assert (
        "line 2 column 2, line 3 column 2, line 4 column 2: label 'owl' is not a label (1,000 such problems)"
        in line
    )


WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1).map(str.strip).filter(bool)


@given(st.lists(WORDS, unique=True), st.randoms())
def test_what_the_csv_module_writes_is_read_back(keys, rng):
    rows = [(key, rng.choice(["robin", "wren"]), rng.randrange(10), rng.random()) for key in keys]
    text = io.StringIO()
    csv.writer(text, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(
        [("id", "label", "n", "p"), *rows]
    )
    rng.shuffle(rows)
    table, findings = read(text.getvalue(), [row[0] for row in rows])
    assert findings.lines() == []
    assert list(zip(*plain(table).values())) == [
        (k, ["robin", "wren"].index(label), n, p) for k, label, n, p in rows
    ]


@given(st.text('ab,\n\r";19.e-Nid lpn\t', max_size=60))
def test_any_text_ends_in_a_verdict(text):
    table, findings = read("id,label,n,p\n" + text)
    assert (table is None) == (not findings.ok)


@pytest.mark.parametrize(
    ("rows", "codes"),
    [
        ("", ["N-EMPTY"]),
        ("a,wren\nb,robin\nc,wren\nd,wren\n", []),
        ("a,wren\nb,wren\nc,wren\nd,wren\n", ["N-LOOKS-CONSTANT"]),
    ],
)
def test_likely_mistakes_are_noted(rows, codes):
    rules = TableRules("birds.csv", RULES.columns[:2])
    table, _ = read("id,label\n" + rows, rules=rules)
    assert [note.code for note in table_facts({"birds.csv": table})] == codes
