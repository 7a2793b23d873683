"""Examples in docstrings of metrics run, and every public function of a metric is in one."""

from __future__ import annotations

import ast
import doctest
import importlib

import pytest

from tests.helpers import ROOT

# What each metric of tasks of one's own has; random cases are compared with a brute-force computation.
CONTRACT = {"error_costs", "measure", "reduce", "scores"}
MODULES = sorted(path.stem for path in (ROOT / "scoring_program" / "metrics").glob("[a-z]*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_metrics_run_and_call_every_public_function(name):
    module = importlib.import_module(f"scoring_program.metrics.{name}")
    assert doctest.testmod(module).failed == 0
    examples = [example.source for test in doctest.DocTestFinder().find(module) for example in test.examples]
    called = {
        node.id for source in examples for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)
    }
    public = {
        key
        for key, value in vars(module).items()
        if key[0] != "_" and callable(value) and getattr(value, "__module__", "") == module.__name__
    }
    functions = {key for key in public if not isinstance(getattr(module, key), type)} - CONTRACT
    assert functions <= called, sorted(functions - called)
