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
from organizer.ranking.statistics import Ranking
from organizer.ranking.tables import History, hardest_items
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.metrics.comparison import SIGNIFICANT, Comparison
from scoring_program.metrics.resampling import LEAST_ITEMS, SEED
from scoring_program.report import charts
from scoring_program.report.html import Child, cut, element
from scoring_program.report.page import card, caution, contents, document, folded, scroll, table
from scoring_program.result import Cell, Column, Line, LineChart
from scoring_program.task import Declaration
from validator.findings import counted

_MOST_DRAWN = 30
_MOST_LINES = 10
_MOST_SENTENCES = 5
_OPEN_ROWS = 50
_WHOSE = ("Submission", "Team", "Outcome")
_MOST_ROWS = 5000


@dataclass(frozen=True)
class RankingPages:
    """The content of the pages: ``links`` to the detail pages, ``other`` is by the other protocol, ``keep``
    says which submission of a team counts."""

    task: Declaration
    records: Sequence[Record]
    ranking: Ranking | None
    history: History
    links: dict[str, str]
    protocol: str
    other: Ranking | None
    keep: str = "best"

    @property
    def unit(self) -> str:
        """What is independent: the item of the task, or groups of them."""
        is_grouped = self.ranking and self.ranking.comparison.n_items != len(self.ranking.items)
        return "group" if is_grouped else self.task.item

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
        *_stability(pages.ranking),
        *_protocols(pages, pages.ranking),
        _method(pages, pages.ranking),
    ]


def _ranking(pages: RankingPages, ranking: Ranking) -> Element:
    """Return the table of teams with two forest plots: scores, and differences to the first team."""
    of_scores, of_differences = _score_bands(ranking), _difference_bands(ranking)
    score, first = pages.task.columns[0].title, cut(ranking.teams[0])
    heads: list[Child] = [_two("Rank", "rank set"), "Team", _two(score, "95 % interval")]
    scales = [
        (min(band[0] for band in of), max(band[2] for band in of)) for of in (of_scores, of_differences)
    ]
    heads += [_ends(scales[0]), _two("Difference", f"to {first}, 95 % interval"), _ends(scales[1])]
    compared, rows = ranking.comparison, list[list[Child]]()
    sets = zip(*(values.tolist() for values in (compared.rank, compared.rank_low, compared.rank_high)))
    for i, (record, (rank, low, high)) in enumerate(zip(ranking.records, sets)):
        own, difference = of_scores[i], of_differences[i]
        texts = ["may be the best"] * (low == 1) + [counted(ranking.submissions[i], "submission")]
        below = [element("small", text) for text in texts]
        rows.append([
            _two(str(rank), _span(low, high)),
            element("div", cut(record.submission.team), *below, class_="name"),
            _two(pages.score(record), _range(own)), _forest(own, scales[0]),
            _two(f"{difference[1]:.4f}", _range(difference)) if i else "",
            _forest(difference, scales[1], zero=True) if i else "",
        ])  # fmt: skip
    text = element("ul", *(element("li", line) for line in _sentences(pages, ranking)), class_="after")
    return card("ranking", "Ranking", "", *_rows(heads, rows, "Ranking"), text)


_Band = tuple[float, float, float]


def _score_bands(ranking: Ranking) -> list[_Band]:
    """Return lower end, score, and upper end for each team; three times the score without an interval."""
    scores, ends = [record.entry.score for record in ranking.records], ranking.intervals
    if ends is None:
        return [(score, score, score) for score in scores]
    low, high = (np.where(ends.standard_error > 0, end, scores).tolist() for end in (ends.low, ends.high))
    return list(zip(low, scores, high))


def _difference_bands(ranking: Ranking) -> list[_Band]:
    """Return the same for the difference of each team to the first one."""
    pairs, m = ranking.comparison.pairs, len(ranking.records)
    ends = (pairs.high_all, pairs.low_all) if m > 2 else (pairs.high, pairs.low)
    low, middle, high = (-np.nan_to_num(values[: m - 1]) for values in (ends[0], pairs.difference, ends[1]))
    return [(0.0, 0.0, 0.0), *zip(low.tolist(), (middle + 0.0).tolist(), high.tolist())]


def _ends(scale: tuple[float, float]) -> Element:
    """Return the ends of the scale of a forest plot."""
    return element("div", *(element("span", f"{end:.3f}") for end in scale), class_="ends")


def _span(low: int, high: int) -> str:
    return f"{low} to {high}" if low < high else str(low)


def _range(band: _Band) -> str:
    return f"{band[0]:.4f} to {band[2]:.4f}" if band[0] < band[2] else "no interval"


def _sentences(pages: RankingPages, ranking: Ranking) -> list[str]:
    """Return what the ranking means, for everyone."""
    compared, task, m = ranking.comparison, pages.task, len(ranking.records)
    n, over, lines = compared.n_items, ranking.records[0].entry.over, list[str]()
    groups = _alike(compared) if n >= LEAST_ITEMS else []
    if m > 1 and n < LEAST_ITEMS:
        lines.append(f"Every rank set holds all ranks: {counted(n, pages.unit)} are too few to say more.")
    elif groups:
        lines += [f"Ranks {low} to {high} are not distinguishable." for low, high in groups[:_MOST_SENTENCES]]
    elif m > 1:
        lines.append("All ranks are distinguishable.")
    if not np.isnan(compared.visible):
        text = f"With {over} a difference below about {compared.visible:.4f} between two teams cannot be seen"
        if difference := abs(float(compared.pairs.difference[0])):
            needed = f"{max(compared.items_needed(difference), 1):,.0f} {pages.unit}s"
            text += f"; one of {difference:.4f}, as between the first two, needs about {needed}"
        lines.append(f"{text}.")
    shown = [pages.score(record) for record in ranking.records]
    ties = [i for i in range(m - 1) if shown[i] == shown[i + 1] and compared.rank[i] != compared.rank[i + 1]]
    for i in ties[:_MOST_SENTENCES]:
        two = f"{cut(ranking.teams[i])} and {cut(ranking.teams[i + 1])}"
        lines.append(f"{two} are equal on the leaderboard and differ before rounding.")
    if m > 1:
        lines.append(
            "Whether the intervals of two scores overlap says nothing about their difference: all teams are "
            f"scored on the same {task.item}s. Read the differences"
            + (", whose intervals hold for all pairs of teams at once." if m > 2 else ".")
        )
    if pages.keep == "best" and max(ranking.submissions) > 1:
        lines.append("The best of several submissions of a team counts; this favors teams with many.")
    return lines


def _alike(compared: Comparison) -> list[tuple[int, int]]:
    """Return the ranks of the largest runs of teams of which no two are significantly different."""
    pairs, m = compared.pairs, len(compared.rank)
    nearest = np.full(m, m)
    np.minimum.at(nearest, pairs.first[pairs.is_significant], pairs.second[pairs.is_significant])
    # The end of the run that begins with each team: the nearest different team of any in it.
    ends = np.minimum.accumulate(nearest[::-1])[::-1]
    runs = [(i, end - 1) for i, end in enumerate(ends.tolist()) if not i or end > ends[i - 1]]
    ranked = [(int(compared.rank[i]), int(compared.rank[j])) for i, j in runs]
    return [(low, high) for low, high in ranked if low < high]


def _two(text: str, below: str) -> Element:
    """Return a text over a smaller one."""
    return element("div", text, element("small", below), class_="two")


def _forest(values: _Band, scale: tuple[float, float], zero: bool = False) -> Element:
    """Return an interval as a band and the value as a mark, on the scale of the whole table."""
    least, most = scale
    width = max(most - least, 1e-9)
    left, at, right, origin = (1 + 98 * (value - least) / width for value in (*values, 0.0))
    axis = (
        [element("line", x1=f"{origin:.2f}", y1=0, x2=f"{origin:.2f}", y2=10, class_="zero")] if zero else []
    )
    band = element("rect", x=f"{left:.2f}", y=3, width=f"{right - left:.2f}", height=4, class_="fill-band")
    mark = element("line", x1=f"{at:.2f}", y1=0, x2=f"{at:.2f}", y2=10, class_="mark")
    options = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return element("svg", *axis, band, mark, class_="forest", **options)


def _stability(ranking: Ranking) -> list[Element]:
    """Return a row for each of the first teams: the larger a blob, the more often the team has that rank."""
    shares = ranking.stability.shares
    n = min(len(shares), _MOST_DRAWN)
    rows = []
    for team, own in zip(ranking.teams[:n], shares[:n].tolist()):
        known = [(rank, share) for rank, share in enumerate(own[:n]) if share]
        circles = [
            element("circle", cx=f"{rank + 0.5}", cy="0.5", r=f"{0.48 * share**0.5:.3f}", class_="fill-b")
            for rank, share in known
        ]
        likely = ", ".join(f"rank {rank + 1} in {100 * share:.0f} %" for rank, share in known)
        svg = element(
            "svg", *circles, viewBox=f"0 0 {n} 1", role="img", aria_label=likely or "none of these ranks"
        )
        first = element("td", f"first in {100 * own[0]:.1f} %", class_="first")
        rows.append(element("tr", element("th", cut(team, 24), scope="row"), element("td", svg), first))
    if not rows:
        return []
    note = f"How often each team has each rank, 1 to {n} from left to right, in random halves of the items; "
    note += "shared ranks count for each team. This is a picture of how the ranking moves, not an interval. "
    note += (
        f"Kendall's tau-b between such a ranking and this one: {tau_text(ranking.stability.tau)} on average."
    )
    # A blob is 2rem wide, or less where the page is narrow.
    numbers = (element("span", str(rank + 1)) for rank in range(n))
    labels = element("div", *numbers, class_="ranks", style=f"max-width:{2 * n}rem")
    head = element("tr", element("th", "Rank", scope="row"), element("td", labels), element("td"))
    blobs = element("table", element("tbody", head, *rows), class_="blobs")
    return [card("stability", "Stability", note, scroll(blobs, "Stability"))]


def tau_text(tau: float) -> str:
    """Return Kendall's tau-b as text."""
    return "undefined" if np.isnan(tau) else f"{tau:.3f}"


def _protocols(pages: RankingPages, ranking: Ranking) -> list[Element]:
    """Return both protocols side by side, if there are two."""
    if not pages.other:
        return []
    index_of = {team: i for i, team in enumerate(pages.other.teams)}
    both = [(i, index_of[team]) for i, team in enumerate(ranking.teams) if team in index_of]
    indexes, others = np.array(both, dtype=np.intp).reshape(-1, 2).T
    here, there = ranking.comparison.rank, pages.other.comparison.rank
    tau = statistics.tau_b(here[indexes], there[others])
    rows: list[list[Cell]] = [
        [ranking.teams[i], int(here[i]), int(there[j]),
         pages.score(ranking.records[i]), pages.score(pages.other.records[j])]
        for i, j in both
    ]  # fmt: skip
    columns = [Column("Team"), Column("Rank here", "count"), Column("Rank by the other protocol", "count")]
    columns += [Column("Score here"), Column("Score by the other protocol")]
    note = f"This page ranks by the protocol {pages.protocol}. "
    note += f"Kendall's tau-b between both rankings: {tau_text(tau)}."
    return [card("protocols", "Both protocols", note, *table(columns, rows, "Both protocols", _MOST_ROWS))]


def _method(pages: RankingPages, ranking: Ranking) -> Element:
    over, m = ranking.records[0].entry.over, len(ranking.records)
    n, item, n_pairs = ranking.comparison.n_items, pages.task.item, m * (m - 1) // 2
    entries = [
        f"Halves: the reference ({over}) was divided at random into two halves "
        f"{counted(ranking.half_samples, 'time')} (seed {SEED}), the same halves for all teams, and each "
        "half was scored (McCarthy 1969; Shao and Wu, Annals of Statistics 1989). The spread of these scores "
        "gives standard errors.",
        "Intervals of scores: Student's t with a correction for skewness (Efron 1987; DiCiccio and Efron "
        f"1992) and an allowance for bias; 95 of 100 hold the score over all such {item}s"
        f"{caution(n, pages.unit)}.",
        "Significant differences: a t test of the difference of scores of each pair of teams, adjusted for "
        f"{counted(n_pairs, 'pair')} (Holm, Scandinavian Journal of Statistics 1979); two teams are "
        f"significantly different if the adjusted p value is below {SIGNIFICANT}.",
        "Rank sets: from 1 + the number of teams that are significantly better, to the number of teams less "
        "those that are significantly worse. All sets together hold all true ranks in at least 95 of 100 "
        "cases (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024). A team may be the "
        "best if its set begins with 1.",
        f"All this is about other {item}s of the same kind. It says nothing about other kinds of data, nor "
        "about training a method again.",
    ]
    signature = element("p", "Signature: ", element("code", cut(ranking.records[0].entry.signature, 1000)))
    return card("method", "Method", "", element("ul", *(element("li", text) for text in entries)), signature)


def _pairs(ranking: Ranking) -> list[Element]:
    """Return the matrix of adjusted p values of the first teams."""
    if len(ranking.records) < 2:
        return []
    names = [cut(team, 24) for team in ranking.teams[:_MOST_DRAWN]]
    pairs = ranking.comparison.pairs
    shown = np.flatnonzero(pairs.second < len(names))
    columns = pairs.first, pairs.second, pairs.p_adjusted, pairs.low_all * pairs.high_all < 0
    cell_of = {(i, j): (p, wide) for i, j, p, wide in zip(*(column[shown].tolist() for column in columns))}
    heads = (element("th", element("span", name), scope="col") for name in names)
    rows = []
    for i, name in enumerate(names):
        row = element("tr", element("th", name, scope="row"))
        for j in range(len(names)):
            p, wide = cell_of.get((min(i, j), max(i, j)), (np.nan, False))
            is_apart = p < SIGNIFICANT
            text = p_text(p) + (" (Holm)" if is_apart and wide else "")
            row.append(element("td", text, class_=("better" if i < j else "worse") if is_apart else "open"))
        rows.append(row)
    note = (
        f"Adjusted p values of the first {counted(len(names), 'team')}; green: the team of the row is "
        "significantly better, red: significantly worse. “(Holm)”: the interval for all pairs holds 0."
    )
    head = element("thead", element("tr", element("td"), *heads))
    matrix = element("table", head, element("tbody", *rows), class_="matrix")
    return [card("pairs", "Pairs", f"{note} All numbers: pairs.csv.", scroll(matrix, "Pairs"))]


def p_text(p: float) -> str:
    """Return a p value with two significant digits, "" if it is NaN."""
    return "" if np.isnan(p) else "< 0.0001" if p < 0.0001 else f"{p:#.2g}"


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
    best = max if pages.task.higher_is_better else min
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
    kind = "share" if all(0 <= row[1] <= 1 for row in hardest) else "number"
    columns = [Column(item.capitalize()), Column("Mean over teams", kind), Column("Spread", "number")]
    columns.append(Column("Teams", "count"))
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
    note += f"Kendall's tau-b between both rankings: {tau_text(pages.history.tau_b())}."
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
