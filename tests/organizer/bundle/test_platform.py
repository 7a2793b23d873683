"""The linter says of a bundle what the platform does with it: 389 changed bundles of ours, and shapes of public ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from organizer.__main__ import main
from organizer.bundle.contents import SampleRuns
from organizer.bundle.lint import lint_bundle
from tests.organizer.bundle.changed_bundles import CASES, changed_bundle

PUBLIC_CASES = Path(__file__).parent / "public_cases"
# Warnings that a bundle of demo data has anyway.
USUAL = {"L-DEMO"}


def marked(cases):
    """Return all cases, of which all but a tenth are slow."""
    return [
        pytest.param(case, id=case["name"], marks=[pytest.mark.slow] if number % 10 else [])
        for number, case in enumerate(cases)
    ]


@pytest.mark.parametrize("case", marked(CASES))
def test_verdict_is_the_platforms(case, bundles, tmp_path):
    path = tmp_path / "bundle.zip"
    path.write_bytes(changed_bundle(case, bundles))
    report, _ = lint_bundle(path, samples=SampleRuns.NONE)
    warnings = {problem.code for problem in report.warnings.problems} - USUAL
    if case["want"] == "error":
        assert not report.errors.ok, case["platform_says"]
    elif case["want"] == "flag":
        assert warnings or not report.errors.ok, case["platform_says"]
    elif case["want"] == "fine":
        assert report.errors.lines() == []
    for problem in (*report.errors.problems, *report.warnings.problems):
        assert problem.remedy, problem
        assert problem.file, problem


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t5_f05_timeout", "t5_f07_sh_c", "t5_f18f_sh_and_quoted"])
def test_sample_is_run_by_the_command_of_the_program(name, bundles, tmp_path):
    (case,) = [case for case in CASES if case["name"] == name]
    path = tmp_path / "bundle.zip"
    path.write_bytes(changed_bundle(case, bundles))
    report, _ = lint_bundle(path, samples=SampleRuns.ALL)
    assert {problem.code for problem in (*report.errors.problems, *report.warnings.problems)} <= USUAL


# What is said of bundles as public ones are: errors, warnings, and a word of the remedy of the first.
PUBLIC = [
    ("b10_dates", [], ["L-DATE", "L-DATE"], '"2027-06-15 00:00:00"'),
    ("b10b_dates", [], ["L-DATE", "L-DATE"], '"2027-06-15 00:00:00"'),
    ("t06", [], ["L-DATE"], '"2027-02-02 11:59:00"'),
    ("t07", [], ["L-DATE"], '"2027-02-01 15:59:00"'),
    ("b5_empty", [], [], ""),
    ("b2_dump2018", [], ["L-IMAGE", "L-UNKNOWN", "L-UNKNOWN"], "editor"),
    ("c1_emptyimage", [], ["L-IMAGE"], "py312"),
    ("c2_falseimage", [], ["L-IMAGE"], "py312"),
    ("b7b_macleak", [], [], ""),
    ("e1_metacolon", ["L-METADATA"], [], "quotes"),
    ("e5_metanospace", ["L-METADATA"], [], "one"),
    ("b12_noversion", ["L-SCHEMA"], [], "version: 2"),
    ("b7_macprog", ["L-METADATA"], ["L-FILE"], "content of scoring_program"),
    ("b9_tworanks", [], ["L-BOARD"], "one leaderboard"),
    ("f3_unknown_flood", [], ["L-UNKNOWN"], "classic CodaLab"),
]


@pytest.mark.parametrize(("name", "errors", "warnings", "word"), PUBLIC, ids=[name for name, *_ in PUBLIC])
def test_bundle_as_public_ones_are_gets_the_cause_and_no_false_alarm(name, errors, warnings, word):
    report, _ = lint_bundle(PUBLIC_CASES / f"{name}.zip", samples=SampleRuns.NONE)
    problems = [*report.errors.problems, *report.warnings.problems]
    assert [problem.code for problem in report.errors.problems] == errors
    assert sorted(problem.code for problem in report.warnings.problems) == warnings
    assert not problems or word in problems[0].remedy


@pytest.mark.slow
@pytest.mark.parametrize("base", ["chalearn_gesture.zip", "v1.5/chalearn_gesture.zip"])
def test_lint_with_run_runs_the_samples(bundles, base, capsys):
    assert main(["lint", "--run", "--zone", "Asia/Tokyo", str(bundles / base)]) == 0
    out = capsys.readouterr().out
    assert "0 errors" in out
    assert "Asia/Tokyo" in out


def test_lint_with_run_ends_without_a_traceback(capsys):
    assert main(["lint", "--run", str(PUBLIC_CASES / "b5_empty.zip")]) == 0
    assert "b5_empty.zip: 0 errors" in capsys.readouterr().out
