"""Rankings of teams: the numbers of an independent implementation."""

from __future__ import annotations

import json

import numpy as np
import pytest

from people_in_video.comparing import pairs as comparison
from scoring_program.metrics import resampling
from tests.helpers import ROOT
from tests.starting_kit.comparing.made_up import halves_of

RANKINGS = json.loads((ROOT / "tests" / "golden_statistics" / "rankings.json").read_text(encoding="utf-8"))
INTERVAL = ("low", "high", "standard_error", "bias", "acceleration")


@pytest.mark.parametrize("expected", RANKINGS, ids=[ranking["name"] for ranking in RANKINGS])
def test_golden_ranking(expected):
    teams = halves_of(np.array(expected["item_scores"]))
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
