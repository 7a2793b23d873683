"""Several tasks in one table: weighted means of scores, and means of rank sets."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from organizer.__main__ import main
from organizer.errors import InputError
from organizer.ranking.several_tasks import mean_ranks, mean_scores
from people_in_video.comparing.pairs import compare
from scoring_program.metrics.resampling import half_scores, weighted_mean
from tests.organizer.ranking.test_page import ranking_of, record_of, rows_of, shown
from tests.rescoring import call, sample, varied, write_submissions

PICK = np.random.RandomState(7)
FIRST, SECOND = PICK.rand(40, 4), PICK.rand(40, 4) * [1, 1, 1, 0.3]


def ranking_with(values, prefix="item", sorting="desc"):
    """Return the ranking of teams with these scores of items, shape (n, m)."""
    records = []
    for number, own in enumerate(values.T):
        record = record_of(f"team{number}", own)
        items = [f"{prefix}{item}" for item in range(len(own))]
        records.append(replace(record, entry=replace(record.entry, items=items)))
    return ranking_of(records, sorting)


def test_the_mean_of_tasks_with_the_same_items_is_that_of_a_task_with_mean_scores():
    result = mean_scores([ranking_with(FIRST), ranking_with(SECOND)], [1, 3])
    means = (FIRST + 3 * SECOND) / 4
    order = [int(team.removeprefix("team")) for team in result.teams]
    assert order == np.argsort(-means.mean(axis=0)).tolist()
    assert result.scores == pytest.approx(means.mean(axis=0)[order], abs=1e-4)
    halves = [half_scores(partial(weighted_mean, means[:, place]), np.arange(40)) for place in order]
    expected = compare(halves)
    assert result.comparison.pairs.standard_error == pytest.approx(expected.pairs.standard_error, abs=1e-9)
    assert result.comparison.pairs.p_adjusted == pytest.approx(expected.pairs.p_adjusted, abs=1e-7)
    assert result.comparison.rank_low.tolist() == expected.rank_low.tolist()


def test_tasks_without_common_items_have_the_degrees_of_freedom_of_the_smaller_one():
    result = mean_scores([ranking_with(FIRST), ranking_with(SECOND[:12], "other")], [1, 1])
    assert result.comparison.n_items == 12
    first, second = (int(team.removeprefix("team")) for team in result.teams[:2])
    variance = 0.0
    for values in (FIRST, SECOND[:12]):
        variance += float(np.var(values[:, first] - values[:, second], ddof=1)) / len(values) / 4
    assert result.comparison.pairs.standard_error[0] == pytest.approx(np.sqrt(variance), rel=0.15)


@pytest.mark.parametrize(
    ("others", "weights", "message"),
    [
        ([ranking_with(SECOND[:12])], [1, 1], "part of their items"),
        ([ranking_with(SECOND, sorting="asc")], [1, 1], "worse in another"),
        ([ranking_with(SECOND)], [1], "1 weight for 2 rankings"),
        ([ranking_with(SECOND)], [1, -1], "above 0"),
        ([ranking_with(SECOND)], [0, 0], "above 0"),
        ([ranking_with(SECOND)], [1, float("nan")], "above 0"),
    ],
)
def test_scores_that_cannot_be_added_are_refused(others, weights, message):
    with pytest.raises(InputError, match=message):
        mean_scores([ranking_with(FIRST), *others], weights)


@pytest.mark.parametrize("sorting", ["desc", "asc"])
def test_means_of_rank_sets_are_at_a_level_that_holds_for_all_tasks(sorting):
    tasks = [
        ranking_with(values, sorting=sorting)
        for values in (FIRST, SECOND, np.tile([0.9, 0.6, 0.6, 0.1], (40, 1)) + FIRST / 20)
    ]
    low, high = dict.fromkeys(tasks[0].teams, 0.0), dict.fromkeys(tasks[0].teams, 0.0)
    for task in tasks:
        pairs = task.comparison.pairs
        for team in task.teams:
            place = task.teams.index(team)
            # Teams are in the order of their ranks, so that an earlier one is better.
            better = sum(
                p < 0.05 / 3 and second == place for p, second in zip(pairs.p_adjusted, pairs.second)
            )
            worse = sum(p < 0.05 / 3 and first == place for p, first in zip(pairs.p_adjusted, pairs.first))
            low[team] += (1 + better) / 3
            high[team] += (4 - worse) / 3
    result = mean_ranks(tasks)
    assert dict(zip(result.teams, result.low)) == pytest.approx(low)
    assert dict(zip(result.teams, result.high)) == pytest.approx(high)
    middles = result.low + result.high
    assert (np.diff(middles) >= 0).all()


@pytest.fixture(scope="module")
def two_rankings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    for number, files in enumerate(
        [{"a/x.zip": sample(), "b/x.zip": varied(60)}, {"a/x.zip": varied(30), "b/x.zip": sample("weak")}]
    ):
        assert call(write_submissions(folder / f"in{number}", files), folder / f"ranking{number}") == 0
    assert call(write_submissions(folder / "in2", {"a/x.zip": sample()}), folder / "ranking2") == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("weights", [[], ["--weights", "1", "3"]])
def test_the_command_writes_a_table_and_a_page(two_rankings, tmp_path, weights):
    rankings = [str(two_rankings / f"ranking{number}") for number in range(2)]
    assert main(["overall", *rankings, *weights, "--output", str(tmp_path / "out")]) == 0
    table = rows_of((tmp_path / "out" / "overall.csv").read_text(encoding="utf-8"))
    assert [row["team"] for row in table] == ["a", "b"]
    assert next(iter(table[0])) == ("rank" if weights else "team")
    # Both rankings are of one task: no column hides another.
    header = (tmp_path / "out" / "overall.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert len(set(header)) == len(header)
    text = shown((tmp_path / "out" / "overall.html").read_text(encoding="utf-8"))
    assert "DEMO" in text
    assert (tmp_path / "out" / "pairs.csv").exists() == bool(weights)
    if weights:
        scores = []
        for number in range(2):
            ranking = rows_of((two_rankings / f"ranking{number}" / "ranking.csv").read_text(encoding="utf-8"))
            scores.append(float(ranking[0]["score"]))
        assert float(table[0]["score"]) == pytest.approx((scores[0] + 3 * scores[1]) / 4, abs=6e-5)


@pytest.mark.slow
def test_rankings_of_other_teams_and_folders_without_one_are_refused(two_rankings, tmp_path, capsys):
    output = ["--output", str(tmp_path / "out")]
    for other, words in (("ranking2", "same teams: b"), ("in0", "no complete ranking")):
        assert main(["overall", str(two_rankings / "ranking0"), str(two_rankings / other), *output]) == 1
        assert words in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("others", [[], ["ranking0"], ["ranking1", "in0/../ranking0"]])
def test_several_tasks_are_several_folders(two_rankings, tmp_path, capsys, others):
    folders = [str(two_rankings / name) for name in ("ranking0", *others)]
    assert main(["overall", *folders, "--output", str(tmp_path / "out")]) == 1
    assert ("twice" if others else "two or more") in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phases", "ends"), [(("Public", "Final"), ("(Public)", "(Final)")), (("", "Final"), ("(1)", "(2)"))]
)
def test_columns_of_one_task_differ(two_rankings, tmp_path, phases, ends):
    folders = []
    for number, phase in enumerate(phases):
        folder = tmp_path / f"ranking{number}"
        shutil.copytree(two_rankings / f"ranking{number}", folder)
        ranking = json.loads((folder / "ranking.json").read_text(encoding="utf-8"))
        for protocol in ranking["rankings"]:
            protocol["facts"]["phase"] = phase
        (folder / "ranking.json").write_text(json.dumps(ranking), encoding="utf-8")
        folders.append(str(folder))
    assert main(["overall", *folders, "--weights", "1", "3", "--output", str(tmp_path / "out")]) == 0
    header = (tmp_path / "out" / "overall.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert [title.split(" ")[1] for title in header[-2:]] == list(ends)
    text = shown((tmp_path / "out" / "overall.html").read_text(encoding="utf-8"))
    assert all(text.count(end) >= 3 for end in ends)
