"""The simplest repair: a search for the simplest change of a submission that makes it fit the reference.

A submission can be valid and wrong: boxes written as [x, y, width, height], frames counted from 0, a list of
classes in another order. For each thing that is compared with the reference (`Comparison`) the search tries
families of changes, the simplest first, and returns those that pass the rules of `decision.is_repair`.

How a challenge uses it
-----------------------
``diagnosis/<challenge>.py`` has ``comparisons(reference, submission)``. It returns
a list of `Comparison` in the order of scoring: ids first, then boxes or intervals, then names. `find_repairs`
searches them in this order. Each builds an `Ids`, `Regions`, `Names` or `Arrays` of `samples` when it is its
turn, from

- ``spread``, which chooses the entries: ``entries = spread.choose(item_of_entry)``; and, for regions,
  ``spread.items_nearby(items, n_items)``, the items whose annotations the sample needs;
- ``repairs``, what was found so far: ``repairs.word("videos", id)``,
  ``repairs.corners(Kind.BOXES, columns, item, parent)``, ``repairs.item(Kind.BOXES, item)``, so that states
  are compared although boxes were misread.

It returns None where nothing can be compared, or a `Trial` of its own where what may be wrong is of no
family. Only what is sampled needs to be arrays: choose first, then
build. No entry may refer to an item that the reference does not have. ``remedy`` of a comparison is the
sentence that says how to write it right, and ``remedies`` has others for some families.

What comes back
---------------
A `Repair` for each kind at most, in the order of the comparisons. It carries the words ("as [x, y, width,
height]"), the shares of the sample that agree before and after it, after it on entries that its parameters
were not fitted on, and on how many entries and items that rests. What of this is told at which level of
detail is not decided here. ``compares_labels`` says whether annotations were looked at at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.agreement import is_worth_searching
from people_in_video.diagnosis.decision import Change, Family, Trial, best_repair
from people_in_video.diagnosis.readings import as_written
from people_in_video.diagnosis.regions import Form, Regions
from people_in_video.diagnosis.samples import Arrays, Ids, Kind, Names, Sample
from people_in_video.diagnosis.sampling import Spread
from validator.arrays import Floats, Ints


class Repair(NamedTuple):
    """A change of the submission that makes it fit.

    Attributes
    ----------
    kind : Kind
    what : str
        What was compared: "humans".
    family : Family
    words : str
        How the submission fits, to follow "read": "as [x, y, width, height]".
    remedy : str
        One sentence on how to write it right.
    share_before, share_after : float
        The share of the sample that agrees with the reference, after the change on held-out entries.
    n_entries, n_items : int
        The size of the sample, and of how many items it is.
    n_better_items : int
        In how many of these more entries agree after the change.
    compares_labels : bool
        Whether annotations were looked at; ids and the spelling of names are public.
    change : Change
    explains : tuple of str
        The codes of notes that say no more beside this repair.
    """

    kind: Kind
    what: str
    family: Family
    words: str
    remedy: str
    share_before: float
    share_after: float
    n_entries: int
    n_items: int
    n_better_items: int
    compares_labels: bool
    change: Change
    explains: tuple[str, ...] = ()


class Repairs:
    """The repairs that were found so far, one of each kind at most, to be applied to what comes next."""

    def __init__(self) -> None:
        self._repair_of_kind: dict[Kind, Repair] = {}

    def __iter__(self) -> Iterator[Repair]:
        return iter(self._repair_of_kind.values())

    def __contains__(self, kind: Kind) -> bool:
        return kind in self._repair_of_kind

    def add(self, repair: Repair) -> None:
        """Add the repair of a kind that has none."""
        self._repair_of_kind[repair.kind] = repair

    def explain(self, repair: Repair) -> bool:
        """Return whether one of these is the same mistake: predictions of the same other item."""
        return repair.family is Family.ITEMS and any(
            other.family is Family.ITEMS and other.words == repair.words for other in self
        )

    def word(self, what: str, word: str) -> str:
        """Return the name or id that is meant; ``what`` is that of the comparison that it belongs to."""
        for repair in self:
            if repair.what == what:
                return repair.change.word(word)
        return word

    def corners(
        self,
        kind: Kind,
        columns: Floats,
        item: Ints,
        parent: Floats | None = None,
        form: Form = Form.CORNERS,
    ) -> Floats:
        """Return the corners of regions as they are meant, (n, 2 d), from their columns as submitted."""
        if kind not in self:
            return as_written(form).corners(columns)
        return self._change(kind).columns(columns, item, parent)

    def item(self, kind: Kind, item: Ints) -> Ints:
        """Return the items that are meant (n,); one outside of the reference means none."""
        return self._change(kind).item(item)

    def slot(self, kind: Kind, slot: Ints) -> Ints:
        """Return the slots that are meant (n, s)."""
        return self._change(kind).slot(slot)

    def match(self, kind: Kind, regions: Regions) -> tuple[Ints, Ints]:
        """Return the items that entries belong to, and the annotated region that each is on, -1 without one.

        Shapes: (n,), (n,). Names are compared of entries that are matched so.
        """
        change = self._change(kind)
        if kind in self:
            corners = change.columns(regions.columns, regions.item, regions.parent)
            regions = regions.moved(change.item(regions.item), change.slot(regions.slots))
        else:
            corners = as_written(regions.form).corners(regions.columns)
        return regions.item, regions.nearest(corners)

    def _change(self, kind: Kind) -> Change:
        return self._repair_of_kind[kind].change if kind in self else Change()


class Comparison(NamedTuple):
    """One thing that is compared with the reference.

    Attributes
    ----------
    kind : Kind
    what : str
        What is compared, in words: "humans", "videos".
    sample : callable
        Builds the sample from the repairs so far and the spread of entries; None where nothing can be
        compared. It may return the only trial instead. Of regions it is called for both spreads, otherwise
        for `Spread.WIDE`.
    remedy : str
        One sentence on how to write it right.
    remedies : mapping of Family to str
        Other sentences for repairs of some families.
    explains : tuple of str
        The codes of notes that have the same cause as a repair and say less.
    """

    kind: Kind
    what: str
    sample: Callable[[Repairs, Spread], Sample | Trial | None]
    remedy: str
    remedies: Mapping[Family, str] = MappingProxyType({})
    explains: tuple[str, ...] = ()


def find_repairs(comparisons: Iterable[Comparison]) -> list[Repair]:
    """Return the repairs of a submission, one of each kind at most; none if it is as it should be."""
    repairs = Repairs()
    # A submission may hold numbers of any size.
    with np.errstate(all="ignore"):
        for comparison in comparisons:
            if comparison.kind in repairs:
                continue
            repair = _find_repair(comparison, repairs)
            if repair is not None and not repairs.explain(repair):
                repairs.add(repair)
    return list(repairs)


def _find_repair(comparison: Comparison, repairs: Repairs) -> Repair | None:
    sample = comparison.sample(repairs, Spread.WIDE)
    if sample is None or not len(sample.item):
        return None
    trial = best_repair(_trials(comparison, sample, repairs))
    if trial is None:
        return None
    return Repair(
        kind=comparison.kind,
        what=comparison.what,
        family=trial.family,
        words=trial.words,
        remedy=comparison.remedies.get(trial.family, comparison.remedy),
        share_before=float(trial.before.mean()),
        share_after=trial.share,
        n_entries=len(trial.after),
        n_items=len(np.unique(trial.item)),
        n_better_items=int((trial.gain_of_item() > 0).sum()),
        compares_labels=trial.compares_labels,
        change=trial.change,
        explains=comparison.explains,
    )


def _trials(comparison: Comparison, sample: Sample | Trial, repairs: Repairs) -> Iterator[list[Trial]]:
    """Return the trials of a sample, family by family; the changes to try are imported if they are needed."""
    if isinstance(sample, Trial):
        return iter([[sample]])
    if not is_worth_searching(sample):
        return iter([])
    if isinstance(sample, Names):
        from people_in_video.diagnosis.name_trials import name_trials

        return name_trials(sample)
    if isinstance(sample, Ids):
        from people_in_video.diagnosis.name_trials import id_trials

        return id_trials(sample)
    if isinstance(sample, Arrays):
        from people_in_video.diagnosis.array_trials import array_trials

        return array_trials(sample)
    from people_in_video.diagnosis.region_trials import region_trials

    return region_trials(sample, partial(_deep_sample, comparison, repairs))


def _deep_sample(comparison: Comparison, repairs: Repairs) -> Regions:
    sample = comparison.sample(repairs, Spread.DEEP)
    if not isinstance(sample, Regions):
        raise TypeError(f"the sample of {comparison.what} is of regions in one spread only")
    return sample
