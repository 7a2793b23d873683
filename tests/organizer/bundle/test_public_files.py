"""What of the folders with public data is packed: the files that a task names, and no others."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from organizer.bundle import public_files
from organizer.bundle.parts import Parts
from organizer.bundle.public_files import (
    demo_reference,
    demo_source_files,
    other_files,
    refuse_ignored_files,
    sample_files,
)
from organizer.files import folder_files
from scoring_program.task import task_ids
from tests.helpers import REFERENCES, SAMPLES, places_of, refused

ID = "chalearn_gesture"
OTHERS = [
    f"reference_data/{ID}/passwords.txt",
    f"reference_data/{ID}/DemoSequence0001_labels.csv.bak",
    f"starting_kit/samples/{ID}/winner/hidden_prediction.csv",
    f"starting_kit/samples/{ID}/good/notes~",
]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a folder with the public data of a task, in place of this repository."""
    root = tmp_path / "checkout"
    shutil.copytree(REFERENCES / ID, root / "reference_data" / ID)
    samples = root / "starting_kit" / "samples"
    shutil.copytree(SAMPLES / ID, samples / ID)
    monkeypatch.setattr(public_files, "ROOT", root)
    monkeypatch.setattr(public_files, "samples_folder", lambda task_id: samples / task_id)
    return root


@pytest.mark.parametrize("task_id", task_ids())
def test_all_files_of_our_own_are_packed(task_id):
    assert other_files([task_id]) == []
    assert demo_source_files(task_id) == folder_files(REFERENCES / task_id)
    for sample in ("good", "weak"):
        assert sample_files(task_id, sample) == folder_files(SAMPLES / task_id / sample)


def test_files_that_no_task_names_are_listed_and_not_packed(checkout):
    demo, sample = demo_reference(ID), sample_files(ID, "good")
    for name in OTHERS:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("secret")
    assert sorted(other_files([ID])) == sorted(OTHERS)
    assert demo_reference(ID) == demo
    assert sample_files(ID, "good") == sample


def test_files_that_git_ignores_are_refused_by_name(checkout):
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    refuse_ignored_files([ID])
    (checkout / ".gitignore").write_text("*0001_labels.csv\npasswords.txt\n")
    (checkout / OTHERS[0]).write_text("secret")
    findings = refused(refuse_ignored_files, [ID])
    assert places_of(findings) == [("L-LEAK", f"reference_data/{ID}/DemoSequence0001_labels.csv", "")]


def test_without_a_checkout_nothing_is_ignored(checkout):
    refuse_ignored_files([ID])


@pytest.mark.parametrize("name", ["notes~", "x.csv.bak", "deep/x.orig", "x.csv.swp"])
def test_copies_of_editors_in_a_folder_that_is_packed_are_refused(tmp_path, name):
    path = tmp_path / "my_data" / name
    path.parent.mkdir(parents=True)
    path.write_text("secret")
    assert places_of(refused(Parts(source=tmp_path).supplied_files, "my_data")) == [
        ("L-LEAK", f"my_data/{name}", "")
    ]
