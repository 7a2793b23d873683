"""The figures of the tasks: drawings of what the metrics mean, as SVG files in ``docs/images/``.

The numbers in them are computed by the metrics themselves, and curves by the code of the pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quality import ROOT
from scoring_program.metrics import frame_jaccard, geodesic, grounding, part_state
from scoring_program.metrics.grounding import Objects, PrecisionRecall, Words
from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.plots import Line, line_points
from validator.arrays import Ints

FIGURES = ROOT / "docs" / "images"
_TRUE, _PREDICTED, _INK, _GRID = "#4b7f74", "#d9822b", "#333", "#ddd"
_WRONG = "#c2504d"
_SERIES = ("#3d6fa8", "#8e6bbf", "#a87f2a", "#a3527e", "#5c8a3a", "#40808f", "#9aa5b1", "#c2504d")
# All lengths are in pixels of the figure.
_WIDTH = 640
_LEFT, _RIGHT = 130, 600
_LANE = 18
_PLOT_LEFT, _PLOT_RIGHT, _PLOT_TOP, _PLOT_BOTTOM = 60, 600, 34, 260
_BODY_PARTS = (
    "torso", "hands", "feet", "upper legs", "lower legs", "upper arms", "lower arms", "head",
)  # fmt: skip


class Figure(NamedTuple):
    """A figure: the name of its file, what it shows for those who cannot see it, its height, its elements."""

    name: str
    description: str
    height: int
    elements: Sequence[str]

    def svg(self) -> str:
        """Return the file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {self.height}" role="img" '
            'font-family="sans-serif" font-size="13">'
        )
        background = f'<rect width="{_WIDTH}" height="{self.height}" fill="#fff"/>'
        title = f"<title>{escape(self.description)}</title>"
        return "\n".join([head, title, background, *self.elements, "</svg>", ""])


def write_figures(folder: Path = FIGURES) -> int:
    """Write all figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for figure in figures():
        (folder / f"{figure.name}.svg").write_text(figure.svg(), encoding="utf-8")
    print(f"written to {folder}: {', '.join(figure.name for figure in figures())}")
    return 0


def figures() -> list[Figure]:
    """Return all figures."""
    return [_jaccard(), _accuracy_curve(), _similarity(), _f1_all_and_loc()]


class _Row(NamedTuple):
    """An interval of frames of the worked example of ChaLearn, both ends included."""

    label: int
    first: int
    last: int


def _jaccard() -> Figure:
    """Return two classes of a sequence over its frames: annotated, predicted, shared, and their indexes."""
    n_frames = 200
    annotated = [_Row(0, 1, 86), _Row(1, 101, 173)]
    predicted = [_Row(0, 15, 100), _Row(1, 128, 200)]
    counts = frame_jaccard.count_frames(
        *_as_intervals(annotated, n_frames), *_as_intervals(predicted, n_frames), n_cells=2
    )
    index = frame_jaccard.jaccard_index(counts)
    elements = []
    for label, name in enumerate(("class 1", "class 2")):
        top = 20 + 90 * label
        elements += _lane(top, f"{name}, annotated", annotated[label], n_frames, _TRUE)
        elements += _lane(top + 26, f"{name}, predicted", predicted[label], n_frames, _PREDICTED)
        shared, union = int(counts.intersection[label]), int(counts.union[label])
        text = f"J = {shared} shared frames / {union} frames in either = {index[label]:.2f}"
        elements.append(_text(_LEFT, top + 66, text))
    mean = f"score of the sequence = ({index[0]:.2f} + {index[1]:.2f}) / 2 = {index.mean():.2f}"
    elements.append(_text(_LEFT, 222, mean, weight="bold"))
    description = (
        "Two classes over the frames of a sequence. Their annotated and predicted intervals overlap with "
        f"Jaccard indexes of {index[0]:.2f} and {index[1]:.2f}: the score of the sequence is "
        f"{index.mean():.2f}."
    )
    return Figure("jaccard", description, 236, elements)


def _as_intervals(rows: Sequence[_Row], n_frames: int) -> tuple[Ints, Ints]:
    """Return the half-open intervals of rows and their classes, as the metric takes them."""
    frames = np.array([[row.first, row.last] for row in rows])
    ends = np.full(len(rows), n_frames)
    return frame_jaccard.inclusive_frames(frames, ends), np.array([row.label for row in rows])


def _lane(top: int, title: str, row: _Row, n_frames: int, color: str) -> list[str]:
    """Return an interval on a line for all frames, with its title."""
    axis = Axis("frame", 1, n_frames)
    left = _LEFT + (_RIGHT - _LEFT) * axis.percent(row.first) / 100
    right = _LEFT + (_RIGHT - _LEFT) * axis.percent(row.last) / 100
    return [
        _text(_LEFT - 8, top + 13, title, anchor="end"),
        _line(f"M{_LEFT} {top + _LANE} H{_RIGHT}", _GRID),
        f'<rect x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{_LANE}" fill="{color}"/>',
        _text((left + right) / 2, top + 13, f"{row.first} to {row.last}", anchor="middle", color="#fff"),
    ]


def _accuracy_curve() -> Figure:
    """Return the accuracy of Kinetics-TPS at each threshold for ten videos, with the area below it."""
    psc = np.array([0.95, 0.9, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.2, 0.0])
    is_right = np.array([True, True, False, True, True, True, True, True, True, False])
    passed = np.ceil(psc * part_state.GRID - 1e-6).astype(np.int64)
    accuracy = part_state.conditioned_accuracy(passed, is_right)
    thresholds = np.linspace(0, 1, len(accuracy))
    area = float(part_state.area_under_accuracy(passed, is_right))
    x_axis, y_axis = Axis("threshold T", 0, 1), Axis("accuracy", 0, 1)
    curve = _polyline(Line("accuracy", thresholds.tolist(), accuracy.tolist()), x_axis, y_axis)
    area_points = f"{_PLOT_LEFT},{_PLOT_BOTTOM} {curve} {_PLOT_RIGHT},{_PLOT_BOTTOM}"
    elements = [
        f'<polygon points="{area_points}" fill="#d8e3f0"/>',
        *_axes(x_axis, y_axis),
        f'<polyline points="{curve}" fill="none" stroke="{_SERIES[0]}" stroke-width="2"/>',
        _text(150, 200, f"score = area = {area:.3f}", weight="bold"),
    ]
    description = (
        "The share of videos with the right class and a part state correctness (PSC) above a threshold T, "
        f"falling as T grows from 0 to 1. The score is the area below this curve, here {area:.3f} for ten "
        "videos."
    )
    return Figure("conditioned_accuracy", description, 310, elements)


def _similarity() -> Figure:
    """Return the similarity of a point over its geodesic distance, a curve for each coarse part."""
    distance = np.linspace(0, 1, 101)
    x_axis = Axis("geodesic distance d to the true point", 0, 1)
    y_axis = Axis("similarity", 0, 1)
    elements = _axes(x_axis, y_axis)
    normalizers = geodesic.MEAN_DISTANCES[1:]
    for number, (name, normalizer) in enumerate(zip(_BODY_PARTS, normalizers.tolist())):
        similarity = geodesic.point_similarity(
            distance,
            stored=np.ones(len(distance), bool),
            normalizer=np.full(len(distance), normalizer),
            pair=np.zeros(len(distance), np.int64),
            n_pairs=1,
        )
        curve = _polyline(Line(name, distance.tolist(), similarity.tolist()), x_axis, y_axis)
        color = _SERIES[number]
        elements.append(f'<polyline points="{curve}" fill="none" stroke="{color}" stroke-width="2"/>')
        top = 50 + 18 * number
        elements.append(_line(f"M420 {top - 4} h24", color, width=3))
        elements.append(_text(450, top, f"{name}, k = {normalizer:.3f}"))
    description = (
        "The similarity exp(-d² / 2k²) of a predicted point falls with its geodesic distance d to the true "
        "one, slowly for the torso (k = 0.351) and fast for hands (k = 0.107)."
    )
    return Figure("point_similarity", description, 310, elements)


class _Object(NamedTuple):
    """An object of a generated sentence in the figure of both F1."""

    name: str
    what: str
    in_all: str
    in_loc: str


def _f1_all_and_loc() -> Figure:
    """Return a sentence with its objects, and which of them count in F1_all and F1_loc.

    Annotated are a man and a ball; predicted are a man in the right box, a ball in a wrong one, and a horse.
    """
    mode_all, mode_loc = _judge_example()
    rows = [
        _Object("man", "annotated, box right", "right", "right"),
        _Object("ball", "annotated, box wrong", "wrong", "wrong"),
        _Object("horse", "not in the sentence", "wrong", "left out"),
    ]
    elements = [
        _text(20, 24, "annotated: the man throws the ball", weight="bold"),
        _text(20, 44, "generated: the man throws the ball to the horse", weight="bold"),
        _text(20, 78, "object"),
        _text(130, 78, "what it is"),
        _text(340, 78, "precision, all"),
        _text(480, 78, "precision, loc"),
        _line(f"M20 86 H{_RIGHT}", _INK),
    ]
    for number, row in enumerate(rows):
        top = 108 + 26 * number
        elements.append(_text(20, top, row.name))
        elements.append(_text(130, top, row.what))
        for left, verdict in ((340, row.in_all), (480, row.in_loc)):
            elements.append(_text(left, top, verdict, color=_color_of(verdict)))
    lines = []
    for name, mode in (("F1_all", mode_all), ("F1_loc", mode_loc)):
        lines.append(f"{name}: precision {mode.precision:.2f}, recall {mode.recall:.2f}, F1 {mode.f1:.2f}")
    elements += [_text(20, 206 + 22 * number, line, weight="bold") for number, line in enumerate(lines)]
    description = (
        "A generated sentence names a man in the right box, a ball in a wrong box, and a horse that the "
        "annotated sentence does not mention. In mode all the horse counts as wrong, in mode loc it is left "
        f"out: F1 {mode_all.f1:.2f} and {mode_loc.f1:.2f}."
    )
    return Figure("f1_all_and_loc", description, 244, elements)


def _color_of(verdict: str) -> str:
    return {"right": _TRUE, "wrong": _WRONG}.get(verdict, "#777")


def _judge_example() -> list[PrecisionRecall]:
    """Score the sentence of the figure with the metric, in the modes all and loc."""
    man, ball, horse = range(3)
    right, wrong = [10.0, 10.0, 60.0, 60.0], [200.0, 200.0, 240.0, 240.0]
    words = Words(
        segment=np.array([0, 0]),
        index=np.array([1, 4]),
        label=np.array([man, ball]),
        mention_word=np.array([0, 1]),
        mention_label=np.array([man, ball]),
        box_start=np.array([0, 1, 2]),
        box=np.array([right, right], np.float32),
        frame=np.array([0, 0]),
    )
    boxes = [right, wrong, wrong]
    objects = Objects(
        segment=np.zeros(3, np.int64),
        index=np.array([1, 4, 7]),
        label=np.array([man, ball, horse]),
        box=np.repeat(np.array(boxes, np.float32)[:, None], grounding.FRAMES, axis=1),
    )
    judged = grounding.judge_generated(objects, words, np.zeros(3, bool), n_classes=3)
    modes = []
    for localization in (False, True):
        mode, _ = grounding.per_sentence(
            judged, objects, words, np.ones(1, bool), n_submitted=1, localization=localization
        )
        modes.append(mode)
    return modes


def _axes(x_axis: Axis, y_axis: Axis) -> list[str]:
    """Return grid lines, round numbers and titles of a plot."""
    elements = []
    for percent, text in y_axis.ticks():
        y = _PLOT_BOTTOM - (_PLOT_BOTTOM - _PLOT_TOP) * percent / 100
        elements.append(_line(f"M{_PLOT_LEFT} {y:.1f} H{_PLOT_RIGHT}", _GRID))
        elements.append(_text(_PLOT_LEFT - 8, y + 4, text, anchor="end"))
    for percent, text in x_axis.ticks():
        x = _PLOT_LEFT + (_PLOT_RIGHT - _PLOT_LEFT) * percent / 100
        elements.append(_text(x, _PLOT_BOTTOM + 18, text, anchor="middle"))
    elements.append(_line(f"M{_PLOT_LEFT} {_PLOT_BOTTOM} H{_PLOT_RIGHT}", _INK))
    middle = (_PLOT_LEFT + _PLOT_RIGHT) / 2
    elements.append(_text(middle, _PLOT_BOTTOM + 40, x_axis.title, anchor="middle"))
    elements.append(_text(4, _PLOT_TOP - 16, y_axis.title))
    return elements


def _polyline(line: Line, x_axis: Axis, y_axis: Axis) -> str:
    """Return the points of a line of a plot; of equal heights only the first and the last."""
    points = []
    for x, y in _corners(line_points(line, x_axis, y_axis)):
        left = _PLOT_LEFT + (_PLOT_RIGHT - _PLOT_LEFT) * x / 100
        top = _PLOT_TOP + (_PLOT_BOTTOM - _PLOT_TOP) * y / 100
        points.append(f"{left:.1f},{top:.1f}")
    return " ".join(points)


def _corners(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points without those between two of the same height."""
    corners = points[:1]
    for before, point, after in zip(points, points[1:], points[2:]):
        if not before[1] == point[1] == after[1]:
            corners.append(point)
    return corners + points[-1:]


def _line(path: str, color: str, width: float = 1) -> str:
    return f'<path d="{path}" stroke="{color}" stroke-width="{width:g}"/>'


def _text(
    x: float, y: float, text: str, anchor: str = "start", color: str = _INK, weight: str = "normal"
) -> str:
    look = f'text-anchor="{anchor}" fill="{color}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(text)}</text>'
