"""Which phase of a competition is ranked, with its dates and limits."""

from __future__ import annotations

import datetime
import shutil

import pytest
import yaml

from organizer.bundle.edit import with_phases_of_parts
from organizer.bundle.source import load_competition
from organizer.runs import built
from organizer.runs.built import find_offer, offers_of, rules_of_phase
from organizer.runs.phase import Phase
from quality.competition import competition_text
from tests.helpers import REFERENCES, refused

ID = "chalearn_gesture"


def competition(references=("chalearn_gesture", "chalearn_gesture_2")):
    """Return a competition with a phase for each reference: Phase 1, Phase 2, ..."""
    tasks = [
        {
            "index": number,
            "name": f"Task {number}",
            "scoring_program": f"{ID}_program.zip",
            "reference_data": f"{reference}_reference.zip",
        }
        for number, reference in enumerate(references, start=1)
    ]
    phases = [
        {"index": task["index"], "name": f"Phase {task['index']}", "tasks": [task["index"]]} for task in tasks
    ]
    return {"version": 2, "tasks": tasks, "phases": phases}


OFFERS = offers_of(competition(), ID)


@pytest.fixture
def two_phases(tmp_path, monkeypatch):
    """Have a competition with a final phase on other data, of which nothing is built."""
    data = yaml.safe_load(with_phases_of_parts(competition_text(), ID, "a", ["final"]))
    monkeypatch.setattr(built, "load_competition", lambda: data)
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")


def test_several_references_are_refused_until_one_or_a_phase_is_named():
    (problem,) = refused(find_offer, OFFERS, ID, "", None).problems
    assert problem.code == "L-REFERENCE"
    assert find_offer(OFFERS, ID, "Phase 2", None).reference == "chalearn_gesture_2"
    assert find_offer(OFFERS, ID, "", {"chalearn_gesture_2"}).phase_name == "Phase 2"
    assert find_offer(OFFERS, ID, "", {"of_my_own"}) is None
    refused(find_offer, OFFERS, ID, "", {"chalearn_gesture", "chalearn_gesture_2"})


def test_one_reference_in_several_phases_needs_no_name_and_tells_no_phase():
    assert find_offer(offers_of(competition(["chalearn_gesture"] * 2), ID), ID, "", None) is None


def test_a_single_phase_is_meant_whatever_the_reference_is_called():
    one = offers_of(competition(["chalearn_gesture"]), ID)
    assert find_offer(one, ID, "", None).phase_name == "Phase 1"
    assert find_offer(one, ID, "", {"of_my_own"}).phase_name == "Phase 1"


@pytest.mark.parametrize(
    ("task_id", "remedy"), [(ID, '"Phase 1"'), ("densepose", "organizer start densepose")]
)
def test_phase_that_is_not_there_is_refused(task_id, remedy):
    (problem,) = refused(find_offer, offers_of(competition(), task_id), task_id, "Final", None).problems
    assert problem.code == "L-PHASE"
    assert remedy in problem.remedy


@pytest.mark.parametrize("folder", [".", ID])
def test_a_phase_is_not_ranked_with_the_reference_of_another(two_phases, tmp_path, folder):
    shutil.copytree(REFERENCES / ID, tmp_path / ID)
    (problem,) = refused(built.built_task, ID, tmp_path / folder, "Final phase").problems
    assert problem.code == "L-REFERENCE"
    assert "chalearn_gesture_2" in problem.remedy
    (tmp_path / ID).rename(tmp_path / f"{ID}_2")
    other = tmp_path / ("." if folder == "." else f"{ID}_2")
    assert built.built_task(ID, other, "Final phase").reference == tmp_path / f"{ID}_2"


def test_a_reference_that_was_not_divided_is_warned_of(two_phases, tmp_path, capsys):
    shutil.copytree(REFERENCES / ID, tmp_path / ID)
    built.built_task(ID, tmp_path, "Main phase")
    (warning,) = capsys.readouterr().out.splitlines()
    assert warning.startswith("warning | ")
    assert f"{ID}_2" in warning
    built.built_task(ID, tmp_path / ID, "Main phase")
    shutil.copytree(tmp_path / ID, tmp_path / f"{ID}_2")
    built.built_task(ID, tmp_path, "Main phase")
    assert capsys.readouterr().out == ""


def test_a_ranking_of_one_of_several_phases_has_the_name_of_the_phase(two_phases, tmp_path):
    shutil.copytree(REFERENCES / ID, tmp_path / f"{ID}_2")
    assert built.built_task(ID, tmp_path, "Final phase").label == "final-phase"


@pytest.mark.parametrize("name", ["Main phase", "main  PHASE"])
def test_phases_that_no_command_could_tell_apart_are_refused(tmp_path, name):
    text = with_phases_of_parts(competition_text(), ID, "a", ["final"])
    (tmp_path / "competition.yaml").write_text(text.replace("Final phase", name), encoding="utf-8")
    (problem,) = refused(load_competition, tmp_path).problems
    assert (problem.code, problem.where) == ("L-PHASE", "/phases")
    assert name in problem.problem


def test_phases_with_the_same_year_in_another_script_are_told_apart(tmp_path):
    text = with_phases_of_parts(competition_text(), ID, "a", ["final"])
    text = text.replace("Final phase", "決赛 2027").replace("Main phase", "初赛 2027")
    (tmp_path / "competition.yaml").write_text(text, encoding="utf-8")
    names = [phase["name"] for phase in load_competition(tmp_path)["phases"]]
    assert names == ["初赛 2027", "決赛 2027"]


def test_rules_are_those_that_the_platform_reads():
    phase = {"name": "Final", "start": "2027-01-01 12:00:00", "end": "2027-01-31", "max_submissions": "7"}
    expected = Phase("Final", datetime.datetime(2027, 1, 1, 12), datetime.datetime(2027, 1, 31), 5, 7)
    assert rules_of_phase(phase) == expected
    unlimited = {"name": "Open", "start": "2027-01-01", "max_submissions": 0, "max_submissions_per_day": 0}
    assert rules_of_phase(unlimited) == Phase("Open", datetime.datetime(2027, 1, 1))


def test_with_a_bundle_its_own_competition_says_what_references_there_are(bundles, tmp_path, monkeypatch):
    monkeypatch.setattr(built, "DIST", bundles)
    monkeypatch.setattr(built, "SOURCE", tmp_path / "no competition")
    monkeypatch.setattr(built, "load_competition", lambda: load_competition(tmp_path / "no competition"))
    task = built.built_task(ID, REFERENCES)
    assert task.reference == REFERENCES / ID
    assert task.phase_names
