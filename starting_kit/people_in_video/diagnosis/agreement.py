"""What of a sample agrees with the reference as it was submitted, and whether that is worth a search.

Most submissions are right, so this module needs none of those that try changes.
"""

from __future__ import annotations

from people_in_video.diagnosis.decision import Trial, agrees_well, may_become_repair
from people_in_video.diagnosis.readings import as_written
from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import SHARES_OF_POINTS, Arrays, Ids, Names, Sample
from validator.arrays import Bools


def agreement_as_submitted(sample: Sample | Trial) -> Bools:
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


def is_worth_searching(sample: Sample) -> bool:
    """Return whether a change of a sample may be a repair: too little of it agrees as it was submitted."""
    if isinstance(sample, Regions):
        return _are_regions_worth_searching(sample)
    if isinstance(sample, Names):
        return not agrees_well(sample.agrees(sample.as_submitted))
    if isinstance(sample, Ids):
        is_covered = agrees_well(sample.covered(sample.predicted, sample.true))
        return not is_covered and not agrees_well(sample.is_known)
    return _are_arrays_worth_searching(sample)


def _are_regions_worth_searching(sample: Regions) -> bool:
    """Return whether too few regions agree at any level, or more intervals would fit exactly if they were one
    frame later or earlier."""
    corners = as_written(sample.form).corners(sample.columns)
    iou = sample.best_iou(corners)
    if not all(agrees_well(iou > level) for level in sample.levels):
        return True
    if not sample.has_frames:
        return False
    is_exact = sample.is_exact(corners)
    return any(may_become_repair(is_exact, sample.is_exact(corners + shift)) for shift in (1, -1))


def _are_arrays_worth_searching(sample: Arrays) -> bool:
    shares_near = sample.shares_near(sample.as_submitted)
    return not all(agrees_well(shares_near >= share_of_points) for share_of_points in SHARES_OF_POINTS)
