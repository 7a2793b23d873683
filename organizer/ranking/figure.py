"""A ranking as a figure for a paper: a forest plot of the scores as an SVG file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from people_in_video.comparing.forest import Scale, scale_of
from people_in_video.comparing.standings import Row, Standings, ranked_rows
from scoring_program.report.elements.axis import tick_text
from scoring_program.report.html import cut
from validator.texts import visible

_BAND_COLOR = "#8aa9cb"
_LINE_COLOR = "#333"
# All lengths are in pixels of the figure.
_ROW_HEIGHT = 24
_PLOT_WIDTH = 320
_SCORE_WIDTH = 70
_RANK_RIGHT, _NAME_LEFT = 30, 40
_LETTER_WIDTH = 7.2
# From the line of the axis down.
_TICK_TEXT, _AXIS_TITLE, _TITLE, _HEIGHT_BELOW = 20, 42, 62, 70


class _Frame(NamedTuple):
    """Where the parts of the figure are: the left edge of the plot, its scale, and the line of the axis."""

    left: float
    bottom: int
    scale: Scale

    @property
    def width(self) -> float:
        return self.left + _PLOT_WIDTH + _SCORE_WIDTH

    def x(self, value: float) -> float:
        return self.left + _PLOT_WIDTH * self.scale.percent(value) / 100


def ranking_svg(standings: Standings, title: str) -> str:
    """Return a forest plot of the scores of teams and baselines, the best first."""
    rows = ranked_rows(standings)
    longest_name = max(len(cut(row.name)) for row in rows)
    frame = _Frame(
        left=60 + _LETTER_WIDTH * longest_name,
        bottom=_ROW_HEIGHT * len(rows) + 4,
        scale=scale_of([row.band for row in rows]),
    )
    axis_title = f"{standings.task.columns[0].title}, 95 % interval"
    parts = [
        _line(f"M{frame.left:.1f} {frame.bottom} h{_PLOT_WIDTH}"),
        _text(5, frame.bottom + _TITLE, title, "start"),
        *_rows(standings, rows, frame),
        *_ticks(frame),
        _text(frame.left + _PLOT_WIDTH / 2, frame.bottom + _AXIS_TITLE, axis_title, "middle"),
    ]
    box = f"0 0 {frame.width:.0f} {frame.bottom + _HEIGHT_BELOW}"
    attributes = f'xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif" font-size="12"'
    return "\n".join([f"<svg {attributes}>", *parts, "</svg>", ""])


def _rows(standings: Standings, rows: Sequence[Row], frame: _Frame) -> list[str]:
    """Return rank, name, score and interval of each row."""
    parts = []
    for number, row in enumerate(rows):
        middle = _ROW_HEIGHT * number + _ROW_HEIGHT // 2
        rank = "" if row.place is None else str(standings.comparison.rank[row.place])
        left, right = frame.x(row.band.low), frame.x(row.band.high)
        place = f'x="{left:.1f}" y="{middle - 5}" width="{right - left:.1f}" height="10"'
        parts += [
            _text(_RANK_RIGHT, middle + 4, rank, "end"),
            _text(_NAME_LEFT, middle + 4, cut(row.name), "start"),
            _text(frame.width - 5, middle + 4, row.score_text, "end"),
            f'<rect {place} fill="{_BAND_COLOR}"/>',
            _line(f"M{frame.x(row.band.value):.1f} {middle - 9} v18"),
        ]
    return parts


def _ticks(frame: _Frame) -> list[str]:
    """Return round numbers below the axis."""
    parts = []
    for tick in frame.scale.ticks():
        parts.append(_line(f"M{frame.x(tick):.1f} {frame.bottom} v5"))
        parts.append(_text(frame.x(tick), frame.bottom + _TICK_TEXT, tick_text(tick), "middle"))
    return parts


def _line(path: str) -> str:
    return f'<path d="{path}" stroke="{_LINE_COLOR}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    content = escape(visible(text))
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{content}</text>'
