"""What the documents repeat of the code, and what the lock files repeat of each other, agrees."""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import importlib.metadata
import itertools
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from organizer.__main__ import COMMANDS
from people_in_video.__main__ import COMMANDS as KIT_COMMANDS
from quality.__main__ import command_parsers
from quality.commands_page import commands_page
from scoring_program.settings import COMMON
from scoring_program.signature import VERSION
from scoring_program.task import load_task, task_ids
from tests.helpers import PUBLISHED, ROOT

DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("pages/*.md")),
    ROOT / "task_templates/README.md",
    ROOT / "tests/golden/README.md",
]


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
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^\s;]+)", text, re.M))


def test_packages_at_home_have_the_versions_of_the_platform():
    vendored = versions("vendor.lock")
    different = []
    for lock in ("run.lock", "test.lock", "dev.lock", "scale.lock"):
        at_home = versions(lock)
        assert {"attrs", "jsonschema", "pyrsistent"} <= at_home.keys() & vendored.keys()
        for name in vendored.keys() & at_home.keys():
            if at_home[name] != vendored[name]:
                different.append((lock, name, at_home[name], vendored[name]))
    assert different == []


def test_the_lock_pins_packages_with_the_extras_that_others_need():
    """pip takes a package with extras for another one than without; if it is not pinned, pip refuses the lock as soon
    as a newer version exists."""
    lock = (ROOT / "requirements/dev.lock").read_text(encoding="utf-8")
    pinned = {canonicalize_name(line.split("==")[0]) for line in re.findall(r"^\S+==", lock, re.M)}
    installed = [distribution.requires or () for distribution in importlib.metadata.distributions()]
    missing = set()
    for requirement in map(Requirement, itertools.chain.from_iterable(installed)):
        is_needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        with_extras = canonicalize_name(f"{requirement.name}[{','.join(sorted(requirement.extras))}]")
        if requirement.extras and is_needed and with_extras not in pinned:
            missing.add(str(requirement))
    assert missing == set()


def test_one_version_everywhere():
    (version,) = re.findall(
        r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M
    )
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == VERSION == citation["version"]


def test_changelog_says_what_changes_numbers():
    """What changes numbers has a group of its own, the first; the first version has none."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = [section.partition("\n") for section in re.split(r"^## ", text, flags=re.M)[1:]]
    titles = [title for title, _, _ in sections]
    assert titles[0] == "Unreleased"
    assert titles[1].startswith(f"{VERSION} - ")
    assert [
        title for title in titles[1:] if not re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}", title)
    ] == []
    first_groups = [re.findall(r"^### (.+)$", body, re.M)[:1] for _, _, body in sections[1:-1]]
    assert first_groups == [["Numbers"]] * len(first_groups)


class DocumentedSetting(NamedTuple):
    """A setting in the table of the guide: patterns of the tasks that have it, values, and default as YAML."""

    tasks: list[str]
    values: list[str]
    default: str


def documented_settings():
    """Return the settings of the guide by name; one row may hold several of them."""
    settings = {}
    guide = ROOT / "docs" / "before_the_competition.md"
    for keys, tasks, values, defaults in rows(guide, "| key | task | values | default |"):
        names = quoted(keys)
        defaults_of_names = defaults.split(", ") if len(names) > 1 else [defaults]
        for name, default in zip(names, defaults_of_names):
            settings[name] = DocumentedSetting(quoted(tasks) or ["*"], quoted(values), default.strip("` "))
    return settings


def is_as_documented(setting, task_id, documented):
    if not any(fnmatch.fnmatch(task_id, pattern) for pattern in documented.tasks):
        return False
    if setting.choices and documented.values != [str(choice) for choice in setting.choices]:
        return False
    return yaml.safe_load(documented.default) == setting.default


def test_the_guide_lists_every_setting_with_values_and_default():
    documented = documented_settings()
    settings = [(task_id, setting) for task_id in task_ids() for setting in load_task(task_id).known_settings]
    names = {setting.name for setting in COMMON} | {setting.name for _, setting in settings}
    assert sorted(documented.keys() ^ names) == []
    assert [
        (task_id, setting.name)
        for task_id, setting in settings
        if not is_as_documented(setting, task_id, documented[setting.name])
    ] == []


def test_tables_of_tasks_hold_every_published_task():
    headers = {
        "README.md": "| task id |",
        "docs/before_the_competition.md": "| task | files in the source folder",
    }
    documented = {
        document: sorted(task for row in rows(ROOT / document, header) for task in quoted(row[0]))
        for document, header in headers.items()
    }
    assert documented == dict.fromkeys(headers, sorted(PUBLISHED))


def anchors(document: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def leads_somewhere(document: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = document.parent / path if path else document
    return target.exists() and (not anchor or anchor in anchors(target))


def test_links_lead_somewhere():
    broken = []
    for document in DOCUMENTS:
        for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
            if not link.startswith(("http:", "https:")) and not leads_somewhere(document, link):
                broken.append((document.relative_to(ROOT).as_posix(), link))
    assert broken == []


def code_in(document: Path) -> list[str]:
    """Return the code of a document: lines of blocks, and what stands in backticks."""
    text = document.read_text(encoding="utf-8")
    parts = re.split(r"^ *```.*$", text, flags=re.M)
    lines = "\n".join(parts[1::2]).splitlines()
    for line, span in re.findall(r"^ {4,}(\S.*)$|`([^`]+)`", "\n".join(parts[::2]), re.M):
        lines.append(line or span)
    # What follows a # says what the command does.
    return [" ".join(line.partition(" # ")[0].split()) for line in lines]


def parser_of(program: str, name: str) -> argparse.ArgumentParser:
    """Return the parser of a command of organizers or maintainers. Raises KeyError if there is none."""
    if program == "quality":
        return command_parsers()[name]
    parser = argparse.ArgumentParser(description=COMMANDS[name])
    importlib.import_module(f"organizer.commands.{name.replace('-', '_')}").add_options(parser)
    return parser


def is_understood(command: str) -> bool:
    """Whether a command exists and takes the arguments that it is shown with.

    Without arguments, or without its interpreter, it is only named: it need not have all that it needs.
    """
    # Files that only the reader of a page has.
    command = re.sub(r"\b(my_eval\.py|truth\.json|prediction\.json)\b", "README.md", command)
    words = shlex.split(re.sub(r"(?<!=)\b(ID|bird_calls|bird_times)\b(?!=)", "chalearn_gesture", command))
    is_whole = words[:2] == [".venv/bin/python", "-m"]
    program, name, *arguments = words[2:] if is_whole else words
    if program == "people-in-video":
        return name in KIT_COMMANDS
    if program == "make":
        return makes(name, arguments)
    try:
        parser = parser_of(program, name)
        if is_whole and arguments:
            parser.parse_args(arguments)
    except (KeyError, SystemExit):
        return False
    return all(word in parser.format_help() for word in arguments if word.startswith("--"))


def makes(target: str, variables: list[str]) -> bool:
    """Whether the Makefile has a target and reads the variables."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    values = dict(variable.split("=", 1) for variable in variables)
    is_read = [f"$({name})" in makefile or f"ifdef {name}\n" in makefile for name in values]
    is_target = re.search(rf"^{re.escape(target)}:", makefile, re.M) is not None
    options = values.get("OPTIONS", "")
    return is_target and all(is_read) and (not options or is_understood(f"organizer {target} {options}"))


def test_commands_of_documents_are_understood():
    programs = re.compile(r"(\.venv/bin/python -m )?(organizer|quality|people-in-video|make) .+")
    wrong = []
    # The page of commands is made from the parsers; the changelog also names what is gone.
    for document in DOCUMENTS:
        if document.name not in ("CHANGELOG.md", "commands.md"):
            commands = [
                code for code in code_in(document) if programs.fullmatch(code) and "COMMAND" not in code
            ]
            wrong += [(document.name, command) for command in commands if not is_understood(command)]
    assert wrong == []


def test_the_page_of_commands_is_that_of_the_parsers():
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert text == commands_page()
    (phony,) = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert set(re.findall(r"`make ([a-z-]+)", text.partition("## For organizers")[0])) == set(phony.split())


def test_make_says_what_it_installs_before_and_only_then(tmp_path):
    for name in ("Makefile", "requirements/run.lock", "requirements/dev.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    # It makes an environment whose Python prints what it is called with.
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\nmkdir -p .venv/bin\nln -s /bin/echo .venv/bin/python\nmkdir -p .venv/lib/python3/site-packages\n"
    )
    python.chmod(0o755)
    # No lines about folders, which make prints where make test runs this.
    command = ["make", "--no-print-directory", "test-slow", "PYTHON=./python"]
    first, second = (
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )
    running, run, developing, dev, *called = first
    assert "installing what running needs into .venv: 0.3 GB" in running
    assert "installing what developing needs into .venv: 0.4 GB more" in developing
    assert (run[-8:], dev[-8:]) == ("run.lock", "dev.lock")
    assert second == called
    site_packages = tmp_path / ".venv" / "lib" / "python3" / "site-packages"
    links = (site_packages / "people_in_video_checkout.pth").read_text(encoding="utf-8").split()
    assert [(site_packages / link).resolve() for link in links] == [tmp_path, tmp_path / "starting_kit"]


def test_nothing_depends_on_the_time_of_day():
    """A clock that is set back must change neither a limit nor an output."""
    asks_for_time = re.compile(r"\btime\.(time|localtime|gmtime|ctime)\(|\.(now|today|utcnow)\(")
    packages = ("scoring_program", "validator", "organizer", "starting_kit")
    modules = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    assert [path for path in modules if asks_for_time.search(path.read_text(encoding="utf-8"))] == []


def test_no_generated_file_is_committed():
    try:
        files = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is not a clone")
    generated = (".whl", ".pyc", ".log", ".orig", ".rej")
    assert [name for name in files.splitlines() if name.endswith(generated)] == []
