"""The HTML detail page: one static file, no script, no request to anywhere.

There are four pages: while scoring runs, when it is done, when the submission is invalid, and when the
organizer's side is broken. Each is a tree of elements; text never becomes markup. Sections are cards: tables
folded after their first rows, charts, and timelines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.report import charts
from scoring_program.report.html import Child, append, cut, element, render
from scoring_program.result import (
    GROUND_TRUTH,
    PREDICTION,
    BodyFigure,
    Cell,
    Column,
    Drawings,
    ErrorCost,
    Histogram,
    Interval,
    LineChart,
    Matrix,
    Result,
    Section,
    StackedBar,
    Table,
    Timeline,
    columns,
)
from validator.findings import Findings
from validator.messages import Note
from validator.texts import counted

if TYPE_CHECKING:
    from scoring_program.task import Declaration, ScoreColumn

LARGEST_PAGE = 2_000_000
# With drawings, which may have images.
LARGEST_DRAWN_PAGE = 10_000_000
ROUGH_BELOW = 30
# Decimals of intervals and costs.
_DECIMALS = 4
# The title while the task is not known yet.
NO_TASK = "Scoring"
ORGANIZERS_SIDE = "The organizer's side is broken"
UNUSABLE = "Your reference cannot be used"
FAILED = "The scoring program failed"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_MOST_ENTRIES = 500
OPEN_ROWS = 20
OPEN_TIMELINES = 10
_OPEN_DRAWINGS = 2
_MOST_COLUMNS_OF_A_PAIR = 3
_OPEN_NOTES = 3


def running_page() -> str:
    """Return the page that is there until scoring ends, and stays if it is stopped."""
    text = "The submission is being checked and scored. If this page stays, the run was stopped: see its log."
    head = [element("h1", "Scoring has begun")]
    return document(NO_TASK, head, [card("run-wait", "Please wait", text)])


def result_page(task: Declaration, result: Result, signature: str) -> str:
    """Return the page of a scored submission: at most `LARGEST_PAGE` bytes, or `LARGEST_DRAWN_PAGE` with
    drawings, with shorter lists if need be."""
    is_drawn = any(isinstance(section, Drawings) for section in result.sections)
    largest = LARGEST_DRAWN_PAGE if is_drawn else LARGEST_PAGE
    limit = _MOST_ENTRIES
    text = _result_page(task, result, signature, limit)
    while len(text.encode("utf-8", "replace")) > largest and limit > 1:
        limit //= 2
        text = _result_page(task, result, signature, limit)
    return text


def _result_page(task: Declaration, result: Result, signature: str, limit: int) -> str:
    main = task.columns[0]
    score = result.scores[main.key]
    verdict = element("p", element("strong", "Valid and scored", class_="good"))
    head = [element("h1", f"{main.title} {_score_text(main, result)}"), verdict]
    if result.halves:
        append(verdict, f" · {_interval_text(task, result, result.halves.n_items)}")
    if result.interval and result.interval.standard_error and task.range == (0, 1):
        head.append(charts.interval_strip(result.interval, score))
    costs = cost_cards(task, result.error_costs, score, result.interval, result.decimals)
    first = [*_notes(result.notes, limit), *costs]
    rest = [_scores(task, result, signature), *cards(result.sections, limit)]
    body = [element("div", *first), contents([*first, *rest]), element("div", *rest)]
    drawn = any(isinstance(section, (Drawings, Timeline)) for section in result.sections)
    return document(task.title, head, body, style("drawings.css") if drawn else "")


def score_line(task: Declaration, result: Result) -> str:
    """Return the score with its interval in words, for the log."""
    main = task.columns[0]
    over = f", {_interval_text(task, result, result.halves.n_items)}" if result.halves else ""
    return f"{main.title} {_score_text(main, result)}{over}"


def cost_lines(task: Declaration, result: Result) -> list[str]:
    """Return what each type of error costs, for the log."""
    titles = {error_type.key: error_type.title for error_type in task.error_types}
    return [f"{titles[own.error_type]} {_short(own.points, result.decimals)}" for own in result.error_costs]


def _score_text(column: ScoreColumn, result: Result) -> str:
    return f"{result.scores[column.key]:.{min(column.precision, result.decimals)}f}"


def _short(value: float, decimals: int) -> str:
    """Return an end of an interval or a cost as text."""
    return f"{value:.{min(_DECIMALS, decimals)}f}"


def _interval_text(task: Declaration, result: Result, n_items: int) -> str:
    interval = result.interval
    if interval is None:
        return f"over {counted(n_items, task.item)}, too few for an interval"
    if not interval.standard_error:
        return f"over {interval.over}; all halves score the same: no interval can be given"
    low, high = (_short(end, result.decimals) for end in (interval.low, interval.high))
    return f"95 % interval {low} to {high}, over {interval.over}{caution(n_items, _unit(task, interval))}"


def _unit(task: Declaration, interval: Interval) -> str:
    return "group" if interval.is_grouped else task.item


def caution(n_items: int, item: str) -> str:
    """Return what to add to an interval over few items or groups, "" over many."""
    if n_items < LEAST_ITEMS:
        return f"; fewer than {counted(LEAST_ITEMS, item)}: too few to say"
    return f"; rough: fewer than {counted(ROUGH_BELOW, item)}" if n_items < ROUGH_BELOW else ""


def _notes(notes: Sequence[Note], limit: int) -> list[Element]:
    if not notes:
        return []
    lines = [element("li", cut(note.line(), 400)) for note in notes[:limit]]
    body: list[Child] = [element("ul", *lines[:_OPEN_NOTES])]
    if more := lines[_OPEN_NOTES:]:
        body.append(folded(f"{len(more):,} more", element("ul", *more)))
    if len(notes) > limit:
        body.append(f"and {len(notes) - limit:,} more")
    return [card("run-notes", "Notes", "", *body)]


def cost_cards(
    task: Declaration, costs: Sequence[ErrorCost], score: float, interval: Interval | None, decimals: int
) -> list[Element]:
    """Return the card of what each type of error costs: the largest with advice, then all as a table."""
    if not costs:
        return []
    types = {error_type.key: error_type for error_type in task.error_types}
    best = task.range[1 if task.higher_is_better else 0]
    whole = costs[0].points if best is None else abs(best - score)
    entries = []
    for cost in costs:
        if float(text := _short(cost.points, decimals)):
            bars = [bar(cost.points / whole)] if cost.points > 0 else []
            entries.append(element("li", types[cost.error_type].advice.format(points=text), *bars))
    note = "What the score would gain if one type of error were fixed. Gains overlap: they do not add up."
    if interval and interval.items < ROUGH_BELOW:
        note += f" With fewer than {counted(ROUGH_BELOW, _unit(task, interval))} their order is rough."
    titles = columns(text=["Type of error", "Score if fixed", "Gain"])
    numbers = ([_short(value, decimals) for value in (own.score_if_fixed, own.points)] for own in costs)
    rows = [[types[cost.error_type].title, *own] for cost, own in zip(costs, numbers)]
    title = "All types of errors"
    shown = element("ol", *entries, class_="costs") if entries else "No type of error costs anything."
    more = folded(title, *table(titles, rows, title, len(rows)))
    return [card("run-costs", "What costs most", note, shown, more)]


def _scores(task: Declaration, result: Result, signature: str) -> Element:
    # The ends of the interval are declared and may be missing.
    present = [column for column in task.columns if column.key in result.scores]
    shown = [column for column in present if column.leaderboard]
    others = [column for column in present if not column.leaderboard]
    more = [folded("All numbers", _score_table(others, result))] if others else []
    code = element("code", cut(signature, 1000))
    line = element("p", "Scores with this signature are comparable: ", code, class_="after")
    if result.interval:
        text = (
            f"In 95 of 100 cases the interval holds the score over all such {task.item}s; the score over "
            "another reference of this size falls into it in about 83. Whether two intervals overlap says "
            f"nothing about two submissions: they are scored on the same {task.item}s, so compare them "
            "directly."
        )
        more.append(element("p", text, class_="after"))
    return card("run-scores", "Scores", "", _score_table(shown, result), *more, line)


def _score_table(columns: Sequence[ScoreColumn], result: Result) -> Element:
    body = element("tbody")
    for column in columns:
        name = element("td", column.title, element("small", column.description))
        number = element("td", _short(result.scores[column.key], result.decimals), class_="number")
        body.append(element("tr", name, number))
    return element("table", body)


def invalid_page(task: Declaration, findings: Findings) -> str:
    """Return the page of a submission that could not be scored: what is wrong and how to fix it."""
    problems = element("ol", *(element("li", problem.line()) for problem in findings.summary().problems()))
    more = filter(None, [findings.summary().not_shown_text()])
    verdict = element("p", element("strong", "Invalid submission", class_="bad"))
    head = [element("h1", f"Not scored: {findings.summary().total_text()}"), verdict]
    body = [card("run-problems", "What to fix", "", problems, *more), *_notes(findings.notes, _MOST_ENTRIES)]
    return document(task.title, head, body)


def broken_page(lines: Sequence[str], title: str = NO_TASK, what: str = ORGANIZERS_SIDE) -> str:
    """Return the page of a run that failed for no fault of the submission; ``lines`` hold no reference data.

    ``what`` says whose fault it is.
    """
    head = [element("h1", f"Not scored: {what[0].lower()}{what[1:]}")]
    ask = "Please write to the organizers." if what == ORGANIZERS_SIDE else ""
    body = card("run-problems", "What happened", ask, *lines)
    return document(title, head, [body])


def style(name: str) -> str:
    """Return a style sheet of this package."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def document(title: str, head: Sequence[Element], body: Sequence[Element], more_style: str = "") -> str:
    """Return a static page: title, header, and cards; ``more_style`` is added to the common CSS."""
    page_head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("title", title),
        element("style", style("style.css") + more_style),
    )
    page_body = element("body", element("header", element("p", title), *head), element("main", *body))
    return render(element("html", page_head, page_body, lang="en"))


def cards(sections: Sequence[Section], limit: int) -> list[Element]:
    """Return cards: one for all timelines; charts and narrow tables side by side in pairs.

    ``limit`` is the most entries that any list of a card has.
    """
    elements: list[Element] = []
    for layout, group in groupby(sections[:limit], _layout):
        members = list(group)
        if layout == "timelines":
            elements.append(_timelines(members, limit))
            continue
        bodies = [(section, _body(section, limit)) for section in members]
        drawn = [card(section.key, section.title, section.note, *body) for section, body in bodies]
        if layout == "pairs":
            drawn = [element("div", *drawn[i : i + 2], class_="pair") for i in range(0, len(drawn), 2)]
        elements += drawn
    if len(sections) > limit:
        elements.append(element("p", f"and {counted(len(sections) - limit, 'more section')}"))
    return elements


def _layout(section: Section) -> str:
    if isinstance(section, Timeline):
        return "timelines"
    narrow = isinstance(section, Table) and len(section.columns) <= _MOST_COLUMNS_OF_A_PAIR
    return "pairs" if narrow or isinstance(section, (Histogram, LineChart)) else "single"


def card(key: str, title: str, note: str, *children: Child) -> Element:
    """Return a card with a heading that the table of contents can point to."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", cut(key)) or "section"
    section = element("section", element("h2", cut(title, 120)), id=name)
    if note:
        append(section, element("p", cut(note, 600)))
    section.extend(child if isinstance(child, Element) else element("p", child) for child in children)
    return section


def contents(cards: Sequence[Element]) -> Element:
    """Return the table of contents of cards."""
    entries = element("ul")
    for section in (section for part in cards for section in part.iter("section")):
        title = section[0].text or ""
        entries.append(element("li", element("a", cut(title), href=f"#{section.get('id')}")))
    return element("nav", entries, aria_label="Contents")


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], title: str, limit: int) -> list[Element]:
    """Return a table of the first rows, and what follows them folded."""
    if not rows:
        return [element("p", "Nothing to show.")]
    titles = (element("th", cut(column.title), class_=column.kind, scope="col") for column in columns)
    shown = rows[: max(limit, OPEN_ROWS)]
    lines = [element("tr", *(_cell(value, column) for value, column in zip(row, columns))) for row in shown]
    parts = folded_rows(element("tr", *titles), lines, title, OPEN_ROWS)
    hidden = len(rows) - len(shown)
    return [*parts, element("p", f"and {hidden:,} more")] if hidden else parts


def folded_rows(
    head: Element, lines: Sequence[Element], title: str, n_open: int, last: Sequence[Element] = ()
) -> list[Element]:
    """Return a table, rows after the first ``n_open`` folded; ``last`` are the last rows of both parts."""

    def rendered(part: Sequence[Element], name: str) -> Element:
        return scroll(element("table", element("thead", head), element("tbody", *part, *last)), name)

    tables = [rendered(lines[:n_open], title)]
    if more := lines[n_open:]:
        tables.append(folded(counted(len(more), "more row"), rendered(more, f"{title}, more rows")))
    return tables


def folded(summary: str, *children: Child) -> Element:
    """Return children that show after a click on their summary."""
    return element("details", element("summary", summary), *children)


def _cell(value: Cell, column: Column) -> Element:
    if value is None:
        return element("td", "–", class_=column.kind)
    if column.kind == "share":
        return element("td", f"{float(value):.3f}", bar(float(value)), class_="share")
    if column.kind == "text":
        return element("td", cut(str(value)))
    text = f"{value:,}" if column.kind == "count" else f"{round(float(value), 3) + 0.0:,.3f}"
    return element("td", text, class_=column.kind)


def bar(share: float) -> Element:
    """Return a bar that is filled up to a share from 0 to 1."""
    width = 100 * min(max(share, 0.0), 1.0)
    return element("span", element("span", style=f"width:{width:.1f}%"), class_="bar")


def scroll(content: Element, title: str) -> Element:
    """Return an area that scrolls sideways where it must, within reach of the keyboard."""
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=cut(title, 120))


def _body(section: Section, limit: int) -> list[Element]:
    """Return the content of the card of a section that is no timeline."""
    if isinstance(section, Table):
        return table(section.columns, section.rows, section.title, limit)
    if isinstance(section, Histogram):
        return [charts.histogram(section)]
    if isinstance(section, LineChart):
        return [charts.lines(section), *([charts.lines_key(section)] if len(section.lines) > 1 else [])]
    if isinstance(section, StackedBar):
        shares = zip(section.shares, charts.colors())
        shown = [(f"{own[0]} {own[1]:.3f}", f"fill-{color}") for own, color in shares if round(own[1], 3)]
        return [charts.stacked_bar(section), charts.key(shown)]
    if isinstance(section, BodyFigure):
        titles = columns(text=["Part"], share=["Value"], count=["Points"])
        numbers = element("div", *table(titles, section.parts, section.title, limit))
        return [element("div", charts.body(section), numbers, class_="beside")]
    if isinstance(section, Matrix):
        explained = f"Rows: ground truth. Columns: prediction. Numbers: {section.things}."
        if len(section.names) > charts.LARGEST_MATRIX:
            explained += f" Only the first {charts.LARGEST_MATRIX} names are shown."
        return [scroll(charts.matrix(section), section.title), element("p", explained, class_="after")]
    if isinstance(section, Drawings):
        # Only pages at full have drawings.
        from scoring_program.report.drawings import drawing, legend

        drawn = [drawing(data, section.points) for data in section.drawings[:limit]]
        return [legend(section), *_opened(drawn, _OPEN_DRAWINGS, "drawing")]
    raise TypeError(f"no rendering for {type(section).__name__}")


def _opened(drawn: Sequence[Element], n_open: int, name: str) -> list[Element]:
    """Return a grid of the first elements, and the others folded."""
    shown, more = (element("div", *part, class_="drawn") for part in (drawn[:n_open], drawn[n_open:]))
    return [shown, *([folded(counted(len(more), f"more {name}"), more)] if len(more) else [])]


def _timelines(sections: Sequence[Section], limit: int) -> Element:
    """Return one card for all timelines; those after the first are folded."""
    timelines = [section for section in sections if isinstance(section, Timeline)]
    drawn = [
        element("div", element("h3", cut(section.title)), charts.timeline(section, limit), class_="timeline")
        for section in timelines
    ]
    is_predicted = any(lane.prediction for section in timelines for lane in section.lanes)
    legend = charts.sides_key({GROUND_TRUTH, PREDICTION} if is_predicted else {GROUND_TRUTH})
    opened = _opened(drawn, OPEN_TIMELINES, "timeline")
    return card(sections[0].key, "Timelines", sections[0].note, legend, *opened)
