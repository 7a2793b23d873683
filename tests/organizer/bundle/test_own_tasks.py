"""Tasks of one's own in competition.yaml."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from organizer.bundle import own_tasks
from organizer.bundle.cut import one_task
from organizer.bundle.own_tasks import complete_competition, with_own_tasks
from quality.competition import TEMPLATE
from scoring_program.task import load_task
from tests.helpers import PUBLISHED

ID = "chalearn_gesture"
TEXT = (TEMPLATE / "competition.yaml").read_text(encoding="utf-8")
SUMMARY = "Which bird: a robin, or a wren?"


@pytest.fixture
def birds(monkeypatch):
    """A task of one's own, ``birds``, is there."""
    own = replace(load_task(ID), id="birds", title="Birds", summary=SUMMARY, is_published=False)
    monkeypatch.setattr(own_tasks, "task_ids", lambda: ["birds", *PUBLISHED])
    monkeypatch.setattr(
        own_tasks, "load_task", lambda task_id: own if task_id == "birds" else load_task(task_id)
    )
    return own


def test_the_competition_of_all_tasks_gets_those_that_it_does_not_name(birds):
    data = yaml.safe_load(TEXT)
    complete = complete_competition(TEXT, data)
    (added,) = [task for task in complete["tasks"] if task not in data["tasks"]]
    assert (added["name"], added["description"]) == ("Birds", SUMMARY)
    assert added["index"] in complete["phases"][0]["tasks"]
    assert {"title": "Birds", "file": "pages/birds.md"} in complete["pages"]


def test_what_names_them_stays_as_it_is(birds):
    text = with_own_tasks(TEXT, yaml.safe_load(TEXT))
    assert with_own_tasks(text, yaml.safe_load(text)) == text


def test_a_competition_of_other_tasks_gets_none(birds):
    data = one_task(yaml.safe_load(TEXT), load_task(ID))
    assert data is not None
    assert complete_competition(yaml.safe_dump(data), data) is data
