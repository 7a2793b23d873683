"""Which mutants are tried, on which tests, and what is said of them."""

from __future__ import annotations

import json

import pytest

from quality import mutants
from quality.mutant_filter import NOT_SAMPLED, divided
from quality.mutants import chosen_tests, modules, results
from tests.helpers import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("module", modules())
def test_every_module_has_tests_that_exist(module):
    files = [argument for argument in chosen_tests(module) if argument.endswith(".py")]
    assert files
    assert all((ROOT / file).exists() for file in files)


def test_tests_of_a_module_and_golden_cases_of_its_tasks_are_run():
    chosen = ["tests/scoring_program/metrics/test_part_state.py", "tests/test_golden.py"]
    keyword = "not test_golden or kinetics_tps"
    assert chosen_tests("scoring_program/metrics/part_state.py") == [*chosen, "-k", keyword]
    assert chosen_tests("validator/png.py") == ["tests/validator/test_png.py"]


def test_sample_is_the_same_each_time_and_holds_no_excluded_mutant():
    tried = [("core/Add_Sub", f"x = {number} + 1") for number in range(50)]
    tried[7] = ("core/NumberReplacer", "@dataclass(order=1)")
    excluded, left_out = divided(tried, ["TYPE_CHECKING", "@dataclass"], 10)
    assert excluded == [7]
    assert len(left_out) == 39
    assert 7 not in left_out
    assert divided(tried, ["@dataclass"], 10) == ([7], left_out)
    assert divided(tried, ["@dataclass"], 100) == ([7], [])


def test_results_count_what_was_tried_and_show_what_survived():
    diff = (
        "--- mutation diff ---\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    a < b\n+    a <= b"
    )
    rows = [("normal", "killed", ""), ("normal", "survived", ""), ("skipped", None, NOT_SAMPLED)]
    rows += [("skipped", None, "excluded"), ("skipped", None, "Filtered operator")]
    mutation = {"module_path": "x.py", "start_pos": [2, 4], "operator_name": "core/Lt_LtE"}
    dump = [
        json.dumps([
            {"mutations": [mutation]}, {"worker_outcome": worker, "test_outcome": test, "output": output, "diff": diff},
        ])
        for worker, test, output in rows
    ]  # fmt: skip
    assert results(dump) == (3, 2, ["\nx.py line 2: core/Lt_LtE\n-    a < b\n+    a <= b"])


def test_missing_tool_is_named_with_its_cure(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(mutants, "_BIN", tmp_path)
    assert mutants.run_mutants(["validator/png.py"], 1) == 1
    assert "make .venv/mutation/done" in capsys.readouterr().err
