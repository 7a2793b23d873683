"""The rule for winners: a line above a baseline, who reaches it, and how sure that is."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

from organizer.__main__ import main
from organizer.ranking import command
from organizer.ranking.statistics import best_first, half_scores_of
from organizer.ranking.winner_rule import WinnerBaseline, WinnerRule, parse_gain, winner_line
from organizer.runs.scoring_process import SCORED
from scoring_program.metrics.resampling import sides
from scoring_program.task import load_task
from tests.helpers import make_zip
from tests.organizer.ranking.test_page import record_of
from tests.rescoring import ID, REFERENCE, call, rows, sample, varied, write_submissions

TEAMS = {"best/a.zip": sample(), "middle/b.zip": varied(90), "low/c.zip": sample("weak")}


@pytest.fixture
def folder(tmp_path):
    return write_submissions(tmp_path / "in", TEAMS)


def baseline_zip(folder, name):
    """Return the options that give the zip of a team as a baseline of the same name."""
    (path,) = (folder / name).glob("*.zip")
    return ["--baseline-zip", f"{name}={path}"]


def ranking_page(output):
    return re.sub(r"<[^>]*>", " ", (output / "ranking.html").read_text(encoding="utf-8"))


def test_line_is_a_share_above_the_baseline_and_is_said_everywhere(folder, tmp_path, capsys):
    output = tmp_path / "out"
    assert call(folder, output, "--beats", "low", "--by", "10%", *baseline_zip(folder, "low")) == 0
    scores = {team: float(row["score"]) for team, row in rows(output / "ranking.csv", "team").items()}
    line = 1.1 * scores["low"]
    n_passing = sum(score >= line for score in scores.values())
    printed = capsys.readouterr().out
    assert f"{line:.4f}" in printed
    assert f"{n_passing} of 3 teams" in printed
    assert f"{line:.4f}" in ranking_page(output)
    assert main(["report", ID, "--ranking", str(output), "--output", str(tmp_path / "report")]) == 0
    methods = (tmp_path / "report" / "methods.txt").read_text(encoding="utf-8")
    assert f"{line:.4f}" in methods
    for path in (tmp_path / "report" / "teams").glob("*.html"):
        assert f"{line:.4f}" in path.read_text(encoding="utf-8")


def test_baseline_may_be_a_zip_that_is_no_team(folder, tmp_path):
    path = tmp_path / "base.zip"
    path.write_bytes(make_zip(sample("weak")))
    output = tmp_path / "out"
    assert call(folder, output, "--beats", "GVD", "--by", "0.1", "--baseline-zip", f"GVD={path}") == 0
    assert "GVD" not in rows(output / "ranking.csv", "team")
    assert "GVD" in ranking_page(output)


@pytest.mark.slow
def test_rule_may_stand_in_the_settings_of_the_reference(folder, tmp_path):
    reference = shutil.copytree(REFERENCE, tmp_path / "reference" / ID)
    (reference / "settings.yaml").write_text("winner_rule: {baseline: middle, relative_gain: 0.05}\n")
    output = tmp_path / "out"
    assert call(folder, output, *baseline_zip(folder, "middle"), reference=reference) == 0
    score = float(rows(output / "ranking.csv", "team")["middle"]["score"])
    assert f"{1.05 * score:.4f}" in ranking_page(output)


def test_baseline_of_which_only_the_score_is_known_has_a_line_without_an_interval(folder, tmp_path):
    baselines = tmp_path / "baselines.json"
    baselines.write_text('[{"name": "random", "score": 0.125}]')
    output = tmp_path / "out"
    options = ["--beats", "random", "--by", "100%", "--baselines", baselines]
    assert call(folder, output, *options) == 0
    text = ranking_page(output)
    assert "0.2500" in text
    assert "no interval" in text


def test_line_that_no_score_can_reach_is_said_to_be_so(folder, tmp_path, capsys):
    options = ["--beats", "best", "--by", "900%", *baseline_zip(folder, "best")]
    assert call(folder, tmp_path / "out", *options) == 0
    printed = capsys.readouterr().out
    assert "0 of 3 teams" in printed
    (warning,) = [line for line in printed.splitlines() if line.startswith("warning")]
    assert "10 times" in warning
    assert "No score can reach it" in ranking_page(tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--beats", "nobody", "--by", "10%"], "'nobody'|nobody"),
        (["--beats", "empty", "--by", "10%"], "no score"),
    ],
)
def test_baseline_that_is_not_there_or_has_no_score_is_an_error(folder, tmp_path, capsys, options, words):
    path = tmp_path / "empty.zip"
    path.write_bytes(b"")
    assert call(folder, tmp_path / "out", *options, "--baseline-zip", f"empty={path}") == 1
    assert re.search(words, capsys.readouterr().out)


def test_name_that_is_no_baseline_is_refused_before_anything_is_scored(folder, tmp_path, capsys):
    options = ["--beats", "Middle", "--by", "10%", *baseline_zip(folder, "middle")]
    assert call(folder, tmp_path / "out", *options) == 1
    printed = capsys.readouterr().out
    assert "Middle" in printed
    assert "'middle'" in printed
    assert list((tmp_path / "out" / "store").glob("*/*.json")) == []


@pytest.mark.parametrize(("gain", "words"), [("0.1", "10 % above that of GVD"), ("10", "11 times")])
def test_preparing_says_what_the_rule_asks_for(tmp_path, capsys, gain, words):
    source = shutil.copytree(REFERENCE, tmp_path / "source")
    (source / "settings.yaml").write_text(f"winner_rule: {{baseline: GVD, relative_gain: {gain}}}\n")
    assert main(["prepare", ID, "--source", str(source), "--output", str(tmp_path / "out")]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("rule for winners")]
    assert words in line


def test_share_may_be_in_percent():
    assert parse_gain("10%") == parse_gain("0.1") == pytest.approx(0.1)


@pytest.mark.parametrize(
    "value", ["baseline: a", "{baseline: a}", "{baseline: 3, relative_gain: 0.1}", "[a, 0.1]"]
)
def test_rule_of_another_form_in_the_settings_is_refused(folder, tmp_path, capsys, value):
    reference = shutil.copytree(REFERENCE, tmp_path / "reference" / ID)
    (reference / "settings.yaml").write_text(f"winner_rule: {value}\n")
    assert call(folder, tmp_path / "out", reference=reference) != 0
    assert "E-SETTINGS" in "".join(capsys.readouterr())


def test_margins_are_over_the_same_halves_as_a_plain_program_computes_them():
    """The standard error of score - 1.1 x baseline, from the scores of all halves."""
    rng = np.random.default_rng(3)
    n_items, task = 30, load_task(ID)
    team, baseline = rng.uniform(0.3, 0.9, n_items), rng.uniform(0.1, 0.5, n_items)
    records = [record_of("team", team), record_of("baseline", baseline)]
    team_records = best_first(records, task)
    assert records[0].entry.outcome == SCORED
    rule = WinnerRule("baseline", 0.1)
    line = winner_line(rule, WinnerBaseline(records[1].entry.score, records[1]), team_records, task)
    difference = team - 1.1 * baseline
    first = np.array([difference[side > 0].mean() for side in sides(n_items)])
    second = np.array([difference[side < 0].mean() for side in sides(n_items)])
    assert line.differences[0] == pytest.approx(difference.mean(), abs=1e-9)
    error = np.sqrt(np.mean((first - second) ** 2)) / 2
    assert line.margins is not None
    assert line.margins.standard_error[0] == pytest.approx(error, rel=0.05)
    halves = half_scores_of(records[0])
    assert len(halves.first) == len(sides(n_items))


def test_a_share_that_leaves_nothing_is_refused_where_lower_is_better(folder, tmp_path, capsys, monkeypatch):
    task = load_task(ID)
    columns = [column._replace(sorting="asc") for column in task.columns]
    monkeypatch.setattr(command, "load_task", lambda task_id: replace(task, columns=columns))
    options = [*baseline_zip(folder, "low"), "--beats", "low", "--by"]
    assert call(folder, tmp_path / "out", *options, "150%") == 1
    assert "100 %" in capsys.readouterr().out
    assert not list((tmp_path / "out" / "store").glob("*/*.json"))


def test_a_team_with_the_name_of_a_baseline_moves_no_line(folder, tmp_path):
    path = tmp_path / "baselines.json"
    path.write_text('[{"name": "low", "score": 0.3}]')
    output = tmp_path / "out"
    assert call(folder, output, "--beats", "low", "--by", "10%", "--baselines", path) == 0
    assert float(rows(output / "ranking.csv", "team")["low"]["score"]) != 0.3
    assert "10 % above that of low (0.3000), which is 0.3300" in ranking_page(output)


def test_a_team_is_no_baseline(folder, tmp_path, capsys):
    assert call(folder, tmp_path / "out", "--beats", "low", "--by", "10%") == 1
    assert "--baseline-zip low=" in capsys.readouterr().out
    assert not list((tmp_path / "out" / "store").glob("*/*.json"))


def test_two_baselines_of_one_name_are_refused(folder, tmp_path, capsys):
    path = tmp_path / "baselines.json"
    path.write_text('[{"name": "low", "score": 0.9}]')
    options = ["--beats", "low", "--by", "10%", "--baselines", path, *baseline_zip(folder, "low")]
    assert call(folder, tmp_path / "out", *options) == 1
    assert "two baselines are called low" in capsys.readouterr().out
    assert not list((tmp_path / "out" / "store").glob("*/*.json"))
