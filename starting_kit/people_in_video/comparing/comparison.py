"""A comparison of submissions, and its outputs: the static page and ``comparison.json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Union
from xml.etree.ElementTree import Element

import numpy as np

from people_in_video.comparing import standings as standings_parts
from people_in_video.comparing.forest import Scale, scale_ends
from people_in_video.comparing.item_pairs import ItemPairs, item_pairs_card
from people_in_video.comparing.paper_table import paper_table
from people_in_video.comparing.seeds import seed_sentences
from people_in_video.comparing.standings import Standings, standings_style, table_cards
from people_in_video.drawings.scenes import drawings_style
from people_in_video.result import page_frame
from scoring_program.body_figure import BodyFigure
from scoring_program.disclosure import round_floats
from scoring_program.report.elements.layout import card, document, folded, with_contents
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import cut, element
from scoring_program.result import DECIMALS, Result, Section, Table, cells
from validator.arrays import Floats
from validator.findings import Findings
from validator.texts import counted, quote

_MOST_OTHERS = 10
"""How many submissions besides the best one are compared item by item and class by class."""
_BINS = 60
_MOST_ROWS = 100
_MOST_LINES = 500
_LONGEST_LINE = 600
_PAIRS_SHOWN = 10
# Three submissions: the table of scores has the differences of two of the pairs.
_FEW_PAIRS = 3
_COST_DECIMALS = 4
_WHERE = "comparison.json"
_INTERVAL_FIELDS = ("low", "high", "standard_error")

Value = Union[str, int, float, None]


class GroupValues(NamedTuple):
    """What m submissions have for each of n classes or items: shape (n, m), NaN where one has none.

    ``measure`` is what the values are: "Score", or the title of a column.
    """

    title: str
    measure: str
    names: Sequence[str]
    values: Floats


@dataclass(frozen=True, repr=False)
class Comparison:
    """Submissions that were scored on one reference, the best first, equal scores by name.

    A notebook shows it as its page, and ``print`` in a few lines, as the command does.

    Attributes
    ----------
    standings : Standings
        Names, scores, intervals, ranks, and all pairs.
    results : sequence of m Result
        Their sections are those that have a `last_measure`.
    items : sequence of n str
    invalid : mapping of str to Findings
        What is wrong with submissions that are not valid, which are not compared.
    signature : str
    item_pairs : ItemPairs or None
        The items in which the first two differ most, drawn; None without drawings.
    """

    standings: Standings
    results: Sequence[Result]
    items: Sequence[str]
    invalid: Mapping[str, Findings]
    signature: str
    item_pairs: ItemPairs | None = None

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return page_frame(page(self))

    def lines(self, has_all_pairs: bool = False) -> list[str]:
        """Return the signature, the ranking, and what it means, of all pairs or of the first ones; and likely
        mistakes.
        """
        standings = self.standings
        lines = [self.signature]
        for place in self.places:
            rank, score = standings.comparison.rank[place], standings.score_texts[place]
            interval = self.results[place].interval or "no interval"
            lines.append(f"{rank:4}  {score}  {interval}  {quote(standings.names[place])}")
        pairs = self.pair_sentences
        if not has_all_pairs:
            # The first pairs are those of the best submission, or all are those of the baseline.
            pairs = pairs[: min(len(standings.names) - 1, _PAIRS_SHOWN)]
        sentences = [*pairs, *seed_sentences(standings, self.results)]
        lines += [quote(sentence, _LONGEST_LINE) for sentence in sentences]
        lines += standings_parts.rank_sentences(standings)
        for name, result in zip(standings.names, self.results):
            lines += [f"{quote(name)}: {note.log_line()}" for note in result.notes if note.is_mistake]
        return lines

    @cached_property
    def pair_sentences(self) -> list[str]:
        """A sentence for each pair."""
        return standings_parts.pair_sentences(self.standings)

    @cached_property
    def values(self) -> dict[str, GroupValues]:
        """The scores of items, and the values of classes, parts and other groups by key of their section."""
        values = {"items": self._item_values()}
        titles = {section.key: section.title for result in self.results for section in result.sections}
        for key, title in titles.items():
            values[key] = self._section_values(key, title)
        return values

    def _item_values(self) -> GroupValues:
        scores = np.array([result.statistics.item_scores for result in self.results]).T
        title = f"{self.standings.task.item.capitalize()}s"
        return GroupValues(title, "Score", self.items, np.round(scores, DECIMALS))

    def _section_values(self, key: str, title: str) -> GroupValues:
        """Return the values of a section in all results; a result without it, or a group of it, has NaN."""
        measure, value_by_result = "", list[Mapping[str, Value]]()
        for result in self.results:
            measures = [last_measure(section) for section in result.sections if section.key == key]
            value_of_group: Mapping[str, Value] = {}
            if measures and measures[0]:
                measure, value_of_group = measures[0]
            value_by_result.append(value_of_group)
        names = list(dict.fromkeys(name for value_of_group in value_by_result for name in value_of_group))
        rows = [[value_of_group.get(name) for value_of_group in value_by_result] for name in names]
        # None becomes NaN.
        values = np.array(rows, dtype=np.float64).reshape(len(names), len(value_by_result))
        return GroupValues(title, measure, names, values)

    @property
    def places(self) -> Sequence[int]:
        """The places of the submissions in the order of the rows of tables."""
        return self.standings.row_order or range(len(self.standings.names))

    def in_order(self, names: Sequence[str]) -> Comparison:
        """Return the same with the rows of tables in the order of ``names``, of which each is a submission's.

        Raises ValueError for other names.
        """
        if sorted(names) != sorted(self.standings.names):
            raise ValueError(f"name each submission once: {', '.join(self.standings.names)}")
        row_order = [self.standings.names.index(name) for name in names]
        return replace(self, standings=self.standings._replace(row_order=row_order))

    def latex(self, *comments: str) -> str:
        """Return a table for a paper, with the scores of the leaderboard, intervals, and the best in bold.

        ``comments`` are written above it.
        """
        signature = f"Signature: {self.signature}"
        return paper_table(self.standings, self.results, self.places, [signature, *comments])

    def to_dict(self) -> dict[str, object]:
        """Return what ``comparison.json`` holds; its schema is ``comparison.schema.json``."""
        standings = self.standings
        baseline = standings.baseline_place
        content = {
            "task": standings.task.id,
            "signature": self.signature,
            "over": standings.over,
            "baseline": None if baseline is None else standings.names[baseline],
            "visible_difference": cells(np.array(standings.comparison.visible)),
            "submissions": [self._submission_dict(place) for place in self.places],
            "pairs": self._pair_dicts(),
            "values": {
                key: {**values._asdict(), "values": cells(values.values[:, list(self.places)])}
                for key, values in self.values.items()
            },
            "invalid": {
                name: [problem.as_dict() for problem in findings.problems]
                for name, findings in self.invalid.items()
            },
        }
        return round_floats(content, DECIMALS)

    def _submission_dict(self, place: int) -> dict[str, object]:
        result, comparison = self.results[place], self.standings.comparison
        interval = dict.fromkeys(_INTERVAL_FIELDS)
        if result.interval:
            interval = {name: getattr(result.interval, name) for name in _INTERVAL_FIELDS}
        return {
            "name": self.standings.names[place],
            "score": result.scores["score"],
            **interval,
            "rank": comparison.rank[place].item(),
            "rank_low": comparison.rank_low[place].item(),
            "rank_high": comparison.rank_high[place].item(),
            "may_be_best": comparison.may_be_best[place].item(),
            "scores": dict(result.scores),
            "error_costs": {cost.error_type: cost.points for cost in result.error_costs},
            "notes": [note.line() for note in result.notes],
        }

    def _pair_dicts(self) -> list[dict[str, object]]:
        pairs, names = self.standings.comparison.pairs, self.standings.names
        number_lists = {name: cells(values) for name, values in pairs.numbers.items()}
        dicts = []
        for pair, sentence in enumerate(self.pair_sentences):
            pair_dict = {"first": names[pairs.first[pair]], "second": names[pairs.second[pair]]}
            pair_dict["sentence"] = sentence
            dicts.append({**pair_dict, **{name: numbers[pair] for name, numbers in number_lists.items()}})
        return dicts


def last_measure(section: Section) -> tuple[str, Mapping[str, Value]] | None:
    """Return the title of the last measure of a table of groups, or of a body, and its value for each group;
    None for other sections."""
    if isinstance(section, BodyFigure):
        return "Value", {name: value for name, value, _ in section.parts}
    if isinstance(section, Table) and section.is_of_groups:
        shares = [number for number, column in enumerate(section.columns) if column.kind == "share"]
        if shares:
            last = shares[-1]
            return section.columns[last].title, {str(row[0]): row[last] for row in section.rows}
    return None


def sentences(standings: Standings) -> list[str]:
    """Return what the comparison means, and how to read it; nothing of a single submission."""
    if len(standings.names) < 2:
        return []
    items = f"{standings.task.item}s"
    advice = f"Choose checkpoints of one model on other {items} than those that you report: the best of many "
    advice += f"on the same {items} looks better than it is."
    return [*standings_parts.sentences(standings), advice]


def page(comparison: Comparison) -> str:
    """Return the page: scores and differences first, then where they come from."""
    standings = comparison.standings
    first_cards = [
        _scores_card(comparison),
        *_invalid_cards(comparison),
    ]
    item_pairs = comparison.item_pairs
    other_cards = [
        *_item_difference_cards(comparison),
        *([item_pairs_card(item_pairs, standings.task.item)] if item_pairs else []),
        *_leaderboard_cards(comparison),
        *_cost_cards(comparison),
        *_group_cards(comparison),
        *_pair_cards(comparison),
        *_note_cards(comparison),
        standings_parts.method_card(standings, comparison.signature, standings.task.half_samples),
    ]
    body = with_contents(first_cards, other_cards)
    style = standings_style() + (drawings_style() if item_pairs else "")
    return document(standings.task.title, _head(comparison), body, style)


def _head(comparison: Comparison) -> list[Element]:
    """Return the title, what the best two differ in, and how many submissions are not valid."""
    standings = comparison.standings
    m = len(standings.names)
    summary = f"{standings.names[0]}: {standings.task.columns[0].title} {standings.score_texts[0]}."
    if comparison.pair_sentences:
        summary = comparison.pair_sentences[0]
    title = f"Comparison of {counted(m, 'submission')}"
    if standings.baseline_place is not None:
        title = f"Comparison of {counted(m - 1, 'submission')} with {standings.base_text}"
    head = [element("h1", title), element("p", element("strong", summary))]
    if comparison.invalid:
        text = f"{counted(len(comparison.invalid), 'submission')} not valid and not compared"
        head.append(element("p", element("a", text, href="#invalid", class_="bad")))
    return head


def _list(lines: Sequence[str], **attributes: str) -> Element:
    entries = [element("li", cut(line, _LONGEST_LINE)) for line in lines[:_MOST_LINES]]
    return element("ul", *entries, **attributes)


def _scores_card(comparison: Comparison) -> Element:
    standings = comparison.standings
    title = "Scores and differences"
    no_details: list[list[str]] = [[] for _ in standings.names]
    parts = standings_parts.standings_table(standings, title, no_details, _MOST_OTHERS)
    lines = [*seed_sentences(standings, comparison.results), *sentences(standings)]
    if lines:
        parts.append(_list(lines, class_="after"))
    return card("scores", title, "", *parts)


def _invalid_cards(comparison: Comparison) -> list[Element]:
    lines = []
    for name, findings in comparison.invalid.items():
        lines += [f"{name}: {line}" for line in findings.lines()]
    return [card("invalid", "Not valid, not compared", "", _list(lines))] if lines else []


def _item_difference_cards(comparison: Comparison) -> list[Element]:
    """Return for each of the first others the differences of the scores of items to the base."""
    standings, items = comparison.standings, comparison.values["items"]
    base = standings.base_place
    other_places = [place for place in comparison.places if place != base][:_MOST_OTHERS]
    differences = np.round(items.values[:, other_places] - items.values[:, [base]], DECIMALS)
    if np.isnan(differences).all():
        return []
    largest = float(np.nanmax(np.abs(differences))) or 1.0
    scale = Scale(-largest, largest)
    sign = 1 if standings.task.higher_is_better else -1
    rows = []
    for place, column in zip(other_places, differences.T):
        item_differences = column[~np.isnan(column)].tolist()
        n_items = Counter(_side(sign * difference) for difference in item_differences)
        text = f"{n_items['up']:,} better, {n_items['even']:,} equal, {n_items['down']:,} worse"
        name_cell = element("div", cut(standings.names[place]), element("small", text), class_="name")
        rows.append([name_cell, _strip(item_differences, scale, sign, text)])
    item = standings.task.item
    better_side = "right" if sign > 0 else "left"
    note = f"Score of each {item} minus that of {cut(standings.names[base])}: {better_side} of the "
    note += f"line the submission is better. Only {item}s for which both have a score are counted, "
    note += "and those with equal scores are not drawn."
    if len(standings.names) > _MOST_OTHERS + 1:
        note += f" The first {_MOST_OTHERS} submissions are shown."
    title = f"Differences by {item}"
    return table_cards("differences", title, note, ("Submission", scale_ends(scale)), rows)


def _strip(differences: Sequence[float], scale: Scale, sign: int, text: str) -> Element:
    """Return a histogram of the differences of items that are not 0, on a common scale.

    ``sign`` is 1 where higher scores are better, else -1; ``text`` says the same in words.
    """
    strip = element(
        "svg",
        element("line", x1=50, y1=0, x2=50, y2=20, class_="zero"),
        class_="forest strip",
        **{"viewBox": "0 0 100 20", "preserveAspectRatio": "none", "role": "img"},
        aria_label=text,
    )
    unequal = [difference for difference in differences if difference]
    counts, edges = np.histogram(unequal, _BINS, scale)
    largest = max(int(counts.max()), 1)
    for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist()):
        left, right = scale.percent(low), scale.percent(high)
        height = 19 * count / largest
        place = {"x": left, "y": 20 - height, "width": right - left - 0.2, "height": height}
        texts = {name: f"{value:.2f}" for name, value in place.items()}
        title = element("title", f"{low:+.4f} to {high:+.4f}: {count:,}")
        strip.append(element("rect", title, class_=f"bin {_side(sign * (low + high))}", **texts))
    return strip


def _side(gain: float) -> str:
    """Return the CSS class of a gain, which has its color in standings.css."""
    if gain == 0:
        return "even"
    return "up" if gain > 0 else "down"


def _leaderboard_cards(comparison: Comparison) -> list[Element]:
    """Return all columns of the leaderboard."""
    columns = [column for column in comparison.standings.task.columns if column.leaderboard]
    rows: list[list[Cell]] = []
    for place in comparison.places:
        result = comparison.results[place]
        scores = [f"{result.scores[column.key]:.{column.precision}f}" for column in columns]
        rows.append([standings_parts.name_element(comparison.standings.names[place]), *scores])
    headings = ["Submission", *(column.title for column in columns)]
    title = "All columns of the leaderboard"
    return table_cards("columns", title, "", headings, rows, _MOST_OTHERS)


def _cost_cards(comparison: Comparison) -> list[Element]:
    """Return the costs of the error types that cost a submission anything, the largest first."""
    if not comparison.results[0].error_costs:
        return []
    points_by_result = [
        {cost.error_type: round(cost.points, _COST_DECIMALS) for cost in result.error_costs}
        for result in comparison.results
    ]
    error_types = comparison.standings.task.error_types
    points_of_type = {
        error_type.key: [points.get(error_type.key, 0.0) for points in points_by_result]
        for error_type in error_types
    }
    types_with_cost = [error_type for error_type in error_types if any(points_of_type[error_type.key])]
    largest_first = sorted(types_with_cost, key=lambda error_type: -max(0.0, *points_of_type[error_type.key]))
    title = "What costs most"
    if not largest_first:
        return [card("costs", title, "No type of error costs any of them anything.")]
    rows: list[list[Cell]] = []
    for place in comparison.places:
        points_of_place = [points_of_type[error_type.key][place] for error_type in largest_first]
        costs = [f"{points:.{_COST_DECIMALS}f}" if points else "" for points in points_of_place]
        rows.append([standings_parts.name_element(comparison.standings.names[place]), *costs])
    note = "What the score would gain if one type of error were fixed. Gains overlap: they do not add up. "
    note += "Types that cost nothing are left out."
    headings = ["Submission", *(error_type.title for error_type in largest_first)]
    return table_cards("costs", title, note, headings, rows, _MOST_OTHERS)


def _group_cards(comparison: Comparison) -> list[Element]:
    """Return for items and each kind of groups those that differ most between submissions, if any do."""
    cards = []
    places = list(comparison.places[: _MOST_OTHERS + 1])
    names = [comparison.standings.names[place] for place in places]
    for key, values in comparison.values.items():
        without_nan = np.ma.masked_invalid(values.values)
        spread = (without_nan.max(axis=1) - without_nan.min(axis=1)).filled(0)
        n_differing = np.count_nonzero(spread)
        if not n_differing:
            continue
        largest_first = np.argsort(-spread, kind="stable")[:n_differing]
        rows: list[list[Cell]] = []
        for group in largest_first[:_MOST_ROWS].tolist():
            numbers = cells(values.values[group, places])
            name = _linked_name(comparison, values.names[group]) if key == "items" else values.names[group]
            rows.append([name, *numbers, float(spread[group])])
        note = f"{values.measure} by submission"
        if len(comparison.places) > len(places):
            note += f", for the first {len(places)}"
        note += f". {n_differing:,} of {len(spread):,} differ"
        if n_differing > len(rows):
            note += f"; the first {len(rows):,} are shown"
        note += f". All are in {_WHERE}."
        title = f"{values.title} that differ most"
        headings = [Heading("Name", "text")]
        headings += [Heading(standings_parts.name_element(name), "number") for name in names]
        headings.append(Heading("Largest difference", "number"))
        cards.append(card(f"of-{key}", title, note, *table(headings, rows, title)))
    return cards


def _linked_name(comparison: Comparison, item: str) -> Cell:
    """Return the name of an item, as a link if it is drawn."""
    address = comparison.item_pairs.address(item) if comparison.item_pairs else ""
    return element("a", cut(item), href=address) if address else item


def _pair_cards(comparison: Comparison) -> list[Element]:
    """Return all pairs in words, if there are several; where they are many, as a matrix before."""
    if len(comparison.standings.names) < 3:
        return []
    lines = _list(comparison.pair_sentences)
    if len(comparison.pair_sentences) <= _FEW_PAIRS or comparison.standings.baseline_place is not None:
        return [card("pairs", "Pairs", "", lines)]
    n_lines = min(len(comparison.pair_sentences), _MOST_LINES)
    words = folded(f"The first {counted(n_lines, 'pair')} in words", lines)
    return [standings_parts.pairs_card(comparison.standings, _WHERE, words)]


def _note_cards(comparison: Comparison) -> list[Element]:
    lines = []
    for name, result in zip(comparison.standings.names, comparison.results):
        lines += [f"{cut(name)}: {note.line()}" for note in result.notes]
    return [card("notes", "Notes", "", _list(lines))] if lines else []
