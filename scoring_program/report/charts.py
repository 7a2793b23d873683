"""Charts as inline SVG trees. Colours are CSS classes of the page, so they follow light and dark mode."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from xml.etree.ElementTree import Element

from scoring_program.report.html import element
from scoring_program.result import BodyFigure, Histogram, Lane, Line, LineChart, StackedBar, Timeline

_WIDTH, _HEIGHT = 480, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 20, 20, 46


def histogram(data: Histogram) -> Element:
    """Return a histogram with its counts above the bars."""
    plot_width, plot_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    low, high = data.edges[0], data.edges[-1]
    most = max(max(data.counts, default=0), 1)
    chart = _canvas(f"{data.title}: {', '.join(str(count) for count in data.counts)} {data.things}")
    base = _TOP + plot_height
    for count, left, right in zip(data.counts, data.edges, data.edges[1:]):
        x0, x1 = (_LEFT + plot_width * (edge - low) / (high - low) for edge in (left, right))
        height = plot_height * count / most
        chart.append(_rect(x0 + 1, base - height, x1 - x0 - 2, height, "fill-b"))
        if count:
            chart.append(_text((x0 + x1) / 2, base - height - 4, str(count), "middle"))
    chart.append(element("line", class_="axis", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=base, y2=base))
    for share in (0, 0.5, 1):
        chart.append(_text(_LEFT + plot_width * share, base + 17, f"{low + (high - low) * share:g}", "middle"))
    chart.append(_text(_LEFT + plot_width / 2, _HEIGHT - 8, data.value, "middle"))
    middle = _TOP + plot_height / 2
    chart.append(_text(14, middle, data.things, "middle", transform=f"rotate(-90 14 {middle:g})"))
    return chart


def kinds() -> Iterator[str]:
    """Return the colours of lines and shares in their order, over and over."""
    return cycle("bacdefghij")


def lines(data: LineChart) -> Element:
    """Return lines over a grid with numbers on both axes."""
    plot_width, plot_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    low_x, high_x, low_y, high_y = data.ranges

    def at(x: float, y: float) -> tuple[float, float]:
        right = (min(max(x, low_x), high_x) - low_x) / (high_x - low_x)
        up = (min(max(y, low_y), high_y) - low_y) / (high_y - low_y)
        return _LEFT + plot_width * right, _TOP + plot_height * (1 - up)

    chart = _canvas(f"{data.title}: {data.y_title} against {data.x_title}")
    for value in _ticks(low_y, high_y):
        _, y = at(low_x, value)
        chart.append(element("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=f"{y:.6g}", y2=f"{y:.6g}"))
        chart.append(_text(_LEFT - 5, y + 4, f"{value:g}", "end"))
    for value in _ticks(low_x, high_x):
        chart.append(_text(at(value, low_y)[0], _HEIGHT - _BOTTOM + 17, f"{value:g}", "middle"))
    chart.append(_text(_LEFT + plot_width / 2, _HEIGHT - 8, data.x_title, "middle"))
    chart.append(_text(_LEFT, 13, data.y_title, "start"))
    for line, kind in zip(data.lines, kinds()):
        points = [at(x, y) for x, y in zip(line.x, line.y)]
        if data.filled and line is data.lines[0] and points:
            base = _TOP + plot_height
            area = [(points[0][0], base), *points, (points[-1][0], base)]
            chart.append(element("path", class_=f"area-{kind}", d=f"{_path(area)} Z"))
        chart.extend(_marks(line, points, kind))
    return chart


def _ticks(low: float, high: float) -> list[float]:
    """Return four steps from low to high, or three if only those are whole hundredths."""
    hundredths = round(100 * (high - low))
    steps = 3 if hundredths % 4 and not hundredths % 3 else 4
    return [round(low + (high - low) * step / steps, 6) for step in range(steps + 1)]


def _marks(line: Line, points: list[tuple[float, float]], kind: str) -> list[Element]:
    if line.dots:
        return [element("circle", class_=f"fill-{kind}", cx=f"{x:.6g}", cy=f"{y:.6g}", r=3) for x, y in points]
    return [element("path", class_=f"line-{kind}", d=_path(points))] if points else []


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.6g} {y:.6g}" for x, y in points)


def stacked_bar(data: StackedBar) -> Element:
    """Return one bar of shares side by side."""
    text = ", ".join(f"{label} {share:.4f}" for label, share in data.shares)
    chart = element("svg", class_="chart", viewBox=f"0 0 {_WIDTH} 34", role="img", aria_label=f"{data.title}: {text}")
    left = 0.0
    for (_, share), kind in zip(data.shares, kinds()):
        width = _WIDTH * min(max(share, 0.0), 1.0)
        chart.append(_rect(left, 2, width, 30, f"fill-{kind}"))
        left += width
    return chart


# The front of a body in a field of 200 x 260: circles (x, y, r) and lines (x1, y1, x2, y2, width) of each part.
_BODY: dict[str, tuple[tuple[float, ...], ...]] = {
    "head": ((100, 30, 20),),
    "torso": ((100, 72, 100, 125, 46),),
    "upper arms": ((72, 66, 52, 104, 15), (128, 66, 148, 104, 15)),
    "lower arms": ((50, 112, 42, 148, 12), (150, 112, 158, 148, 12)),
    "hands": ((40, 162, 8), (160, 162, 8)),
    "upper legs": ((88, 150, 84, 190, 20), (112, 150, 116, 190, 20)),
    "lower legs": ((83, 202, 81, 236, 15), (117, 202, 119, 236, 15)),
    "feet": ((80, 249, 70, 251, 10), (120, 249, 130, 251, 10)),
}


def body(data: BodyFigure) -> Element:
    """Return a figure whose parts are the stronger coloured the higher their value."""
    known = {name: value for name, value, _ in data.parts if value is not None}
    text = ", ".join(f"{name} {value:.2f}" for name, value in known.items())
    chart = element("svg", class_="body", viewBox="0 0 200 260", role="img", aria_label=f"{data.title}: {text}")
    for name, shapes in _BODY.items():
        for numbers in shapes:
            for kind, opacity in (("none", 1.0), ("value", known.get(name, 0.0))):
                chart.append(_limb(numbers, f"limb-{kind}", opacity))
    return chart


def _limb(numbers: tuple[float, ...], kind: str, opacity: float) -> Element:
    shown = f"{opacity:.2f}"
    if len(numbers) == 3:
        x, y, radius = numbers
        return element("circle", class_=kind, cx=x, cy=y, r=radius, stroke_width=0, opacity=shown)
    x1, y1, x2, y2, width = numbers
    return element("line", class_=kind, x1=x1, y1=y1, x2=x2, y2=y2, stroke_width=width, opacity=shown)


def timeline(data: Timeline) -> Element:
    """Return the lanes of a timeline, each a label and a strip that stretches with the page."""
    lanes = element("div", class_="lanes")
    for lane in data.lanes:
        lanes.append(element("span", lane.label))
        lanes.append(_strip(lane, data.n_frames))
    lanes.append(element("span"))
    lanes.append(element("span", element("small", f"frames 1 to {data.n_frames}")))
    return lanes


def _strip(lane: Lane, n_frames: int) -> Element:
    strip = element(
        "svg", class_="strip", viewBox=f"0 0 {n_frames} 20", preserveAspectRatio="none", role="img",
        aria_label=f"{lane.label}: {len(lane.ground_truth)} annotated, {len(lane.prediction)} predicted",
    )  # fmt: skip
    for intervals, top, kind in ((lane.ground_truth, 1, "fill-a"), (lane.prediction, 11, "fill-b")):
        for start, end in intervals:
            strip.append(_rect(start, top, max(end - start, 0), 8, kind))
    return strip


def _canvas(description: str) -> Element:
    return element("svg", class_="chart", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=description)


def _rect(x: float, y: float, width: float, height: float, kind: str) -> Element:
    return element("rect", class_=kind, x=f"{x:.6g}", y=f"{y:.6g}", width=f"{width:.6g}", height=f"{height:.6g}")


def _text(x: float, y: float, text: str, anchor: str, **attributes: str) -> Element:
    return element("text", text, x=f"{x:.6g}", y=f"{y:.6g}", text_anchor=anchor, **attributes)
