"""What is withheld from the search where labels are hidden, so that no submission can ask for one of them.

A note that compares with labels is an answer about them. Whoever knows all items but one can choose the rest
of a submission such that this one decides whether a rule of the search holds. So a third of the items, other
ones for each submission, is left out of the search, and the share that must agree is drawn, too. Both depend
on a secret of the reference, so that a participant knows neither.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from scoring_program.repairs.decision import Trial
from scoring_program.repairs.samples import Arrays, Kind, Names, Regions, Sample, Spread
from scoring_program.repairs.search import Comparison, Repairs
from validator.arrays import Bools, Ints

_LOWEST_EDGE, _HIGHEST_EDGE = 0.5, 0.75
_SHARE_LEFT_OUT = 3


def n_compared(n_items: int) -> int:
    """Return of how many items labels are compared where there are ``n_items``: a third is left out.

    Examples
    --------
    >>> n_compared(20), n_compared(9)
    (14, 6)
    """
    return n_items - n_items // _SHARE_LEFT_OUT


class Draw(NamedTuple):
    """What was drawn for one submission.

    Attributes
    ----------
    is_compared : bool array of shape (n_items,)
        The items that are not left out. Those that are follow each other in the sorted reference, so that
        predictions of a neighboring item can be found among the rest.
    edge : float
        The share of the sample that must agree after a repair.
    """

    is_compared: Bools
    edge: float

    def restrict(self, comparison: Comparison) -> Comparison:
        """Return a comparison without the items that are left out; ids, which are public, stay complete."""
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

    def _includes(self, item: Ints) -> Bools:
        """Return which entries are of an item that is compared, given the item of each (n,)."""
        is_item = (item >= 0) & (item < len(self.is_compared))
        return is_item & self.is_compared[np.where(is_item, item, 0)]

    def _restrict_regions(self, sample: Regions) -> Regions:
        is_kept = self._includes(sample.item)
        is_true_kept = self._includes(sample.true_item)
        # Entries are numbered anew, without gaps.
        _, entry = np.unique(sample.entries[is_kept], return_inverse=True)
        return replace(
            sample,
            columns=sample.columns[is_kept],
            item=sample.item[is_kept],
            slot=None if sample.slot is None else sample.slot[is_kept],
            label=None if sample.label is None else sample.label[is_kept],
            parent=None if sample.parent is None else sample.parent[is_kept],
            true_corners=sample.true_corners[is_true_kept],
            true_item=sample.true_item[is_true_kept],
            true_slot=None if sample.true_slot is None else sample.true_slot[is_true_kept],
            true_label=None if sample.true_label is None else sample.true_label[is_true_kept],
            entry=None if sample.entry is None else entry,
        )

    def _restrict_names(self, sample: Names) -> Names:
        is_kept = self._includes(sample.item)
        entries = np.flatnonzero(is_kept).tolist()
        true_of_item = list(sample.true_of_item)
        for item in np.flatnonzero(~self.is_compared).tolist():
            if item < len(true_of_item):
                true_of_item[item] = ""
        return replace(
            sample,
            predicted=[sample.predicted[entry] for entry in entries],
            true=[sample.true[entry] for entry in entries],
            item=sample.item[is_kept],
            true_of_item=true_of_item,
        )

    def _restrict_arrays(self, sample: Arrays) -> Arrays:
        is_kept = self._includes(sample.item)
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
        is_kept = self._includes(trial.item)
        return trial._replace(
            before=trial.before[is_kept],
            after=trial.after[is_kept],
            item=trial.item[is_kept],
            own=trial.own[is_kept] if len(trial.own) else trial.own,
            exchanged=trial.exchanged[is_kept] if len(trial.exchanged) else trial.exchanged,
        )


def draw(secret: bytes, submission: object, n_items: int) -> Draw:
    """Draw what is withheld from a submission.

    Parameters
    ----------
    secret : bytes
        What a participant does not know: the key of the reference, or a hash of all of it.
    submission : object
        Its content: records, mappings, sequences, texts, numbers and arrays. If anything of it is different,
        so is what is drawn, so that several submissions cannot find it out.
    n_items : int
        Items of the reference.
    """
    content_hash = hmac.new(secret, digestmod=hashlib.sha256)
    _add_content(content_hash, submission)
    rng = np.random.default_rng(int.from_bytes(content_hash.digest(), "big"))
    edge = float(rng.uniform(_LOWEST_EDGE, _HIGHEST_EDGE))
    first_compared = int(rng.integers(max(n_items, 1)))
    position = (np.arange(n_items) - first_compared) % max(n_items, 1)
    return Draw(is_compared=position < n_compared(n_items), edge=edge)


def _add_content(content_hash: hmac.HMAC, value: object) -> None:
    """Add a value to a hash, with its length: what differs in any part gives another hash."""
    # Numbers are most of a submission.
    if value is None or isinstance(value, (str, int, float)):
        content_hash.update(repr(value).encode("utf-8", "surrogatepass"))
    elif isinstance(value, np.ndarray):
        content_hash.update(f"array {value.shape} ".encode())
        content_hash.update(value.tobytes())
    elif isinstance(value, Mapping):
        _add_content(content_hash, list(value.keys()))
        _add_content(content_hash, list(value.values()))
    elif isinstance(value, (list, tuple)):
        content_hash.update(f"list {len(value)} ".encode())
        if _is_plain(value):
            # Long lists of names, or of pairs of names, in one step.
            content_hash.update(repr(value).encode("utf-8", "surrogatepass"))
            return
        for entry in value:
            _add_content(content_hash, entry)
    elif is_dataclass(value):
        for field in fields(value):
            _add_content(content_hash, getattr(value, field.name))


def _is_plain(values: Sequence[object]) -> bool:
    """Return whether there are texts and numbers only, or only tuples of these."""
    types = set(map(type, values))
    if types == {tuple}:
        types = set(map(type, chain.from_iterable(values)))  # type: ignore[arg-type]
    return types <= {str, int, float}
