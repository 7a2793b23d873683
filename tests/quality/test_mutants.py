"""Which mutants are tried, on which tests, and what is said of them."""

from __future__ import annotations

import json

from quality import mutant_tests, mutants
from quality.mutant_filter import NOT_SAMPLED, divided
from quality.mutant_tests import changed_lines, chosen_tests
from quality.mutants import modules, results

TESTS = {
    "tests/test_b.py::test_slow": (14.0, [3, 4]),
    "tests/test_b.py::test_quick": (0.5, [3]),
    "tests/test_a.py::test_own": (2.0, [3, 9]),
    "tests/test_b.py::test_third": (0.6, [5]),
    "tests/test_b.py::test_second": (0.55, [5]),
    "tests/test_c.py::test_elsewhere": (0.7, [5, 9]),
}


def test_modules_hold_scores_checks_and_what_is_shown():
    held = {
        "validator/png.py",
        "validator/formats/rules.py",
        "scoring_program/challenges/densepose/measure.py",
    }
    held |= {"scoring_program/disclosure.py", "scoring_program/run.py"}
    assert held <= set(modules())
    assert not [module for module in modules() if "__" in module]


def test_tests_of_the_changed_line_are_run_and_own_ones_first():
    own, quick, slow, elsewhere = (f"tests/test_{name}" for name in (
        "a.py::test_own", "b.py::test_quick", "b.py::test_slow", "c.py::test_elsewhere",
    ))  # fmt: skip
    assert changed_lines("a\nb\nc\n", "a\nB\nc\n") == {2}
    assert chosen_tests({3}, TESTS, "tests/test_a.py") == [own, quick]
    assert chosen_tests({4}, TESTS, "tests/test_a.py") == [slow]
    second, third = "tests/test_b.py::test_second", "tests/test_b.py::test_third"
    assert chosen_tests({5}, TESTS, "tests/test_a.py") == [second, elsewhere, third]
    # No test runs a constant; then those of the module are run.
    assert chosen_tests({1}, TESTS, "tests/test_a.py") == [own, quick, elsewhere, second, third]


def test_a_module_that_no_test_runs_starts_none(tmp_path, monkeypatch):
    monkeypatch.setattr("subprocess.run", lambda *arguments, **options: 1 / 0)
    tests, module = tmp_path / "tests.json", tmp_path / "module.py"
    tests.write_text('{"own": "tests/test_module.py", "tests": {}}')
    module.touch()
    assert mutant_tests.main(str(tests), str(module), str(module)) == 0


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
    rows += [
        ("skipped", None, "excluded"),
        ("skipped", None, "Filtered operator"),
        ("normal", "killed", "..\ntimeout\n"),
    ]
    mutation = {"module_path": "x.py", "start_pos": [2, 4], "operator_name": "core/Lt_LtE"}
    dump = [
        json.dumps([
            {"mutations": [mutation]}, {"worker_outcome": worker, "test_outcome": test, "output": output, "diff": diff},
        ])
        for worker, test, output in rows
    ]  # fmt: skip
    assert results(dump) == (4, 3, 1, ["\nx.py line 2: core/Lt_LtE\n-    a < b\n+    a <= b"])


def test_missing_tool_is_named_with_its_cure(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(mutants, "_BIN", tmp_path)
    assert mutants.run_mutants(["validator/png.py"], 1, []) == 1
    assert "make .venv/mutation/done" in capsys.readouterr().err
