"""Every rule of the linter, each on a bundle that breaks just that rule, and the verdicts of the platform itself."""

from __future__ import annotations

import base64
import datetime
import io
import json
import zipfile
from pathlib import Path

import pytest
import yaml

from conftest import ROOT, make_zip
from organizer.__main__ import main
from organizer.bundle.competition import read_competition
from organizer.bundle.contents import Contents
from organizer.bundle.lint import lint_bundle, lint_files
from organizer.bundle.report import Report
from organizer.bundle.visibility import visibility
from organizer.files import zip_bytes

ID = "chalearn_gesture"
DELETE = object()
BASES = {"gesture": f"{ID}.zip", "all": "competition.zip", "gesture-v1.5": f"v1.5/{ID}.zip"}
# Small changes of our bundles with what Codabench said to each (a copy of what was tried there).
CASES = json.loads((Path(__file__).parent / "bundles.json").read_text(encoding="utf-8"))
# Warnings that a bundle of demo data, or of long names, has anyway.
USUAL = ("L-DEMO", "L-NAME")


@pytest.fixture(scope="module")
def contents():
    return Contents()


@pytest.fixture(scope="module")
def unpacked(bundles):
    """Return the files of our bundles."""

    def read(path):
        with zipfile.ZipFile(path) as bundle:
            return {name: bundle.read(name) for name in bundle.namelist()}

    return {base: read(bundles / name) for base, name in BASES.items()}


@pytest.fixture
def lint(contents, unpacked):
    """Return a function that changes the data and the files of a bundle and lints it."""

    def lint(change=lambda data, files: None, base="gesture", samples=False):
        files = dict(unpacked[base])
        data = yaml.safe_load(files["competition.yaml"])
        change(data, files)
        report = Report()
        lint_files(data, files, contents, samples, report)
        return report

    return lint


def put(data, path, value):
    *head, last = path
    for step in head:
        data = data[step]
    if value is DELETE:
        del data[last]
    else:
        data[last] = value


def codes(findings):
    return {problem.code for problem in findings.problems} - set(USUAL)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_verdict_is_the_platforms(case, unpacked, contents):
    files = dict(unpacked[case["base"]])
    data = yaml.safe_load(files["competition.yaml"])
    for change in case.get("change", []):
        put(data, change["at"], change.get("set", DELETE))
    files["competition.yaml"] = (
        yaml.safe_dump(data, sort_keys=False).encode() + case.get("text", {}).get("append", "").encode()
    )
    files.update({name: base64.b64decode(content) for name, content in case.get("files", {}).items()})
    for name in case.get("removed", []):
        del files[name]
    for name, program in case.get("program", {}).items():
        with zipfile.ZipFile(io.BytesIO(files[name])) as archive:
            inside = {entry: archive.read(entry) for entry in archive.namelist() if entry not in program["removed"]}
        files[name] = make_zip({**inside, **program["written"]})
    report = Report()
    read = read_competition(files["competition.yaml"], report)
    if read is not None:
        lint_files(read, files, contents, samples=True, report=report)
    found = codes(report.warnings)
    if case["want"] == "error":
        assert not report.ok, case["platform_says"]
    elif case["want"] == "flag":
        assert found or not report.ok
    elif case["want"] == "fine":
        assert report.errors.lines() == []
    for problem in [*report.errors.problems, *report.warnings.problems]:
        assert problem.hint, problem
        assert problem.file, problem


@pytest.mark.parametrize("base", BASES)
def test_our_bundles_have_no_errors_and_warn_only_of_the_demo_data(lint, base):
    report = lint(base=base, samples=True)
    assert report.lines()
    assert report.errors.lines() == []
    assert {problem.code for problem in report.warnings.problems} <= set(USUAL)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (["image"], "nothing.png", "/image"),
        (["pages", 0, "file"], "pages/none.md", "/pages/0/file"),
        (["tasks", 0, "scoring_program"], "", "/tasks/0/scoring_program"),
        (["tasks", 0, "scoring_program"], "./", "/tasks/0/scoring_program"),
        (["tasks", 0, "reference_data"], "starting_kit.zip", "L-REFERENCE"),
        (["leaderboards", 0, "columns", 1, "key"], "Coverage", "/leaderboards/0/columns/1"),
        (["phases", 0, "auto_migrate_to_this_phase"], True, "/phases/0/auto_migrate_to_this_phase"),
        (["phases", 0, "hide_output"], "perhaps", "/phases/0/hide_output"),
        (["leaderboards", 0, "columns", 1, "computation_indexes"], [9], "/leaderboards/0/columns/1"),
        (["docker_image"], "x" * 129, "/docker_image"),
        (["queue"], "my queue", "/queue"),
        (["phases", 0, "start"], "soon", "/phases/0/start"),
    ],
)
def test_what_fails_is_an_error_at_its_place(lint, path, value, place):
    lines = lint(lambda data, files: put(data, path, value)).errors.lines()
    assert any(place in line for line in lines), lines


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (["docker_image"], DELETE, "/docker_image"),
        (["phases", 0, "end"], "2026-01-01 00:00:00", "/phases/0/end"),
        (["phases", 0, "end"], datetime.datetime(2027, 12, 31, 23, 59, 59), "/phases/0/end"),
        (["phases", 0, "end"], "May 1st, 2028", "/phases/0/end"),
        (["phases", 0, "execution_time_limit"], 3600, "/phases/0/execution_time_limit"),
        (["starting_kit"], "starting_kit.zip", "/starting_kit"),
        (["leaderboards", 0, "submission_rule"], "Add", "/leaderboards/0/submission_rule"),
        (["leaderboards", 0, "primary_index"], 9, "/leaderboards/0/primary_index"),
        (["queue"], "5b0d4b2e-3a51-4c7d-9d5e-0f4f5a3b8f11", "/queue"),
        (["solutions", 0, "name"], DELETE, "/solutions/0"),
    ],
)
def test_what_is_unwise_is_a_warning_at_its_place(lint, path, value, place):
    report = lint(lambda data, files: put(data, path, value))
    assert report.errors.lines() == []
    assert any(place in line for line in report.warnings.lines()), report.warnings.lines()


def test_unknown_key_comes_with_the_nearest_known_one(lint):
    report = lint(lambda data, files: put(data, ["phases", 0, "max_submissions_per_dya"], 3))
    assert any("the nearest known key is max_submissions_per_day" in line for line in report.warnings.lines())


def hidden(files):
    """Replace the demo reference by one that is not marked as such; return one of its files."""
    secret = b"1,1,10\n2,20,30\n3,40,50\n4,60,70\n5,80,90\n6,100,110\n7,120,130\n8,140,150\n"
    files[f"{ID}_reference.zip"] = zip_bytes({"S1_labels.csv": secret, "S1_data.csv": b"900,20,2000\n"})
    return secret


def inside(archive, more):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return make_zip({**{name: opened.read(name) for name in opened.namelist()}, **more})


@pytest.mark.parametrize("whole", [True, False], ids=["the zip", "a file of it"])
@pytest.mark.parametrize("where", ["kit", "public_data", "input_data", "program", "page", "solution"])
def test_reference_data_where_it_can_be_seen_is_an_error(lint, where, whole):
    def change(data, files):
        data["title"] = "Real data"
        secret = hidden(files)
        more = {"deep/x.zip": files[f"{ID}_reference.zip"]} if whole else {"deep/x": secret}
        names = {"kit": "starting_kit.zip", "program": f"{ID}_program.zip", "solution": f"{ID}_sample.zip"}
        if where == "page":
            files["pages/data.md"] = secret
        elif where in names:
            files[names[where]] = inside(files[names[where]], more)
        else:
            files["other.zip"] = make_zip(more)
            (data["tasks"] if where == "input_data" else data["phases"])[0][where] = "other.zip"

    if where == "page" and whole:
        pytest.skip("a zip is no page")
    assert codes(lint(change).errors) == {"L-LEAK"}


def test_hidden_reference_that_is_shown_nowhere_is_no_error(lint):
    def change(data, files):
        data["title"] = "Real data"
        hidden(files)

    assert lint(change).ok


def test_demo_data_in_the_kit_is_no_leak_and_needs_its_title(lint):
    assert codes(lint(lambda data, files: data.update(title="Real data")).errors) == set()
    report = lint(lambda data, files: data.update(title="Real data"))
    assert any("the title does not say so" in line for line in report.errors.lines())


def test_folder_and_zip_of_one_name_clash(lint):
    def change(data, files):
        files["starting_kit/a.txt"] = b"x"
        data["phases"][0]["public_data"] = "starting_kit"

    assert codes(lint(change).errors) == {"L-CLASH"}


def test_sample_that_does_not_score_is_an_error(lint):
    def change(data, files):
        files[f"{ID}_sample.zip"] = zip_bytes({"nothing.csv": b"1,2,3\n"})

    report = lint(change, samples=True)
    assert any(f"{ID}_sample.zip" in line for line in report.errors.lines())


def test_program_of_others_in_their_own_way_is_no_error():
    """Dates without quotes, phases without index, folders, an ingestion program, computed columns, fact sheets."""
    text = """
version: "2"
title: Wheat Seeds
description: Classify seeds
image: logo.png
registration_auto_approve: True
docker_image: codalab/codalab-legacy:py37
terms: terms.md
pages:
  - {title: Overview, file: overview.md}
fact_sheet:
  method: {key: method, type: checkbox, title: Method, selection: [SVM, Other], is_required: "true", is_on_leaderboard: "true"}
tasks:
  - {index: 0, name: Wheat, description: Seeds, input_data: input_data/, reference_data: reference_data/,
     scoring_program: scoring_program/, ingestion_program: ingestion_program/, ingestion_only_during_scoring: False}
solutions:
  - {index: 0, path: solution, tasks: [0]}
phases:
  - {name: Development, description: dev, start: 2024-09-01, end: 2024-12-31 23:59:59, tasks: [0], max_submissions: 0}
  - {name: Final, start: 01-01-2025 00:00, tasks: [0], auto_migrate_to_this_phase: true, starting_kit: starting_kit/}
leaderboards:
  - title: Results
    key: main
    submission_rule: "Force_Last"
    columns:
      - {title: A, key: accuracy, index: 0, sorting: desc, hidden: False}
      - {title: B, key: time, index: 1, sorting: asc}
      - {title: Mean, key: mean, index: 2, computation: avg, computation_indexes: [0, 1]}
"""
    files = {
        "logo.png": (ROOT / "logo.png").read_bytes(),
        "terms.md": b"terms",
        "overview.md": b"overview",
        "input_data/train.csv": b"1,2\n" * 50,
        "reference_data/labels.csv": b"1\n" * 50,
        "reference_data/public.info": b"said twice " * 20,
        "input_data/public.info": b"said twice " * 20,
        "scoring_program/metadata": b"command: python3 $program/score.py $input $output\n",
        "scoring_program/score.py": b"import sklearn\n",
        "ingestion_program/metadata.yaml": b"command: python3 /app/program/ingestion.py $ingestion_program\n",
        "ingestion_program/ingestion.py": b"import torch\n",
        "solution/model.py": b"x = 1\n",
        "starting_kit/readme.md": b"hello",
    }
    report = Report()
    data = read_competition(text.encode(), report)
    lint_files(data, files, Contents(), samples=True, report=report)
    assert report.errors.lines() == []
    assert {"L-DATE", "L-SAMPLE", "L-LEAK"} <= codes(report.warnings)


def test_old_competition_of_others_is_no_error():
    text = """
title: Compute Pi
description: Approximate pi
image: logo.png
has_registration: True
end_date: 2030-01-01
html: {overview: overview.html, terms: terms.html}
phases:
  1: {phasenumber: 1, label: "First phase", start_date: 2013-06-30, max_submissions: 100, scoring_program: program.zip,
      reference_data: reference.zip, color: green}
leaderboard:
  leaderboards:
    Results: &RESULTS {label: Results, rank: 1}
  columns:
    DIFFERENCE: {leaderboard: *RESULTS, label: Difference, numeric_format: 4, sort: asc}
"""
    files = {
        "logo.png": (ROOT / "logo.png").read_bytes(),
        "terms.html": b"<p>terms",
        "overview.html": b"<p>overview",
        "program.zip": make_zip(
            {"metadata": "command: python $program/evaluate.py $input $output\n", "evaluate.py": "1"}
        ),
        "reference.zip": make_zip({"answer.txt": "3.14159265359"}),
    }
    report = Report()
    lint_files(read_competition(text.encode(), report), files, Contents(), samples=True, report=report)
    assert report.errors.lines() == []


@pytest.fixture
def written(unpacked, tmp_path):
    path = tmp_path / "bundle.zip"
    path.write_bytes(zip_bytes(unpacked["gesture"]))
    return path


def test_command_prints_warnings_and_the_table_and_strict_fails_on_warnings(written, capsys):
    assert main(["lint", str(written)]) == 0
    said = capsys.readouterr().out
    assert "bundle.zip: 0 errors, 1 warning" in said
    assert "warning 1. L-DEMO" in said
    assert "participants see" in said
    assert main(["lint", "--strict", str(written)]) == 1


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({}, {"log": "yes", "zip of the scores": "yes", "detail page": "yes"}),
        ({"hide_score_output": True}, {"log": "yes", "zip of the scores": "no", "detail page": "yes"}),
        ({"hide_output": True}, {"log": "no", "zip of the scores": "no", "detail page": "by its address"}),
        ({"hide_output": "yes", "enable_detailed_results": False}, {"log": "no", "detail page": "no"}),
        ({"hide_prediction_output": True}, {"zip of the predictions": "no", "zip of the scores": "yes"}),
    ],
)
def test_table_says_what_the_flags_hide_from_the_owner_of_a_run(unpacked, flags, expected):
    data = yaml.safe_load(unpacked["gesture"]["competition.yaml"])
    data["enable_detailed_results"] = flags.pop("enable_detailed_results", True)
    data["phases"][0].update(flags)
    lines = {
        line.strip().split("  ")[0].replace(" (with all scores)", ""): line.split("  ") for line in visibility(data)
    }
    for name, shown in expected.items():
        assert next(word.strip() for word in lines[name][2:] if word.strip()) == shown


def test_not_a_zip_and_missing_competition(tmp_path):
    bad = tmp_path / "x.zip"
    bad.write_bytes(b"no zip")
    assert "L-ZIP" in lint_bundle(bad)[0].lines()[0]
    bad.write_bytes(zip_bytes({"folder/competition.yaml": b"x: 1\n"}))
    assert "not the folder" in lint_bundle(bad)[0].lines()[0]


@pytest.mark.parametrize("base", BASES)
def test_column_that_puts_the_worst_first_is_noticed(lint, base):
    def change(data, files):
        if base == "gesture-v1.5":
            data["leaderboard"]["columns"]["score"]["sort"] = "asc"
        else:
            data["leaderboards"][0]["columns"][0]["sorting"] = "asc"

    (found,) = (problem for problem in lint(change, base).warnings.problems if problem.code == "L-SORTING")
    assert "score of " in found.problem
    assert ID in found.problem
