"""Frame Jaccard by hand, and beside sets of frames; tests/plain is the twin of its scores and confusions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.metrics import frame_jaccard as fj

N_FRAMES = 30
N_CLASSES = 3
N_SEQUENCES = 3


@st.composite
def row_lists(draw):
    """Rows (sequence, class, first, last) with 1-based frames, both ends included."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, N_SEQUENCES - 1),
                st.integers(0, N_CLASSES - 1),
                st.integers(1, N_FRAMES),
                st.integers(0, 12),
            ),
            max_size=12,
        )
    )
    return [(s, c, first, first + length) for s, c, first, length in rows]


def arrays(rows):
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return table[:, 0] * N_CLASSES + table[:, 1], table[:, 2:]


def frames_of(row, protocol):
    _, _, first, last = row
    frames = range(first - 1, last) if protocol == "published" else range(first - 1, last - 1)
    return {frame for frame in frames if frame < N_FRAMES}


def mean_jaccard(truth, guess, protocol="published"):
    convert = fj.inclusive_frames if protocol == "published" else fj.released_slices
    n_cells = N_SEQUENCES * N_CLASSES
    (a_cells, a_frames), (b_cells, b_frames) = arrays(truth), arrays(guess)
    limit = np.int64(N_FRAMES)
    a, b = (convert(frames, np.full(len(frames), limit)) for frames in (a_frames, b_frames))
    counts = fj.count_frames(a, a_cells, b, b_cells, n_cells)
    counts_in = np.isin(np.arange(n_cells), a_cells)
    if protocol == "published":
        counts_in |= np.isin(np.arange(n_cells), b_cells)
    cell_sequence = np.arange(n_cells) // N_CLASSES
    means, kept = fj.sequence_means(fj.jaccard_index(counts), counts_in, cell_sequence, N_SEQUENCES)
    return fj.mean_of(means[kept])


@pytest.mark.parametrize(
    ("truth", "guess", "expected"),
    [
        ([], [], 0.0),
        ([(0, 0, 1, 10)], [], 0.0),
        ([], [(0, 0, 1, 10)], 0.0),
        ([(0, 0, 1, 10)], [(0, 0, 6, 15)], 5 / 15),
        # A false positive class adds a 0 to the mean of its sequence.
        ([(0, 0, 1, 10)], [(0, 0, 1, 10), (0, 1, 1, 10)], (1 + 0) / 2),
        # Sequences weigh the same, however many classes they have.
        ([(0, 0, 1, 10), (0, 1, 1, 10), (1, 0, 1, 10)], [(1, 0, 1, 10)], ((0 + 0) / 2 + 1) / 2),
    ],
)  # fmt: skip
def test_published_by_hand(truth, guess, expected):
    assert mean_jaccard(truth, guess) == pytest.approx(expected)


def test_released_loses_the_last_frame_and_forgets_false_positives():
    # Frames 0..8 against 5..13 remain of 1..10 against 6..15: 4 shared of 14.
    guess = [(0, 0, 6, 15), (0, 1, 1, 10)]
    assert mean_jaccard([(0, 0, 1, 10)], guess, "released") == pytest.approx(4 / 14)


@given(truth=row_lists(), guess=row_lists())
def test_precision_and_recall_agree_with_frame_sets(truth, guess):
    (a_cells, a_frames), (b_cells, b_frames) = arrays(truth), arrays(guess)
    full = [np.full(len(frames), N_FRAMES, dtype=np.int64) for frames in (a_frames, b_frames)]
    counts = fj.count_frames(
        fj.inclusive_frames(a_frames, full[0]), a_cells, fj.inclusive_frames(b_frames, full[1]), b_cells, 9
    )
    a, b = ({(*row[:2], f) for row in rows for f in frames_of(row, "published")} for rows in (truth, guess))
    shares = tuple(len(a & b) / len(side) if side else 0.0 for side in (b, a))
    assert fj.frame_precision_recall(counts) == shares


def labeled(rows):
    cells, frames = arrays(rows)
    full = np.full(len(frames), N_FRAMES, dtype=np.int64)
    intervals, cell = fj.merge_intervals(fj.inclusive_frames(frames, full), cells)
    return fj.Labeled(intervals, cell // N_CLASSES, cell % N_CLASSES)


def test_border_frame_of_two_neighbors_is_right():
    neighbors = labeled([(0, 0, 1, 10), (0, 1, 10, 20)])
    assert fj.confusions(neighbors, neighbors, N_CLASSES)[:2, :2].tolist() == [[10, 0], [0, 11]]
    assert fj.confusions(neighbors, neighbors, N_CLASSES).sum() == 21
    # One prediction ends a frame late, where its neighbor is right: a false frame, not a confusion.
    late = labeled([(0, 0, 1, 11), (0, 1, 10, 20)])
    found = fj.confusions(neighbors, late, N_CLASSES)
    assert (found[1, 0], found[-1, 0]) == (0, 1)


@given(rows=row_lists())
def test_merged_intervals_are_disjoint_and_cover_the_same(rows):
    cells, frames = arrays(rows)
    intervals = fj.inclusive_frames(frames, np.full(len(frames), N_FRAMES, dtype=np.int64))
    merged, cell = fj.merge_intervals(intervals, cells)
    assert (merged[:, 1] > merged[:, 0]).all()
    assert ((np.diff(cell) > 0) | (merged[1:, 0] > merged[:-1, 1])).all()
    before, after = (
        fj.covered_frames(side[0], side[1], 9).tolist() for side in ((intervals, cells), (merged, cell))
    )
    assert before == after
    assert (merged[:, 1] - merged[:, 0]).sum() == sum(after)
    for number in range(N_SEQUENCES * N_CLASSES):
        sets = [
            set().union(*(range(*interval) for interval in side[0][side[1] == number].tolist()))
            for side in ((intervals, cells), (merged, cell))
        ]
        assert sets[0] == sets[1]


def test_without_rows_nothing_is_confused():
    assert not fj.confusions(labeled([]), labeled([]), N_CLASSES).any()


def test_callers_arrays_are_not_written_to():
    intervals = np.array([[5, 9], [1, 7]], dtype=np.int64)
    groups = np.zeros(2, dtype=np.int64)
    for array in (intervals, groups):
        array.flags.writeable = False
    assert fj.covered_frames(intervals, groups, 1).tolist() == [8]
    assert fj.merge_intervals(intervals, groups)[0].tolist() == [[1, 9]]
