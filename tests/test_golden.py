"""The pinned cases: inputs with the numbers that the released scripts or brute-force programs gave for them.

``expected.json`` maps keys of scores to numbers, for each protocol or for ``published`` alone. A task whose cases hold
other numbers, or need settings, says so in ``golden/<id>/checks.py``: ``check``, ``check_more`` and ``SETTINGS``.
"""

from __future__ import annotations

import importlib
import json
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from conftest import GOLDEN, ROOT
from scoring_program.challenge import challenge_ids, load_challenge
from scoring_program.scoring import scored_result
from validator.findings import Findings

CASES = sorted(path.parent for path in GOLDEN.glob("*/*/expected.json"))


def expected_of(case):
    return json.loads((case / "expected.json").read_text(encoding="utf-8"))


def checks_of(name):
    """Return the module ``checks`` of a task, or an empty one."""
    if not (GOLDEN / name / "checks.py").is_file():
        return SimpleNamespace()
    return importlib.import_module(f"golden.{name}.checks")


def _protocols():
    for case in CASES:
        expected = expected_of(case)
        by_protocol = expected if "published" in expected else {"published": expected}
        for protocol in ("published", "released"):
            if by_protocol.get(protocol) is not None:
                name = f"{case.parent.name}-{case.name}-{protocol}"
                yield pytest.param(case, protocol, by_protocol[protocol], id=name)


@cache
def reference_of(case, chosen):
    """Load the reference of a case once with the same settings: preparing it may take a moment."""
    findings = Findings()
    reference = load_challenge(case.parent.name).program().load_reference(case / "ref", json.loads(chosen), findings)
    assert findings.lines() == []
    return reference


def score_case(case: Path, protocol: str, **settings):
    """Score a golden case through the challenge's program and return its result."""
    challenge = load_challenge(case.parent.name)
    program = challenge.program()
    chosen = {setting.name: setting.default for setting in challenge.settings}
    chosen.update(getattr(checks_of(challenge.id), "SETTINGS", {}), protocol=protocol, detail="full")
    reference = reference_of(case, json.dumps(chosen))
    findings = Findings()
    submission = program.read_submission(case / "res", reference, findings)
    assert findings.lines() == []
    return scored_result(challenge, reference, submission, {**chosen, **settings})


@contextmanager
def told(case):
    """Say what the case is about if it fails."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{case.relative_to(ROOT)}: {expected_of(case).get('what')}\n{error}") from error


def check_scores(name, score, expected):
    scores = score().scores
    for key, number in expected.items():
        assert scores[key] == pytest.approx(number, abs=1e-12), key


@pytest.mark.parametrize(("case", "protocol", "expected"), list(_protocols()))
def test_golden_case_gives_its_numbers(case, protocol, expected):
    name = case.parent.name
    check = getattr(checks_of(name), "check", check_scores)
    with told(case):
        check(name, partial(score_case, case, protocol), expected)


def _holding_more():
    """Yield the cases that hold what ``check_more`` of their task compares, under one of the keys ``MORE``."""
    for case in CASES:
        if set(getattr(checks_of(case.parent.name), "MORE", ())) & expected_of(case).keys():
            yield pytest.param(case, id=f"{case.parent.name}-{case.name}")


@pytest.mark.parametrize("case", list(_holding_more()))
def test_golden_case_gives_what_else_it_holds(case):
    with told(case):
        checks_of(case.parent.name).check_more(partial(score_case, case, "published"), expected_of(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_every_key_of_a_case_is_read(case):
    expected = expected_of(case)
    more = set(getattr(checks_of(case.parent.name), "MORE", ()))
    if "published" in expected:
        assert expected.keys() <= {"what", "published", "released", "expected", *more}
        assert expected.get("expected", expected["published"]) == expected["published"]
    else:
        assert not more & expected.keys()


@pytest.mark.parametrize("challenge_id", challenge_ids())
def test_every_challenge_has_golden_cases(challenge_id):
    assert any(case.parent.name == challenge_id for case in CASES)
