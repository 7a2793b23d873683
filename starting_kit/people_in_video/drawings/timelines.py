"""Timelines of sequences: the intervals of each class, ground truth above prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element

from people_in_video.drawings.scenes import GROUND_TRUTH, PREDICTION, drawings_style, grid, sides_key
from scoring_program.report.elements.axis import round_ticks
from scoring_program.report.elements.svg import line, rect, stretched_svg, with_title
from scoring_program.report.html import cut, element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section
from validator.texts import counted

# How many show at once.
_OPEN = 10
_LONGEST_LABEL = 24


class Lane(NamedTuple):
    """One class of a timeline: half-open 0-based frame intervals of the ground truth and the prediction.

    ``number`` is what the row of classes calls it.
    """

    label: str
    ground_truth: Sequence[tuple[int, int]]
    prediction: Sequence[tuple[int, int]]
    number: int


@dataclass(frozen=True)
class Timeline(Section):
    """Ground truth above prediction over the frames of one sequence, which is ``title``.

    ``anchor`` is what links point to, put in at home.
    """

    level = FULL
    shared_title = "Timelines"
    n_frames: int
    lanes: Sequence[Lane]
    anchor: str = ""

    def render(self, look: Look) -> list[Element]:
        """Return the lanes."""
        return [_lanes(self, look.limit)]

    def render_shared(self, sections: Sequence[Section], look: Look) -> list[Element]:
        """Return all timelines in one card; those after the first are folded."""
        timelines = [section for section in sections if isinstance(section, Timeline)]
        drawn_timelines = []
        sides = {GROUND_TRUTH}
        for section in timelines:
            title = element("h3", cut(section.title))
            place = {"id": section.anchor} if section.anchor else {}
            drawn_timelines.append(element("div", title, *section.render(look), class_="timeline", **place))
            if any(lane.prediction for lane in section.lanes):
                sides.add(PREDICTION)
        return [sides_key(sides), *grid(drawn_timelines, look.n_open or _OPEN, "timeline")]

    def style(self) -> str:
        """Return the CSS of timelines."""
        return drawings_style()


# The intervals of a lane, which have this name in style.css, too; where their bars are, and their color.
_SIDES = (("ground_truth", 2, "fill-a"), ("prediction", 10, "fill-b"))
_LANE_HEIGHT = 20
_BAR_HEIGHT = 8
# In percent of the width of a timeline.
_NUMBER_ROOM = 7


def _lanes(section: Timeline, limit: int) -> Element:
    """Return the lanes of a timeline, ground truth above prediction, over ticks of frames."""
    lanes = section.lanes[:limit]
    ticks = [int(tick) for tick in round_ticks(0, section.n_frames, is_whole=True)]
    names = element("div", class_="labels")
    for lane in lanes:
        names.append(element("div", f"{lane.number} {cut(lane.label, _LONGEST_LABEL)}"))
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


def _lane_bars(section: Timeline, lanes: Sequence[Lane], ticks: Sequence[int], limit: int) -> Element:
    """Return the bars of both sides in all lanes, over a grid."""
    height = _LANE_HEIGHT * len(lanes)
    size = f"{counted(len(lanes), 'lane')} over {counted(section.n_frames, 'frame')}"
    chart = stretched_svg(section.n_frames, max(height, 1), f"{section.title}: {size}", class_="strip")
    chart.set("style", f"height:{1.15 * len(lanes):g}rem")
    chart.extend(line(frame, 0, frame, height, "grid") for frame in ticks)
    for number, lane in enumerate(lanes):
        for side, top, color in _SIDES:
            y = _LANE_HEIGHT * number + top
            for start, end in getattr(lane, side)[:limit]:
                bar = rect(start, y, max(end - start, 0), _BAR_HEIGHT, color)
                chart.append(with_title(bar, f"{cut(lane.label)}: frames {start + 1:,} to {end:,}"))
    return chart


def _class_numbers(lanes: Sequence[Lane], n_frames: int, limit: int) -> Element:
    """Return the numbers of the classes where they are, of the ground truth above those predicted.

    A number that has no room is left out: the bars below show it.
    """
    row = element("div", class_="classes")
    for side, _, _ in _SIDES:
        numbered_spans = []
        for lane in lanes:
            numbered_spans += [(start, end, lane.number) for start, end in getattr(lane, side)[:limit]]
        free_from = 0.0
        for start, end, number in sorted(numbered_spans):
            middle = 50 * (start + end) / max(n_frames, 1)
            if middle >= free_from:
                style = f"left:{middle:.2f}%"
                row.append(element("span", f"{number}", class_=side, style=style))
                free_from = middle + _NUMBER_ROOM
    return row
