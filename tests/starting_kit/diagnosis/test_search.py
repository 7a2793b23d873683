"""The search for the simplest repair, on plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from people_in_video.diagnosis import orders
from people_in_video.diagnosis.decision import Family, sign_test
from people_in_video.diagnosis.orders import assign
from people_in_video.diagnosis.regions import Form, Regions
from people_in_video.diagnosis.samples import Arrays, Ids, Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs, find_repairs
from tests.helpers import fewer_examples

N_ITEMS, N_FRAMES = 30, 8
SIZE = np.array([640.0, 480.0])


def true_boxes(rng, n_items=N_ITEMS):
    """Return the boxes of one object on eight frames of each item, in another place in each."""
    n = n_items * N_FRAMES
    low = rng.uniform([0, 0], SIZE * 0.6, (n, 2))
    size = rng.uniform(40, 160, (n, 2))
    return np.concatenate([low, low + size], axis=1)


def noisy(boxes, rng, noise):
    size = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    return boxes + size * rng.normal(0, noise, boxes.shape)


def search_boxes(columns, boxes, form=Form.CORNERS, parent=None, noun="", item=None):
    """Return the repair of boxes (n, 4), of which each frame of an item has one; None without any."""
    true_item = np.repeat(np.arange(len(boxes) // N_FRAMES), N_FRAMES)
    true_frame = np.tile(np.arange(N_FRAMES), len(boxes) // N_FRAMES)
    item = true_item if item is None else item

    def sample(repairs: Repairs, spread: Spread) -> Regions:
        entries = spread.choose(item)
        return Regions(
            columns=columns[entries],
            item=item[entries],
            true_corners=boxes,
            true_item=true_item,
            n_items=len(boxes) // N_FRAMES,
            slot=true_frame[entries, None],
            true_slot=true_frame[:, None],
            slot_nouns=(noun,),
            parent=None if parent is None else parent[entries],
            form=form,
        )

    repairs = find_repairs([Comparison(Kind.BOXES, "boxes", sample, "Write them right")])
    return repairs[0] if repairs else None


def search(kind, sample):
    repairs = find_repairs([Comparison(kind, "things", lambda repairs, spread: sample, "Write them right")])
    return repairs[0] if repairs else None


def as_sizes(boxes):
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def as_centers(boxes):
    return np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], axis=1)


def mirrored(boxes):
    return np.stack([640 - boxes[:, 2], boxes[:, 1], 640 - boxes[:, 0], boxes[:, 3]], axis=1)


def from_bottom(boxes):
    return np.stack([boxes[:, 0], 480 - boxes[:, 3], boxes[:, 2], 480 - boxes[:, 1]], axis=1)


MISTAKES_IN_BOXES = [
    (as_sizes, Family.READING, "as [x, y, width, height]"),
    (as_centers, Family.READING, "as [center x, center y, width, height]"),
    (lambda boxes: boxes[:, [1, 0, 3, 2]], Family.READING, "as [y1, x1, y2, x2]"),
    (lambda boxes: boxes[:, [0, 2, 1, 3]], Family.READING, "as [x1, x2, y1, y2]"),
    (lambda boxes: boxes[:, [1, 3, 0, 2]], Family.READING, "as [y1, y2, x1, x2]"),
    (lambda boxes: boxes[:, [2, 3, 0, 1]], Family.READING, "as [x2, y2, x1, y1]"),
    (lambda boxes: boxes / 2, Family.FIT, "with x times 2 and y times 2"),
    (lambda boxes: boxes * 1000, Family.FIT, "with x times 0.001 and y times 0.001"),
    (lambda boxes: boxes / np.tile(SIZE, 2), Family.FIT, "with x times 640 and y times 480"),
    (lambda boxes: boxes + np.array([80, 60, 80, 60]), Family.FIT, "with x minus 80 and y minus 60"),
    (mirrored, Family.FIT, "with x mirrored (640 minus x)"),
    (from_bottom, Family.FIT, "with y mirrored (480 minus y)"),
    (
        lambda boxes: (boxes / np.tile(SIZE, 2))[:, [1, 0, 3, 2]],
        Family.FIT,
        "as [y1, x1, y2, x2] with x times 640 and y times 480",
    ),
    (
        lambda boxes: as_centers(boxes / np.tile(SIZE, 2)),
        Family.FIT,
        "as [center x, center y, width, height] with x times 640 and y times 480",
    ),
    (
        lambda boxes: as_sizes(boxes / 2),
        Family.FIT,
        "as [x, y, width, height] with x times 2 and y times 2",
    ),
]


@pytest.mark.parametrize(("change", "family", "words"), MISTAKES_IN_BOXES)
def test_a_mistake_in_all_boxes_is_named_in_words(change, family, words):
    boxes = true_boxes(np.random.default_rng(1))
    repair = search_boxes(change(boxes), boxes)
    assert (repair.family, repair.words) == (family, words)
    assert repair.share_after > 0.95
    assert repair.n_items == N_ITEMS


@pytest.mark.parametrize("change", [change for change, _, _ in MISTAKES_IN_BOXES])
def test_a_repair_makes_boxes_fit(change):
    boxes = true_boxes(np.random.default_rng(2))
    columns = change(boxes)
    repair = search_boxes(columns, boxes)
    item = np.repeat(np.arange(N_ITEMS), N_FRAMES)
    corners = repair.change.columns(columns, item, None)
    assert np.abs(corners - boxes).max() < 3


def test_corners_are_recognized_where_sizes_are_wanted():
    boxes = true_boxes(np.random.default_rng(1))
    assert search_boxes(boxes, boxes, Form.SIZES).words == "as [x1, y1, x2, y2]"


def test_boxes_in_the_box_of_their_whole_are_recognized():
    rng = np.random.default_rng(1)
    boxes = true_boxes(rng)
    parent = boxes + rng.uniform([-200, -200, 0, 0], [0, 0, 200, 200], boxes.shape)
    columns = boxes - np.tile(parent[:, :2], 2)
    repair = search_boxes(columns, boxes, parent=parent)
    assert repair.words == "from the upper left corner of the box that they are in"


def test_a_size_of_each_video_is_recognized():
    rng = np.random.default_rng(1)
    boxes = true_boxes(rng)
    factor = np.repeat(rng.choice([0.25, 0.5, 1.5, 3], N_ITEMS), N_FRAMES)
    assert search_boxes(boxes * factor[:, None], boxes).family is Family.ITEM_SCALE


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (np.roll(np.arange(N_FRAMES), 1), "with frame numbers less 1"),
        (np.arange(N_FRAMES)[::-1], "with frame numbers in reverse order"),
    ],
)
def test_other_numbers_of_frames_are_recognized(order, words):
    boxes = true_boxes(np.random.default_rng(1))
    columns = boxes.reshape(N_ITEMS, N_FRAMES, 4)[:, order].reshape(-1, 4)
    assert search_boxes(columns, boxes, noun="frame numbers").words == words


def test_predictions_of_other_items_are_recognized():
    rng = np.random.default_rng(1)
    boxes = true_boxes(rng)
    item = np.repeat(np.arange(N_ITEMS), N_FRAMES)
    of_next = np.roll(boxes, -N_FRAMES, axis=0)
    assert search_boxes(of_next, boxes, item=item).words == "as predictions of the next video"
    shuffled = boxes.reshape(N_ITEMS, -1)[rng.permutation(N_ITEMS)].reshape(-1, 4)
    repair = search_boxes(shuffled, boxes)
    assert repair.words == "as predictions of other videos, in another order"


N_ROWS = 10


def search_rows(rng, order, noise=0.15, share_right=0.6):
    """Return the repair of rows of sequences in another order (n_sequences,), many of them of a wrong class.

    In all sequences rows follow each other at about the same places.
    """
    n_sequences = len(order)
    item = np.repeat(np.arange(n_sequences), N_ROWS)
    start = np.tile(100.0 * np.arange(N_ROWS), n_sequences) + rng.uniform(0, 60, len(item))
    frames = np.rint(np.stack([start, start + rng.uniform(30, 90, len(item))], axis=1))
    label = rng.integers(1, 21, len(item))
    row = (order[:, None] * N_ROWS + np.arange(N_ROWS)).ravel()
    columns = np.rint(frames[row] + rng.normal(0, noise * 60, (len(row), 2)))
    predicted_label = np.where(rng.random(len(row)) < share_right, label[row], rng.integers(1, 21, len(row)))

    def sample(repairs: Repairs, spread: Spread) -> Regions:
        entries = spread.choose(item)
        return Regions(
            columns=columns[entries],
            item=item[entries],
            true_corners=frames,
            true_item=item,
            n_items=n_sequences,
            label=predicted_label[entries],
            true_label=label,
            item_noun="sequence",
            axes=("frames",),
            levels=(0.5, 0.75),
        )

    repairs = find_repairs([Comparison(Kind.INTERVALS, "rows", sample, "Write frames")])
    return repairs[0] if repairs else None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shift", [1, -1, 2, -2])
def test_rows_of_a_neighboring_sequence_are_recognized_in_a_few_sequences(seed, shift):
    repair = search_rows(np.random.default_rng(seed), np.roll(np.arange(12), -shift))
    assert repair.family is Family.ITEMS
    direction = {1: "the next sequence", -1: "the previous sequence"}
    assert repair.words.endswith(
        direction.get(shift, f"the sequence 2 {'later' if shift > 0 else 'earlier'}")
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_sequences", [12, 72])
def test_rows_of_sequences_in_another_order_are_recognized(seed, n_sequences):
    rng = np.random.default_rng(seed)
    repair = search_rows(rng, rng.permutation(n_sequences))
    assert repair.words == "as predictions of other sequences, in another order"


@fewer_examples()
@given(st.integers(0, 10**6))
def test_rows_of_weak_models_need_no_repair(seed):
    rng = np.random.default_rng(seed)
    assert search_rows(rng, np.arange(12), noise=0.5, share_right=0.1) is None


def test_boxes_and_names_of_the_next_video_are_one_mistake():
    rng = np.random.default_rng(1)
    boxes = true_boxes(rng)
    item = np.repeat(np.arange(N_ITEMS), N_FRAMES)
    frame = np.tile(np.arange(N_FRAMES), N_ITEMS)
    classes = random_names(1)[:N_ITEMS]

    def regions(repairs: Repairs, spread: Spread) -> Regions:
        of_next = np.roll(boxes, -N_FRAMES, axis=0)
        return Regions(of_next, item, boxes, item, N_ITEMS, frame[:, None], frame[:, None])

    def names(repairs: Repairs, spread: Spread) -> Names:
        of_next = [*classes[1:], classes[0]]
        return Names(of_next, classes, np.arange(N_ITEMS), LIST, true_of_item=classes)

    of_boxes = Comparison(Kind.BOXES, "boxes", regions, "Write pixels")
    of_names = Comparison(Kind.NAMES, "names", names, "Write names")
    assert [repair.kind for repair in find_repairs([of_boxes, of_names])] == [Kind.BOXES]
    assert [repair.kind for repair in find_repairs([of_names])] == [Kind.NAMES]


@fewer_examples()
@given(st.integers(0, 10**6), st.floats(0, 0.2), st.floats(0.3, 0.9))
def test_boxes_that_are_drawn_to_the_middle_need_no_repair(seed, noise, share_left):
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    center = (boxes[:, :2] + boxes[:, 2:]) / 2
    drawn = boxes + np.tile((1 - share_left) * (SIZE / 2 - center), 2)
    assert search_boxes(noisy(drawn, rng, noise), boxes) is None


@fewer_examples()
@given(st.integers(0, 10**6), st.floats(0, 0.6), st.floats(0.5, 1.6))
def test_honest_boxes_need_no_repair(seed, noise, growth):
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    center, half = (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2:] - boxes[:, :2]) / 2 * growth
    grown = np.concatenate([center - half, center + half], axis=1)
    assert search_boxes(noisy(grown, rng, noise), boxes) is None


@fewer_examples()
@given(st.integers(0, 10**6))
def test_models_that_know_nothing_need_no_repair(seed):
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    median = np.tile(np.median(boxes, axis=0), (len(boxes), 1))
    assert search_boxes(noisy(median, rng, 0.05), boxes) is None
    assert search_boxes(true_boxes(rng), boxes) is None


@fewer_examples()
@given(st.integers(0, 10**6), st.sampled_from(MISTAKES_IN_BOXES))
def test_the_order_of_entries_does_not_matter(seed, mistake):
    change, family, words = mistake
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    new_number = rng.permutation(N_ITEMS)
    by_item = boxes.reshape(N_ITEMS, N_FRAMES, 4)[new_number].reshape(-1, 4)
    repair = search_boxes(change(by_item), by_item)
    assert (repair.family, repair.words) == (family, words)


def search_intervals(columns, intervals):
    item = np.repeat(np.arange(N_ITEMS), len(intervals) // N_ITEMS)

    def sample(repairs: Repairs, spread: Spread) -> Regions:
        entries = spread.choose(item)
        return Regions(
            columns=columns[entries],
            item=item[entries],
            true_corners=intervals,
            true_item=item,
            n_items=N_ITEMS,
            axes=("frames",),
            levels=(0.5, 0.75),
        )

    repairs = find_repairs([Comparison(Kind.INTERVALS, "rows", sample, "Write frames")])
    return repairs[0] if repairs else None


def true_intervals(rng):
    gaps = rng.integers(20, 60, (N_ITEMS, 20))
    ends = np.cumsum(gaps, axis=1)
    lengths = rng.integers(10, 20, (N_ITEMS, 10))
    start = ends[:, ::2] + 1
    return np.stack([start, start + lengths], axis=-1).reshape(-1, 2).astype(np.float64)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frames: frames * 0.96, "with frames times 1.042"),
        (lambda frames: frames * 1.2, "with frames times 0.8333"),
        (lambda frames: frames / 25, "with frames times 25"),
        (lambda frames: frames + 30, "with frames minus 30"),
        (lambda frames: frames - 1, "with frames plus 1"),
        (lambda frames: np.stack([frames[:, 0], frames[:, 1] - frames[:, 0]], axis=1), "as start, length"),
    ],
)
def test_a_mistake_in_all_intervals_is_named_in_words(change, words):
    intervals = true_intervals(np.random.default_rng(1))
    assert search_intervals(change(intervals), intervals).words == words
    assert search_intervals(intervals, intervals) is None


FRAMES = [f"img_{number:05d}.json" for number in (1, 6, 11, 16)]


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (["img_00002.json", "img_00007.json", "img_00012.json", "img_00017.json"], "numbered n - 1"),
        (["img_00000.json", "img_00005.json", "img_00010.json", "img_00015.json"], "numbered n + 1"),
        (["img_00001.json", "img_00002.json", "img_00003.json", "img_00004.json"], "numbered 5 n - 4"),
        (["img_00002.json"], "numbered n - 1"),
        (
            ["img_1.json", "img_6.json", "img_11.json", "img_16.json"],
            "written with as many digits in numbers as in the data",
        ),
        (
            [name.replace("json", "jpg") for name in FRAMES],
            "written with the ending that they have in the data",
        ),
    ],
)
def test_names_of_frames_are_read_by_the_simplest_number(frames, words):
    true_frames = FRAMES[: len(frames)]
    sample = Ids(
        predicted=frames * N_ITEMS,
        true=true_frames * N_ITEMS,
        group=np.repeat(np.arange(N_ITEMS), len(frames)),
        true_group=np.repeat(np.arange(N_ITEMS), len(frames)),
        what="frames",
    )
    repair = search(Kind.IDS, sample)
    assert repair.words == f"with frames {words}"
    assert [repair.change.word(frame) for frame in frames] == true_frames
    assert not repair.compares_labels


def test_a_submission_that_has_every_frame_needs_no_repair():
    every_frame = [f"img_{number:05d}.json" for number in range(1, 21)]
    sample = Ids(
        predicted=every_frame * N_ITEMS,
        true=FRAMES * N_ITEMS,
        group=np.repeat(np.arange(N_ITEMS), 20),
        true_group=np.repeat(np.arange(N_ITEMS), 4),
    )
    assert search(Kind.IDS, sample) is None


@pytest.mark.parametrize("change", ["{}.mp4", "v_{}", "train/{}", "{}_000001_000010"])
def test_ids_with_more_around_them_are_recognized(change):
    true = [f"clip_{number}" for number in range(0, 90, 3)]
    predicted = [change.format(name) for name in true]
    repair = search(Kind.IDS, Ids(predicted, true))
    assert repair.family is Family.SPELLING
    assert [repair.change.word(name) for name in predicted] == true


LIST = ["bend", "carry", "hold", "kick", "left turn", "look", "press", "right turn"]


def names_sample(predicted, true, **columns):
    item = np.repeat(np.arange(len(true) // 8), 8)
    return Names(predicted=predicted, true=true, item=item, vocabulary=LIST, **columns)


def random_names(seed):
    return [str(name) for name in np.random.default_rng(seed).choice(LIST, 320)]


@pytest.mark.parametrize(
    ("change", "family"),
    [
        (str.upper, Family.SPELLING),
        (lambda name: name.replace(" ", "-").title(), Family.SPELLING),
        (lambda name: LIST[(LIST.index(name) + 1) % len(LIST)], Family.ORDER),
        (dict(zip(LIST, [LIST[place] for place in (3, 5, 0, 7, 1, 2, 6, 4)])).get, Family.ORDER),
        (lambda name: str(LIST.index(name)), Family.ORDER),
    ],
)
def test_names_from_another_list_are_recognized(change, family):
    true = random_names(1)
    predicted = [change(name) for name in true]
    repair = search(Kind.NAMES, names_sample(predicted, true))
    assert repair.family is family
    assert [repair.change.word(name) for name in predicted] == true


def test_names_of_the_next_item_are_recognized():
    true = random_names(1)[:40]
    predicted = [*true[1:], true[0]]
    sample = Names(predicted, true, np.arange(40), LIST, true_of_item=true)
    assert search(Kind.NAMES, sample).words == "as predictions of the next video"


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_honest_names_need_no_repair(seed, share_wrong):
    rng = np.random.default_rng(seed)
    true = random_names(seed)
    guesses = [str(name) for name in rng.choice(LIST, len(true))]
    is_wrong = rng.random(len(true)) < share_wrong
    predicted = [guess if wrong else name for guess, wrong, name in zip(guesses, is_wrong, true)]
    assert search(Kind.NAMES, names_sample(predicted, true)) is None
    assert search(Kind.NAMES, names_sample(["hold"] * len(true), true)) is None


def arrays_sample(values, true, **other_readings):
    entry = np.repeat(np.arange(N_ITEMS), len(true) // N_ITEMS)
    mirrored_parts = np.array([0, 1, 2, 4, 3, 6, 5])
    return Arrays(
        item=np.arange(N_ITEMS),
        entry=entry,
        readings={"": values, **other_readings},
        true_values=true,
        mirrored_parts=mirrored_parts,
    )


def true_points(rng):
    n = 40 * N_ITEMS
    return np.stack([rng.integers(3, 7, n), rng.integers(0, 90, n), rng.integers(120, 256, n)], axis=1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda points: points[:, [0, 2, 1]], "with channels in the order I, V, U"),
        (
            lambda points: points * np.array([1, -1, -1]) + np.array([0, 255, 255]),
            "with 1 - U and 1 - V for U and V",
        ),
        (lambda points: points - np.array([1, 0, 0]), "with parts plus 1"),
        (lambda points: points + np.array([1, 0, 0]), "with parts less 1"),
    ],
)
def test_a_mistake_in_all_arrays_is_named_in_words(change, words):
    points = true_points(np.random.default_rng(1))
    assert search(Kind.ARRAYS, arrays_sample(change(points), points.astype(float))).words == words
    assert search(Kind.ARRAYS, arrays_sample(points, points.astype(float))) is None


def test_flipped_arrays_and_exchanged_sides_are_recognized():
    rng = np.random.default_rng(1)
    points = true_points(rng)
    true = points.astype(float)
    flipped = arrays_sample(true_points(rng), true, **{"with arrays flipped": points})
    assert search(Kind.ARRAYS, flipped).words == "with arrays flipped"
    other_side = points.copy()
    other_side[:, 0] = flipped.mirrored_parts[points[:, 0]]
    words = "with left and right parts exchanged"
    assert search(Kind.ARRAYS, arrays_sample(other_side, true)).words == words


@given(st.integers(0, 10**6))
def test_random_names_are_not_assigned_one_to_one(seed):
    # What assigns takes a third of a second to import.
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(orders, "assign", lambda counts: pytest.fail("nothing is likely to fit"))
        sample = names_sample(random_names(seed), random_names(seed + 1))
        assert search(Kind.NAMES, sample) is None


def test_names_are_compared_after_boxes_are_repaired():
    boxes = true_boxes(np.random.default_rng(1))
    item = np.repeat(np.arange(N_ITEMS), N_FRAMES)
    frame = np.tile(np.arange(N_FRAMES), N_ITEMS)
    true = random_names(1)[: len(boxes)]
    predicted = [name.upper() for name in true]

    def regions(repairs: Repairs, spread: Spread) -> Regions:
        return Regions(boxes / 2, item, boxes, item, N_ITEMS, frame[:, None], frame[:, None])

    def names(repairs: Repairs, spread: Spread) -> Names:
        _, nearest = repairs.match(Kind.BOXES, regions(repairs, spread))
        assert (nearest == np.arange(len(boxes))).all()
        return Names(predicted, true, item, LIST)

    comparisons = [
        Comparison(Kind.BOXES, "boxes", regions, "Write pixels"),
        Comparison(Kind.NAMES, "names", names, "Write names"),
    ]
    assert [repair.kind for repair in find_repairs(comparisons)] == [Kind.BOXES, Kind.NAMES]


def test_a_few_items_must_all_become_better():
    def repair_of(n_items):
        boxes = true_boxes(np.random.default_rng(1), n_items)
        return search_boxes(boxes / 2, boxes)

    assert repair_of(6).words == "with x times 2 and y times 2"
    assert repair_of(5) is None


def test_the_sign_test_counts_tails():
    assert sign_test(14, 0) == 2**-14
    assert sign_test(1, 1) == 0.75


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_one_to_one_maps_have_the_most_agreements(n_rows, n_columns, seed):
    counts = np.random.default_rng(seed).integers(0, 9, (n_rows, n_columns))
    column = assign(counts)
    mapped = np.flatnonzero(column >= 0)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    assert counts[mapped, column[mapped]].sum() == counts[rows, columns].sum()
    assert len(set(column[mapped].tolist())) == len(mapped)
