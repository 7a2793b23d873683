"""Submissions of different teams that are nearly the same: for the organizers to look at, and never deciding.

Equal contents are those that a program reads equally, whatever the zips are. Where contents differ, the
scores of items tell. On most items that have the score 0 or the perfect one, independent teams agree, too, so
that these do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from scoring_program.metrics.resampling import rounded
from scoring_program.task import Declaration
from validator.arrays import Bools, Floats

_LEAST_ITEMS = 20
_LEAST_SHARE = 0.9


class NearCopies(NamedTuple):
    """Two submissions of different teams: ``n_equal`` of the ``n_items`` that tell have the same score.

    Both are None where the contents are the same.
    """

    first: Record
    second: Record
    n_equal: int | None = None
    n_items: int | None = None

    @property
    def reason(self) -> str:
        """What is the same, in words."""
        if self.n_items is None:
            return "the same contents"
        return f"the same score for {self.n_equal:,} of {self.n_items:,} items with a part of the score"


def find_near_copies(records: Sequence[Record], task: Declaration) -> list[NearCopies]:
    """Return the pairs of submissions of different teams that are nearly the same, in the order of records.

    Equal files are left out; of equal files of a team the first stands for all.
    """
    first_of_file: dict[tuple[str, str], Record] = {}
    for record in records:
        if record.entry.outcome == SCORED:
            first_of_file.setdefault((record.submission.team, record.digest), record)
    scored_records = list(first_of_file.values())
    if not scored_records:
        return []
    scores = rounded(np.array([record.entry.item_scores for record in scored_records], dtype=np.float64))
    teams = np.array([record.submission.team for record in scored_records], dtype=object)
    digests = np.array([record.digest for record in scored_records])
    contents = np.array([record.entry.content for record in scored_records])
    perfect = task.range[1] if task.higher_is_better else task.range[0]
    tells = _is_part_of_score(scores, perfect)
    pairs = []
    for index, record in enumerate(scored_records):
        other_indexes = np.arange(index + 1, len(scored_records))
        other_indexes = other_indexes[
            (teams[other_indexes] != teams[index]) & (digests[other_indexes] != digests[index])
        ]
        has_same_content = (contents[other_indexes] == contents[index]) & (contents[index] != "")
        is_counted = tells[other_indexes] | tells[index]
        n_items = is_counted.sum(axis=1)
        n_equal = (is_counted & (scores[other_indexes] == scores[index])).sum(axis=1)
        has_same_scores = (n_equal >= _LEAST_ITEMS) & (n_equal >= _LEAST_SHARE * n_items)
        for place in np.flatnonzero(has_same_content | has_same_scores).tolist():
            other = scored_records[int(other_indexes[place])]
            if has_same_content[place]:
                pairs.append(NearCopies(record, other))
            else:
                pairs.append(NearCopies(record, other, int(n_equal[place]), int(n_items[place])))
    return pairs


def _is_part_of_score(scores: Floats, perfect: float | None) -> Bools:
    """Return where a score is neither 0 nor perfect; shape as ``scores``."""
    is_part: Bools = ~np.isnan(scores) & (scores != 0)
    if perfect is not None:
        is_part &= scores != perfect
    return is_part
