"""The built programs on corrupted submissions, the same in every run; more with ``python -m quality fuzz``."""

from __future__ import annotations

import random

import pytest

from organizer.files import zip_bytes
from quality.fuzzing.mutations import CHANGES, mutate
from quality.fuzzing.run import run_fuzz, what_is_wrong
from scoring_program.task import task_ids
from tests.helpers import only_at_night


@only_at_night()
@pytest.mark.slow
def test_corrupted_submissions_end_in_a_verdict(tmp_path):
    verdicts, failures = run_fuzz(800, 1, tmp_path)
    assert failures == []
    assert sum(verdicts.values()) == 800
    for name in task_ids():
        assert verdicts[f"{name}: exit 1"] > 0
        assert verdicts[f"{name}: exit 0"] > 0


GOOD = {
    "code": 1, "home": 1, "log": "1. E-X f: p; h.", "problems": ["E-X"], "work": ["output"],
    "outputs": ["detailed_results.html", "detailed_results.json"],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"code": 2}, {"code": -14}, {"home": 70}, {"log": "Traceback"}, {"log": "1. E-INTERNAL: x"}, {"log": "note N-INTERNAL: x"}, {"log": "bad"}, {"problems": []},
        {"outputs": ["detailed_results.html"]}, {"work": ["evil", "output"]}, {"home": 0},
        {"code": 0, "outputs": ["detailed_results.html", "scores.json", "scores.txt"]},
    ],
)  # fmt: skip
def test_each_kind_of_failure_is_noticed(change):
    assert what_is_wrong(GOOD) == ""
    assert what_is_wrong({**GOOD, **change})


def test_what_only_the_server_knows_may_differ():
    result = {**GOOD, "home": 0, "problems": ["E-CSV-FRAME"], "log": "1. E-CSV-FRAME f: p; h."}
    assert what_is_wrong(result) == ""


def test_mutations_are_repeatable_and_change_something():
    files = {"a_prediction.csv": b"1,2,3\n4,5,6\n", "b.json": b'{"a": [1, {"b": "c"}]}'}
    first = [mutate(random.Random(seed), files) for seed in range(60)]
    assert first == [mutate(random.Random(seed), files) for seed in range(60)]
    assert sum(data != zip_bytes(files) for data in first) >= 50


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_changes_something(change):
    data = b'{"a": [1, 2],\n"b": "c"}\n'
    assert any(change(random.Random(seed), data) != data for seed in range(10))
