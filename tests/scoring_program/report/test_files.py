"""Score files: plain decimals, the same numbers in both, whole or not at all."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.report import files
from validator.console import OutputError


@given(st.floats(-1e9, 1e9))
def test_numbers_are_plain_decimals_with_at_most_ten_decimals(value):
    text = files.plain_number(value)
    assert re.fullmatch(r"-?\d+\.\d{1,10}", text)
    assert float(text) == pytest.approx(value, abs=5.1e-11)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e10, -1e10])
def test_numbers_that_the_platform_cannot_store_are_refused(value):
    with pytest.raises(ValueError, match="finite"):
        files.plain_number(value)


@pytest.mark.parametrize(
    ("value", "text"), [(-1e-12, "0.0"), (1e-10, "0.0000000001"), (1.0, "1.0"), (0.5, "0.5")]
)
def test_edges(value, text):
    assert files.plain_number(value) == text


def test_both_files_hold_the_same(tmp_path):
    scores = {"score": 1 / 3, "coverage": 1.0}
    files.write_scores(tmp_path, scores)
    from_text = dict(line.split(": ") for line in (tmp_path / "scores.txt").read_text().splitlines())
    assert json.loads((tmp_path / "scores.json").read_text()) == {k: float(v) for k, v in from_text.items()}
    assert list(from_text) == list(scores)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "scores.txt"
    files.write_atomic(target, "old")

    def fail(*_):
        raise OSError(28, "disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OutputError, match="disk full"):
        files.write_atomic(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.txt"]
    assert target.read_text() == "old"
