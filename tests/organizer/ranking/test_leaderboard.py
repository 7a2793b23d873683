"""The leaderboard of a site, compared with a ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from organizer.ranking.leaderboard import (
    DIFFERENT,
    EQUAL,
    NOT_HERE,
    NOT_THERE,
    OTHER,
    Leaderboard,
    LeaderboardColumns,
    SiteScore,
    compare_leaderboard,
    read_leaderboard,
)
from organizer.runs.submissions import SubmissionsError
from scoring_program.task import load_task
from tests.organizer.ranking.test_page import record_of
from tests.rescoring import ID

COLUMNS = LeaderboardColumns("User", "Score")


def written(tmp_path, text):
    path = tmp_path / "board.csv"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "Rank,User,Score\n1,ann,0.5000\n2,bob,0.25\n3,eve,\n",
        "\ufeffUser;Entries;Score\r\nann;3;0.5000\r\nbob;1;0.25\r\n",
    ],
)
def test_users_and_scores_are_read(tmp_path, text):
    board = read_leaderboard(written(tmp_path, text), COLUMNS)
    assert board == Leaderboard([SiteScore("ann", 0.5), SiteScore("bob", 0.25)], 4)


CODABENCH = (
    "Username,Actions (final)(7)-Mean Jaccard,Gestures(8)-Coverage,Gestures(8)-Mean Jaccard,Gestures(8)-Time\n"
    "alice-78,0.1,1.0,0.8932080358,\nbob-2-79,0.1,1.0,0.25,\nbob-2,0.1,1.0,0.5,\neve-x,0.1,1.0,0.75,\n"
)


def test_leaderboard_of_codabench_is_read_with_its_users_and_tasks(tmp_path):
    path = written(tmp_path, CODABENCH)
    columns = LeaderboardColumns("Username", "Mean Jaccard")
    board = read_leaderboard(path, columns, "Gestures", {78: "alice", 79: "bob-2", 3: "bob-2", 4: "alice-78"})
    assert board.scores == [
        SiteScore("alice", 0.8932080358),
        SiteScore("bob-2", 0.25),
        SiteScore("bob-2", 0.5),
        SiteScore("eve-x", 0.75),
    ]
    assert board.decimals == 10
    whole_title = LeaderboardColumns("Username", "Actions (final)(7)-Mean Jaccard")
    assert {row.score for row in read_leaderboard(path, whole_title).scores} == {0.1}


def test_titles_of_a_leaderboard_are_named_whole_if_none_is_that_of_the_score(tmp_path):
    columns = LeaderboardColumns("Username", "Mean Jaccard")
    with pytest.raises(SubmissionsError) as error:
        # Two tasks have this column, and neither is named so.
        read_leaderboard(written(tmp_path, CODABENCH), columns, "Signs")
    problem, *titles = error.value.args
    assert "'Mean Jaccard'" in problem
    assert [title.strip() for title in titles] == CODABENCH.splitlines()[0].split(",")


def test_wrong_cells_are_named(tmp_path):
    path = written(tmp_path, "User,Score\nann,0.5\nbob,n/a\n,0.1\neve,nan\n")
    with pytest.raises(SubmissionsError) as error:
        read_leaderboard(path, COLUMNS)
    first, *lines = error.value.args
    assert str(path) in first
    assert [line.partition(":")[0] for line in lines] == [
        "line 3, column 'Score'",
        "line 4, column 'User'",
        "line 5, column 'Score'",
    ]


@pytest.mark.parametrize("text", ["", "user,Score\n", "User,Score,Score\n"])
def test_columns_that_are_not_there_are_named(tmp_path, text):
    with pytest.raises(SubmissionsError, match=r"board\.csv: .*--columns"):
        read_leaderboard(written(tmp_path, text), COLUMNS)


def test_a_cell_that_is_too_long_for_csv_is_named(tmp_path):
    path = written(tmp_path, f"User,Score\nann,0.5\n{'a' * 200_000},0.1\n")
    with pytest.raises(SubmissionsError, match=r"board\.csv: line 3 .*; save"):
        read_leaderboard(path, COLUMNS)


def test_each_user_has_a_verdict():
    scores = {"ann": [0.5, 0.4], "bob": [0.3], "eve": [0.2], "dan": [0.1]}
    records = [
        record_of(team, np.full(12, score), name=str(number))
        for team, team_scores in scores.items()
        for number, score in enumerate(team_scores)
    ]
    board = Leaderboard(
        [SiteScore("ann", 0.4), SiteScore("bob", 0.3004), SiteScore("eve", 0.2101), SiteScore("zoe", 0.9)], 3
    )
    comparisons = {row.user: row for row in compare_leaderboard(board, records, load_task(ID))}
    assert {user: row.verdict for user, row in comparisons.items()} == {
        "ann": OTHER,
        "bob": EQUAL,
        "eve": DIFFERENT,
        "zoe": NOT_HERE,
        "dan": NOT_THERE,
    }
    assert comparisons["ann"].submission == "ann/1.zip"


def test_a_user_is_compared_with_the_own_best_whoever_counts_for_the_team():
    own_scores = {"anna": [0.6, 0.7], "anna2": [0.8]}
    records = []
    for user, scores in own_scores.items():
        for score in scores:
            record = record_of("Anna", np.full(12, score))
            records.append(replace(record, submission=replace(record.submission, user=user)))
    board = Leaderboard([SiteScore("anna", 0.7), SiteScore("anna2", 0.8)], 4)
    rows = compare_leaderboard(board, records, load_task(ID))
    assert [row.verdict for row in rows] == [EQUAL, EQUAL]


@pytest.mark.parametrize(("precision", "verdicts"), [(4, [EQUAL, DIFFERENT]), (0, [EQUAL, EQUAL])])
def test_whole_numbers_have_the_decimals_of_the_column(precision, verdicts):
    records = [record_of("ann", np.full(12, 1.0)), record_of("bob", np.full(12, 0.8))]
    board = Leaderboard([SiteScore("ann", 1.0), SiteScore("bob", 1.0)], 0)
    task = load_task(ID)
    columns = [task.columns[0]._replace(precision=precision), *task.columns[1:]]
    rows = compare_leaderboard(board, records, replace(task, columns=columns))
    assert [row.verdict for row in rows] == verdicts
