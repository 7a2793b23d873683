"""``make kit``: the folder and its wheel, and the package beside files with the names that it could clash with."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace

import pytest
from packaging.version import Version

from organizer.bundle import kit as kit_module
from organizer.bundle import texts
from organizer.bundle.kit import build_wheel, kit_files, write_kit
from organizer.files import folder_files
from people_in_video.__main__ import COMMANDS
from scoring_program.signature import VERSION
from scoring_program.task import load_task, task_ids
from tests.processes import run_in_turn

TASK = "chalearn_gesture"
SAMPLES = f"people_in_video/samples/{TASK}"
# Modules that a participant may have, and packages of PyPI.
CLASHING = ("compare", "evaluate", "history", "home", "scoring_program", "validator")


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    return write_kit([TASK], tmp_path_factory.mktemp("kit") / "kit")


def package_names(names):
    return sorted(name for name in names if name.startswith("people_in_video/"))


def test_all_kits_hold_the_same_package():
    def package(task_id):
        files = kit_files([task_id], lambda _: {})
        return {name: files[name] for name in package_names(files)}

    assert package("densepose") == package(TASK)


def test_a_kit_holds_the_tasks_of_all_kits_and_nothing_of_others(kit):
    shared_tasks = [task_id for task_id in task_ids() if load_task(task_id).in_all_kits]
    for data in ("demo_reference", "samples"):
        folders = {path.name for path in (kit / "people_in_video" / data).iterdir()}
        assert folders - {"densepose_official"} == set(shared_tasks)
    # Wheels are for the platform; at home pip brings them.
    assert not list(kit.rglob("*.so"))


def test_pages_of_tasks_show_their_figures(kit):
    page = (kit / "formats" / f"{TASK}.md").read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)
    assert figures
    assert [figure for figure in figures if not (kit / "formats" / figure).is_file()] == []


def test_links_and_figures_of_all_pages_lead_somewhere(kit):
    broken = []
    for page in kit.rglob("*.md"):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            path, _, _ = link.partition("#")
            if not link.startswith(("http:", "https:", "mailto:")) and not (page.parent / path).exists():
                broken.append((page.relative_to(kit).as_posix(), link))
    assert broken == []


def test_writing_a_kit_replaces_the_one_before(kit):
    (kit / "older.txt").touch()
    assert write_kit([TASK], kit) == kit
    assert not (kit / "older.txt").exists()
    assert (kit / "README.md").is_file()


def test_the_wheel_holds_the_files_of_the_folder(kit, tmp_path):
    pytest.importorskip("flit_core")
    wheel = build_wheel(kit, tmp_path, VERSION)
    assert wheel.name == f"people_in_video-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert package_names(names) == package_names(folder_files(kit))
    others = {name.partition("/")[0] for name in names} - {"people_in_video"}
    assert others == {f"people_in_video-{VERSION}.dist-info"}
    requirements = [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    # Ranges leave a participant's environment as it is.
    assert requirements
    assert not [line for line in requirements if "==" in line]


@pytest.mark.slow
def test_commands_run_beside_modules_of_the_same_names(kit, tmp_path):
    (tmp_path / "people_in_video").symlink_to(kit / "people_in_video")
    for name in CLASHING:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('this is {name}.py of the participant')")
    submissions = [f"{SAMPLES}/{name}.zip" for name in ("good", "weak")]
    (tmp_path / "rows.csv").write_text("item,class,start,end\nDemoSequence0001,3,10,20\n")
    arguments = {
        "check": submissions[:1],
        "score": [*submissions[:1], "--run", "first"],
        "compare": submissions,
        "history": [],
        "explain": ["E-FILE-NONE"],
        "convert": [TASK, "rows.csv", "my.zip"],
    }
    assert arguments.keys() == COMMANDS.keys()
    commands = [["-m", "people_in_video", command, *words] for command, words in arguments.items()]
    checked, scored, compared, drawn, explained, converted = run_in_turn(commands, tmp_path)
    assert "ids and names unchecked" in checked.splitlines()[-1]
    assert scored.startswith("Mean Jaccard ")
    assert "good" in compared
    assert "first" in drawn
    assert explained.startswith("E-FILE-NONE: ")
    assert "my.zip" in converted


def test_the_version_of_a_kit_names_the_tasks_that_other_kits_do_not_hold(monkeypatch):
    published = load_task(TASK)
    own = {"bird_calls": replace(published, in_all_kits=False), "owls": replace(published, in_all_kits=False)}
    monkeypatch.setattr(texts, "load_task", lambda task_id: own.get(task_id, published))
    assert kit_module.kit_version([TASK]) == VERSION
    assert kit_module.kit_version(["bird_calls"]) == f"{VERSION}+bird.calls"
    versions = {kit_module.kit_version(ids) for ids in (["owls", TASK, "bird_calls"], ["bird_calls", "owls"])}
    assert versions == {f"{VERSION}+bird.calls.owls"}
    assert str(Version(*versions)) == f"{VERSION}+bird.calls.owls"
