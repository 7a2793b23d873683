"""The charts of sections of a detail page.

Ground truth has color a, prediction b, costs d, and values f, as `style.css` defines them. Functions that
draw lists of any length take a ``limit``, the most entries that they draw.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scoring_program import figures
from scoring_program.report.elements import plots, tables
from scoring_program.report.elements.axis import Axis, round_ticks
from scoring_program.report.elements.svg import key, line, rect, stretched_svg, with_title
from scoring_program.report.html import cut, element
from validator.texts import counted

LARGEST_MATRIX = 20
_LONGEST_LABEL = 24


def histogram(section: figures.Histogram) -> Element:
    """Return a histogram with its counts above the bars."""
    return plots.histogram(
        title=section.title,
        axis_title=section.value,
        items_title=section.things,
        edges=section.edges,
        counts=section.counts,
        threshold=section.threshold,
    )


def lines(section: figures.LineChart) -> list[Element]:
    """Return the lines of a section, and what their colors mean if there are several."""
    low_x, high_x, low_y, high_y = section.ranges
    x_axis = Axis(section.x_title, low_x, high_x)
    y_axis = Axis(section.y_title, low_y, high_y)
    description = f"{section.title}: {section.y_title} against {section.x_title}"
    if section.ordered:
        chart = plots.ordered_line_chart(description, x_axis, y_axis, section.lines)
        meanings = plots.ordered_lines_key(section.lines)
    else:
        chart = plots.line_chart(description, x_axis, y_axis, section.lines, is_filled=section.filled)
        meanings = plots.lines_key(section.lines)
    return [chart, meanings] if len(section.lines) > 1 else [chart]


def sides_key(sides: Collection[str]) -> Element:
    """Return what the colors of ground truth and prediction mean, of those sides that are drawn."""
    color_of_side = {figures.GROUND_TRUTH: "fill-a", figures.PREDICTION: "fill-b"}
    return key([(side, color) for side, color in color_of_side.items() if side in sides])


def stacked_bar(section: figures.StackedBar) -> list[Element]:
    """Return one bar of shares side by side, and what its colors mean; shares of 0 are not named."""
    names = [f"{label} {share:.3f}" for label, share in section.shares]
    description = f"{section.title}: {', '.join(names)}"
    chart = stretched_svg(100, 10, description, class_="stack")
    left = 0.0
    meanings = []
    for name, (_, share), color in zip(names, section.shares, plots.series_colors()):
        width = 100 * min(max(share, 0.0), 1.0)
        chart.append(with_title(rect(left, 0, width, 10, f"fill-{color}"), name))
        left += width
        if round(share, 3):
            meanings.append((name, f"fill-{color}"))
    return [chart, key(meanings)]


class _Circle(NamedTuple):
    x: float
    y: float
    radius: float


class _Limb(NamedTuple):
    x1: float
    y1: float
    x2: float
    y2: float
    width: float


# A body from its front, in a field of 200 x 260: its right is on the left.
_BODY: dict[str, _Circle | _Limb] = {
    "head": _Circle(100, 30, 20),
    "torso": _Limb(x1=100, y1=72, x2=100, y2=125, width=46),
    "right upper arm": _Limb(x1=72, y1=66, x2=52, y2=104, width=15),
    "left upper arm": _Limb(x1=128, y1=66, x2=148, y2=104, width=15),
    "right lower arm": _Limb(x1=50, y1=112, x2=42, y2=148, width=12),
    "left lower arm": _Limb(x1=150, y1=112, x2=158, y2=148, width=12),
    "right hand": _Circle(40, 162, 8),
    "left hand": _Circle(160, 162, 8),
    "right upper leg": _Limb(x1=88, y1=150, x2=84, y2=190, width=20),
    "left upper leg": _Limb(x1=112, y1=150, x2=116, y2=190, width=20),
    "right lower leg": _Limb(x1=83, y1=202, x2=81, y2=236, width=15),
    "left lower leg": _Limb(x1=117, y1=202, x2=119, y2=236, width=15),
    "right foot": _Limb(x1=80, y1=249, x2=70, y2=251, width=10),
    "left foot": _Limb(x1=120, y1=249, x2=130, y2=251, width=10),
}


def body(section: figures.BodyFigure) -> Element:
    """Return a figure whose parts are colored by their value from 0 to 1, over the scale of colors."""
    value_of_part = {name: value for name, value, _ in section.parts if value is not None}
    description = ", ".join(f"{name} {value:.2f}" for name, value in value_of_part.items())
    label = f"{section.title}: {description}"
    chart = element("svg", viewBox="20 0 160 260", role="img", aria_label=label)
    for name, shape in _BODY.items():
        title, look = name, {"class": "limb none"}
        if name in value_of_part:
            value = value_of_part[name]
            title = f"{name} {value:.3f}"
            # Only the stroke or fill color differs, so that overlapping limbs do not show through.
            look = {"class": "limb", "style": f"--s:{min(max(value, 0.0), 1.0):.3f}"}
        chart.append(with_title(_body_shape(shape, look), title))
    sides = element("div", element("span", "right"), element("span", "left"), class_="sides")
    return element("div", chart, sides, plots.color_scale("0", "1"), class_="body")


def _body_shape(shape: _Circle | _Limb, look: dict[str, str]) -> Element:
    if isinstance(shape, _Circle):
        return element("circle", cx=shape.x, cy=shape.y, r=shape.radius, stroke_width=0, **look)
    place = {"x1": shape.x1, "y1": shape.y1, "x2": shape.x2, "y2": shape.y2}
    return element("line", **place, stroke_width=shape.width, **look)


def matrix(section: figures.Matrix) -> Element:
    """Return a table of counts colored by size: one scale for the diagonal, one for the rest."""
    n_names = min(len(section.names), LARGEST_MATRIX)
    row_names = [cut(name, _LONGEST_LABEL) for name in section.names[:n_names]]
    column_names = list(row_names)
    indexes = list(range(n_names))
    if section.unpaired:
        last_row_name, last_column_name = section.unpaired
        row_names.append(last_row_name)
        column_names.append(last_column_name)
        indexes.append(len(section.names))
    counts = section.counts[indexes][:, indexes].tolist()
    largest_same, largest_other = 1, 1
    for i, row in enumerate(counts):
        # The corner belongs to neither: there is no pair of two things that are missing.
        largest_same = max(largest_same, row[i] if i < n_names else 1)
        largest_other = max([largest_other, *row[:i], *row[i + 1 :]])
    cells: list[list[Element]] = []
    for i, row in enumerate(counts):
        cells.append([])
        for j, count in enumerate(row):
            kind, largest = ("same", largest_same) if i == j else ("other", largest_other)
            attributes = {}
            if count:
                title = f"{row_names[i]}, {column_names[j]}: {count}"
                attributes = {"class": kind, "style": f"--s:{count / largest:.2f}", "title": title}
            cells[i].append(element("td", f"{count or ''}", **attributes))
    return tables.matrix(row_names, column_names, cells)


class _Side(Enum):
    """A side of a timeline: where its bars are in a lane, and their color in style.css."""

    GROUND_TRUTH = (2, "fill-a", "ground_truth")
    PREDICTION = (10, "fill-b", "prediction")

    def __init__(self, top: int, color: str, class_name: str) -> None:
        self.top = top
        self.color = color
        self.class_name = class_name

    def intervals(self, lane: figures.Lane) -> Sequence[tuple[int, int]]:
        return lane.ground_truth if self is _Side.GROUND_TRUTH else lane.prediction


_LANE_HEIGHT = 20
_BAR_HEIGHT = 8
# In percent of the width of a timeline.
_NUMBER_ROOM = 7


def timeline(section: figures.Timeline, limit: int) -> Element:
    """Return the lanes of a timeline, ground truth above prediction, over ticks of frames."""
    lanes = section.lanes[:limit]
    ticks = [int(tick) for tick in round_ticks(0, section.n_frames, is_whole=True)]
    names = element("div", class_="labels")
    for lane in lanes:
        name = cut(lane.label, _LONGEST_LABEL)
        names.append(element("div", f"{lane.number} {name}" if lane.number else name.lstrip()))
    numbers = _class_numbers(lanes, section.n_frames, limit)
    chart = _lane_bars(section, lanes, ticks, limit)
    axis = element("div", class_="ticks")
    for frame in ticks:
        place = f"left:{100 * frame / max(section.n_frames, 1):.2f}%"
        axis.append(element("span", f"{frame:,}", style=place))
    if not len(numbers):
        return element("div", names, element("div", chart, axis), class_="lanes")
    names.insert(0, element("div", "class", class_="classes"))
    return element("div", names, element("div", numbers, chart, axis), class_="lanes")


def _lane_bars(
    section: figures.Timeline, lanes: Sequence[figures.Lane], ticks: Sequence[int], limit: int
) -> Element:
    """Return the bars of both sides in all lanes, over a grid."""
    height = _LANE_HEIGHT * len(lanes)
    size = f"{counted(len(lanes), 'lane')} over {counted(section.n_frames, 'frame')}"
    chart = stretched_svg(section.n_frames, max(height, 1), f"{section.title}: {size}", class_="strip")
    chart.set("style", f"height:{1.15 * len(lanes):g}rem")
    chart.extend(line(frame, 0, frame, height, "grid") for frame in ticks)
    for number, lane in enumerate(lanes):
        for side in _Side:
            y = _LANE_HEIGHT * number + side.top
            for start, end in side.intervals(lane)[:limit]:
                bar = rect(start, y, max(end - start, 0), _BAR_HEIGHT, side.color)
                chart.append(with_title(bar, f"{cut(lane.label)}: frames {start + 1:,} to {end:,}"))
    return chart


def _class_numbers(lanes: Sequence[figures.Lane], n_frames: int, limit: int) -> Element:
    """Return the numbers of the classes where they are, of the ground truth above those predicted.

    A number that has no room is left out: the bars below show it.
    """
    row = element("div", class_="classes")
    for side in _Side:
        numbered = []
        for lane in lanes:
            numbered += [(start, end, lane.number) for start, end in side.intervals(lane)[:limit]]
        free_from = 0.0
        for start, end, number in sorted(numbered):
            middle = 50 * (start + end) / max(n_frames, 1)
            if number and middle >= free_from:
                style = f"left:{middle:.2f}%"
                row.append(element("span", f"{number}", class_=side.class_name, style=style))
                free_from = middle + _NUMBER_ROOM
    return row
