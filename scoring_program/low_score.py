"""The note on a score that is as good as nothing although most was predicted: where agreement is lost.

The note stands where no other one tells of a likely mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scoring_program.disclosure import min_group, shows_comparisons
from scoring_program.metrics.resampling import Range
from validator.findings import Note

if TYPE_CHECKING:
    from scoring_program.agreement_steps import Step

LOW_SCORE = 0.02
_LEAST_COVERAGE = 0.5
_USUAL = "predictions of another item, names in another spelling, counting from 0, another unit or order"


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
