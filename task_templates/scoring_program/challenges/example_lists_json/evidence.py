"""What the search for the simplest repair compares: the lists of labels of items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from people_in_video.diagnosis.samples import Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from task_templates.scoring_program.challenges.example_lists_json.reference import Reference
from task_templates.validator.formats.example_lists_json.read import Items
from validator.arrays import Bools

_REMEDY = "Give each item its own labels; ids may be in any order"


def comparisons(reference: Reference, submission: Items) -> list[Comparison]:
    """Return what is compared, in the order of scoring."""

    def lists(repairs: Repairs, spread: Spread) -> Names:
        # A list is compared as a whole, as if it were one name.
        names = reference.items.names
        true_lists = _listed(reference.items.values, names)
        items = spread.choose(np.arange(len(true_lists)))
        return Names(
            predicted=_listed(submission.values[items], names),
            true=[true_lists[item] for item in items.tolist()],
            item=items,
            vocabulary=sorted(set(true_lists)),
            true_of_item=true_lists,
            item_noun="item",
            what="lists of labels",
        )

    return [Comparison(Kind.NAMES, "lists of labels", lists, _REMEDY)]


def _listed(has_label: Bools, labels: Sequence[str]) -> list[str]:
    """Return the labels of each item in words; ``has_label`` has shape (n_items, n_labels)."""
    return [", ".join(labels[label] for label in np.flatnonzero(row).tolist()) for row in has_label]
