"""Some sequences of ChaLearn."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from scoring_program.challenges.chalearn.reference import Reference
from validator.formats.chalearn.read import Rows


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some sequences, which are all that remain."""
    is_selected = np.array([sequence in items for sequence in reference.sequences], dtype=bool)
    rows = reference.rows
    is_theirs = is_selected[rows.sequence]
    new_number = np.cumsum(is_selected) - 1
    return reference._replace(
        sequences=[sequence for sequence in reference.sequences if sequence in items],
        n_frames=reference.n_frames[is_selected],
        rows=Rows(
            sequence=new_number[rows.sequence[is_theirs]],
            actor=rows.actor[is_theirs],
            label=rows.label[is_theirs],
            frames=rows.frames[is_theirs],
        ),
    )
