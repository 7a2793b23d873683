"""The search for the simplest repair, on plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.diagnosis.samples import BOX_IOU, Names, Regions, choose_entries, from_sizes
from people_in_video.diagnosis.search import Comparison, Measured, find_repairs
from people_in_video.diagnosis.trials import Family
from tests.helpers import fewer_examples, is_nightly

N_ITEMS, N_FRAMES = 30, 8
SIZE = np.array([640.0, 480.0])
# Of each box, which are eight frames of each item.
ITEM = np.repeat(np.arange(N_ITEMS), N_FRAMES)
FRAME = np.tile(np.arange(N_FRAMES), N_ITEMS)[:, None]


def true_boxes(rng, n_items=N_ITEMS):
    """Return the boxes of one object on eight frames of each item, in another place in each."""
    n = n_items * N_FRAMES
    low = rng.uniform([0, 0], SIZE * 0.6, (n, 2))
    size = rng.uniform(40, 160, (n, 2))
    return np.concatenate([low, low + size], axis=1)


BOXES = true_boxes(np.random.default_rng(1))


def noisy(boxes, rng, noise):
    size = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    return boxes + size * rng.normal(0, noise, boxes.shape)


def no_score(statistics):
    return 0.0


def search(*samples):
    """Return the trial that is a repair of one of some samples, None without any."""
    comparison = Comparison("things", "things", lambda measured: samples, "Write them right")
    repairs = find_repairs([comparison], Measured(None, None, None), lambda rows: None, no_score)
    return repairs[0].trial if repairs else None


def search_boxes(columns, boxes, has_sizes=False, parent=None, noun="", item=None):
    """Return the repair of boxes (n, 4), of which each frame of an item has one; None without any."""
    true_item = np.repeat(np.arange(len(boxes) // N_FRAMES), N_FRAMES)
    true_frame = np.tile(np.arange(N_FRAMES), len(boxes) // N_FRAMES)
    item = true_item if item is None else item
    sample = Regions(
        corners=from_sizes(columns) if has_sizes else columns,
        item=item,
        true_corners=boxes,
        true_item=true_item,
        n_items=len(boxes) // N_FRAMES,
        slot=true_frame[:, None],
        true_slot=true_frame[:, None],
        slot_nouns=(noun,),
        parent=parent,
        has_sizes=has_sizes,
    )
    return search(sample)


def regions_of(corners, true_corners=BOXES, **options):
    """Return a sample of boxes, one of each frame of all items."""
    return Regions(
        corners=corners, item=ITEM, true_corners=true_corners, true_item=ITEM, n_items=N_ITEMS, **options
    )


@pytest.mark.parametrize("columns", [[0, 1, 2, 3], [0, 2]])
def test_boxes_of_frames_that_are_not_annotated_need_no_repair(columns):
    corners = BOXES[:, columns]
    frames = {"slot": FRAME + 100, "true_slot": FRAME, "slot_nouns": ("",)}
    assert search(regions_of(corners, corners, axes=("x", "y")[: len(columns) // 2], **frames)) is None


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
        lambda boxes: (boxes / np.tile(SIZE, 2))[:, [2, 3, 0, 1]],
        Family.FIT,
        "as [x2, y2, x1, y1] with x times 640 and y times 480",
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
def test_a_mistake_in_all_boxes_is_named_in_words_and_repaired(change, family, words):
    columns = change(BOXES)
    repair = search_boxes(columns, BOXES)
    assert (repair.family, repair.words) == (family, words)
    assert repair.share_after > 0.95
    corners = repair.change.corners(columns, ITEM, None)
    assert np.abs(corners - BOXES).max() < 3


@pytest.mark.parametrize("seed", range(5, 8))
def test_shares_of_videos_of_nearly_one_size_are_not_read_as_exchanged_corners(seed):
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    size = np.repeat(SIZE * rng.uniform(0.95, 1.05, (N_ITEMS, 2)), N_FRAMES, axis=0)
    assert search_boxes(noisy(boxes, rng, 0.05) / np.tile(size, 2), boxes).words.startswith("with x times")


def test_boxes_in_the_box_of_their_whole_are_recognized():
    rng = np.random.default_rng(1)
    boxes = true_boxes(rng)
    parent = boxes + rng.uniform([-200, -200, 0, 0], [0, 0, 200, 200], boxes.shape)
    columns = boxes - np.tile(parent[:, :2], 2)
    repair = search_boxes(columns, boxes, parent=parent)
    assert repair.words == "from the upper left corner of the box that they are in"


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (np.roll(np.arange(N_FRAMES), 1), "with frame numbers less 1"),
        (np.arange(N_FRAMES)[::-1], "with frame numbers in reverse order"),
    ],
)
def test_other_numbers_of_frames_are_recognized(order, words):
    columns = BOXES.reshape(N_ITEMS, N_FRAMES, 4)[:, order].reshape(-1, 4)
    assert search_boxes(columns, BOXES, noun="frame numbers").words == words


N_ROWS = 10
SEEDS = range(5 if is_nightly() else 1)


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
    sample = Regions(
        corners=columns,
        item=item,
        true_corners=frames,
        true_item=item,
        n_items=n_sequences,
        label=predicted_label,
        true_label=label,
        item_noun="sequence",
        axes=("frames",),
        levels=(0.5, 0.75),
    )
    return search(sample)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shift", [1, -1, 2, -2])
def test_rows_of_a_neighboring_sequence_are_recognized_in_a_few_sequences(seed, shift):
    repair = search_rows(np.random.default_rng(seed), np.roll(np.arange(12), -shift))
    assert repair.family is Family.ITEMS
    direction = {1: "the next sequence", -1: "the previous sequence"}
    assert repair.words.endswith(
        direction.get(shift, f"the sequence 2 {'later' if shift > 0 else 'earlier'}")
    )


@pytest.mark.parametrize("seed", SEEDS)
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
@given(st.integers(0, 10**6), st.booleans())
def test_models_that_know_nothing_need_no_repair(seed, is_median):
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    median = np.tile(np.median(boxes, axis=0), (len(boxes), 1))
    assert search_boxes(noisy(median, rng, 0.05) if is_median else true_boxes(rng), boxes) is None


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
    sample = Regions(
        corners=columns,
        item=item,
        true_corners=intervals,
        true_item=item,
        n_items=N_ITEMS,
        axes=("frames",),
        levels=(0.5, 0.75),
    )
    return search(sample)


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


LIST = ["bend", "carry", "hold", "kick", "left turn", "look", "press", "right turn"]


def names_sample(predicted, true, **columns):
    words = sorted(set(predicted))
    return Names(
        words=words,
        predicted=np.array([words.index(name) for name in predicted]),
        vocabulary=LIST,
        true=np.array([LIST.index(name) for name in true]),
        item=columns.pop("item", np.arange(len(true)) // 8),
        **columns,
    )


def swapped_sides(name):
    return {"left turn": "right turn", "right turn": "left turn"}.get(name, name)


@pytest.mark.parametrize("n_swapped", [0, 20])
def test_sides_that_are_exchanged_in_some_items_are_recognized(n_swapped):
    true = [name for name in random_names(1) if swapped_sides(name) != name]
    item = np.arange(len(true)) // 2
    predicted = [swapped_sides(name) if place < n_swapped else name for name, place in zip(true, item)]
    repair = search(names_sample(predicted, true, item=item, noun="names"))
    words = f"with left and right of names exchanged in {n_swapped} of {item[-1] + 1} videos"
    assert (repair.words if repair else None) == (words if n_swapped else None)


def random_names(seed):
    return [str(name) for name in np.random.default_rng(seed).choice(LIST, 320)]


@pytest.mark.parametrize(
    ("change", "family"),
    [
        (lambda name: LIST[(LIST.index(name) + 1) % len(LIST)], Family.ORDER),
        (dict(zip(LIST, [LIST[place] for place in (3, 5, 0, 7, 1, 2, 6, 4)])).get, Family.ORDER),
        (lambda name: str(LIST.index(name)), Family.ORDER),
    ],
)
def test_names_from_another_list_are_recognized(change, family):
    true = random_names(1)
    predicted = [change(name) for name in true]
    repair = search(names_sample(predicted, true))
    assert repair.family is family
    assert [repair.change.word(name) for name in predicted] == true


def test_names_of_the_next_item_are_recognized():
    true = random_names(1)[:40]
    predicted = [*true[1:], true[0]]
    codes = np.array([LIST.index(name) for name in true])
    sample = names_sample(predicted, true, item=np.arange(40), true_of_item=codes)
    assert search(sample).words == "as predictions of the next video"


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_honest_names_need_no_repair(seed, share_wrong):
    rng = np.random.default_rng(seed)
    true = random_names(seed)
    guesses = [str(name) for name in rng.choice(LIST, len(true))]
    is_wrong = rng.random(len(true)) < share_wrong
    predicted = [guess if wrong else name for guess, wrong, name in zip(guesses, is_wrong, true)]
    assert search(names_sample(predicted, true)) is None
    assert search(names_sample(["hold"] * len(true), true)) is None


def test_a_few_items_must_all_become_better():
    def repair_of(n_items):
        boxes = true_boxes(np.random.default_rng(1), n_items)
        return search_boxes(boxes / 2, boxes)

    assert repair_of(6).words == "with x times 2 and y times 2"
    assert repair_of(5) is None


def repaired(measured, change):
    return change.corners(measured.rows, ITEM, None)


def test_what_follows_is_compared_after_a_repair():
    true = random_names(1)[: len(BOXES)]
    predicted = [LIST[LIST.index(name) - 1] for name in true]

    def regions(measured):
        yield regions_of(measured.rows, slot=FRAME, true_slot=FRAME)

    def names(measured):
        (sample,) = regions(measured)
        region = sample.pairs.region[sample.best_pairs(sample.corners, BOX_IOU)]
        names_of_regions = [(predicted[number], true[number]) for number in region.tolist()]
        yield names_sample(*zip(*names_of_regions), item=ITEM[region])

    comparisons = [
        Comparison("places", "boxes", regions, "Write pixels", repaired=repaired),
        Comparison("names", "names", names, "Write names"),
    ]
    measured = Measured(None, BOXES / 2, None)
    of_boxes, of_names = find_repairs(comparisons, measured, lambda rows: None, no_score)
    assert np.abs(of_boxes.repaired.rows - BOXES).max() < 3
    assert of_names.family is Family.ORDER
    assert of_names.repaired is None


def repairs_with_score(comparison, rows, score_after):
    """Return the repairs of rows with a score of 0.2, and what these score after a repair."""
    return find_repairs([comparison], Measured(None, rows, 0.2), lambda _: score_after, lambda score: score)


@pytest.mark.parametrize(("score_after", "n_repairs"), [(0.1, 0), (0.2, 1)])
def test_a_change_with_which_the_score_falls_is_no_repair(score_after, n_repairs):
    comparison = Comparison(
        "places", "boxes", lambda measured: [regions_of(measured.rows)], "", repaired=repaired
    )
    assert len(repairs_with_score(comparison, BOXES / 2, score_after)) == n_repairs


@pytest.mark.parametrize("score_after", [0.1, 0.2])
def test_other_numbers_that_lose_the_last_places_are_a_repair_without_a_score(score_after):
    sample = regions_of(BOXES, slot=FRAME + 1, true_slot=FRAME, slot_nouns=("frame numbers",))
    comparison = Comparison(
        "places", "boxes", lambda _: [sample], "", repaired=lambda measured, change: BOXES
    )
    (repair,) = repairs_with_score(comparison, BOXES, score_after)
    assert repair.family is Family.NUMBERS
    assert (repair.repaired is None) == (score_after < 0.2)


@fewer_examples()
@given(st.integers(0, 10**6), st.integers(0, N_ITEMS))
def test_items_without_right_boxes_need_no_repair(seed, n_wrong):
    rng = np.random.default_rng(seed)
    boxes = true_boxes(rng)
    columns = np.where((n_wrong > ITEM)[:, None], true_boxes(rng), boxes)
    assert search_boxes(columns, boxes) is None


@given(st.lists(st.integers(0, 300), max_size=3000))
def test_entries_are_chosen_of_a_hundred_items_evenly(items):
    item = np.array(items, dtype=np.int64)
    entries = choose_entries(item)
    assert (np.diff(entries) > 0).all()
    n_items = len(set(items))
    chosen_items, n_chosen = np.unique(item[entries], return_counts=True)
    assert len(chosen_items) == min(n_items, 100)
    most = max(400 // max(len(chosen_items), 1), 10)
    assert n_chosen.tolist() == [min(items.count(number), most) for number in chosen_items.tolist()]
