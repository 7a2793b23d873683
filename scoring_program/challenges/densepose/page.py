"""The sections of the detail page of DensePose."""

from __future__ import annotations

from typing import Union

import numpy as np

from scoring_program import result
from scoring_program.challenges.densepose.measure import MEASURES, ImageStatistics
from scoring_program.challenges.densepose.reference import Gathered, Reference
from scoring_program.metrics.average_precision import RECALLS, THRESHOLDS, PrecisionCurves, accumulate
from scoring_program.metrics.pairs import group_means
from scoring_program.result import SUMMARY, Cell, Deferred, Line, Section, Sections, columns
from validator.arrays import Ints

_FINE_PARTS = {
    "torso": (1, 2), "hands": (3, 4), "feet": (5, 6), "upper legs": range(7, 11), "lower legs": range(11, 15),
    "upper arms": range(15, 19), "lower arms": range(19, 23), "head": (23, 24),
}  # fmt: skip
_IMAGES_SHOWN = 500
_BINS = 20
NAMES = {"gpsm": "GPSm", "gps": "GPS", "iou": "mask IoU"}
_SCORE_GROUPS = 10
_LEAST_IN_GROUP = 10


def sections(reference: Reference, submission: Gathered, statistics: ImageStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    curves = accumulate(statistics.compared.matches)
    matched = np.flatnonzero(statistics.half.pairs()[statistics.points.pair])
    return [
        _precision_recall(curves, statistics.measure),
        _thresholds(curves),
        _body(statistics, matched),
        _budget(reference, statistics, matched),
        _calibration(statistics),
        Deferred(lambda: _similarities(reference, statistics)),
    ]


def _precision_recall(curves: PrecisionCurves, measure: str) -> Section:
    number = MEASURES.index(measure)
    precision = curves.precision[0, number]
    names = [*(f"{threshold:.2f}" for threshold in THRESHOLDS), "mean"]
    rows = np.vstack([precision, precision.mean(axis=0)]).tolist()
    lines = [Line(name, RECALLS.tolist(), row) for name, row in zip(names, rows)]
    note = "One line for each threshold of the similarity, and their mean, whose area is the score."
    title = "Precision and recall"
    return result.LineChart("precision_recall", title, note, lines, "recall", "precision", ordered=True)


def _thresholds(curves: PrecisionCurves) -> Section:
    averages = ([curves.average(values, 0) for values in own] for own in curves.precision[0])
    lines = [Line(name, THRESHOLDS.tolist(), own) for name, own in zip(("GPSm", "GPS", "IoU"), averages)]
    title, axes = "AP against threshold", ("threshold", "AP", (0.5, 0.95, 0.0, 1.0))
    note = "How strict a match must be; GPSm is the root of GPS times mask IoU."
    return result.LineChart("thresholds", title, note, lines, *axes, level=SUMMARY)


def _body(statistics: ImageStatistics, matched: Ints) -> Section:
    points, parts = statistics.points, list[tuple[str, Union[float, None], int]]()
    for name, fine in _FINE_PARTS.items():
        chosen = matched[np.isin(points.true_part[matched], fine)]
        parts.append((name, float(points.similarity[chosen].mean()) if len(chosen) else None, len(chosen)))
    note = "Mean over the annotated points of persons that are matched at 0.5; 1 is perfect."
    return result.BodyFigure("body", "GPS by body part", note, parts)


def _budget(reference: Reference, statistics: ImageStatistics, matched: Ints) -> Section:
    """Return where the geodesic similarity of all persons that count is lost, point by point."""
    persons, points = reference.persons, statistics.points
    total = int(np.diff(persons.point_start)[persons.dense].sum())
    part, true_part, similarity = points.part[matched], points.true_part[matched], points.similarity[matched]
    lost = 1 - similarity
    amounts = {
        "kept": similarity.sum(),
        "missed person": total - len(matched),
        "background at the point": lost[part == 0].sum(),
        "wrong part": lost[(part > 0) & (part != true_part)].sum(),
        "off within the part": lost[(part > 0) & (part == true_part)].sum(),
    }
    shares = [(name, float(amount) / max(total, 1)) for name, amount in amounts.items()]
    note = "Shares of all annotated points; matches at 0.5."
    return result.StackedBar("similarity_budget", "Where the similarity is lost", note, shares)


def _calibration(statistics: ImageStatistics) -> Section:
    """Return a table of groups of equally many detections by their score."""
    ranked = statistics.ranked
    scores = np.sort(statistics.compared.detections.score)[::-1]
    n_groups = max(min(_SCORE_GROUPS, len(scores) // _LEAST_IN_GROUP), 1)
    groups, rows = np.array_split(np.arange(len(scores)), n_groups), list[list[Cell]]()
    for number, own in enumerate(groups if len(scores) else (), start=1):
        ends = f"{scores[own[-1]]:.4f} to {scores[own[0]]:.4f}"
        rows.append([str(number), ends, len(own), float(ranked.right[0, own].mean())])
    titles = columns(text=["Group, best first", "Scores"], count=["Detections"], share=["Right at 0.5"])
    note = "Detections in groups of equal size by their score, including those that are ignored."
    return result.Table("calibration", "Score calibration", note, titles, rows)


def _similarities(reference: Reference, statistics: ImageStatistics) -> list[Section]:
    """Return the distribution of the similarity of persons, and the table of images with its mean."""
    compared, name = statistics.compared, NAMES[statistics.measure]
    dense, person = compared.people.dense, compared.pairs.person
    largest = np.zeros(len(dense))
    np.maximum.at(largest, person, statistics.similarity)
    has_pair = np.isin(np.arange(len(dense)), person)
    note = f"Densely annotated persons by their largest {name} with a detection, without those of images "
    note += "without a detection."
    section, values = Section("similarity", f"{name} of persons", note), largest[dense & has_pair]
    histogram = result.share_histogram(section, values, _BINS, (name, "persons"), float(THRESHOLDS[0]))
    means = group_means(largest[dense], compared.people.image[dense], compared.people.n_images)
    return [histogram, _image_table(reference, statistics, result.cells(means))]


def _image_table(reference: Reference, statistics: ImageStatistics, mean: list[float | None]) -> Section:
    """Return the images by what they cost: how much higher the score would be without each."""
    compared, cost = statistics.compared, statistics.costs
    names = [str(number) for number in reference.persons.image_id.tolist()]
    counts = compared.matches.n_persons[0], compared.n_detections(), statistics.half.n_right()
    rows = [
        [names[i], *(int(count[i]) for count in counts), float(cost[i]), mean[i]]
        for i in np.argsort(-cost, kind="stable")[:_IMAGES_SHOWN].tolist()
    ]
    titles = columns(text=["Image"], count=["Persons", "Detections", "Matched"], number=["Cost"])
    titles += columns(share=[f"Mean {NAMES[statistics.measure]}"])
    note = f"Cost: how much higher the score would be without the image. At most {_IMAGES_SHOWN}. "
    note += "Mean: the mean over its persons of their largest similarity to a detection."
    return result.Table("images", "Images", note, titles, rows)
