"""Pages and tables of a ranking, from made-up scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from organizer.ranking import page, tables
from organizer.ranking.statistics import ranking_of
from organizer.runs.fork_server import SCORED, Entry
from organizer.runs.rescore import Record
from organizer.runs.submissions import Submission
from scoring_program.task import load_task

TASK = load_task("chalearn_gesture")
ERRORS = {"easy": 0.5, "hard": 7.0, "middle": 2.0}


def report(sorting="desc", factor=1.0, coverage=1.0):
    """Return the report on three teams; ``factor`` scales all scores."""
    records = []
    for team in range(3):
        items = [factor * value + 0.01 * team for value in ERRORS.values()]
        scores = {"score": items[1], "coverage": coverage}
        entry = Entry(
            SCORED, scores=scores, score=items[1], replicates=items, items=list(ERRORS), item_scores=items
        )
        name = f"team{team}.zip"
        records.append(Record(Submission(name, f"team{team}", "", Path(name)), "", entry, Path()))
    columns = [replace(TASK.columns[0], sorting=sorting), *TASK.columns[1:]]
    ranking = ranking_of(records, higher_is_better=sorting == "desc")
    history = tables.History(Path("none"), records, ranking)
    links = {record.submission.name: "details/x.html" for record in records}
    return page.RankingPages(replace(TASK, columns=columns), records, ranking, history, links, "", None)


@pytest.mark.parametrize(("sorting", "first"), [("desc", "easy"), ("asc", "hard")])
def test_hardest_items_are_those_with_the_worst_scores(sorting, first):
    made = report(sorting)
    assert tables.hardest_items(made.ranking)[0][0] == first
    assert tables.items_csv(made.ranking).splitlines()[1].startswith(f"{first},")


@pytest.mark.parametrize(("factor", "bars"), [(0.1, True), (1.0, False)])
def test_only_items_scored_from_0_to_1_have_a_bar(factor, bars):
    hardest = page.index_page(report("asc", factor)).split('id="items"')[1].split("</section>")[0]
    assert ('class="bar"' in hardest) == bars


def test_stability_has_numbers_of_ranks_and_says_how_alike_most_rankings_are():
    text = page.ranking_page(report())
    assert "on average, at least 1.000 in 95 % of them." in text
    assert "<span>1</span><span>2</span><span>3</span>" in text


@pytest.mark.parametrize(("coverage", "shown"), [(1.0, False), (0.9, True)])
def test_coverage_is_drawn_if_a_team_left_something_out(coverage, shown):
    assert ("Score and coverage" in page.index_page(report(coverage=coverage))) == shown
