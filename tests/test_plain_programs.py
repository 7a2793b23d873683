"""The scores of all tasks beside plain programs, which are written from the pages of the tasks alone."""

from __future__ import annotations

import importlib
from random import Random

import pytest

from tests.golden_cases import PROTOCOLS, cases, score_case, settings_of
from tests.helpers import PUBLISHED, is_nightly, loaded, scaled
from tests.plain.random_cases import SETTINGS, write_random_case

# Those of an interval follow from halves of the items, not from the page of the task.
INTERVAL = {"score_low", "score_high"}
TASKS_WITH_FIXED_ERRORS = ("kinetics_tps", "anet_entities_gt", "anet_entities_gen")


def plain_scores(task_id, reference, submission, **settings):
    """Return the columns that the plain program of a task computes."""
    program = importlib.import_module(f"tests.plain.{task_id}")
    return {key: float(number) for key, number in program.scores(reference, submission, **settings).items()}


def check(result, expected):
    # 10 decimals are written.
    scores = {key: number for key, number in result.scores.items() if key not in INTERVAL}
    assert scores == pytest.approx(expected, rel=0, abs=6e-11)


def published_cases():
    """Return the golden cases of published tasks; a task of one's own is recomputed by whoever adds it.

    Those with one template of DensePose follow each other: what is prepared of it is kept.
    """

    def place(case):
        template = case / "ref" / "SMPL_subdiv.mat"
        return case.parent.name, template.read_bytes() if template.exists() else b""

    return sorted((case for case in cases() if case.parent.name in PUBLISHED), key=place)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "case",
    published_cases(),
    ids=lambda case: f"{case.parent.name}-{case.name}",
)
def test_golden_cases_score_as_the_plain_program_says(case, protocol):
    settings = settings_of(case, protocol)
    expected = plain_scores(case.parent.name, case / "ref", case / "res", **settings)
    check(score_case(case, protocol, interval=False), expected)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(scaled(60 if is_nightly() else 24)))
@pytest.mark.parametrize("task_id", PUBLISHED)
def test_random_submissions_score_as_the_plain_program_says(tmp_path, task_id, seed, protocol):
    folders = write_random_case(task_id, Random(seed), tmp_path)
    settings = {"protocol": protocol, **SETTINGS[task_id]}
    result = loaded(task_id, folders[0], interval=False, notes=False, **settings).score_path(folders[1])
    check(result, plain_scores(task_id, *folders, **settings))
    if task_id in TASKS_WITH_FIXED_ERRORS:
        costs = {cost.error_type: cost.score_if_fixed for cost in result.error_costs}
        expected = {key: plain_scores(task_id, *folders, fixed=key, **settings)["score"] for key in costs}
        assert costs == pytest.approx(expected, rel=0, abs=6e-11)
