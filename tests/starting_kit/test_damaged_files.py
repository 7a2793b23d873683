"""Whatever participants give to a command in place of a file, it ends in a message, never in a traceback."""

from __future__ import annotations

import shutil

import pytest

from organizer.__main__ import main as organizer_main
from people_in_video.__main__ import main
from tests.damages import CONTENTS, assert_ends_in_a_message, caller, damaged_in_place, wrong_paths
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, every_fourth, make_zip
from validator.__main__ import main as validator_main

ID = "chalearn_gesture"
GIVEN = "anet_entities_gt"
# A command, and the good file or folder in place of which FILE is given.
FILES = {
    "check": ("check FILE", "a.zip"),
    "check a folder": ("check ID FILE", "good"),
    "check with public data": ("check ID good --public FILE", "public.zip"),
    "check with a folder of public data": ("check ID good --public FILE", "public"),
    "check with a reference": ("check ID good --reference FILE --cache CACHE", "source"),
    "score": ("score FILE --output OUT", "a.zip"),
    "score with a reference": ("score ID good --reference FILE --cache CACHE --output OUT", "source"),
    "score some items": ("score ID good --items FILE --output OUT", "items.txt"),
    "score with images": ("score GIVEN good_sentences --images FILE --output OUT", "images"),
    "score into": ("score ID good --output FILE", "a.zip"),
    "score with a cache": ("score ID good --reference source --cache FILE --output OUT", "a.zip"),
    "compare": ("compare ID good FILE --output OUT", "a.zip"),
    "compare into": ("compare ID good weak --output FILE", "a.zip"),
    "compare some items": ("compare ID good weak --items FILE --output OUT", "items.txt"),
    "explain": ("explain FILE", "a.zip"),
    "explain with a reference": ("explain ID good --reference FILE --cache CACHE", "source"),
    "history": ("history FILE", "runs"),
    "convert a table": ("convert ID FILE OUT", "table.csv"),
    "convert sentences": ("convert GIVEN FILE OUT", "table.json"),
    "convert detections": ("convert densepose FILE OUT", "table.pkl"),
    "convert into": ("convert ID table.csv FILE", "a.zip"),
    "convert with public data": ("convert ID table.csv OUT --unit seconds --public FILE", "public"),
}
# A command, and a file below what it reads that is damaged in its place.
PARTS = {
    "labels": (
        "score ID good --reference source --cache CACHE --output OUT",
        "source/DemoSequence0001_labels.csv",
    ),
    "settings": ("score ID good --reference source --cache CACHE --output OUT", "source/settings.yaml"),
    "public data": ("check ID good --public public", "public/DemoSequence0001_data.csv"),
    "public segments": (
        "check GIVEN good_sentences --public public_sentences",
        "public_sentences/skeleton.json",
    ),
    "runs": ("history runs", "runs/runs.csv"),
    "runs to be added to": ("score ID good --run a --output runs", "runs/runs.csv"),
}


def some_of(damages, number):
    """Return every fourth damage, all at night; the cases of a test, by their number, meet others of them."""
    first = number % 4
    return every_fourth([*damages[first:], *damages[:first]])


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Return a folder with good files for all of the commands."""
    folder = tmp_path_factory.mktemp("given")
    for name, task_id in (("source", ID), ("source_of_sentences", GIVEN)):
        shutil.copytree(REFERENCES / task_id, folder / name)
    (folder / "source" / "settings.yaml").write_text("detail: summary\n")
    shutil.copytree(SAMPLES / ID, folder, dirs_exist_ok=True)
    shutil.copytree(SAMPLES / GIVEN / "good", folder / "good_sentences")
    (folder / "a.zip").write_bytes(
        make_zip({path.name: path.read_bytes() for path in (folder / "good").iterdir()})
    )
    for name, source, task_id in (
        ("public", "source", ID),
        ("public_sentences", "source_of_sentences", GIVEN),
    ):
        words = ["public-data", task_id, "--source", str(folder / source), "--output", str(folder / name)]
        assert organizer_main(words) == 0
    shutil.make_archive(str(folder / "public"), "zip", folder / "public")
    assert main(["score", ID, str(folder / "good"), "--run", "a", "--output", str(folder / "runs")]) == 0
    (folder / "images").mkdir()
    (folder / "items.txt").write_text("DemoSequence0001\nDemoSequence0002\n")
    for name in ("table.csv", "table.json", "table.pkl"):
        (folder / name).write_text("item,class,start,end\nDemoSequence0001,1,1,10\n")
    return folder


@pytest.fixture
def call_in(given, tmp_path, monkeypatch, capsys):
    """Return a function that calls a command with a path for FILE, in the folder of good files."""
    monkeypatch.chdir(given)
    folders = {"OUT": str(tmp_path / "out"), "CACHE": str(tmp_path / "cache")}
    return caller(main, {"ID": ID, "GIVEN": GIVEN, **folders}, capsys)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "command"), [*enumerate(FILES)], ids=FILES)
def test_what_is_no_such_file_ends_in_a_message(call_in, given, tmp_path, number, command):
    words, good = FILES[command]
    for damage, path in some_of([*wrong_paths(tmp_path, given / good)], number):
        call_in(words, path, damage)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "name"), [*enumerate(PARTS)], ids=PARTS)
def test_a_damaged_part_ends_in_a_message(call_in, given, number, name):
    words, part = PARTS[name]
    chosen = some_of([*CONTENTS], number)
    for damage in damaged_in_place(given / part):
        if damage in chosen:
            call_in(words, "", damage)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "task_id"), [*enumerate(PUBLISHED)], ids=PUBLISHED)
def test_a_damaged_submission_ends_in_a_message(tmp_path, capsys, number, task_id):
    folder = shutil.copytree(SAMPLES / task_id / "good", tmp_path / "good")
    chosen = some_of([*CONTENTS], number)
    for part in sorted(folder.iterdir())[:2]:
        for damage in damaged_in_place(part):
            if damage in chosen:
                assert_ends_in_a_message(main, ["check", task_id, str(folder)], capsys, damage)


def test_the_validator_ends_in_a_message(given, tmp_path, capsys):
    for damage, path in wrong_paths(tmp_path, given / "a.zip"):
        assert_ends_in_a_message(validator_main, [ID, str(path)], capsys, damage)
