"""Intervals and error costs of the golden cases: numbers of an independent implementation, with 200 replicates."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring_program.metrics import resampling
from scoring_program.task import load_task
from tests.golden_cases import score_case
from tests.helpers import GOLDEN, ROOT

pytestmark = pytest.mark.slow

NUMBERS = {
    (path.stem, case): expected
    for path in sorted((ROOT / "tests" / "golden_statistics").glob("*.json"))
    for case, expected in json.loads(path.read_text(encoding="utf-8")).items()
}


@pytest.mark.parametrize(("task_id", "case"), [pytest.param(*key, id="-".join(key)) for key in NUMBERS])
def test_golden_statistics(task_id, case):
    expected = NUMBERS[task_id, case]
    result = score_case(GOLDEN / task_id / case, "published")
    statistics = result.statistics
    n = len(statistics.items)
    assert n == expected["items"]
    assert result.scores["score"] == pytest.approx(expected["score"], abs=1e-9)
    without = {cost.error_type: cost.score_without for cost in result.error_costs}
    assert without == pytest.approx(expected["losses"], abs=1e-9)
    if not n:
        assert "interval" not in expected
        assert result.interval is None
        return
    replicates = load_task(task_id).reduce(
        statistics, resampling.draws(n, expected["interval"]["replicates"])
    )
    assert replicates[:5] == pytest.approx(expected["first_replicates"], abs=1e-9)
    if n > 1:
        low, high = resampling.percentile_interval(replicates)
        assert (low, high) == pytest.approx(
            (expected["interval"]["low"], expected["interval"]["high"]), abs=1e-9
        )


@pytest.mark.parametrize(("task_id", "case"), [pytest.param(*key, id="-".join(key)) for key in NUMBERS])
@pytest.mark.parametrize("protocol", ["published", "released"])
def test_weights_of_one_give_the_score(task_id, case, protocol):
    result = score_case(GOLDEN / task_id / case, protocol)
    statistics = result.statistics
    reduced = load_task(task_id).reduce(statistics, np.ones((1, len(statistics.items))))
    exact = result.scores.get("average_video_accuracy_exact", result.scores["score"])
    assert reduced == pytest.approx([exact], abs=1e-12)
