"""The pinned cases: inputs with the numbers that the released scripts or independent programs gave for them.

``expected.json`` maps keys of scores to numbers, for each protocol or for ``published`` alone. A task whose cases hold
other numbers says so in ``golden/<id>/checks.py``: ``check`` and ``check_more``; settings are in ``settings.yaml`` there.
``columns`` holds all columns of a case by their keys. ``golden_statistics/<id>.json`` holds intervals and error costs of the same cases under ``published``.

Each case is scored once for each protocol, and everything that is known of it is compared with that one result. Only
DensePose scores more often: its cases hold the numbers of three measures, and a run computes one.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring_program.metrics import resampling
from scoring_program.task import load_task
from tests.golden_cases import (
    PROTOCOLS,
    cases,
    check_of,
    checks_of,
    expected_of,
    numbers_of,
    result_of_case,
    told,
)
from tests.helpers import PUBLISHED, ROOT

pytestmark = pytest.mark.interpreters

CASES = cases()
# A case of DensePose takes ten times as long as others; make check scores the plain one.
MARKED_CASES = [
    pytest.param(
        case, marks=pytest.mark.slow if case.parent.name == "densepose" and case.name != "plain" else ()
    )
    for case in CASES
]
STATISTICS = {
    (path.stem, name): expected
    for path in sorted((ROOT / "tests" / "golden_statistics").glob("*.json"))
    if path.stem != "rankings"
    for name, expected in json.loads(path.read_text(encoding="utf-8")).items()
}
INTERVAL = ("low", "high", "standard_error", "bias", "acceleration")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("case", MARKED_CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_golden_case_gives_its_numbers(case, protocol):
    task_id = case.parent.name
    statistics = STATISTICS.get((task_id, case.name))
    has_interval = protocol == "published" and statistics is not None
    with told(case):
        score = result_of_case(case, protocol, interval=has_interval)
        numbers = numbers_of(case, protocol)
        if numbers is not None:
            check_of(task_id)(task_id, score, numbers)
        for key, number in expected_of(case).get("columns", {}).get(protocol, {}).items():
            assert score().scores[key] == pytest.approx(number, abs=6e-11), key
        if protocol == "published" and holds_more(case):
            checks_of(task_id).check_more(score, expected_of(case))
        if has_interval:
            check_interval_and_error_costs(task_id, score(), statistics)
        if len(score().items):
            check_that_weights_of_one_give_the_score(task_id, score())


def holds_more(case):
    """Return whether a case holds what ``check_more`` of its task compares."""
    return bool(set(getattr(checks_of(case.parent.name), "MORE", ())) & expected_of(case).keys())


def check_interval_and_error_costs(task_id, result, expected):
    assert len(result.items) == expected["items"]
    assert result.scores["score"] == pytest.approx(expected["score"], abs=1e-9)
    costs = {cost.error_type: cost.score_if_fixed for cost in result.error_costs}
    assert costs == pytest.approx(expected["costs"], abs=1e-9)
    if len(result.items) < 2:
        assert "interval" not in expected
        assert_no_interval(result)
        return
    assert result.halves.first[:5] == pytest.approx(expected["first_halves"], abs=1e-9)
    assert result.halves.second[:5] == pytest.approx(expected["second_halves"], abs=1e-9)
    intervals = resampling.intervals([result.halves], load_task(task_id).range)
    numbers = {name: getattr(intervals, name)[0] for name in INTERVAL}
    assert numbers == pytest.approx({name: expected["interval"][name] for name in INTERVAL}, abs=1e-9)
    if numbers["standard_error"] == 0:
        assert_no_interval(result)
        return
    assert result.interval.half_samples == expected["interval"]["splits"]
    assert result.interval.low == numbers["low"]
    assert result.scores["score_high"] == round(numbers["high"], 6)


def assert_no_interval(result):
    assert result.interval is None
    assert not {"score_low", "score_high"} & result.scores.keys()


def check_that_weights_of_one_give_the_score(task_id, result):
    reduced = load_task(task_id).reduce(result.statistics, np.ones((1, len(result.items))))
    exact_score = result.scores.get("average_video_accuracy_exact", result.scores["score"])
    assert reduced == pytest.approx([exact_score], abs=1e-12)


def test_every_golden_statistic_belongs_to_a_case():
    assert STATISTICS.keys() <= {(case.parent.name, case.name) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_every_key_of_a_case_is_read(case):
    expected = expected_of(case)
    more = set(getattr(checks_of(case.parent.name), "MORE", ()))
    if "published" in expected:
        assert expected.keys() <= {"what", "published", "released", "expected", "columns", *more}
        assert expected.get("expected", expected["published"]) == expected["published"]
    else:
        assert not more & expected.keys()


def test_every_published_task_has_golden_cases():
    assert {case.parent.name for case in CASES} >= set(PUBLISHED)
