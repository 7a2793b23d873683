"""The simplest repair: a search for the simplest change of a submission that makes it fit the reference.

A submission can be valid and wrong: boxes written as [x, y, width, height], frames counted from 0, a list of
classes in another order. A challenge names what it compares with the reference, in the order of scoring. For
each of these comparisons the search tries families of changes, the simplest first, and finds those that pass
the rules of `trials`. Before the next is compared, the submission is changed and measured again, so that
states are compared although boxes were misread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Union

import numpy as np

from people_in_video.diagnosis.array_trials import SHARES_OF_POINTS, array_trials
from people_in_video.diagnosis.name_trials import name_trials
from people_in_video.diagnosis.region_trials import region_trials
from people_in_video.diagnosis.samples import Arrays, Names, Regions
from people_in_video.diagnosis.trials import Change, Family, Trial, best_repair
from validator.arrays import Bools
from validator.findings import Note

Sample = Union[Regions, Names, Arrays, Trial]


class Measured(NamedTuple):
    """A submission beside its reference, with what was measured of it."""

    reference: Any
    rows: Any
    statistics: Any


class Comparison(NamedTuple):
    """One thing that is compared with the reference.

    Attributes
    ----------
    kind : str
        "places", "names" or another; a submission gets at most one repair of each kind.
    noun : str
        What is compared, in words: "humans".
    samples : callable
        Returns the samples of a measured submission, none where nothing can be compared. `Trial` are only
        tried if nothing else is a repair.
    remedy : str
        One sentence on how to write it right.
    remedies : mapping of Family to str
        Other sentences for repairs of some families.
    repaired : callable, optional
        Returns the rows of a measured submission after a change.
    explains : tuple of str
        The codes of notes that have the same cause as a repair and say less.
    """

    kind: str
    noun: str
    samples: Callable[[Measured], Iterable[Sample]]
    remedy: str
    remedies: Mapping[Family, str] = MappingProxyType({})
    repaired: Callable[[Measured, Change], Any] | None = None
    explains: tuple[str, ...] = ()


class Explanation(NamedTuple):
    """How submissions to a task are explained at home; None for what a task does not have.

    Attributes
    ----------
    comparisons : sequence of Comparison
        What is compared with the reference, in the order of scoring.
    submitted_names : callable
        Returns how often a submission uses each name, by kind.
    rename : callable
        Returns a submission with other names, by kind.
    count_notes : callable
        Takes the task with its reference, the submission and its statistics; returns notes that count what is
        annotated.
    make_keeper : callable
        Returns, for a reference, what keeps of each entry that is read what is compared; None keeps all.
    """

    comparisons: Sequence[Comparison] = ()
    submitted_names: Callable[[Any], Any] | None = None
    rename: Callable[[Any, Any], Any] | None = None
    count_notes: Callable[[Any, Any, Any], list[Note]] | None = None
    make_keeper: Callable[[Any], Any] | None = None


class Repair(NamedTuple):
    """A change of the submission that makes it fit.

    ``n_items`` are compared, ``better_items`` those of which more agrees after it, and ``repaired`` is the
    submission with this repair and those before it, None where all of it cannot be changed.
    """

    comparison: Comparison
    trial: Trial
    n_items: int
    better_items: Sequence[int]
    repaired: Measured | None

    @property
    def noun(self) -> str:
        """What was compared."""
        return self.comparison.noun

    @property
    def family(self) -> Family:
        """The family of the change."""
        return self.trial.family

    @property
    def remedy(self) -> str:
        """One sentence on how to write it right."""
        return self.comparison.remedies.get(self.family, self.comparison.remedy)


def find_repairs(
    comparisons: Iterable[Comparison],
    measured: Measured,
    measure: Callable[[Any], Any],
    score: Callable[[Any], float],
) -> list[Repair]:
    """Return the repairs of a submission, one of each kind at most; none if it is as it should be.

    ``measure`` returns the statistics of rows, ``score`` the score of statistics (negative where lower is
    better). Changes with which it falls are no repairs, whatever agrees; but other numbers may lose the last
    places, and then are repairs without a score.
    """
    as_submitted = measured
    repairs: list[Repair] = []
    # A submission may hold numbers of any size.
    with np.errstate(all="ignore"):
        for comparison in comparisons:
            if comparison.kind in [repair.comparison.kind for repair in repairs]:
                continue
            trial = best_repair(_families(comparison.samples(measured)))
            if trial is None:
                continue
            repaired = None
            if comparison.repaired is not None and trial.change is not None:
                rows = comparison.repaired(measured, trial.change)
                repaired = measured._replace(rows=rows, statistics=measure(rows))
                if trial.family is Family.NUMBERS and score(repaired.statistics) < score(measured.statistics):
                    # What would be in the place of the last ones is not in the files.
                    repaired = None
            items, gain = trial.gain_of_items()
            repair = Repair(
                comparison=comparison,
                trial=trial,
                n_items=len(items),
                better_items=items[gain > 0].tolist(),
                repaired=repaired,
            )
            repairs.append(repair)
            measured = repaired or measured
    if repairs and score(measured.statistics) < score(as_submitted.statistics):
        return [repair for repair in repairs if repair.repaired is None]
    return repairs


def _families(samples: Iterable[Sample]) -> Iterator[list[Trial]]:
    for sample in samples:
        if isinstance(sample, Trial):
            yield [sample]
        elif len(sample.item):
            yield from _TRIALS[type(sample)](sample)


_TRIALS: dict[type, Callable[[Any], Iterator[list[Trial]]]] = {
    Regions: region_trials,
    Names: name_trials,
    Arrays: array_trials,
}


def agreement_as_submitted(sample: Sample) -> Bools:
    """Return which entries of a sample agree with the reference as they were submitted."""
    if isinstance(sample, Regions):
        return sample.agrees
    if isinstance(sample, Names):
        return sample.agrees(sample.as_submitted)
    if isinstance(sample, Arrays):
        return sample.shares_near(sample.as_submitted) >= SHARES_OF_POINTS[0]
    return sample.before
