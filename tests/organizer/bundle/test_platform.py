"""The linter says of a bundle what the platform does with it: 389 changed bundles of ours, and shapes of public ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from organizer import ROOT
from organizer.__main__ import main
from organizer.bundle.contents import SampleRuns
from organizer.bundle.lint import lint_bundle
from tests.helpers import make_zip
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
    # The older form has no submission rule.
    usual = {*USUAL, "L-RULE"} if case["base"] == "gesture-v1.5" else USUAL
    warnings = {problem.code for problem in report.warnings.problems} - usual
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


DUMP = """
title: !!python/unicode 'Birds'
description: !!python/unicode 'Calls of birds'
image: logo.png
admin_names: eve
allow_teams: true
force_submission_to_leaderboard: true
html: {overview: overview.html, terms: overview.html}
phases:
  1: {phasenumber: 1, label: First, start_date: 2027-01-01 10:00:00, phase_never_ends: false,
      reference_data: reference.zip, scoring_program: program.zip}
  2: {phasenumber: 2, label: Final, start_date: "2027-06-01 12:00:00", max_submissions: 3,
      reference_data: reference.zip, scoring_program: program.zip}
leaderboard:
  leaderboards: {RESULTS: &first {label: Results, rank: 1}, MORE: &second {label: More, rank: 2}}
  columns:
    score: {label: Score, leaderboard: *first, rank: 1}
    mean: {label: Mean, leaderboard: *first, rank: 2, computed: {operation: Avg, fields: "score, time"}}
    time: {label: Time, leaderboard: *second, rank: 1}
"""
PICTURE = b'<h1>Birds</h1><img src="images/bird.png">'


def test_all_that_a_dump_of_classic_codalab_loses_is_listed_at_once(tmp_path):
    path = tmp_path / "dump.zip"
    program = {"metadata": "command: python3 $program/score.py $input $output", "score.py": "print(1)"}
    files: dict[str, str | bytes] = {
        "competition.yaml": DUMP,
        "logo.png": (ROOT / "logo.png").read_bytes(),
        "overview.html": PICTURE,
        "program.zip": make_zip(program),
        "reference.zip": make_zip({"truth.txt": "1"}),
    }
    path.write_bytes(make_zip(files))
    report, _ = lint_bundle(path)
    (error,) = report.errors.problems
    assert (error.code, error.where) == ("L-YAML", "line 2 column 8")
    assert "2 texts" in error.problem
    found = {(problem.code, problem.where) for problem in report.warnings.problems}
    assert found >= {
        ("L-UNKNOWN", "/admin_names"),
        ("L-UNKNOWN", "/phases/1/phase_never_ends"),
        ("L-DATE", "/phases/1/start_date"),
        ("L-PHASE", "/phases/2/start_date"),
        ("L-COLUMN", "/leaderboard/columns/mean/computed"),
        ("L-BOARD", "/leaderboard/columns/time"),
        ("L-RULE", "/force_submission_to_leaderboard"),
        ("L-LINK", ""),
    }
    # The end of the first phase, which nobody has written.
    assert any("2027-05-31 12:00:00" in problem.problem for problem in report.warnings.problems)
    # Without the tags it can be uploaded, and the rest stays.
    path.write_bytes(make_zip({**files, "competition.yaml": DUMP.replace("!!python/unicode ", "")}))
    report, _ = lint_bundle(path)
    assert report.errors.lines() == []
    assert {(problem.code, problem.where) for problem in report.warnings.problems} >= found


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
