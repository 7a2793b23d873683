"""Examples in docstrings run and give what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.helpers import ROOT

PACKAGES = ("scoring_program", "validator", "organizer", "quality")
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted
    assert results.failed == 0
