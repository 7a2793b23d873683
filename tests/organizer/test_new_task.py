"""``organizer new-task``: what it refuses, what it writes, tasks that work at once, and putting them aside."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from organizer import new_task
from organizer.bundle.edit import with_task
from organizer.new_task import NewTask, task_files
from tests.helpers import ROOT, is_nightly, refused

# What git ignores.
IGNORED = {
    *(".git", ".venv", ".cache", "out", "dist", "parts", ".hypothesis"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", "__pycache__", "mutants"),
}
TITLE = 'Birds: "calls" & more | \\ {x}'
LABELS = ["l'été", "#2", "{x}"]
COLUMNS = ["valence", "arousal", "score_3"]
# All that organizer new-task accepts together, by the id of a task.
CHOICES: dict[str, dict[str, Any]] = {
    **{
        f"{form}_{metric}": {"form": form, "metric": metric, "labels": LABELS}
        for form in ("csv", "json")
        for metric in ("accuracy", "balanced_accuracy", "macro_f1")
    },
    **{f"{form}_number": {"form": form, "kind": "number"} for form in ("csv", "json")},
    **{f"{form}_columns": {"form": form, "columns": COLUMNS} for form in ("csv", "json")},
    "some_labels": {"kind": "labels", "labels": LABELS},
    "some_segments": {"kind": "segments", "labels": LABELS},
    "scored_segments": {"metric": "detection_ap", "labels": LABELS},
    "thresholds": {"metric": "detection_ap", "thresholds": [0.3, 0.5]},
    "own_words": {
        "item": "recording",
        "kind": "segments",
        "labels": LABELS,
        "values": {
            "names": {"place": ["start", "end"], "label": "bird"},
            "missing": "empty",
            "each": "results",
        },
    },
    "scored_boxes": {"kind": "boxes", "labels": LABELS},
    "one_label": {"kind": "boxes", "labels": ["person"]},
    "one_label_of_segments": {"kind": "segments", "labels": ["person"]},
    "defaults": {},
    "own_metric": {"form": "json", "metric": "near_accuracy", "labels": LABELS},
}


@pytest.mark.parametrize(
    ("task_id", "options", "value"),
    [
        ("Bird", {}, "'Bird'"),
        ("import", {}, "'import'"),
        ("x", {}, "2 to 40"),
        ("../x", {}, "'../x'"),
        ("densepose", {}, "densepose"),
        ("items", {}, "'items' is a challenge"),
        ("overview", {}, "pages/overview.md"),
        ("densepose_2", {}, "a part of a task"),
        ("birds_public", {}, "public data"),
        ("birds", {"kind": "masks"}, "kind 'masks'"),
        ("birds", {"form": "tsv"}, "format 'tsv'"),
        ("birds", {"metric": "bleu"}, "metric 'bleu'"),
        ("birds", {"metric": "geodesic"}, "metric 'geodesic'"),
        ("birds", {"title": "x\ny"}, "1 to 60 characters"),
        ("birds", {"title": " "}, "1 to 60 characters"),
        ("birds", {"labels": []}, "labels"),
        ("birds", {"labels": ["a"]}, "labels"),
        ("birds", {"kind": "boxes", "labels": []}, "labels"),
        ("birds", {"labels": ["a", "b", "a"]}, "labels"),
        ("birds", {"labels": ["a", "b,c"]}, "labels"),
        ("birds", {"metric": "rmse", "labels": ["a", "b"]}, "labels"),
        ("birds", {"kind": "labels", "form": "csv"}, "--format json"),
        ("birds", {"kind": "segments", "form": "csv"}, "--format json"),
        ("birds", {"kind": "segments", "metric": "accuracy"}, "--kind label"),
        ("birds", {"kind": "label", "metric": "rmse"}, "--kind number or columns"),
        ("birds", {"kind": "label", "columns": ["a", "b"]}, "--columns"),
        ("birds", {"kind": "segments", "thresholds": [0.5]}, "--thresholds"),
        ("birds", {"item": ""}, "--item"),
        ("birds", {"kind": "value"}, "kind 'value'"),
        ("birds", {"metric": "evaluator"}, "metric 'evaluator'"),
        ("birds", {"score": "F1"}, "--score"),
        ("birds", {"sorting": "asc"}, "--sorting"),
        ("birds", {"needs": ["scipy"]}, "--needs"),
        ("birds", {"metric": "detection_ap", "values": {"scores": False}}, "with scores"),
        ("birds", {"kind": "segments", "values": {"scores": True}}, "without scores"),
        ("birds", {"values": {"color": "red"}}, "--values"),
        ("birds", {"values": {"key": "label"}}, "label"),
        ("birds", {"values": {"kind": "number"}}, "--kind"),
        ("birds", {"labels": ["a", "b"], "values": {"labels": ["c", "d"]}}, "--labels"),
        ("birds", {"columns": ["a", "b"], "values": {"columns": ["c", "d"]}}, "--columns"),
        ("birds", {"kind": "columns", "values": {"columns": ["a b", "c"]}}, "columns"),
        ("birds", {"kind": "boxes", "thresholds": [math.nan]}, "hundredths"),
        ("birds", {"kind": "boxes", "thresholds": [0.3, 0.30000000000000004]}, "hundredths"),
        ("birds", {"kind": "boxes", "thresholds": [0.5, 0.4]}, "ascending"),
        ("birds", {"kind": "boxes", "thresholds": []}, "at least one"),
        ("birds", {"columns": ["a"]}, "columns"),
        ("birds", {"columns": ["a", "a"]}, "columns"),
        ("birds", {"columns": ["a", "id"]}, "columns"),
        ("birds", {"columns": ["a", "B"]}, "columns"),
        ("birds", {"columns": [f"c{number}" for number in range(21)]}, "columns"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line_with_nothing_written(task_id, options, value, monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", lambda *_, **__: pytest.fail("it wrote a file"))
    (problem,) = refused(new_task.new_task, task_id, **options).problems
    assert problem.code == "E-NEW"
    assert value in f"{problem.problem}; {problem.remedy}"


def test_only_tasks_of_ones_own_are_put_aside():
    (problem,) = refused(new_task.undo_new_task, "densepose").problems
    assert problem.code == "E-NEW"
    assert "'densepose'" in problem.problem


@pytest.mark.parametrize("task_id", sorted(CHOICES.keys() - {"own_metric"}))
def test_texts_of_new_tasks_can_be_read(task_id):
    files = task_files(NewTask(task_id, title=TITLE, **CHOICES[task_id]))
    assert not [path for path in files if path.endswith(".py")]
    for path, data in files.items():
        if path.endswith(".json"):
            json.loads(data)
        elif path.endswith(".yaml"):
            assert yaml.safe_load(data).get("title", TITLE) == TITLE


@pytest.mark.parametrize(("thresholds", "text"), [([0.3, 0.5], "0.3, 0.5"), (None, "0.5, 0.55, 0.6")])
def test_a_page_says_at_which_thresholds_is_scored(thresholds, text):
    wanted = NewTask("birds", metric="detection_ap", thresholds=thresholds)
    assert f"The thresholds are {text}" in task_files(wanted)["pages/birds.md"].decode()


def test_page_and_leaderboard_say_that_the_columns_have_one_mean():
    files = task_files(NewTask("affect", kind="columns"))
    score, *_ = yaml.safe_load(files["scoring_program/challenges/items/affect.yaml"])["columns"]
    assert score["description"].startswith("The mean over the columns.")
    assert score["description"] in files["pages/affect.md"].decode()


def test_thresholds_are_hundredths_where_rounding_errors_are_given():
    wanted = NewTask("birds", metric="detection_ap", thresholds=[0.55, 0.6000000000000001])
    declaration = yaml.safe_load(task_files(wanted)["scoring_program/challenges/items/birds.yaml"])
    assert declaration["thresholds"] == [0.55, 0.6]


@pytest.mark.parametrize("columns", [["b", "a"], COLUMNS, [f"c{number}" for number in range(20)]])
def test_columns_are_in_their_order_in_all_files(columns):
    files = task_files(NewTask("affect", columns=columns))
    declaration = yaml.safe_load(files["scoring_program/challenges/items/affect.yaml"])
    keys = [column["key"] for column in declaration["columns"]]
    assert keys == ["score", "coverage", *(f"rmse_{column}" for column in columns)]
    case = "tests/golden/affect/one-wrong"
    expected = json.loads(files[f"{case}/expected.json"])["published"]
    errors = [1.0 if number % 2 == 0 else 0.0 for number in range(len(columns))]
    assert [expected[f"rmse_{column}"] for column in columns] == errors
    assert expected["score"] == pytest.approx(sum(errors) / len(errors))
    assert files[f"{case}/ref/truth.csv"].decode().splitlines()[0] == ",".join(["id", *columns])


def run_python(folder, *arguments):
    """Run Python in a folder; return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def copy_repository(folder):
    """Copy this repository with its compiled modules, but for what is built, into a folder; return it."""
    return shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*(IGNORED - {"__pycache__"})))


def files_in(folder):
    """Return what git would see of a folder."""
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    return {path: (folder / path).read_bytes() for path in paths if not IGNORED & {*path.parts}}


# By day one task of each kind that differs most is tried, and one with the metric of docs/new_task.md.
TRIED = ("csv_balanced_accuracy", "own_words", "one_label", "own_metric")
# A brute-force computation of that metric.
PLAIN_METRIC = """

def near_accuracy(truth, predicted):
    labels = %r
    distances = [abs(labels.index(truth[key]) - labels.index(predicted[key])) for key in truth]
    return sum({0: 1, 1: 0.5}.get(distance, 0) for distance in distances) / len(truth)
"""


@pytest.mark.slow
def test_new_tasks_work_at_once_and_are_put_aside(tmp_path):
    folder = copy_repository(tmp_path / "copy")
    add_own_metric(folder)
    before = files_in(folder)
    for task_id in tried_ids():
        run_command(folder, "new-task", task_id, *option_words({"title": TITLE, **CHOICES[task_id]}))
    assert (folder / "competition.yaml").read_bytes() == before[Path("competition.yaml")]
    check_tests(folder)
    check_bundles(folder)
    check_references(folder)
    check_kits(folder)
    check_started_competition(folder, before)
    check_put_aside(folder, before)


EVALUATOR = "def evaluate(truth, predicted):\n    return {'hits': sum(truth[key] == predicted[key] for key in predicted)}\n"


@pytest.mark.slow
def test_what_becomes_public_and_what_is_taken_out_is_told(tmp_path):
    folder = copy_repository(tmp_path / "copy")
    (tmp_path / "my_eval.py").write_text(EVALUATOR, encoding="utf-8")
    for name in ("gt", "answers"):
        (tmp_path / f"{name}.json").write_text('{"a": "robin", "b": "owl"}', encoding="utf-8")
    examples = ["--truth", "../gt.json", "--prediction", "../answers.json"]
    new_task = ["new-task", "birds", "--evaluator", "../my_eval.py", *examples, "--score", "hits"]
    assert "the kit publishes the values of gt.json and answers.json" in run_command(folder, *new_task)
    competition = with_task(
        (folder / "competition.yaml").read_text(encoding="utf-8"), "birds", "Birds", "Which?"
    )
    (folder / "competition.yaml").write_text(competition, encoding="utf-8")
    assert "competition.yaml is without birds" in run_command(folder, "undo-new-task", "birds")
    assert (folder / "out" / "undone" / "birds" / "competition.yaml").read_text(
        encoding="utf-8"
    ) == competition


@pytest.mark.slow
def test_competition_of_a_task_waits_for_it_to_be_written_anew(tmp_path):
    folder = copy_repository(tmp_path / "copy")
    run_command(folder, "new-task", "birds", "--labels", "robin wren")
    run_command(folder, "start", "birds", "--title", "Birds", "--replace")
    competition = (folder / "competition.yaml").read_bytes()
    assert "competition.yaml has no other task" in run_command(folder, "undo-new-task", "birds")
    run_command(folder, "new-task", "birds", "--labels", "robin owl")
    assert (folder / "competition.yaml").read_bytes() == competition
    assert "dist/birds.zip" in run_command(folder, "bundle")


def add_own_metric(folder):
    """Write the metric of docs/new_task.md into a copy of the repository, and its brute-force twin."""
    page = (folder / "docs" / "new_task.md").read_text(encoding="utf-8")
    *_, code = re.findall("^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (folder / "scoring_program" / "metrics" / "near_accuracy.py").write_text(code, encoding="utf-8")
    with (folder / "tests" / "plain_metrics.py").open("a", encoding="utf-8") as plain_metrics:
        plain_metrics.write(PLAIN_METRIC % LABELS)


def option_words(options):
    """Return options of a call as those of the command."""
    words = []
    for name, value in options.items():
        option = {"form": "format"}.get(name, name)
        text = json.dumps(value) if isinstance(value, dict) else value
        words += [f"--{option}", text if isinstance(text, str) else " ".join(map(str, text))]
    return words


def run_command(folder, *arguments):
    return run_python(folder, "-m", "organizer", *arguments)


def tried_ids():
    return list(CHOICES if is_nightly() else TRIED)


def check_tests(folder):
    """Run all tests of new tasks, slow ones too, and those that look at all tasks at once."""
    run = partial(run_python, folder, "-m", "pytest", "-p", "no:cacheprovider", "--hypothesis-profile=smoke")
    run("-n", "2", "-k", " or ".join(tried_ids()))
    of_all_tasks = ("test_golden", "test_reference_files", "test_repository", "test_rules", "test_task")
    modules = sorted(str(path) for name in of_all_tasks for path in (folder / "tests").rglob(f"{name}.py"))
    run("-m", "not slow", *modules)


def check_bundles(folder):
    """Check that the tasks have bundles without errors, whose programs score a sample."""
    run_command(folder, "bundle")
    bundles = [f"dist/{task_id}.zip" for task_id in tried_ids()]
    assert run_command(folder, "lint", *bundles).count(": 0 errors") == len(bundles)
    for task_id in tried_ids():
        sample = str(folder / "starting_kit" / "samples" / task_id / "good")
        assert "leaderboard row" in run_command(folder, "dry-run", task_id, sample)


def check_references(folder):
    """Check that each task has references with overviews that were checked, baselines, and parts."""
    for task_id in tried_ids():
        source, output = f"reference_data/{task_id}", f"out/refs/{task_id}"
        run_command(folder, "prepare", task_id, "--source", source, "--output", output)
        run_command(folder, "baselines", task_id, "--reference", output)
        run_command(folder, "split", task_id, "--reference", output)
        overview = (folder / "out" / "refs" / task_id / ".overview.html").read_text(encoding="utf-8")
        assert "Nothing looks like a mistake" in overview
        assert (folder / "out" / "refs" / f"{task_id}_public" / "items.csv").is_file()
        assert (folder / "parts" / f"{task_id}_2").is_dir()


def check_kits(folder):
    """Check that a kit holds the own tasks of its competition, and says so in its version."""
    for task_id in tried_ids():
        *_, wheel, _sdist = run_command(folder, "kit", task_id).split()
        label = task_id.replace("_", ".")
        assert f"+{label}-" in wheel
        assert (folder / wheel).is_file()
        kit = folder / "dist" / "kit"
        assert f"+{label}" in (kit / "pyproject.toml").read_text(encoding="utf-8")
        sample = f"people_in_video/samples/{task_id}/good.zip"
        check_annotations(kit, task_id)
        run_python(kit, "-m", "people_in_video", "score", task_id, sample)
        assert json.loads((kit / "evaluation" / "scores.json").read_text())["coverage"] == 1
        check = ("-m", "people_in_video", "check", task_id, sample)
        assert "ids and names unchecked" in run_python(kit, *check)
        public = str(folder / "out" / "refs" / f"{task_id}_public")
        assert "compared with the public data" in run_python(kit, *check, "--public", public)


def check_annotations(kit, task_id):
    """Check that the example of a reference on the page of a kit is the start of the demo reference."""
    page = (kit / "formats" / f"{task_id}.md").read_text(encoding="utf-8")
    section = page.partition("## Your own annotations")[2].partition("\n## ")[0]
    name, example = re.search("`(truth[.][a-z]+)`.*?```\n(.*?)```", section, re.DOTALL).groups()
    demo = (kit / "people_in_video" / "demo_reference" / task_id / name).read_text(encoding="utf-8")
    if name.endswith(".csv"):
        assert demo.startswith(example)
    else:
        assert json.loads(example).items() <= json.loads(demo).items()


def check_started_competition(folder, before):
    """Check that the texts of a competition of one new task name samples that its kit has."""
    task_id = tried_ids()[-1]
    run_command(folder, "start", task_id, "--title", "Birds", "--replace")
    overview = (folder / "pages" / "overview.md").read_text(encoding="utf-8")
    run_command(folder, "kit", task_id)
    for name in ("good", "weak"):
        sample = f"people_in_video/samples/{task_id}/{name}.zip"
        assert sample in overview
        assert (folder / "dist" / "kit" / sample).is_file()
    for path in ("competition.yaml", "pages/overview.md", "pages/terms.md"):
        (folder / path).write_bytes(before[Path(path)])


def check_put_aside(folder, before):
    """Check that nothing of the new tasks is left, and nothing is lost."""
    page = Path("pages") / f"{tried_ids()[0]}.md"
    (folder / page).write_text("# Mine\n", encoding="utf-8")
    for task_id in tried_ids():
        run_command(folder, "undo-new-task", task_id)
    assert files_in(folder) == before
    assert (folder / "out" / "undone" / tried_ids()[0] / page).read_text(encoding="utf-8") == "# Mine\n"
