"""The score if one kind of error were gone: one thing is changed, and all images are matched again."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.densepose.matching import MEASURES, Compared, Points, similarity
from scoring_program.metrics import average_precision
from scoring_program.metrics.arrays import Floats
from scoring_program.metrics.average_precision import Detections, Matches, People, Ranked

_AREAS = ("all",)


def ranked_if_fixed(compared: Compared, points: Points, main: int) -> dict[str, Ranked]:
    """Return the ranked detections of all images for each kind of error, were it gone.

    Parameters
    ----------
    compared : Compared
    points : Points
        Of all pairs.
    main : int
        Number of the measure that is scored.
    """
    similarities = _fixed_similarities(compared, points, main)
    values = np.stack(list(similarities.values()))
    matches = average_precision.match(values, compared.overlap, compared.detections, compared.people, _AREAS)
    fixed = {fix: average_precision.ranked(matches, 0, number) for number, fix in enumerate(similarities)}
    for fix, rematch in (("false_positives", _without_false), ("missed_persons", _without_missed)):
        fixed[fix] = average_precision.ranked(rematch(compared, main), 0, 0)
    return fixed


def _fixed_similarities(compared: Compared, points: Points, main: int) -> dict[str, Floats]:
    """Return the similarity of all pairs, shape (n_pairs,), without each kind of error of the matched
    pairs."""
    is_match = compared.matched_pairs(main)
    fixed = {"masks": (compared.gps, np.where(is_match, 1.0, compared.mask_iou))}
    in_match, on_body = is_match[points.pair], points.part > 0
    same_part = points.part == points.true_part
    for fix, chosen in (
        ("background", ~on_body),
        ("wrong_part", on_body & ~same_part),
        ("off_within_part", on_body & same_part),
    ):
        fixed[fix] = (points.gps(np.where(in_match & chosen, 1.0, points.similarity)), compared.mask_iou)
    return {fix: similarity(MEASURES[main], *factors) for fix, factors in fixed.items()}


def _without_false(compared: Compared, main: int) -> Matches:
    """Match again without the detections that are neither matched nor ignored at 0.5."""
    detections = compared.detections
    kept = (compared.matches.matched[0, main, 0] >= 0) | compared.matches.ignored[0, main, 0]
    pair = kept[compared.pairs.detection]
    values = similarity(MEASURES[main], compared.gps[pair], compared.mask_iou[pair])
    remaining = Detections(detections.image[kept], detections.score[kept], detections.area[kept])
    return average_precision.match(values[None], compared.overlap[pair], remaining, compared.people, _AREAS)


def _without_missed(compared: Compared, main: int) -> Matches:
    """Match again with the persons ignored that no detection matches at 0.5."""
    people = compared.people
    is_matched = np.isin(np.arange(len(people.dense)), compared.person(main))
    values = similarity(MEASURES[main], compared.gps, compared.mask_iou)
    remaining = People(people.n_images, people.image, people.area, people.dense & is_matched, people.crowd)
    return average_precision.match(values[None], compared.overlap, compared.detections, remaining, _AREAS)
