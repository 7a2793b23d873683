"""A comparison of submissions, and its outputs: the static page and ``comparison.json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.disclosure import round_floats
from scoring_program.report import standings
from scoring_program.report.html import Child, cut, element
from scoring_program.report.page import card, contents, document, folded, style, table
from scoring_program.report.standings import Scale, Standings, folded_table, position
from scoring_program.result import DECIMALS, SUMMARY, BodyFigure, Cell, Column, Result, Section, Table, cells
from validator.arrays import Floats
from validator.findings import Findings
from validator.texts import counted

_MOST_OTHERS = 10
_MOST_DOTS = 300
_BINS = 60
_MOST_ROWS = 100
_MOST_LINES = 500
_WHERE = "comparison.json"
_OF_PAIR = ("difference", "low", "high", "low_all", "high_all", "p", "p_adjusted")
_OF_INTERVAL = ("low", "high", "standard_error")
_OF_RANK = ("rank", "rank_low", "rank_high", "may_be_best")


class Values(NamedTuple):
    """What m submissions have for each of n classes or items: shape (n, m), NaN where one has none."""

    title: str
    measure: str
    names: Sequence[str]
    values: Floats


@dataclass(frozen=True)
class Comparison:
    """Submissions that were scored on one reference, the best first, equal scores by name.

    Attributes
    ----------
    standings : Standings
        Names, scores, intervals, ranks, and all pairs.
    results : sequence of m Result
        Their sections are those that `column_of` knows.
    items : sequence of n str
    invalid : mapping of str to Findings
        What is wrong with submissions that are not valid, which are not compared.
    signature : str
    """

    standings: Standings
    results: Sequence[Result]
    items: Sequence[str]
    invalid: Mapping[str, Findings]
    signature: str

    @cached_property
    def pair_sentences(self) -> list[str]:
        """A sentence for each pair."""
        return standings.pair_sentences(self.standings)

    @cached_property
    def values(self) -> dict[str, Values]:
        """The scores of items, and the values of classes, parts and other groups by key."""
        columns = [{own.key: column_of(own)[1] for own in result.sections} for result in self.results]
        scores = np.round(np.array([result.statistics.item_scores for result in self.results]).T, DECIMALS)
        found = {"items": Values(f"{self.standings.task.item.capitalize()}s", "Score", self.items, scores)}
        sections = {own.key: own for result in self.results for own in result.sections}
        for section in sections.values():
            names = dict.fromkeys(name for own in columns for name in own.get(section.key, ()))
            cells = [[own.get(section.key, {}).get(name) for own in columns] for name in names]
            numbers = np.array(cells, dtype=np.float64).reshape(len(names), len(columns))
            found[section.key] = Values(section.title, column_of(section)[0], list(names), numbers)
        return found

    def to_dict(self) -> dict[str, object]:
        """Return what ``comparison.json`` holds; its schema is ``comparison.schema.json``."""
        of, compared = self.standings, self.standings.comparison
        columns = [cells(getattr(compared.pairs, name)) for name in _OF_PAIR]
        ends = ([of.names[i] for i in own] for own in (compared.pairs.first, compared.pairs.second))
        names = ("first", "second", "sentence", *_OF_PAIR)
        values = [(key, own._asdict(), cells(own.values)) for key, own in self.values.items()]
        shown = {
            "task": of.task.id,
            "signature": self.signature,
            "over": of.over,
            "visible_difference": cells(np.array(compared.visible)),
            "submissions": [self._submission(i) for i in range(len(of.names))],
            "pairs": [dict(zip(names, row)) for row in zip(*ends, self.pair_sentences, *columns)],
            "values": {key: {**own, "values": numbers} for key, own, numbers in values},
            "invalid": {name: own.as_dict()["problems"] for name, own in self.invalid.items()},
        }
        return round_floats(shown, DECIMALS)

    def _submission(self, i: int) -> dict[str, object]:
        result, compared = self.results[i], self.standings.comparison
        return {
            "name": self.standings.names[i],
            "score": result.scores["score"],
            **{name: result.interval and getattr(result.interval, name) for name in _OF_INTERVAL},
            **{name: getattr(compared, name)[i].item() for name in _OF_RANK},
            "scores": dict(result.scores),
            "error_costs": {cost.error_type: cost.points for cost in result.error_costs},
            "notes": [note.line() for note in result.notes],
        }


def column_of(section: Section) -> tuple[str, dict[str, Any]]:
    """Return the last measure of a table of groups and its value of each; "" for other sections."""
    if isinstance(section, BodyFigure):
        return "Value", {name: value for name, value, _ in section.parts}
    if isinstance(section, Table) and section.level == SUMMARY:
        for number, column in reversed(list(enumerate(section.columns))):
            if column.kind == "share":
                return column.title, {str(row[0]): row[number] for row in section.rows}
    return "", {}


def sentences(of: Standings) -> list[str]:
    """Return what the comparison means."""
    item = f"{of.task.item}s"
    advice = f"Choose checkpoints of one model on other {item} than those that you report: the best of many "
    return [*standings.sentences(of), f"{advice}on the same {item} looks better than it is."]


def page(compared: Comparison) -> str:
    """Return the page: scores and differences first, then where they come from."""
    of, pairs = compared.standings, compared.pair_sentences
    m, best = len(of.names), int(of.comparison.may_be_best.sum())
    first = pairs[0] if pairs else f"{of.names[0]}: {of.task.columns[0].title} {of.shown[0]}."
    first += f" {best} of {m} may be the best." if m > 2 else ""
    title = f"Comparison of {counted(m, 'submission')}"
    head = [element("h1", title), element("p", element("strong", first))]
    if compared.invalid:
        text = f"{counted(len(compared.invalid), 'submission')} not valid and not compared"
        head.append(element("p", element("a", text, href="#invalid", class_="bad")))
    plot = standings.forest_table(of, "Scores and differences", [[]] * m, _MOST_OTHERS)
    lines = _list(sentences(of), class_="after")
    problems = [f"{name}: {line}" for name, own in compared.invalid.items() for line in own.lines()]
    above = [card("scores", "Scores and differences", "", *plot, lines)]
    above += [card("invalid", "Not valid, not compared", "", _list(problems))] if problems else []
    rest = [*_strips(of, compared.values["items"]), *_numbers(compared)]
    rest += [part for key, own in compared.values.items() for part in _changes(key, own, of.names)]
    if m > 2:
        words = folded(f"The first {counted(min(len(pairs), _MOST_LINES), 'pair')} in words", _list(pairs))
        rest.append(standings.pairs_card(of, _WHERE, words))
    both = zip(of.names, compared.results)
    notes = [f"{cut(name)}: {note.line()}" for name, result in both for note in result.notes]
    rest += [card("notes", "Notes", "", _list(notes))] if notes else []
    rest.append(standings.method_card(of, compared.signature))
    body = [element("div", *above), contents([*above, *rest]), element("div", *rest)]
    return document(of.task.title, head, body, style("standings.css"))


def _list(lines: Sequence[str], **look: str) -> Element:
    return element("ul", *(element("li", cut(line, 600)) for line in lines[:_MOST_LINES]), **look)


def _strips(of: Standings, items: Values) -> list[Element]:
    """Return for each of the first others the differences of the scores of items to the best submission."""
    differences = np.round(items.values[:, 1 : _MOST_OTHERS + 1] - items.values[:, :1], DECIMALS)
    if np.isnan(differences).all():
        return []
    largest = float(np.nanmax(np.abs(differences))) or 1.0
    sign, item, rows = 1 if of.task.higher_is_better else -1, of.task.item, []
    for name, column in zip(of.names[1:], differences.T):
        own = np.flatnonzero(~np.isnan(column))
        counts = Counter(np.sign(sign * column[own]).tolist())
        text = f"{counts[1]:,} better, {counts[0]:,} equal, {counts[-1]:,} worse"
        draw = _dots if len(own) <= _MOST_DOTS else _bars
        marks = draw(column[own].tolist(), (-largest, largest), sign, [items.names[i] for i in own.tolist()])
        options = {"viewBox": "0 0 100 20", "preserveAspectRatio": "none", "role": "img", "aria_label": text}
        zero = element("line", x1=50, y1=0, x2=50, y2=20, class_="zero")
        svg = element("svg", zero, *marks, class_="forest swarm", **options)
        rows.append([element("div", cut(name), element("small", text), class_="name"), svg])
    note = f"Score of each {item} minus that of {cut(of.names[0])}: {'right' if sign > 0 else 'left'} of the "
    note += f"line the submission is better. Only {item}s for which both have a score are shown. More "
    note += f"than {_MOST_DOTS} are counted in bins, without equal scores. "
    note += f"At most the first {_MOST_OTHERS} submissions are shown."
    heads: list[Child] = ["Submission", standings.ends((-largest, largest))]
    title = f"Differences by {item}"
    return [card("differences", title, note, *folded_table(heads, rows, title))]


def _dots(values: Sequence[float], scale: Scale, sign: int, names: Sequence[str]) -> list[Element]:
    """Return a dot for each item; those that are near each other are stacked around the middle."""
    columns = [round(position(value, scale) / 1.5) for value in values]
    heights, used, marks = Counter(columns), Counter[int](), []
    for name, value, column in zip(names, values, columns):
        used[column] += 1
        y = 10 + used[column] // 2 * (-1) ** used[column] * min(3.0, 16 / heights[column])
        place = f"M{position(value, scale):.2f} {y:.2f} h0"
        title = element("title", f"{cut(name)}: {value:+.4f}")
        marks.append(element("path", title, class_=f"dot {_side(sign * value)}", d=place))
    return marks


def _bars(values: Sequence[float], scale: Scale, sign: int, names: Sequence[str]) -> list[Element]:
    """Return a histogram of the differences that are not 0."""
    counts, edges = np.histogram([value for value in values if value], _BINS, scale)
    marks, most = [], max(int(counts.max()), 1)
    for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist()):
        left, right, height = position(low, scale), position(high, scale), 19 * count / most
        place = {"x": left, "y": 20 - height, "width": right - left - 0.2, "height": height}
        shown = {name: f"{value:.2f}" for name, value in place.items()}
        title = element("title", f"{low:+.4f} to {high:+.4f}: {count:,}")
        marks.append(element("rect", title, class_=f"bin {_side(sign * (low + high))}", **shown))
    return marks


def _side(gain: float) -> str:
    return "up" if gain > 0 else "down" if gain < 0 else "even"


def _numbers(compared: Comparison) -> list[Element]:
    """Return all columns of the leaderboard, and the costs of all error types."""
    of = compared.standings
    shown = [column for column in of.task.columns if column.leaderboard]
    types = {own.key: own.title for own in of.task.error_types if compared.results[0].error_costs}
    scores, costs = list[list[str]](), list[list[str]]()
    for name, result in zip(of.names, compared.results):
        points = {cost.error_type: f"{cost.points:.4f}" for cost in result.error_costs}
        scores.append([cut(name), *(f"{result.scores[own.key]:.{own.precision}f}" for own in shown)])
        costs.append([cut(name), *(points.get(key, "–") for key in types)])
    note = "What the score would gain if one type of error were fixed. Gains overlap: they do not add up."
    parts = [("columns", "All columns of the leaderboard", "", [own.title for own in shown], scores)]
    parts += [("costs", "What costs most", note, list(types.values()), costs)] if types else []
    return [
        card(key, title, text, *folded_table(["Submission", *heads], rows, title, _MOST_OTHERS))
        for key, title, text, heads, rows in parts
    ]


def _changes(key: str, of: Values, names: Sequence[str]) -> list[Element]:
    """Return the classes or items that differ most between submissions, if any do."""
    known = np.ma.masked_invalid(of.values)
    spread = (known.max(axis=1) - known.min(axis=1)).filled(0)
    order = np.argsort(-spread, kind="stable")[: np.count_nonzero(spread)].tolist()
    shown = names[: _MOST_OTHERS + 1]
    heads = [Column("Name"), *(Column(name, "number") for name in (*shown, "Largest difference"))]
    first = zip(order[:_MOST_ROWS], cells(of.values[order, : len(shown)]))
    rows: list[list[Cell]] = [[of.names[i], *own, float(spread[i])] for i, own in first]
    note = f"{of.measure} by submission, for at most the best {_MOST_OTHERS + 1}. {len(order):,} of "
    note += f"{len(spread):,} differ; the first {len(rows):,} are shown. All are in {_WHERE}."
    title = f"{of.title} that differ most"
    return [card(f"of-{key}", title, note, *table(heads, rows, title, _MOST_ROWS))] if rows else []
