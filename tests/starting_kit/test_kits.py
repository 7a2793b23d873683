"""The kit of every task, unpacked from its own zip: each command and program of its README, and its notebook."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest

from people_in_video.references.preparation import names_of_reference
from scoring_program.scoring import load_reference
from scoring_program.task import load_task, task_ids
from tests.helpers import ROOT, one_task, only_at_night, prepared
from tests.processes import run_in_turn

# A command in a line of its own, or a program.
STEPS = re.compile(r"^ *(python|people-in-video) ([^\n]+)$|^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Commands within sentences; others than these mention files that the kit does not hold.
INLINE = re.compile(r"`(people-in-video) ((?:check|score) (?:ID|\w+) my\.zip[^`]*|[^`]*samples/[^`]*)()`")


def commands_in(pattern, text):
    """Return the arguments of Python for each command or program in a text."""
    commands = []
    for program, arguments, code in pattern.findall(text):
        if code:
            commands.append(["-c", code])
        elif program == "python":
            commands.append(shlex.split(arguments))
        else:
            commands.append(["-m", "people_in_video", *shlex.split(arguments)])
    return [command for command in commands if command[:2] not in (["-m", "pip"], ["-m", "venv"])]


@pytest.fixture(params=one_task())
def kit(request, unpack_kit, tmp_path):
    unpack_kit(request.param, tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_kit_holds_all_that_its_modules_import(kit):
    modules = ["people_in_video", *sorted(path.stem for path in kit.glob("*.py"))]
    run_in_turn([["-c", f"import {', '.join(modules)}"]], kit)


@pytest.mark.slow
def test_every_command_and_program_of_the_texts_works(kit, competition_source):
    """With the files that the kit holds, in the order in which they are printed."""
    (page,) = (kit / "formats").glob("*.md")
    texts = [path.read_text(encoding="utf-8") for path in (kit / "README.md", page, kit / "guide.md")]
    text = "\n".join(texts)
    assert not re.search(r"\{(ids?|mode|only|example|package)\}|<!--", text)
    assert "{names}" not in text
    steps = commands_in(STEPS, text)
    assert len(steps) >= 6
    pages = (competition_source / "pages").glob("*.md")
    site = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    inline = commands_in(INLINE, f"{text}\n{site}")
    assert inline
    # What is only mentioned need not run again.
    for command in inline:
        mentioned = [re.sub(r"\bID\b|\{id\}", page.stem, word) for word in command]
        if mentioned not in steps:
            steps.append(mentioned)
    commands = []
    for command in steps:
        commands.append(command)
        if command[-3:] == ["score", page.stem, "my.zip"]:
            commands.append(["-c", "print(open('evaluation/scores.json').read())"])
    scores = [json.loads(printed)["score"] for printed, (kind, *_) in zip(run_in_turn(commands, kit), commands)
              if kind == "-c" and printed.startswith("{")]  # fmt: skip
    assert scores
    assert all(score > 0.7 for score in scores)
    assert (kit / "evaluation" / "detailed_results.html").is_file()


@only_at_night()
@pytest.mark.slow
def test_a_kit_of_several_tasks_says_what_is_for_which_and_all_of_it_works(unpack_kit, tmp_path):
    unpack_kit("competition", tmp_path)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    first = task_ids()[0]
    assert f"several tasks: {', '.join(task_ids())}. The commands show `{first}`" in readme
    assert not re.search(r"\{(ids?|mode|only|example)\}|<!--", readme)
    guide = (tmp_path / "guide.md").read_text(encoding="utf-8")
    for task, text in (
        ("densepose", "The weight of an image"),
        ("kinetics_tps", "`DIR/<video>/<frame>.jpg`"),
        ("chalearn_action`, `chalearn_gesture", "The page has timelines"),
    ):
        assert f"`{task}`: {text}" in guide
    (tmp_path / "ids.txt").write_text("v_demo000000\n")
    commands = commands_in(STEPS, f"{readme}\n{guide}")
    for task in task_ids():
        page = (tmp_path / "formats" / f"{task}.md").read_text(encoding="utf-8")
        *_, program = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        commands += [["-c", program], ["-m", "people_in_video", "check", task, "my.zip"]]
        if load_task(task).is_published:
            steps = commands_in(STEPS, guide.replace(first, task))
            commands += [step for step in steps if step[0] == "-c"]
    run_in_turn(commands, tmp_path)


@pytest.mark.slow
def test_the_page_has_a_short_example_of_each_file_of_a_reference_and_it_can_be_read(kit, tmp_path):
    (page,) = (kit / "formats").glob("*.md")
    text = page.read_text(encoding="utf-8").partition("## Your own annotations")[2]
    if not (ROOT / "starting_kit" / "reference" / page.name).is_file():
        pytest.skip("organizer new-task wrote this task")
    found = re.findall(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    examples = dict(found)
    task = load_task(page.stem)
    official = kit / "people_in_video" / "demo_reference" / f"{page.stem}_official"
    folder = tmp_path / "own"
    folder.mkdir()
    if official.is_dir():
        for path in official.glob("*.mat"):
            assert path.name in text
            shutil.copy(path, folder)
        assert {*examples} == {"annotations.json"}
    else:
        patterns = [name for name in task.reference_files if name.endswith((".csv", ".json"))]
        assert all(any(Path(name).match(pattern) for name in examples) for pattern in patterns)
    for name, example in examples.items():
        (folder / name).write_text(example, encoding="utf-8")
    loaded = load_reference(task, prepared(task.id, folder), task.settings(folder))
    assert len(loaded.items) == 1
    demo_reference = kit / "people_in_video" / "demo_reference" / page.stem
    loaded_demo = load_reference(task, demo_reference, task.settings(kit))
    for names in names_of_reference(task, loaded_demo.reference).values():
        assert f" ({len(names)}): {', '.join(names)}." in text
    for number, name in enumerate(loaded.public.vocabulary.get("class_name", ()), 1):
        assert f"{number} {name}" in " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.slow
def test_no_text_of_the_kit_names_what_it_does_not_have(kit):
    (task,) = (path.stem for path in (kit / "formats").glob("*.md"))
    others = [other for other in task_ids() if other != task]
    for name in ("README.md", "guide.md", "quickstart.ipynb"):
        text = (kit / name).read_text(encoding="utf-8")
        assert [other for other in others if re.search(rf"\b{other}\b", text)] == []
    readme = (kit / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+\.(?:py|ipynb))`", readme)) <= {path.name for path in kit.iterdir()}
    for text in (readme, (kit / "formats" / f"{task}.md").read_text(encoding="utf-8")):
        paths = re.findall(r"`((?:people_in_video|scoring_program|validator)/[^`]*)`", text)
        assert [path for path in paths if not (kit / path).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize("kit", one_task(), indirect=True)
def test_a_kit_of_one_task_compares_without_its_name(kit):
    (task,) = (path.stem for path in (kit / "formats").glob("*.md"))
    samples = [f"people_in_video/samples/{task}/{name}.zip" for name in ("weak", "good")]
    (compared,) = run_in_turn([["-m", "people_in_video", "compare", *samples]], kit)
    assert " higher than weak" in compared


@pytest.mark.slow
@pytest.mark.parametrize("kit", one_task(), indirect=True)
def test_notebook_runs_and_shows_the_page(kit):
    notebook = nbformat.read(kit / "quickstart.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(kit)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("Valid and scored" in output.get("data", {}).get("text/html", "") for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
