"""Commands that write, on a machine that fails: little memory, a full or read-only disk, an ASCII locale, a kill in
the middle of the work.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
from functools import partial

import pytest

from tests.helpers import CODE_FOLDERS, REFERENCES, SAMPLES, is_nightly
from tests.organizer.test_new_task import copy_repository, files_in
from tests.rescoring import ID, sample, write_submissions

pytestmark = pytest.mark.slow

COMMANDS = {
    "prepare": f"organizer prepare {ID} --source source --output OUT/reference",
    "public-data": f"organizer public-data {ID} --source source --output OUT/public",
    "baselines": f"organizer baselines {ID} --reference reference --output OUT/baselines",
    "split": f"organizer split {ID} --reference reference --output OUT/parts",
    "rescore": f"organizer rescore {ID} in --reference reference --half-samples 20 --output OUT/ranking",
    "report": f"organizer report {ID} --ranking ranking --output OUT/report",
    "check": f"people_in_video check {ID} good",
    "score": f"people_in_video score {ID} good --reference source --cache OUT/cache --run a --output OUT/evaluation",
    "compare": f"people_in_video compare {ID} good weak --output OUT/comparison",
    "explain": f"people_in_video explain {ID} good",
    "history": "people_in_video history runs",
}
# Of these files a part is a time, or the place of a folder; a history grows with each run.
VARYING = (
    "history.html",
    "runs.csv",
    "detailed_results.json",
    "detailed_results.html",
    "signature_key.txt",
    ".manifest.json",
    "ranking.json",
)
# What is built into dist/ plays no part.
RUN = """
import runpy, sys
from pathlib import Path
import organizer.bundle
organizer.bundle.DIST = Path("none")
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
N_KILLS = 20 if is_nightly() else 1


def mounted(mount, *command):
    """Return a command that runs where a file system was mounted, which no other process sees."""
    return ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]


# A container without the right to mount cannot try it.
needs_mounts = pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.call(mounted("mount -t tmpfs none /mnt", "true")) != 0,
    reason="no file system can be mounted here",
)


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Return a folder with what the commands read; a team has a name beyond ASCII."""
    folder = tmp_path_factory.mktemp("given")
    shutil.copytree(REFERENCES / ID, folder / "source")
    (folder / "source" / "SYNTHETIC.md").unlink()
    shutil.copytree(SAMPLES / ID, folder, dirs_exist_ok=True)
    write_submissions(folder / "in", {"Zoë.zip": sample(), "b.zip": sample("weak")})
    for name in ("prepare", "rescore", "score"):
        assert end(start(name, folder, folder))[0] == 0
    shutil.copytree(folder / "evaluation", folder / "runs")
    return folder


def start(name, folder, output, environment=None, memory_mb=None, mount=None):
    """Start a command in a folder, with so much address space, where this was mounted."""
    words = [word.replace("OUT", str(output)) for word in COMMANDS[name].split()]
    limit = (
        partial(resource.setrlimit, resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
        if memory_mb
        else None
    )
    command = [sys.executable, "-c", RUN, *words]
    return subprocess.Popen(
        mounted(mount, *command) if mount else command, cwd=folder, preexec_fn=limit, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": CODE_FOLDERS, **(environment or {})},
    )  # fmt: skip


def end(process):
    """Return the exit code of a command and what it printed; it does not hang."""
    out, err = process.communicate(timeout=120)
    assert b"Traceback" not in out + err, err
    assert b"E-INTERNAL" not in out + err, err
    return process.returncode, (out + err).decode("utf-8", "replace")


def outputs(folder):
    """Return the files below a folder that are the same in each run."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in (".lock", *VARYING)]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if not {"store", "runs"} & {*path.parts}
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_400_mb_are_enough(given, tmp_path, name):
    assert end(start(name, given, tmp_path, memory_mb=400))[0] == 0


@pytest.mark.parametrize("memory_mb", [60, 170, 220, 240, 260])
@pytest.mark.parametrize("name", ["report", "rescore", "score"])
def test_too_little_memory_ends_in_a_message(given, tmp_path, name, memory_mb):
    code, text = end(start(name, given, tmp_path, memory_mb=memory_mb))
    # Where numpy is loaded, its own library may end the process with a line.
    assert code == 0 or "E-LIMIT-MEMORY" in text or "OpenBLAS" in text, (code, text)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_ascii_locale_changes_nothing(given, tmp_path, name):
    files = []
    for locale, environment in (("UTF-8", {"PYTHONUTF8": "1"}), ("ASCII", ASCII)):
        assert end(start(name, given, tmp_path / locale, environment))[0] == 0
        files.append(outputs(tmp_path / locale))
    assert files[0] == files[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_after_a_kill_the_same_command_writes_the_same(given, tmp_path, name):
    assert end(start(name, given, tmp_path / "whole"))[0] == 0
    pick = random.Random(name)
    for number in range(N_KILLS):
        output = tmp_path / str(number)
        process = start(name, given, output)
        try:
            process.communicate(timeout=pick.uniform(0.2, 2.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        assert end(start(name, given, output))[0] == 0
        assert outputs(output) == outputs(tmp_path / "whole")


@needs_mounts
@pytest.mark.parametrize("name", [name for name in COMMANDS if "OUT" in COMMANDS[name]])
@pytest.mark.parametrize(
    ("mount", "message"),
    [
        ("mount -t tmpfs -o size=4k none {}", "No space left on device"),
        ("mount -t tmpfs -o ro none {}", "Read-only file system"),
    ],
)
def test_a_disk_that_takes_nothing_ends_in_a_message_and_later_the_same_is_written(
    given, tmp_path, name, mount, message
):
    output = tmp_path / "output"
    output.mkdir()
    code, text = end(start(name, given, output, mount=mount.format(output)))
    assert code and message in text, (code, text)
    for folder in (output, tmp_path / "whole"):
        assert end(start(name, given, folder))[0] == 0
    assert outputs(output) == outputs(tmp_path / "whole")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Return a copy of this repository, in which a command may write tasks."""
    return copy_repository(tmp_path_factory.mktemp("copy") / "checkout")


@needs_mounts
@pytest.mark.parametrize("full_folder", ["tests/golden", "reference_data", "starting_kit/samples"])
def test_a_new_task_for_which_there_is_no_room_leaves_nothing(checkout, full_folder):
    before = files_in(checkout)
    command = mounted(
        f"mount -t tmpfs -o size=4k none {full_folder}",
        *(sys.executable, "-m", "organizer", "new-task", "bird_calls"),
    )
    code, text = end(subprocess.Popen(command, cwd=checkout, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    assert code == 2
    assert len(text.splitlines()) == 1
    assert "no room for a file" in text
    assert files_in(checkout) == before
