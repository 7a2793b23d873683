"""The table of a comparison for a paper, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from people_in_video.comparing.latex import NEEDED_PACKAGE, escape_latex, latex_table
from people_in_video.comparing.standings import Standings
from scoring_program.result import Interval, Result
from scoring_program.task import ScoreColumn

_INTERVAL_DECIMALS = 4


def paper_table(
    standings: Standings, results: Sequence[Result], places: Sequence[int], comments: Sequence[str]
) -> str:
    """Return a row for each of the ``places``, with the columns of the leaderboard; the best are bold.

    The main score has its interval in brackets.
    """
    task = standings.task
    columns = [column for column in task.columns if column.leaderboard]
    intervals = [_interval_latex(results[place].interval, columns[0]) for place in places]
    cells_of_columns = [[escape_latex(standings.names[place]) for place in places]]
    for column in columns:
        cells = _score_cells(column, [results[place] for place in places])
        if column == columns[0]:
            cells = [f"{cell}{interval}" for cell, interval in zip(cells, intervals)]
        cells_of_columns.append(cells)
    header = [standings.noun.capitalize(), *(column.title for column in columns)]
    caption = f"{task.title}, over {standings.over}. Brackets: 95 % interval; bold: the best score."
    return latex_table(
        comments=[f"{caption} {NEEDED_PACKAGE}", *comments],
        alignment="l" + "r" * len(columns),
        header=header,
        rows=list(zip(*cells_of_columns)),
    )


def _score_cells(column: ScoreColumn, results: Sequence[Result]) -> list[str]:
    """Return the scores of a column with the decimals of the leaderboard, the best ones bold.

    Where all are equal then, none is.
    """
    texts = [f"{result.scores[column.key]:.{column.precision}f}" for result in results]
    if len(set(texts)) == 1:
        return texts
    choose_best = max if column.sorting == "desc" else min
    best_score = choose_best(float(text) for text in texts)
    cells = []
    for text in texts:
        cells.append(rf"\textbf{{{text}}}" if float(text) == best_score else text)
    return cells


def _interval_latex(interval: Interval | None, column: ScoreColumn) -> str:
    """Return what follows a score: its interval, "" without one."""
    if interval is None:
        return ""
    decimals = min(column.precision, _INTERVAL_DECIMALS)
    return rf" {{\footnotesize [{interval.low:.{decimals}f}, {interval.high:.{decimals}f}]}}"
