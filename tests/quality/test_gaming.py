"""No trick beats an honest submission, but those that a published metric rewards."""

from __future__ import annotations

from functools import cache

import pytest

from quality import gaming
from quality.demo_data import load_trials
from quality.gaming import HONEST, RELEASED, play, submissions
from scoring_program.challenge import challenge_ids, load_challenge
from tests.helpers import ROOT

pytestmark = pytest.mark.slow

IDS = challenge_ids()
GAMES = [(name, trick) for name in IDS for trick, _ in submissions(name)]


@cache
def scores(name, trick):
    return play(name, trick, dict(submissions(name))[trick])


@pytest.mark.parametrize("name", IDS)
def test_every_task_has_games(name):
    assert load_trials(name).GAMES


@pytest.mark.parametrize(("name", "trick"), GAMES)
def test_trick_against_the_honest_baseline(name, trick):
    head = RELEASED if trick.startswith(RELEASED) else ""
    found, baseline = scores(name, trick), scores(name, head + HONEST)
    sign = 1 if load_challenge(name).columns[0].sorting == "desc" else -1
    trials = load_trials(name)
    if trick in trials.REWARDED or trick[len(head) :] in (trials.RELEASED_GAMES if head else ()):
        assert sign * found["score"] > sign * baseline["score"]
        assert found["coverage"] <= baseline["coverage"]
    else:
        assert sign * found["score"] <= sign * baseline["score"]


@pytest.mark.parametrize(("name", "trick"), GAMES)
def test_the_table_is_measured(name, trick):
    found = scores(name, trick)
    line = f"| {name} | {trick} | {found['score']:.4f} | {found['coverage']:.4f} |"
    assert line in (ROOT / "docs" / "score_games.md").read_text(encoding="utf-8").splitlines()


def test_submission_without_a_score_is_named_with_its_problem(monkeypatch, capsys):
    monkeypatch.setattr(gaming, "submissions", lambda name: [("empty game", {"Seq03_prediction.csv": b"x"})])
    assert gaming.print_table(["chalearn_gesture"]) == 1
    out = capsys.readouterr().out
    assert "chalearn_gesture, empty game: The submission " in out
    assert "correct demo.py or trials.py" in out
