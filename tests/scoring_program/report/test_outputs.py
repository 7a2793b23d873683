"""The outputs: plain decimals, the same in all files, each written as a whole or not at all, in the form of the schema."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.csv_table import per_item_csv
from scoring_program.figures.matrix import Matrix
from scoring_program.report import outputs
from scoring_program.result import Column, Statistics, Table
from tests.example_result import SIGNATURE, changed, example_result, json_of, rounded
from validator.console import OutputError
from validator.findings import Findings

SCHEMA = json.loads((Path(outputs.__file__).parent / "detailed_results.schema.json").read_text())
STAGES = {"reference": 0.12345, "score": 1.0}


def read(text: str) -> dict:
    """Return the data of a text that keeps to the schema."""
    content = json.loads(text)
    jsonschema.Draft7Validator(SCHEMA).validate(content)
    return content


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_names_are_cut_as_on_the_page():
    """A name of a submission may be long, and stand in many rows."""
    names, rows = ["a" * 10_000, "b"], [("c" * 10_000, 0.5)] * 100
    matrix = Matrix("m", "m", "", names, np.ones((3, 3), int), "things", ("(false)", "(missed)"))
    table = Table("t", "t", "", [Column("Name"), Column("Score", "share")], rows)
    tables = read(json_of(changed(example_result(1), sections=[matrix, table]), SIGNATURE, STAGES))["tables"]
    assert len(json.dumps(tables)) < 100 * 100
    assert tables["t"]["rows"][0] == ["c" * 59 + "…", 0.5]
    assert tables["m"]["names"] == ["a" * 59 + "…", "b"]


@pytest.mark.parametrize("size", [1, 20])
def test_a_result_keeps_to_the_schema_and_holds_every_section(size):
    result = example_result(size)
    content = read(json_of(result, SIGNATURE, STAGES))
    assert list(content["tables"]) == [section.key for section in result.sections]
    assert (content["outcome"], content["exit_code"], content["signature"]) == ("scored", 0, SIGNATURE)
    assert content["interval"]["low"] == 0.3911234568
    assert content["format"] == 2
    assert content["interval"]["half_samples"] == 500
    assert "item_type" not in content["interval"]
    assert content["error_costs"][0] == {"type": "false_classes", "score_if_fixed": 0.5337, "points": 0.121}
    assert content["notes"][0]["code"] == "N-FILE-IGNORED"
    assert content["problems"] == []


def test_what_decides_on_hidden_numbers_is_left_out():
    content = read(json_of(example_result(20), SIGNATURE, STAGES))
    assert "support" not in json.dumps(content)


def test_numbers_of_all_kinds_are_rounded():
    table = Table("t", "T", "", [Column("a")] * 4, [(np.float64(1 / 3), np.int64(2), None, -1e-12)])  # type: ignore[list-item]
    result = changed(example_result(1), sections=[table])
    text = json_of(result, SIGNATURE, STAGES)
    assert read(text)["tables"]["t"]["rows"] == [[0.3333333333, 2, None, 0.0]]
    assert "-0.0]" not in text
    assert read(text)["scores"]["score"] == 0.4127123456
    fewer = read(json_of(rounded(changed(result, decimals=3)), SIGNATURE, STAGES))
    assert fewer["tables"]["t"]["rows"] == [[0.333, 2, None, 0.0]]
    assert fewer["interval"]["high"] == 0.434
    assert fewer["scores"]["score"] == 0.413
    assert fewer["error_costs"][0] == {"type": "false_classes", "score_if_fixed": 0.534, "points": 0.121}


def test_text_that_no_reader_could_decode_is_replaced():
    content = read(json_of(example_result(2, "a\ud800\u202eb\x85"), SIGNATURE, STAGES))
    assert content["notes"][0]["text"] == "a\ufffd\ufffdb\ufffd"
    content["tables"]["classes"]["title"].encode()


@pytest.mark.parametrize(("outcome", "code"), [("invalid", 1), ("time", 1), ("memory", 1), ("broken", 2)])
def test_a_run_without_a_score_lists_its_problems(outcome, code):
    findings = Findings()
    for line in range(30):
        findings.add(
            "E-CSV-RANGE", "end before start", "swap them", file="Seq03.csv", where=f"line {line} column 3"
        )
    content = read(outputs.failed_json(outcome, code, findings, {}))
    assert (content["outcome"], content["exit_code"], content["scores"], content["tables"]) == (
        outcome,
        code,
        {},
        {},
    )
    assert content["problems"][0] == {
        "code": "E-CSV-RANGE",
        "file": "Seq03.csv",
        "where": "line 0 column 3, line 1 column 3, line 2 column 3",
        "problem": "end before start",
        "hint": "swap them",
        "count": 30,
        "at_least": False,
        "files": 1,
    }
    assert (len(content["problems"]), content["more_problems"]) == (1, 0)


def test_items_are_listed_with_their_scores():
    statistics = Statistics(
        np.array([0.5, np.nan]), np.array([True, False]), np.array([12, 0]), np.array([False, True])
    )
    empty = Statistics(np.zeros(0), np.zeros(0, bool), np.zeros(0, int), np.zeros(0, bool))
    text = per_item_csv(changed(example_result(2), statistics=statistics, items=['a"b,c', "=d"]))
    assert list(csv.reader(io.StringIO(text))) == [
        ["item", "submitted", "score", "weight"],
        ['a"b,c', "true", "0.5000000000", "12"],
        ["'=d", "false", "", "0"],
    ]
    assert (
        per_item_csv(changed(example_result(2), statistics=empty, items=[]))
        == "item,submitted,score,weight\n"
    )


@given(st.floats(-1e9, 1e9))
def test_numbers_are_plain_decimals_with_at_most_ten_decimals(value):
    text = outputs.plain_number(value)
    assert re.fullmatch(r"-?\d+\.\d{1,10}", text)
    assert float(text) == pytest.approx(value, abs=5.1e-11)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e10, -1e10])
def test_numbers_that_the_platform_cannot_store_are_refused(value):
    with pytest.raises(ValueError, match="finite"):
        outputs.plain_number(value)


@pytest.mark.parametrize(
    ("value", "text"), [(-1e-12, "0.0"), (1e-10, "0.0000000001"), (1.0, "1.0"), (0.5, "0.5")]
)
def test_small_and_whole_numbers_are_decimals_too(value, text):
    assert outputs.plain_number(value) == text


def test_all_files_hold_the_same_scores(tmp_path):
    scores = {"score": 1 / 3, "coverage": 1.0, "x": -1e-12}
    outputs.write_scored(tmp_path, "", "", scores)
    from_text = dict(line.split(": ") for line in (tmp_path / "scores.txt").read_text().splitlines())
    from_json = json.loads((tmp_path / "scores.json").read_text())
    assert from_json == {key: float(value) for key, value in from_text.items()}
    assert list(from_text) == list(scores)
    content = read(json_of(changed(example_result(1), scores=scores), SIGNATURE, {}))
    assert content["scores"] == from_json


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "scores.txt"
    outputs.write_atomic(target, "old")

    def fail(*_):
        raise OSError(28, "disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OutputError, match="disk full"):
        outputs.write_atomic(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.txt"]
    assert target.read_text() == "old"
