"""The note on a score that is as good as nothing although most was predicted: where agreement is lost.

Predictions agree with a reference step by step: they name its items, are at its places, and use its names.
The steps are what the search for repairs compares (`Task.comparisons`); this module says in a note where
agreement is lost. The note stands where no other one tells of a likely mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scoring_program.disclosure import MIN_GROUP, min_group, shows_comparisons
from scoring_program.metrics.resampling import Range
from scoring_program.repairs.decision import Trial
from scoring_program.repairs.readings import as_written
from scoring_program.repairs.samples import (
    SHARES_OF_POINTS,
    Ids,
    Kind,
    Names,
    Regions,
    Sample,
    Spread,
)
from scoring_program.repairs.search import Comparison, Repairs
from validator.arrays import Bools
from validator.messages import Note

LOW_SCORE = 0.02
MIN_ANNOTATED = 20
"""A step that was compared with fewer annotated instances says nothing."""
_LEAST_COVERAGE = 0.5
_LOST_SHARE = 0.05
_USUAL = "predictions of another item, names in another spelling, counting from 0, another unit or order"


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
    needs_labels : bool
        Whether annotations were looked at, rather than ids and numbers of frames, which are public.
    """

    name: str
    claim: str
    agrees: Bools
    n_annotated: int
    needs_labels: bool = True

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
                agrees=_agreement(sample),
                n_annotated=len(sample.true_item) if isinstance(sample, Regions) else len(sample.item),
                needs_labels=comparison.kind is not Kind.IDS,
            )
            steps.append(step)
    return steps


def _agreement(sample: Sample | Trial) -> Bools:
    """Return which entries of a sample agree with the reference as they were submitted."""
    if isinstance(sample, Regions):
        corners = as_written(sample.form).corners(sample.columns)
        return sample.best_iou(corners) > sample.levels[0]
    if isinstance(sample, Names):
        return sample.agrees(sample.as_submitted)
    if isinstance(sample, Ids):
        return sample.covered(sample.predicted, sample.true)
    if isinstance(sample, Trial):
        return sample.before
    return sample.shares_near(sample.as_submitted) >= SHARES_OF_POINTS[0]


def is_low(scores: Mapping[str, float], score_range: Range) -> bool:
    """Return whether the score is 0, or nearly so although more than half of what is asked for was predicted.

    Only scores from 0 to 1 where more is better have a least value that says this.
    """
    if score_range != (0, 1):
        return False
    return scores["score"] == 0 or (scores["score"] < LOW_SCORE and scores["coverage"] > _LEAST_COVERAGE)


def low_score_note(scores: Mapping[str, float], steps: Sequence[Step], detail: str) -> Note:
    """Return the note on a low score.

    Parameters
    ----------
    scores : mapping of str to float
        The ``score`` and the ``coverage`` of the submission.
    steps : sequence of Step
        In the order in which predictions lose what they have in common with the reference.
    detail : str
        The detail level. Steps that were compared with labels are told at ``full`` only, and none at levels
        that show no comparisons.
    """
    texts = [f"the score is {scores['score']:.4g} at a coverage of {scores['coverage']:.4g}"]
    if shows_comparisons(detail):
        is_hidden = bool(min_group(detail))
        texts += _step_texts([step for step in steps if step.is_judged], is_hidden)
    return Note("N-LOW", f"{'. '.join(texts)}. Usual causes: {_USUAL}")


def _step_texts(steps: Sequence[Step], is_hidden: bool) -> list[str]:
    """Return what agrees up to the first step that is lost, and that step; nothing if none is lost.

    Where labels are hidden, steps that were compared with them are not told.
    """
    texts: list[str] = []
    for step in steps:
        if is_hidden and step.needs_labels:
            # Which step is lost would be an answer about hidden labels.
            return texts
        if step.is_lost:
            return [*texts, f"Agreement is lost at the {step.name}: {step.share_text()}"]
        texts.append(step.share_text())
    return []
