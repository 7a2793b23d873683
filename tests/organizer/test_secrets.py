"""Hidden labels stay with their organizer: git takes no folder that holds them, and others cannot read keys."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from organizer.__main__ import main
from organizer.bundle.build import build_all
from organizer.data.overview import SUFFIX
from organizer.data.prepare import reference_files
from organizer.files import folder_files, replacing_folder, zip_bytes
from organizer.runs.rescore import fingerprint
from organizer.runs.worker import BuiltTask
from scoring_program.marks import MARKS_FILE
from scoring_program.signature import KEY_FILE, read_key, reference_hash
from tests.helpers import REFERENCES, SAMPLES, loaded
from validator.findings import Refused

ID = "chalearn_gesture"


@pytest.fixture
def source(tmp_path):
    """Return a folder in a git checkout with reference files that are not marked as demo data."""
    make_checkout(tmp_path)
    shutil.copytree(REFERENCES / ID, tmp_path / "source")
    (tmp_path / "source" / "SYNTHETIC.md").unlink()
    return tmp_path / "source"


def make_checkout(folder):
    """Make a checkout of the organizers' own, which ignores nothing."""
    subprocess.run(["git", "init", "--quiet", folder], check=True)


def run(command):
    assert main(command.split()) == 0


def files_that_git_takes(folder):
    """Return the files that ``git add -A`` would add, without those of the organizers' own source."""
    command = ["git", "ls-files", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.splitlines() if not name.startswith("source/")]


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_git_takes_no_prepared_reference_and_nothing_of_its_baselines_and_parts(source, tmp_path):
    run(f"prepare {ID} --source {source} --output {tmp_path / 'final'}")
    run(f"baselines {ID} --reference {tmp_path / 'final'} --output {tmp_path / 'baselines'}")
    run(f"split {ID} --reference {tmp_path / 'final'} --output {tmp_path / 'parts'}")
    assert (tmp_path / "final" / SUFFIX).is_file()
    assert [name for name in files_that_git_takes(tmp_path) if not name.startswith("final_public/")] == []


def test_git_takes_nothing_of_a_reference_whose_preparation_was_killed(tmp_path):
    make_checkout(tmp_path)
    with replacing_folder(tmp_path / "final") as folder:
        (folder / "labels.csv").touch()
        assert files_that_git_takes(tmp_path) == []


@pytest.mark.slow
def test_git_takes_nothing_that_runs_write(source, tmp_path):
    run(f"dry-run {ID} {SAMPLES / ID / 'good'} --reference {source} --output {tmp_path / 'dry'}")
    submissions = tmp_path / "source" / "submissions"
    submissions.mkdir()
    (submissions / "team.zip").write_bytes(zip_bytes(folder_files(SAMPLES / ID / "good")))
    run(f"rescore {ID} {submissions} --reference {REFERENCES} --output {tmp_path / 'ranking'}")
    assert files_that_git_takes(tmp_path) == []


@pytest.mark.slow
def test_git_takes_no_bundle(kept_parts, tmp_path):
    make_checkout(tmp_path)
    build_all(None, output=tmp_path / "bundles")
    run(f"overview {tmp_path / 'bundles' / f'{ID}.zip'} --output {tmp_path / 'pages'}")
    assert files_that_git_takes(tmp_path) == []


def test_gitignore_of_the_organizers_stays(source, tmp_path):
    output = tmp_path / "final"
    run(f"prepare {ID} --source {source} --output {output}")
    (output / ".gitignore").write_text("*\n!settings.yaml\n", encoding="ascii")
    run(f"prepare {ID} --source {source} --output {output}")
    assert (output / ".gitignore").read_text(encoding="ascii") == "*\n!settings.yaml\n"


def test_gitignore_is_in_no_hash(source):
    built = BuiltTask(id=ID, program=b"", reference=source, time_limit=600.0)
    before = (reference_hash(source), loaded(ID, source).signature, fingerprint(built))
    (source / ".gitignore").write_text("*\n", encoding="ascii")
    assert (reference_hash(source), loaded(ID, source).signature, fingerprint(built)) == before
    (source / "settings.yaml").write_text("detail: full\n", encoding="ascii")
    assert fingerprint(built) != before[2]


def test_only_the_owner_can_read_the_key(source, tmp_path):
    run(f"prepare {ID} --source {source} --output {tmp_path / 'refs' / ID}")
    run(f"prepare {ID} --source {source} --output {tmp_path / 'refs' / ID}")
    run(f"split {ID} --reference {tmp_path / 'refs'} --output {tmp_path / 'parts'}")
    (source / KEY_FILE).write_text("0123456789abcdef" * 2, encoding="ascii")
    run(f"prepare {ID} --source {source} --output {tmp_path / 'with_own_key'}")
    keys = [tmp_path / "refs" / ID, tmp_path / "parts" / ID, tmp_path / "parts" / f"{ID}_2"]
    keys.append(tmp_path / "with_own_key")
    assert [mode_of(folder / KEY_FILE) for folder in keys] == [0o600] * len(keys)


@pytest.mark.slow
def test_a_container_may_read_the_key(source, tmp_path):
    run(f"prepare {ID} --source {source} --output {tmp_path / ID}")
    run(f"dry-run {ID} {SAMPLES / ID / 'good'} --reference {tmp_path / ID} --output {tmp_path / 'dry'}")
    key = tmp_path / "dry" / "app" / "input" / "ref" / KEY_FILE
    assert mode_of(key) == mode_of(key.with_name(MARKS_FILE))


def test_unreadable_key_is_reported_with_its_mode(source, monkeypatch):
    (source / KEY_FILE).write_text("0" * 32, encoding="ascii")
    (source / KEY_FILE).chmod(0o600)
    read_bytes = Path.read_bytes

    def read_as_another_user(path):
        if path.name == KEY_FILE:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", read_as_another_user)
    for read in (read_key, lambda folder: reference_files(ID, folder)):
        with pytest.raises(Refused) as error:
            read(source)
        (problem,) = error.value.findings.problems
        assert (problem.code, problem.file) == ("E-REF-KEY", KEY_FILE)
        assert "0600" in problem.problem
