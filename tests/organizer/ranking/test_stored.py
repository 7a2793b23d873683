"""A stored ranking: all pages and tables of ``rescore`` can be made again from it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from organizer.ranking import cards, page, tables
from organizer.ranking.stored import NoRankingError, note_on_last_run, read_rankings
from tests.organizer.ranking.conftest import FILES
from tests.rescoring import ID, rows


def test_pages_and_tables_are_functions_of_a_stored_ranking(everything):
    (ranking,) = read_rankings(everything, ID)
    assert ranking.team_records
    made = {
        "index.html": page.index_page(ranking),
        "ranking.html": page.ranking_page(ranking),
        "scores.csv": tables.scores_csv(ranking.records, [column.key for column in ranking.task.columns]),
        "rules.csv": tables.rules_csv(ranking.violations),
        "leaderboard.csv": tables.leaderboard_csv(ranking.board),
        "changes.csv": tables.changes_csv(ranking.changes),
        "ranking.csv": tables.ranking_csv(ranking),
        "pairs.csv": tables.pairs_csv(ranking),
        "items.csv": tables.items_csv(ranking),
    }
    assert {name: (everything / name).read_text(encoding="utf-8") for name in made} == made
    # Nothing of it is empty.
    for card in ("winners", "facts", "similar", "rules", "board", "failed", "deleted", "changes"):
        assert f'id="{card}"' in made["index.html"], card


def test_a_stored_ranking_has_a_row_for_each_submission(everything):
    (ranking,) = json.loads((everything / "ranking.json").read_text(encoding="utf-8"))["rankings"]
    stored_rows = {row["name"]: row for row in ranking["submissions"]}
    assert list(stored_rows) == sorted(FILES)[:6]
    ranked = {row["team"]: row for row in stored_rows.values() if row["rank"]}
    for team, row in rows(everything / "ranking.csv", "team").items():
        assert str(ranked.pop(team)["rank_high"]) == row["rank_high"]
    assert not ranked
    assert all(bool(row["rank"]) != bool(row["why_not_ranked"]) for row in stored_rows.values())
    assert len(ranking["facts"]["program"]) == len(ranking["facts"]["names"]) == 64


def test_columns_of_the_table_of_names_that_are_published_are_named(everything):
    (ranking,) = read_rankings(everything, ID)
    assert "country" in cards.published_sentence(ranking)
    facts = {"e-mail": "x", "phone": "1", "web": "a@b.org"}
    records = [replace(one, submission=replace(one.submission, facts=facts)) for one in ranking.records]
    teams = [replace(one, submission=replace(one.submission, facts=facts)) for one in ranking.team_records]
    sentence = cards.published_sentence(replace(ranking, records=records, team_records=teams))
    assert sentence.endswith(": phone.")


def test_a_ranking_of_another_task_is_none(everything, tmp_path):
    for folder, task_id in ((everything, "densepose"), (tmp_path, ID)):
        with pytest.raises(NoRankingError):
            read_rankings(folder, task_id)


def test_a_ranking_that_another_version_has_written_is_named_and_not_compared_with(everything, tmp_path):
    assert note_on_last_run(tmp_path, ID) == note_on_last_run(everything, ID) == ""
    content = json.loads((everything / "ranking.json").read_text(encoding="utf-8"))
    del content["rankings"][0]["run_before"]
    (tmp_path / "ranking.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(NoRankingError, match=r"ranking\.json.*version.*rescore"):
        read_rankings(tmp_path, ID)
    assert "ranking.json" in note_on_last_run(tmp_path, ID)
