"""What may be shown: nothing at summary rests on fewer than five instances, in no section of any task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.disclosure import MIN_GROUP, OTHERS, disclosed, merge_small
from scoring_program.result import (
    BodyFigure,
    Column,
    Deferred,
    Groups,
    Histogram,
    Line,
    LineChart,
    Matrix,
    Table,
)
from scoring_program.task import task_ids
from tests.helpers import REFERENCES, SAMPLES, loaded

sizes = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12).map(
    lambda pairs: np.array(pairs, dtype=np.int64).reshape(-1, 2)
)


@given(support=sizes)
def test_rows_are_large_or_merged_into_a_large_one(support):
    large, small = merge_small(support, MIN_GROUP)
    assert (support[large] >= MIN_GROUP).all()
    assert not len(small) or (support[small].sum(axis=0) >= MIN_GROUP).all()
    shown = sorted([*large.tolist(), *small.tolist()])
    # All that rests on anything is shown, or nothing: a total and all rows but one would tell that one.
    assert shown in ([], np.flatnonzero(support.any(axis=1)).tolist())
    assert (support >= MIN_GROUP).all() == (len(large) == len(support))


@given(support=sizes)
def test_groups_that_share_instances_are_merged_with_a_large_one(support):
    large, small = merge_small(support, MIN_GROUP, overlapping=True)
    assert (support[large] >= MIN_GROUP).all()
    assert not len(small) or (support[small].max(axis=0) >= MIN_GROUP).all()
    shown = sorted([*large.tolist(), *small.tolist()])
    assert shown in ([], np.flatnonzero(support.any(axis=1)).tolist())


@given(support=sizes.filter(len))
def test_the_diagonal_of_a_matrix_cannot_be_completed_from_its_sum(support):
    n = len(support)
    cells = np.full((n, n, 2), MIN_GROUP)
    cells[np.arange(n), np.arange(n)] = support
    matrix = Matrix("m", "m", "", ["name"] * n, np.ones((n, n), np.int64), cells, "frames")
    for found in disclosed([matrix], "summary"):
        hidden = support[np.diagonal(found.counts) < 0]
        assert (
            not hidden.any()
            or (hidden.sum(axis=0) >= MIN_GROUP).all()
            or (np.diagonal(found.counts) < 0).all()
        )
    (found,) = disclosed([matrix], "full")
    assert (found.counts == 1).all()


@given(support=sizes.filter(len))
def test_no_single_part_of_a_body_is_hidden(support):
    parts = [(f"part {number}", 0.5, int(own.max())) for number, own in enumerate(support)]
    for found in disclosed([BodyFigure("b", "b", "", parts, support)], "summary"):
        values = np.array([value is not None for _, value, _ in found.parts])
        assert (support[values] >= MIN_GROUP).all()
        hidden = support[~values]
        assert not hidden.any() or (hidden.max(axis=0) >= MIN_GROUP).all()
    (found,) = disclosed([BodyFigure("b", "b", "", parts, support)], "full")
    assert found.parts == parts


@given(support=sizes)
def test_full_merges_nothing(support):
    large, small = merge_small(support, 0)
    assert large.tolist() == np.flatnonzero(support.any(axis=1)).tolist()
    assert not len(small)


@given(support=sizes.filter(len), seed=st.integers(0, 9))
def test_bins_are_joined_until_each_is_empty_or_large(support, seed):
    counts = np.where(support.any(axis=1), support.max(axis=1) + seed, 0).tolist()
    edges = np.linspace(0, 1, len(counts) + 1).tolist()
    histogram = Histogram("h", "h", "", edges, counts, support, "value", "things")
    for found in disclosed([histogram], "summary"):
        assert sum(found.counts) == sum(counts)
        assert len(found.edges) == len(found.counts) + 1
        assert set(found.edges) <= {round(edge, 3) for edge in edges}
        assert (found.edges[0], found.edges[-1]) == (0, 1)
        for count, own in zip(found.counts, found.support.tolist()):
            assert not count or min(own) >= MIN_GROUP
    if support.sum(axis=0).min() >= MIN_GROUP and sum(counts):
        assert disclosed([histogram], "summary")


@given(steps=st.lists(st.integers(0, 7), min_size=1, max_size=12))
def test_lines_change_in_steps_of_enough_instances(steps):
    behind = np.cumsum(steps)
    x = [float(place) for place in range(len(steps))]
    chart = LineChart(
        "l", "l", "", [Line("a", x, [1 - count / 100 for count in behind])], "x", "y", support=behind[None]
    )
    for found in disclosed([chart], "summary"):
        (line,) = found.lines
        levels = [round(100 * (1 - y)) for y in dict.fromkeys(line.y) if y]
        assert set(levels) <= set(behind.tolist())
        assert min(np.diff([0, *levels])) >= MIN_GROUP
    assert bool(disclosed([chart], "summary")) == (behind[-1] >= MIN_GROUP)
    assert disclosed([chart], "full") == [chart]


def test_shares_have_3_decimals_at_summary():
    table = Table("t", "t", "", [Column("share", "share")], [(1 / 3,)], level="summary")
    assert disclosed([table], "summary")[0].rows == [(0.333,)]
    assert disclosed([table], "full") == [table]


def test_a_merged_row_is_computed_from_its_members():
    values = np.array([3.0, 4.0, 10.0])
    groups = Groups(
        "g", "g", "", [Column("name"), Column("value", "number")], ["a", "b", "c"],
        np.array([[3, 3], [4, 4], [10, 10]]), lambda members: [float(values[members].sum())], 1,
    )  # fmt: skip
    (table,) = disclosed([groups], "summary")
    assert table.rows == [("c", 10.0), (OTHERS, 7.0)]
    (table,) = disclosed([groups], "full")
    assert [row[0] for row in table.rows] == ["a", "b", "c"]
    assert disclosed([groups], "none") == []


def test_sections_of_full_are_not_even_built_at_summary():
    def fail():
        raise AssertionError

    assert disclosed([Deferred(fail)], "summary") == []


def smallest(section):
    """Return the fewest instances that anything shown in a section rests on; None if it says nothing of items."""
    if isinstance(section, Matrix):
        return section.support[section.counts >= 0].min(initial=99)
    if isinstance(section, Histogram):
        return section.support[np.array(section.counts) > 0].min(initial=99)
    if isinstance(section, BodyFigure):
        shown = np.array([value is not None for _, value, _ in section.parts])
        return section.support[shown].min(initial=99)
    return (
        section.support.min(initial=99)
        if isinstance(section, Table) and section.support is not None
        else None
    )


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["good", "weak"])
@pytest.mark.parametrize("name", task_ids())
def test_every_section_of_every_task_keeps_to_the_minimum_group_size(name, sample):
    of_task = loaded(name, REFERENCES / name)
    submission = of_task.read(SAMPLES / name / sample).content
    statistics = of_task.task.measure(of_task.reference, submission, of_task.settings)
    raw = list(of_task.task.sections(of_task.reference, submission, statistics))
    shown = disclosed(raw, "summary")
    assert len({section.key for section in shown}) == len(shown)
    sizes_shown = [smallest(section) for section in shown]
    assert any(size is not None for size in sizes_shown)
    assert all(size is None or size >= MIN_GROUP for size in sizes_shown)
    assert not any(isinstance(section, Groups) for section in shown)
    assert len(disclosed(raw, "full")) > len(shown)


def test_a_line_from_a_total_keeps_it_until_five_instances_have_left():
    left = np.array([0, 1, 4, 5, 9, 10, 11, 12])
    line = Line("accuracy", list(range(8)), [1 - count / 12 for count in left.tolist()])
    chart = LineChart("c", "Curve", "", [line], "x", "y", support=left[None], from_total=True)
    (shown,) = disclosed([chart], "summary")
    # The last two instances leave with the five before them.
    assert shown.lines[0].y == [1, 1, 1, 0.583, 0.583, 0, 0, 0]
    (few,) = disclosed([replace(chart, support=np.minimum(left, 4)[None])], "summary")
    assert few.lines[0].y == [1] * 8
    (full,) = disclosed([chart], "full")
    assert full.lines[0].y == line.y
