"""No trick beats an honest submission, but the one that a published metric rewards."""

from __future__ import annotations

from functools import cache

import pytest

from conftest import ROOT
from organizer.quality.games import GAMES, HONEST, REWARDED, honest, play
from scoring_program.challenge import challenge_ids


@cache
def baseline(name):
    return play(name, honest(name))


def test_every_task_has_games():
    assert sorted(GAMES) == challenge_ids()


@pytest.mark.parametrize(("name", "trick"), [(name, trick) for name, games in GAMES.items() for trick, _ in games])
def test_trick_against_the_honest_baseline(name, trick):
    scores = play(name, dict(GAMES[name])[trick](name))
    if (name, trick) in REWARDED:
        assert scores["score"] > baseline(name)["score"]
        assert scores["coverage"] < baseline(name)["coverage"]
    else:
        assert scores["score"] <= baseline(name)["score"]
    line = f"| {name} | {trick} | {scores['score']:.4f} | {scores['coverage']:.4f} |"
    assert line in (ROOT / "docs" / "score_games.md").read_text(encoding="utf-8")


def test_baselines_of_the_table_are_measured():
    text = (ROOT / "docs" / "score_games.md").read_text(encoding="utf-8")
    for name in GAMES:
        assert f"| {name} | {HONEST} | {baseline(name)['score']:.4f} | {baseline(name)['coverage']:.4f} |" in text
