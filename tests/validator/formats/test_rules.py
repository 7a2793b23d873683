"""The rules files: what they become, and which are refused."""

from __future__ import annotations

import pytest

from validator import rules
from validator.archive import Limits
from validator.formats.rules import (
    Column,
    CsvRules,
    JsonRules,
    TableColumn,
    TableRules,
    known_ids,
    load_csv_rules,
    load_rules,
)

LIMITS = "limits: {files: 1, file_bytes: 2, total_bytes: 3}\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes the rules of a challenge named x."""
    monkeypatch.setattr(rules, "RULES_FOLDER", tmp_path)
    return lambda text: (tmp_path / "x.yaml").write_text(LIMITS + text, encoding="utf-8")


def test_the_ids_are_those_of_the_files(write, tmp_path):
    write("")
    (tmp_path / "a.yaml").write_text("")
    (tmp_path / "b.txt").write_text("")
    assert known_ids() == ["a", "x"]
    with pytest.raises(FileNotFoundError):
        load_rules("y")


def test_csv_files_of_items(write):
    write('csv: {name: "{key}.csv", columns: [{name: a, min: 1}, {name: b, min: 0, max: 5}]}')
    read = load_rules("x")
    expected = CsvRules("{key}.csv", (Column("a", 1), Column("b", 0, 5)))
    assert (read.id, read.limits, read.csv) == ("x", Limits(files=1, file_bytes=2, total_bytes=3), expected)
    assert (expected.item, expected.also_named, expected.order, expected.extra_columns) == (
        "item",
        (),
        (),
        False,
    )
    assert (read.tables, read.json, load_csv_rules("x"), expected.first_and_last) == (
        (),
        None,
        expected,
        None,
    )
    assert [expected.index(name) for name in "ab"] == [0, 1]
    write(
        'csv: {name: "{key}.csv", item: y, also_named: ["{key}.txt"], columns: [{name: a, min: 1}, {name: b, min: 1}], '
        "order: [[a, b]], first_and_last: [a, b], extra_columns: true}"
    )
    columns = (Column("a", 1), Column("b", 1))
    assert load_csv_rules("x") == CsvRules(
        "{key}.csv", columns, "y", ("{key}.txt",), (("a", "b"),), ("a", "b"), True
    )


def test_tables(write):
    write(
        "tables: [{file: x.csv, columns: [{name: id}, {name: l, labels: [p, q]}, {name: n, type: integer, max: 3}]}, "
        "{file: y.csv, values: 7, columns: [{name: id}]}]"
    )
    read = load_rules("x")
    columns = (TableColumn("id"), TableColumn("l", labels=("p", "q")), TableColumn("n", "integer", max=3))
    assert read.tables == (TableRules("x.csv", columns), TableRules("y.csv", (TableColumn("id"),), 7))
    assert (list(read.named_files), read.tables[0].key, read.tables[0].values) == (
        ["x.csv", "y.csv"],
        "id",
        20_000_000,
    )
    assert (columns[0].type, columns[0].labels, columns[0].min, columns[0].max) == ("text", (), None, None)
    assert (read.csv, read.json) == (None, None)
    with pytest.raises(ValueError, match="x has no CSV files"):
        load_csv_rules("x")


def test_json_files(write):
    write("json: {format: f, files: [a.json, b.json], entries: 5}")
    read = load_rules("x")
    assert read.json == JsonRules("f", ("a.json", "b.json"), 5, None, False, "", "")
    assert read.named_files == ("a.json", "b.json")
    write("json: {format: f, files: [a.json], entries: 5, values: 6, any_single: true, mode: m, schema: s}")
    assert load_rules("x").json == JsonRules("f", ("a.json",), 5, 6, True, "m", "s")


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("tables: [{file: x.csv, columns: [{name: id, type: integer}]}]", ValueError, "x.csv: the first column is the key"),
        ("tables: [{file: x.csv, columns: [{name: id, labels: [a]}, {name: b}]}]", ValueError, "x.csv: the first column is the key"),
        ("tables: [{file: x.csv, columns: [{name: id}, {name: a, type: b}]}]", ValueError, "x.csv: there is no type b"),
        ("json: {format: f, files: [a], entries: 5, more: 1}", TypeError, "more"),
        ("csv: {name: a, columns: [], more: 1}", TypeError, "more"),
        ("json: {format: f}", KeyError, "files"),
    ],
)  # fmt: skip
def test_wrong_rules_are_refused(write, text, error, words):
    write(text)
    with pytest.raises(error, match=words):
        load_rules("x")
