"""example_segments_json: random cases against a brute-force computation."""

from __future__ import annotations

import pytest

from task_templates.quality.example_segments_json import task as quality
from task_templates.scoring_program.challenges.example_segments_json import task
from tests.item_cases import random_cases
from tests.plain_metrics import segment_f1


def test_random_cases_score_as_the_brute_force_says(tmp_path):
    (made_up,) = quality.TASKS
    for truth, predicted, score in random_cases(task.TASKS["example_segments_json"], made_up, tmp_path):
        assert score == pytest.approx(segment_f1(truth, predicted), abs=1e-9)
