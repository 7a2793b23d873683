"""The pages of a ranking, without scripts: ``index.html`` for the organizers, ``ranking.html`` to publish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from organizer.ranking import statistics
from organizer.ranking.statistics import MOST_PAIRED, Ranking
from organizer.ranking.tables import History, hardest_items
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.report import charts
from scoring_program.report.html import Child, cut, element
from scoring_program.report.page import ROUGH_BELOW, card, contents, document, folded, scroll, table
from scoring_program.result import Cell, Column, Line, LineChart
from scoring_program.task import Declaration
from validator.findings import counted

_MOST_DRAWN = 30
_MOST_LINES = 10
_OPEN_ROWS = 50
_WHOSE = ("Submission", "Team", "Outcome")
_MOST_ROWS = 5000


@dataclass(frozen=True)
class RankingPages:
    """The content of the pages: ``links`` to the detail pages, ``other`` is by the other protocol."""

    task: Declaration
    records: Sequence[Record]
    ranking: Ranking | None
    history: History
    links: dict[str, str]
    protocol: str
    other: Ranking | None

    def score(self, record: Record) -> str:
        """Return the score of a submission as the leaderboard shows it."""
        best = self.task.columns[0]
        return f"{record.entry.scores[best.key]:.{best.precision}f}"


def ranking_page(pages: RankingPages) -> str:
    """Return the page to publish: the ranking, how sure it is, and the method."""
    return _page(pages, "Ranking", "", _public(pages))


def index_page(pages: RankingPages) -> str:
    """Return the page for the organizers: the published page, and results that must not be published."""
    cards = _public(pages)
    if ranking := pages.ranking:
        cards += [*_pairs(ranking), *_coverage(pages, ranking), *_progress(pages, ranking)]
        cards.append(_items(pages, ranking))
    cards += [*_failed(pages), *_changes(pages), _submissions(pages)]
    warning = (
        "For the organizers only: it names items of the hidden reference. To publish, take ranking.html."
    )
    return _page(pages, "Ranking, for the organizers", warning, cards)


def _page(pages: RankingPages, title: str, warning: str, cards: Sequence[Element]) -> str:
    scored = sum(record.entry.outcome == SCORED for record in pages.records)
    text = f"{counted(len(pages.ranking.records) if pages.ranking else 0, 'team')} ranked; "
    text += f"{scored:,} of {counted(len(pages.records), 'submission')} scored"
    text += f"; protocol: {pages.protocol}." if pages.protocol else "."
    head = [element("h1", title), element("p", text)]
    if warning:
        head.append(element("p", element("strong", warning, class_="bad")))
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    body = [element("div", *cards[:1]), contents(cards), element("div", *cards[1:])]
    return document(pages.task.title, head, body, style)


def _public(pages: RankingPages) -> list[Element]:
    if not pages.ranking:
        return [card("ranking", "Ranking", "", "No submission was scored.")]
    return [
        _ranking(pages, pages.ranking),
        _stability(pages.ranking),
        *_protocols(pages, pages.ranking),
        _method(pages, pages.ranking),
    ]


def _ranking(pages: RankingPages, ranking: Ranking) -> Element:
    """Return the table of teams with a forest plot: all intervals on one scale."""
    low, high = float(ranking.intervals.min()), float(ranking.intervals.max())
    ends = element("div", element("span", f"{low:.3f}"), element("span", f"{high:.3f}"), class_="ends")
    score = pages.task.columns[0].title
    heads: list[Child] = [_two("Rank", "interval"), "Team", _two(score, "95 % interval"), ends]
    heads += [_two("First in", "of draws"), "Against the first"]
    stability, rows = ranking.stability, list[list[Child]]()
    texts = {True: "told apart", False: "not told apart", None: "not compared"}
    for i, (record, apart) in enumerate(zip(ranking.records, ranking.told_apart())):
        left, right = ranking.intervals[i].tolist()
        rows.append([
            _two(str(ranking.rank[i]), f"{stability.low[i]} to {stability.high[i]}"),
            element("div", cut(record.submission.team), class_="name"),
            _two(pages.score(record), f"{left:.3f} to {right:.3f}"),
            _forest((left, record.entry.score, right), (low, high)),
            element("div", f"{100 * stability.firsts[i]:.1f} %", class_="two"), texts[apart] if i else "",
        ])  # fmt: skip
    same = [team for team, apart in zip(ranking.teams[1:], ranking.told_apart()[1:]) if apart is False]
    first = f"Not told apart from {cut(ranking.teams[0])}: {', '.join(map(cut, same[:_MOST_DRAWN]))}"
    more = f" and {len(same) - _MOST_DRAWN:,} more" if len(same) > _MOST_DRAWN else ""
    nobody = f"All other teams that were compared are told apart from {cut(ranking.teams[0])}."
    summary = f"{first}{more}." if same else nobody
    return card("ranking", "Ranking", "", *_rows(heads, rows, "Ranking"), summary)


def _two(text: str, below: str) -> Element:
    """Return a text over a smaller one."""
    return element("div", text, element("small", below), class_="two")


def _forest(values: tuple[float, float, float], ends: tuple[float, float]) -> Element:
    """Return an interval as a band and the score as a mark, on the scale of the whole table."""
    width = max(ends[1] - ends[0], 1e-9)
    left, at, right = (1 + 98 * (value - ends[0]) / width for value in values)
    band = element("rect", x=f"{left:.2f}", y=3, width=f"{right - left:.2f}", height=4, class_="fill-band")
    mark = element("line", x1=f"{at:.2f}", y1=0, x2=f"{at:.2f}", y2=10, class_="mark")
    options = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return element("svg", band, mark, class_="forest", **options)


def _stability(ranking: Ranking) -> Element:
    """Return a row for each of the first teams: the larger a blob, the more often the team has that rank."""
    n = min(len(ranking.records), _MOST_DRAWN)
    rows = []
    for team, shares in zip(ranking.teams[:n], ranking.stability.shares[:n, :n].tolist()):
        known = [(rank, share) for rank, share in enumerate(shares) if share]
        circles = [
            element("circle", cx=f"{rank + 0.5}", cy="0.5", r=f"{0.48 * share**0.5:.3f}", class_="fill-b")
            for rank, share in known
        ]
        likely = ", ".join(f"rank {rank + 1} in {100 * share:.0f} %" for rank, share in known)
        label = likely or "none of these ranks"
        svg = element("svg", *circles, viewBox=f"0 0 {n} 1", role="img", aria_label=label)
        rows.append(element("tr", element("th", cut(team, 24), scope="row"), element("td", svg)))
    stability = ranking.stability
    note = f"How often each team has each rank, 1 to {n} from left to right, if the items were drawn again. "
    note += f"Kendall's tau-b between such a ranking and this one: {stability.tau_mean:.3f} on average, "
    note += f"at least {stability.tau_low:.3f} in 95 % of them."
    # A blob is 2rem wide, or less where the page is narrow.
    numbers = (element("span", str(rank + 1)) for rank in range(n))
    labels = element("div", *numbers, class_="ranks", style=f"max-width:{2 * n}rem")
    head = element("tr", element("th", "Rank", scope="row"), element("td", labels))
    blobs = element("table", element("tbody", head, *rows), class_="blobs")
    return card("stability", "Stability", note, scroll(blobs, "Stability"))


def _protocols(pages: RankingPages, ranking: Ranking) -> list[Element]:
    """Return both protocols side by side, if there are two."""
    if not pages.other:
        return []
    index_of = {team: i for i, team in enumerate(pages.other.teams)}
    both = [(i, index_of[team]) for i, team in enumerate(ranking.teams) if team in index_of]
    indexes, others = np.array(both, dtype=np.intp).reshape(-1, 2).T
    tau = statistics.tau_b(ranking.rank[indexes], pages.other.rank[others])
    rows: list[list[Cell]] = [
        [ranking.teams[i], int(ranking.rank[i]), int(pages.other.rank[j]),
         pages.score(ranking.records[i]), pages.score(pages.other.records[j])]
        for i, j in both
    ]  # fmt: skip
    columns = [Column("Team"), Column("Rank here", "count"), Column("Rank by the other protocol", "count")]
    columns += [Column("Score here"), Column("Score by the other protocol")]
    note = f"This page ranks by the protocol {pages.protocol}. "
    note += f"Kendall's tau-b between both rankings: {tau:.3f}."
    return [card("protocols", "Both protocols", note, *table(columns, rows, "Both protocols", _MOST_ROWS))]


def _method(pages: RankingPages, ranking: Ranking) -> Element:
    n, item = len(ranking.items), pages.task.item
    rough = f" With fewer than {ROUGH_BELOW} {item}s intervals are rough." if n < ROUGH_BELOW else ""
    entries = [
        f"Intervals: the reference ({counted(n, item)}) was drawn again "
        f"{counted(ranking.replicates, 'time')}, with replacement, the same draws for all teams; an interval "
        "holds the middle 95 % of the scores (percentile bootstrap: Efron, Annals of Statistics "
        f"1979).{rough}",
        "Rank intervals and stability: each draw ranks the teams again; a rank interval holds the middle "
        "95 % of the ranks of a team, and “first in” is the share of draws that it wins (Wiesenfarth et al., "
        "Scientific Reports 2021).",
        f"Told apart: for each pair of the first {MOST_PAIRED} teams, Student's t test of the difference of "
        "scores with the standard error from the same draws, corrected for the number of pairs (Holm, "
        "Scandinavian Journal of Statistics 1979); two teams are told apart if the corrected p value is "
        f"below {statistics.SIGNIFICANT}.",
        f"All this is about other {item}s of the same kind. It says nothing about other kinds of data, nor "
        "about training a method again.",
    ]
    signature = element("p", "Signature: ", element("code", cut(ranking.records[0].entry.signature, 1000)))
    return card("method", "Method", "", element("ul", *(element("li", text) for text in entries)), signature)


def _pairs(ranking: Ranking) -> list[Element]:
    """Return the matrix of corrected p values of the first teams."""
    if len(ranking.records) < 2:
        return []
    names = [cut(team, 24) for team in ranking.teams[:_MOST_DRAWN]]
    pairs = ranking.pairs
    p_of = dict(zip(zip(pairs.first.tolist(), pairs.second.tolist()), pairs.p_holm.tolist()))
    heads = (element("th", element("span", name), scope="col") for name in names)
    rows = []
    for i, name in enumerate(names):
        row = element("tr", element("th", name, scope="row"))
        for j in range(len(names)):
            p = p_of.get((i, j), np.nan)
            text = "" if np.isnan(p) else "<.01" if p < 0.01 else f"{p:.2f}"
            row.append(element("td", text, class_="apart" if p < statistics.SIGNIFICANT else "open"))
        rows.append(row)
    note = f"Corrected p values of the first {counted(len(names), 'team')}; colored: told apart. "
    head = element("thead", element("tr", element("td"), *heads))
    matrix = element("table", head, element("tbody", *rows), class_="matrix")
    return [card("pairs", "Pairs", f"{note}All numbers: pairs.csv.", scroll(matrix, "Pairs"))]


def _coverage(pages: RankingPages, ranking: Ranking) -> list[Element]:
    """Return a chart of score against coverage, if a team left anything out."""
    if all(record.entry.scores["coverage"] == 1 for record in ranking.records):
        return []
    title = pages.task.columns[0].title
    top = max(1.0, *(record.entry.score for record in ranking.records))
    dots = []
    for record in ranking.records:
        x, y = 100 * record.entry.scores["coverage"], 100 - 100 * record.entry.score / top
        name = element("title", cut(record.submission.team))
        dots.append(element("path", name, class_="dot", d=f"M{x:.2f} {y:.2f} h0"))
    steps = [(25.0 * i, f"{i / 4:g}") for i in range(5)]
    scale = [(25.0 * i, f"{top * i / 4:.3g}") for i in range(5)]
    chart = charts.plot(f"{title} against coverage", dots, (), (steps, scale), ("coverage", title))
    note = "Low coverage with a fair score: items were left out rather than wrong."
    return [card("coverage", "Score and coverage", note, chart)]


def _progress(pages: RankingPages, ranking: Ranking) -> list[Element]:
    """Return the best score of each team up to each day, for the first teams, if dates are known."""
    dated: dict[str, list[tuple[date, float]]] = {}
    for record in pages.records:
        if record.entry.outcome == SCORED and (day := _date(record.submission.date)):
            dated.setdefault(record.submission.team, []).append((day, record.entry.score))
    if not dated:
        return []
    first = min(day for entries in dated.values() for day, _ in entries)
    best = min if pages.task.columns[0].sorting == "asc" else max
    lines = []
    for team in [team for team in ranking.teams if team in dated][:_MOST_LINES]:
        days, scores = zip(*sorted(dated[team]))
        lines.append(Line(team, [(day - first).days for day in days], list(accumulate(scores, best))))
    ends = [value for line in lines for value in line.y]
    last = max(line.x[-1] for line in lines)
    ranges = (0.0, float(max(last, 1)), min(0.0, *ends), max(1.0, *ends))
    title = "Progress"
    chart = LineChart("progress", title, "", lines, f"days since {first}", "best score so far", ranges)
    note = f"The best score of the first {counted(len(lines), 'team')} up to each day."
    return [card("progress", title, note, charts.lines(chart), charts.lines_key(chart))]


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _items(pages: RankingPages, ranking: Ranking) -> Element:
    item = pages.task.item
    hardest = [row for row in hardest_items(ranking) if row[1] == row[1]]
    # A bar ends at 1, which errors in units of the task do not.
    kind = "share" if all(0 <= mean <= 1 for _, mean, _ in hardest) else "number"
    columns = [Column(item.capitalize()), Column("Mean over teams", kind), Column("Spread", "number")]
    note = f"Where nobody is right, the annotation may be wrong. The first {_MOST_DRAWN}; all: items.csv."
    return card("items", f"Hardest {item}s", note, *table(columns, hardest[:_MOST_DRAWN], "Hardest", 99))


def _failed(pages: RankingPages) -> list[Element]:
    rows = [
        [*_whose(pages, record), cut(record.entry.problem, 300)]
        for record in pages.records
        if record.entry.outcome != SCORED
    ]
    title = "Submissions without a score"
    return [card("failed", title, "", *_rows([*_WHOSE, "First problem"], rows, title))] if rows else []


def _changes(pages: RankingPages) -> list[Element]:
    changes = pages.history.changes()
    if not changes:
        return []
    rows = [c for c in changes if (c.rank_before, c.score_before) != (c.rank, c.score) or c.why]
    columns = [Column("Team"), Column("Rank before", "count"), Column("Rank", "count")]
    columns += [Column("Score before", "number"), Column("Score", "number"), Column("What differs")]
    note = "Against the last run with another signature or other submissions. "
    note += f"Kendall's tau-b between both rankings: {pages.history.tau_b():.3f}."
    return [card("changes", "What changed", note, *table(columns, rows, "What changed", _MOST_ROWS))]


def _submissions(pages: RankingPages) -> Element:
    rows = [
        [*_whose(pages, record), pages.score(record) if record.entry.outcome == SCORED else ""]
        for record in pages.records
    ]
    title = "All submissions"
    rendered = _rows([*_WHOSE, "Score"], rows, title)
    return card("submissions", title, "Names lead to detail pages.", *rendered)


def _whose(pages: RankingPages, record: Record) -> list[Child]:
    """Return the first cells of a row about a submission."""
    name = record.submission.name
    link = element("a", cut(name, 100), href=pages.links[name])
    return [link, cut(record.submission.team), record.entry.outcome]


def _rows(heads: Sequence[Child], rows: Sequence[Sequence[Child]], title: str) -> list[Element]:
    """Return a table of anything; rows after the first ones are folded."""

    def rendered(part: Iterable[Sequence[Child]], name: str) -> Element:
        head = element("tr", *(element("th", cell, scope="col") for cell in heads))
        body = [element("tr", *(element("td", cell) for cell in row)) for row in part]
        return scroll(element("table", element("thead", head), element("tbody", *body)), name)

    tables = [rendered(rows[:_OPEN_ROWS], title)]
    if more := rows[_OPEN_ROWS:]:
        tables.append(folded(counted(len(more), "more row"), rendered(more, f"{title}, more rows")))
    return tables
