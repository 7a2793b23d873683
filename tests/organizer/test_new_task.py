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
from tests.helpers import PUBLISHED, ROOT, is_nightly, refused

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
COLUMNS = ["valence", "arousal", "score_3"]
# Formats, metrics and columns: all that make new-task accepts together.
CHOICES = [
    *[
        (form, metric, [])
        for form in ("csv", "json")
        for metric in ("accuracy", "balanced_accuracy", "macro_f1")
    ],
    *[("json", "f1", []), ("segments", "segment_f1", [])],
    *[(form, "rmse", columns) for form in ("csv", "json") for columns in ([], COLUMNS)],
]


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("Bird", "x", "csv", "accuracy", ["a", "b"]), "'Bird'"),
        (("import", "x", "csv", "accuracy", ["a", "b"]), "'import'"),
        (("../x", "x", "csv", "accuracy", ["a", "b"]), "'../x'"),
        (("densepose", "x", "csv", "accuracy", ["a", "b"]), "organizer/tasks/densepose.py"),
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
        (("birds", "x", "segments", None, ["a"]), "labels"),
        (("birds", "x", "segments", "f1", ["a", "b"]), "FORMAT=json"),
        (("birds", "x", "segments", "accuracy", ["a", "b"]), "METRIC=segment_f1"),
        (("birds", "x", "segments", "rmse", None), "METRIC=segment_f1"),
        (("birds", "x", "json", "segment_f1", None), "FORMAT=segments"),
        (("birds", "x", "csv", None, None, ["a", "b"]), "METRIC=rmse"),
        (("birds", "x", "csv", "rmse", None, ["a"]), "columns"),
        (("birds", "x", "csv", "rmse", None, ["a", "a"]), "columns"),
        (("birds", "x", "csv", "rmse", None, ["a", "id"]), "columns"),
        (("birds", "x", "csv", "rmse", None, ["a", "B"]), "columns"),
        (("birds", "x", "csv", "rmse", None, ["a", "b,c"]), "columns"),
        (("birds", "x", "csv", "rmse", None, [f"c{number}" for number in range(21)]), "columns"),
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


def id_of(form, metric, columns):
    """Return the id of a new task of each choice."""
    return f"{form}_{metric}{'_columns' if columns else ''}"


@pytest.mark.parametrize(("form", "metric", "columns"), CHOICES, ids=map(id_of, *zip(*CHOICES)))
def test_copies_have_no_placeholder_and_can_be_read(form, metric, columns):
    labels = [] if metric == "rmse" else LABELS
    task = new_task.NewTask(
        id="bird_calls", title=TITLE, format=form, metric=metric, labels=labels, columns=columns
    )
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
    assert all(column in schema for column in columns)
    golden = ROOT / "task_templates" / "tests" / "golden" / task.example
    assert sorted(path for path in copies if "expected" in path) == sorted(
        f"tests/golden/bird_calls/{case.name}/expected.json" for case in golden.iterdir()
    )


def test_each_metric_has_its_formats():
    assert {metric for _, metric, _ in CHOICES} == set(new_task.METRICS)
    assert {form for form, _, _ in CHOICES} == set(new_task.FORMATS)


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("columns", [["b", "a"], COLUMNS, [f"c{number}" for number in range(20)]])
def test_columns_are_in_their_order_in_all_files(form, columns):
    task = new_task.NewTask(id="affect", title="x", format=form, metric="rmse", labels=[], columns=columns)
    copies = new_task.copied_files(task)
    declaration = yaml.safe_load(copies["scoring_program/challenges/affect/affect.yaml"])
    keys = [column["key"] for column in declaration["columns"]]
    assert keys == ["score", "coverage", *(f"rmse_{column}" for column in columns)]
    expected = json.loads(copies["tests/golden/affect/one-wrong/expected.json"])["published"]
    errors = [1.0 if number % 2 == 0 else 0.0 for number in range(len(columns))]
    assert [expected[f"rmse_{column}"] for column in columns] == errors
    assert expected["score"] == pytest.approx(sum(errors) / len(errors))
    truth = copies[f"tests/golden/affect/one-wrong/ref/truth.{form}"]
    rules = copies[f"validator/formats/affect/affect.{'files.yaml' if form == 'csv' else 'json'}"]
    if form == "csv":
        assert truth.splitlines()[0] == ",".join(["id", *columns])
        fields = yaml.safe_load(rules)["csv"][0]["schema"]["fields"]
        assert [field["name"] for field in fields] == ["id", *columns]
    else:
        assert list(json.loads(truth)["item_1"]) == columns
        schema = json.loads(rules)["additionalProperties"]
        assert schema["required"] == list(schema["properties"]) == columns


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


# Modules with tests that look at all tasks at once, without the id of one in their names; at night all modules are run.
TESTS_OF_ALL_TASKS = [
    "test_docstrings",
    "test_golden",
    "test_item_groups",
    "test_reference_files",
    "test_repository",
    "test_rules",
    "test_settings",
    "test_task",
]


# The one that is tried by day, at night all are.
TRIED = "segments_segment_f1"


@pytest.mark.slow
def test_all_new_tasks_work_at_once_and_are_taken_back(tmp_path):
    folder = tmp_path / "copy"
    ignored = IGNORED - {".mypy_cache", "__pycache__", ".cache"}
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*ignored))
    run = partial(run_python, folder)
    before = files(folder)
    tasks = {id_of(*choice): choice for choice in CHOICES}
    if not is_nightly():
        tasks = {TRIED: tasks[TRIED]}
    create(folder, tasks)
    # The types of the examples are checked by day. As in the Makefile, they are those of the numpy of newer
    # versions.
    types = [["mypy"]] if is_nightly() and sys.version_info >= (3, 11) else []
    for tool in (["ruff", "format", "--check", "."], ["ruff", "check", "."], *types):
        run("-m", *tool)
    run_tests(folder, tasks)
    for task_id in tasks:
        check_kit(folder, task_id)
    if is_nightly():
        assert {*tasks} <= {*run("-m", "organizer", "demo").split()}
    check_programs(folder, list(tasks))
    check_references(folder, list(tasks))
    shutil.rmtree(folder / "out")
    check_taken_back(folder, before, tasks)


# Runs a command of the organizer with each list of arguments, and writes a line after it.
RUN_COMMANDS = """
import json, sys
from organizer.__main__ import main

for arguments in json.loads(sys.argv[1]):
    assert main(arguments) == 0, arguments
    print("DONE")
"""


def run_commands(folder, commands):
    """Run commands of the organizer in one process; return what each printed."""
    *printed, rest = run_python(folder, "-c", RUN_COMMANDS, json.dumps(commands)).split("DONE\n")
    assert (len(printed), rest) == (len(commands), "")
    return printed


def create(folder, tasks):
    """Write new tasks in a copy of the repository, and check what the command says of each."""
    commands = []
    for task_id, (form, metric, columns) in tasks.items():
        commands.append(["new-task", task_id, "--title", TITLE, "--format", form, "--metric", metric])
        if metric != "rmse":
            commands[-1] += ["--labels", " ".join(LABELS)]
        if columns:
            commands[-1] += ["--columns", " ".join(columns)]
    for printed in run_commands(folder, commands):
        written, _, rest = printed.partition("changed:")
        for place in written.split()[1:]:
            assert (folder / place).exists(), place
        edits = rest.partition("left to edit:\n")[2]
        assert 1 <= len(edits.splitlines()) <= 6
        assert not re.search('[",]$', edits, re.MULTILINE)


def run_tests(folder, task_ids):
    """Run the modules of tests of new tasks in the copy, and those that look at all tasks, without the cases of
    other tasks; at night all quick tests."""
    quick = ["-m", "not slow", "--hypothesis-profile=smoke"]
    if is_nightly():
        quick += ["-n", "2", "--dist", "worksteal", "--ignore=tests/organizer/test_new_task.py"]
    else:
        names = [*TESTS_OF_ALL_TASKS, *(f"test_{task_id}" for task_id in task_ids)]
        modules = sorted(path for name in names for path in (folder / "tests").rglob(f"{name}.py"))
        quick += ["-k", f"not ({' or '.join(PUBLISHED)})", *map(str, modules)]
    run_python(folder, "-m", "pytest", "-p", "no:cacheprovider", *quick)


# Writes the scoring programs of tasks as folders.
WRITE_PROGRAMS = """
import sys
from pathlib import Path
from organizer.bundle.programs import program_files
from organizer.files import write_files

for task_id in sys.argv[1:]:
    write_files(program_files(task_id), Path("out", task_id, "program"))
"""


def check_programs(folder, task_ids):
    """Check that the built program of each task scores its sample, in the folders of the platform."""
    run_python(folder, "-c", WRITE_PROGRAMS, *task_ids)
    for task_id in task_ids:
        work = folder / "out" / task_id
        shutil.copytree(folder / "reference_data" / task_id, work / "input" / "ref")
        shutil.copytree(folder / "starting_kit" / "samples" / task_id / "good", work / "input" / "res")
        run_python(work, "program/score.py", "input", "output")
        scores = json.loads((work / "output" / "scores.json").read_text())
        columns = [scores[f"rmse_{column}"] for column in COLUMNS if f"rmse_{column}" in scores]
        assert len(columns) == (3 if "columns" in task_id else 0)
        assert scores["coverage"] == 1
        assert scores["score"] == pytest.approx(sum(columns) / 3 if columns else scores["score"])
        assert "detailed_results.html" in {path.name for path in (work / "output").iterdir()}


def check_references(folder, task_ids):
    """Check that each task has references with overviews that were checked, baselines, and parts."""
    commands = []
    for task_id in task_ids:
        source, output = f"reference_data/{task_id}", f"out/refs/{task_id}"
        commands.append(["prepare", task_id, "--source", source, "--output", output])
        commands.append(["baselines", task_id, "--reference", output])
        commands.append(["split", task_id, "--reference", output])
    run_commands(folder, commands)
    for task_id in task_ids:
        overview = (folder / "out" / "refs" / f"{task_id}.overview.html").read_text(encoding="utf-8")
        assert "Nothing looks like a mistake" in overview
        assert (folder / "out" / "refs" / f"{task_id}_public" / "items.csv").is_file()
        assert (folder / "out" / "split" / f"{task_id}_2").is_dir()


def check_kit(folder, task_id):
    """Check that the kit of a new task holds it beside the package of all kits, and scores it there."""
    write = f"import pathlib; from organizer.bundle.kit_folder import write_kit; write_kit(['{task_id}'], pathlib.Path('out/kit'))"
    run_python(folder, "-c", write)
    kit = folder / "out" / "kit"
    project = kit / f"people-in-video-{task_id}"
    assert not [path for path in (kit / "people_in_video").rglob("*") if task_id in path.name]
    sample = str(project / f"people_in_video_{task_id}" / "samples" / task_id / "good.zip")
    run_python(kit, "-m", "people_in_video", "score", task_id, sample)
    scores = json.loads((kit / "evaluation" / "scores.json").read_text())
    assert scores["coverage"] == 1
    public = folder / "out" / "public"
    source = f"reference_data/{task_id}"
    run_commands(folder, [["public-data", task_id, "--source", source, "--output", str(public)]])
    check = ("-m", "people_in_video", "check", task_id, sample)
    assert "ids and names unchecked" in run_python(kit, *check)
    assert "compared with the public data" in run_python(kit, *check, "--public", str(public))


def check_taken_back(folder, before, tasks):
    """Edit one task in all ways, take all back, and check what is left."""
    mine = Path("tests/golden") / TRIED / "mine" / "expected.json"
    (folder / mine).parent.mkdir()
    (folder / mine).write_text("{}")
    edited = Path("quality") / TRIED / "values.py"
    (folder / edited).write_text((folder / edited).read_text() + "# mine\n")
    for name, old, new in (
        ("competition.yaml", "hide_output: false", "hide_output: true"),
        ("README.md", "# People", "# Birds"),
    ):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, new))
        before[Path(name)] = before[Path(name)].replace(old.encode(), new.encode())
    printed = dict(zip(tasks, run_commands(folder, [["undo-new-task", task_id] for task_id in tasks])))
    aside = f"out/undone/{TRIED}"
    assert f"{aside}/:\n  {edited}\n" in printed[TRIED]
    assert printed[TRIED].endswith(f":\n  {mine}\n")
    assert (folder / aside / edited).read_text().endswith("# mine\n")
    assert [task_id for task_id in tasks if "edited" in printed[task_id]] == [TRIED]
    assert files(folder) == {**before, mine: b"{}"}
    assert not (folder / "task_templates" / ".written").exists()
