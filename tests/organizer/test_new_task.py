"""``make new-task``: what it refuses, its copies of the examples, tasks that work at once, and taking them back."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from organizer import new_task
from organizer.files import folder_files
from tests.helpers import ROOT, refused

# What git ignores; the copy gets what mypy knows of the repository.
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
VALUES = {"rmse": "json", "f1": "lists"}
LISTS = ("json", "f1")
CHOICES = [
    (form, metric)
    for form in new_task.FORMATS
    for metric in new_task.METRICS
    if metric != "f1" or (form, metric) == LISTS
]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Bird", "x", "csv", "accuracy", ["a", "b"]), "'Bird' is not an ID; write small letters"),
        (("import", "x", "csv", "accuracy", ["a", "b"]), "'import' is not an ID"),
        (("../x", "x", "csv", "accuracy", ["a", "b"]), "'../x' is not an ID"),
        (("densepose", "x", "csv", "accuracy", ["a", "b"]), "pages/densepose.md exists; choose another ID"),
        (("overview", "x", "csv", "accuracy", ["a", "b"]), "pages/overview.md exists; choose another ID"),
        (("rules", "x", "csv", "accuracy", ["a", "b"]), "'rules' is the name of a module; choose another ID"),
        (("json", "x", "csv", "accuracy", ["a", "b"]), "'json' is the name of a module; choose another ID"),
        (("birds", "x", "tsv", "accuracy", ["a", "b"]), "there is no FORMAT 'tsv'; write FORMAT=csv or json"),
        (("birds", "x", "csv", "bleu", ["a", "b"]), "there is no METRIC 'bleu'; write METRIC=accuracy or "),
        (("birds", "x\ny", "csv", "accuracy", ["a", "b"]), "a title has 1 to 60 characters"),
        (("birds", " ", "csv", "accuracy", ["a", "b"]), "a title has 1 to 60 characters"),
        (("birds", "x", "csv", "accuracy", []), "labels are at least two different words"),
        (("birds", "x", "csv", "accuracy", ["a"]), "labels are at least two different words"),
        (("birds", "x", "csv", "accuracy", ["a", "b", "a"]), "labels are at least two different words"),
        (("birds", "x", "csv", "rmse", ["a", "b"]), "the metric rmse is for numbers and has no labels"),
        (
            ("birds", "x", "csv", "f1", ["a", "b"]),
            "f1 is for lists of labels, which need JSON; write FORMAT=json",
        ),
        (("birds", "x", "json", "f1", ["a", "a"]), "labels are at least two different words"),
        (("birds", "x", "csv", "accuracy", ["a", "b,c"]), "labels are at least two different words"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line_with_nothing_written(arguments, said, monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", lambda *_, **__: pytest.fail("it wrote a file"))
    (line,) = refused(new_task.new_task, *arguments).lines()
    assert line.startswith("1. E-NEW: ")
    assert said in line


def test_packages_of_developers_are_asked_for_before_anything_is_written(monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", lambda *_, **__: pytest.fail("it wrote a file"))
    monkeypatch.setattr(new_task, "find_spec", lambda name: None)
    (line,) = refused(new_task.new_task, "birds", "x", "csv", "accuracy", ["a", "b"]).lines()
    assert line == "1. E-NEW: the packages for developers are missing here; run make .venv/dev."


def test_a_task_that_was_not_written_is_not_taken_back():
    (line,) = refused(new_task.undo_new_task, "densepose").lines()
    assert line.startswith("1. E-NEW: make new-task has not written 'densepose'; it has written ")


def test_make_asks_for_the_format_of_a_new_task():
    command = ["make", "--dry-run", "new-task", "ID=birds"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "--format" not in shown.stdout


def words(form, metric):
    labels = [] if metric == "rmse" else LABELS
    return new_task._words("bird_calls", TITLE, form, metric, labels)


@pytest.mark.parametrize(("form", "metric"), CHOICES)
def test_every_word_that_is_replaced_occurs_in_the_examples(form, metric):
    examples = folder_files(ROOT / "task_templates")
    texts = "\n".join([*examples, *(data.decode() for data in examples.values())])
    assert [word for word in words(form, metric) if word not in texts] == []


@pytest.mark.parametrize(("form", "metric"), CHOICES)
def test_copies_hold_no_word_of_the_examples(form, metric):
    copies = new_task._copies("bird_calls", form, metric, words(form, metric))
    left = {"csv": "json", "json": "csv", "accuracy": "", "rmse": ""}
    foreign = ["robin", "wren", "owl", "17.5", "Example", "example_", "task_templates", f"truth.{left[form]}"]
    foreign += [known for known in ("accuracy", "rmse") if known not in metric]
    foreign += ["label"] if metric == "rmse" else ["a number", "RMSE"]
    if metric == "rmse":
        foreign.remove("17.5")
    assert [(path, word) for path, text in copies.items() for word in foreign if word in path + text] == []
    for path, text in copies.items():
        if path.endswith(".py"):
            ast.parse(text)
        elif path.endswith(".json"):
            json.loads(text)
        elif path.endswith(".yaml"):
            data = yaml.safe_load(text)
            assert data.get("title", TITLE) == TITLE
    assert sorted(path for path in copies if "expected" in path) == sorted(
        f"tests/golden/bird_calls/{case.name}/expected.json"
        for case in (
            ROOT / "task_templates" / "tests" / "golden" / f"example_{VALUES.get(metric, 'csv')}"
        ).iterdir()
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return the folder of a copy of the repository, with what mypy knows of it, and a function that runs Python there."""
    folder = tmp_path_factory.mktemp("new_task") / "copy"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*IGNORED - {".mypy_cache"}))

    def run(*arguments, cwd=folder):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return folder, run


def files(folder):
    """Return what git would see of a folder."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path: (folder / path).read_bytes() for path in found if not IGNORED & {*path.parts}}


TASKS = {
    "bird_calls": ("csv", "balanced_accuracy", "desc"),
    "loudness": ("json", "rmse", "asc"),
    "voices": (*LISTS, "desc"),
}


@pytest.mark.slow
def test_new_tasks_work_at_once_and_are_taken_back(copy, tmp_path):
    folder, run = copy
    before = files(folder)
    for task_id, (form, metric, _) in TASKS.items():
        labels = ["--labels", " ".join(LABELS)] if metric != "rmse" else []
        arguments = ["new-task", task_id, "--title", TITLE, "--format", form, "--metric", metric, *labels]
        written, _, rest = run("-m", "organizer", *arguments).partition("changed:")
        for place in written.split()[1:]:
            assert (folder / place).exists(), place
        edits = rest.partition("left to edit:\n")[2]
        assert 1 <= len(edits.splitlines()) <= 6
        assert not re.search('[",]$', edits, re.MULTILINE)
    # As in the Makefile, types are those of the numpy of newer versions.
    types = [["mypy"]] if sys.version_info >= (3, 11) else []
    for tool in (["ruff", "format", "--check", "."], ["ruff", "check", "."], *types):
        run("-m", *tool)
    # Their own tests, and those of what lists all tasks or none.
    # A list of labels is written as numbers are, so the kit and the pages in a browser need no third test.
    own = "bird_calls or voices or (loudness and not test_kits and not browser)"
    chosen = f"({own} or hold_every_task or names_no_task) and not test_new_task and not notebook"
    run("-m", "pytest", "-n", "2", "--hypothesis-profile=quick", "-k", chosen, "-p", "no:cacheprovider")
    scored = run("-m", "organizer", "demo")
    run("-m", "organizer", "bundle")
    linted = run("-m", "organizer", "lint", *(f"dist/{task_id}.zip" for task_id in TASKS))
    assert (
        linted.count("the page holds the mark EDIT:") == linted.count(": 0 errors, 2 warnings") == len(TASKS)
    )
    for task_id, (_, _, sorting) in TASKS.items():
        assert task_id in scored
        with zipfile.ZipFile(folder / "dist" / f"{task_id}.zip") as bundle:
            competition = yaml.safe_load(bundle.read("competition.yaml"))
        column = competition["leaderboards"][0]["columns"][0]
        assert competition["title"] == f"[DEMO DATA] {TITLE}"
        assert (column["key"], column["sorting"]) == ("score", sorting)
    taken_back(folder, run, before)


def taken_back(folder, run, before):
    """Edit one task in all ways, take both back, and check what is left."""
    mine = folder / "tests/golden/bird_calls/mine/expected.json"
    mine.parent.mkdir()
    mine.write_text("{}")
    edited = folder / "quality/bird_calls/values.py"
    edited.write_text(edited.read_text() + "# mine\n")
    for name, old, new in (
        ("competition.yaml", "hide_output: false", "hide_output: true"),
        ("README.md", "# People", "# Birds"),
    ):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, new))
        before[Path(name)] = before[Path(name)].replace(old.encode(), new.encode())
    said = run("-m", "organizer", "undo-new-task", "bird_calls")
    assert "edited since, so moved to out/undone/bird_calls/:\n  quality/bird_calls/values.py\n" in said
    assert said.endswith("make new-task did not write it:\n  tests/golden/bird_calls/mine/expected.json\n")
    assert (folder / "out/undone/bird_calls/quality/bird_calls/values.py").read_text().endswith("# mine\n")
    for task_id in ("loudness", "voices"):
        assert "edited" not in run("-m", "organizer", "undo-new-task", task_id)
    assert files(folder) == {**before, mine.relative_to(folder): b"{}"}
    assert not (folder / "task_templates" / ".written").exists()
