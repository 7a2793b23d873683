"""Scoring all submissions of a task again."""

from __future__ import annotations

import csv
import shutil

import pytest

from conftest import ROOT, make_zip
from organizer.__main__ import main
from organizer.bundle import built
from organizer.bundle.build import build_all
from organizer.runs import rescore
from organizer.runs.worker import BuiltTask

ID = "chalearn_gesture"


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "submissions"
    (folder / "team").mkdir(parents=True)
    for sample in ("good", "weak"):
        files = (ROOT / "starting_kit" / "samples" / ID / sample).iterdir()
        (folder / "team" / f"{sample}.zip").write_bytes(make_zip({path.name: path.read_text() for path in files}))
    (folder / "broken.ZIP").write_text("no zip")
    (folder / "notes.txt").write_text("not a submission")
    return folder


@pytest.fixture
def run(tmp_path, submissions):
    def rescored(reference=ROOT / "reference_data" / ID):
        arguments = [ID, str(submissions), "--reference", str(reference), "--output", str(tmp_path / "out")]
        return main(["rescore", *arguments])

    return rescored


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["submission"]: row for row in csv.DictReader(stream)}


def test_all_zips_get_a_row_a_page_and_a_rank(run, tmp_path, capsys):
    assert run() == 0
    found = rows(tmp_path / "out" / "scores.csv")
    assert list(found) == ["broken.ZIP", "team/good.zip", "team/weak.zip"]
    assert [row["outcome"] for row in found.values()] == ["invalid", "scored", "scored"]
    assert found["broken.ZIP"]["problem"].startswith("E-ZIP-NOT")
    assert found["broken.ZIP"]["score"] == ""
    assert found["team/good.zip"]["signature"].startswith(f"{ID}|protocol:published")
    for name in found:
        assert (tmp_path / "out" / "details" / f"{name}.html").stat().st_size > 1000
    lines = capsys.readouterr().out.splitlines()
    ranked = [line.split() for line in lines if line.startswith("   ")]
    assert [(rank, name) for rank, _, name in ranked] == [("1", "team/good.zip"), ("2", "team/weak.zip")]
    assert [float(score) for _, score, _ in ranked] == [
        pytest.approx(float(found[name]["score"]), abs=1e-4) for _, _, name in ranked
    ]
    assert "2 of 3 submissions were scored" in lines


def test_names_of_files_cannot_act_in_a_terminal_or_a_spreadsheet(tmp_path, capsys):
    for name in ("=1+1.zip", "\x1b[31mred\n.zip"):
        (tmp_path / name).write_text("no zip")
    reference = ROOT / "reference_data" / ID
    assert main(["rescore", ID, str(tmp_path), "--reference", str(reference), "--output", str(tmp_path / "out")]) == 0
    assert list(rows(tmp_path / "out" / "scores.csv")) == ["\\x1b[31mred\\n.zip", "./=1+1.zip"]
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31mred\\n.zip: invalid E-ZIP-NOT" in out


def test_second_run_says_what_changed(run, submissions, tmp_path, capsys):
    run()
    assert run() == 0
    assert "2 of 3 submissions were scored; 0 scores changed since the earlier run" in capsys.readouterr().out
    before = rows(tmp_path / "out" / "scores.csv")["team/weak.zip"]["score"]
    shutil.copyfile(submissions / "team" / "good.zip", submissions / "team" / "weak.zip")
    assert run() == 0
    out = capsys.readouterr().out
    assert f"team/weak.zip  (before: {float(before):.4f})" in out
    assert "1 scores changed" in out


def test_broken_reference_ends_the_work_and_keeps_the_earlier_table(run, tmp_path, capsys):
    run()
    earlier = (tmp_path / "out" / "scores.csv").read_bytes()
    (tmp_path / "empty").mkdir()
    capsys.readouterr()
    assert run(tmp_path / "empty") == 2
    out = capsys.readouterr().out
    assert "1/3 broken.ZIP: broken" in out
    assert "organizer's side is broken" in out
    assert (tmp_path / "out" / "scores.csv").read_bytes() == earlier


def test_folder_without_zips_is_named(tmp_path, capsys):
    assert rescore.rescore(BuiltTask(ID, b"", b"", 1.0), tmp_path, tmp_path / "out") == 1
    assert f"{tmp_path}: no zip file is in this folder" in capsys.readouterr().out


def test_program_of_another_state_of_the_repository_is_named(tmp_path, monkeypatch, capsys):
    build_all(None, output=tmp_path / "dist")
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")
    built.built_task(ID, None)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(built, "build_program", lambda challenge_id: b"a later state")
    built.built_task(ID, None)
    assert f"dist/{ID}.zip differs from this repository's; make bundle builds it anew" in capsys.readouterr().out
