"""The page of one team: its place, what costs most, and whom it differs from."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from xml.etree.ElementTree import Element

from organizer.ranking.cards import expected_drop_text, winner_sentences
from organizer.ranking.page import render_page
from organizer.ranking.ranking import Ranking
from people_in_video.comparing.forest import Band, forest_axis, scale_of
from people_in_video.comparing.standings import (
    LONGEST_NAME,
    Standings,
    band_text,
    beyond_note,
    difference_element,
    difference_of_pair,
    name_element,
    table_cards,
    text_over_text,
    too_few,
)
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.report.elements.layout import card
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import Child, cut, element
from scoring_program.report.page import cost_cards
from scoring_program.result import ErrorCost, Interval, Shown
from validator.texts import counted

_MOST_TEAMS = 100
"""In a longer ranking only the teams next to it are listed."""


class _Verdict(Enum):
    """What a team is, compared with another one."""

    BETTER = "significantly better"
    WORSE = "significantly worse"
    OPEN = "not distinguishable"


def team_page(ranking: Ranking, place: int, band: Band) -> str:
    """Return the page of the team at a place from 0 on; ``band`` is its score with the interval."""
    signature = element("p", element("code", ranking.facts.signature))
    shown_cards = [
        _place_card(ranking, place, band),
        *_cost_cards(ranking, place, band),
        card("others", "Other teams", "", *other_teams(ranking.standings, place)),
        card("signature", "Signature", "Scores with one signature are comparable.", signature),
    ]
    return render_page(ranking, cut(ranking.teams[place], LONGEST_NAME), shown_cards)


def teams_index(ranking: Ranking, page_of_team: Mapping[str, str]) -> str:
    """Return a page with a link to the page of each team, given as paths below its folder."""
    standings = ranking.standings
    rows = list[list[Cell]]()
    for place, team in enumerate(ranking.teams):
        link = element("a", cut(team, LONGEST_NAME), href=page_of_team[team])
        rank = str(standings.comparison.rank[place])
        rows.append([link, rank, standings.comparison.rank_set_text(place), standings.score_texts[place]])
    headings = ("Team", "Rank", "Possible ranks", "Score")
    cards = table_cards("teams", "Teams", "", headings, rows, len(rows))
    return render_page(ranking, "Pages of the teams", cards)


def _place_card(ranking: Ranking, place: int, band: Band) -> Element:
    """Return rank, score and coverage in words, and whether the team reaches the line of a winner."""
    standings = ranking.standings
    decimals = standings.decimals
    rank, rank_set = standings.comparison.rank[place], standings.comparison.rank_set_text(place)
    score = f"{standings.task.columns[0].title} {standings.score_texts[place]}"
    entry = ranking.team_records[place].entry
    coverage = entry.scores["coverage"]
    rough = f"; rough: {entry.why_rough}" if entry.why_rough else ""
    n_submissions = counted(ranking.n_submissions[place], "scored submission")
    drop_text = expected_drop_text(ranking, place)
    if drop_text:
        n_submissions += f"; {drop_text}"
    lines = [
        f"Rank {rank} of {counted(len(standings.names), 'team')}; possible ranks: {rank_set}.",
        f"{score} over {standings.over}; 95 % interval: {band_text(band, decimals)}{rough}.",
        f"Coverage {coverage:.{decimals}f}; {n_submissions}.",
        *_winner_lines(ranking, place, decimals),
    ]
    return card("place", "Place", "", *lines)


def _winner_lines(ranking: Ranking, place: int, decimals: int) -> list[str]:
    """Return the rule for winners, if there is one, and how far the team is from its line."""
    winner = ranking.winner
    if winner is None:
        return []
    band = winner.band(place, decimals)
    verdict = "reaches" if winner.passes[place] else "does not reach"
    distance = f"its score less that line: {band.value:.{decimals}f} ({band_text(band, decimals)})"
    rule, *_ = winner_sentences(ranking)
    return [rule, f"This team {verdict} it; {distance}."]


def _cost_cards(ranking: Ranking, place: int, band: Band) -> list[Element]:
    """Return what costs most, if the detail level of the reference showed it."""
    entry = ranking.team_records[place].entry
    interval = Interval(
        low=band.low,
        high=band.high,
        standard_error=0.0,
        half_samples=ranking.half_samples,
        items=entry.n_items,
        is_grouped=ranking.standings.unit == "group",
    )
    shown = Shown(
        scores=entry.scores,
        interval=interval,
        error_costs=[ErrorCost(*cost) for cost in entry.error_costs],
        decimals=entry.decimals,
    )
    return cost_cards(ranking.task, shown)


def other_teams(standings: Standings, place: int) -> list[Child]:
    """Return the difference of a team to each other one, or to those next to it in a long ranking."""
    pairs = standings.comparison.pairs
    pair_numbers = pairs.of(place)
    other_places = [pairs.other(pair, place) for pair in pair_numbers.tolist()]
    verdicts = []
    for other, differs in zip(other_places, pairs.is_significant[pair_numbers].tolist()):
        better_or_worse = _Verdict.BETTER if place < other else _Verdict.WORSE
        verdicts.append(better_or_worse if differs else _Verdict.OPEN)
    n_listed = min(_MOST_TEAMS, len(other_places))
    text = _others_text(standings, verdicts, n_listed)
    nearest_first = sorted(range(len(other_places)), key=lambda index: abs(place - other_places[index]))
    listed_indexes = sorted(nearest_first[:n_listed])
    if not listed_indexes:
        return [text]
    differences = []
    for index in listed_indexes:
        differences.append(difference_of_pair(standings, int(pair_numbers[index]), other_places[index]))
    no_difference = Band(0.0, 0.0, 0.0)
    scale = scale_of([no_difference, *differences], not standings.task.higher_is_better)
    rows = list[list[Cell]]()
    for index, difference in zip(listed_indexes, differences):
        name = name_element(standings.names[other_places[index]])
        difference_cell = difference_element(difference, scale, standings.decimals)
        rows.append([name, verdicts[index].value, difference_cell])
    headings = [
        Heading("Team"),
        Heading("This team is"),
        Heading(text_over_text("Difference", "95 % interval")),
    ]
    axis: list[Cell] = [beyond_note(scale, differences), "", forest_axis(scale)]
    return [text, *table(headings, rows, "Other teams", n_listed, last_row=axis)]


def _others_text(standings: Standings, verdicts: list[_Verdict], n_listed: int) -> str:
    """Return from how many teams it differs, and what the table shows."""
    n_items = standings.comparison.n_items
    counts = []
    for verdict in _Verdict:
        preposition = "from" if verdict is _Verdict.OPEN else "than"
        counts.append(f"{verdict.value} {preposition} {counted(verdicts.count(verdict), 'team')}")
    text = ", ".join(counts)
    text = text[0].upper() + text[1:]
    text += f": {too_few(n_items, standings.unit)} to say more." if n_items < LEAST_ITEMS else "."
    text += " Difference: the score of this team less that of the other"
    text += "; the intervals hold for all pairs of teams at once." if len(verdicts) > 1 else "."
    if more := len(verdicts) - n_listed:
        text += f" The {counted(n_listed, 'team')} next to it in the ranking are listed, {more:,} not."
    return text
