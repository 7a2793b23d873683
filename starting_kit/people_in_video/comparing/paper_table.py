"""The table of a comparison for a paper, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from people_in_video.comparing.latex import NEEDED_PACKAGE, escape_latex, latex_table
from people_in_video.comparing.pairs import SIGNIFICANT
from people_in_video.comparing.seeds import SeedGroup, seed_groups
from people_in_video.comparing.standings import Standings, differences_to_base, p_text
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.result import Interval, Result
from scoring_program.task import ScoreColumn

_INTERVAL_DECIMALS = 4


def paper_table(
    standings: Standings, results: Sequence[Result], places: Sequence[int], comments: Sequence[str]
) -> str:
    """Return a row for each of the ``places``, with the columns of the leaderboard, the difference to the
    base and its p value; then one for each method with several seeds.

    The main score has its interval in brackets, the best are bold, and significant differences are marked.
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
    if len(standings.names) > 1:
        cells_of_columns += _difference_cells(standings, places)
        header += ["Difference", "p" if standings.comparison.n_tests < 2 else "Adjusted p"]
        base = standings.names[standings.base_place]
        caption += f" Difference: score less that of {base}; *: significant, p below {SIGNIFICANT}."
    rows = [list(row) for row in zip(*cells_of_columns)]
    rows += [_seed_row(group, results, columns, len(header)) for group in seed_groups(standings.names)]
    return latex_table(
        comments=[f"{caption} {NEEDED_PACKAGE}", *comments],
        alignment="l" + "r" * (len(header) - 1),
        header=header,
        rows=rows,
    )


def _difference_cells(standings: Standings, places: Sequence[int]) -> list[list[str]]:
    """Return the cells of the difference to the base, marked if it is significant, and of its p value."""
    pairs, base = standings.comparison.pairs, standings.base_place
    differences = differences_to_base(standings)
    has_tests = standings.comparison.n_items >= LEAST_ITEMS
    cells_of_place = {base: ("", "")}
    for pair in pairs.of(base).tolist():
        place = pairs.other(pair, base)
        mark = "^{*}" if pairs.is_significant[pair] else ""
        difference = f"${differences[place].value:.{standings.decimals}f}{mark}$"
        p_value = p_text(float(pairs.p_adjusted[pair])).replace("<", "$<$") if has_tests else ""
        cells_of_place[place] = difference, p_value
    return [list(column) for column in zip(*(cells_of_place[place] for place in places))]


def _seed_row(
    group: SeedGroup, results: Sequence[Result], columns: Sequence[ScoreColumn], n_cells: int
) -> list[str]:
    """Return the row of a method with several seeds: means and standard deviations."""
    cells = [escape_latex(group.text)]
    for column in columns:
        mean, deviation = group.spread(results, column)
        cells.append(rf"{mean:.{column.precision}f} $\pm$ {deviation:.{column.precision}f}")
    return cells + [""] * (n_cells - len(cells))


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
