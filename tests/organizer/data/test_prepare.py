"""Writing a reference folder: exactly what the source says, and never a part of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from organizer.__main__ import main
from organizer.data.prepare import MANIFEST, prepare, reference_files
from organizer.files import folder_files, replacing_folder
from scoring_program.challenges.chalearn.reference import PREPARED_FILE, read_contents
from scoring_program.marks import MARKS_FILE
from scoring_program.signature import KEY_FILE, VOCABULARY_FILE
from tests.helpers import (
    REFERENCES,
    ROOT,
    loaded,
    make_zip,
    only_at_night,
    places_of,
    printed_problems,
    refused,
)
from validator.texts import quote_path

ID = "chalearn_gesture"
FIRST = "DemoSequence0001"
LABELS = f"{FIRST}_labels.csv"


@pytest.fixture
def source(tmp_path):
    folder = shutil.copytree(REFERENCES / ID, tmp_path / "source")
    (folder / "SYNTHETIC.md").unlink()
    return folder


def unpacked_files(folder):
    """Return the files of a prepared folder, with the CSV files that its sequences were made of."""
    files = folder_files(folder)
    del files[PREPARED_FILE]
    return {**files, **read_contents(folder)}


@pytest.fixture
def run(source, tmp_path, capsys):
    """Return a function that prepares and returns the exit code and the output."""

    def call(*options, task=ID, output=tmp_path / "out"):
        code = main(["prepare", task, "--source", str(source), "--output", str(output), *options])
        return code, capsys.readouterr().out

    return call


def test_second_run_leaves_nothing_of_the_first(run, source, tmp_path):
    (source / "settings.yaml").write_text("protocol: released\n")
    assert run()[0] == 0
    first, key = loaded(ID, tmp_path / "out"), (tmp_path / "out" / KEY_FILE).read_text()
    assert first.settings["protocol"] == "released"
    for name in ("settings.yaml", LABELS, f"{FIRST}_data.csv"):
        (source / name).unlink()
    assert run()[0] == 0
    second = loaded(ID, tmp_path / "out")
    assert second.settings["protocol"] == "published"
    assert FIRST in first.items and FIRST not in second.items
    # The manifest lists what was written, and is no file of a reference.
    assert {*json.loads((tmp_path / "out" / MANIFEST).read_text())} == {*folder_files(tmp_path / "out")}
    written = unpacked_files(tmp_path / "out")
    assert written.pop(KEY_FILE).decode() == key
    assert json.loads(written[VOCABULARY_FILE]).keys() == {"class", "class_name"}
    # The marks are those of the reference that was written.
    assert written.pop(MARKS_FILE) != (source / MARKS_FILE).read_bytes()
    assert written == {name: data for name, data in folder_files(source).items() if name != MARKS_FILE}


def test_source_may_be_a_zip(run, source, tmp_path):
    assert run(output=tmp_path / "of_folder")[0] == 0
    of_folder = unpacked_files(tmp_path / "of_folder")
    path = tmp_path / "labels.zip"
    for head in ("", "labels/"):
        files = {f"{head}{name}": data for name, data in folder_files(source).items()}
        path.write_bytes(make_zip({**files, "__MACOSX/._labels": "x"}))
        assert main(["prepare", ID, "--source", str(path), "--output", str(tmp_path / "of_zip")]) == 0
        # Each has a key of its own.
        assert {**unpacked_files(tmp_path / "of_zip"), KEY_FILE: b""} == {**of_folder, KEY_FILE: b""}
    assert main(["public-data", ID, "--source", str(path), "--output", str(tmp_path / "public")]) == 0
    assert folder_files(tmp_path / "public") == folder_files(tmp_path / "of_folder_public")


def test_damaged_zip_is_no_source(run, source, tmp_path, capsys):
    path = tmp_path / "labels.zip"
    content = make_zip(folder_files(source))
    path.write_bytes(content[:100] + b"x" * 100 + content[200:])
    assert main(["prepare", ID, "--source", str(path), "--output", str(tmp_path / "out")]) == 1
    assert "E-REF-MISSING" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "is_edited"), [("notes.txt", False), (".git/config", False), (PREPARED_FILE, True)]
)
def test_what_others_put_there_is_named_and_kept_unless_replace(name, is_edited, run, tmp_path):
    run()
    path = tmp_path / "out" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("3,1,2\n")
    code, out = run()
    assert code == 1
    problem = printed_problems(out)[0]
    assert problem[:3] == ("E-REF-OTHER", "out", name)
    assert "--replace" in problem.text
    assert ("edited" in problem.text) == is_edited
    assert path.read_text() == "3,1,2\n"
    assert run("--replace")[0] == 0
    assert not path.exists() or path.read_text() != "3,1,2\n"


def test_files_that_were_added_to_a_reference_are_refused_where_it_is_used(run, tmp_path):
    run()
    (tmp_path / "out" / "settings.yaml").write_text("detail: none\n", encoding="utf-8")
    assert PREPARED_FILE in reference_files(ID, tmp_path / "out")
    (tmp_path / "out" / LABELS).write_text("3,1,2\n", encoding="utf-8")
    (problem,) = refused(reference_files, ID, tmp_path / "out").problems
    assert (problem.code, problem.file) == ("E-REF-OTHER", LABELS)


@pytest.mark.parametrize("options", [(), ("--replace",)])
def test_a_folder_with_folders_is_never_replaced(options, run, tmp_path):
    path = tmp_path / "out" / "chalearn_action" / "notes.txt"
    path.parent.mkdir(parents=True)
    path.touch()
    code, out = run(*options)
    assert code == 1
    (problem,) = printed_problems(out)
    assert problem[:2] == ("E-REF-OTHER", str(tmp_path / "out"))
    assert "chalearn_action" in problem.text
    assert path.is_file()


@pytest.mark.slow
def test_every_file_of_others_is_named(run, tmp_path):
    (tmp_path / "out").mkdir()
    for number in range(30):
        (tmp_path / "out" / f"{number:02}.txt").touch()
    printed = [problem.where for problem in printed_problems(run()[1])]
    assert printed == [f"{number:02}.txt" for number in range(30)]


def test_folder_of_an_earlier_version_without_manifest_can_be_written_again(run, tmp_path):
    run()
    (tmp_path / "out" / MANIFEST).unlink()
    (tmp_path / "out" / ".DS_Store").touch()
    assert run()[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "[", "\udcff", "[1]", "1", "[" * 100_000], ids=range(6))
def test_unreadable_manifest_lists_nothing(text, run, source, tmp_path):
    run()
    (tmp_path / "out" / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
    (source / LABELS).write_text("3,1,2\n")
    code, out = run()
    assert code == 1
    assert ("E-REF-OTHER", "out", PREPARED_FILE) in [problem[:3] for problem in printed_problems(out)]
    assert "edited" not in out


def test_refused_source_leaves_the_output_as_it_was(run, source, tmp_path):
    run()
    before = folder_files(tmp_path / "out")
    (source / LABELS).write_text("99,1,2\n")
    assert run()[0] == 1
    assert folder_files(tmp_path / "out") == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


@pytest.mark.parametrize("output", ["source", "."])
def test_source_is_never_replaced(output, run, source, tmp_path):
    before = folder_files(source)
    place = source.parent if output == "." else source
    code, out = run("--replace", output=place)
    assert code == 1
    head = f"1. E-OUTPUT {quote_path(str(place))}: "
    assert out.startswith(head)
    assert " source;" in out[len(head) :]
    assert folder_files(source) == before


@pytest.mark.parametrize(
    "name",
    [
        *("settings.yml", "Settings.yaml", "setting.yaml", "settings.json", "settings.yaml.txt"),
        *("settings (1).yaml", "settings", "SETTINGS.YML", "sett1ngs.yaml"),
    ],
)
def test_near_names_of_settings_are_errors(name, source):
    (source / name).touch()
    assert places_of(refused(loaded, ID, source)) == [("E-SETTINGS-NAME", name, "")]


@pytest.mark.parametrize("name", ["persons.csv", "Seq_set.csv", "sessions.yaml", "._settings.yaml"])
def test_other_names_are_no_settings(name, source):
    (source / name).touch()
    loaded(ID, source)


KILLED = """
import os, signal, sys
from pathlib import Path
from organizer import files
step, rename, sync, removed = sys.argv[1], Path.rename, files._sync, files.shutil.rmtree
def die(): os.kill(os.getpid(), signal.SIGKILL)
def at_rename(self, target):
    if step == "before the renames": die()
    done = rename(self, target)
    if step == ("between the renames" if Path(target).name == ".old" else "after the renames"): die()
    return done
def at_sync(path):
    if step == "while writing": die()
    sync(path)
Path.rename, files._sync = at_rename, at_sync
from organizer.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "then"),
    [
        ("while writing", "good"),
        ("before the renames", "refused"),
        ("between the renames", "good"),
        ("between the renames", "refused"),
        ("after the renames", "refused"),
        pytest.param("while writing", "refused", marks=only_at_night()),
        pytest.param("before the renames", "good", marks=only_at_night()),
        pytest.param("after the renames", "good", marks=only_at_night()),
    ],
)
def test_killed_run_is_finished_or_undone_by_the_next(step, then, run, source, tmp_path):
    run()
    old = unpacked_files(tmp_path / "out")
    (source / LABELS).write_text("3,1,2\n")
    command = [sys.executable, "-c", KILLED, step, "prepare", ID, "--source", str(source)]
    done = subprocess.run([*command, "--output", str(tmp_path / "out")], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    new = {**old, LABELS: b"3,1,2\n"}
    if then == "refused":
        (source / LABELS).write_text("99,1,2\n")
    assert run()[0] == (1 if then == "refused" else 0)
    kept = new if then == "good" or step == "after the renames" else old
    written = unpacked_files(tmp_path / "out")
    # Other labels have other marks.
    assert (written.pop(MARKS_FILE) == kept.pop(MARKS_FILE)) == (kept[LABELS] != b"3,1,2\n")
    assert written == kept
    assert not (tmp_path / ".out.replacing").exists()


def test_exception_at_any_step_leaves_the_old_folder(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    rename, calls = Path.rename, []

    def fail_second(self, target):
        calls.append(target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_second)
    with pytest.raises(KeyboardInterrupt), replacing_folder(tmp_path / "out") as new:
        (new / "a").write_text("new")
    assert len(calls) == 3
    assert (tmp_path / "out" / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_everything_is_on_the_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    synced, rename, before_renames = [], Path.rename, []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))

    def record(self, target):
        new_places = [place.stat().st_ino for place in (self / "a", self, self.parent)]
        before_renames.append((list(synced), new_places))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", record)
    with replacing_folder(tmp_path / "out") as new:
        (new / "a").write_text("new")
    ((synced_before, new_places),) = before_renames
    assert synced_before[-len(new_places) :] == new_places
    assert synced[-1] == tmp_path.stat().st_ino


def test_two_processes_do_not_write_one_folder(run, tmp_path):
    with replacing_folder(tmp_path / "out"):
        code, out = run()
    assert code == 1
    assert out.startswith("1. E-OUTPUT ") and f"process {os.getpid()} " in out


@pytest.mark.parametrize("options", [[], ["--replace"]])
def test_a_file_in_the_place_of_the_folder_stays(run, tmp_path, options):
    (tmp_path / "out").write_text("mine")
    code, out = run(*options)
    assert code == 1
    assert out.startswith("1. E-OUTPUT ") and f"Not a directory: {tmp_path / 'out'};" in out
    assert (tmp_path / "out").read_text() == "mine"


def test_errors_of_the_system_without_a_file_are_told(run, monkeypatch):
    def fail(self, target):
        raise OSError(27, "File too large")

    monkeypatch.setattr(Path, "rename", fail)
    _, out = run()
    assert out.startswith("1. E-OUTPUT ") and "File too large;" in out


def test_link_to_a_folder_stays_a_link(run, source, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    assert run()[0] == 0
    assert (tmp_path / "out").is_symlink()
    assert folder_files(source).items() <= unpacked_files(tmp_path / "elsewhere").items()


@pytest.mark.slow
@pytest.mark.parametrize("task", ["kinetics_tps", "anet_entities_gt", "anet_entities_gen", "densepose"])
def test_prepared_files_are_the_same_again(task, tmp_path):
    for name in ("one", "two"):
        prepare(task, REFERENCES / task, tmp_path / name)
    assert folder_files(tmp_path / "one") == folder_files(tmp_path / "two")
