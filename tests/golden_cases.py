"""The golden cases: where they are, what they expect, and their scores through the program of their task."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from scoring_program.result import Result
from scoring_program.scoring import Loaded
from scoring_program.settings import SETTINGS_FILE
from tests.helpers import GOLDEN, ROOT, loaded

PROTOCOLS = ("published", "released")


def cases(name: str = "*") -> list[Path]:
    """Return the folders of the cases of a task, or of all tasks."""
    return sorted(path.parent for path in GOLDEN.glob(f"{name}/*/expected.json"))


class Number(float):
    """A number of a case, and how far from it a score may be."""

    tolerance = 1e-12


def _number(text: str) -> Number:
    number = Number(text)
    if re.fullmatch(r"-?[0-9]+\.[0-9]{10}", text):
        number.tolerance = 1e-9
    return number


def expected_of(case: Path) -> dict[str, Any]:
    text = (case / "expected.json").read_text(encoding="utf-8")
    return json.loads(text, parse_float=_number)  # type: ignore[no-any-return]


def numbers_of(case: Path, protocol: str) -> Any:
    """Return what a protocol must give, None if the case does not say."""
    expected = expected_of(case)
    return (expected if "published" in expected else {"published": expected}).get(protocol)


def checks_of(name: str) -> Any:
    """Return the module ``checks`` of a task, or an empty one."""
    if not (GOLDEN / name / "checks.py").is_file():
        return SimpleNamespace()
    return importlib.import_module(f"tests.golden.{name}.checks")


def check_of(name: str) -> Callable[[str, Callable[..., Result], Any], None]:
    """Return what compares a result with the numbers of a case."""
    return getattr(checks_of(name), "check", _check_scores)  # type: ignore[no-any-return]


def _check_scores(name: str, score: Callable[..., Result], expected: Any) -> None:
    scores = score().scores
    for key, number in expected.items():
        assert number is not None, (
            f"{key}: write the number that another program or a computation by hand gives"
        )
        assert scores[key] == pytest.approx(number, abs=getattr(number, "tolerance", 1e-12)), key


def settings_of(case: Path, protocol: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of a case that are not the defaults."""
    file = case.parent / SETTINGS_FILE
    own = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {**own, "protocol": protocol, "detail": "full", **settings}


@cache
def loaded_of(case: Path, chosen: str) -> Loaded[Any, Any, Any]:
    """Load the reference of a case once with the same settings: preparing it may take a moment."""
    return loaded(case.parent.name, case / "ref", **json.loads(chosen))


def score_case(case: Path, protocol: str, **settings: Any) -> Result:
    """Score a golden case through its task and return its result."""
    # No reference depends on the protocol.
    of_task = loaded_of(case, json.dumps(settings_of(case, PROTOCOLS[0])))
    values = {**of_task.settings, **settings_of(case, protocol, **settings)}
    return replace(of_task, settings=values).score_path(case / "res")


def result_of_case(case: Path, protocol: str, interval: bool) -> Callable[..., Result]:
    """Score a case; return a function that returns the result, or another one for settings that move a score.

    Numbers alone are compared: there are no notes, with other settings no sections either.
    """
    result = score_case(case, protocol, interval=interval, notes=False)

    def result_with(**settings: Any) -> Result:
        if not settings:
            return result
        return score_case(case, protocol, interval=False, notes=False, detail="none", **settings)

    return result_with


@contextmanager
def told(case: Path) -> Iterator[None]:
    """Add to a failure what the case is about."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{case.relative_to(ROOT)}: {expected_of(case).get('what')}\n{error}") from error
