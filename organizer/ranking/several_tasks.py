"""The command ``overall``: the rankings of several tasks, of the same teams, in one table.

With weights it is the weighted mean of scores, with tests of differences. Without, it is the mean of the rank
sets: ranks are not smooth, so tests of their means would find differences that are none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Union
from xml.etree.ElementTree import Element

import numpy as np

from organizer.errors import InputError
from organizer.files import rewrite_files
from organizer.ranking.page import DEMO_WARNING, page_document
from organizer.ranking.ranking import Ranking
from organizer.ranking.statistics import half_scores_of, with_published_ranks
from organizer.ranking.stored import NoRankingError, read_rankings
from organizer.ranking.tables import Cell, csv_table, pairs_table
from people_in_video.comparing.pairs import SIGNIFICANT, Comparison, compare, rank_sets
from people_in_video.comparing.standings import LONGEST_NAME, table_cards
from scoring_program.metrics.resampling import LEAST_ITEMS, HalfScores, rounded
from scoring_program.report.elements.layout import card
from scoring_program.report.elements.tables import Cell as PageCell
from scoring_program.report.html import cut, element
from validator.arrays import Floats
from validator.texts import counted, printable, quote, some_words

_TABLE, _PAIRS, _PAGE = "overall.csv", "pairs.csv", "overall.html"


class MeanRanks(NamedTuple):
    """The m teams, the best first: the means over tasks of the ends of their rank sets; shapes (m,)."""

    teams: Sequence[str]
    low: Floats
    high: Floats


class MeanScores(NamedTuple):
    """The m teams, the best first: the weighted means of their scores, (m,), and what compares them."""

    teams: Sequence[str]
    scores: Floats
    comparison: Comparison
    decimals: int


Result = Union[MeanRanks, MeanScores]


def overall(folders: Sequence[Path], weights: Sequence[float], output: Path) -> int:
    """Write the table of several tasks, given the folders of their rankings. Raises InputError.

    Without ``weights`` it is about ranks. ``output`` gets ``overall.html`` to publish, ``overall.csv``, and,
    with weights, ``pairs.csv``.
    """
    _check_folders(folders)
    rankings = [_ranking_in(folder).published for folder in folders]
    _check_teams(folders, rankings)
    result = mean_scores(rankings, weights) if weights else mean_ranks(rankings)
    header, rows = _table(result, rankings)
    texts = {_TABLE: csv_table(header, rows), _PAGE: _page(result, rankings, weights)}
    if isinstance(result, MeanScores):
        texts[_PAIRS] = pairs_table(result.comparison.pairs, result.teams, result.decimals, result.decimals)
    else:
        (output / _PAIRS).unlink(missing_ok=True)
    rewrite_files(texts, output)
    print(printable(f"written to {output}"))
    return 0


def _check_folders(folders: Sequence[Path]) -> None:
    """Raise InputError unless there are several folders."""
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise InputError("a folder is given twice; give each ranking once")
    if len(folders) < 2:
        raise InputError("one ranking is a table already; give two or more")


def _ranking_in(folder: Path) -> Ranking:
    """Return the one ranking that ``rescore`` has left in a folder. Raises InputError."""
    try:
        rankings = read_rankings(folder)
    except NoRankingError:
        raise InputError(f"{folder}: there is no complete ranking in it; run rescore first") from None
    if len(rankings) > 1 or not rankings[0].team_records:
        raise InputError(f"{folder}: one ranking of teams is needed; run rescore with one protocol")
    return rankings[0]


def _check_teams(folders: Sequence[Path], rankings: Sequence[Ranking]) -> None:
    """Raise InputError unless all rankings are of the same teams."""
    for folder, ranking in zip(folders[1:], rankings[1:]):
        differing_teams = sorted({*ranking.teams} ^ {*rankings[0].teams})
        if differing_teams:
            problem = f"{folders[0]} and {folder} are not rankings of the same teams"
            teams = some_words([*map(quote, differing_teams)])
            raise InputError(f"{problem}: {teams}; --names gives a team one name in both")


def mean_ranks(rankings: Sequence[Ranking]) -> MeanRanks:
    """Return the means over T tasks of the ends of the rank sets of the same teams, at level 1 - 0.05/T."""
    teams = sorted(rankings[0].teams)
    level = SIGNIFICANT / len(rankings)
    sets = []
    for ranking in rankings:
        pairs = ranking.comparison.pairs
        sets.append(rank_sets(pairs, len(teams), ranking.task.higher_is_better, level))
    places = [[ranking.teams.index(team) for team in teams] for ranking in rankings]
    low = np.mean([rank_low[place] for (rank_low, _), place in zip(sets, places)], axis=0)
    high = np.mean([rank_high[place] for (_, rank_high), place in zip(sets, places)], axis=0)
    order = np.argsort(rounded(low + high), kind="stable")
    return MeanRanks([teams[place] for place in order], low[order], high[order])


def mean_scores(rankings: Sequence[Ranking], weights: Sequence[float]) -> MeanScores:
    """Return the weighted means of the scores of the same teams in several tasks, and all pairs.

    Raises
    ------
    InputError
        If the tasks have other directions or halves, or share a part of their items.
    """
    _check_means(rankings, weights)
    first = rankings[0]
    shares = np.array(weights) / np.sum(weights)
    teams = sorted(first.teams)
    submissions = [_mean_halves(rankings, shares, team) for team in teams]
    decimals = min(ranking.score_decimals for ranking in rankings)
    scores = np.array([submission.score for submission in submissions])
    higher_is_better = first.task.higher_is_better
    sign = -1.0 if higher_is_better else 1.0
    # Equal scores as they are published share a rank, by name.
    published_scores = np.array([float(f"{score:.{decimals}f}") for score in scores.tolist()])
    order = np.argsort(sign * published_scores, kind="stable")
    comparison = compare([submissions[place] for place in order], higher_is_better)
    return MeanScores(
        teams=[teams[place] for place in order],
        scores=published_scores[order],
        comparison=with_published_ranks(comparison, published_scores[order], higher_is_better),
        decimals=decimals,
    )


def _check_means(rankings: Sequence[Ranking], weights: Sequence[float]) -> None:
    """Raise InputError unless a mean of the scores can be tested."""
    remedy = "leave out --weights to show ranges of ranks"
    if len(weights) != len(rankings):
        problem = f"there are {counted(len(weights), 'weight')} for {counted(len(rankings), 'ranking')}"
        raise InputError(f"{problem}; give one for each")
    if not (min(weights) >= 0 and 0 < sum(weights) < math.inf):
        raise InputError("weights must be 0 or more, and one above 0")
    if len({ranking.task.higher_is_better for ranking in rankings}) > 1:
        raise InputError(f"higher scores are better in one task and worse in another; {remedy}")
    if len({ranking.half_samples for ranking in rankings}) > 1:
        raise InputError("rescore all tasks with the same number of --half-samples")
    for number, ranking in enumerate(rankings):
        for other in rankings[:number]:
            if not _can_be_added(ranking, other):
                problem = f"{other.task.id} and {ranking.task.id} have a part of their items in common"
                raise InputError(f"{problem}, so that a mean of scores cannot be tested; {remedy}")


def _can_be_added(ranking: Ranking, other: Ranking) -> bool:
    """Return whether two tasks have the same items, and so the same halves, or none in common."""
    entry, other_entry = ranking.team_records[0].entry, other.team_records[0].entry
    is_same = list(entry.items) == list(other_entry.items) and entry.n_items == other_entry.n_items
    return is_same or not {*entry.items} & {*other_entry.items}


def _mean_halves(rankings: Sequence[Ranking], shares: Floats, team: str) -> HalfScores:
    """Return the weighted mean of the scores of a team, and of those of halves."""
    halves = [half_scores_of(ranking.team_records[ranking.teams.index(team)]) for ranking in rankings]
    weighted = list(zip(shares.tolist(), halves))
    return HalfScores(
        score=float(rounded(np.array(sum(share * half.score for share, half in weighted)))),
        first=rounded(np.sum([share * half.first for share, half in weighted], axis=0)),
        second=rounded(np.sum([share * half.second for share, half in weighted], axis=0)),
        n_items=min(half.n_items for half in halves),
    )


def _different(titles: Sequence[str], rankings: Sequence[Ranking]) -> list[str]:
    """Return the titles of rankings; where they repeat, with the phases, and if these repeat with numbers."""
    if len(set(titles)) == len(titles):
        return list(titles)
    phases = [ranking.facts.phase for ranking in rankings]
    with_phases = [f"{title} ({phase})" for title, phase in zip(titles, phases)]
    if all(phases) and len(set(with_phases)) == len(titles):
        return with_phases
    return [f"{title} ({number})" for number, title in enumerate(titles, start=1)]


def _table(result: Result, rankings: Sequence[Ranking]) -> tuple[list[str], list[list[Cell]]]:
    """Return the header and the rows of ``overall.csv``; scores are those that are published."""
    titles = _different([ranking.task.id for ranking in rankings], rankings)
    scores_of_team = {team: _scores_of(rankings, team) for team in result.teams}
    rows: list[list[Cell]] = []
    for place, team in enumerate(result.teams):
        if isinstance(result, MeanRanks):
            row: list[Cell] = [team, float(result.low[place]), float(result.high[place])]
        else:
            comparison = result.comparison
            rank_range = int(comparison.rank_low[place]), int(comparison.rank_high[place])
            row = [int(comparison.rank[place]), *rank_range]
            row += [team, float(result.scores[place])]
        rows.append([*row, *map(float, scores_of_team[team])])
    head = ["team", "mean_rank_low", "mean_rank_high"]
    if isinstance(result, MeanScores):
        head = ["rank", "rank_low", "rank_high", "team", "score"]
    return [*head, *titles], rows


def _scores_of(rankings: Sequence[Ranking], team: str) -> list[str]:
    return [ranking.score_text(ranking.team_records[ranking.teams.index(team)]) for ranking in rankings]


def _page(result: Result, rankings: Sequence[Ranking], weights: Sequence[float]) -> str:
    """Return the page to publish."""
    tasks = ", ".join(_different([ranking.title for ranking in rankings], rankings))
    is_demo = any(ranking.facts.is_demo for ranking in rankings)
    signatures = [element("li", element("code", ranking.facts.signature)) for ranking in rankings]
    return page_document(
        title="Several tasks",
        heading="Several tasks in one table",
        subtitle=f"{counted(len(result.teams), 'team')}; tasks: {tasks}.",
        warnings=[DEMO_WARNING] if is_demo else [],
        shown_cards=[
            *_teams_cards(result, rankings),
            card("method", "Method", "", *_method_sentences(result, rankings, weights)),
            card("signatures", "Signatures", "", element("ul", *signatures)),
        ],
    )


def _teams_cards(result: Result, rankings: Sequence[Ranking]) -> list[Element]:
    rows = list[list[PageCell]]()
    for place, team in enumerate(result.teams):
        cells: list[PageCell] = [cut(team, LONGEST_NAME)]
        if isinstance(result, MeanRanks):
            cells.append(f"{result.low[place]:.2f} to {result.high[place]:.2f}")
        else:
            comparison = result.comparison
            cells += [str(comparison.rank[place]), comparison.rank_set_text(place)]
            cells.append(f"{result.scores[place]:.{result.decimals}f}")
        rows.append([*cells, *_scores_of(rankings, team)])
    titles = ["Mean of possible ranks"]
    if isinstance(result, MeanScores):
        titles = ["Rank", "Possible ranks", "Weighted mean"]
    scores = [f"{ranking.task.title}: {ranking.task.columns[0].title}" for ranking in rankings]
    titles += _different(scores, rankings)
    return table_cards("overall", "Teams", "", ("Team", *titles), rows, len(rows))


def _method_sentences(result: Result, rankings: Sequence[Ranking], weights: Sequence[float]) -> list[str]:
    if isinstance(result, MeanRanks):
        return [
            "The mean over the tasks of the first and of the last possible rank. The possible ranks of each "
            f"task hold all true ranks in at least {1 - SIGNIFICANT / len(rankings):.2%} of cases, those of "
            f"all tasks in at least {1 - SIGNIFICANT:.0%}.",
            "Means of ranks are not tested: tests would find differences that are none, as ranks are not "
            "smooth.",
        ]
    names = _different([ranking.task.id for ranking in rankings], rankings)
    terms = " + ".join(f"{weight:g} x {name}" for weight, name in zip(weights, names))
    sentences = [
        f"The weighted mean of scores: ({terms}) / {sum(weights):g}, also in each half of the items.",
        "Possible ranks are read from t tests of the differences of means, adjusted for all pairs (Holm).",
    ]
    n_items = result.comparison.n_items
    if n_items < LEAST_ITEMS:
        sentences.append(f"The smallest task has {n_items:,} independent items, too few to tell teams apart.")
    return sentences
