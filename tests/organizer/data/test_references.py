"""What REFERENCE may be, for every command that takes it."""

from __future__ import annotations

import re
import shutil

import pytest

from organizer import __main__ as commands
from organizer.bundle.build import build_all
from organizer.data.references import task_folder, task_folders
from organizer.runs import built
from tests.helpers import REFERENCES, refused
from validator.texts import quote_path

NAMES = {"chalearn_action", "chalearn_gesture", "kinetics_tps", "chalearn_gesture_final"}
ID = "chalearn_gesture"


@pytest.fixture
def refs(tmp_path):
    for name in (ID, "kinetics_tps"):
        shutil.copytree(REFERENCES / name, tmp_path / "refs" / name)
    return tmp_path / "refs"


def test_folder_of_tasks_and_folder_of_one_task_are_distinguished(refs):
    assert task_folders(refs, NAMES) == {ID: refs / ID, "kinetics_tps": refs / "kinetics_tps"}
    assert task_folders(refs / ID, NAMES) == {ID: refs / ID}
    assert task_folder(ID, refs, NAMES) == refs / ID
    assert task_folder(ID, refs / ID, NAMES) == refs / ID


def test_folder_of_one_task_may_have_any_name_where_the_task_is_given(refs):
    (refs / ID).rename(refs.parent / "mine")
    assert task_folder(ID, refs.parent / "mine", NAMES) == refs.parent / "mine"


def test_final_reference_of_a_task_is_one_of_its_own(refs):
    (refs / ID).rename(refs / f"{ID}_final")
    assert task_folder(ID, refs / f"{ID}_final", NAMES) == refs / f"{ID}_final"
    (problem,) = refused(task_folder, ID, refs, NAMES).problems
    assert (problem.code, problem.file) == ("E-REF-UNKNOWN", quote_path(str(refs)))
    assert f" {ID} " in problem.problem


def test_public_data_of_a_reference_that_was_moved_is_no_reference(refs):
    (refs / "bird_calls_public").mkdir()
    assert set(task_folders(refs, NAMES)) == {ID, "kinetics_tps"}


def rename(refs, new):
    (refs / ID).rename(refs / new)
    return refs


def add_file(refs, name):
    (refs / name).write_bytes(b"x")
    return refs


@pytest.mark.parametrize(
    ("change", "code", "file", "value", "remedy"),
    [
        (lambda refs: refs.parent / "ref", "E-REF-UNKNOWN", "ref", "", " refs"),
        (lambda refs: rename(refs, "chalern_gesture"), "E-REF-UNKNOWN", "refs/chalern_gesture", "chalern_gesture", " chalearn_gesture"),
        (lambda refs: refs / "nope", "E-REF-UNKNOWN", "refs/nope", "", "path"),
        (lambda refs: rename(refs, "x_final"), "E-REF-UNKNOWN", "refs/x_final", "x_final ", " x_final_reference.zip "),
        (lambda refs: (refs / "x_final_public").mkdir() or rename(refs, "x_final"), "E-REF-UNKNOWN", "refs/x_final", "x_final ", " x_final_reference.zip "),
        (lambda refs: rename(refs, "chalern_gesture") / "chalern_gesture", "E-REF-UNKNOWN", "refs/chalern_gesture", "chalern_gesture", " chalearn_gesture"),
        (lambda refs: add_file(refs, "chalearn_gestures_sample.zip"), "E-REF-SAMPLE", "refs/chalearn_gestures_sample.zip", "chalearn_gestures_sample.zip", " chalearn_gesture_sample.zip"),
        (lambda refs: add_file(refs, "chalearn_gesture_smaple.zip"), "E-REF-SAMPLE", "refs/chalearn_gesture_smaple.zip", "chalearn_gesture_smaple.zip", " chalearn_gesture_sample.zip"),
        (lambda refs: add_file(refs, "chalearn_action_sample.zip"), "E-REF-SAMPLE", "refs/chalearn_action_sample.zip", "chalearn_action_sample.zip", ""),
        (lambda refs: refs.parent.joinpath("empty").mkdir() or refs.parent / "empty", "E-REF-MISSING", "empty", "task", " chalearn_gesture"),
    ],
)  # fmt: skip
def test_wrong_reference_is_refused_with_the_nearest_name_and_nothing_is_written(
    refs, tmp_path, change, code, file, value, remedy
):
    (problem,) = refused(build_all, change(refs), output=tmp_path / "dist").problems
    assert (problem.code, problem.file) == (code, quote_path(str(tmp_path / file)))
    assert value in problem.problem
    assert remedy in f" {problem.remedy}"
    assert not (tmp_path / "dist").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["bundle", "--reference", "no/such/folder"],
        ["dry-run", ID, ".", "--reference", "no/such/folder"],
        ["rescore", ID, ".", "--reference", "no/such/folder"],
    ],
    ids=["bundle", "dry-run", "rescore"],
)
def test_every_command_refuses_with_exit_code_1(arguments, capsys):
    assert commands.main(arguments) == 1
    assert "E-REF-UNKNOWN no/such/folder: " in capsys.readouterr().err


def test_folder_of_another_task_is_not_scored_with(refs):
    (problem,) = refused(task_folder, ID, refs / "kinetics_tps", NAMES).problems
    assert (problem.code, problem.file) == ("E-REF-UNKNOWN", quote_path(str(refs / "kinetics_tps")))
    assert ID in problem.problem


@pytest.mark.slow
def test_dry_run_takes_both_forms_and_prepares_official_files(tmp_path, monkeypatch):
    monkeypatch.setattr(built, "DIST", tmp_path)
    refs = REFERENCES
    assert built.built_task(ID, refs).reference == refs / ID
    assert built.built_task(ID, refs / ID).reference == refs / ID
    prepared = built.built_task("densepose", refs).reference
    assert isinstance(prepared, bytes)


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x85", "\u2028", "\x1c"])
@pytest.mark.parametrize(
    "text", ["100,20{}2000,1\n", "100,20,2000{}\n", "100,20,2000{}5,20,2000\n", "{}100,20,2000\n", "100{}\n"]
)
def test_data_files_hold_no_characters_that_others_take_for_ends_of_lines(tmp_path, capsys, mark, text):
    (tmp_path / "S1_labels.csv").write_text("1,1,10\n")
    (tmp_path / "S1_data.csv").write_text(text.format(mark), encoding="utf-8")
    arguments = ["prepare", "chalearn_gesture", "--source", str(tmp_path), "--output", str(tmp_path / "out")]
    assert commands.main(arguments) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert re.match("1. E-CSV-(INTEGER|ENCODING) S1_data.csv: .* At line 1 column [123]\\.", line)


def test_prepare_names_what_it_leaves_out_and_where_it_cannot_write(refs, tmp_path, capsys):
    (refs / ID / "notes.txt").touch()
    arguments = ["prepare", ID, "--source", str(refs / ID), "--output"]
    assert commands.main([*arguments, str(tmp_path / "out")]) == 0
    assert re.search(f"warning 1. R-LEFT-OUT {ID}: .*: notes.txt;", capsys.readouterr().out)
    (tmp_path / "file").touch()
    assert commands.main([*arguments, str(tmp_path / "file" / "x")]) == 1
    assert "E-OUTPUT" in capsys.readouterr().out
