"""How sure scores on a reference will be, before anyone has submitted: from two noisy submissions to it."""

from __future__ import annotations

from typing import NamedTuple

from organizer.files import Files
from people_in_video.comparing.pairs import compare
from scoring_program.metrics.resampling import LEAST_ITEMS, HalfScores, intervals
from scoring_program.scoring import AnyLoaded
from validator.texts import counted

_PRINTED_DECIMALS = 4
_STORED_DECIMALS = 6


class Uncertainty(NamedTuple):
    """What is expected of the scores of submissions to a reference.

    Attributes
    ----------
    half_width : float
        Half of the 95 % interval of a score.
    visible_difference : float
        The smallest difference of two submissions that is significant.
    """

    half_width: float
    visible_difference: float


def expected_uncertainty(loaded: AnyLoaded, noisy: HalfScores, other_noisy: Files) -> Uncertainty | None:
    """Return how sure scores will be, as two submissions with independent noise show it.

    Parameters
    ----------
    loaded : Loaded
    noisy : HalfScores
        Of the first submission.
    other_noisy : Files
        The files of the second one.

    Returns
    -------
    Uncertainty or None
        The half-width is the mean of both intervals. None with too few items to compare submissions, or
        where all halves of the items score the same.
    """
    submission = loaded.read(other_noisy).content
    statistics = loaded.task.measure(loaded.reference, submission, loaded.settings)
    submissions = [noisy, loaded.half_scores(statistics)]
    visible_difference = compare(submissions, loaded.task.higher_is_better).visible
    # NaN with too few items.
    if not visible_difference > 0:
        return None
    both_intervals = intervals(submissions, loaded.task.range)
    half_width = float((both_intervals.high - both_intervals.low).mean()) / 2
    return Uncertainty(round(half_width, _STORED_DECIMALS), round(visible_difference, _STORED_DECIMALS))


def uncertainty_lines(loaded: AnyLoaded, uncertainty: Uncertainty | None) -> list[str]:
    """Return in words how sure scores will be."""
    size = loaded.groups.count_text(loaded.task.item)
    if uncertainty is None:
        least = counted(LEAST_ITEMS, "group" if loaded.groups.digest else loaded.task.item)
        reason = f"that takes {least}, and halves of the reference that score differently"
        return [f"how sure scores will be over {size} cannot be said: {reason}"]
    decimals = min(_PRINTED_DECIMALS, loaded.settings["score_decimals"])
    half_width = f"{uncertainty.half_width:.{decimals}f}"
    difference = f"{uncertainty.visible_difference:.{decimals}f}"
    return [
        f"to expect over {size}: a 95 % interval of about {half_width} on each side of a score",
        f"two submissions with independent errors can be told apart if they differ by about {difference}; "
        "the errors of real teams are more alike, so smaller differences can be seen",
    ]
