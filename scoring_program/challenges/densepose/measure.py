"""DensePose: from kept detections to the statistics of each image, scores, and error costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring_program.challenges.densepose import matching
from scoring_program.challenges.densepose.matching import MEASURES, Compared, HalfMatches, Points, similarity
from scoring_program.challenges.densepose.read import Gathered, Reference
from scoring_program.metrics import average_precision
from scoring_program.metrics.average_precision import Detections, Matches, Ranked
from scoring_program.metrics.pairs import means
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.findings import Note, counted

_AREAS = ("all",)
_IMAGE_BLOCK = 500


@dataclass(frozen=True)
class ImageStatistics(Statistics):
    """What became of the detections of each image; ``measure`` is the similarity that is scored."""

    compared: Compared
    ranked: average_precision.Ranked
    points: Points
    half: HalfMatches
    measure: str

    @cached_property
    def similarity(self) -> Floats:
        """The similarity that is scored, of all pairs; shape (n_pairs,)."""
        return similarity(self.measure, self.compared.gps, self.compared.mask_iou)

    def item_columns(self) -> dict[str, Floats]:
        """Return the cost of each image."""
        return {"cost": self.costs}

    @cached_property
    def costs(self) -> Floats:
        """How much higher the score would be without each image, shape (n_images,)."""
        n = self.compared.people.n_images
        score = average(self, np.ones((1, n)))[0]
        blocks = (1.0 - np.eye(n)[begin : begin + _IMAGE_BLOCK] for begin in range(0, n, _IMAGE_BLOCK))
        return np.concatenate([np.zeros(0), *(average(self, block) for block in blocks)]) - score


def measure(reference: Reference, submission: Gathered, settings: Settings) -> ImageStatistics:
    """Compare all detections with the persons of their images and match them."""
    persons, name = reference.persons, settings["measure"]
    by_image = matching.best_of_images(submission.kept, len(persons.image_id))
    points = matching.point_similarities(reference, by_image, settings["kappa"])
    compared = matching.compare(persons, by_image, points)
    half, n_dense = compared.at_half(name), compared.n_annotated()
    is_match = half.pairs()
    values = similarity(name, compared.gps, compared.mask_iou)[is_match]
    image = compared.detections.image[compared.pairs.detection[is_match]]
    sums = np.bincount(image, values, len(n_dense))
    return ImageStatistics(
        item_scores=means(sums, n_dense),
        item_submitted=compared.n_detections() > 0,
        item_weights=n_dense,
        notes=[*_notes(submission, compared), *_missing_notes(n_dense, compared.n_detections())],
        compared=compared,
        ranked=average_precision.ranked(compared.matches, 0, MEASURES.index(name)),
        points=points,
        half=half,
        measure=name,
    )


def average(statistics: ImageStatistics, weights: Floats) -> Floats:
    """Return the average precision for each row of weights."""
    return average_precision.weighted(statistics.ranked, weights)


def scores(statistics: ImageStatistics) -> dict[str, float]:
    """Return AP and AR at the thresholds and areas, and the AP of the two factors of GPSm."""
    scores = _scores(average_precision.accumulate(statistics.compared.matches), statistics.measure)
    covered = statistics.compared.n_detections()[statistics.compared.n_annotated() > 0] > 0
    return {"score": scores["ap"], "coverage": float(covered.mean()) if len(covered) else 0.0, **scores}


def error_costs(statistics: ImageStatistics) -> dict[str, float]:
    """Return the AP without images without a detection, each type of error of the matched pairs, false
    detections, or missed persons.

    One thing is changed, and all images are matched again.
    """
    ones = np.ones((1, statistics.compared.people.n_images))
    corrected = _corrected(statistics).items()
    return {key: float(average_precision.weighted(ranked, ones)[0]) for key, ranked in corrected}


def _scores(curves: average_precision.PrecisionCurves, measure: str) -> dict[str, float]:
    number = MEASURES.index(measure)
    precision, recall = curves.precision[:, number], curves.recall[:, number]
    percents = [round(100 * threshold) for threshold in average_precision.THRESHOLDS]
    areas = list(enumerate(average_precision.AREAS))[1:]
    scores: dict[str, float] = {}
    for name, values in (("ap", precision), ("ar", recall)):
        at = {f"{name}{percent}": curves.average(row, 0) for percent, row in zip(percents, values[0])}
        scores |= {name: curves.average(values[0], 0)}
        scores |= {key: at[key] for key in (f"{name}50", f"{name}75")}
        scores |= {f"{name}_{area}": curves.average(values[index], index) for index, area in areas}
        scores |= at if name == "ap" else {}
    for name in ("gps", "iou"):
        scores[f"ap_{name}"] = curves.average(curves.precision[0, MEASURES.index(name)], 0)
    return scores


def _missing_notes(n_dense: Ints, n_detections: Ints) -> list[Note]:
    annotated = n_dense > 0
    missing = int((n_detections[annotated] == 0).sum())
    text = f"no detection for {missing:,} of {counted(int(annotated.sum()), 'densely annotated image')}"
    return [Note("N-IMAGES-MISSING", text)] if missing else []


def _notes(submission: Gathered, compared: Compared) -> list[Note]:
    notes, n_used = [], len(compared.detections.score)
    n_persons = compared.matches.n_persons.sum(axis=1).tolist()
    undefined = [area for area, number in zip(average_precision.AREAS, n_persons) if not number]
    if undefined:
        text = f"no annotated person counts for the areas {', '.join(undefined)}; "
        notes.append(Note("N-AREA-EMPTY", f"{text}their scores are reported as 0"))
    if submission.n_other_categories:
        text = f"{counted(submission.n_other_categories, 'detection')} of other categories ignored; "
        explains = () if submission.kept else ("N-ZERO", "N-IMAGES-MISSING")
        notes.append(Note("N-CATEGORY", f"{text}write category_id 1", explains))
    dropped = submission.n_detections - submission.n_other_categories - n_used
    if dropped:
        most = average_precision.MOST_DETECTIONS
        text = f"{counted(dropped, 'detection')} beyond the {most} best of an image left out"
        notes.append(Note("N-DETECTIONS-MANY", text))
    return notes


def _corrected(statistics: ImageStatistics) -> dict[str, Ranked]:
    """Return the ranked detections of all images without each type of error."""
    compared, people = statistics.compared, statistics.compared.people
    similarities = _corrected_similarities(statistics)
    values = np.stack(list(similarities.values()))
    matches = average_precision.match(values, compared.overlap, compared.detections, people, _AREAS)
    corrected = {key: average_precision.ranked(matches, 0, number) for number, key in enumerate(similarities)}
    is_matched = np.isin(np.arange(len(people.dense)), statistics.half.person)
    rematched = {
        "not_submitted": _with_ignored(statistics, compared.n_detections()[people.image] == 0),
        "false_positives": _without_false(statistics),
        "missed_persons": _with_ignored(statistics, ~is_matched),
    }
    return corrected | {key: average_precision.ranked(own, 0, 0) for key, own in rematched.items()}


def _corrected_similarities(statistics: ImageStatistics) -> dict[str, Floats]:
    """Return the similarity of all pairs, shape (n_pairs,), without each type of error in matches.

    Those of points change nothing if similarity is that of masks.
    """
    compared, points, measure = statistics.compared, statistics.points, statistics.measure
    is_match = statistics.half.pairs()
    corrected = {"masks": (compared.gps, np.where(is_match, 1.0, compared.mask_iou))}
    in_match, on_body = is_match[points.pair], points.part > 0
    same_part = on_body & (points.part == points.true_part)
    errors = {"background": ~on_body, "wrong_part": on_body & ~same_part, "off_within_part": same_part}
    for key, chosen in errors.items() if measure != "iou" else ():
        corrected[key] = (points.gps(np.where(in_match & chosen, 1.0, points.similarity)), compared.mask_iou)
    return {key: similarity(measure, *factors) for key, factors in corrected.items()}


def _without_false(statistics: ImageStatistics) -> Matches:
    """Match again without the detections that are neither matched nor ignored at 0.5."""
    compared, detections = statistics.compared, statistics.compared.detections
    kept = statistics.half.is_no_error
    pair = kept[compared.pairs.detection]
    values = statistics.similarity[None, pair]
    remaining = Detections(detections.image[kept], detections.score[kept], detections.area[kept])
    return average_precision.match(values, compared.overlap[pair], remaining, compared.people, _AREAS)


def _with_ignored(statistics: ImageStatistics, ignored: Bools) -> Matches:
    """Match again with some of the persons ignored; bool, shape (n_persons,)."""
    compared, people = statistics.compared, statistics.compared.people
    remaining = people._replace(dense=people.dense & ~ignored)
    values = statistics.similarity[None]
    return average_precision.match(values, compared.overlap, compared.detections, remaining, _AREAS)
