"""Tasks are found by their declarations, and their settings are complete before anything is read."""

from __future__ import annotations

import shutil
import sys

import pytest

from scoring_program.settings import COMMON
from scoring_program.task import INTERVAL_COLUMNS, load_task, task_ids
from tests.golden_cases import cases, score_case
from tests.helpers import PUBLISHED, REFERENCES, ROOT, loaded
from validator.findings import Refused

GESTURE = "chalearn_gesture"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return a package in which one task of a challenge of two is declared, as in a program."""
    package = tmp_path / "other_tasks"
    shutil.copytree(ROOT / "scoring_program" / "challenges" / "chalearn", package / "chalearn")
    (package / "chalearn" / "chalearn_action.yaml").unlink()
    monkeypatch.syspath_prepend(tmp_path)
    yield package.name
    for name in [name for name in sys.modules if name.startswith(package.name)]:
        del sys.modules[name]


def test_a_task_is_there_if_it_is_declared(root):
    assert task_ids(root) == [GESTURE]
    task = load_task(GESTURE, root)
    assert (task.id, task.title, task.folder.name) == (GESTURE, load_task(GESTURE).title, "chalearn")
    with pytest.raises(FileNotFoundError, match="chalearn_action"):
        load_task("chalearn_action", root)


@pytest.mark.parametrize("name", task_ids())
def test_a_task_is_what_its_declaration_says(name):
    task = load_task(name)
    assert load_task(name) is task
    assert (task.id, (task.folder / f"{name}.yaml").is_file()) == (name, True)
    assert [column.key for column in task.columns][:2] == ["score", "coverage"]
    assert {"score_low", "score_high"} <= {column.key for column in task.columns}
    assert all("{points}" in error_type.advice for error_type in task.error_types)
    assert task.known_settings[: len(COMMON)] == COMMON


@pytest.mark.parametrize("name", PUBLISHED)
def test_scores_are_those_of_the_declared_columns_in_their_order(name):
    scores = list(score_case(cases(name)[0], "published", interval=False).scores)
    interval = [column.key for column in INTERVAL_COLUMNS]
    assert scores == [column.key for column in load_task(name).columns if column.key not in interval]


def test_settings_have_a_value_for_each_key(tmp_path):
    task = load_task(GESTURE)
    (tmp_path / "settings.yaml").write_text("protocol: released\ntime_limit: 60\n")
    settings = task.settings(tmp_path, {"detail": "full", "protocol": "published"})
    assert settings.keys() == {setting.name for setting in task.known_settings}
    chosen = {"protocol": "published", "detail": "full", "time_limit": 60.0}
    assert {key: settings[key] for key in chosen} == chosen
    assert settings["interval"] is True


def test_problems_of_both_kinds_of_settings_are_reported_together(tmp_path):
    (tmp_path / "settings.yaml").write_text("protocoll: released\n")
    with pytest.raises(Refused) as refused:
        load_task(GESTURE).settings(tmp_path, {"detail": "everything"})
    in_file, override = refused.value.findings.problems
    assert (in_file.code, in_file.file, in_file.where) == ("E-SETTINGS-KEY", "settings.yaml", "/protocoll")
    assert (override.code, override.file, override.where) == ("E-SETTINGS-VALUE", "", "/detail")


def test_scoring_without_outputs_raises_what_is_wrong(tmp_path):
    of_task = loaded(GESTURE, REFERENCES / GESTURE)
    (tmp_path / "DemoSequence0001_prediction.csv").write_text("1,5\n")
    with pytest.raises(Refused, match=r"E-CSV-COLUMNS DemoSequence0001_prediction\.csv"):
        of_task.score_path(tmp_path)
