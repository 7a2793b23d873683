"""The changes of names and ids that are tried, family by family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from scoring_program.repairs import names, orders
from scoring_program.repairs.decision import Change, Family, Trial, may_be_in_other_order
from scoring_program.repairs.numbering import Numbering, find_numbering, last_number, small_shifts
from scoring_program.repairs.samples import Ids, Names
from scoring_program.repairs.sampling import N_EXCHANGED
from validator.arrays import Bools, Floats, Ints


def name_trials(sample: Names) -> Iterator[list[Trial]]:
    """Yield the trials of each family for names."""
    yield list(_spellings(sample))
    yield list(_numbers(sample))
    yield [*_swapped_sides(sample), *_shifts_of_list(sample)]
    yield list(_map_of_list(sample))
    yield list(_shifts_of_items(sample))


def _spellings(sample: Names) -> Iterator[Trial]:
    """Yield trials of other spellings: an entry agrees if the vocabulary has its name, right or wrong."""
    before = sample.as_submitted >= 0
    vocabulary = set(sample.vocabulary)
    for spelling in names.find_respellings(sample.predicted_words, vocabulary, sample.folds):
        known_words = {word for word in sample.predicted_words if spelling.change(word) in vocabulary}
        after = np.array([word in known_words for word in sample.predicted], dtype=bool)
        yield Trial(
            family=Family.SPELLING,
            words=f"with {sample.what} written {spelling.words}",
            before=before,
            after=after,
            item=sample.item,
            closeness=float(after.mean()),
            change=Change(word=spelling.change),
            compares_labels=False,
        )


def trial_of_names(
    sample: Names, family: Family, words: str, codes: Ints, change: Callable[[str], str]
) -> Trial:
    """Return the trial of other names, given as their places in the vocabulary (n,).

    ``words`` and ``change`` are those of the trial.
    """
    after = sample.agrees(codes)
    return Trial(
        family=family,
        words=words,
        before=sample.agrees(sample.as_submitted),
        after=after,
        item=sample.item,
        closeness=float(after.mean()),
        change=Change(word=change),
        own_agreement=after.astype(np.float64),
        exchanged_agreement=sample.agrees_with_exchanged(codes),
    )


def _numbers(sample: Names) -> Iterator[Trial]:
    """Yield trials of names that are numbers, with a number added."""
    if not all(word.isdecimal() for word in sample.vocabulary):
        return
    for shift in small_shifts():
        change = partial(_shift_number, shift)
        codes = sample.coded(change)
        words = f"with {sample.what} as {shift.formula()}"
        yield trial_of_names(sample, Family.NUMBERS, words, codes, change)


def _shift_number(shift: Numbering, word: str) -> str:
    number = shift.number(int(word)) if word.isdecimal() and len(word) < 10 else None
    return word if number is None else str(number)


def _swapped_sides(sample: Names) -> Iterator[Trial]:
    """Yield the trial of left for right, where names have sides."""
    if any(orders.swap_sides(word) != word for word in sample.vocabulary):
        codes = sample.coded(orders.swap_sides)
        words = f"with left and right of {sample.what} exchanged"
        yield trial_of_names(sample, Family.ORDER, words, codes, orders.swap_sides)


def _shifts_of_list(sample: Names) -> Iterator[Trial]:
    """Yield the trial of the shift along the vocabulary that fits best."""
    n = len(sample.vocabulary)
    if n < 3:
        return
    codes = sample.as_submitted
    distances = np.where((codes >= 0) & (sample.true_codes >= 0), (sample.true_codes - codes) % n, -1)

    def best_shift(half: Bools) -> int:
        counts = np.bincount(distances[half & (distances > 0)], minlength=n)
        return int(counts.argmax())

    held_out = np.full(len(codes), -1)
    for half in (sample.is_even, ~sample.is_even):
        held_out[~half] = orders.shift_in_list(codes[~half], best_shift(half), n)
    shift = best_shift(np.ones(len(codes), dtype=bool))
    signed = shift if shift <= n // 2 else shift - n
    steps = f"{abs(signed)} place{'' if abs(signed) == 1 else 's'}"
    words = f"with {sample.what} {steps} {'later' if signed > 0 else 'earlier'} in their list"
    change = partial(_shift_word, list(sample.vocabulary), shift)
    yield trial_of_names(sample, Family.ORDER, words, held_out, change)


def _shift_word(vocabulary: Sequence[str], shift: int, word: str) -> str:
    if word not in vocabulary:
        return word
    return vocabulary[(vocabulary.index(word) + shift) % len(vocabulary)]


def _map_of_list(sample: Names) -> Iterator[Trial]:
    """Yield the trial of the one-to-one map of predicted names to those of the vocabulary that fits best."""
    shape = (len(sample.predicted_words), len(sample.vocabulary))
    before = sample.agrees(sample.as_submitted)
    counts_of_half = []
    for half in (sample.is_even, ~sample.is_even):
        counts = orders.count_pairs(sample.predicted_codes[half], sample.true_codes[half], shape)
        counts_of_half.append(counts)

    def map_held_out(columns_of_rows: Callable[[Ints], Ints]) -> Ints:
        mapped = np.full(len(before), -1)
        for half, counts in zip((sample.is_even, ~sample.is_even), counts_of_half):
            mapped[~half] = columns_of_rows(counts)[sample.predicted_codes[~half]]
        return mapped

    if not may_be_in_other_order(before, sample.agrees(map_held_out(orders.nearest))):
        return
    held_out = map_held_out(orders.assign)
    code_of_word = orders.assign(counts_of_half[0] + counts_of_half[1]).tolist()
    word_of_word = {}
    for word, code in zip(sample.predicted_words, code_of_word):
        if code >= 0:
            word_of_word[word] = sample.vocabulary[code]
    words = f"with {sample.what} from a list in another order"
    yield trial_of_names(sample, Family.ORDER, words, held_out, partial(_look_up, word_of_word))


def _look_up(word_of_word: dict[str, str], word: str) -> str:
    return word_of_word.get(word, word)


def _shifts_of_items(sample: Names) -> Iterator[Trial]:
    """Yield the trials of names of a neighboring item, where each item has one name."""
    if not sample.true_of_item:
        return
    for shift in orders.neighbor_shifts():
        words = orders.shift_words(shift, sample.item_noun)
        yield trial_of_name_items(sample, words, sample.item + shift, Change(item=partial(_add, shift)))


def trial_of_name_items(sample: Names, words: str, item: Ints, change: Change) -> Trial:
    """Return the trial of names of other items, where each item has one name.

    ``item`` (n,) is the item that each entry is of, one outside of the reference for none; ``words`` and
    ``change`` are those of the trial.
    """
    code_of_name = {name: code for code, name in enumerate(sample.vocabulary)}
    true_code = np.array([code_of_name.get(name, -2) for name in sample.true_of_item], dtype=np.int64)
    is_item = (item >= 0) & (item < len(true_code))
    after = np.zeros(len(item), dtype=bool)
    after[is_item] = sample.as_submitted[is_item] == true_code[item[is_item]]
    return Trial(
        family=Family.ITEMS,
        words=words,
        before=sample.agrees(sample.as_submitted),
        after=after,
        item=sample.item,
        closeness=float(after.mean()),
        change=change,
        own_agreement=after.astype(np.float64),
        exchanged_agreement=_mean_agreement(sample.as_submitted, true_code, item),
    )


def _mean_agreement(codes: Ints, true_code: Ints, item: Ints) -> Floats:
    """Return the share of the three items after those of entries that have the same name."""
    n_items = len(true_code)
    shares = np.zeros(len(codes))
    for distance in range(1, N_EXCHANGED + 1):
        shares += codes == true_code[(item + distance) % n_items]
    return shares / N_EXCHANGED


def _add(shift: int, item: Ints) -> Ints:
    return item + shift


def id_trials(sample: Ids) -> Iterator[list[Trial]]:
    """Yield the trials of each family for ids."""
    yield list(_spellings_of_ids(sample))
    yield list(_other_numbers(sample))


def trial_of_ids(
    sample: Ids, family: Family, words: str, after: Bools, change: Callable[[str], str]
) -> Trial:
    """Return the trial of other ids, after which those of the reference in ``after`` (m,) occur.

    ``words`` and ``change`` are those of the trial.
    """
    return Trial(
        family=family,
        words=words,
        before=sample.covered(sample.predicted, sample.true),
        after=after,
        item=sample.item,
        closeness=float(after.mean()),
        change=Change(word=change),
        compares_labels=False,
    )


def _spellings_of_ids(sample: Ids) -> Iterator[Trial]:
    """Yield the trials of other spellings."""
    words = set(sample.predicted)
    for spelling in names.find_respellings(words, set(sample.true), {}):
        word_of_word = {word: spelling.change(word) for word in words}
        after = sample.covered([word_of_word[word] for word in sample.predicted], sample.true)
        description = f"with {sample.what} written {spelling.words}"
        yield trial_of_ids(sample, Family.SPELLING, description, after, spelling.change)


def _other_numbers(sample: Ids) -> Iterator[Trial]:
    """Yield the trial of ids whose numbers are counted otherwise, whatever is around them."""
    numbers, groups = _with_number(sample.predicted_numbers, sample.groups)
    true_numbers, true_groups = _with_number(sample.true_numbers, sample.true_groups)
    numbering = find_numbering(numbers, true_numbers, groups, true_groups)
    if numbering is None or numbering.is_as_in_data:
        return
    # Of many frames there are few different numbers.
    meant_number = {number: _meant(numbering, number) for number in set(sample.predicted_numbers)}
    changed_numbers = [meant_number[number] for number in sample.predicted_numbers]
    word_of_number = dict(zip(sample.true_numbers, sample.true))
    yield trial_of_ids(
        sample,
        family=Family.NUMBERS,
        words=f"with {sample.what} numbered {numbering.formula()}",
        after=sample.covered(changed_numbers, sample.true_numbers),
        change=partial(_renumber, numbering, word_of_number),
    )


def _with_number(numbers: Sequence[int | None], groups: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the numbers of ids that have one, and their groups, shapes (k,)."""
    pairs = [pair for pair in zip(numbers, groups) if pair[0] is not None]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _meant(numbering: Numbering, number: int | None) -> int | None:
    return None if number is None else numbering.number(number)


def _renumber(numbering: Numbering, word_of_number: Mapping[int | None, str], word: str) -> str:
    number = _meant(numbering, last_number(word))
    return word if number is None else word_of_number.get(number, word)
