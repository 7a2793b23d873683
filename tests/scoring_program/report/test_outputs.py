"""detailed_results.json says what the page says, in the form of its schema; per_item.csv holds every item."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from scoring_program.disclosure import rounded
from scoring_program.report import data, files
from scoring_program.result import Column, Statistics, Table
from tests.example_result import SIGNATURE, example_result
from validator.findings import Findings

SCHEMA = json.loads((Path(data.__file__).parent / "detailed_results.schema.json").read_text())
STAGES = {"reference": 0.12345, "score": 1.0}


def read(text: str) -> dict:
    """Return the data of a text that keeps to the schema."""
    found = json.loads(text)
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    return found


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("size", [1, 20])
def test_a_result_keeps_to_the_schema_and_holds_every_section(size):
    result = example_result(size)
    found = read(data.result_json(result, SIGNATURE, STAGES))
    assert list(found["tables"]) == [section.key for section in result.sections]
    assert (found["outcome"], found["exit_code"], found["signature"]) == ("scored", 0, SIGNATURE)
    assert found["interval"]["low"] == 0.3911234568
    assert found["losses"][0] == {"fix": "false_classes", "score_if_fixed": 0.5337, "points": 0.121}
    assert found["notes"][0]["code"] == "N-FILES-EXTRA"
    assert found["problems"] == []


def test_hidden_numbers_and_what_decides_on_them_are_left_out():
    found = read(data.result_json(example_result(20), SIGNATURE, STAGES))
    assert found["tables"]["confusions"]["counts"][0][1] is None
    assert "support" not in json.dumps(found)


def test_the_scores_are_those_of_the_scores_file(tmp_path):
    scores = {"score": 1 / 3, "coverage": 2 / 3, "x": -1e-12}
    files.write_scores(tmp_path, scores)
    found = read(data.result_json(replace(example_result(1), scores=scores), SIGNATURE, {}))
    assert found["scores"] == json.loads((tmp_path / "scores.json").read_text())


def test_numbers_of_all_kinds_are_rounded():
    table = Table("t", "T", "", [Column("a")] * 4, [(np.float64(1 / 3), np.int64(2), None, -1e-12)])  # type: ignore[list-item]
    result = replace(example_result(1), sections=[table])
    text = data.result_json(result, SIGNATURE, STAGES)
    assert read(text)["tables"]["t"]["rows"] == [[0.3333333333, 2, None, 0.0]]
    assert "-0.0]" not in text
    assert read(text)["scores"]["score"] == 0.4127123456
    fewer = read(data.result_json(rounded(result, 3), SIGNATURE, STAGES))
    assert fewer["tables"]["t"]["rows"] == [[0.333, 2, None, 0.0]]
    assert fewer["interval"]["high"] == 0.434
    assert fewer["scores"]["score"] == 0.413


def test_text_that_no_reader_could_decode_is_replaced():
    found = read(data.result_json(example_result(2, "a\ud800\u202eb\x85"), SIGNATURE, STAGES))
    assert found["notes"][0]["text"] == "a\ufffd\ufffdb\ufffd"
    found["tables"]["classes"]["title"].encode()


@pytest.mark.parametrize(("outcome", "code"), [("invalid", 1), ("time", 1), ("memory", 1), ("broken", 2)])
def test_a_run_without_a_score_lists_its_problems(outcome, code):
    findings = Findings()
    for line in range(30):
        findings.add(
            "E-CSV-RANGE", "end before start", "swap them", file="Seq03.csv", where=f"line {line} column 3"
        )
    found = read(data.failed_json(outcome, code, findings, {}))
    assert (found["outcome"], found["exit_code"], found["scores"], found["tables"]) == (outcome, code, {}, {})
    assert found["problems"][0] == {
        "code": "E-CSV-RANGE",
        "file": "Seq03.csv",
        "where": "line 0 column 3, line 1 column 3, line 2 column 3",
        "problem": "end before start (30 such problems)",
        "hint": "swap them",
    }
    assert (len(found["problems"]), found["more_problems"]) == (1, 0)


def test_items_are_listed_with_their_scores():
    text = data.per_item_csv(Statistics(['a"b,c', "d"], np.array([0.5, np.nan]), []))
    assert list(csv.reader(io.StringIO(text))) == [["item", "score"], ['a"b,c', "0.5000000000"], ["d", ""]]
