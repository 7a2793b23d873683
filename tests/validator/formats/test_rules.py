"""The files of rules: what they become, which are refused, and the format that belongs to them."""

from __future__ import annotations

import json

import pytest

from organizer.bundle.programs import files_of_rules, refuse_wrong_rules
from tests.helpers import ROOT, make_zip, places_of, refused
from validator.checking import load_format
from validator.formats.rules import (
    CsvRules,
    Field,
    JsonFile,
    Rules,
    load_rules,
    parse_rules,
    task_ids,
)
from validator.submission import Limits

pytestmark = pytest.mark.interpreters

LIMITS = Limits(files=1, file_bytes=2, total_bytes=3)


@pytest.fixture
def parse(tmp_path):
    """Return a function that reads the rules of a task named x."""

    def write_and_parse(text):
        path = tmp_path / "x.files.yaml"
        path.write_text("limits: {files: 1, file_bytes: 2, total_bytes: 3}\n" + text, encoding="utf-8")
        return parse_rules(path)

    return write_and_parse


def test_tasks_are_those_with_a_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "formats_of_ours"
    for name in (
        "__init__.py",
        "one/b.files.yaml",
        "one/a.files.yaml",
        "two/c.files.yaml",
        "two/d.yaml",
        "e.files.yaml",
    ):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(
            "" if name.endswith("py") else "limits: {files: 1, file_bytes: 2, total_bytes: 3}"
        )
    assert task_ids(folder.name) == ["a", "b", "c"]
    assert load_rules("c", folder.name) == Rules("c", folder / "two", LIMITS)
    for name in ("d", "e"):
        with pytest.raises(FileNotFoundError, match=rf"\b{name}\b"):
            load_rules(name, folder.name)


ITEMS = """
csv:
- path: "{key}.csv"
  item: video
  fields: [{name: a, minimum: 1}, {name: b, maximum: 5}]
"""
VALUES = "values: {kind: label, labels: [robin, wren]}\nfile: birds.csv\n"


def test_csv_files_of_items(parse, tmp_path):
    expected = CsvRules("{key}.csv", (Field("a", minimum=1), Field("b", maximum=5)), item="video")
    read = parse(ITEMS)
    assert read == Rules("x", tmp_path, LIMITS, (expected,))
    assert (read.name_patterns, read.json, read.any_single) == (["*.csv"], (), False)
    (found,) = parse(f'{ITEMS}  other_paths: ["{{key}}.txt"]\n  frames: [a, b]\n').csv
    assert found == expected._replace(other_paths=("{key}.txt",), frames=("a", "b"))


def test_tables_follow_from_what_items_have(tmp_path):
    path = tmp_path / "x.files.yaml"
    path.write_text(VALUES, encoding="utf-8")
    rules = parse_rules(path)
    assert (rules.csv, rules.json, rules.name_patterns) == ((), (), ["birds.csv"])
    assert (rules.form.key, rules.form.columns) == ("id", ("label",))


def test_json_files(parse, tmp_path):
    read = parse("json: [{name: a.json, schema: s.json}, {name: b.json, schema: t.json, entries: 5}]")
    assert read.json == (
        JsonFile("a.json", tmp_path / "s.json"),
        JsonFile("b.json", tmp_path / "t.json", "", 5),
    )
    assert (read.json[0].each, read.json[0].entries, read.json[0].values) == ("", None, None)
    assert (read.csv, read.any_single, list(read.name_patterns)) == ((), False, ["a.json", "b.json"])
    read = parse('any_single: true\njson: [{name: "a_*", schema: s, each: m, entries: 5, values: 6}]')
    assert read.json == (JsonFile("a_*", tmp_path / "s", "m", 5, 6),)
    assert (read.any_single, list(read.name_patterns)) == (True, ["a_*"])


def test_rules_name_the_files_that_they_consist_of(parse, tmp_path):
    read = parse("json: [{name: a.json, schema: s.json}]\nreference_schemas: [r.json]")
    assert read.reference_schemas == (tmp_path / "r.json",)
    assert files_of_rules(read) == [tmp_path / "x.files.yaml", tmp_path / "s.json", tmp_path / "r.json"]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("csv:", "more: 1\ncsv:", "/"),
        ("csv:", "json: []\ncsv:", "/"),
        ("files: 1", "files: many", "/limits/files"),
        ("{key}.csv", "x.csv", "/csv/0/path"),
        ("item: video", "encoding: utf-8", "/csv/0"),
        ("fields:", "frames: [a]\n  fields:", "/csv/0/frames"),
        ("minimum: 1", "minimum: one", "/csv/0/fields/0/minimum"),
        ("minimum: 1", "type: date", "/csv/0/fields/0"),
    ],
)
def test_rules_that_are_not_as_their_schema_says_are_refused_where_a_program_is_built(
    parse, tmp_path, old, new, place
):
    rules = parse(ITEMS)
    refuse_wrong_rules(rules)
    path = tmp_path / "x.files.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    problem = refused(refuse_wrong_rules, rules).problems[0]
    assert (problem.code, problem.file, problem.where) == ("E-SCHEMA", "x.files.yaml", place)


@pytest.mark.parametrize("task_id", task_ids())
def test_every_task_has_a_format_and_its_files(task_id):
    form, found = load_format(task_id)
    refuse_wrong_rules(found)
    assert (found, found.id) == (load_rules(task_id), task_id)
    assert len(found.name_patterns) >= 1
    assert callable(form.read) and callable(form.hints)
    for path in files_of_rules(found):
        assert path.parent == found.folder == ROOT / "validator" / "formats" / found.folder.name
        assert path.suffix == ".yaml" or json.loads(path.read_text(encoding="utf-8"))


def test_an_unknown_task_has_no_format():
    with pytest.raises(FileNotFoundError, match=r"\bx\b"):
        load_format("x")


@pytest.mark.parametrize("task_id", task_ids())
def test_damaged_file_is_named(task_id, tmp_path):
    form, found = load_format(task_id)
    names = [pattern.replace("*", "S1") for pattern in found.name_patterns]
    data = bytearray(make_zip(dict.fromkeys(names, "1,1,1,2\n" * 200)))
    # A byte of the compressed content, which begins behind the name of the first file.
    data[data.index(names[0].encode()) + len(names[0]) + 2] ^= 0xFF
    path = tmp_path / "s.zip"
    path.write_bytes(data)
    assert places_of(refused(form.read, path, found))[0] == ("E-ZIP-DAMAGED", names[0], "")
