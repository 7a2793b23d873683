"""Charts as trees: marks are SVG that stretches with the card, texts are HTML that keeps its size on a phone.

Colors are CSS classes of the page, so they follow light and dark mode: a is ground truth, b prediction, d
costs, and f values. Functions that draw lists of any length take a ``limit``, the most entries that they
draw.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import cycle, islice
from xml.etree.ElementTree import Element

from scoring_program import result
from scoring_program.report.html import cut, element
from validator.texts import counted

_LANE = 20
LARGEST_MATRIX = 20
_MOST_EDGES = 12
# Percent of the width of a timeline.
_NUMBER_ROOM = 7
# Of a label in percent of the height of a chart.
_NAME_HEIGHT = 9.0

Ticks = Sequence[tuple[float, str]]
Elements = Sequence[Element]


def colors() -> Iterator[str]:
    """Return the names of the colors of lines and shares in their order, repeated endlessly."""
    return cycle("fcgihjedab")


def interval_strip(interval: result.Interval, score: float) -> Element:
    """Return the interval as a band on the scale from 0 to 1, the score as a mark on it."""
    band = _rect(100 * interval.low, 0, 100 * (interval.high - interval.low), 10, "fill-band")
    description = f"the interval from {interval.low:.4f} to {interval.high:.4f} on a scale from 0 to 1"
    mark = _line(100 * score, 0, 100 * score, 10, "mark")
    svg = _stretched(100, 10, description)
    svg.extend([_titled(band, description), _titled(mark, f"{score:.4f}")])
    return element("div", element("span", "0"), svg, element("span", "1"), class_="interval")


def histogram(data: result.Histogram) -> Element:
    """Return a histogram with its counts above the bars."""
    low, high = data.edges[0], data.edges[-1]
    most = max(max(data.counts, default=0), 1)
    at = [100 * (edge - low) / (high - low) for edge in data.edges]
    bars, texts, thing = [], [], data.things.removesuffix("s")
    ends = zip(data.edges, data.edges[1:])
    for count, left, right, (own_low, own_high) in zip(data.counts, at, at[1:], ends):
        height, width = 92 * count / most, max(right - left - 0.6, 0.1)
        bar = _rect(left + 0.3, 100 - height, width, height, "fill-f")
        bars.append(_titled(bar, f"{own_low:g} to {own_high:g}: {counted(count, thing)}"))
        if count:
            position = f"left:{(left + right) / 2:.2f}%;bottom:{height:.2f}%"
            texts.append(element("span", f"{count:,}", class_="value", style=position))
    if data.threshold is not None:
        place = 100 * (data.threshold - low) / (high - low)
        bars.append(_line(place, 0, place, 100, "mark"))
        text = f"needs {data.threshold:g}"
        texts.append(element("span", text, class_="threshold", style=f"left:{place:.2f}%"))
    edges = data.edges if len(data.edges) <= _MOST_EDGES else _steps(low, high)
    ticks = [(100 * (edge - low) / (high - low), f"{edge:g}") for edge in edges]
    description = f"{data.title}: {', '.join(str(count) for count in data.counts)} {data.things}"
    return plot(description, bars, texts, (ticks, ()), (data.value, data.things))


def lines(data: result.LineChart, named: bool = False) -> Element:
    """Return lines over a grid with numbers on both axes; ``named`` ones have their label where they end."""
    low_x, high_x, low_y, high_y = data.ranges

    def at(x: float, y: float) -> tuple[float, float]:
        right = (min(max(x, low_x), high_x) - low_x) / (high_x - low_x)
        up = (min(max(y, low_y), high_y) - low_y) / (high_y - low_y)
        return 100 * right, 100 - 100 * up

    marks = []
    drawn = [line for line in data.lines if line.x]
    for number, (line, color) in enumerate(zip(drawn, colors())):
        points = [at(x, y) for x, y in zip(line.x, line.y)]
        if data.filled and not number:
            area = [(points[0][0], 100.0), *points, (points[-1][0], 100.0)]
            marks.append(element("path", class_=f"area-{color}", d=f"{_path(area)} Z"))
        look = {"class": "line-last" if data.ordered else f"line-{color}"}
        if data.ordered and line is not drawn[-1]:
            look = {"class": "line-step", "style": f"--s:{number / max(len(drawn) - 2, 1):.3f}"}
        marks.append(_titled(element("path", **look, d=_path(points)), line.label))
    x_ticks = [(at(value, low_y)[0], f"{value:g}") for value in _steps(low_x, high_x)]
    y_ticks = [(100 - at(low_x, value)[1], f"{value:g}") for value in _steps(low_y, high_y)]
    description = f"{data.title}: {data.y_title} against {data.x_title}"
    texts = _end_names(drawn, [100 - at(line.x[-1], line.y[-1])[1] for line in drawn]) if named else ()
    return plot(description, marks, texts, (x_ticks, y_ticks), (data.x_title, data.y_title))


def _end_names(drawn: Sequence[result.Line], heights: Sequence[float]) -> list[Element]:
    """Return the labels of lines that end at ``heights`` in percent, one above the other."""
    order = sorted(range(len(drawn)), key=lambda number: (heights[number], -number))
    places = [heights[number] for number in order]
    for i in reversed(range(len(places) - 1)):
        places[i] = min(places[i], places[i + 1] - _NAME_HEIGHT)
    for i, place in enumerate(places):
        places[i] = max(place, places[i - 1] + _NAME_HEIGHT if i else 0.0)
    of_color, texts = list(islice(colors(), len(drawn))), []
    for number, place in zip(order, places):
        name = key([(drawn[number].label, f"fill-{of_color[number]}")])
        texts.append(element("div", name, class_="end", style=f"bottom:{place:.2f}%"))
    return texts


def lines_key(data: result.LineChart) -> Element:
    """Return what the colors of lines mean: each line, or the scale of ordered lines."""
    if not data.ordered or len(data.lines) < 3:
        return key([(line.label, f"fill-{color}") for line, color in zip(data.lines, colors())])
    *steps, last = data.lines
    of_last = key([(last.label, "fill-last")])
    of_last.insert(0, scale(steps[0].label, steps[-1].label))
    return of_last


def key(entries: Sequence[tuple[str, str]]) -> Element:
    """Return the meaning of colors: (text, class of the color)."""
    meanings = element("div", class_="key")
    for text, class_name in entries:
        square = element("rect", width=10, height=10, class_=class_name)
        svg = element("svg", square, viewBox="0 0 10 10", aria_hidden="true")
        meanings.append(element("span", svg, cut(text)))
    return meanings


def sides_key(drawn: Collection[str]) -> Element:
    """Return what the colors of ground truth and prediction mean, of those that are drawn."""
    letters = (result.GROUND_TRUTH, "a"), (result.PREDICTION, "b")
    return key([(side, f"fill-{letter}") for side, letter in letters if side in drawn])


def scale(low: str, high: str) -> Element:
    """Return the scale of colors between the texts for its ends."""
    return element("span", cut(low), element("span", class_="scale"), cut(high), class_="key")


def stacked_bar(data: result.StackedBar) -> Element:
    """Return one bar of shares side by side."""
    text = ", ".join(f"{label} {share:.3f}" for label, share in data.shares)
    chart = _stretched(100, 10, f"{data.title}: {text}", class_="stack")
    left = 0.0
    for (label, share), color in zip(data.shares, colors()):
        width = 100 * min(max(share, 0.0), 1.0)
        chart.append(_titled(_rect(left, 0, width, 10, f"fill-{color}"), f"{label} {share:.3f}"))
        left += width
    return chart


# The front of a body in a field of 200 x 260: circles (x, y, r) and lines (x1, y1, x2, y2, width).
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


def body(data: result.BodyFigure) -> Element:
    """Return a figure whose parts are colored by their value, over the scale of colors.

    The colors spread over the values that occur, which may be near each other.
    """
    known = {name: value for name, value, _ in data.parts if value is not None}
    low, high = min(known.values(), default=0.0), max(known.values(), default=1.0)
    text = ", ".join(f"{name} {value:.2f}" for name, value in known.items())
    chart = element("svg", viewBox="20 0 160 260", role="img", aria_label=f"{data.title}: {text}")
    for name, shapes in _BODY.items():
        # Only the stroke or fill color differs, so that overlapping limbs do not show through.
        look = {"class": "limb none"}
        if name in known:
            look = {"class": "limb", "style": f"--s:{(known[name] - low) / ((high - low) or 1):.3f}"}
        title = f"{name} {known[name]:.3f}" if name in known else name
        chart.extend(_titled(_limb(numbers, look), title) for numbers in shapes)
    return element("div", chart, scale(f"{low:.3f}", f"{high:.3f}"), class_="body")


def _limb(numbers: tuple[float, ...], look: dict[str, str]) -> Element:
    if len(numbers) == 3:
        x, y, radius = numbers
        return element("circle", cx=x, cy=y, r=radius, stroke_width=0, **look)
    x1, y1, x2, y2, width = numbers
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke_width=width, **look)


def matrix(data: result.Matrix) -> Element:
    """Return a table of counts colored by size: one scale for the diagonal, one for the rest."""
    n = min(len(data.names), LARGEST_MATRIX)
    kept = [*range(n), *([len(data.names)] if data.unpaired else [])]
    counts = data.counts[kept][:, kept].tolist()
    names = [cut(name, 24) for name in data.names[:n]]
    row_names, column_names = ([*names, own] for own in data.unpaired) if data.unpaired else (names, names)
    diagonal = max([1, *(counts[i][i] for i in range(n))])
    off_diagonal = max([1, *(count for i, row in enumerate(counts) for j, count in enumerate(row) if i != j)])
    titles = (element("th", element("span", name), scope="col") for name in column_names)
    head = element("tr", element("td"), *titles)
    rows = []
    for i, name in enumerate(row_names):
        row = element("tr", element("th", name, scope="row"))
        for j, count in enumerate(counts[i]):
            text = f"{count or ''}"
            kind, most = ("same", diagonal) if i == j else ("other", off_diagonal)
            look = {"class": kind, "style": f"--s:{count / most:.2f}"} if count else {}
            title = {"title": f"{name}, {column_names[j]}: {text}"} if count else {}
            row.append(element("td", text, **look, **title))
        rows.append(row)
    return element("table", element("thead", head), element("tbody", *rows), class_="matrix")


def timeline(data: result.Timeline, limit: int) -> Element:
    """Return the lanes of a timeline, ground truth above prediction, over ticks of frames."""
    lanes = data.lanes[:limit]
    height = _LANE * len(lanes)
    description = f"{data.title}: {counted(len(lanes), 'lane')} over {counted(data.n_frames, 'frame')}"
    chart = _stretched(data.n_frames, max(height, 1), description, class_="strip")
    chart.set("style", f"height:{1.15 * len(lanes):g}rem")
    ticks = _frame_ticks(data.n_frames)
    chart.extend(_line(frame, 0, frame, height, "grid") for frame in ticks)
    for number, lane in enumerate(lanes):
        for intervals, top, side in ((lane.ground_truth, 2, "fill-a"), (lane.prediction, 10, "fill-b")):
            for start, end in intervals[:limit]:
                mark = _rect(start, _LANE * number + top, max(end - start, 0), 8, side)
                chart.append(_titled(mark, f"{cut(lane.label)}: frames {start + 1:,} to {end:,}"))
    names = (f"{lane.number or ''} {cut(lane.label, 24)}".lstrip() for lane in lanes)
    labels = element("div", *(element("div", name) for name in names), class_="labels")
    classes = _class_row(lanes, data.n_frames, limit)
    if len(classes):
        labels.insert(0, element("div", "class", class_="classes"))
    axis = element("div", class_="ticks")
    for frame in ticks:
        axis.append(element("span", f"{frame:,}", style=f"left:{100 * frame / max(data.n_frames, 1):.2f}%"))
    return element("div", labels, element("div", *filter(len, [classes]), chart, axis), class_="lanes")


def _class_row(lanes: Sequence[result.Lane], n_frames: int, limit: int) -> Element:
    """Return the numbers of the classes where they are, of the ground truth above those predicted.

    A number that has no room is left out: the bars below show it.
    """
    row = element("div", class_="classes")
    for side in ("ground_truth", "prediction"):
        free = 0.0
        numbered = [(start, end, lane.number) for lane in lanes for start, end in getattr(lane, side)[:limit]]
        for start, end, number in sorted(numbered):
            middle = 50 * (start + end) / max(n_frames, 1)
            if number and middle >= free:
                row.append(element("span", f"{number}", class_=side, style=f"left:{middle:.2f}%"))
                free = middle + _NUMBER_ROOM
    return row


def _frame_ticks(n_frames: int) -> list[int]:
    """Return round frame numbers, at most five."""
    step, factors = 1, cycle((2, 2.5, 2))
    while n_frames // step > 4:
        step = int(step * next(factors))
    return list(range(0, n_frames + 1, step))


def _steps(low: float, high: float) -> list[float]:
    """Return four steps, or three if only those are whole hundredths; far apart, whole numbers."""
    if high - low > 4 and (high - low) % 4 and float(low).is_integer():
        return [low + step for step in _frame_ticks(int(high - low))]
    hundredths = round(100 * (high - low))
    steps = 3 if hundredths % 4 and not hundredths % 3 else 4
    return [round(low + (high - low) * step / steps, 6) for step in range(steps + 1)]


def plot(
    description: str, marks: Elements, texts: Elements, ticks: tuple[Ticks, Ticks], titles: tuple[str, str]
) -> Element:
    """Return a field of marks in percent from the upper left; ticks are (percent, text) of x and y."""
    svg = element("svg", viewBox="0 0 100 100", preserveAspectRatio="none")
    field = element("div", svg, *texts, class_="field")
    for percent, text in ticks[0]:
        field.append(element("span", text, class_="x", style=f"left:{percent:.2f}%"))
    for percent, text in ticks[1]:
        svg.append(_line(0, 100 - percent, 100, 100 - percent, "grid"))
        field.append(element("span", text, class_="y", style=f"bottom:{percent:.2f}%"))
    svg.append(_line(0, 100, 100, 100, "axis"))
    svg.extend(marks)
    x_title, y_title = element("div", titles[0], class_="x-title"), element("div", titles[1])
    return element("div", y_title, field, x_title, class_="plot", role="img", aria_label=description)


def _titled(mark: Element, title: str) -> Element:
    """Return a mark with a text that shows on hover."""
    mark.append(element("title", title))
    return mark


def _stretched(width: float, height: float, description: str, **look: str) -> Element:
    look |= {"viewBox": f"0 0 {width:g} {height:g}", "preserveAspectRatio": "none", "role": "img"}
    return element("svg", **look, aria_label=description)


def _path(points: Sequence[tuple[float, float]]) -> str:
    # A line to where it begins is drawn as a dot.
    return "M" + " L".join(f"{x:.5g} {y:.5g}" for x, y in (*points, *points[: len(points) == 1]))


def _rect(x: float, y: float, width: float, height: float, class_name: str) -> Element:
    numbers = {"x": x, "y": y, "width": width, "height": height}
    return element("rect", class_=class_name, **{key: f"{value:.6g}" for key, value in numbers.items()})


def _line(x1: float, y1: float, x2: float, y2: float, class_name: str) -> Element:
    return element("line", class_=class_name, x1=f"{x1:.6g}", y1=f"{y1:.6g}", x2=f"{x2:.6g}", y2=f"{y2:.6g}")
