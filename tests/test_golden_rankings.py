"""Rankings of teams: the numbers of an independent implementation."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from people_in_video.comparing import pairs as comparison
from scoring_program.metrics import resampling
from scoring_program.metrics.resampling import half_scores, weighted_mean
from tests.helpers import ROOT

RANKINGS = json.loads((ROOT / "tests" / "golden_statistics" / "rankings.json").read_text(encoding="utf-8"))
INTERVAL = ("low", "high", "standard_error", "bias", "acceleration")


def half_scores_of_teams(item_scores):
    """Return the half scores of teams whose score is the mean of their items; shape (n_items, n_teams)."""
    values = np.array(item_scores)
    groups = np.arange(len(values))
    return [half_scores(partial(weighted_mean, scores_of_team), groups) for scores_of_team in values.T]


@pytest.mark.parametrize("expected", RANKINGS, ids=[ranking["name"] for ranking in RANKINGS])
def test_golden_ranking(expected):
    teams = half_scores_of_teams(expected["item_scores"])
    comparison_of_teams = comparison.compare(teams, expected["higher_is_better"])
    assert [team.score for team in teams] == pytest.approx(expected["score"], abs=1e-9)
    for name in ("rank", "rank_low", "rank_high", "may_be_best"):
        assert getattr(comparison_of_teams, name).tolist() == expected[name]
    intervals = resampling.intervals(teams, (0, 1))
    for name in INTERVAL:
        numbers = [interval[name] for interval in expected["intervals"]]
        assert getattr(intervals, name).tolist() == pytest.approx(numbers, abs=1e-9)
    for name, numbers in expected["pairs"].items():
        assert getattr(comparison_of_teams.pairs, name).tolist() == pytest.approx(numbers, abs=1e-9)
