"""Intervals, error costs and rankings of golden cases: the numbers of an independent implementation."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from scoring_program.metrics import comparison, resampling
from scoring_program.metrics.resampling import half_scores, weighted_mean
from scoring_program.task import load_task
from tests.golden_cases import score_case
from tests.helpers import GOLDEN, ROOT

pytestmark = pytest.mark.slow

FOLDER = ROOT / "tests" / "golden_statistics"
NUMBERS = {
    (path.stem, case): expected
    for path in sorted(FOLDER.glob("*.json"))
    if path.stem != "rankings"
    for case, expected in json.loads(path.read_text(encoding="utf-8")).items()
}
RANKINGS = json.loads((FOLDER / "rankings.json").read_text(encoding="utf-8"))
CASES = pytest.mark.parametrize(
    ("task_id", "case"), [pytest.param(*key, id="-".join(key)) for key in NUMBERS]
)
INTERVAL = ("low", "high", "standard_error", "bias", "acceleration")


@CASES
def test_interval_and_error_costs_of_a_golden_case(task_id, case):
    expected = NUMBERS[task_id, case]
    result = score_case(GOLDEN / task_id / case, "published")
    assert len(result.items) == expected["items"]
    assert result.scores["score"] == pytest.approx(expected["score"], abs=1e-9)
    costs = {cost.error_type: cost.score_if_fixed for cost in result.error_costs}
    assert costs == pytest.approx(expected["costs"], abs=1e-9)
    if len(result.items) < 2:
        assert "interval" not in expected
        assert result.interval is None
        assert "score_low" not in result.scores
        return
    assert result.halves
    assert result.interval
    assert result.interval.half_samples == expected["interval"]["splits"]
    assert result.halves.first[:5] == pytest.approx(expected["first_halves"], abs=1e-9)
    assert result.halves.second[:5] == pytest.approx(expected["second_halves"], abs=1e-9)
    intervals = resampling.intervals([result.halves], load_task(task_id).range)
    numbers = {name: getattr(intervals, name)[0] for name in INTERVAL}
    assert numbers == pytest.approx({name: expected["interval"][name] for name in INTERVAL}, abs=1e-9)
    assert result.interval.low == numbers["low"]
    assert result.scores["score_high"] == round(numbers["high"], 6)


@CASES
@pytest.mark.parametrize("protocol", ["published", "released"])
def test_weights_of_one_give_the_score(task_id, case, protocol):
    result = score_case(GOLDEN / task_id / case, protocol, interval=False)
    reduced = load_task(task_id).reduce(result.statistics, np.ones((1, len(result.items))))
    exact = result.scores.get("average_video_accuracy_exact", result.scores["score"])
    assert reduced == pytest.approx([exact], abs=1e-12)


def submissions(item_scores):
    """Return the half scores of teams whose score is the mean of their items; shape (n_items, m)."""
    values = np.array(item_scores)
    groups = np.arange(len(values))
    return [half_scores(partial(weighted_mean, own), groups) for own in values.T]


@pytest.mark.parametrize("expected", RANKINGS, ids=[ranking["name"] for ranking in RANKINGS])
def test_golden_ranking(expected):
    teams = submissions(expected["item_scores"])
    compared = comparison.compare(teams, expected["higher_is_better"])
    assert [team.score for team in teams] == pytest.approx(expected["score"], abs=1e-9)
    for name in ("rank", "rank_low", "rank_high", "may_be_best"):
        assert getattr(compared, name).tolist() == expected[name]
    intervals = resampling.intervals(teams, (0, 1))
    for name in INTERVAL:
        numbers = [interval[name] for interval in expected["intervals"]]
        assert getattr(intervals, name).tolist() == pytest.approx(numbers, abs=1e-9)
    for name, numbers in expected["pairs"].items():
        assert getattr(compared.pairs, name).tolist() == pytest.approx(numbers, abs=1e-9)
