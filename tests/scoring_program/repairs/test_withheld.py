"""What is drawn in secret for a submission before it is compared with hidden labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.repairs.withheld import draw, n_compared
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, loaded

N_ITEMS = 60


def drawn(content, key=b"key", n_items=N_ITEMS):
    """Return what is drawn, for comparisons."""
    result = draw(key, content, n_items)
    return (result.edge, result.is_compared.tolist(), result.least_better, result.is_told, result.seed)


def regions(item, columns=None):
    """Return a sample with a box for each item in a list, every one of which has an annotated box."""
    item = np.array(item)
    corners = np.tile([10.0, 10.0, 50.0, 50.0], (N_ITEMS, 1))
    return Regions(
        columns=np.tile([10.0, 10.0, 40.0, 40.0], (len(item), 1)) if columns is None else columns,
        item=item,
        true_corners=corners,
        true_item=np.arange(N_ITEMS),
        n_items=N_ITEMS,
    )


def restricted(sample, kind=Kind.BOXES, key=b"key"):
    """Return what is left of a sample."""
    comparison = Comparison(kind, "boxes", lambda repairs, spread: sample, "Write them right")
    return draw(key, "content", N_ITEMS).restrict(comparison).sample(Repairs(), Spread.WIDE)


@pytest.mark.parametrize(
    ("content", "other"),
    [
        ([1, 23], [12, 3]),
        (["a", "b"], ["a, b"]),
        (["a", ["b"]], [["a"], "b"]),
        ([None], ["None"]),
        ([1], ["1"]),
        ([1], [1.0]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(2, np.int64), np.zeros(2, np.float64)),
        (np.array([1, 2]), np.array([2, 1])),
        ([("a", "b"), ("c",)], [("a",), ("b", "c")]),
        ([np.zeros(1), np.zeros(2)], [np.zeros(2), np.zeros(1)]),
    ],
)
def test_other_content_and_another_key_give_another_draw(content, other):
    assert drawn(content) == drawn(content)
    assert drawn(content) != drawn(other)
    assert drawn(content) != drawn(content, key=b"other key")


def test_content_that_cannot_be_read_is_an_error():
    for content in ({1, 2}, [object()], np.array([None])):
        with pytest.raises(TypeError):
            draw(b"key", content, N_ITEMS)


def test_the_place_of_a_submission_does_not_count():
    assert drawn(["a", Path("a")]) == drawn(["a", Path("b")])


def changed(content) -> Iterator[object]:
    """Yield copies of the content of a submission, in each of which one value is another one."""
    if isinstance(content, np.ndarray):
        if content.size:
            copy = content.copy()
            copy.flat[-1] = 0 if copy.flat[-1] else 1
            yield copy
    elif isinstance(content, Mapping):
        for key in list(content)[-1:]:
            for value in changed(content[key]):
                yield {**content, key: value}
            yield {name: value for name, value in content.items() if name != key}
    elif is_dataclass(content) and not isinstance(content, type):
        for field in fields(content):
            for value in changed(getattr(content, field.name)):
                yield replace(content, **{field.name: value})
    elif isinstance(content, tuple) and hasattr(content, "_fields"):
        for name in content._fields:
            for value in changed(getattr(content, name)):
                yield content._replace(**{name: value})
    elif isinstance(content, (list, tuple)):
        for value in changed(content[-1]) if content else ():
            yield type(content)([*content[:-1], value])
    elif isinstance(content, str):
        yield content + "x"
    elif isinstance(content, (int, float)):
        yield content + 1


@pytest.mark.parametrize("task", PUBLISHED)
def test_each_part_of_a_submission_changes_the_draw(task):
    content = loaded(task, REFERENCES / task).read(SAMPLES / task / "good").content
    draws = [drawn(content), *map(drawn, changed(content))]
    assert len(draws) >= 4
    assert len({repr(entry) for entry in draws}) == len(draws)


@pytest.mark.parametrize("task", PUBLISHED)
def test_equal_files_give_equal_draws(task):
    contents = [loaded(task, REFERENCES / task).read(SAMPLES / task / "good").content for _ in range(2)]
    assert drawn(contents[0]) == drawn(contents[1])
    assert load_task(task).id == task


def test_predictions_of_a_third_of_the_items_are_left_out():
    kept_items = [frozenset(restricted(regions(range(N_ITEMS)), key=b"%d" % key).item) for key in range(20)]
    assert {len(items) for items in kept_items} == {n_compared(N_ITEMS)}
    assert len(set(kept_items)) == 20


def test_no_item_counts_more_than_others_by_many_entries():
    sample = restricted(regions([*range(N_ITEMS), *[7] * 300, *[8] * 300]))
    assert np.bincount(sample.item).max() == 1


def test_as_many_entries_of_an_item_count_as_half_of_the_items_have():
    sample = restricted(regions(np.repeat(np.arange(N_ITEMS), 5)))
    assert len(sample.item) == 5 * n_compared(N_ITEMS)


def test_annotations_of_all_items_stay_for_predictions_of_another_one():
    sample = restricted(regions(range(N_ITEMS)))
    assert len(sample.true_item) == N_ITEMS
    names = ["a", "b"] * (N_ITEMS // 2)
    sample = restricted(Names(names, names, np.arange(N_ITEMS), ["a", "b"], names), Kind.NAMES)
    assert len(sample.true_of_item) == N_ITEMS
    assert len(sample.predicted) == len(sample.true) == len(sample.item) == n_compared(N_ITEMS)


def test_where_items_are_few_half_of_the_submissions_are_told_nothing():
    told = [draw(b"key", number, 29).is_told for number in range(400)]
    assert 160 < sum(told) < 240
    assert all(draw(b"key", number, 30).is_told for number in range(20))
