"""Pages and tables of a ranking, from teams whose scores are means over items."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import html5lib
import numpy as np
import pytest

from organizer.ranking import tables
from organizer.ranking.counting import parse_counting, rank_teams
from organizer.ranking.page import index_page, ranking_page
from organizer.ranking.ranking import Facts, Ranking
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED, Entry
from organizer.runs.submissions import Submission
from people_in_video.comparing import standings
from people_in_video.comparing.standings import Baseline
from scoring_program.metrics.resampling import half_scores, weighted_mean
from scoring_program.task import load_task

TASK = load_task("chalearn_gesture")
PICK = np.random.RandomState(8)
CLOSE = np.round(np.clip(PICK.rand(40, 1) + PICK.normal([0.0, -0.005, -0.01, -0.4], 0.05, (40, 4)), 0, 1), 3)


def record_of(team, values, coverage=1.0, groups=None, name="1"):
    """Return the record of a submission whose score is the mean of its items."""
    groups = np.arange(len(values)) if groups is None else groups
    halves = half_scores(partial(weighted_mean, values), groups)
    items = [f"item{number:02d}" for number in range(len(values))]
    entry = Entry(
        SCORED, scores={"score": halves.score, "coverage": coverage}, score=halves.score, first=halves.first.tolist(),
        second=halves.second.tolist(), n_items=halves.n_items, over=f"{len(values)} sequences", items=items,
        item_scores=values.tolist(), signature="x|ref:0",
    )  # fmt: skip
    return Record(Submission(f"{team}/{name}.zip", team, "", Path(name)), "", entry, Path())


def ranking_of(records, sorting="desc", **facts):
    """Return the ranking of records by the primary score."""
    columns = [TASK.columns[0]._replace(sorting=sorting), *TASK.columns[1:]]
    task = replace(TASK, columns=columns)
    team_records = rank_teams(records, (), task, parse_counting(facts.get("counts", "best")), {})
    return Ranking(
        task=task, facts=Facts(signature="x|ref:0", **facts), records=records, team_records=team_records
    )


def teams(values=CLOSE, sorting="desc", **options):
    return ranking_of([record_of(f"team{k}", own, **options) for k, own in enumerate(values.T)], sorting)


def shown(text):
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(text)
    return " ".join(" ".join(tree.find("body").itertext()).split())


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(("sorting", "first"), [("desc", "item00"), ("asc", "item01")])
def test_hardest_items_are_those_with_the_worst_scores(sorting, first):
    values = np.tile(np.array([[0.1], [0.9], [0.5]]), 3)
    ranking = teams(values, sorting)
    assert tables.hardest_items(ranking)[0][0] == first
    assert rows_of(tables.items_csv(ranking))[0] == {
        "item": first, "mean": {"item00": "0.1", "item01": "0.9"}[first], "spread": "0.0", "teams": "3"
    }  # fmt: skip


def test_a_task_whose_items_have_no_scores_has_no_hardest_ones():
    ranking = teams()
    for record in ranking.records:
        record.entry.item_scores[:] = [np.nan] * len(record.entry.items)
    assert "Hardest" not in index_page(ranking)


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "bars"), [(0.1, True), (10.0, False)])
def test_only_items_scored_from_0_to_1_have_a_bar(factor, bars):
    hardest = index_page(teams(CLOSE * factor, "asc")).split('id="items"')[1].split("</section>")[0]
    assert ('class="bar"' in hardest) == bars


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 3])
def test_difference_to_the_first_team_has_the_interval_of_all_pairs_if_there_are_several(m):
    ranking = teams(CLOSE[:, [0, 3, 1][:m]])
    pairs = ranking.comparison.pairs
    low, high = (pairs.low_all, pairs.high_all) if m > 2 else (pairs.low, pairs.high)
    last = m - 2
    expected = f"{-pairs.difference[last]:.4f} {-high[last]:.4f} to {-low[last]:.4f}"
    text = shown(ranking_page(ranking))
    assert expected in text
    assert ("pairs of teams at once" in text) == (m > 2)


def with_two(name="b", **facts):
    """Return the ranking of two teams, the second with this name and these facts of its entry."""
    first, second = record_of("a", CLOSE[:, 0]), record_of(name, CLOSE[:, 1])
    return ranking_of([first, replace(second, entry=replace(second.entry, **facts))])


LONG_NAME = "Institute of " + "very " * 30 + "long names"
COVERAGE = {"score": 0.5, "coverage": 0.925}
# Rankings, what their pages say once, and what not at all.
SAID = [
    (ranking_page, teams(CLOSE[:9]), "9 sequences are too few", "cannot show a difference"),
    (ranking_page, teams(CLOSE, groups=np.arange(40) % 9), "9 groups are too few", "sequences are too few"),
    (ranking_page, with_two(name=LONG_NAME), LONG_NAME, "overage"),
    (ranking_page, with_two(scores=COVERAGE), "coverage 0.9250", "rough"),
    (ranking_page, with_two(scores=COVERAGE), "Coverage: ", "rough"),
    (ranking_page, with_two(why_rough="fewer than 5 errors"), "rough: fewer than 5 errors", "overage"),
    (index_page, teams(np.array([[0.5, 0.5], [0.4, 0.40001]])), "team1 and team0 are equal", "overage"),
]


@pytest.mark.parametrize(("page", "ranking", "once", "never"), SAID, ids=[once for _, _, once, _ in SAID])
def test_a_page_says_what_is_the_case(page, ranking, once, never):
    text = shown(page(ranking))
    assert text.count(once) == 1
    assert never not in text


def test_one_item_has_no_intervals():
    ranking = teams(CLOSE[:1])
    assert "no interval" in shown(ranking_page(ranking))
    assert rows_of(tables.ranking_csv(ranking))[0]["score_low"] == ""
    assert rows_of(tables.pairs_csv(ranking))[0]["low_all"] == ""


@pytest.mark.slow
def test_submissions_of_a_team_are_counted():
    records = [
        record_of("a", CLOSE[:, 0]),
        record_of("a", CLOSE[:, 3], name="2"),
        record_of("b", CLOSE[:, 3]),
    ]
    favors = "favors teams with many"
    best, last = (shown(ranking_page(ranking_of(records, counts=counts))) for counts in ("best", "last"))
    assert "2 submissions" in best
    assert favors in best
    assert favors not in last
    table = rows_of(tables.ranking_csv(ranking_of(records)))
    assert [row["submissions"] for row in table] == ["2", "1"]


@pytest.mark.slow
def test_pairs_are_colored_by_direction():
    text = index_page(teams()).split('id="pairs"')[1].split("</section>")[0]
    classes = re.findall(r'<td class="(better|worse|open)">(.*?)</td>', text)
    assert [name for name, _ in classes[:4]] == ["open", "open", "open", "better"]
    assert [name for name, _ in classes[-4:]] == ["worse", "worse", "worse", "open"]
    # Adjusted p over p above the diagonal, the difference of the row to the column under it.
    assert classes[3][1] == '<div class="two">&lt; 0.0001<small>p &lt; 0.0001</small></div>'
    assert float(classes[12][1]) < 0


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.0"),
        (0.05, "0.050"),
        (0.04321, "0.043"),
        (0.00012, "0.00012"),
        (0.00009, "< 0.0001"),
        (np.nan, ""),
    ],
)
def test_p_values_have_two_digits(p, text):
    assert standings.p_text(p) == text


def test_no_title_of_a_further_column_of_teams_is_evaluated():
    record = record_of("a", CLOSE[:, 0])
    record = replace(record, submission=replace(record.submission, facts={"=1+1": "yes"}))
    (row,) = rows_of(tables.teams_csv(ranking_of([record]), {"a": "a.html"}))
    assert row["'=1+1"] == "yes"


def test_tables_have_teams_and_pairs_in_the_order_of_ranks():
    ranking = teams()
    may_be_best = [row["may_be_best"] for row in rows_of(tables.ranking_csv(ranking))]
    assert may_be_best == ["true", "true", "true", "false"]
    first, *others = ranking.teams
    pairs = [(row["first"], row["second"]) for row in rows_of(tables.pairs_csv(ranking))]
    assert pairs[:3] == [(first, other) for other in others]


def test_pairs_of_the_first_teams_only_are_in_the_table():
    assert len(rows_of(tables.pairs_csv(teams(), most_teams=2))) == 1


@pytest.mark.parametrize(
    ("sorting", "order"), [("desc", ["high", "team", "low"]), ("asc", ["low", "team", "high"])]
)
def test_baselines_are_rows_without_a_rank(sorting, order):
    baselines = [Baseline("low", 0.1, 0.05, 0.25), Baseline("high", 0.9, 0.9, 0.9)]
    ranking = ranking_of([record_of("team", CLOSE[:, 0])], sorting, baselines=baselines)
    text = ranking_page(ranking)
    assert re.findall('class="name">([a-z]+)', text) == order
    assert "– low baseline 0.1000 0.0500 to 0.2500" in shown(text)
    assert "– high baseline 0.9000 no interval" in shown(text)
    assert len(ranking.teams) == 1


@pytest.mark.slow
def test_decimals_of_intervals_are_those_that_participants_see():
    records = [record_of("a", CLOSE[:, 0]), record_of("b", CLOSE[:, 1])]
    records = [replace(own, entry=replace(own.entry, decimals=2)) for own in records]
    text = ranking_page(ranking_of(records))
    assert re.findall(r"<small>(-?\d\.\d+ to -?\d\.\d+)", text)
    assert not re.search(r"<small>[^<]*\.\d{3}", text)
    assert not re.search(r'class="two">\d\.\d{3}', text)


def test_teams_that_are_not_drawn_are_counted():
    many = [record_of(f"t{k}", np.roll(CLOSE[:, 0], k)) for k in range(32)]
    text = shown(index_page(ranking_of(many)))
    assert " 30 of 40; all: items.csv" in text
    assert "all: items.csv" not in shown(index_page(ranking_of([record_of("a", CLOSE[:30, 0])])))


def failed(problem):
    return Record(
        Submission("x" * 50 + "y" * 50 + ".zip", "team", "", Path()), "", Entry("invalid", problem), Path()
    )


@pytest.mark.parametrize(
    ("records", "is_wrong"),
    [
        ([failed("E-ITEMS-NONE a.csv: x")], True),
        ([failed("E-ITEMS-NONE a.csv: x"), failed("E-ZIP-NOT: x"), record_of("a", CLOSE[:, 0], 0.0)], True),
        ([failed("E-ITEMS-NONE a.csv: x"), record_of("a", CLOSE[:, 0])], False),
        ([failed("E-ZIP-NOT: x")], False),
    ],
)
def test_a_reference_without_any_submitted_item_may_be_the_wrong_one(records, is_wrong):
    assert ("may be the wrong one" in shown(index_page(ranking_of(records)))) == is_wrong


def many_records(number):
    """Return submissions of one team that differ by noise."""
    scores = np.random.RandomState(5).rand(number, 40)
    return [record_of("many", values, name=str(place)) for place, values in enumerate(scores)]


def test_best_of_many_says_what_choosing_has_won():
    records = [replace(record, digest=record.submission.name) for record in many_records(27)]
    text = "many 0.0"
    assert shown(ranking_page(ranking_of([*records, record_of("one", CLOSE[:, 0])]))).count(text) == 1
    assert text not in shown(ranking_page(ranking_of(records, counts="last")))
    equal = [replace(record, digest="equal") for record in records]
    assert text not in shown(ranking_page(ranking_of(equal)))


def test_neighbors_that_differ_are_those_of_a_plain_program():
    rng = np.random.default_rng(3)
    records = []
    for number in range(8):
        values = rng.normal(0.8 - number**2 / 100, 0.1, len(CLOSE))
        records.append(record_of(f"t{number}", np.clip(values, 0, 1)))
    ranking = ranking_of(records)
    pairs = ranking.comparison.pairs
    in_order = sorted(zip(pairs.p.tolist(), pairs.first.tolist(), pairs.second.tolist()))
    n_different, adjusted = 0, 0.0
    for place, (p, first, second) in enumerate(in_order):
        # Holm: the smallest p times the number of all pairs, the next one times one less, never decreasing.
        adjusted = max(adjusted, min(p * (len(in_order) - place), 1.0))
        n_different += adjusted < 0.05 and second == first + 1
    assert ranking.n_different_neighbors == n_different
    assert 0 < n_different < 7


def test_teams_with_equal_scores_as_shown_share_a_rank_where_it_is_published():
    values = CLOSE[:, :1] * np.array([0.9, 0.9 - 1e-7, 0.9 + 1e-7, 0.5])
    ranking = teams(values)
    assert ranking.comparison.rank.tolist() == [1, 2, 3, 4]
    assert ranking.teams == ["team2", "team0", "team1", "team3"]
    published = ranking.published
    assert published.comparison.rank.tolist() == [1, 1, 1, 4]
    assert published.teams == ["team0", "team1", "team2", "team3"]
    assert (published.comparison.rank_low <= published.comparison.rank).all()
    assert (published.comparison.rank_high >= published.comparison.rank).all()
    assert "differ before rounding" not in shown(ranking_page(ranking))
    assert "differ before rounding" in shown(index_page(ranking))


def test_published_p_values_have_the_decimals_of_scores():
    records = [record_of(f"team{k}", own) for k, own in enumerate(CLOSE.T)]
    ranking = ranking_of([replace(record, entry=replace(record.entry, decimals=2)) for record in records])
    for row in rows_of(tables.pairs_csv(ranking.published)):
        for key in ("p", "p_adjusted"):
            assert float(row[key]) == round(float(row[key]), 2)
    assert any(len(row["p"]) > 4 for row in rows_of(tables.pairs_csv(ranking)))
