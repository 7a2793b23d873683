"""What the documents repeat of the code, and what the lock files repeat of each other, agrees."""

from __future__ import annotations

import fnmatch
import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from scoring_program.settings import COMMON
from scoring_program.signature import VERSION
from scoring_program.task import load_task, task_ids
from tests.helpers import ROOT

DOCUMENTS = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("pages/*.md"),
        ROOT / "tests/golden/README.md",
    )
)


def rows(document: Path, header: str) -> list[list[str]]:
    """Return the cells of the table of a document that begins with a header."""
    lines = [line.strip() for line in document.read_text(encoding="utf-8").splitlines()]
    begin = next(index for index, line in enumerate(lines) if line.startswith(header))
    table = itertools.takewhile(lambda line: line.startswith("|"), lines[begin + 2 :])
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def versions(lock: str) -> dict[str, str]:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", text, re.M))


@pytest.mark.parametrize("lock", ["run.lock", "dev.lock", "scale.lock"])
def test_packages_at_home_have_the_versions_of_the_platform(lock):
    here = versions(lock)
    vendored = {**versions("vendor.lock"), **versions("vendor-compiled.lock")}
    assert {name: here[name] for name in vendored if name in here} == {
        name: version for name, version in vendored.items() if name in here
    }
    assert {"attrs", "jsonschema", "pyrsistent"} <= here.keys() & vendored.keys()


def test_one_version_everywhere():
    (version,) = re.findall(
        r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M
    )
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == VERSION == citation["version"]


def test_changelog_says_of_each_entry_whether_it_changes_numbers():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.M)[0] == "Unreleased"
    releases = re.split(r"^## ", text, flags=re.M)[2:]
    assert releases[0].startswith(f"{VERSION} - ")
    assert releases[-1].startswith("1.0.0 - ")
    for release in releases[:-1]:
        title, _, body = release.partition("\n")
        assert re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}", title)
        for entry in re.split(r"^- ", body, flags=re.M)[1:]:
            assert re.search(r"Changes numbers: (yes|no)\b", " ".join(entry.split())), entry


def test_the_guide_lists_every_setting_with_values_and_default():
    table = rows(ROOT / "docs" / "before_the_competition.md", "| key | task | values | default |")
    documented = {}
    for keys, tasks, values, defaults in table:
        names = quoted(keys)
        own = [default.strip("` ") for default in (defaults.split(", ") if len(names) > 1 else [defaults])]
        for name, default in zip(names, own):
            documented[name] = (quoted(tasks) or ["*"], quoted(values), default.strip("`"))
    known = {setting.name for setting in COMMON}
    for task_id in task_ids():
        for setting in load_task(task_id).known_settings:
            known.add(setting.name)
            of_tasks, allowed, own_default = documented[setting.name]
            assert any(fnmatch.fnmatch(task_id, task) for task in of_tasks), setting.name
            assert yaml.safe_load(own_default) == setting.default, setting.name
            assert not setting.choices or allowed == [str(choice) for choice in setting.choices], setting.name
    assert documented.keys() == known


@pytest.mark.parametrize("document", ["README.md", "docs/before_the_competition.md"])
def test_tables_of_tasks_hold_every_task(document):
    header = "| task id |" if document == "README.md" else "| task | files in the source folder"
    documented = [task for row in rows(ROOT / document, header) for task in quoted(row[0])]
    assert sorted(documented) == sorted(task_ids())


def anchors(document: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_page_of_commands_names_every_command_of_the_makefile():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text, re.M)
    named = set(re.findall(r"`make ([a-z-]+)", (ROOT / "docs/commands.md").read_text(encoding="utf-8")))
    assert named == set(phony.split())


def test_make_says_what_it_installs_before_and_only_then(tmp_path):
    for name in ("Makefile", "requirements/run.lock", "requirements/dev.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    # It makes an environment whose Python prints what it is called with.
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nmkdir -p .venv/bin\nln -s /bin/echo .venv/bin/python\n")
    python.chmod(0o755)
    # No lines about folders, which make prints where make test runs this.
    command = ["make", "--no-print-directory", "new-task", "ID=birds", "PYTHON=./python"]
    first, second = (
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )
    running, run, developing, dev, called = first
    assert "installing what running needs into .venv: 0.3 GB" in running
    assert "installing what developing needs into .venv: 0.4 GB more" in developing
    assert (run[-8:], dev[-8:]) == ("run.lock", "dev.lock")
    assert second == [called]


def test_nothing_depends_on_the_time_of_day():
    """A clock that is set back must change neither a limit nor an output."""
    for package in ("scoring_program", "validator", "organizer", "starting_kit"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\btime\.(time|localtime|gmtime|ctime)\(|\.(now|today|utcnow)\(", text), (
                path
            )


def test_no_generated_file_is_committed():
    try:
        files = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is not a clone")
    assert not [
        name for name in files.split("\n") if name.endswith((".whl", ".pyc", ".log", ".orig", ".rej"))
    ]
