"""No gaming trick scores more than a correct submission, but those that a published metric rewards."""

from __future__ import annotations

import json
import random
from functools import cache

import pytest

from organizer.files import folder_files
from quality import demo_command, gaming
from quality.gaming import CORRECT, row, scores_of, submissions
from quality.kinetics_tps import task as kinetics_tps
from quality.kinetics_tps.synthetic import humans_of
from quality.task import Trick, quality_tasks
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task, task_ids
from tests.helpers import PUBLISHED, ROOT, SAMPLES, only_at_night
from validator import hidden_log, limits
from validator.findings import Findings
from validator.formats.kinetics_tps.write import CLASSES_FILE, PARTS_FILE, encode_submission

TRICKS = [(task, trick) for task in task_ids() for trick in quality_tasks()[task].tricks]


@cache
def scores(task):
    """Return the scores of all submissions of a task by protocol and name."""
    return {(trick.protocol, trick.name): scores_of(task, trick, files) for trick, files in submissions(task)}


def test_every_task_has_tricks():
    assert [*quality_tasks()] == task_ids()
    protocols = {task.id: {trick.protocol for trick in task.tricks} for task in quality_tasks().values()}
    assert [task_id for task_id in task_ids() if "published" not in protocols[task_id]] == []


@only_at_night()
@pytest.mark.slow
@pytest.mark.parametrize(("task", "trick"), TRICKS, ids=lambda value: getattr(value, "name", value))
def test_trick_against_a_correct_submission(task, trick):
    found, correct = (scores(task)[trick.protocol, name] for name in (trick.name, CORRECT))
    sign = 1 if load_task(task).columns[0].sorting == "desc" else -1
    if trick.rewarded:
        assert sign * found["score"] > sign * correct["score"]
        assert found["coverage"] <= correct["coverage"]
    else:
        assert sign * found["score"] <= sign * correct["score"]


# What docs/gaming.md says of tricks that no metric rewards.
MOST_GAIN = 0.01


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("task", PUBLISHED)
def test_no_trick_gains_much_on_any_sample(task, protocol):
    gains = list(gaming.gains(task, protocol))
    assert gains
    assert [gain for gain in gains if gain[-1] > MOST_GAIN] == []


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["good", "weak"])
def test_parts_at_their_mean_place_gain_little_where_a_model_leaves_parts_out(sample):
    files = folder_files(SAMPLES / "kinetics_tps" / sample)
    videos = json.loads(files[PARTS_FILE])
    rng = random.Random(1)
    for human in humans_of(videos):
        for name in list(human["parts"]):
            if rng.random() < 0.3:
                del human["parts"][name]
    fewer_parts = encode_submission(json.loads(files[CLASSES_FILE]), videos)
    trick = Trick("all parts", kinetics_tps.play(kinetics_tps.add_all_parts))
    found, correct = (
        scores_of("kinetics_tps", trick, files)["score"]
        for files in (trick.play({}, fewer_parts), fewer_parts)
    )
    assert 0 < found - correct <= MOST_GAIN


@pytest.mark.slow
@pytest.mark.parametrize("task", PUBLISHED)
def test_the_table_is_measured(task):
    table = (ROOT / "docs" / "gaming.md").read_text(encoding="utf-8").splitlines()
    rows = [
        row(task, Trick(name, lambda *_: {}, protocol), own) for (protocol, name), own in scores(task).items()
    ]
    assert [line for line in table if line.startswith(f"| {task} |")] == rows


def test_submission_without_a_score_is_named_with_its_problem(monkeypatch, capsys):
    broken = Trick("broken trick", lambda *_: {})
    monkeypatch.setattr(gaming, "submissions", lambda task: [(broken, {"Seq03_prediction.csv": b"x"})])
    assert gaming.print_table(["chalearn_gesture"]) == 1
    out = capsys.readouterr().err
    assert "chalearn_gesture, broken trick: 1. E-ITEMS-NONE" in out
    assert "quality/" in out


def test_why_demo_data_cannot_be_scored_is_said_beside_what_is_printed(monkeypatch, capsys):
    def fail(*arguments):
        hidden_log.write("KeyError: 'demo_00002'")
        Findings().refuse("E-EVALUATOR", "it failed", "correct it")

    monkeypatch.setattr(demo_command, "write_demo_data", lambda *arguments: None)
    monkeypatch.setattr(gaming, "scores_of", fail)
    assert demo_command.demo_data_command(["chalearn_gesture"]) == 1
    printed = capsys.readouterr().err
    assert "E-EVALUATOR" in printed
    assert "KeyError: 'demo_00002'" in printed


def test_demo_data_does_not_wait_for_a_score_that_never_comes(monkeypatch, capsys):
    start = limits.start
    monkeypatch.setattr(limits, "start", lambda seconds: start(seconds / 1e9))
    assert gaming.print_table(["chalearn_gesture"]) == 1
    assert "time limit" in capsys.readouterr().err
