"""How far a submission agrees with the reference, step by step, for the note on a low score.

Predictions name items of the reference, are at its places, and use its names. The steps are what the search
for repairs compares.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.agreement import agreement_as_submitted
from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import Kind
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.disclosure import MIN_GROUP
from validator.arrays import Bools

MIN_ANNOTATED = 20
"""A step that was compared with fewer annotated instances says nothing."""
_LOST_SHARE = 0.05


class Step(NamedTuple):
    """Something that predictions must have in common with the reference, over a sample of them.

    Attributes
    ----------
    name : str
        What agrees: "items", "names" or "places".
    claim : str
        What a share is of: "of your boxes meet an annotated person".
    agrees : bool array of shape (n,)
        Which entries of the sample agree.
    n_annotated : int
        How many annotated instances were compared.
    """

    name: str
    claim: str
    agrees: Bools
    n_annotated: int

    @property
    def is_judged(self) -> bool:
        """Whether enough was compared to say anything."""
        return self.n_annotated >= MIN_ANNOTATED and len(self.agrees) >= MIN_GROUP

    @property
    def is_lost(self) -> bool:
        """Whether hardly anything agrees: a small share, so that no single entry decides it."""
        return float(self.agrees.mean()) <= _LOST_SHARE

    def share_text(self) -> str:
        """Return the share that agrees, in steps of 5 %: "95 % of your boxes meet an annotated person"."""
        return f"{5 * round(20 * float(self.agrees.mean()))} % {self.claim}"


_STEP_OF_KIND = {
    Kind.IDS: "items",
    Kind.BOXES: "places",
    Kind.INTERVALS: "places",
    Kind.ARRAYS: "places",
    Kind.NAMES: "names",
}
_CLAIM_OF_KIND = {
    Kind.IDS: "of the reference's {} are in your submission",
    Kind.BOXES: "of your {} meet an annotated one",
    Kind.INTERVALS: "of your {} meet an annotated one",
    Kind.ARRAYS: "of your {} are near the annotated ones",
    Kind.NAMES: "of your {} are right",
}


def agreement_steps(comparisons: Iterable[Comparison]) -> list[Step]:
    """Return how far a submission agrees with the reference as it is, comparison by comparison."""
    steps = []
    with np.errstate(all="ignore"):  # boxes may be as large as numbers go
        for comparison in comparisons:
            sample = comparison.sample(Repairs(), Spread.WIDE)
            if sample is None:
                continue
            step = Step(
                name=_STEP_OF_KIND[comparison.kind],
                claim=_CLAIM_OF_KIND[comparison.kind].format(comparison.what),
                agrees=agreement_as_submitted(sample),
                n_annotated=len(sample.true_item) if isinstance(sample, Regions) else len(sample.item),
            )
            steps.append(step)
    return steps


def step_texts(comparisons: Iterable[Comparison]) -> list[str]:
    """Return what agrees up to the first step that is lost, and that step; nothing if none is lost."""
    texts: list[str] = []
    for step in agreement_steps(comparisons):
        if not step.is_judged:
            continue
        if step.is_lost:
            return [*texts, f"Agreement is lost at the {step.name}: {step.share_text()}"]
        texts.append(step.share_text())
    return []
