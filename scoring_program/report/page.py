"""The HTML detail page: one static file, no script, no request to anywhere.

There are four pages: while scoring runs, when it is done, when the submission is invalid, and when the
organizer's side is broken. Each is a tree of elements; text never becomes markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from scoring_program.report import charts
from scoring_program.report.html import Child, element, render
from scoring_program.result import BodyFigure, Cell, Column, Histogram, LineChart, Result, StackedBar, Table, Timeline
from validator.findings import Findings, Note

if TYPE_CHECKING:
    from scoring_program.challenge import Challenge, ScoreColumn

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def running_page(challenge: Challenge) -> str:
    """Return the page that stands there until scoring ends, and stays if it is stopped."""
    text = "The submission is being checked and scored. If this page stays, the run was stopped: see its log."
    return _document(challenge.title, element("h1", "Scoring has begun"), [_section("Please wait", text)])


def result_page(
    challenge: Challenge, result: Result, signature: str, findings: Findings, mistakes: Sequence[Note] = ()
) -> str:
    """Return the page of a scored submission; what looks like a mistake comes first."""
    main = challenge.columns[0]
    headline = element("h1", f"{main.title} {_number(result.scores[main.key], main.precision)}")
    shown = [column for column in challenge.columns if column.leaderboard]
    others = [column for column in challenge.columns if not column.leaderboard]
    more = [element("details", element("summary", "All numbers"), _score_table(others, result))] if others else []
    looks = element("ul", *(element("li", note.line()) for note in mistakes))
    sections = [
        *([_section("Is this what you meant?", "It was scored as submitted.", looks)] if mistakes else []),
        _section("Scores", "", _score_table(shown, result), *more),
        _section("Signature", "Scores with the same signature are comparable.", element("code", signature)),
        *(_render(section) for section in result.sections),
        _notes([note.line() for note in findings.notes] + list(result.notes)),
    ]
    return _document(challenge.title, headline, sections, verdict=("Valid and scored", "good"))


def _score_table(columns: Sequence[ScoreColumn], result: Result) -> Element:
    rows = [
        element(
            "tr",
            element("td", column.title, element("small", column.description)),
            element("td", _number(result.scores[column.key], column.precision), class_="number"),
        )
        for column in columns
    ]
    return element("table", element("tbody", *rows))


def invalid_page(challenge: Challenge, findings: Findings) -> str:
    """Return the page of a submission that could not be scored: what is wrong and how to mend it."""
    count = findings.total
    chosen = findings.chosen()
    items = [element("li", problem.line()) for problem in chosen]
    more = [element("p", f"and {count - len(chosen)} more")] if count > len(chosen) else []
    headline = element("h1", f"Not scored: {count} {'problem' if count == 1 else 'problems'}")
    sections = [
        _section("What to mend", "", element("ol", *items), *more),
        _notes([note.line() for note in findings.notes]),
    ]
    return _document(challenge.title, headline, sections, verdict=("Invalid submission", "bad"))


def broken_page(title: str, lines: Sequence[str]) -> str:
    """Return the page for a fault on the organizer's side; ``lines`` hold no reference data."""
    headline = element("h1", "Not scored: a fault on the organizer's side")
    body = element("ul", *(element("li", line) for line in lines))
    return _document(title, headline, [_section("What happened", "Please tell the organizers.", body)])


def _document(
    title: str, headline: Element, sections: Sequence[Element | None], verdict: tuple[str, str] | None = None
) -> str:
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("title", title),
        element("style", style),
    )
    badge = [element("p", element("strong", verdict[0], class_=verdict[1]))] if verdict else []
    body = element(
        "body",
        element("header", element("p", title), headline, *badge),
        element("main", *(section for section in sections if section is not None)),
    )
    return render(element("html", head, body, lang="en"))


def _section(title: str, note: str, *children: Child) -> Element:
    head: list[Child] = [element("h2", title)]
    return element("section", *head, *([element("p", note)] if note else []), *children)


def _notes(lines: Sequence[str]) -> Element | None:
    return _section("Notes", "", element("ul", *(element("li", line) for line in lines))) if lines else None


@singledispatch
def _render(section: object) -> Element:
    raise TypeError(f"no rendering for {type(section).__name__}")


@_render.register
def _(section: Table) -> Element:
    head = element("tr", *(element("th", column.title, class_=_align(column)) for column in section.columns))
    body = [
        element("tr", *(_cell(value, column) for value, column in zip(row, section.columns))) for row in section.rows
    ]
    if not body:
        return _section(section.title, section.note, element("p", "Nothing to show."))
    table = element("table", element("thead", head), element("tbody", *body))
    return _section(section.title, section.note, element("div", table, class_="scroll"))


@_render.register
def _(section: Histogram) -> Element:
    return _section(section.title, section.note, charts.histogram(section))


@_render.register
def _(section: Timeline) -> Element:
    key = _key([("ground truth", "fill-a"), ("prediction", "fill-b")])
    return _section(section.title, section.note, charts.timeline(section), key)


@_render.register
def _(section: LineChart) -> Element:
    key = _key([(line.label, f"fill-{kind}") for line, kind in zip(section.lines, charts.kinds())])
    return _section(section.title, section.note, charts.lines(section), *([key] if len(section.lines) > 1 else []))


@_render.register
def _(section: StackedBar) -> Element:
    entries = [
        (f"{label} {share:.4f}", f"fill-{kind}") for (label, share), kind in zip(section.shares, charts.kinds())
    ]
    return _section(section.title, section.note, charts.stacked_bar(section), _key(entries))


@_render.register
def _(section: BodyFigure) -> Element:
    columns = [Column("Part"), Column("Value", "share"), Column("Points", "count")]
    table = _render(Table("", "", columns, section.parts))
    return _section(section.title, section.note, charts.body(section), *list(table)[1:])


def _key(entries: Sequence[tuple[str, str]]) -> Element:
    marks = [
        element(
            "span",
            element("svg", element("rect", width=10, height=10, class_=kind), viewBox="0 0 10 10"),
            label,
        )
        for label, kind in entries
    ]
    return element("div", *marks, class_="key")


def _align(column: Column) -> str:
    return "" if column.kind in ("text", "share") else "number"


def _cell(value: Cell, column: Column) -> Element:
    if value is None:
        return element("td", "–", class_=_align(column))
    if column.kind == "share":
        width = min(max(float(value), 0.0), 1.0) * 100
        bar = element("span", element("span", style=f"width:{width:.1f}%"), class_="bar")
        return element("td", _number(float(value), 4), bar, class_="share")
    text = {"count": "{:,}", "number": "{:.4f}"}.get(column.kind, "{}").format(value)
    return element("td", text, class_=_align(column))


def _number(value: float, precision: int) -> str:
    return f"{value:.{precision}f}"
