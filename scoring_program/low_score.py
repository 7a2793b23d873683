"""The note on a score that is as good as nothing although most was predicted.

It stands where no other note tells of a likely mistake, and depends on what is shown alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from scoring_program.metrics.resampling import Range
from validator.findings import Note

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


def low_score_note(scores: Mapping[str, float]) -> Note:
    """Return the note on a low score; ``scores`` are ``score`` and ``coverage`` as they are shown."""
    text = f"the score is {scores['score']:.4g} at a coverage of {scores['coverage']:.4g}"
    return Note("N-LOW", f"{text}. Usual causes: {_USUAL}")
