"""The tables of a ranking as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Union

import numpy as np

from organizer.ranking.changes import Change
from organizer.ranking.eligibility import Violation
from organizer.ranking.leaderboard import BoardComparison
from organizer.ranking.mail import texts_before
from organizer.ranking.ranking import Ranking
from organizer.ranking.statistics import item_difficulty
from organizer.runs.rescore import Record
from people_in_video.comparing.pairs import Pairs
from people_in_video.csv_table import csv_text, without_formulas
from scoring_program.metrics.resampling import rounded
from scoring_program.report.outputs import plain_number
from validator.texts import quote

_LONGEST = 1000
_P_DECIMALS = 10
# Of the table of pairs.
_MOST_TEAMS = 100
Cell = Union[str, int, float, None]


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return CSV: numbers with up to 10 decimals, nothing for None and NaN, no text that is evaluated."""
    return csv_text(header, ([_cell(value) for value in row] for row in rows))


def _cell(value: Cell) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return quote(without_formulas(value), longest=_LONGEST)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else plain_number(value)


def _path(name: str) -> str:
    """Return the name of a submission as a path that no spreadsheet evaluates."""
    return name if without_formulas(name) == name else f"./{name}"


def scores_csv(records: Sequence[Record], keys: Sequence[str]) -> str:
    """Return a row for each submission: its scores of these keys, or its first problem."""
    rows: list[list[Cell]] = []
    for record in records:
        entry, submission = record.entry, record.submission
        row: list[Cell] = [_path(submission.name), submission.team, entry.outcome]
        row += [entry.scores.get(key) for key in keys]
        row += [entry.signature, entry.problem]
        rows.append(row)
    header = ["submission", "team", "outcome", *keys, "signature", "problem"]
    return csv_table(header, rows)


def rules_csv(violations: Sequence[Violation]) -> str:
    """Return a row for each rule that a submission breaks."""
    rows: list[list[Cell]] = []
    for violation in violations:
        submission = violation.record.submission
        row: list[Cell] = [_path(submission.name), submission.team, submission.user, submission.date]
        rows.append([*row, violation.rule.value, violation.reason, violation.is_ranked])
    return csv_table(["submission", "team", "user", "date", "rule", "reason", "ranked"], rows)


def leaderboard_csv(comparisons: Sequence[BoardComparison]) -> str:
    """Return a row for each user: the score on the site and the one here."""
    rows = [row._replace(submission=_path(row.submission)) for row in comparisons]
    return csv_table(BoardComparison._fields, rows)


def teams_csv(ranking: Ranking, page_of_team: Mapping[str, str]) -> str:
    """Return a row for each team for a mail merge: its users, its rank, its page, and what is said of it."""
    comparison = ranking.comparison
    facts_of_team = team_facts(ranking)
    titles = list(dict.fromkeys(title for facts in facts_of_team.values() for title in facts))
    users_of_team: dict[str, list[str]] = {}
    for record in ranking.records:
        if record.submission.user:
            users_of_team.setdefault(record.submission.team, []).append(record.submission.user)
    texts_of_team = texts_before(ranking)
    rows: list[list[Cell]] = []
    for place, team in enumerate(ranking.teams):
        users = dict.fromkeys(users_of_team.get(team, []))
        row: list[Cell] = [team, " ".join(users), page_of_team[team], int(comparison.rank[place])]
        row += [int(comparison.rank_low[place]), int(comparison.rank_high[place])]
        rank_before, score_before = texts_of_team.get(team, ("", ""))
        row += [ranking.standings.score_texts[place], rank_before, score_before]
        row += [facts_of_team[team].get(title, "") for title in titles]
        rows.append(row)
    header = ["team", "users", "page", "rank", "rank_low", "rank_high", "score"]
    header += ["rank_before", "score_before"]
    return csv_table([*header, *titles], rows)


def ranking_csv(ranking: Ranking) -> str:
    """Return a row for each team, the best first; numbers have the decimals of the scores of a run."""
    comparison, intervals = ranking.comparison, ranking.intervals
    decimals = ranking.team_records[0].entry.decimals
    rows: list[dict[str, Cell]] = []
    for place, record in enumerate(ranking.team_records):
        low = high = None
        if intervals is not None and intervals.has_ends[place]:
            low = round(float(intervals.low[place]), decimals)
            high = round(float(intervals.high[place]), decimals)
        row: dict[str, Cell] = {
            "rank": int(comparison.rank[place]),
            "rank_low": int(comparison.rank_low[place]),
            "rank_high": int(comparison.rank_high[place]),
            "may_be_best": bool(comparison.may_be_best[place]),
            "team": record.submission.team,
            "submission": _path(record.submission.name),
            "submissions": ranking.n_submissions[place],
            "score": record.entry.scores["score"],
            "score_low": low,
            "score_high": high,
            "coverage": record.entry.scores["coverage"],
        }
        rows.append(row)
    return csv_table(list(rows[0]), [list(row.values()) for row in rows])


def pairs_csv(ranking: Ranking, most_teams: int = _MOST_TEAMS) -> str:
    """Return a row for each pair of the first teams; differences have the decimals of the scores of a run."""
    decimals = ranking.team_records[0].entry.decimals
    p_decimals = decimals if ranking.is_published else _P_DECIMALS
    return pairs_table(ranking.comparison.pairs, ranking.teams, decimals, p_decimals, most_teams)


def pairs_table(
    pairs: Pairs, teams: Sequence[str], decimals: int, p_decimals: int, most_teams: int = _MOST_TEAMS
) -> str:
    """Return a row for each pair of the first teams, with so many decimals of differences and p values."""
    number_columns = {}
    for name, values in pairs.numbers.items():
        number_columns[name] = np.round(values, p_decimals if name.startswith("p") else decimals)
    numbers = np.stack(list(number_columns.values()), axis=1)
    rows: list[list[Cell]] = []
    for pair in np.flatnonzero(pairs.second < most_teams).tolist():
        first, second = teams[pairs.first[pair]], teams[pairs.second[pair]]
        rows.append([first, second, *numbers[pair].tolist()])
    return csv_table(["first", "second", *number_columns], rows)


def team_facts(ranking: Ranking) -> dict[str, dict[str, str]]:
    """Return what organizers say of each team by title, of the submission that counts before others."""
    facts_of_team: dict[str, dict[str, str]] = {team: {} for team in ranking.teams}
    for record in [*ranking.team_records, *ranking.records]:
        facts = facts_of_team.get(record.submission.team, {})
        for title, text in record.submission.facts.items():
            if not facts.get(title):
                facts[title] = text
    return facts_of_team


class ItemScores(NamedTuple):
    """The scores of the teams for one item: mean, standard deviation, and how many teams have one."""

    item: str
    mean: float
    spread: float
    teams: int


def hardest_items(ranking: Ranking) -> list[ItemScores]:
    """Return the items, the worst mean first, those without a score last."""
    items = ranking.team_records[0].entry.items
    scores = np.array([record.entry.item_scores for record in ranking.team_records], dtype=np.float64)
    mean, spread, n_teams = item_difficulty(rounded(scores))
    sign = 1 if ranking.task.higher_is_better else -1
    rows = []
    for index in np.argsort(sign * mean, kind="stable").tolist():
        row = ItemScores(
            item=items[index],
            mean=float(mean[index]),
            spread=float(spread[index]),
            teams=int(n_teams[index]),
        )
        rows.append(row)
    return rows


def items_csv(ranking: Ranking) -> str:
    """Return a row for each item of the reference, the hardest first."""
    return csv_table(ItemScores._fields, hardest_items(ranking))


def changes_csv(changes: Sequence[Change]) -> str:
    """Return a row for each team that was ranked before or is now."""
    return csv_table(Change._fields, changes)
