"""The command ``report``: a ranking for a paper or a site, and a page for each team.

All of it is to be published: numbers have the decimals that participants see, and costs of errors are those
that the detail level of the reference showed.
"""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np

from organizer.bundle import DEMO_TITLE
from organizer.ranking.command import RUNS, page_name, pages_in, remove_others
from organizer.ranking.page import About, RankingPages, render_page, standings_of
from organizer.ranking.statistics import Ranking, ranking_of
from organizer.ranking.tables import Cell, History, csv_table
from organizer.runs.rescore import stored_record
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.report import standings
from scoring_program.report.html import Child, clean, cut, element
from scoring_program.report.outputs import write_atomic
from scoring_program.report.page import card, cost_cards
from scoring_program.report.standings import LONGEST_NAME, Band, Baseline, Standings
from scoring_program.result import ErrorCost, Interval
from scoring_program.task import load_task
from validator.texts import counted, printable

_ROW, _PLOT, _LETTER = 24, 320, 7.2
_MOST_ROWS = 100
_FILES = ("ranking.csv", "ranking.tex", "ranking.svg", "methods.txt")
_KINDS = ("significantly better", "significantly worse", "not distinguishable")
_SIGNS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX = str.maketrans({**_SIGNS, **{sign: f"\\{sign}" for sign in "&%$#_{}"}})


def report(task_id: str, folder: Path, output: Path) -> int:
    """Write the report on the ranking that ``rescore`` left in a folder; return 1 if there is none.

    ``output`` gets ``ranking.csv``, ``ranking.tex``, ``ranking.svg``, ``methods.txt``, and ``teams/`` with a
    page for each team; with two protocols a folder for each.
    """
    task = load_task(task_id)
    try:
        data = json.loads((folder / RUNS).read_text(encoding="utf-8"))
        baselines = [Baseline(*own) for own in data["about"]["baselines"]]
        about = replace(About(**data["about"]), baselines=baselines)
        stored = data["runs"][task_id].items()
        runs = {key: [stored_record(folder, *row) for row in rows] for key, rows in stored}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        hint = f"run make rescore ID={task_id} first"
        print(printable(f"{folder}: there is no complete ranking of {task_id} in it; {hint}"))
        return 1
    for protocol, records in runs.items():
        if ranking := ranking_of(records, task, about.keep):
            pages = RankingPages(task, records, ranking, History(Path(), (), None), {}, protocol, None, about)
            _write(pages, ranking, output / protocol if len(runs) > 1 else output)
        else:
            print(printable(f"{folder}: no submission was scored, so there is nothing to report"))
            return 1
    remove_others(output, runs if len(runs) > 1 else {""}, _FILES, "teams")
    print(printable(f"{DEMO_TITLE if about.is_demo else ''}written to {output}"))
    return 0


def _write(pages: RankingPages, ranking: Ranking, folder: Path) -> None:
    of, teams = standings_of(pages, ranking), folder / "teams"
    teams.mkdir(parents=True, exist_ok=True)
    for old in pages_in(teams):
        old.unlink()
    write_atomic(folder / "ranking.csv", _csv(of))
    write_atomic(folder / "ranking.tex", _latex(of, pages.title))
    write_atomic(folder / "ranking.svg", _svg(of, pages.title))
    n_scored = counted(sum(ranking.submissions), "scored submission")
    first = f"{pages.title}: {counted(len(of.names), 'team')} with {n_scored}; "
    first += f"the {pages.about.keep} submission of a team counts."
    lines = [first, *standings.sentences(of), *standings.method_texts(of, ranking.half_samples)]
    write_atomic(folder / "methods.txt", clean(f"{' '.join(lines)}\n\nSignature: {ranking.signature}\n"))
    for row in standings.rows_of(of):
        if row.place is not None:
            text = _team_page(pages, ranking, of, row.place, row.band)
            write_atomic(teams / page_name(row.name), text)


def _csv(of: Standings) -> str:
    rows, compared = list[list[Cell]](), of.comparison
    ranks = np.stack([compared.rank, compared.rank_low, compared.rank_high], axis=1).tolist()
    for i, name, shown, (low, _, high) in standings.rows_of(of):
        place = [None] * 3 if i is None else ranks[i]
        rows.append([*place, name, float(shown), *([low, high] if low < high else [None, None])])
    return csv_table("rank, rank_low, rank_high, team, score, score_low, score_high", rows)


def _latex(of: Standings, title: str) -> str:
    """Return a table for LaTeX with booktabs."""
    rows = [["Rank", "Possible ranks", of.thing.capitalize(), of.task.columns[0].title, "95 % interval"]]
    for i, name, shown, band in standings.rows_of(of):
        place = ["--", "--"] if i is None else [str(of.comparison.rank[i]), _ranks(of, i)]
        rows.append([*place, name, shown, standings.band_text(band, of.decimals)])
    head, *lines = (" & ".join(map(_escaped, row)) + r" \\" for row in rows)
    demo = [r"\multicolumn{5}{c}{DEMO DATA} \\"] if title.startswith(DEMO_TITLE) else []
    begin = [f"% {clean(title)}. Needs \\usepackage{{booktabs}}.", r"\begin{tabular}{rrlrl}", r"\toprule"]
    return "\n".join([*begin, head, r"\midrule", *demo, *lines, r"\bottomrule", r"\end{tabular}", ""])


def _escaped(cell: str) -> str:
    return clean(cell).translate(_LATEX)


def _ranks(of: Standings, i: int) -> str:
    return standings.span(int(of.comparison.rank_low[i]), int(of.comparison.rank_high[i]))


def _svg(of: Standings, title: str) -> str:
    """Return a forest plot of the scores."""
    rows = standings.rows_of(of)
    scale = standings.scale_of([row.band for row in rows])
    left = 60 + _LETTER * max(len(cut(row.name)) for row in rows)
    bottom, width = _ROW * len(rows) + 4, left + _PLOT + 70
    parts = [f'<path d="M{left:.1f} {bottom} h{_PLOT}" stroke="#333"/>']
    parts.append(_text(5, bottom + 62, title, "start"))
    for number, (i, name, shown, band) in enumerate(rows):
        low, score, high = (left + _PLOT * standings.position(x, scale) / 100 for x in band)
        y = _ROW * number + 12
        parts.append(_text(30, y + 4, "" if i is None else str(of.comparison.rank[i]), "end"))
        parts += [_text(40, y + 4, cut(name), "start"), _text(width - 5, y + 4, shown, "end")]
        parts.append(f'<rect x="{low:.1f}" y="{y - 5}" width="{high - low:.1f}" height="10" fill="#8aa9cb"/>')
        parts.append(f'<path d="M{score:.1f} {y - 9} v18" stroke="#333"/>')
    for tick in standings.ticks(scale):
        at = left + _PLOT * standings.position(tick, scale) / 100
        parts.append(f'<path d="M{at:.1f} {bottom} v5" stroke="#333"/>')
        parts.append(_text(at, bottom + 20, f"{tick:.10g}", "middle"))
    parts.append(_text(left + _PLOT / 2, bottom + 42, f"{of.task.columns[0].title}, 95 % interval", "middle"))
    size = f'viewBox="0 0 {width:.0f} {bottom + 70}" font-family="sans-serif" font-size="12"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(clean(text))}</text>'


def _team_page(pages: RankingPages, ranking: Ranking, of: Standings, i: int, band: Band) -> str:
    """Return the page of one team: its place, what costs most, and whom it differs from."""
    entry, interval = ranking.records[i].entry, standings.band_text(band, of.decimals)
    place = [
        f"Rank {of.comparison.rank[i]} of {counted(len(of.names), 'team')}; possible ranks: {_ranks(of, i)}.",
        f"{of.task.columns[0].title} {of.shown[i]} over {of.over}; 95 % interval: {interval}.",
        f"Coverage {entry.scores['coverage']:.{of.decimals}f}; "
        f"{counted(ranking.submissions[i], 'scored submission')}.",
    ]
    over = Interval(band[0], band[2], 0.0, ranking.half_samples, entry.n_items, of.over, of.unit == "group")
    costs = [ErrorCost(*cost) for cost in entry.error_costs]
    score = entry.scores[of.task.columns[0].key]
    cards = [card("place", "Place", "", *place), *cost_cards(of.task, costs, score, over, entry.decimals)]
    cards.append(card("others", "Other teams", "", *_others(of, i)))
    cards.append(card("signature", "Signature", "Scores with one signature are comparable.", entry.signature))
    return render_page(pages, cut(of.names[i], LONGEST_NAME), cards)


def _others(of: Standings, i: int) -> list[Child]:
    """Return the difference of a team to each other one, or to those next to it in a long ranking."""
    j = np.delete(np.arange(len(of.names)), i)
    first, second = np.minimum(i, j), np.maximum(i, j)
    # Where the pairs stand in the order of the first team, then the second.
    pair = first * len(of.names) - first * (first + 3) // 2 + second - 1
    pairs, sign = of.comparison.pairs, np.where(i < j, 1, -1)
    low, high = np.sort([sign * own[pair] for own in of.difference_ends], axis=0)
    known = standings.bands(of, *map(np.nan_to_num, (low, sign * pairs.difference[pair], high)))
    kinds = np.where(pairs.is_significant[pair], np.where(i < j, 0, 1), 2)
    counts = [counted(n, "team") for n in np.bincount(kinds, minlength=3).tolist()]
    n, n_listed = of.comparison.n_items, min(_MOST_ROWS, len(j))
    text = "Significantly better than {}, significantly worse than {}, not distinguishable from {}"
    text = text.format(*counts)
    text += f": {counted(n, of.unit)} are too few to say more." if n < LEAST_ITEMS else "."
    text += " Difference: the score of this team less that of the other"
    text += "; the intervals hold for all pairs of teams at once." if len(j) > 1 else "."
    if more := len(j) - n_listed:
        text += f" The {counted(n_listed, 'team')} next to it in the ranking are listed, {more:,} not."
    rows = list[list[Child]]()
    for k in np.sort(np.argsort(np.abs(i - j), kind="stable")[:n_listed]).tolist():
        interval = standings.band_text(known[k], of.decimals)
        difference = standings.two(f"{known[k][1]:.{of.decimals}f}", interval)
        verdict = element("small", _KINDS[kinds[k]])
        rows.append([element("div", cut(of.names[j[k]], LONGEST_NAME), verdict, class_="name"), difference])
    heads = [standings.two("Team", "this team is"), standings.two("Difference", "95 % interval")]
    return [text, *(standings.folded_table(heads, rows, "Other teams", n_listed) if rows else [])]
