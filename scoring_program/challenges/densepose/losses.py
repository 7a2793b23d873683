"""The score if one kind of error were gone: one thing is changed, and all images are matched again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring_program.challenges.densepose.matching import MEASURES, Image, Points, matched_pairs, right, similarity
from scoring_program.metrics import average_precision
from scoring_program.metrics.average_precision import Detections, ImageMatches, People, Ranked
from scoring_program.result import Numbers

_AREAS = ("all",)


def ranked_if_fixed(images: Sequence[Image], points: Points, main: int) -> dict[str, Ranked]:
    """Return the ranked detections of all images for each kind of error, were it gone.

    Parameters
    ----------
    images : sequence of Image
    points : Points
        Of all pairs.
    main : int
        Number of the measure that is scored.
    """
    similarities = _fixed_similarities(images, points, main)
    stacked = np.stack(list(similarities.values()))
    matched = []
    for image in images:
        own = stacked[:, image.first_pair : image.first_pair + image.gps.size].reshape(len(stacked), *image.gps.shape)
        matched.append(average_precision.match_image(own, image.overlap, image.detections, image.people, _AREAS))
    fixed = {fix: average_precision.ranked(matched, 0, number) for number, fix in enumerate(similarities)}
    for fix, rematch in (("false_positives", _without_false), ("missed_persons", _without_missed)):
        fixed[fix] = average_precision.ranked([rematch(image, main) for image in images], 0, 0)
    return fixed


def _fixed_similarities(images: Sequence[Image], points: Points, main: int) -> dict[str, Numbers]:
    """Return the similarity of all pairs, shape (n_pairs,), without each kind of error of the matched pairs."""
    is_match = matched_pairs(images, main, points.n_pairs)
    mask_iou = np.concatenate([np.zeros(0), *(image.mask_iou.ravel() for image in images)])
    gps = points.gps(points.similarity)
    fixed = {"masks": (gps, np.where(is_match, 1.0, mask_iou))}
    in_match, on_body = is_match[points.pair], points.part > 0
    same_part = points.part == points.true_part
    for fix, chosen in (
        ("background", ~on_body),
        ("wrong_part", on_body & ~same_part),
        ("off_within_part", on_body & same_part),
    ):
        fixed[fix] = (points.gps(np.where(in_match & chosen, 1.0, points.similarity)), mask_iou)
    return {fix: similarity(MEASURES[main], *factors) for fix, factors in fixed.items()}


def _without_false(image: Image, main: int) -> ImageMatches:
    """Match an image again without the detections that are neither matched nor ignored at 0.5."""
    matches = image.matches
    kept = (matches.matched[0, main, 0] >= 0) | matches.ignored[0, main, 0]
    if kept.all():
        return matches.only(main)
    values = similarity(MEASURES[main], image.gps[kept], image.mask_iou[kept])
    detections = Detections(image.detections.score[kept], image.detections.area[kept])
    return average_precision.match_image(values[None], image.overlap[kept], detections, image.people, _AREAS)


def _without_missed(image: Image, main: int) -> ImageMatches:
    """Match an image again with the persons ignored that no detection matches at 0.5."""
    people = image.people
    found = np.zeros(len(people.dense), dtype=bool)
    found[image.matches.matched[0, main, 0, right(image, main)]] = True
    if not (people.dense & ~found).any():
        return image.matches.only(main)
    values = similarity(MEASURES[main], image.gps, image.mask_iou)
    remaining = People(people.area, people.dense & found, people.crowd)
    return average_precision.match_image(values[None], image.overlap, image.detections, remaining, _AREAS)
