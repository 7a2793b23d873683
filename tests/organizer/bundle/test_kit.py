"""``make kit``: the folder and its wheel, and the package beside files with the names that it could clash with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace

import pytest
from packaging.version import Version

from organizer.__main__ import main
from organizer.bundle import kit as kit_module
from organizer.bundle import source as source_module
from organizer.bundle.kit import (
    KIT_FOLDER,
    PACKAGE,
    build_packages,
    kit_files,
    kit_version,
    write_kit,
)
from organizer.bundle.programs import build_program
from organizer.bundle.public_files import demo_reference
from organizer.files import folder_files, write_files
from people_in_video.__main__ import COMMANDS
from quality.competition import competition_text
from scoring_program.signature import VERSION
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, ROOT
from tests.processes import run_in_turn

TASK = "chalearn_gesture"
SAMPLES = f"people_in_video/samples/{TASK}"
# Modules that a participant may have, and packages of PyPI.
CLASHING = ("compare", "evaluate", "history", "home", "scoring_program", "validator")


# Writes the kit of a task, its packages and its program into a folder, where nobody else can read them.
ELSEWHERE = """
import os, sys
from pathlib import Path
from organizer.bundle.kit import build_packages, kit_version, write_kit
from organizer.bundle.programs import build_program
os.umask(0o077)
task, folder = sys.argv[1], Path(sys.argv[2])
build_packages(write_kit([task], folder / "kit"), folder, kit_version([task]))
(folder / "program.zip").write_bytes(build_program(task))
"""


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    return write_kit([TASK], tmp_path_factory.mktemp("kit") / "kit")


def test_a_competition_without_a_known_task_is_refused_with_the_way_out(tmp_path, monkeypatch, capsys):
    text = re.sub("[a-z_]+_program.zip", "moon_program.zip", competition_text())
    (tmp_path / "competition.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(source_module, "SOURCE", tmp_path)
    assert main(["kit"]) == 1
    assert re.match("1. L-TASK competition.yaml: .*organizer kit ID", capsys.readouterr().err)


def package_names(names):
    return sorted(name for name in names if name.startswith("people_in_video/"))


@pytest.mark.slow
@pytest.mark.parametrize("task_id", PUBLISHED)
def test_a_kit_holds_its_task_and_nothing_of_others(task_id):
    files = kit_files([task_id], demo_reference)
    challenge = load_task(task_id).folder.name
    others = {load_task(other).folder.name for other in PUBLISHED} - {challenge}
    names = [name for name in files if not name.endswith(".svg")]
    assert [name for name in names if others & {*re.split(r"[/.]", name)}] == []
    for data in ("demo_reference", "samples"):
        folders = {name.split("/")[2] for name in files if name.startswith(f"people_in_video/{data}/")}
        assert folders - {f"{task_id}_official"} == {task_id}
    # The body template and the table of lemmas are what is large.
    sizes = {name: len(data) for name, data in files.items()}
    assert task_id == "densepose" or not [name for name in sizes if "template" in name]
    assert ("people_in_video/references/corenlp_3.9.1_lemmas.tsv.gz" in files) == (
        challenge == "anet_entities"
    )
    # Wheels are for the platform; at home pip brings them.
    assert not [name for name in files if name.endswith((".so", ".whl"))]
    readme = files["README.md"].decode()
    assert len(readme.split()) <= 400
    for name in ("README.md", "guide.md", "people_in_video/conventions.md"):
        assert not re.search(r"\{(ids?|mode|only|example|package)\}|<!--", files[name].decode()), name


def test_all_data_files_of_the_package_are_in_the_kit_of_all_tasks():
    files = kit_files(PUBLISHED, lambda _: {})
    package = KIT_FOLDER / PACKAGE
    data = [path for path in package.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert [path.name for path in data if path.relative_to(KIT_FOLDER).as_posix() not in files] == []
    modules = [path.relative_to(KIT_FOLDER) for path in package.rglob("*.py")]
    missing = [path for path in modules if path.as_posix() not in files]
    # Those of tasks of one's own are in their kits.
    assert [path for path in missing if "items" not in (*path.parts, path.stem)] == []


def test_links_and_figures_of_all_pages_lead_somewhere(kit):
    broken = []
    assert ".svg)" in (kit / "formats" / f"{TASK}.md").read_text(encoding="utf-8")
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


@pytest.mark.slow
def test_the_wheel_and_the_source_archive_hold_the_files_of_the_folder(kit, tmp_path):
    pytest.importorskip("flit_core")
    version = kit_version([TASK])
    wheel, source = build_packages(kit, tmp_path, version)
    assert wheel.name == f"people_in_video-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert package_names(names) == package_names(folder_files(kit))
    assert "people_in_video/py.typed" in names
    others = {name.partition("/")[0] for name in names} - {"people_in_video"}
    assert others == {f"people_in_video-{version}.dist-info"}
    with tarfile.open(source) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert {*package_names(folder_files(kit)), "guide.md", f"formats/{TASK}.md", "pyproject.toml"} <= packed
    requirements = [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    # Ranges leave a participant's environment as it is.
    assert requirements
    assert not [line for line in requirements if "==" in line.partition(";")[0]]
    extras = [line.split()[1] for line in metadata.splitlines() if line.startswith("Provides-Extra: ")]
    assert sorted(extras) == ["densepose", "kinetics", "progress"]
    # The long description of an index.
    assert "Description-Content-Type: text/markdown" in metadata
    assert "# Starting kit" in metadata


@pytest.mark.slow
def test_kits_packages_and_programs_are_the_same_bytes_whoever_builds_them(kit, tmp_path):
    """With another folder, umask, time zone and seed of hashes."""
    pytest.importorskip("flit_core")
    here, elsewhere = tmp_path / "here", tmp_path / "else where"
    here.mkdir()
    elsewhere.mkdir()
    build_packages(kit, here, kit_version([TASK]))
    write_files({"program.zip": build_program(TASK)}, here)
    subprocess.run(
        [sys.executable, "-c", ELSEWHERE, TASK, str(elsewhere)],
        cwd=ROOT, env={**os.environ, "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"}, check=True,
    )  # fmt: skip
    assert folder_files(elsewhere / "kit") == folder_files(kit)
    shutil.rmtree(elsewhere / "kit")
    assert folder_files(elsewhere) == folder_files(here)


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


def test_the_version_of_a_kit_names_its_tasks_unless_it_is_that_of_an_index(monkeypatch):
    own_tasks = {name: replace(load_task(TASK), is_published=False) for name in ("bird_calls", "owls")}
    monkeypatch.setattr(kit_module, "task_ids", lambda: [*PUBLISHED, *own_tasks])
    monkeypatch.setattr(kit_module, "load_task", lambda name: own_tasks.get(name) or load_task(name))
    labels = {
        (TASK,): "+chalearn.gesture",
        tuple(PUBLISHED): "",
        ("bird_calls",): "+bird.calls",
        ("owls", TASK, "bird_calls"): "+bird.calls.chalearn.gesture.owls",
        (*PUBLISHED, "owls"): "+all.owls",
    }
    for ids, label in labels.items():
        assert kit_module.kit_version(ids) == f"{VERSION}{label}"
        assert str(Version(kit_module.kit_version(ids))) == f"{VERSION}{label}"


@pytest.mark.slow
def test_what_tasks_need_is_installed_with_their_kit(monkeypatch):
    own = replace(load_task(TASK), is_published=False, needs=["scipy", "PIL"])
    monkeypatch.setattr(kit_module, "load_task", lambda name: own if name == "birds" else load_task(name))
    texts = {name: kit_module.project_file([name]).decode() for name in ("birds", TASK)}
    dependencies = {name: text.partition("[project.optional")[0] for name, text in texts.items()}
    assert [word in dependencies["birds"] for word in ('"scipy"', '"pillow"', "{")] == [True, True, False]
    assert [word in dependencies[TASK] for word in ("scipy", "pillow", "{")] == [False] * 3
    packages = {}
    for task_id in PUBLISHED:
        readme = kit_files([task_id], lambda _: {})["README.md"].decode()
        (packages[task_id],) = re.findall(r'pip install "([^"]+)"', readme)
    assert packages.pop("densepose") == ".[densepose]"
    assert packages.pop("kinetics_tps") == ".[kinetics]"
    assert set(packages.values()) == {"."}
