"""The command ``side-by-side``: several rankings on one page, of tasks or of phases.

Each ranking stands for itself. There is no rank over all of them: a few tasks are no sample, so an interval
over tasks would say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from organizer.files import write_durable
from organizer.ranking.page import DEMO_WARNING, page_document, run_subtitle
from organizer.ranking.run import RankingRun
from organizer.ranking.stored import NoRankingError, read_stored_rankings
from people_in_video.comparing.forest import Band, Scale, forest_row
from people_in_video.comparing.standings import (
    OPEN_ROWS,
    Standings,
    name_element,
    rank_sentences,
    text_over_text,
)
from scoring_program.report.elements.layout import card
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import cut, element
from validator.texts import counted, printable

_NOTE = (
    "A row for each team, by its name, in the order of the first ranking. Below a rank are the possible "
    "ranks, those that the team may have over all such items (its rank set), and the score. Bars show the "
    "possible ranks, from the first at the left to the last at the right."
)
_LIMITS = (
    "Each ranking stands for itself: its rank sets together hold all of its true ranks in at least 95 of 100 "
    "cases. That is not said of several rankings at once.",
    "There is no rank or interval over all rankings: scores of different tasks cannot be compared, and a few "
    "tasks are no sample of all tasks.",
)


class _Column(NamedTuple):
    """A ranking, which is a column of the page."""

    run: RankingRun
    standings: Standings

    @property
    def context(self) -> str:
        """The phase and the protocol, as far as they are known."""
        names = (self.run.about.phase, self.run.protocol)
        return ", ".join(name for name in names if name)


def side_by_side(folders: Sequence[Path], output: Path) -> int:
    """Write a page with the rankings that ``rescore`` left in folders; return 1 if one of them has none."""
    columns = []
    for folder in folders:
        try:
            runs = read_stored_rankings(folder)
        except NoRankingError:
            print(printable(f"{folder}: there is no complete ranking in it; run make rescore first"))
            return 1
        for run in runs:
            if run.ranking is None:
                print(printable(f"{folder}: no submission was scored, so there is nothing to show"))
                return 1
            columns.append(_Column(run, run.standings(run.ranking)))
    output.parent.mkdir(parents=True, exist_ok=True)
    write_durable(output, _page(columns))
    print(printable(f"written to {output}"))
    return 0


def _page(columns: Sequence[_Column]) -> str:
    """Return the table of all rankings, and what each of them says."""
    competitions = dict.fromkeys(column.run.about.competition for column in columns)
    is_demo = any(column.run.about.is_demo for column in columns)
    return page_document(
        title=", ".join(filter(None, competitions)) or "Rankings",
        heading="Rankings side by side",
        subtitle=f"{counted(len(columns), 'ranking')} of {counted(len(_teams(columns)), 'team')}.",
        warnings=[DEMO_WARNING] if is_demo else [],
        shown_cards=[
            _table_card(columns),
            *(_sentences_card(number, column) for number, column in enumerate(columns, 1)),
        ],
    )


def _teams(columns: Sequence[_Column]) -> list[str]:
    """Return the names of all teams, in the order of the first ranking that has them."""
    names = dict[str, None]()
    for column in columns:
        names.update(dict.fromkeys(column.standings.names))
    return list(names)


def _table_card(columns: Sequence[_Column]) -> Element:
    """Return the table with a row for each team and a column for each ranking."""
    cells_of_columns = [_cells(column.standings) for column in columns]
    rows = list[list[Cell]]()
    for team in _teams(columns):
        row: list[Cell] = [name_element(team)]
        row += [cells.get(team, "–") for cells in cells_of_columns]
        rows.append(row)
    headings = [Heading("Team"), *(_heading(column) for column in columns)]
    limits = element("ul", *(element("li", text) for text in _LIMITS), class_="after")
    return card("ranks", "Ranks", _NOTE, *table(headings, rows, "Ranks", OPEN_ROWS), limits)


def _heading(column: _Column) -> Heading:
    """Return what was ranked, and over how many items."""
    run, standings = column.run, column.standings
    title = element("div", cut(run.about.title or run.task.title), class_="name")
    for text in (column.context, f"{run.task.columns[0].title}, {standings.over}"):
        if text:
            title.append(element("small", cut(text)))
    return Heading(title)


def _cells(standings: Standings) -> dict[str, Element]:
    """Return rank, possible ranks and score of each team by its name."""
    comparison = standings.comparison
    scale = Scale(1, len(standings.names))
    cells = {}
    for place, team in enumerate(standings.names):
        rank = int(comparison.rank[place])
        rank_set = Band(float(comparison.rank_low[place]), rank, float(comparison.rank_high[place]))
        below = f"{standings.rank_set_text(place)}; score {standings.score_texts[place]}"
        cells[team] = element("div", text_over_text(str(rank), below), forest_row(rank_set, scale))
    return cells


def _sentences_card(number: int, column: _Column) -> Element:
    """Return what the ranks of one ranking mean."""
    run = column.run
    names = [run.about.title or run.task.title, column.context]
    title = ": ".join(name for name in names if name)
    texts = element("ul", *(element("li", text) for text in rank_sentences(column.standings)))
    return card(f"ranking-{number}", title, run_subtitle(run), texts)
