"""A disk that is full while a command writes: the files that were there stay as they are, and one line says so."""

from __future__ import annotations

import ast
import shutil
import signal
import subprocess
import sys

import pytest

from organizer.__main__ import main
from organizer.bundle.start import start
from organizer.files import folder_files, rewrite_files, work_folder, write_durable
from quality.competition import write_source
from tests.helpers import REFERENCES, ROOT, full_disk

ID = "chalearn_gesture"
# Where files are written in place: into a folder that is new, that is thrown away, or that is renamed as a whole.
IN_NEW_FOLDERS = {
    "organizer/bundle/contents.py",
    "organizer/data/corenlp.py",
    "organizer/runs/demo.py",
    "organizer/runs/scoring_process.py",
    "organizer/runs/pool.py",
    "organizer/runs/submissions.py",
    "starting_kit/chalearn/ChalearnLAPSample.py",
    "starting_kit/people_in_video/densepose/writer.py",
}
# Functions whose files are new, or are no results.
WRITERS = {"copy_source", "write_files", "write_private", "locked", "zip_bytes", "save_zip"}
WRITING_METHODS = {"write_text", "write_bytes"}


def all_files(folder):
    """Return the content of all files of a folder, hidden ones, too, but locks."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def writes_in_place(path):
    """Return the lines of a module that write a file in place, outside of the functions that may."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    allowed = [node for node in ast.walk(tree) if getattr(node, "name", "") in WRITERS or is_replacing(node)]
    exempt = {id(inner) for node in allowed for inner in ast.walk(node)}
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in exempt and is_write(node):
            lines.append(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    return lines


def is_replacing(node):
    """Return whether a node is a with statement whose files take the place of the old ones at its end."""
    items = node.items if isinstance(node, ast.With) else []
    calls = [item.context_expr for item in items if isinstance(item.context_expr, ast.Call)]
    return any(called_name(call).startswith("replacing") for call in calls)


def called_name(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_write(call):
    name = called_name(call)
    modes = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    opens_to_write = name in ("open", "ZipFile") and any(str(mode)[:1] in "wax" for mode in modes)
    return name in WRITING_METHODS or opens_to_write


PREPARING = ("organizer/tasks/", "organizer/runs/unpacking.py", "starting_kit/people_in_video/references/")


@pytest.mark.slow
def test_files_that_may_be_there_are_written_beside_and_renamed():
    places = []
    for folder in ("organizer", "starting_kit"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            # Modules of challenges write into the new folder that they are given.
            if place not in IN_NEW_FOLDERS and not place.startswith(PREPARING):
                places += writes_in_place(path)
    assert not places, "use organizer.files.write_durable, or write_atomic"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a folder with what commands wrote, and the commands."""
    folder = tmp_path_factory.mktemp("written")
    source = folder / "source"
    shutil.copytree(REFERENCES / ID, source)
    (source / "SYNTHETIC.md").unlink()
    options = {"prepare": "source", "public-data": "source", "baselines": "reference", "split": "reference"}
    commands = {}
    for name, option in options.items():
        given = source if option == "source" else folder / "prepare"
        commands[name] = [name, ID, f"--{option}", str(given), "--output", str(folder / name)]
        assert main(commands[name]) == 0
    return folder, commands


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", [0, 300])
@pytest.mark.parametrize("name", ["prepare", "public-data", "baselines", "split"])
def test_full_disk_leaves_what_a_command_wrote_before(written, name, n_bytes, capsys):
    folder, commands = written
    before = all_files(folder)
    capsys.readouterr()
    with full_disk(n_bytes):
        code = main(commands[name])
    out, err = capsys.readouterr()
    assert code in (1, 2)
    assert "E-OUTPUT" in out + err
    assert "Traceback" not in out + err
    assert all_files(folder) == before


@pytest.mark.parametrize("n_bytes", [0, 300])
def test_full_disk_leaves_the_competition(tmp_path, n_bytes):
    source = write_source(tmp_path / "source")
    before = all_files(source)
    with full_disk(n_bytes), pytest.raises(OSError, match="large"):
        start(ID, "Gestures", True, source)
    after = all_files(source)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("n_bytes", [0, 3])
def test_full_disk_leaves_a_file_that_is_written_again(tmp_path, n_bytes):
    write_durable(tmp_path / "a", "old text")
    with full_disk(n_bytes), pytest.raises(OSError, match="large"):
        rewrite_files({"a": b"new text"}, tmp_path)
    assert folder_files(tmp_path) == {"a": b"old text"}


def test_files_that_a_killed_process_did_not_finish_are_removed_by_the_next(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / ".a.md.4711.tmp").write_text("half of it")
    (tmp_path / "pages" / ".hidden.tmp").write_text("of somebody else")
    rewrite_files({"pages/a.md": b"new text"}, tmp_path)
    assert all_files(tmp_path).keys() == {"pages/a.md", "pages/.hidden.tmp"}


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(28, "No space left on device", "x"),
        OSError(5, "I/O"),
        subprocess.CalledProcessError(3, "x"),
    ],
)
def test_commands_end_in_a_line(error, monkeypatch, capsys):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("organizer.commands.messages.messages_command", fail)
    assert main(["messages"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


_WRITER = """
import sys, time
from pathlib import Path
from organizer.files import work_folder
with work_folder(Path(sys.argv[1]), ".building-") as folder:
    (folder / "labels.csv").write_text("1,1,10")
    print("written", flush=True)
    time.sleep(60)
"""


def test_what_a_killed_process_leaves_is_hidden_and_removed_by_the_next(tmp_path):
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"written\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    (left_over,) = tmp_path.glob(".building-*")
    assert left_over.stat().st_mode & 0o077 == 0
    assert (left_over / "labels.csv").is_file()
    with work_folder(tmp_path, ".building-") as folder:
        assert [*tmp_path.glob(".building-*")] == [folder]
    assert not [*tmp_path.glob(".building-*")]
