"""What may be shown: nothing at summary rests on fewer than five instances, in no section of any task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.files import samples_folder
from scoring_program.challenge import challenge_ids, load_challenge
from scoring_program.disclosure import FEWEST, OTHERS, disclosed, fold_small
from scoring_program.result import BodyFigure, Column, Groups, Histogram, Line, LineChart, Matrix, Table
from tests.helpers import ROOT
from validator.findings import Findings

sizes = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12).map(
    lambda pairs: np.array(pairs, dtype=np.int64).reshape(-1, 2)
)


@given(support=sizes)
def test_rows_are_large_or_folded_into_a_large_one(support):
    large, small = fold_small(support, FEWEST)
    assert (support[large] >= FEWEST).all()
    assert not len(small) or (support[small].sum(axis=0) >= FEWEST).all()
    shown = sorted([*large.tolist(), *small.tolist()])
    # All that rests on anything is shown, or nothing: a total and all rows but one would tell that one.
    assert shown in ([], np.flatnonzero(support.any(axis=1)).tolist())
    assert (support >= FEWEST).all() == (len(large) == len(support))


@given(support=sizes)
def test_groups_that_share_instances_are_folded_with_a_large_one(support):
    large, small = fold_small(support, FEWEST, overlapping=True)
    assert (support[large] >= FEWEST).all()
    assert not len(small) or (support[small].max(axis=0) >= FEWEST).all()
    shown = sorted([*large.tolist(), *small.tolist()])
    assert shown in ([], np.flatnonzero(support.any(axis=1)).tolist())


@given(support=sizes.filter(len))
def test_the_diagonal_of_a_matrix_cannot_be_completed_from_its_sum(support):
    n = len(support)
    cells = np.full((n, n, 2), FEWEST)
    cells[np.arange(n), np.arange(n)] = support
    matrix = Matrix("m", "m", "", ["name"] * n, np.ones((n, n), np.int64), cells, "frames")
    for found in disclosed([matrix], "summary"):
        hidden = support[np.diagonal(found.counts) < 0]
        assert (
            not hidden.any() or (hidden.sum(axis=0) >= FEWEST).all() or (np.diagonal(found.counts) < 0).all()
        )
    (found,) = disclosed([matrix], "full")
    assert (found.counts == 1).all()


@given(support=sizes.filter(len))
def test_no_single_part_of_a_body_is_hidden(support):
    parts = [(f"part {number}", 0.5, int(own.max())) for number, own in enumerate(support)]
    for found in disclosed([BodyFigure("b", "b", "", parts, support)], "summary"):
        values = np.array([value is not None for _, value, _ in found.parts])
        assert (support[values] >= FEWEST).all()
        hidden = support[~values]
        assert not hidden.any() or (hidden.max(axis=0) >= FEWEST).all()
    (found,) = disclosed([BodyFigure("b", "b", "", parts, support)], "full")
    assert found.parts == parts


@given(support=sizes)
def test_full_folds_nothing(support):
    large, small = fold_small(support, 0)
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
            assert not count or min(own) >= FEWEST
    if support.sum(axis=0).min() >= FEWEST and sum(counts):
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
        assert min(np.diff([0, *levels])) >= FEWEST
    assert bool(disclosed([chart], "summary")) == (behind[-1] >= FEWEST)
    assert disclosed([chart], "full") == [chart]


def test_shares_have_3_decimals_at_summary():
    table = Table("t", "t", "", [Column("share", "share")], [(1 / 3,)], level="summary")
    assert disclosed([table], "summary")[0].rows == [(0.333,)]
    assert disclosed([table], "full") == [table]


def test_a_folded_row_is_computed_from_its_members():
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

    from scoring_program.result import Deferred

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


@pytest.mark.parametrize("sample", ["good", "weak"])
@pytest.mark.parametrize("name", challenge_ids())
def test_every_section_of_every_task_keeps_to_the_floor(name, sample):
    challenge = load_challenge(name)
    program, findings = challenge.program(), Findings()
    settings = {setting.name: setting.default for setting in challenge.settings}
    reference = program.load_reference(ROOT / "reference_data" / name, settings, findings)
    submission = program.read_submission(samples_folder(name) / sample, reference, findings)
    assert findings.ok, findings.lines()
    statistics = program.measure(reference, submission, settings)
    raw = list(challenge.sections()(reference, submission, statistics))
    shown = disclosed(raw, "summary")
    assert len({section.key for section in shown}) == len(shown)
    found = [smallest(section) for section in shown]
    assert any(size is not None for size in found)
    assert all(size is None or size >= FEWEST for size in found)
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
