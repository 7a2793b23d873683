"""``make new-task``: what it refuses, its copies of the examples, tasks that work at once, and taking them back."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import yaml

from organizer import new_task
from tests.helpers import ROOT, is_nightly, refused

# What git ignores; the copy gets what mypy knows of the repository, and what Python has compiled.
IGNORED = {
    ".git",
    ".venv",
    ".cache",
    "out",
    "dist",
    ".hypothesis",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
}
IGNORED |= {"__pycache__", "mutants"}
TITLE = 'Birds: "calls" & more | \\ '
LABELS = ["l'été", "#2", "{x}"]
LISTS = ("json", "f1")
CHOICES = [
    (form, metric)
    for form in new_task.FORMATS
    for metric in new_task.METRICS
    if metric != "f1" or (form, metric) == LISTS
]


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("Bird", "x", "csv", "accuracy", ["a", "b"]), "'Bird'"),
        (("import", "x", "csv", "accuracy", ["a", "b"]), "'import'"),
        (("../x", "x", "csv", "accuracy", ["a", "b"]), "'../x'"),
        (("densepose", "x", "csv", "accuracy", ["a", "b"]), "pages/densepose.md"),
        (("overview", "x", "csv", "accuracy", ["a", "b"]), "pages/overview.md"),
        (("rules", "x", "csv", "accuracy", ["a", "b"]), "module"),
        (("json", "x", "csv", "accuracy", ["a", "b"]), "module"),
        (("birds", "x", "tsv", "accuracy", ["a", "b"]), "FORMAT 'tsv'"),
        (("birds", "x", "csv", "bleu", ["a", "b"]), "METRIC 'bleu'"),
        (("birds", "x\ny", "csv", "accuracy", ["a", "b"]), "1 to 60 characters"),
        (("birds", " ", "csv", "accuracy", ["a", "b"]), "1 to 60 characters"),
        (("birds", "x", "csv", "accuracy", []), "labels"),
        (("birds", "x", "csv", "accuracy", ["a"]), "labels"),
        (("birds", "x", "csv", "accuracy", ["a", "b", "a"]), "labels"),
        (("birds", "x", "csv", "rmse", ["a", "b"]), "rmse"),
        (("birds", "x", "csv", "f1", ["a", "b"]), "FORMAT=json"),
        (("birds", "x", "json", "f1", ["a", "a"]), "labels"),
        (("birds", "x", "csv", "accuracy", ["a", "b,c"]), "labels"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line_with_nothing_written(arguments, value, monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", lambda *_, **__: pytest.fail("it wrote a file"))
    (problem,) = refused(new_task.new_task, *arguments).problems
    assert problem.code == "E-NEW"
    assert value in f"{problem.problem}; {problem.remedy}"


def test_packages_of_developers_are_asked_for_before_anything_is_written(monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", lambda *_, **__: pytest.fail("it wrote a file"))
    monkeypatch.setattr(new_task, "find_spec", lambda name: None)
    (problem,) = refused(new_task.new_task, "birds", "x", "csv", "accuracy", ["a", "b"]).problems
    assert problem.code == "E-NEW"
    assert problem.remedy.endswith(" .venv/dev")


def test_a_task_that_was_not_written_is_not_taken_back():
    (problem,) = refused(new_task.undo_new_task, "densepose").problems
    assert problem.code == "E-NEW"
    assert "'densepose'" in problem.problem


def test_make_asks_for_the_format_of_a_new_task():
    command = ["make", "--dry-run", "new-task", "ID=birds"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "--format" not in shown.stdout


@pytest.mark.parametrize(("form", "metric"), CHOICES)
def test_copies_have_no_placeholder_and_can_be_read(form, metric):
    labels = [] if metric == "rmse" else LABELS
    task = new_task.NewTask(id="bird_calls", title=TITLE, format=form, metric=metric, labels=labels)
    copies = new_task.copied_files(task)
    other_file = "truth.json" if form == "csv" else "truth.csv"
    for path, text in copies.items():
        assert not [word for word in ("example_", "task_templates", other_file) if word in path + text], path
        if path.endswith(".py"):
            ast.parse(text)
        elif path.endswith(".json"):
            json.loads(text)
        elif path.endswith(".yaml"):
            assert yaml.safe_load(text).get("title", TITLE) == TITLE
    schema = copies[f"validator/formats/bird_calls/bird_calls.{'files.yaml' if form == 'csv' else 'json'}"]
    assert all(f'"{label}"' in schema for label in labels)
    golden = ROOT / "task_templates" / "tests" / "golden" / task.example
    assert sorted(path for path in copies if "expected" in path) == sorted(
        f"tests/golden/bird_calls/{case.name}/expected.json" for case in golden.iterdir()
    )


def run_python(folder, *arguments):
    """Run Python in a folder; return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def files(folder):
    """Return what git would see of a folder."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path: (folder / path).read_bytes() for path in found if not IGNORED & {*path.parts}}


# Modules with tests that look at all tasks at once; tests of one task have its id in their names.
TESTS_OF_ALL_TASKS = [
    "test_baselines",
    "test_build",
    "test_content",
    "test_demo_data",
    "test_dependencies",
    "test_edit",
    "test_gaming",
    "test_messages",
    "test_overview",
    "test_portability",
    "test_repository",
    "test_rules",
    "test_task",
]


ANNOTATED, EDITED = "csv_balanced_accuracy", "json_rmse"


def annotations_of_the_guide(task_id):
    """Return the module of organizer/challenges/ that docs/new_task.md shows, for another task."""
    guide = (ROOT / "docs" / "new_task.md").read_text(encoding="utf-8")
    (module,) = re.findall(r"```python\n(.*?)```", guide, re.S)
    return module.replace("bird_calls", task_id)


@pytest.mark.slow
def test_all_new_tasks_pass_the_quick_tests_and_are_taken_back(tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*IGNORED - {".mypy_cache", "__pycache__"}))
    run = partial(run_python, folder)
    before = files(folder)
    tasks = {f"{form}_{metric}": (form, metric) for form, metric in CHOICES}
    for task_id, (form, metric) in tasks.items():
        labels = ["--labels", " ".join(LABELS)] if metric != "rmse" else []
        arguments = ["new-task", task_id, "--title", TITLE, "--format", form, "--metric", metric, *labels]
        written, _, rest = run("-m", "organizer", *arguments).partition("changed:")
        for place in written.split()[1:]:
            assert (folder / place).exists(), place
        edits = rest.partition("left to edit:\n")[2]
        assert 1 <= len(edits.splitlines()) <= 6
        assert not re.search('[",]$', edits, re.MULTILINE)
    (folder / f"organizer/challenges/{ANNOTATED}.py").write_text(annotations_of_the_guide(ANNOTATED))
    # As in the Makefile, types are those of the numpy of newer versions.
    types = [["mypy"]] if sys.version_info >= (3, 11) else []
    for tool in (["ruff", "format", "--check", "."], ["ruff", "check", "."], *types):
        run("-m", *tool)
    quick = ["-m", "not slow", "--hypothesis-profile=smoke", "--ignore=tests/organizer/test_new_task.py"]
    if is_nightly():
        quick += ["-n", "2", "--dist", "worksteal"]
    else:
        quick += ["-k", " or ".join([*tasks, *TESTS_OF_ALL_TASKS])]
    run("-m", "pytest", "-p", "no:cacheprovider", *quick)
    assert {*tasks} <= {*run("-m", "organizer", "demo").split()}
    check_kit(folder, EDITED)
    run("-m", "organizer", "baselines", ANNOTATED, "--reference", "reference_data")
    run("-m", "organizer", "split", ANNOTATED, "--reference", "reference_data")
    shutil.rmtree(folder / "out")
    (folder / f"organizer/challenges/{ANNOTATED}.py").unlink()
    check_taken_back(folder, run, before, tasks)


def check_kit(folder, task_id):
    """Check that the kit of a new task holds it beside the package of all kits, and scores it there."""
    write = f"import pathlib; from organizer.bundle.kit_folder import write_kit; write_kit(['{task_id}'], pathlib.Path('out/kit'))"
    run_python(folder, "-c", write)
    kit = folder / "out" / "kit"
    project = kit / f"people-in-video-{task_id}"
    assert not [path for path in (kit / "people_in_video").rglob("*") if task_id in path.name]
    sample = str(project / f"people_in_video_{task_id}" / "samples" / task_id / "good.zip")
    for command in ("check", "score"):
        run_python(kit, "-m", "people_in_video", command, task_id, sample)
    scores = json.loads((kit / "evaluation" / "scores.json").read_text())
    assert scores["coverage"] == 1


def check_taken_back(folder, run, before, tasks):
    """Edit one task in all ways, take all back, and check what is left."""
    mine = Path("tests/golden") / EDITED / "mine" / "expected.json"
    (folder / mine).parent.mkdir()
    (folder / mine).write_text("{}")
    edited = Path("quality") / EDITED / "values.py"
    (folder / edited).write_text((folder / edited).read_text() + "# mine\n")
    for name, old, new in (
        ("competition.yaml", "hide_output: false", "hide_output: true"),
        ("README.md", "# People", "# Birds"),
    ):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, new))
        before[Path(name)] = before[Path(name)].replace(old.encode(), new.encode())
    printed = {task_id: run("-m", "organizer", "undo-new-task", task_id) for task_id in tasks}
    aside = f"out/undone/{EDITED}"
    assert f"{aside}/:\n  {edited}\n" in printed[EDITED]
    assert printed[EDITED].endswith(f":\n  {mine}\n")
    assert (folder / aside / edited).read_text().endswith("# mine\n")
    assert [task_id for task_id in tasks if "edited" in printed[task_id]] == [EDITED]
    assert files(folder) == {**before, mine: b"{}"}
    assert not (folder / "task_templates" / ".written").exists()
