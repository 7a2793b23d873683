"""Other interpretations of a submission: what likely mistakes would make of it."""

from __future__ import annotations

import numpy as np

from scoring_program.hints import Check, Interpretation, sample
from task_templates.scoring_program.challenges.example_lists_json.reference import Reference
from task_templates.validator.formats.example_lists_json.read import Items


def checks(reference: Reference, submission: Items) -> list[Check]:
    """Return what to compare with the reference: the lists of items, as they are and one item off."""
    truth, sampled_items = reference.items.values, sample(len(reference.items.keys))
    as_is, later, earlier = (
        (np.roll(truth, -by, axis=0) == submission.values).all(axis=1)[sampled_items] for by in (0, 1, -1)
    )
    remedy = "Give each item its own labels; ids may be in any order"
    shifted = [
        Interpretation("N-LOOKS-SHIFTED", f"as the labels of the {words} item", fits, remedy)
        for words, fits in (("next", later), ("previous", earlier))
    ]
    n_annotated = int(truth.any(axis=1).sum())
    return [Check("of your lists are those of their item", as_is, shifted, n_annotated)]
