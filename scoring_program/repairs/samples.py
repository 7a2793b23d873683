"""Samples: what of a submission is compared with the reference, by kind, and what "agrees" means for each.

=========  ===============================================================================================
kind       an entry agrees if
=========  ===============================================================================================
boxes      its IoU with an annotated box of the same place (item and slots) is above 0.5; names do not matter
intervals  the same; above 0.75 for small delays; the same first and last frame for frames counted from 0
names      its word is the one of the annotated thing that it is matched with by place
ids        entries are ids of the *reference*; one agrees if the submission has it
arrays     a quarter of its points, or half of them, have the right part, and U and V within 0.2
=========  ===============================================================================================

Items are what scores are averaged over (videos, sequences, images), numbered in the sorted reference. Boxes
and intervals are in `regions`; which entries a sample holds is decided in `sampling`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Union

import numpy as np

from scoring_program.repairs.regions import Regions
from scoring_program.repairs.sampling import N_EXCHANGED, exchanged_entries, is_in_first_half
from validator.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from scoring_program.repairs.names import Fold

_NEAR_BYTES = 0.2 * 255
SHARES_OF_POINTS = (0.25, 0.5)
"""How many of its points must be near for an array to agree: few of a weak model, many where U and V are
exchanged, which then are near each other at a third of the points."""


class Kind(Enum):
    """What a repair changes; a submission gets at most one repair of each kind."""

    IDS = "ids"
    BOXES = "boxes"
    INTERVALS = "intervals"
    NAMES = "names"
    ARRAYS = "arrays"


@dataclass(frozen=True)
class Names:
    """Names that a submission gives to things which are matched with annotated ones by place.

    Attributes
    ----------
    predicted : sequence of str
        The name of each entry, n of them.
    true : sequence of str
        The annotated name of each entry.
    item : int array of shape (n,)
    vocabulary : sequence of str
        All names that are right to use, in the order of the public list.
    true_of_item : sequence of str
        The annotated name of each item of the reference, where there is one for each; otherwise empty. Then
        names may be those of another item.
    item_noun, what : str
        What words call items and these names: "videos", "action classes".
    folds : mapping of str to callable
        Functions of a challenge under which different spellings are equal, beside the usual ones, by the
        words for what they do: "as lemmas".
    """

    predicted: Sequence[str]
    true: Sequence[str]
    item: Ints
    vocabulary: Sequence[str]
    true_of_item: Sequence[str] = ()
    item_noun: str = "video"
    what: str = "names"
    folds: Mapping[str, Fold] = field(default_factory=dict)

    @cached_property
    def predicted_words(self) -> list[str]:
        """The different names of the submission."""
        return sorted(set(self.predicted))

    @cached_property
    def predicted_codes(self) -> Ints:
        """The places of the predicted names in `predicted_words`."""
        return _codes(self.predicted, self.predicted_words)

    @cached_property
    def true_codes(self) -> Ints:
        """The places of the annotated names in the vocabulary, -1 where it lacks one."""
        return _codes(self.true, self.vocabulary)

    @cached_property
    def exchanged_codes(self) -> Ints:
        """The annotated names of entries of three exchanged items, shape (up to 3, n)."""
        rows = [self.true_codes[entries] for entries in exchanged_entries(self.item)]
        return np.array(rows, dtype=np.int64).reshape(-1, len(self.item))

    def agrees(self, codes: Ints) -> Bools:
        """Return which entries have the right name if ``codes`` (n,) are their places in the vocabulary."""
        return (codes == self.true_codes) & (codes >= 0)

    def agrees_with_exchanged(self, codes: Ints) -> Floats:
        """Return the share of exchanged entries whose annotated name is the same, shape (n,)."""
        if not len(self.exchanged_codes):
            return np.full(len(codes), np.nan)
        return ((self.exchanged_codes == codes) & (codes >= 0)).mean(axis=0)

    @cached_property
    def as_submitted(self) -> Ints:
        """The places of the predicted names in the vocabulary, -1 for names that it lacks."""
        return self.coded(str)

    def coded(self, change: Callable[[str], str]) -> Ints:
        """Return the places of changed names in the vocabulary, -1 for names that it lacks, shape (n,)."""
        changed_words = [change(word) for word in self.predicted_words]
        return _codes(changed_words, self.vocabulary)[self.predicted_codes]

    @cached_property
    def is_even(self) -> Bools:
        """Which entries are of every second item: one half to fit on, the other to test on."""
        return is_in_first_half(self.item)


def _codes(words: Sequence[str], vocabulary: Sequence[str]) -> Ints:
    number_of_word = {word: number for number, word in enumerate(vocabulary)}
    return np.array([number_of_word.get(word, -1) for word in words], dtype=np.int64)


@dataclass(frozen=True)
class Ids:
    """Ids of items, or of what is in each item; agreement is counted over the reference's.

    Attributes
    ----------
    predicted, true : sequences of str
        The ids of the submission, n of them, and of the reference, m of them.
    group, true_group : int arrays of shapes (n,) and (m,)
        The item that an id is in, where ids are of frames or segments; None for ids of items.
    what : str
        What words call them: "frames".
    is_in_reference : bool array of shape (n,)
        Which predicted ids the reference has, where ``true`` has only some of its ids; otherwise None.
    """

    predicted: Sequence[str]
    true: Sequence[str]
    group: Ints | None = None
    true_group: Ints | None = None
    what: str = "ids"
    is_in_reference: Bools | None = None

    @cached_property
    def groups(self) -> list[int]:
        """The group of each predicted id, 0 for ids of items."""
        return [0] * len(self.predicted) if self.group is None else self.group.tolist()

    @cached_property
    def true_groups(self) -> list[int]:
        """The group of each id of the reference, 0 for ids of items."""
        return [0] * len(self.true) if self.true_group is None else self.true_group.tolist()

    @property
    def item(self) -> Ints:
        """What a sign test counts for each id of the reference: its group, or the id itself."""
        return np.arange(len(self.true)) if self.true_group is None else self.true_group

    @cached_property
    def predicted_numbers(self) -> list[int | None]:
        """The last number in each predicted id, None without any."""
        return _last_numbers(self.predicted)

    @cached_property
    def true_numbers(self) -> list[int | None]:
        """The last number in each id of the reference, None without any."""
        return _last_numbers(self.true)

    @property
    def is_known(self) -> Bools:
        """Which predicted ids the reference has."""
        if self.is_in_reference is not None:
            return self.is_in_reference
        true_ids = set(zip(self.true_groups, self.true))
        return np.array([key in true_ids for key in zip(self.groups, self.predicted)], dtype=bool)

    @cached_property
    def is_even(self) -> Bools:
        """Which ids of the reference are of every second item."""
        return is_in_first_half(self.item)

    def covered(self, predicted: Sequence[object], true: Sequence[object]) -> Bools:
        """Return which ids of the reference the submission has, if both sides were written so; None is no id.

        Shapes: (n,), (m,) -> (m,).
        """
        predicted_ids = {key for key in zip(self.groups, predicted) if key[1] is not None}
        return np.array([key in predicted_ids for key in zip(self.true_groups, true)], dtype=bool)


def _last_numbers(words: Sequence[str]) -> list[int | None]:
    from scoring_program.repairs.numbering import last_number

    number_of_word = {word: last_number(word) for word in set(words)}
    return [number_of_word[word] for word in words]


@dataclass(frozen=True)
class Arrays:
    """Values of parts and coordinates that a submission has at annotated points.

    Attributes
    ----------
    item : int array of shape (n,)
        The item of each entry, which is an array.
    entry : int array of shape (p,), ascending
        The entry of each point.
    readings : mapping of str to int array of shape (p, 3)
        The bytes I, U, V at each point, by the words for how the array is read: "" as submitted, first;
        others as "with arrays flipped left to right".
    true_values : float array of shape (p, 3)
        The annotated part, and U and V times 255.
    mirrored_parts : int array of shape (n_parts + 1,)
        The part on the other side of the body of each part.
    """

    item: Ints
    entry: Ints
    readings: Mapping[str, Ints]
    true_values: Floats
    mirrored_parts: Ints

    @property
    def as_submitted(self) -> Ints:
        """The values at the points as the task's page says how to read them, shape (p, 3)."""
        return next(iter(self.readings.values()))

    def shares_near(self, values: Floats | Ints, true_values: Floats | None = None) -> Floats:
        """Return the share of the points of each entry that are near the annotated ones, shape (n,).

        ``values`` (p, 3) are those at the points; other ``true_values`` (p, 3) may be given.
        """
        is_near = _is_near(values, self.true_values if true_values is None else true_values)
        n_near = np.bincount(self.entry[is_near], minlength=len(self.item))
        return n_near / np.maximum(self._n_points, 1)

    def exchanged_shares_near(self, values: Floats | Ints) -> Floats:
        """Return the mean of the shares that are near those of three exchanged entries, point by point.

        Shape: (n,).
        """
        n = len(self.item)
        if n < 2:
            return np.full(n, np.nan)
        sizes = np.maximum(self._n_points, 1)
        starts = np.cumsum(self._n_points) - self._n_points
        rank = np.arange(len(self.entry)) - starts[self.entry]
        shares = np.zeros(n)
        distances = range(1, min(N_EXCHANGED, n - 1) + 1)
        for distance in distances:
            other = (self.entry + distance) % n
            point = np.minimum(starts[other] + rank % sizes[other], len(self.entry) - 1)
            shares += self.shares_near(values, self.true_values[point])
        return shares / len(distances)

    @cached_property
    def _n_points(self) -> Ints:
        return np.bincount(self.entry, minlength=len(self.item))


def _is_near(values: Floats | Ints, true_values: Floats) -> Bools:
    """Return which points have the right part, and U and V within 0.2. Shapes: (p, 3), (p, 3) -> (p,)."""
    is_part = (values[:, 0] == true_values[:, 0]) & (values[:, 0] > 0)
    is_near = np.abs(values[:, 1:] - true_values[:, 1:]) < _NEAR_BYTES
    return is_part & is_near[:, 0] & is_near[:, 1]


Sample = Union[Regions, Names, Ids, Arrays]
