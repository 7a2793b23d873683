"""Intervals and losses of the golden cases: numbers of an independent implementation, with 200 replicates."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring_program.challenge import load_challenge
from scoring_program.metrics import resampling
from tests.golden_cases import score_case
from tests.helpers import GOLDEN, ROOT

pytestmark = pytest.mark.slow

NUMBERS = {
    (path.stem, case): expected
    for path in sorted((ROOT / "tests" / "golden_statistics").glob("*.json"))
    for case, expected in json.loads(path.read_text(encoding="utf-8")).items()
}


@pytest.mark.parametrize(("challenge_id", "case"), [pytest.param(*key, id="-".join(key)) for key in NUMBERS])
def test_golden_statistics(challenge_id, case):
    expected = NUMBERS[challenge_id, case]
    result = score_case(GOLDEN / challenge_id / case, "published")
    program, statistics = load_challenge(challenge_id).program(), result.statistics
    n = len(statistics.items)
    assert n == expected["items"]
    assert result.scores["score"] == pytest.approx(expected["score"], abs=1e-9)
    assert {loss.fix: loss.score_if_fixed for loss in result.losses} == pytest.approx(
        expected["losses"], abs=1e-9
    )
    if not n:
        assert "interval" not in expected
        assert result.interval is None
        return
    replicates = program.reduce(statistics, resampling.draws(n, expected["interval"]["replicates"]))
    assert replicates[:5] == pytest.approx(expected["first_replicates"], abs=1e-9)
    if n > 1:
        low, high = resampling.percentile_interval(replicates)
        assert (low, high) == pytest.approx(
            (expected["interval"]["low"], expected["interval"]["high"]), abs=1e-9
        )


@pytest.mark.parametrize(("challenge_id", "case"), [pytest.param(*key, id="-".join(key)) for key in NUMBERS])
@pytest.mark.parametrize("protocol", ["published", "released"])
def test_weights_of_one_give_the_score(challenge_id, case, protocol):
    result = score_case(GOLDEN / challenge_id / case, protocol)
    statistics = result.statistics
    reduced = load_challenge(challenge_id).program().reduce(statistics, np.ones((1, len(statistics.items))))
    exact = result.scores.get("average_video_accuracy_exact", result.scores["score"])
    assert reduced == pytest.approx([exact], abs=1e-12)
