"""The cards of a ranking's pages.

Functions whose name is a plural return no card where there is nothing to show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import accumulate
from xml.etree.ElementTree import Element

import numpy as np

from organizer.ranking.changes import Change, changes_tau_b
from organizer.ranking.end_labels import end_labels
from organizer.ranking.run import RankingRun
from organizer.ranking.statistics import Ranking, tau_b
from organizer.ranking.tables import hardest_items
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.report import standings as report
from scoring_program.report.elements import plots
from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.layout import card, scroll
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import cut, cut_middle, element
from scoring_program.report.standings import LONGEST_NAME, MOST_DRAWN, OPEN_ROWS
from scoring_program.result import Line
from validator.texts import counted

_MOST_LINES = 10
_MOST_ROWS = 5000
_LONGEST_PROBLEM = 300
# The share of the distance between two ranks that the largest blob fills.
_LARGEST_RADIUS = 0.48
_SUBMISSION_HEADINGS = [Heading("Submission"), Heading("Team"), Heading("Outcome")]


def nothing_scored_card() -> Element:
    """Return the card in place of a ranking."""
    return card("ranking", "Ranking", "", "No submission was scored.")


def ranking_card(run: RankingRun, ranking: Ranking) -> Element:
    """Return the table of teams, and what it means."""
    standings = run.standings(ranking)
    details, is_covered = [], True
    for record, n_submissions in zip(ranking.records, ranking.submissions):
        team_details = [counted(n_submissions, "submission")]
        coverage = record.entry.scores["coverage"]
        if coverage < 1:
            team_details.append(f"coverage {coverage:.{standings.decimals}f}")
            is_covered = False
        details.append(team_details)
    lines = [f"Possible ranks: those that a team may have over all such {run.task.item}s (its rank set)."]
    if not is_covered:
        lines.append("Coverage: the share of the reference that a team has submitted; 1 where none is shown.")
    lines += report.sentences(standings)
    if run.about.keep == "best" and max(ranking.submissions) > 1:
        lines.append("The best of several submissions of a team counts; this favors teams with many.")
    text = element("ul", *(element("li", line) for line in lines), class_="after")
    return card("ranking", "Ranking", "", *report.standings_table(standings, "Ranking", details), text)


def winner_cards(run: RankingRun, ranking: Ranking) -> list[Element]:
    """Return who reaches the line that a winner must reach, if there is a rule."""
    winner = run.winner
    if winner is None:
        return []
    standings = run.standings(ranking)
    rows = list[list[Cell]]()
    for place, team in enumerate(ranking.teams):
        verdict = "reaches it" if winner.passes[place] else "does not reach it"
        band = winner.band(place, standings.decimals)
        difference = f"{band.value:.{standings.decimals}f}"
        margin = report.text_over_text(difference, report.band_text(band, standings.decimals))
        rows.append([cut(team, LONGEST_NAME), standings.score_texts[place], verdict, margin])
    headings = [
        Heading("Team"),
        Heading("Score"),
        Heading("The line"),
        Heading(report.text_over_text("Score less the line", "95 % interval")),
    ]
    title = "Rule for winners"
    texts = " ".join(winner_sentences(run, ranking))
    return [card("winners", title, texts, *table(headings, rows, title, OPEN_ROWS))]


def winner_sentences(run: RankingRun, ranking: Ranking) -> list[str]:
    """Return the line of the rule for winners, and how many teams reach it; nothing without a rule."""
    winner = run.winner
    if winner is None:
        return []
    decimals = run.standings(ranking).decimals
    higher = ranking.higher_is_better
    share = f"{100 * winner.rule.relative_gain:g} %"
    name = cut(winner.rule.baseline, LONGEST_NAME)
    line = f"{winner.score:.{decimals}f}"
    direction = "above" if higher else "below"
    sentences = [
        f"A winner needs a score at least {share} {direction} that of {name} "
        f"({winner.baseline_score:.{decimals}f}), which is {line}.",
        f"{winner.n_passing:,} of {counted(len(ranking.records), 'team')} reach it.",
    ]
    best = run.task.range[1] if higher else run.task.range[0]
    if best is not None and (winner.score > best if higher else winner.score < best):
        sentences.append(f"No score can reach it: the best possible one is {best:g}.")
    if winner.margins is None:
        sentences.append("There is no interval: only the score of the baseline is known, or items are few.")
    return sentences


def stability_cards(ranking: Ranking) -> list[Element]:
    """Return a row for each of the first teams: the larger a blob, the more often the team has that rank."""
    n_drawn = min(len(ranking.stability.shares), MOST_DRAWN)
    if not n_drawn:
        return []
    body = element("tbody", _rank_numbers_row(n_drawn))
    for team, shares in zip(ranking.teams, ranking.stability.shares[:n_drawn].tolist()):
        body.append(_blobs_row(team, shares[:n_drawn]))
    blobs = scroll(element("table", body, class_="blobs"), "Stability")
    note = f"How often each team has each rank, 1 to {n_drawn} from left to right, in random halves of the "
    note += "items; shared ranks count for each team. This is a picture of how the ranking moves, not an "
    note += "interval. "
    note += tau_sentence("this ranking and that of a half, on average", ranking.stability.tau)
    if more := len(ranking.records) - n_drawn:
        note += f" {counted(more, 'more team')} not drawn."
    return [card("stability", "Stability", note, blobs)]


def _rank_numbers_row(n_ranks: int) -> Element:
    """Return the ranks above the blobs. A blob is 2rem wide, or less where the page is narrow."""
    numbers = [element("span", str(rank)) for rank in range(1, n_ranks + 1)]
    labels = element("div", *numbers, class_="ranks", style=f"max-width:{2 * n_ranks}rem")
    heading = element("th", "Rank", scope="row")
    return element("tr", heading, element("td", labels), element("td"))


def _blobs_row(team: str, shares: Sequence[float]) -> Element:
    """Return the row of a team, whose share of random halves at each rank is the area of a blob."""
    blobs, texts = [], []
    for index, share in enumerate(shares):
        if share:
            place = {"cx": f"{index + 0.5}", "r": f"{_LARGEST_RADIUS * share**0.5:.3f}"}
            blobs.append(element("circle", cy="0.5", class_="fill-f", **place))
            texts.append(f"rank {index + 1} in {100 * share:.0f} %")
    description = ", ".join(texts) or "none of these ranks"
    svg = element("svg", *blobs, viewBox=f"0 0 {len(shares)} 1", role="img", aria_label=description)
    name = element("th", cut(team, LONGEST_NAME), scope="row")
    first = element("td", f"first in {100 * shares[0]:.1f} %", class_="first")
    return element("tr", name, element("td", svg), first)


def tau_sentence(what: str, tau: float) -> str:
    """Return Kendall's tau-b between two rankings as a sentence."""
    text = f"{tau:.3f}"
    if np.isnan(tau):
        text = "undefined, because fewer than two teams are in both, or all share a rank"
    return f"Kendall's tau-b between {what}: {text}."


def protocol_cards(run: RankingRun, ranking: Ranking, other: Ranking | None) -> list[Element]:
    """Return both protocols side by side, if there are two."""
    if other is None:
        return []
    other_place = {team: place for place, team in enumerate(other.teams)}
    rows, ranks_here, ranks_there = list[list[Cell]](), [], []
    for place, team in enumerate(ranking.teams):
        if team not in other_place:
            continue
        there = other_place[team]
        ranks_here.append(ranking.comparison.rank[place])
        ranks_there.append(other.comparison.rank[there])
        score_here = run.score_text(ranking.records[place])
        score_there = run.score_text(other.records[there])
        ranks = [str(ranks_here[-1]), str(ranks_there[-1])]
        rows.append([cut(team, LONGEST_NAME), *ranks, score_here, score_there])
    tau = tau_b(np.array(ranks_here, dtype=np.int64), np.array(ranks_there, dtype=np.int64))
    note = f"This page ranks by the protocol {run.protocol}. {tau_sentence('both rankings', tau)}"
    if n_in_one := len(ranking.teams) + len(other.teams) - 2 * len(rows):
        note += f" {counted(n_in_one, 'team')} ranked by one protocol only."
    title = "Both protocols"
    headings = [
        Heading("Team"),
        Heading("Rank here"),
        Heading("Rank by the other protocol"),
        Heading("Score here"),
        Heading("Score by the other protocol"),
    ]
    return [card("protocols", title, note, *table(headings, rows, title, OPEN_ROWS))]


def method_card(run: RankingRun, ranking: Ranking) -> Element:
    """Return how the ranking was computed, and the signature."""
    return report.method_card(run.standings(ranking), ranking.signature, ranking.half_samples)


def pair_cards(run: RankingRun, ranking: Ranking) -> list[Element]:
    """Return the p values of all pairs of the first teams, if there are several."""
    if len(ranking.records) < 2:
        return []
    return [report.pairs_card(run.standings(ranking), "pairs.csv")]


def coverage_cards(run: RankingRun, ranking: Ranking) -> list[Element]:
    """Return a chart of score against coverage, if a team left anything out."""
    entries = [record.entry for record in ranking.records]
    if all(entry.scores["coverage"] == 1 for entry in entries):
        return []
    title = run.task.columns[0].title
    x_axis = Axis("coverage", 0.0, 1.0)
    y_axis = Axis(title, 0.0, max([1.0, *(entry.score for entry in entries)]))
    dots = []
    for record in ranking.records:
        x = x_axis.percent(record.entry.scores["coverage"])
        y = 100 - y_axis.percent(record.entry.score)
        name = element("title", cut(record.submission.team))
        dots.append(element("path", name, class_="dot", d=f"M{x:.2f} {y:.2f} h0"))
    chart = plots.plot(f"{title} against coverage", x_axis, y_axis, dots)
    note = "A fair score at low coverage means that items were left out rather than wrong."
    return [card("coverage", "Score and coverage", note, chart)]


def progress_cards(run: RankingRun, ranking: Ranking) -> list[Element]:
    """Return the best score of each team up to each day, for the first teams, if dates are known."""
    dated_scores = _dated_scores(run.records)
    if not dated_scores:
        return []
    days = [day for scores in dated_scores.values() for day, _ in scores]
    first_day = min(days)
    last = (max(days) - first_day).days
    best = max if run.task.higher_is_better else min
    lines = []
    for team in [team for team in ranking.teams if team in dated_scores][:_MOST_LINES]:
        scores = sorted(dated_scores[team])
        lines.append(_staircase(team, [((day - first_day).days, score) for day, score in scores], last, best))
    values = [value for line in lines for value in line.y]
    x_axis = Axis(f"days since {first_day}", 0.0, float(max(last, 1)), is_whole=True)
    y_axis = Axis("best score so far", min(0.0, *values), max(1.0, *values))
    title = "Progress"
    description = f"{title}: {y_axis.title} against {x_axis.title}"
    chart = plots.line_chart(description, x_axis, y_axis, lines, texts=end_labels(lines, y_axis))
    note = f"The best score up to each day, of the first {counted(len(lines), 'team')} of "
    note += f"{len(dated_scores):,}."
    return [card("progress", title, note, chart)]


def _dated_scores(records: Sequence[Record]) -> dict[str, list[tuple[date, float]]]:
    """Return the day and the score of each submission by team, of those that have both."""
    dated_scores: dict[str, list[tuple[date, float]]] = {}
    for record in records:
        day = _date(record.submission.date)
        if record.entry.outcome == SCORED and day is not None:
            dated_scores.setdefault(record.submission.team, []).append((day, record.entry.score))
    return dated_scores


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _staircase(
    team: str, day_scores: Sequence[tuple[int, float]], last: int, best: Callable[[float, float], float]
) -> Line:
    """Return a line on which each best score holds until the next one, the last until the last day."""
    days = [day for day, _ in day_scores]
    best_so_far = list(accumulate((score for _, score in day_scores), best))
    x, y = list[float](), list[float]()
    for day, next_day, score in zip(days, [*days[1:], last], best_so_far):
        x += [day, next_day]
        y += [score, score]
    return Line(team, x, y)


def items_card(run: RankingRun, ranking: Ranking) -> Element:
    """Return the items with the worst mean score over the teams."""
    item = run.task.item
    scored_items = [row for row in hardest_items(ranking) if not np.isnan(row.mean)]
    # A bar ends at 1, which errors in units of the task do not.
    is_share = all(0 <= row.mean <= 1 for row in scored_items)
    note = "If no team is right, the annotation may be wrong."
    if len(scored_items) > MOST_DRAWN:
        note += f" The first {MOST_DRAWN} of {len(scored_items):,}; all: items.csv."
    headings = [
        Heading(item.capitalize(), "text"),
        Heading("Mean over teams", "share" if is_share else "number"),
        Heading("Spread", "number"),
        Heading("Teams", "count"),
    ]
    return card("items", f"Hardest {item}s", note, *table(headings, scored_items[:MOST_DRAWN], "Hardest"))


def failed_cards(run: RankingRun, links: Mapping[str, str]) -> list[Element]:
    """Return the submissions without a score, each with its first problem."""
    rows = list[list[Cell]]()
    for record in run.records:
        if record.entry.outcome != SCORED:
            problem = element("div", cut(record.entry.problem, _LONGEST_PROBLEM), class_="reason")
            rows.append([problem, *_submission_cells(record, links)])
    if not rows:
        return []
    title = "Submissions without a score"
    headings = [Heading("First problem"), *_SUBMISSION_HEADINGS]
    return [card("failed", title, "", *table(headings, rows, title, OPEN_ROWS))]


def equal_file_cards(run: RankingRun, links: Mapping[str, str]) -> list[Element]:
    """Return the submissions of different teams that are the same file."""
    records_of_digest: dict[str, list[Record]] = {}
    for record in run.records:
        records_of_digest.setdefault(record.digest, []).append(record)
    rows = list[list[Cell]]()
    for digest, records in records_of_digest.items():
        teams = {record.submission.team for record in records}
        if len(teams) > 1:
            rows += [[digest[:8], *_submission_cells(record, links)] for record in records]
    if not rows:
        return []
    title, note = "Equal submissions", "Files of different teams with the same bytes, by their SHA-256."
    headings = [Heading("File"), *_SUBMISSION_HEADINGS]
    return [card("equal", title, note, *table(headings, rows, title, OPEN_ROWS))]


def change_cards(changes: Sequence[Change]) -> list[Element]:
    """Return the teams whose rank, score or submission changed since the last run, if there was one."""
    if not changes:
        return []
    title = "What changed"
    note = "Against the last run with another signature or other submissions. "
    note += tau_sentence("both rankings", changes_tau_b(changes))
    headings = [
        Heading("Team", "text"),
        Heading("Rank before", "count"),
        Heading("Rank", "count"),
        Heading("Score before", "number"),
        Heading("Score", "number"),
        Heading("What differs", "text"),
    ]
    rows = [change for change in changes if change.has_effect]
    return [card("changes", title, note, *table(headings, rows, title, most=_MOST_ROWS))]


def submissions_card(run: RankingRun, links: Mapping[str, str]) -> Element:
    """Return all submissions with their outcome and score."""
    rows = [[*_submission_cells(record, links), run.score_text(record)] for record in run.records]
    title = "All submissions"
    headings = [*_SUBMISSION_HEADINGS, Heading("Score")]
    return card("submissions", title, "Names link to detail pages.", *table(headings, rows, title, OPEN_ROWS))


def _submission_cells(record: Record, links: Mapping[str, str]) -> list[Cell]:
    """Return the cells below `_SUBMISSION_HEADINGS`."""
    name = record.submission.name
    link = element("a", cut_middle(name), href=links[name])
    return [link, cut(record.submission.team), record.entry.outcome]
