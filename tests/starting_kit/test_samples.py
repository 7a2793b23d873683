"""The predictions of samples, which stand for those of a model."""

from __future__ import annotations

import pytest

from people_in_video import Evaluator, sample_predictions, score
from tests.helpers import PUBLISHED, SAMPLES, one_of_each_challenge, slow_for


@pytest.mark.parametrize("task", slow_for("densepose", of=one_of_each_challenge(PUBLISHED)))
def test_predictions_of_a_sample_score_as_its_files(task):
    evaluator = Evaluator(task)
    for arguments in sample_predictions(task):
        evaluator.update(*arguments)
    assert evaluator.compute().scores == score(task, SAMPLES / task / "good").scores


@pytest.mark.parametrize("arguments", [("no_task",), ("chalearn_gesture", "perfect")])
def test_unknown_samples_are_named(arguments):
    with pytest.raises(ValueError, match=arguments[-1]):
        sample_predictions(*arguments)
