"""Part State Correctness: against a brute-force program, and what must not change a score."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring_program.metrics import part_state as ps

coordinates = st.integers(0, 12)


@st.composite
def boxes(draw):
    x1, y1 = draw(coordinates), draw(coordinates)
    return [x1, y1, x1 + draw(coordinates), y1 + draw(coordinates)]


def pixels(box):
    return {(x, y) for x in range(box[0], box[2] + 1) for y in range(box[1], box[3] + 1)}


@given(boxes(), boxes())
def test_iou_is_that_of_the_sets_of_pixels(a, b):
    both = pixels(a) & pixels(b)
    either = pixels(a) | pixels(b)
    assert ps.box_iou(np.array([a], float), np.array([b], float))[0] == len(both) / len(either)


@pytest.mark.parametrize("huge", [1e308, 1e200, 1e154])
def test_huge_boxes_have_iou_zero(huge):
    one = np.array([[0.0, 0.0, 10.0, 10.0]])
    assert ps.box_iou(one, np.array([[-huge, -huge, huge, huge]]))[0] == 0
    assert ps.box_iou(np.array([[-huge, -huge, huge, huge]]), np.array([[-huge, -huge, huge, huge]]))[0] == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), boxes()), max_size=6),
    st.lists(st.tuples(st.integers(0, 3), boxes()), max_size=6),
)
def test_best_match_is_the_first_of_largest_iou(truth, guess):
    truth, guess = sorted(truth, key=lambda e: e[0]), sorted(guess, key=lambda e: e[0])
    matched = ps.match_best(*arrays(truth), *arrays(guess))
    for (frame, box), found in zip(truth, matched.tolist()):
        best, best_iou = -1, 0.5
        for index, (other_frame, other) in enumerate(guess):
            iou = len(pixels(box) & pixels(other)) / len(pixels(box) | pixels(other))
            if other_frame == frame and iou > best_iou:
                best, best_iou = index, iou
        assert found == best


def arrays(entries):
    return np.array([box for _, box in entries], float).reshape(-1, 4), np.array(
        [f for f, _ in entries], np.int64
    )


def plain_overlap(a, b):
    both = pixels(a) & pixels(b)
    return Fraction(len(both), len(pixels(a) | pixels(b))) if both else Fraction(-1)


def best_assignments(truth, guess):
    """Return the pairs with an IoU above 0.5 of every assignment that has the largest sum of IoU; dummies have 0."""
    size, found = max(len(truth), len(guess)), []
    for order in permutations(range(size)):
        pairs = [(i, j) for i, j in enumerate(order) if i < len(truth) and j < len(guess)]
        overlaps = {(i, j): plain_overlap(truth[i], guess[j]) for i, j in pairs}
        found.append(
            (sum(overlaps.values()), {pair for pair, overlap in overlaps.items() if overlap > Fraction(1, 2)})
        )
    largest = max(total for total, _ in found)
    # The script adds in float32, where sums that are nearly equal are one.
    return [pairs for total, pairs in found if largest - total < 1e-6]


@given(
    st.lists(st.tuples(st.integers(0, 1), boxes()), max_size=5),
    st.lists(st.tuples(st.integers(0, 1), boxes()), max_size=5),
)
def test_assignment_is_one_of_the_best_of_all_permutations(truth, guess):
    truth, guess = sorted(truth, key=lambda e: e[0]), sorted(guess, key=lambda e: e[0])
    matched = ps.match_assigned(*arrays(truth), *arrays(guess)).tolist()
    for frame in (0, 1):
        rows, columns = ([i for i, entry in enumerate(side) if entry[0] == frame] for side in (truth, guess))
        pairs = {(rows.index(i), columns.index(matched[i])) for i in rows if matched[i] >= 0}
        assert pairs in best_assignments(
            *([side[i][1] for i in own] for side, own in ((truth, rows), (guess, columns)))
        )


def test_a_slight_overlap_can_cost_a_very_good_match_in_the_assignment_only():
    truth = np.array([[0, 0, 9, 9], [9, 0, 40, 9]], float), np.zeros(2, np.int64)
    guess = np.array([[0, 0, 9, 9]], float), np.zeros(1, np.int64)
    assert ps.match_best(*truth, *guess).tolist() == [0, -1]
    assert ps.match_assigned(*truth, *guess).tolist() == [0, -1]
    guess = np.array([[9, 0, 40, 9], [0, 0, 9, 9]], float), np.zeros(2, np.int64)
    assert ps.match_assigned(*truth, *guess).tolist() == [1, 0]


@given(
    st.lists(
        st.lists(
            st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), min_size=1, max_size=6), min_size=1, max_size=6
        ),
        min_size=1,
        max_size=5,
    )
)
def test_grid_points_are_those_of_fractions(videos):
    """Each video is a list of frames, each frame a list of parts: N_p of a correct one, or 0."""
    proposals = np.array([n for frames in videos for parts in frames for n in parts])
    part_frame = np.repeat(
        np.arange(sum(map(len, videos))), [len(parts) for frames in videos for parts in frames]
    )
    frame_video = np.repeat(np.arange(len(videos)), [len(frames) for frames in videos])
    kind = np.where(proposals > 0, ps.CORRECT, ps.NO_BOX).astype(np.int8)
    outcomes = ps.PartOutcomes(kind, proposals, np.full(len(kind), -1))
    means = ps.frame_means(outcomes.correctness, part_frame, np.arange(len(frame_video)), len(frame_video))
    psc = ps.part_state_correctness(means, frame_video, len(videos))
    exact = [
        sum(sum((Fraction(1, n) if n else Fraction(0)) for n in parts) / len(parts) for parts in frames)
        / len(frames)
        for frames in videos
    ]
    passed = ps.grid_points_passed(psc, outcomes, part_frame, frame_video)
    assert passed.tolist() == [-(-(10_000 * p).numerator // (10_000 * p).denominator) for p in exact]
    right = np.ones(len(videos), bool)
    accuracy = ps.conditioned_accuracy(passed, right)
    by_hand = [
        sum(p > Fraction(k, 10_000) for p in exact) / len(exact) for k in (0, 1, 2500, 5000, 9999, 10_000)
    ]
    assert accuracy[[0, 1, 2500, 5000, 9999, 10_000]].tolist() == pytest.approx(by_hand, abs=1e-15)
    area = float(((accuracy[1:] + accuracy[:-1]) / 2).sum() / 10_000)
    assert float(ps.area_under_accuracy(passed, right)) == pytest.approx(area, abs=1e-9)


@given(st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@example((7, 25))  # 10,000 times the float next to 7/25 is above 2800
def test_a_share_of_right_parts_passes_the_grid_points_of_its_fraction(share):
    """A video of one frame whose PSC is k/n: for whole 10,000 k/n, the float is next to a grid point."""
    n_right, n_parts = share
    kind = np.full(n_parts, ps.NO_BOX, np.int8)
    kind[:n_right] = ps.CORRECT
    outcomes = ps.PartOutcomes(kind, np.ones(n_parts, np.int64), np.full(n_parts, -1))
    part_frame, frame_video = np.zeros(n_parts, np.int64), np.zeros(1, np.int64)
    for psc in (n_right / n_parts, float(np.mean(outcomes.correctness))):
        passed = ps.grid_points_passed(np.array([psc]), outcomes, part_frame, frame_video)
        assert passed.tolist() == [math.ceil(10_000 * Fraction(n_right, n_parts))]


def test_rounding_is_half_up_on_the_fraction():
    assert ps.round_half_up(Fraction(5, 10**7), 6) == 1e-06
    assert ps.round_half_up(Fraction(49, 10**8), 6) == 0.0


def test_area_of_the_script_counts_reached_points():
    right = np.array([True, True, False])
    assert ps.released_area(np.array([1.0, 0.0, 1.0]), right) == pytest.approx(9999 / 30_000)
    assert ps.released_area(np.array([0.5, 0.0, 1.0]), right) == pytest.approx(5000 / 30_000)


def test_judging_tells_the_kinds_of_loss_apart():
    box = [0.0, 0.0, 9.0, 9.0]
    far = [100.0, 0.0, 109.0, 9.0]
    outcomes = ps.judge_parts(
        np.array([-1, 0, 0, 0, 0]),
        ps.Parts(np.array([0, 0, 1, 2, 3]), np.array([box] * 5), np.array([7] * 5)),
        ps.Proposals(
            np.array([0, 0, 0]), np.array([3, 2, 1]),
            np.array([0, 0, 1, 1, 2]), np.array([box, far, box, box, far]), np.array([7, 7, 8, 9, 7]),
        ),
        ps.PART_IOU,
        iou_suffices=False,
    )  # fmt: skip
    assert outcomes.kind.tolist() == [ps.NO_HUMAN, ps.NO_BOX, ps.TOO_FAR, ps.WRONG_STATE, ps.CORRECT]
    assert outcomes.correctness.tolist() == [0, 0, 0, 0, 0.5]
    assert outcomes.near_state.tolist() == [-1, -1, -1, 8, 7]
    corrected = outcomes.corrected(outcomes.kind == ps.WRONG_STATE)
    assert corrected.correctness.tolist() == [0, 0, 0, 1, 0.5]


def judge_by_loops(matched_human, parts, proposals, inclusive):
    """Return kind, number of proposals and near state of each part."""
    found = []
    for human, name, box, state in zip(matched_human, parts.name, parts.box, parts.state):
        numbers = [
            n for n, key in enumerate(zip(proposals.part_human, proposals.part_name)) if key == (human, name)
        ]
        here = np.flatnonzero(np.isin(proposals.part, numbers)).tolist() if human >= 0 else []
        overlaps = [ps.box_iou(box[None], proposals.box[index][None])[0] for index in here]
        near = [
            i for i, iou in zip(here, overlaps) if iou > ps.PART_IOU or (inclusive and iou == ps.PART_IOU)
        ]
        states = proposals.state[near].tolist()
        kind = ps.CORRECT if state in states else ps.WRONG_STATE
        kind = ps.NO_HUMAN if human < 0 else ps.NO_BOX if not here else kind if near else ps.TOO_FAR
        found.append((kind, len(here), states[0] if states else -1))
    return found


def nearest_by_loops(matched_human, parts, proposals):
    found = []
    for human, name, box in zip(matched_human.tolist(), parts.name, parts.box):
        best, largest = -1, 0.0
        for index, part in enumerate(proposals.part):
            iou = ps.box_iou(box[None], proposals.box[index][None])[0]
            is_own = (proposals.part_human[part], proposals.part_name[part]) == (human, name) and human >= 0
            if is_own and (best < 0 or iou > largest):
                best, largest = index, iou
        found.append((best, largest))
    return found


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1, 2, 3, 1000]))
def test_judging_is_that_of_loops(seed, inclusive, block):
    rng = np.random.default_rng(seed)
    pool = np.array([[0, 0, 9, 9], [0, 0, 9, 2], [0, 0, 4, 9], [5, 5, 14, 14], [30, 30, 33, 33]], float)
    n_parts, n_proposals = (int(rng.integers(0, 8)) for _ in range(2))
    parts = ps.Parts(
        rng.integers(0, 3, n_parts), pool[rng.integers(0, 5, n_parts)], rng.integers(0, 3, n_parts)
    )
    # A human has each name once, and -1 as often as it likes.
    keys = [key for key in np.ndindex(3, 3) if rng.random() < 0.6] + [(0, -1), (2, -1)][: rng.integers(3)]
    keys = [keys[index] for index in rng.permutation(len(keys))] or [(1, 1)]
    proposals = ps.Proposals(
        np.array([human for human, _ in keys]),
        np.array([name for _, name in keys]),
        np.sort(rng.integers(0, len(keys), n_proposals)),
        pool[rng.integers(0, 5, n_proposals)],
        rng.integers(-1, 3, n_proposals),
    )
    matched_human = rng.integers(-1, 4, n_parts)
    outcomes = ps.judge_parts(matched_human, parts, proposals, ps.PART_IOU, inclusive, block)
    found = zip(outcomes.kind.tolist(), outcomes.n_proposals.tolist(), outcomes.near_state.tolist())
    assert list(found) == judge_by_loops(matched_human.tolist(), parts, proposals, inclusive)
    nearest = ps.nearest_proposals(matched_human, parts, proposals)
    assert list(zip(*map(np.ndarray.tolist, nearest))) == nearest_by_loops(matched_human, parts, proposals)


def test_parts_of_unknown_names_are_proposals_for_nothing():
    box, zero = np.array([[0.0, 0, 9, 9]]), np.array([0])
    parts = ps.Parts(zero, box, zero)
    unknown = ps.Proposals(zero, np.array([-1]), zero, box, zero)
    assert ps.judge_parts(zero, parts, unknown, ps.PART_IOU, iou_suffices=True).kind.tolist() == [ps.NO_BOX]
    assert ps.nearest_proposals(zero, parts, unknown)[0].tolist() == [-1]


def test_a_part_of_unknown_name_is_not_taken_for_the_last_one_of_the_human_before():
    # Human 0 has no part. Human 1 has one of unknown name, at the box of the last part of human 0.
    box, one = np.array([[0.0, 0, 9, 9]] * 2), np.array([1])
    parts = ps.Parts(name=np.array([0, 2]), box=box, state=np.array([0, 0]))
    proposals = ps.Proposals(
        part_human=one, part_name=np.array([-1]), part=np.array([0]), box=box[:1], state=np.array([0])
    )
    human_of_part = np.array([0, 0])
    outcomes = ps.judge_parts(human_of_part, parts, proposals, ps.PART_IOU, iou_suffices=False)
    assert outcomes.kind.tolist() == [ps.NO_BOX, ps.NO_BOX]
    assert ps.nearest_proposals(human_of_part, parts, proposals)[0].tolist() == [-1, -1]


def test_thresholds_of_the_script_are_counted():
    psc = np.array([0.0, 0.00005, 0.0001, 0.00015, 0.5, 0.9999, 1.0])
    reached = ps.released_points_reached(psc)
    assert reached.tolist() == [1, 1, 2, 2, 5001, 10_000, 10_001]
    accuracy = ps.conditioned_accuracy(reached, np.ones(len(psc), bool))
    assert accuracy[[0, 1, 2, 5000, 9999, 10_000]].tolist() == [n / 7 for n in (7, 5, 3, 3, 2, 1)]


def test_a_video_counted_at_one_grid_point_adds_half_a_point():
    passed, right = np.array([1, 0, 2]), np.array([True, True, False])
    assert ps.area_under_accuracy(passed, right) == Fraction(1, 20_000 * 3)
    assert ps.conditioned_accuracy(passed, right)[:2].tolist() == pytest.approx([1 / 3, 0])


def test_boxes_that_touch_in_one_direction_only_are_disjoint_in_the_assignment():
    truth = np.array([[0, 0, 9, 9], [0, 10, 9, 19]], float), np.zeros(2, np.int64)
    guess = np.array([[0, 10, 9, 19], [0, 0, 9, 9]], float), np.zeros(2, np.int64)
    assert ps.match_assigned(*truth, *guess).tolist() == [1, 0]
    # Disjoint boxes have an IoU of -1, not 0.
    one = np.zeros(1, np.int64)
    assert ps.match_assigned(truth[0][:1], one, guess[0][:1], one, human_iou=-0.5).tolist() == [-1]
