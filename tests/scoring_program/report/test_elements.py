"""The elements of pages: which numbers stand beside an axis, and which rows of a table are open, folded and left
out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.comparing.forest import Band, forest_row, scale_of
from scoring_program.report.elements import layout
from scoring_program.report.elements.axis import Axis, round_step, round_ticks
from scoring_program.report.elements.tables import Heading, table


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.25, 0.5, 0.75, 1]),
        (0.5, 0.95, [0.5, 0.6, 0.7, 0.8, 0.9]),
        (0, 0.3, [0, 0.1, 0.2, 0.3]),
        (0.2, 0.7, [0.2, 0.4, 0.6]),
        (-0.7, 0.1, [-0.6, -0.4, -0.2, 0]),
        (1000, 5000, [1000, 2000, 3000, 4000, 5000]),
        (0.3, 0.3, [0.3]),
    ],
)
def test_ticks_are_round(low, high, ticks):
    assert round_ticks(low, high) == ticks


@pytest.mark.parametrize(
    ("last", "ticks"),
    [
        (25, [0, 10, 20]),
        (20, [0, 5, 10, 15, 20]),
        (10, [0, 5, 10]),
        (1, [0, 1]),
        (0, [0]),
        (1254, [0, 500, 1000]),
    ],
)
def test_ticks_of_frames_and_days_are_whole(last, ticks):
    assert round_ticks(0, last, is_whole=True) == ticks


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-6, 1e6),
    st.integers(3, 9),
    st.booleans(),
)
def test_ticks_are_few_within_the_scale_and_at_equal_distances(low, width, most, is_whole):
    ticks = round_ticks(low, low + width, most, is_whole)
    assert len(ticks) <= most
    slack = 1e-8 * (abs(low) + width) + 1e-9
    assert all(low - slack <= tick <= low + width + slack for tick in ticks)
    assert not is_whole or all(tick == round(tick) for tick in ticks)
    if len(ticks) > 1:
        step = np.diff(ticks)
        rounding_error = 1e-15 * (abs(low) + width)
        expected = np.full(len(step), round_step(step[0] * (1 - 1e-6) - rounding_error, is_whole))
        assert step == pytest.approx(expected, abs=rounding_error)
    if not is_whole:
        # None but a scale around a single round number has fewer.
        assert len(ticks) >= (most - 1) // 3


def test_a_value_beyond_an_end_of_an_axis_is_at_that_end():
    axis = Axis("x", 2.0, 4.0)
    assert [axis.percent(value) for value in (1.0, 2.0, 3.0, 9.0)] == [0.0, 0.0, 50.0, 100.0]


def test_a_scale_holds_all_bands_and_leaves_room_at_both_sides():
    scale = scale_of([Band(0.2, 0.5, 0.6), Band(0.1, 0.1, 0.1)])
    assert (scale.percent(0.1), scale.percent(0.6)) == (1.0, 99.0)
    assert scale_of([Band(0.3, 0.3, 0.3)]).percent(0.3) == 1.0


def rows_of(part):
    return [["".join(cell.itertext()) for cell in row] for row in part.iter("tr")]


def test_a_table_has_open_folded_and_hidden_rows_and_the_last_row_twice():
    headings = [Heading("Name", "text"), Heading("Number", "count")]
    rows = [(f"n{number}", 1000 + number) for number in range(5)]
    open_part, folded_part, rest = table(headings, rows, "T", n_open=2, most=4, last_row=["end", 5])
    end = ["end", "5"]
    assert rows_of(open_part) == [["Name", "Number"], ["n0", "1,000"], ["n1", "1,001"], end]
    assert rows_of(folded_part) == [["Name", "Number"], ["n2", "1,002"], ["n3", "1,003"], end]
    assert folded_part[0].text == "2 more rows"
    assert rest.text == "and 1 more"


def test_cells_are_shown_as_the_kind_of_their_column_says():
    kinds = ("text", "count", "number", "share", "markup")
    link = layout.folded("more")
    rows = [("a" * 99, 12345, -0.0001, 0.12345, link), ("b", None, -0.0006, None, layout.folded("more"))]
    (part,) = table([Heading(kind, kind) for kind in kinds], rows, "T")
    row, other_row = part.findall(".//tbody/tr")
    *cells, last = row
    assert ["".join(cell.itertext()) for cell in cells] == ["a" * 59 + "…", "12,345", "0.000", "0.123"]
    assert ["".join(cell.itertext()) for cell in other_row[:-1]] == ["b", "–", "-0.001", "–"]
    assert [cell.get("class") for cell in cells] == [None, "count", "number", "share"]
    assert last[0] is link
    (empty,) = table([Heading("Name", "text")], [], "T")
    assert empty.text == "Nothing to show."


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_far_worse_value_does_not_squeeze_the_others_and_is_an_arrow(sign):
    good = [Band(sign * 0.8 - 0.02, sign * 0.8, sign * 0.8 + 0.02)] * 4
    bands = [*good, *[Band(sign * 0.1, sign * 0.1, sign * 0.1)] * 3]
    scale = scale_of(bands, higher_is_better=sign > 0)
    assert scale == scale_of(good)
    assert [part.tag for part in forest_row(bands[-1], scale)] == ["line", "line"]
    assert [part.tag for part in forest_row(bands[0], scale)] == ["rect", "line"]
    # A far better one is no nuisance.
    assert scale_of(bands, higher_is_better=sign < 0).holds(sign * 0.1)


def test_scores_that_are_spread_evenly_are_all_on_the_scale():
    bands = [Band(value, value, value) for value in np.linspace(0.1, 0.9, 9).tolist()]
    assert scale_of(bands, higher_is_better=True) == scale_of(bands)
