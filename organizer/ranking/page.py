"""The pages of a ranking, without scripts: ``index.html`` for the organizers, ``ranking.html`` to publish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from organizer.bundle import DEMO_TITLE
from organizer.ranking import statistics
from organizer.ranking.statistics import Ranking
from organizer.ranking.tables import History, hardest_items
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Overlap, Record, overlap_with_reference
from scoring_program.report import charts, standings
from scoring_program.report.html import Child, cut, cut_middle, element
from scoring_program.report.page import card, contents, document, scroll, style, table
from scoring_program.report.standings import LONGEST_NAME, MOST_DRAWN, Baseline, Standings, folded_table
from scoring_program.result import Column, Line, LineChart
from scoring_program.task import AnyTask
from validator.texts import counted

_MOST_LINES = 10
_WHOSE = ("Submission", "Team", "Outcome")
_MOST_ROWS = 5000
_DECIMALS = 4
_NOT_PUBLIC = "For the organizers only: it names items of the hidden reference. "
_NOT_PUBLIC += "Publish ranking.html instead."
_DEMO = "DEMO: the reference is synthetic demo data, so this ranking says nothing about methods."


@dataclass(frozen=True)
class About:
    """What organizers say about a ranking: ``keep`` is the submission of a team that counts, best or last;
    ``is_demo`` says that the reference is synthetic; title and ISO date are "" if unknown."""

    competition: str = ""
    is_demo: bool = False
    date: str = ""
    keep: str = "best"
    baselines: Sequence[Baseline] = ()


@dataclass(frozen=True)
class RankingPages:
    """The content of the pages: ``links`` to the detail pages, ``other`` is by the other protocol."""

    task: AnyTask
    records: Sequence[Record]
    ranking: Ranking | None
    history: History
    links: dict[str, str]
    protocol: str
    other: Ranking | None
    about: About = About()

    def score(self, record: Record) -> str:
        """Return the score of a submission as the leaderboard shows it, "" without one."""
        best, scores = self.task.columns[0], record.entry.scores
        return f"{scores[best.key]:.{best.precision}f}" if best.key in scores else ""

    @property
    def title(self) -> str:
        """The competition and the task."""
        both = dict.fromkeys(filter(None, (self.about.competition, self.task.title)))
        return f"{DEMO_TITLE if self.about.is_demo else ''}{': '.join(both)}"


def standings_of(pages: RankingPages, ranking: Ranking) -> Standings:
    """Return the teams as the parts of pages that all comparisons share take them."""
    records, compared = ranking.records, ranking.comparison
    return Standings(
        pages.task,
        ranking.teams,
        [pages.score(record) for record in records],
        [record.entry.score for record in records],
        compared,
        ranking.intervals,
        records[0].entry.over,
        pages.task.item if compared.n_items == len(ranking.items) else "group",
        "team",
        pages.about.baselines,
        min(_DECIMALS, records[0].entry.decimals),
    )


def ranking_page(pages: RankingPages) -> str:
    """Return the page to publish: the ranking, how sure it is, and the method."""
    return render_page(pages, "Ranking", _public(pages))


def index_page(pages: RankingPages) -> str:
    """Return the page for the organizers: the published page, and results that must not be published."""
    cards, warnings = _public(pages), phases_warning(pages.records)
    cards[1:1] = [*_failed(pages), *_equal(pages)]
    if ranking := pages.ranking:
        if len(ranking.records) > 1:
            cards.append(standings.pairs_card(standings_of(pages, ranking), "pairs.csv"))
        cards += [*_coverage(pages, ranking), *_progress(pages, ranking)]
        cards.append(_items(pages, ranking))
        warnings.append(_NOT_PUBLIC)
    cards += [*_changes(pages), _submissions(pages)]
    overlaps = {overlap_with_reference(record.entry) for record in pages.records}
    if Overlap.NONE in overlaps and Overlap.SOME not in overlaps:
        warnings.append("No item of any submission is in the reference: it may be the wrong one.")
    return render_page(pages, "Ranking, for the organizers", cards, warnings)


def phases_warning(records: Sequence[Record]) -> list[str]:
    """Return a warning if there are submissions of several phases."""
    phases = sorted({record.submission.phase for record in records} - {""}, key=int)
    text = f"Submissions of several phases (PhaseId {', '.join(phases)}) are ranked together."
    return [text] if len(phases) > 1 else []


def render_page(pages: RankingPages, title: str, cards: list[Element], warnings: Sequence[str] = ()) -> str:
    """Return a page of a ranking."""
    ranking, scored = pages.ranking, sum(record.entry.outcome == SCORED for record in pages.records)
    text = f"{counted(len(ranking.records) if ranking else 0, 'team')} ranked; "
    text += f"{scored:,} of {counted(len(pages.records), 'submission')} scored"
    text += f", over {ranking.records[0].entry.over}" if ranking else ""
    text += f"; protocol: {pages.protocol}" if pages.protocol else ""
    head = [element("h1", title), element("p", f"{text}{pages.about.date and '; '}{pages.about.date}.")]
    for warning in [*([_DEMO] if pages.about.is_demo else []), *warnings]:
        head.append(element("p", element("strong", warning, class_="bad")))
    own = style("standings.css") + (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    body = [element("div", *cards[:1]), contents(cards), element("div", *cards[1:])]
    return document(pages.title, head, body, own)


def _public(pages: RankingPages) -> list[Element]:
    if not pages.ranking:
        return [card("ranking", "Ranking", "", "No submission was scored.")]
    signature = pages.ranking.signature
    return [
        _ranking(pages, pages.ranking),
        *_stability(pages.ranking),
        *_protocols(pages, pages.ranking),
        standings.method_card(standings_of(pages, pages.ranking), signature, pages.ranking.half_samples),
    ]


def _ranking(pages: RankingPages, ranking: Ranking) -> Element:
    """Return the table of teams, and what it means."""
    teams, below = standings_of(pages, ranking), []
    for record, number in zip(ranking.records, ranking.submissions):
        coverage = record.entry.scores["coverage"]
        left_out = [f"coverage {coverage:.{teams.decimals}f}"] if coverage < 1 else []
        below.append([counted(number, "submission"), *left_out])
    lines = [f"Possible ranks: those that a team may have over all such {pages.task.item}s (its rank set)."]
    if any(record.entry.scores["coverage"] < 1 for record in ranking.records):
        lines.append("Coverage: the share of the reference that a team has submitted; 1 where none is shown.")
    lines += standings.sentences(teams)
    if pages.about.keep == "best" and max(ranking.submissions) > 1:
        lines.append("The best of several submissions of a team counts; this favors teams with many.")
    text = element("ul", *(element("li", line) for line in lines), class_="after")
    return card("ranking", "Ranking", "", *standings.forest_table(teams, "Ranking", below), text)


def _stability(ranking: Ranking) -> list[Element]:
    """Return a row for each of the first teams: the larger a blob, the more often the team has that rank."""
    shares = ranking.stability.shares
    n = min(len(shares), MOST_DRAWN)
    rows = []
    for team, own in zip(ranking.teams[:n], shares[:n].tolist()):
        known = [(rank, share) for rank, share in enumerate(own[:n]) if share]
        places = ({"cx": f"{rank + 0.5}", "r": f"{0.48 * share**0.5:.3f}"} for rank, share in known)
        circles = [element("circle", cy="0.5", class_="fill-f", **place) for place in places]
        shown = [f"rank {rank + 1} in {100 * share:.0f} %" for rank, share in known]
        likely = ", ".join(shown) or "none of these ranks"
        svg = element("svg", *circles, viewBox=f"0 0 {n} 1", role="img", aria_label=likely)
        first = element("td", f"first in {100 * own[0]:.1f} %", class_="first")
        name = element("th", cut(team, LONGEST_NAME), scope="row")
        rows.append(element("tr", name, element("td", svg), first))
    if not rows:
        return []
    m = len(ranking.records)
    note = f"How often each team has each rank, 1 to {n} from left to right, in random halves of the items; "
    note += "shared ranks count for each team. This is a picture of how the ranking moves, not an interval. "
    note += tau_sentence("this ranking and that of a half, on average", ranking.stability.tau)
    note += f" {counted(m - n, 'more team')} not drawn." if m > n else ""
    # A blob is 2rem wide, or less where the page is narrow.
    numbers = (element("span", str(rank + 1)) for rank in range(n))
    labels = element("div", *numbers, class_="ranks", style=f"max-width:{2 * n}rem")
    head = element("tr", element("th", "Rank", scope="row"), element("td", labels), element("td"))
    blobs = element("table", element("tbody", head, *rows), class_="blobs")
    return [card("stability", "Stability", note, scroll(blobs, "Stability"))]


def tau_sentence(what: str, tau: float) -> str:
    """Return Kendall's tau-b between two rankings as a sentence."""
    undefined = "undefined, because fewer than two teams are in both, or all share a rank"
    return f"Kendall's tau-b between {what}: {undefined if np.isnan(tau) else f'{tau:.3f}'}."


def _protocols(pages: RankingPages, ranking: Ranking) -> list[Element]:
    """Return both protocols side by side, if there are two."""
    if not pages.other:
        return []
    index_of = {team: i for i, team in enumerate(pages.other.teams)}
    both = [(i, index_of[team]) for i, team in enumerate(ranking.teams) if team in index_of]
    indexes, others = np.array(both, dtype=np.intp).reshape(-1, 2).T
    here, there = ranking.comparison.rank, pages.other.comparison.rank
    tau = statistics.tau_b(here[indexes], there[others])
    rows = []
    for i, j in both:
        scores = pages.score(ranking.records[i]), pages.score(pages.other.records[j])
        rows.append([cut(ranking.teams[i], LONGEST_NAME), str(here[i]), str(there[j]), *scores])
    heads = ["Team", "Rank here", "Rank by the other protocol", "Score here", "Score by the other protocol"]
    note = f"This page ranks by the protocol {pages.protocol}. {tau_sentence('both rankings', tau)}"
    only = len(ranking.teams) + len(index_of) - 2 * len(both)
    note += f" {counted(only, 'team')} ranked by one protocol only." if only else ""
    return [card("protocols", "Both protocols", note, *folded_table(heads, rows, "Both protocols"))]


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
    note = "A fair score at low coverage means that items were left out rather than wrong."
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
    last = max((day - first).days for entries in dated.values() for day, _ in entries)
    best = max if pages.task.higher_is_better else min
    lines = []
    for team in [team for team in ranking.teams if team in dated][:_MOST_LINES]:
        days, scores = zip(*sorted(dated[team]))
        # A staircase: each score holds until the day of the next one, the best of all until the last day.
        at = [(day - first).days for day in days for _ in range(2)]
        lines.append(Line(team, [*at[1:], last], [y for y in accumulate(scores, best) for _ in range(2)]))
    ends = [value for line in lines for value in line.y]
    ranges = (0.0, float(max(last, 1)), min(0.0, *ends), max(1.0, *ends))
    title = "Progress"
    chart = LineChart("progress", title, "", lines, f"days since {first}", "best score so far", ranges)
    note = f"The best score up to each day, of the first {counted(len(lines), 'team')} of {len(dated):,}."
    return [card("progress", title, note, charts.lines(chart, named=True))]


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
    more = f" The first {MOST_DRAWN} of {len(hardest):,}; all: items.csv." * (len(hardest) > MOST_DRAWN)
    note = f"If no team is right, the annotation may be wrong.{more}"
    return card("items", f"Hardest {item}s", note, *table(columns, hardest[:MOST_DRAWN], "Hardest", 99))


def _failed(pages: RankingPages) -> list[Element]:
    title, rows = "Submissions without a score", list[list[Child]]()
    for record in pages.records:
        if record.entry.outcome != SCORED:
            reason = element("div", cut(record.entry.problem, 300), class_="reason")
            rows.append([reason, *_whose(pages, record)])
    return [card("failed", title, "", *folded_table(["First problem", *_WHOSE], rows, title))] if rows else []


def _equal(pages: RankingPages) -> list[Element]:
    by_digest: dict[str, list[Record]] = {}
    for record in pages.records:
        by_digest.setdefault(record.digest, []).append(record)
    groups = [own for own in by_digest.values() if len({record.submission.team for record in own}) > 1]
    rows = [[record.digest[:8], *_whose(pages, record)] for own in groups for record in own]
    title, note = "Equal submissions", "Files of different teams with the same bytes, by their SHA-256."
    return [card("equal", title, note, *folded_table(["File", *_WHOSE], rows, title))] if rows else []


def _changes(pages: RankingPages) -> list[Element]:
    changes = pages.history.changes()
    if not changes:
        return []
    rows = [c for c in changes if (c.rank_before, c.score_before) != (c.rank, c.score) or c.why]
    columns = [Column("Team"), Column("Rank before", "count"), Column("Rank", "count")]
    columns += [Column("Score before", "number"), Column("Score", "number"), Column("What differs")]
    note = "Against the last run with another signature or other submissions. "
    note += tau_sentence("both rankings", pages.history.tau_b())
    return [card("changes", "What changed", note, *table(columns, rows, "What changed", _MOST_ROWS))]


def _submissions(pages: RankingPages) -> Element:
    rows = [[*_whose(pages, record), pages.score(record)] for record in pages.records]
    title = "All submissions"
    rendered = folded_table([*_WHOSE, "Score"], rows, title)
    return card("submissions", title, "Names link to detail pages.", *rendered)


def _whose(pages: RankingPages, record: Record) -> list[Child]:
    """Return the first cells of a row about a submission."""
    name = record.submission.name
    link = element("a", cut_middle(name), href=pages.links[name])
    return [link, cut(record.submission.team), record.entry.outcome]
