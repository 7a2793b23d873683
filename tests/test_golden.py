"""The pinned cases: inputs with the numbers that the released scripts or brute-force programs gave for them.

``expected.json`` maps keys of scores to numbers, for each protocol or for ``published`` alone. A task whose cases hold
other numbers, or need settings, says so in ``golden/<id>/checks.py``: ``check``, ``check_more`` and ``SETTINGS``.
"""

from __future__ import annotations

from functools import partial

import pytest

from scoring_program.task import task_ids
from tests.golden_cases import (
    PROTOCOLS,
    cases,
    check_of,
    checks_of,
    expected_of,
    numbers_of,
    score_case,
    told,
)

pytestmark = pytest.mark.interpreters

CASES = cases()


def _protocols():
    for case in CASES:
        for protocol in PROTOCOLS:
            expected = numbers_of(case, protocol)
            if expected is not None:
                yield pytest.param(case, protocol, expected, id=f"{case.parent.name}-{case.name}-{protocol}")


@pytest.mark.parametrize(("case", "protocol", "expected"), list(_protocols()))
def test_golden_case_gives_its_numbers(case, protocol, expected):
    with told(case):
        check_of(case.parent.name)(
            case.parent.name, partial(score_case, case, protocol, interval=False), expected
        )


def _holding_more():
    """Yield the cases that hold what ``check_more`` of their task compares, under one of the keys ``MORE``."""
    for case in CASES:
        if set(getattr(checks_of(case.parent.name), "MORE", ())) & expected_of(case).keys():
            yield pytest.param(case, id=f"{case.parent.name}-{case.name}")


@pytest.mark.slow
@pytest.mark.parametrize("case", list(_holding_more()))
def test_golden_case_gives_what_else_it_holds(case):
    with told(case):
        checks_of(case.parent.name).check_more(
            partial(score_case, case, "published", interval=False), expected_of(case)
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_every_key_of_a_case_is_read(case):
    expected = expected_of(case)
    more = set(getattr(checks_of(case.parent.name), "MORE", ()))
    if "published" in expected:
        assert expected.keys() <= {"what", "published", "released", "expected", *more}
        assert expected.get("expected", expected["published"]) == expected["published"]
    else:
        assert not more & expected.keys()


@pytest.mark.parametrize("task_id", task_ids())
def test_every_task_has_golden_cases(task_id):
    assert any(case.parent.name == task_id for case in CASES)
