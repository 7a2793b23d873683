"""Compared submissions on a page: a table with forest plots, all pairs, and what they mean in sentences.

The organizers' rankings and comparisons at home are made of it. Differences are ``s[i] - s[j]``, never
negated; sentences say which score is the better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from people_in_video.comparing.forest import Band, Scale, forest_axis, forest_row, scale_of
from people_in_video.comparing.pairs import SIGNIFICANT, Comparison
from scoring_program.figures.matrix import matrix_table
from scoring_program.metrics.resampling import LEAST_ITEMS, SEED, Intervals
from scoring_program.report.elements.layout import card, scroll
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import Child, cut, element
from scoring_program.report.page import caution
from scoring_program.task import Declaration
from validator.texts import counted

MOST_DRAWN = 30
"""How many submissions matrices and charts show."""
OPEN_ROWS = 50
LONGEST_NAME = 300
_LONGEST_LABEL = 24
_LONGEST_SIGNATURE = 1000
_MOST_SENTENCES = 5
_BEYOND = "An arrow: beyond the axis."
# Smaller differences and p values are written as "less than".
_SMALLEST_DIFFERENCE = 0.00005
_SMALLEST_P = 0.0001


def standings_style() -> str:
    """Return the style sheet of pages with standings."""
    return Path(__file__).with_name("standings.css").read_text(encoding="utf-8")


class Baseline(NamedTuple):
    """A score that is not ranked, and its interval; both ends are the score if there is none."""

    name: str
    score: float
    low: float
    high: float


class Standings(NamedTuple):
    """The m submissions that are compared, the best first.

    Attributes
    ----------
    task : Declaration
    names, score_texts : sequences of m str
        What they are called, and their scores as the leaderboard shows them.
    scores : sequence of m float
    comparison : Comparison
    intervals : Intervals or None
        Those of the scores; None with fewer than 2 items.
    over, unit : str
        What scores are computed over, and what is independent: "240 sequences", "sequence".
    noun : str
        What is compared: submission or team.
    baselines : sequence of Baseline
    decimals : int
        The decimals of intervals and differences.
    score_decimals : int
        The decimals of the scores of baselines, as in ``score_texts``.
    baseline_place : int or None
        The submission that each other one is compared with, if these are the only tests.
    row_order : sequence of int
        The places of submissions in the order of the rows of tables; without it the best come first.
    """

    task: Declaration
    names: Sequence[str]
    score_texts: Sequence[str]
    scores: Sequence[float]
    comparison: Comparison
    intervals: Intervals | None
    over: str
    unit: str
    noun: str = "submission"
    baselines: Sequence[Baseline] = ()
    decimals: int = 4
    score_decimals: int = 4
    baseline_place: int | None = None
    row_order: Sequence[int] = ()

    @property
    def base_place(self) -> int:
        """The submission to which tables show the differences: the baseline, or else the best one."""
        return self.baseline_place or 0

    @property
    def base_text(self) -> str:
        """What tables call that submission."""
        return "the first" if self.baseline_place is None else cut(self.names[self.baseline_place])


class Row(NamedTuple):
    """A row of a ranking: a submission with its place from 0 on, or a baseline without one."""

    place: int | None
    name: str
    score_text: str
    band: Band


def ranked_rows(standings: Standings) -> list[Row]:
    """Return submissions and baselines, the best first unless the order of rows is another."""
    rows = []
    intervals = standings.intervals
    for place, score in enumerate(standings.scores):
        low = high = score
        if intervals is not None and intervals.has_ends[place]:
            low, high = intervals.low[place], intervals.high[place]
        band = rounded_band(low, score, high, standings.decimals)
        rows.append(Row(place, standings.names[place], standings.score_texts[place], band))
    if standings.row_order:
        return [rows[place] for place in standings.row_order]
    for baseline in standings.baselines:
        band = rounded_band(baseline.low, baseline.score, baseline.high, standings.decimals)
        rows.append(Row(None, baseline.name, f"{baseline.score:.{standings.score_decimals}f}", band))
    return sorted(rows, key=lambda row: row.band.value, reverse=standings.task.higher_is_better)


def rounded_band(low: float, value: float, high: float, decimals: int) -> Band:
    """Return an interval with the decimals that may be shown; NaN is 0, and no zero is negative."""
    numbers = np.nan_to_num([low, value, high]).tolist()
    return Band(*(round(number, decimals) + 0.0 for number in numbers))


def band_text(band: Band, decimals: int) -> str:
    """Return an interval as text."""
    if not band.has_interval:
        return "no interval"
    return f"{band.low:.{decimals}f} to {band.high:.{decimals}f}"


def standings_table(
    standings: Standings, title: str, details: Sequence[Sequence[str]], n_open: int = OPEN_ROWS
) -> list[Element]:
    """Return the table of submissions with two forest plots: scores, and differences to the base.

    ``details`` are the texts under each name; rows after the first ``n_open`` are folded. Baselines have
    rows of their own.
    """
    rows = ranked_rows(standings)
    higher_is_better = standings.task.higher_is_better
    score_scale = scale_of([row.band for row in rows], higher_is_better)
    differences = differences_to_base(standings)
    difference_scale = scale_of(differences, higher_is_better)
    has_differences = len(standings.names) > 1

    headings = [
        Heading("Rank" if standings.baseline_place is not None else text_over_text("Rank", "possible ranks")),
        Heading(standings.noun.capitalize()),
        Heading(text_over_text(standings.task.columns[0].title, "95 % interval")),
    ]
    arrow_note = beyond_note(score_scale, [row.band for row in rows])
    if arrow_note == "":
        arrow_note = beyond_note(difference_scale, differences)
    axes: list[Child] = ["", arrow_note, forest_axis(score_scale)]
    if has_differences:
        headings.append(Heading(text_over_text("Difference", f"to {standings.base_text}, 95 % interval")))
        axes.append(forest_axis(difference_scale))

    lines = []
    for row in rows:
        lines_below = ["baseline"] if row.place is None else details[row.place]
        score = text_over_text(row.score_text, band_text(row.band, standings.decimals))
        cells: list[Child] = [
            _rank_cell(standings, row),
            name_element(row.name, *(element("small", text) for text in lines_below)),
            element("div", score, forest_row(row.band, score_scale), class_="plotted"),
        ]
        if has_differences:
            # The base itself, and scores that are not ranked, have none.
            if row.place is None or row.place == standings.base_place:
                cells.append("")
            else:
                cells.append(difference_element(differences[row.place], difference_scale, standings.decimals))
        lines.append(cells)
    return table(headings, lines, title, n_open, last_row=axes)


def beyond_note(scale: Scale, bands: Sequence[Band]) -> Child:
    """Return what stands beside an axis: what an arrow means, "" if all values are on the scale."""
    return "" if all(scale.holds(band.value) for band in bands) else element("small", _BEYOND)


def differences_to_base(standings: Standings) -> list[Band]:
    """Return the difference of each submission to the base, with its interval."""
    pairs, base = standings.comparison.pairs, standings.base_place
    differences = [Band(0.0, 0.0, 0.0)] * len(standings.names)
    for pair in pairs.of(base).tolist():
        differences[pairs.other(pair, base)] = difference_of_pair(standings, pair, base)
    return differences


def difference_of_pair(standings: Standings, pair: int, base: int) -> Band:
    """Return the score of one submission of a pair less that of the other, ``base``, with its interval."""
    pairs = standings.comparison.pairs
    low, difference, high = pairs.low_all[pair], pairs.difference[pair], pairs.high_all[pair]
    # A pair holds the difference of its first to its second.
    if pairs.first[pair] == base:
        low, difference, high = -high, -difference, -low
    return rounded_band(low, difference, high, standings.decimals)


def _rank_cell(standings: Standings, row: Row) -> Child:
    if row.place is None:
        return "–"
    rank = str(standings.comparison.rank[row.place])
    if standings.baseline_place is not None:
        return rank
    return text_over_text(rank, standings.comparison.rank_set_text(row.place))


def name_element(name: str, *elements_below: Element) -> Element:
    """Return the name of a submission or a team in a table, which breaks where it is long."""
    return element("div", cut(name, LONGEST_NAME), *elements_below, class_="name")


def difference_element(difference: Band, scale: Scale, decimals: int) -> Element:
    """Return a difference with its interval, as text and as a band over a line at 0."""
    texts = text_over_text(f"{difference.value:.{decimals}f}", band_text(difference, decimals))
    return element("div", texts, forest_row(difference, scale, has_zero=True), class_="plotted")


def too_few(n_items: int, unit: str) -> str:
    """Return the beginning of a sentence: "9 sequences are too few"."""
    verb = "is" if n_items == 1 else "are"
    return f"{counted(n_items, unit)} {verb} too few"


def text_over_text(text: str, text_below: str) -> Element:
    """Return a text over a smaller one."""
    return element("div", text, element("small", text_below), class_="two")


def sentences(standings: Standings) -> list[str]:
    """Return what the ranks mean and how differences are to be read, for everyone."""
    return [*rank_sentences(standings), *_overlap_sentences(standings)]


def rank_sentences(standings: Standings) -> list[str]:
    """Return what the ranks of this comparison mean."""
    return [
        *_indistinct_sentences(standings),
        *_visible_sentences(standings),
        *_tie_sentences(standings),
    ]


def _indistinct_sentences(standings: Standings) -> list[str]:
    """Return how many may be the best, and which ranks are not distinguishable.

    Tests against a baseline alone cannot tell.
    """
    n_items = standings.comparison.n_items
    if len(standings.names) < 2 or standings.baseline_place is not None:
        return []
    if n_items < LEAST_ITEMS:
        return [f"Every rank set holds all ranks: {too_few(n_items, standings.unit)} to say more."]
    runs = _runs_of_equals(standings.comparison)
    if not runs:
        return [f"All {standings.noun}s with different scores are significantly different."]
    n_best, m = int(standings.comparison.may_be_best.sum()), len(standings.names)
    run_texts = [f"{low} to {high}" for low, high in runs[:_MOST_SENTENCES]]
    return [
        f"{n_best} of {counted(m, standings.noun)} may be the best: no other is significantly better.",
        f"Ranks that are not distinguishable: {', '.join(run_texts)}.",
    ]


def _runs_of_equals(comparison: Comparison) -> list[tuple[int, int]]:
    """Return the first and the last rank of each of the largest runs of submissions of which no two are
    significantly different; equal ones have all the ranks that they share."""
    pairs = comparison.pairs
    m = len(comparison.rank)
    # The first submission after each one that differs from it.
    nearest_different = np.full(m, m)
    is_significant = pairs.is_significant
    np.minimum.at(nearest_different, pairs.first[is_significant], pairs.second[is_significant])
    # A run that begins with a submission ends before the nearest one that differs from any in it.
    end_of_run = np.minimum.accumulate(nearest_different[::-1])[::-1].tolist()
    rank = comparison.rank.tolist()
    runs = []
    for start, end in enumerate(end_of_run):
        is_part_of_longer_run = start > 0 and end == end_of_run[start - 1]
        if not is_part_of_longer_run and rank[start] < rank[end - 1]:
            n_last = rank.count(rank[end - 1])
            runs.append((rank[start], rank[end - 1] + n_last - 1))
    return runs


def _visible_sentences(standings: Standings) -> list[str]:
    """Return how small a difference can be seen, and how many items that of the first two would need."""
    comparison, decimals = standings.comparison, standings.decimals
    if np.isnan(comparison.visible):
        return []
    text = f"{standings.over} cannot show a difference between two {standings.noun}s "
    text += f"that is below about {comparison.visible:.{decimals}f}"
    if standings.baseline_place is not None:
        return [f"{text}."]
    difference = abs(float(comparison.pairs.difference[0]))
    if 0 < difference < comparison.visible:
        items_text = counted(round(comparison.items_needed(difference)), standings.unit)
        text += f"; one of {difference:.{decimals}f}, as between the first two, needs about {items_text}"
    return [f"{text}."]


def _tie_sentences(standings: Standings) -> list[str]:
    """Return which neighbors only look equal."""
    lines = []
    names, texts, rank = standings.names, standings.score_texts, standings.comparison.rank
    for i in range(len(names) - 1):
        if texts[i] == texts[i + 1] and rank[i] != rank[i + 1]:
            first, second = cut(names[i], LONGEST_NAME), cut(names[i + 1], LONGEST_NAME)
            lines.append(f"{first} and {second} are equal on the leaderboard and differ before rounding.")
    return lines[:_MOST_SENTENCES]


def _overlap_sentences(standings: Standings) -> list[str]:
    """Return that differences, not intervals of scores, are to be read."""
    nouns = f"{standings.noun}s"
    if len(standings.names) < 2:
        return []
    line = f"Whether the intervals of two scores overlap says nothing about their difference: all {nouns} "
    line += f"are scored on the same {standings.task.item}s. Read the differences"
    if standings.comparison.n_tests < 2:
        return [f"{line}."]
    if standings.baseline_place is not None:
        return [f"{line}, whose intervals hold for all differences to {standings.base_text} at once."]
    return [f"{line}, whose intervals hold for all pairs of {nouns} at once."]


def pair_sentences(standings: Standings) -> list[str]:
    """Return a sentence for each pair: by how much the better score differs, and whether significantly."""
    pairs = standings.comparison.pairs
    sign = 1 if standings.task.higher_is_better else -1
    direction = "higher" if standings.task.higher_is_better else "lower"
    lines = []
    for pair, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist())):
        first, second = cut(standings.names[i]), cut(standings.names[j])
        text = f"{first} and {second} score the same"
        if gain := sign * float(pairs.difference[pair]):
            amount = f"{gain:.4f}" if gain >= _SMALLEST_DIFFERENCE else "less than 0.0001"
            text = f"{first} scores {amount} {direction} than {second}"
        interval = sorted((sign * float(pairs.low_all[pair]), sign * float(pairs.high_all[pair])))
        lines.append(text + _verdict(standings, pair, interval))
    return lines


def _verdict(standings: Standings, pair: int, interval: list[float]) -> str:
    """Return the end of a sentence on a pair; ``interval`` is that of the difference."""
    comparison = standings.comparison
    n_items = comparison.n_items
    if n_items < 2:
        return f": {counted(n_items, standings.unit)}, too few for an interval."
    if not any(interval):
        return "."
    low, high = (round(end, 4) + 0.0 for end in interval)
    text = f", 95 % interval {low:.4f} to {high:.4f}: "
    if n_items < LEAST_ITEMS:
        return f"{text}{too_few(n_items, standings.unit)} to say whether that is significant."
    word = "not significant"
    if comparison.pairs.is_significant[pair]:
        # By Holm's method alone: the interval for all tests holds 0.
        word = "significant (Holm)" if interval[0] <= 0 else "significant"
    text += f"{word}, {_p_equation('p', float(comparison.pairs.p[pair]))}"
    if comparison.n_tests > 1:
        text += f", {_p_equation('adjusted p', float(comparison.pairs.p_adjusted[pair]))}"
    if comparison.pairs.p[pair] < SIGNIFICANT and interval[0] <= 0:
        text += f"; the interval holds 0 because it is for all {comparison.n_tests} differences at once"
    return f"{text}."


def _p_equation(name: str, p: float) -> str:
    """Return a p value with its name: "p = 0.012", "p < 0.0001"."""
    return f"{name} {p_text(p)}" if p < _SMALLEST_P else f"{name} = {p_text(p)}"


def table_cards(
    key: str,
    title: str,
    text: str,
    headings: Sequence[Child | Heading],
    rows: Sequence[Sequence[Cell]],
    n_open: int = OPEN_ROWS,
) -> list[Element]:
    """Return a card with a table, none without rows; a heading alone is above cells that are as they are."""
    if not rows:
        return []
    columns = [heading if isinstance(heading, Heading) else Heading(heading) for heading in headings]
    return [card(key, title, text, *table(columns, rows, title, n_open))]


def pairs_card(standings: Standings, numbers_place: str, *more: Element) -> Element:
    """Return the matrix of p values and differences of the first submissions.

    ``numbers_place`` says where the numbers of all pairs are.
    """
    names = [cut(name, _LONGEST_LABEL) for name in standings.names[:MOST_DRAWN]]
    pairs = standings.comparison.pairs
    cells = [[element("td", "", class_="open") for _ in names] for _ in names]
    for pair in np.flatnonzero(pairs.second < len(names)).tolist():
        i, j, p = int(pairs.first[pair]), int(pairs.second[pair]), float(pairs.p_adjusted[pair])
        text, better, worse = p_text(p), "open", "open"
        if p < SIGNIFICANT:
            better, worse = "better", "worse"
            if pairs.low_all[pair] * pairs.high_all[pair] < 0:
                text += " (Holm)"
        p_values = text_over_text(text, f"p {p_text(float(pairs.p[pair]))}")
        cells[i][j] = element("td", p_values, class_=better)
        # From the row's point of view.
        difference = round(-float(pairs.difference[pair]), standings.decimals) + 0.0
        cells[j][i] = element("td", f"{difference:.{standings.decimals}f}", class_=worse)
    noun = standings.noun
    note = (
        f"The first {counted(len(names), noun)}. Above the diagonal: the adjusted p value, and below it p of "
        "this pair alone. Under the diagonal: the score of the row less that of the column. Green: the "
        f"{noun} of the row is significantly better, red: significantly worse. “(Holm)”: the interval for "
        f"all pairs holds 0. All numbers: {numbers_place}."
    )
    return card("pairs", "Pairs", note, scroll(matrix_table(names, names, cells), "Pairs"), *more)


def p_text(p: float) -> str:
    """Return a p value with two significant digits, "" if it is NaN."""
    if np.isnan(p):
        return ""
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:#.2g}"


def method_card(
    standings: Standings, signature: str, half_samples: int, reading: Sequence[str] = ()
) -> Element:
    """Return how the table is read, how intervals, tests and rank sets are computed, and the signature."""
    lines = [*reading, *method_texts(standings, half_samples)]
    texts = element("ul", *(element("li", line) for line in lines))
    code = element("code", cut(signature, _LONGEST_SIGNATURE))
    return card("method", "Method", "", texts, element("p", "Signature: ", code))


def method_texts(standings: Standings, half_samples: int) -> list[str]:
    """Return how intervals, tests and rank sets are computed."""
    n_items = standings.comparison.n_items
    item, noun = standings.task.item, standings.noun
    return [
        f"Halves: the reference ({standings.over}) was divided at random into two halves "
        f"{counted(half_samples, 'time')} (seed {SEED}), the same halves for all {noun}s, and each "
        "half was scored (McCarthy 1969; Shao and Wu, Annals of Statistics 1989). The spread of these scores "
        "gives standard errors.",
        "Intervals of scores: Student's t with a correction for skewness (Efron 1987; DiCiccio and Efron "
        f"1992) and an allowance for bias; 95 of 100 hold the score over all such {item}s"
        f"{caution(n_items, standings.unit)}. Where all halves score the same, no interval is given.",
        _test_method(standings),
        *_rank_set_method(standings),
        f"All this is about other {item}s of the same kind. It says nothing about other kinds of data, nor "
        "about training a method again.",
    ]


def _test_method(standings: Standings) -> str:
    """Return which differences are tested, and how."""
    m, n_tests, noun = len(standings.names), standings.comparison.n_tests, standings.noun
    pairs = f"each pair of {noun}s"
    n_pairs = m * (m - 1) // 2
    if standings.baseline_place is not None:
        pairs = f"each other {noun} and {standings.base_text}"
        n_pairs = m - 1
    copies = f" {noun.capitalize()}s that score the same in all halves are counted once."
    return (
        f"Significant differences: a t test of the difference of scores of {pairs}, adjusted for "
        f"{counted(n_tests, 'pair')} (Holm, Scandinavian Journal of Statistics 1979); two {noun}s are "
        f"significantly different if the adjusted p value is below {SIGNIFICANT}."
        f"{copies if n_tests < n_pairs else ''}"
    )


def _rank_set_method(standings: Standings) -> list[str]:
    """Return how rank sets are read from the tests of all pairs."""
    if standings.baseline_place is not None:
        return []
    noun = standings.noun
    return [
        f"Rank sets: from 1 + the number of {noun}s that are significantly better, to the number of "
        f"{noun}s less those that are significantly worse. All sets together hold all true ranks in at "
        "least 95 of 100 cases (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024). A "
        f"{noun} may be the best if its set begins with 1."
    ]
