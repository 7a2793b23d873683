"""What is withheld from the search where labels are hidden, so that no submission can ask for one of them.

A note that compares with labels is an answer about them. Whoever knows all items but one can choose the rest
of a submission such that this one decides whether a rule of the search holds. Three things prevent it:

- a third of the items, other ones for each submission, is left out, so that nobody knows how many of those
  that fit are counted;
- each item counts with about as many entries as the others, however many a submission has of it;
- the share that must agree is drawn, and in how many items more must agree than before; where there are few
  items, whether anything is said at all.

All that is drawn depends on a secret of the reference and on the content of the submission, so that a
participant knows none of it, and learns nothing of it from another submission.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from people_in_video.diagnosis.decision import Trial
from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import Arrays, Kind, Names, Sample
from people_in_video.diagnosis.sampling import Spread, ranks_in_groups
from people_in_video.diagnosis.search import Comparison, Repairs
from validator.arrays import Bools, Ints

_LOWEST_EDGE, _HIGHEST_EDGE = 0.5, 0.75
# A sign test needs 14 items.
_LEAST_BETTER, _MOST_BETTER = 14, 19
_SHARE_LEFT_OUT = 3
# With fewer items too little is left out, and half of the submissions are told nothing.
_MANY_ITEMS = 30
_SHARE_TOLD = 0.5


def n_compared(n_items: int) -> int:
    """Return of how many items labels are compared where there are ``n_items``: a third is left out.

    Examples
    --------
    >>> n_compared(20), n_compared(9)
    (14, 6)
    """
    return n_items - n_items // _SHARE_LEFT_OUT


@dataclass(frozen=True)
class Draw:
    """What was drawn for one submission.

    Attributes
    ----------
    is_compared : bool array of shape (n_items,)
        The items whose predictions are not left out.
    edge : float
        The share of the sample that must agree after a repair.
    least_better : int
        In how many items more must agree after it.
    is_told : bool
        Whether anything that rests on labels may be told.
    seed : int
        For what is drawn of the entries of a sample.
    """

    is_compared: Bools
    edge: float
    least_better: int
    is_told: bool
    seed: int

    def restrict(self, comparison: Comparison) -> Comparison:
        """Return a comparison with what is drawn of its sample; ids, which are public, stay complete."""
        if comparison.kind is Kind.IDS:
            return comparison

        def sample(repairs: Repairs, spread: Spread) -> Sample | Trial | None:
            whole_sample = comparison.sample(repairs, spread)
            return None if whole_sample is None else self._restrict_sample(whole_sample)

        return comparison._replace(sample=sample)

    def _restrict_sample(self, sample: Sample | Trial) -> Sample | Trial:
        if isinstance(sample, Regions):
            return self._restrict_regions(sample)
        if isinstance(sample, Names):
            return self._restrict_names(sample)
        if isinstance(sample, Arrays):
            return self._restrict_arrays(sample)
        if isinstance(sample, Trial):
            return self._restrict_trial(sample)
        return sample

    def _draw_entries(self, item: Ints) -> Bools:
        """Return which entries are compared, given the item of each (n,).

        Of each item at most as many as half of the items have, so that none decides for all.
        """
        is_item = (item >= 0) & (item < len(self.is_compared))
        is_drawn = is_item & self.is_compared[np.where(is_item, item, 0)]
        in_random_order = np.random.default_rng(self.seed).permutation(np.flatnonzero(is_drawn))
        by_item = in_random_order[np.argsort(item[in_random_order], kind="stable")]
        if len(by_item):
            rank, _ = ranks_in_groups(item[by_item])
            _, n_of_item = np.unique(item[by_item], return_counts=True)
            is_drawn[by_item[rank >= _median_rounded_down(n_of_item)]] = False
        return is_drawn

    def _restrict_regions(self, sample: Regions) -> Regions:
        is_entry_kept = self._draw_entries(sample.item_of_entry)
        is_kept = is_entry_kept[sample.entries]
        # Entries are numbered anew, without gaps.
        number = np.cumsum(is_entry_kept) - 1
        return replace(
            sample,
            columns=sample.columns[is_kept],
            item=sample.item[is_kept],
            slot=None if sample.slot is None else sample.slot[is_kept],
            label=None if sample.label is None else sample.label[is_kept],
            parent=None if sample.parent is None else sample.parent[is_kept],
            entry=None if sample.entry is None else number[sample.entries[is_kept]],
        )

    def _restrict_names(self, sample: Names) -> Names:
        is_kept = self._draw_entries(sample.item)
        entries = np.flatnonzero(is_kept).tolist()
        return replace(
            sample,
            predicted=[sample.predicted[entry] for entry in entries],
            true=[sample.true[entry] for entry in entries],
            item=sample.item[is_kept],
        )

    def _restrict_arrays(self, sample: Arrays) -> Arrays:
        is_kept = self._draw_entries(sample.item)
        number = np.cumsum(is_kept) - 1
        is_point_kept = is_kept[sample.entry]
        return replace(
            sample,
            item=sample.item[is_kept],
            entry=number[sample.entry[is_point_kept]],
            readings={words: values[is_point_kept] for words, values in sample.readings.items()},
            true_values=sample.true_values[is_point_kept],
        )

    def _restrict_trial(self, trial: Trial) -> Trial:
        return trial.of_entries(self._draw_entries(trial.item))


def _median_rounded_down(numbers: Ints) -> int:
    """Return the median of whole numbers; that of numpy imports its masked arrays."""
    ascending = np.sort(numbers)
    middle_two = ascending[[(len(ascending) - 1) // 2, len(ascending) // 2]]
    return int(middle_two.sum()) // 2


def draw(secret: bytes, submission: object, n_items: int) -> Draw:
    """Draw what is withheld from a submission.

    Parameters
    ----------
    secret : bytes
        What a participant does not know: the key of the reference, or a hash of all of it.
    submission : object
        Its content: records, mappings, sequences, texts, numbers and arrays. If anything of it is different,
        so is what is drawn, so that several submissions cannot find it out. Paths do not count.
    n_items : int
        Items of the reference.
    """
    content_hash = hmac.new(secret, digestmod=hashlib.sha256)
    _add_content(content_hash, submission)
    rng = np.random.default_rng(int.from_bytes(content_hash.digest(), "big"))
    is_compared = np.zeros(n_items, dtype=bool)
    is_compared[rng.permutation(n_items)[: n_compared(n_items)]] = True
    has_many_items = n_items >= _MANY_ITEMS
    return Draw(
        is_compared=is_compared,
        edge=float(rng.uniform(_LOWEST_EDGE, _HIGHEST_EDGE)),
        least_better=int(rng.integers(_LEAST_BETTER, _MOST_BETTER + 1)) if has_many_items else 0,
        is_told=has_many_items or bool(rng.random() < _SHARE_TOLD),
        seed=int(rng.integers(2**63)),
    )


def _add_content(content_hash: hmac.HMAC, value: object) -> None:
    """Add a value to a hash so that what differs in any part gives another hash: each says its type and size.

    Raises TypeError for what it cannot read: a part that did not count could be changed without a new draw.
    """
    # Numbers are most of a submission.
    if value is None or isinstance(value, (str, int, float)):
        content_hash.update(f"{value!r};".encode("utf-8", "surrogatepass"))
    elif isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError("an array of objects has no content of its own")
        content_hash.update(f"array {value.dtype.str} {value.shape};".encode())
        # The same bytes as those of `tobytes`, which copies them.
        content_hash.update(np.ravel(value).data)
    elif isinstance(value, Mapping):
        content_hash.update(b"mapping;")
        _add_content(content_hash, list(value.keys()))
        _add_content(content_hash, list(value.values()))
    elif isinstance(value, (list, tuple)):
        _add_sequence(content_hash, value)
    elif is_dataclass(value):
        for field in fields(value):
            _add_content(content_hash, getattr(value, field.name))
    elif not isinstance(value, Path):
        raise TypeError(f"a submission holds a {type(value).__name__}, whose content cannot be read")


def _add_sequence(content_hash: hmac.HMAC, values: Sequence[object]) -> None:
    content_hash.update(f"list {len(values)};".encode())
    if _is_plain(values):
        # Long lists of names, or of pairs of names, in one step.
        content_hash.update(f"{values!r};".encode("utf-8", "surrogatepass"))
        return
    for value in values:
        _add_content(content_hash, value)


def _is_plain(values: Sequence[object]) -> bool:
    """Return whether there are texts and numbers only, or only tuples of these."""
    types = set(map(type, values))
    if types == {tuple}:
        types = set(map(type, chain.from_iterable(values)))  # type: ignore[arg-type]
    return types <= {str, int, float}
