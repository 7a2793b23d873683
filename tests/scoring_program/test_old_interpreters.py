"""A built program on interpreters that cannot run it: one line that says so, and exit code 2."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from organizer.bundle.programs import build_program
from organizer.data.prepare import reference_files
from organizer.files import unpack, write_files
from people_in_video.packages import distribution
from scoring_program.task import load_task, task_ids
from tests.helpers import PUBLISHED, ROOT

OLD = ["2.7", "3.6", "3.7", "3.8"]


@cache
def pyenv_versions():
    """Return the folder of pyenv's interpreters, None without pyenv."""
    if shutil.which("pyenv") is None:
        return None
    return (
        Path(subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True).stdout.strip())
        / "versions"
    )


def find(version):
    """Return the command of an interpreter, which may be on the PATH or in pyenv."""
    candidates = [shutil.which(f"python{version}")]
    if pyenv_versions():
        candidates += sorted(pyenv_versions().glob(f"{version}.*/bin/python"))
    for command in filter(None, candidates):
        if subprocess.run([str(command), "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(command)
    return None


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    unpack(build_program(task_ids()[0]), folder)
    return folder


def start(command, program, tmp_path):
    done = subprocess.run(
        [*command, str(program / "score.py"), str(tmp_path), str(tmp_path / "out")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "docker_image: codalab/codalab-legacy:py312" in line
    return line


@pytest.mark.slow
@pytest.mark.parametrize("version", OLD)
def test_too_old_interpreter_is_named(version, program, tmp_path):
    command = find(version)
    if command is None:
        pytest.skip(f"there is no Python {version} here")
    line = start([command], program, tmp_path)
    assert re.search(rf"Python 3\.9\b.* {re.escape(version)}\b", line)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13"])
def test_missing_package_is_named(version, program, tmp_path):
    command = find(version)
    if command is None:
        pytest.skip(f"there is no Python {version} here")
    # Neither the folders of packages nor those of the user: an interpreter as it is installed.
    assert "numpy" in start([command, "-S", "-s"], program, tmp_path)


@pytest.mark.slow
def test_programs_score_with_few_packages_and_import_nothing_that_explains(tmp_path):
    command = find("3.10")
    if command is None:
        pytest.skip("there is no Python 3.10 here")
    subprocess.run([command, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    needs = {task_id: load_task(task_id).needs for task_id in PUBLISHED}
    # Those that need more than numpy and PyYAML come last.
    for task_id in sorted(PUBLISHED, key=lambda task_id: len(needs[task_id])):
        packages = ["numpy", "PyYAML", *(distribution(name) for name in needs[task_id])]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        program, inputs = tmp_path / task_id / "program", tmp_path / task_id / "input"
        unpack(build_program(task_id), program)
        shutil.copytree(ROOT / "starting_kit" / "samples" / task_id / "good", inputs / "res")
        write_files(reference_files(task_id, ROOT / "reference_data" / task_id), inputs / "ref")
        run = [python, "-X", "importtime", "score.py", str(inputs), str(tmp_path / task_id / "output")]
        done = subprocess.run(run, cwd=program, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (task_id, done.stderr[-2000:])
        modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "validator.findings" in modules
        assert not modules & {"jsonschema", "validator.json_words"}, task_id


def test_launcher_is_written_for_every_python():
    """Nothing newer than Python 2.7 can read; the real interpreters above may be missing."""
    text = (ROOT / "scoring_program" / "score.py").read_text(encoding="utf-8")
    assert text.isascii()
    assert not [word for word in ('f"', "f'", " -> ", ":=", "from __future__") if word in text]
