"""example_columns_csv: random cases against a brute-force computation."""

from __future__ import annotations

import pytest

from task_templates.quality.example_columns_csv import task as quality
from task_templates.quality.example_columns_csv.values import COLUMNS
from task_templates.scoring_program.challenges.example_columns_csv import task
from tests.item_cases import random_cases
from tests.plain_metrics import rmse


def test_random_cases_score_as_the_brute_force_says(tmp_path):
    (made_up,) = quality.TASKS
    for truth, predicted, score in random_cases(task.TASKS["example_columns_csv"], made_up, tmp_path):
        errors = []
        for column in COLUMNS:
            sides = [{key: numbers[column] for key, numbers in side.items()} for side in (truth, predicted)]
            errors.append(rmse(*sides))
        assert score == pytest.approx(sum(errors) / len(errors), abs=1e-9)
