"""Compared submissions on a page: a table with forest plots, all pairs, and what they mean in sentences.

The organizers' rankings and comparisons at home are made of it. Differences are ``s[i] - s[j]``, never
negated; sentences say which score is the better one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from scoring_program.metrics.comparison import SIGNIFICANT, Comparison
from scoring_program.metrics.resampling import HALVES, LEAST_ITEMS, SEED, Intervals
from scoring_program.report.html import Child, cut, element
from scoring_program.report.page import card, caution, folded_rows, scroll
from scoring_program.task import Declaration
from validator.arrays import Floats
from validator.texts import counted

MOST_DRAWN = 30
_MOST_SENTENCES = 5
OPEN_ROWS = 50
_LEAST_SHOWN = 0.00005
_LEAST_WIDTH = 1e-9
LONGEST_NAME = 300

Band = tuple[float, float, float]
Scale = tuple[float, float]


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
    names, shown : sequences of m str
        What they are called, and their scores as the leaderboard shows them.
    scores : sequence of m float
    comparison : Comparison
    intervals : Intervals or None
        Those of the scores; None with fewer than 2 items.
    over, unit : str
        What scores are computed over, and what is independent: "240 sequences", "sequence".
    thing : str
        What is compared: submission or team.
    baselines : sequence of Baseline
    decimals : int
        The decimals of intervals and differences.
    """

    task: Declaration
    names: Sequence[str]
    shown: Sequence[str]
    scores: Sequence[float]
    comparison: Comparison
    intervals: Intervals | None
    over: str
    unit: str
    thing: str = "submission"
    baselines: Sequence[Baseline] = ()
    decimals: int = 4

    @property
    def difference_ends(self) -> tuple[Floats, Floats]:
        """The ends of the intervals of the differences: for all pairs at once if there are several."""
        pairs = self.comparison.pairs
        return (pairs.low_all, pairs.high_all) if len(self.names) > 2 else (pairs.low, pairs.high)


def forest_table(
    of: Standings, title: str, below: Sequence[Sequence[str]], n_open: int = OPEN_ROWS
) -> list[Element]:
    """Return the table of submissions with two forest plots: scores, and differences to the first.

    ``below`` are the texts under each name; rows after the first ``n_open`` are folded. Baselines have
    rows of their own.
    """
    m, rows = len(of.names), rows_of(of)
    # Of each to the first: the negative of those of the first m - 1 pairs.
    numbers = (of.difference_ends[1], of.comparison.pairs.difference, of.difference_ends[0])
    negative = bands(of, *(-np.nan_to_num(values[: m - 1]) for values in numbers))
    of_differences = [(0.0, 0.0, 0.0), *negative]
    scales = [scale_of([row.band for row in rows]), scale_of(of_differences)]
    heads: list[Child] = [two("Rank", "possible ranks"), of.thing.capitalize()]
    heads += [two(of.task.columns[0].title, "95 % interval")]
    heads += [two("Difference", "to the first, 95 % interval")] if m > 1 else []
    compared, lines = of.comparison, list[Sequence[Child]]()
    for i, name, shown, band in rows:
        rank: Child = "–"
        difference: Child = ""
        texts: Sequence[str] = ["baseline"]
        if i is not None:
            low, high = int(compared.rank_low[i]), int(compared.rank_high[i])
            rank = two(str(compared.rank[i]), span(low, high))
            texts = [*(["may be the best"] if low == 1 and m > 1 else []), *below[i]]
        if i:
            text = f"{of_differences[i][1]:.{of.decimals}f}"
            difference = _plotted(of, text, of_differences[i], scales[1], zero=True)
        smaller = (element("small", text) for text in texts)
        whose = element("div", cut(name, LONGEST_NAME), *smaller, class_="name")
        lines.append([rank, whose, _plotted(of, shown, band, scales[0]), difference][: len(heads)])
    axes: list[Child] = ["", "", *(_axis(scale) for scale in scales[: len(heads) - 2])]
    return folded_table(heads, lines, title, n_open, axes)


class Row(NamedTuple):
    """A row of a ranking: a submission with its place from 0 on, or a baseline without one."""

    place: int | None
    name: str
    shown: str
    band: Band


def rows_of(of: Standings) -> list[Row]:
    """Return submissions and baselines, the best first."""
    rows = list(map(Row, range(len(of.names)), of.names, of.shown, _score_bands(of)))
    columns = (np.array([getattr(own, end) for own in of.baselines]) for end in ("low", "score", "high"))
    for own, band in zip(of.baselines, bands(of, *columns)):
        rows.append(Row(None, own.name, f"{own.score:.{of.task.columns[0].precision}f}", band))
    return sorted(rows, key=lambda row: row.band[1], reverse=of.task.higher_is_better)


def scale_of(bands: Sequence[Band]) -> Scale:
    """Return the range of intervals."""
    return min(band[0] for band in bands), max(band[2] for band in bands)


def span(low: int, high: int) -> str:
    """Return a rank set as text."""
    return f"{low} to {high}" if low < high else str(low)


def _plotted(of: Standings, shown: str, band: Band, scale: Scale, zero: bool = False) -> Element:
    """Return a value over its interval, beside the forest plot of both."""
    texts = two(shown, band_text(band, of.decimals))
    return element("div", texts, _forest(band, scale, zero), class_="plotted")


def _axis(scale: Scale) -> Element:
    at = (f"left:{position(tick, scale):.2f}%" for tick in ticks(scale))
    texts = (element("span", f"{tick:.10g}", style=style) for tick, style in zip(ticks(scale), at))
    return element("div", *texts, class_="forest axis-x")


def ticks(scale: Scale) -> list[float]:
    """Return up to four round numbers within a scale."""
    width = scale[1] - scale[0]
    if not width > _LEAST_WIDTH:
        return [scale[0]]
    unit = 10.0 ** math.floor(math.log10(width))
    step = next(factor * unit for factor in (0.5, 1, 2, 5) if width <= 3 * factor * unit)
    first, last = math.ceil(scale[0] / step), math.floor(scale[1] / step)
    return [round(k * step, 10) + 0.0 for k in range(first, last + 1)]


def _score_bands(of: Standings) -> list[Band]:
    """Return lower end, score, and upper end of each; three times the score without an interval."""
    low = high = np.array(of.scores)
    if of.intervals is not None:
        ends = of.intervals.low, of.intervals.high
        low, high = (np.where(of.intervals.standard_error > 0, end, of.scores) for end in ends)
    return bands(of, low, np.array(of.scores), high)


def bands(of: Standings, *values: Floats) -> list[Band]:
    """Return intervals with the decimals that may be shown, without a negative zero."""
    columns = ([round(float(value), of.decimals) + 0.0 for value in column] for column in values)
    return list(zip(*columns))


def ends(scale: Scale) -> Element:
    """Return the ends of the scale of a plot in a table, for its head."""
    return element("div", *(element("span", f"{end:.3f}") for end in scale), class_="ends")


def band_text(band: Band, decimals: int) -> str:
    """Return an interval as text."""
    return f"{band[0]:.{decimals}f} to {band[2]:.{decimals}f}" if band[0] < band[2] else "no interval"


def two(text: str, below: str) -> Element:
    """Return a text over a smaller one."""
    return element("div", text, element("small", below), class_="two")


def _forest(values: Band, scale: Scale, zero: bool = False) -> Element:
    """Return an interval as a band and the value as a mark, on the scale of the whole table."""
    left, at, right, origin = (position(value, scale) for value in (*values, 0.0))
    axis = [_upright(origin, "zero")] if zero else []
    band = element("rect", x=f"{left:.2f}", y=3, width=f"{right - left:.2f}", height=4, class_="fill-band")
    options = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return element("svg", *axis, band, _upright(at, "mark"), class_="forest", **options)


def position(value: float, scale: Scale) -> float:
    """Return where a value is on a scale that is drawn from 1 to 99."""
    return 1 + 98 * (value - scale[0]) / max(scale[1] - scale[0], _LEAST_WIDTH)


def _upright(x: float, look: str) -> Element:
    return element("line", x1=f"{x:.2f}", y1=0, x2=f"{x:.2f}", y2=10, class_=look)


def sentences(of: Standings) -> list[str]:
    """Return what the ranks mean, for everyone."""
    compared, m, n = of.comparison, len(of.names), of.comparison.n_items
    lines, groups = list[str](), _alike(compared) if n >= LEAST_ITEMS else []
    if m > 1 and n < LEAST_ITEMS:
        lines.append(f"Every rank set holds all ranks: {counted(n, of.unit)} are too few to say more.")
    elif groups:
        lines += [f"Ranks {low} to {high} are not distinguishable." for low, high in groups[:_MOST_SENTENCES]]
    elif m > 1:
        lines.append(f"All {of.thing}s with different scores are significantly different.")
    if not np.isnan(compared.visible):
        text = f"With {of.over} a difference below about {compared.visible:.{of.decimals}f} between two "
        text += f"{of.thing}s cannot be seen"
        difference = abs(float(compared.pairs.difference[0]))
        if 0 < difference < compared.visible:
            needed = counted(round(compared.items_needed(difference)), of.unit)
            text += f"; one of {difference:.{of.decimals}f}, as between the first two, needs about {needed}"
        lines.append(f"{text}.")
    shown = of.shown
    ties = [i for i in range(m - 1) if shown[i] == shown[i + 1] and compared.rank[i] != compared.rank[i + 1]]
    for i in ties[:_MOST_SENTENCES]:
        both = " and ".join(cut(name, LONGEST_NAME) for name in of.names[i : i + 2])
        lines.append(f"{both} are equal on the leaderboard and differ before rounding.")
    if m > 1:
        lines.append(
            "Whether the intervals of two scores overlap says nothing about their difference: all "
            f"{of.thing}s are scored on the same {of.task.item}s. Read the differences"
            + (f", whose intervals hold for all pairs of {of.thing}s at once." if m > 2 else ".")
        )
    return lines


def pair_sentences(of: Standings) -> list[str]:
    """Return a sentence for each pair: which is better, by how much, and whether that is significant."""
    pairs, sign = of.comparison.pairs, 1 if of.task.higher_is_better else -1
    columns = (pairs.first, pairs.second, sign * pairs.difference, pairs.p_adjusted)
    numbers = zip(*(column.tolist() for column in (*columns, *of.difference_ends)))
    lines = []
    for i, j, difference, p, low, high in numbers:
        first, second = cut(of.names[i]), cut(of.names[j])
        text = f"{first} and {second} score the same"
        if difference:
            amount = f"{difference:.4f}" if difference >= _LEAST_SHOWN else "less than 0.0001"
            text = f"{first} is better than {second} by {amount}"
        lines.append(text + _verdict(of, p, sorted((sign * low, sign * high))))
    return lines


def _verdict(of: Standings, p: float, interval: list[float]) -> str:
    """Return the end of a sentence on a pair; ``interval`` is that of what the first is better by."""
    m, n = len(of.names), of.comparison.n_items
    if n < 2:
        return f": {counted(n, of.unit)}, too few for an interval."
    if not any(interval):
        return "."
    low, high = (round(end, 4) + 0.0 for end in interval)
    text = f", 95 % interval {low:.4f} to {high:.4f}: "
    if n < LEAST_ITEMS:
        return f"{text}{counted(n, of.unit)} are too few to say whether that is significant."
    word = "not significant" if p >= SIGNIFICANT else "significant"
    holm = " (Holm)" if p < SIGNIFICANT and interval[0] <= 0 else ""
    value = p_text(p) if p < 0.0001 else f"= {p_text(p)}"
    return f"{text}{word}{holm}, {'adjusted ' if m > 2 else ''}p {value}."


def _alike(compared: Comparison) -> list[tuple[int, int]]:
    """Return the ranks of the largest runs of submissions of which no two are significantly different."""
    pairs, m = compared.pairs, len(compared.rank)
    nearest = np.full(m, m)
    np.minimum.at(nearest, pairs.first[pairs.is_significant], pairs.second[pairs.is_significant])
    # The end of the run that begins with each: the nearest different one of any in it.
    until = np.minimum.accumulate(nearest[::-1])[::-1]
    runs = [(i, end - 1) for i, end in enumerate(until.tolist()) if not i or end > until[i - 1]]
    ranked = [(int(compared.rank[i]), int(compared.rank[j])) for i, j in runs]
    return [(low, high) for low, high in ranked if low < high]


def pairs_card(of: Standings, where: str, *more: Element) -> Element:
    """Return the matrix of adjusted p values of the first submissions; ``where`` all numbers are."""
    names = [cut(name, 24) for name in of.names[:MOST_DRAWN]]
    pairs = of.comparison.pairs
    shown = np.flatnonzero(pairs.second < len(names))
    columns = pairs.first, pairs.second, pairs.p_adjusted, pairs.low_all * pairs.high_all < 0
    cell_of = {(i, j): (p, wide) for i, j, p, wide in zip(*(column[shown].tolist() for column in columns))}
    heads = (element("th", element("span", name), scope="col") for name in names)
    lines = []
    for i, name in enumerate(names):
        line = element("tr", element("th", name, scope="row"))
        for j in range(len(names)):
            p, wide = cell_of.get((min(i, j), max(i, j)), (np.nan, False))
            is_apart = p < SIGNIFICANT
            text = p_text(p) + (" (Holm)" if is_apart and wide else "")
            line.append(element("td", text, class_=("better" if i < j else "worse") if is_apart else "open"))
        lines.append(line)
    note = (
        f"Adjusted p values of the first {counted(len(names), of.thing)}; green: the {of.thing} of the row "
        "is significantly better, red: significantly worse. “(Holm)”: the interval for all pairs holds 0."
    )
    head = element("thead", element("tr", element("td"), *heads))
    matrix = element("table", head, element("tbody", *lines), class_="matrix")
    return card("pairs", "Pairs", f"{note} All numbers: {where}.", scroll(matrix, "Pairs"), *more)


def p_text(p: float) -> str:
    """Return a p value with two significant digits, "" if it is NaN."""
    return "" if np.isnan(p) else "< 0.0001" if p < 0.0001 else f"{p:#.2g}"


def method_card(of: Standings, signature: str, half_samples: int = HALVES) -> Element:
    """Return how intervals, tests and rank sets are computed, and the signature."""
    texts = element("ul", *(element("li", text) for text in method_texts(of, half_samples)))
    line = element("p", "Signature: ", element("code", cut(signature, 1000)))
    return card("method", "Method", "", texts, line)


def method_texts(of: Standings, half_samples: int) -> list[str]:
    """Return how intervals, tests and rank sets are computed."""
    m, n, item, thing = len(of.names), of.comparison.n_items, of.task.item, of.thing
    return [
        f"Halves: the reference ({of.over}) was divided at random into two halves "
        f"{counted(half_samples, 'time')} (seed {SEED}), the same halves for all {thing}s, and each "
        "half was scored (McCarthy 1969; Shao and Wu, Annals of Statistics 1989). The spread of these scores "
        "gives standard errors.",
        "Intervals of scores: Student's t with a correction for skewness (Efron 1987; DiCiccio and Efron "
        f"1992) and an allowance for bias; 95 of 100 hold the score over all such {item}s"
        f"{caution(n, of.unit)}.",
        f"Significant differences: a t test of the difference of scores of each pair of {thing}s, adjusted "
        f"for {counted(m * (m - 1) // 2, 'pair')} (Holm, Scandinavian Journal of Statistics 1979); two "
        f"{thing}s are significantly different if the adjusted p value is below {SIGNIFICANT}.",
        f"Rank sets: from 1 + the number of {thing}s that are significantly better, to the number of "
        f"{thing}s less those that are significantly worse. All sets together hold all true ranks in at "
        "least 95 of 100 cases (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024). A "
        f"{thing} may be the best if its set begins with 1.",
        f"All this is about other {item}s of the same kind. It says nothing about other kinds of data, nor "
        "about training a method again.",
    ]


def folded_table(
    heads: Sequence[Child],
    body: Sequence[Sequence[Child]],
    title: str,
    n_open: int = OPEN_ROWS,
    last: Sequence[Child] = (),
) -> list[Element]:
    """Return a table of anything; rows after the first ``n_open`` are folded; ``last`` ends both parts."""

    def rendered(row: Sequence[Child]) -> Element:
        return element("tr", *(element("td", cell) for cell in row))

    head = element("tr", *(element("th", cell, scope="col") for cell in heads))
    return folded_rows(head, list(map(rendered, body)), title, n_open, [rendered(last)] if last else [])
