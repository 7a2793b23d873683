"""Skeletons of golden cases: what they hold, and that a case without numbers fails."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace
from typing import Any

import pytest

from quality import golden
from quality.__main__ import main
from tests.golden_cases import _check_scores, expected_of
from tests.helpers import GOLDEN

ID = "chalearn_gesture"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a reference and a submission; what is written lands beside it."""
    monkeypatch.setattr(golden, "ROOT", tmp_path / "root")
    (case,) = GOLDEN.glob(f"{ID}/b-one-frame")
    copied = tmp_path / "one frame"
    for side in ("ref", "res"):
        shutil.copytree(case / side, copied / side)
    return copied


def written(folder, name):
    return folder.parent / "root" / "tests" / "golden" / ID / name


def test_case_holds_both_sides_and_a_null_for_each_number(folder, capsys):
    assert main(["golden", ID, str(folder)]) == 0
    case = written(folder, "one frame")
    for side in ("ref", "res"):
        names = sorted(path.name for path in (case / side).iterdir())
        assert names == sorted(path.name for path in (folder / side).iterdir()) != []
    expected = expected_of(case)
    assert expected.pop("what").startswith("EDIT: ")
    assert expected == {"published": {"score": None, "coverage": None}}
    assert "expected.json" in capsys.readouterr().out


def test_numbers_are_those_of_another_case(folder):
    other = written(folder, "a")
    other.mkdir(parents=True)
    text = {"what": "x", "released": {"mean": 0.5}, "published": {"mean": 1, "per_class": {"2": 1}}}
    (other / "expected.json").write_text(json.dumps(text))
    assert main(["golden", ID, str(folder), "--name", "b"]) == 0
    expected = expected_of(written(folder, "b"))
    assert (expected["published"], expected["released"]) == (
        {"mean": None, "per_class": None},
        {"mean": None},
    )


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: shutil.rmtree(folder / "res"), "no res/"),
        (lambda folder: written(folder, "one frame").mkdir(parents=True), "one frame exists"),
        (lambda folder: next((folder / "res").iterdir()).write_text("x"), "1. E-CSV-"),
    ],
    ids=["no submission", "there already", "wrong submission"],
)  # fmt: skip
def test_what_no_case_can_be_made_of_is_said(folder, capsys, spoil, said):
    spoil(folder)
    assert main(["golden", ID, str(folder)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not (written(folder, "one frame") / "expected.json").exists()


@pytest.mark.parametrize(
    ("text", "is_near"),
    [("0.1234567890", True), ("0.12345678901", False), ("0.123456789", False), ("null", False), ("1", False)],
)
def test_numbers_with_ten_decimals_are_compared_to_1e_9(tmp_path, text, is_near):
    (tmp_path / "expected.json").write_text(f'{{"published": {{"score": {text}}}}}')
    result: Any = SimpleNamespace(scores={"score": 0.1234567893})
    numbers = expected_of(tmp_path)["published"]
    if is_near:
        _check_scores("", lambda: result, numbers)
    else:
        with pytest.raises(AssertionError, match="write the number" if text == "null" else "score"):
            _check_scores("", lambda: result, numbers)
