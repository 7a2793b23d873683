"""The changes of names that are tried, family by family."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from people_in_video.diagnosis.samples import (
    NEIGHBORS,
    Names,
    find_part,
    is_in_first_half,
    one_to_one_map,
)
from people_in_video.diagnosis.trials import LEAST_SHARE_OF_COMBINATION, Change, Family, Trial, agrees_well
from validator.arrays import Bools, Ints
from validator.names import find_sure_change

_SIDE = re.compile("left|right", re.IGNORECASE)
_OTHER_SIDE = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}


def name_trials(sample: Names) -> Iterator[list[Trial]]:
    """Yield the trials of each family for names."""
    if agrees_well(sample.agrees(sample.as_submitted)):
        return
    yield list(_numbers(sample))
    yield [*_swapped_sides(sample), *_shifts_of_list(sample)]
    yield list(_swapped_sides_of_part(sample))
    yield list(_map_of_list(sample))
    yield list(_shifts_of_items(sample))


def _trial(
    sample: Names, family: Family, words: str, word: Callable[[str], str], codes: Ints | None = None
) -> Trial:
    """Return the trial of other names; ``codes`` (n,) are their places in the vocabulary, if these were
    fitted on other entries."""
    codes = sample.coded(word) if codes is None else codes
    agrees_after = sample.agrees(codes)
    return Trial(
        family=family,
        words=words,
        before=sample.agrees(sample.as_submitted),
        after=agrees_after,
        item=sample.item,
        own_agreement=agrees_after.astype(np.float64),
        exchanged_agreement=sample.agrees_with_exchanged(codes),
        change=Change(word=word),
    )


def _numbers(sample: Names) -> Iterator[Trial]:
    """Yield trials of names that are numbers, with a number added."""
    if not all(word.isdecimal() for word in sample.vocabulary):
        return
    for shift, words in ((1, "plus 1"), (-1, "less 1")):
        yield _trial(sample, Family.NUMBERS, f"with {sample.noun} {words}", partial(_shift_number, shift))


def _shift_number(shift: int, word: str) -> str:
    return str(int(word) + shift) if word.isdecimal() and len(word) < 10 else word


def swap_sides(word: str) -> str:
    """Return a word with left and right exchanged.

    Examples
    --------
    >>> swap_sides("left_arm")
    'right_arm'
    """
    return _SIDE.sub(lambda side: _OTHER_SIDE.get(side[0], side[0]), word)


def _swapped_sides(sample: Names) -> Iterator[Trial]:
    """Yield the trial of left for right, where names have sides."""
    if any(swap_sides(word) != word for word in sample.vocabulary):
        yield _trial(sample, Family.ORDER, f"with left and right of {sample.noun} exchanged", swap_sides)


def _swapped_sides_of_part(sample: Names) -> Iterator[Trial]:
    """Yield the trial of left for right in the items in which hardly any side is right, where others are
    right, as where some videos were mirrored."""
    swapped_codes = sample.coded(swap_sides)
    has_side = np.flatnonzero(swapped_codes != sample.as_submitted)
    agrees_before, item = sample.agrees(sample.as_submitted)[has_side], sample.item[has_side]
    part = find_part(agrees_before, item) if len(has_side) else None
    if part is None:
        return
    yield Trial(
        family=Family.ORDER,
        words=f"with left and right of {sample.noun} exchanged {part.words(sample.item_noun)}",
        before=agrees_before[part.is_tested],
        after=sample.agrees(swapped_codes)[has_side][part.is_tested],
        item=item[part.is_tested],
        least_share=LEAST_SHARE_OF_COMBINATION,
    )


def _shifts_of_list(sample: Names) -> Iterator[Trial]:
    """Yield the trial of the shift along the vocabulary that fits best."""
    n = len(sample.vocabulary)
    codes = sample.as_submitted
    distance = (sample.true - codes)[(codes >= 0) & (sample.true >= 0)] % max(n, 1)
    if n < 3 or not distance.any():
        return
    shift = int(np.bincount(distance[distance > 0]).argmax())
    signed = shift if shift <= n // 2 else shift - n
    steps = f"{abs(signed)} place{'' if abs(signed) == 1 else 's'}"
    words = f"with {sample.noun} {steps} {'later' if signed > 0 else 'earlier'} in their list"
    other_name = dict(zip(sample.vocabulary, [*sample.vocabulary[shift:], *sample.vocabulary[:shift]]))
    yield _trial(sample, Family.ORDER, words, lambda word: other_name.get(word, word))


def _map_of_list(sample: Names) -> Iterator[Trial]:
    """Yield the trial of the one-to-one map of names that fits best, tested on the items that it was not
    fitted on."""

    def assign(is_used: Bools) -> Ints:
        """Return the place in the vocabulary of each word, -1 for words without one."""
        counts = np.zeros((len(sample.words), len(sample.vocabulary)), np.int64)
        is_counted = is_used & (sample.predicted >= 0) & (sample.true >= 0)
        np.add.at(counts, (sample.predicted[is_counted], sample.true[is_counted]), 1)
        return np.append(one_to_one_map(counts), -1)

    half = is_in_first_half(sample.item)
    held_out = np.where(half, assign(~half)[sample.predicted], assign(half)[sample.predicted])
    places = assign(np.ones(len(half), dtype=bool)).tolist()
    other_name = {word: sample.vocabulary[place] for word, place in zip(sample.words, places) if place >= 0}
    map_words = _respelling(sample, other_name) or "from a list in another order"
    words = f"with {sample.noun} {map_words}"
    yield _trial(sample, Family.ORDER, words, lambda word: other_name.get(word, word), held_out)


def _respelling(sample: Names, other_name: Mapping[str, str]) -> str:
    """Return how the names are spelled otherwise if that is all that a map of names does, else ""."""
    change = find_sure_change([("", word) for word in other_name], [("", name) for name in sample.vocabulary])
    is_all = change and change.member_of_member == {
        ("", word): ("", name) for word, name in other_name.items()
    }
    return change.text() if change and is_all else ""


def neighbor_shifts(item_noun: str) -> Iterator[tuple[int, str]]:
    """Yield the shifts of items that are tried, the smallest first, with the words for each."""
    for distance in range(1, NEIGHBORS + 1):
        for shift, name, direction in ((distance, "next", "later"), (-distance, "previous", "earlier")):
            other = f"{name} {item_noun}" if distance == 1 else f"{item_noun} {distance} {direction}"
            yield shift, f"as predictions of the {other}"


def _shifts_of_items(sample: Names) -> Iterator[Trial]:
    """Yield the trials of names of a neighboring item, where each item has one name."""
    if sample.true_of_item is None:
        return
    n_items = len(sample.true_of_item)
    codes = sample.as_submitted
    for shift, words in neighbor_shifts(sample.item_noun):
        item = sample.item + shift
        agrees_after = (codes == sample.true_of_item[item % n_items]) & (item >= 0) & (item < n_items)
        agrees_with_others = [
            codes == sample.true_of_item[(item + distance) % n_items] for distance in (1, 2, 3)
        ]
        yield Trial(
            family=Family.ITEMS,
            words=words,
            before=sample.agrees(codes),
            after=agrees_after,
            item=sample.item,
            own_agreement=agrees_after.astype(np.float64),
            exchanged_agreement=np.mean(agrees_with_others, axis=0),
            change=Change(item=partial(add, shift)),
        )


def add(number: int, numbers: Ints) -> Ints:
    """Return numbers, each plus one number."""
    return numbers + number
