"""The sections of the detail page of DensePose."""

from __future__ import annotations

from typing import Union

import numpy as np

from scoring_program import result
from scoring_program.body_figure import BodyFigure
from scoring_program.challenges.densepose.measure import MEASURES, ImageStatistics
from scoring_program.challenges.densepose.reference import Gathered, Reference
from scoring_program.figures.histogram import share_histogram
from scoring_program.figures.line_chart import LineChart
from scoring_program.figures.stacked_bar import StackedBar
from scoring_program.metrics.average_precision import RECALLS, THRESHOLDS, PrecisionCurves, accumulate
from scoring_program.metrics.group_values import group_means
from scoring_program.report.elements.lines import Line
from scoring_program.result import SUMMARY, Cell, Deferred, Section, Sections, columns
from validator.arrays import Floats, Ints

FINE_PARTS = {
    "torso": (1, 2),
    "head": (23, 24),
    "right hand": (3,),
    "left hand": (4,),
    "right foot": (6,),
    "left foot": (5,),
    "right upper leg": (7, 9),
    "left upper leg": (8, 10),
    "right lower leg": (11, 13),
    "left lower leg": (12, 14),
    "right upper arm": (16, 18),
    "left upper arm": (15, 17),
    "right lower arm": (20, 22),
    "left lower arm": (19, 21),
}
"""The fine parts, 1 to 24, of each part of the body; sides are those of the person."""
_IMAGES_SHOWN = 500
_BINS = 20
NAMES = {"gpsm": "GPSm", "gps": "GPS", "iou": "mask IoU"}
_SCORE_GROUPS = 10
_LEAST_IN_GROUP = 10


def sections(reference: Reference, submission: Gathered, statistics: ImageStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    curves = accumulate(statistics.pairing.matches)
    matched_points = np.flatnonzero(np.isin(statistics.points.pair, statistics.half.best_pairs))
    return [
        _precision_recall(curves, statistics.measure),
        _thresholds(curves),
        _body(statistics, matched_points),
        _budget(reference, statistics, matched_points),
        _calibration(statistics),
        Deferred(lambda: [_similarities(statistics), _image_table(reference, statistics)]),
    ]


def _precision_recall(curves: PrecisionCurves, measure: str) -> Section:
    precision = curves.precision[0, MEASURES.index(measure)]
    lines = []
    for threshold, precision_there in zip(THRESHOLDS.tolist(), precision.tolist()):
        lines.append(Line(f"{threshold:.2f}", RECALLS.tolist(), precision_there))
    lines.append(Line("mean", RECALLS.tolist(), precision.mean(axis=0).tolist()))
    return LineChart(
        key="precision_recall",
        title="Precision and recall",
        note="One line for each threshold of the similarity, and their mean, whose area is the score.",
        lines=lines,
        x_title="recall",
        y_title="precision",
        ordered=True,
    )


def _thresholds(curves: PrecisionCurves) -> Section:
    lines = []
    for name, precision in zip(("GPSm", "GPS", "IoU"), curves.precision[0]):
        averages = [curves.average(precision_there, 0) for precision_there in precision]
        lines.append(Line(name, THRESHOLDS.tolist(), averages))
    return LineChart(
        key="thresholds",
        title="AP against threshold",
        note="How strict a match must be; GPSm is the root of GPS times mask IoU.",
        lines=lines,
        x_title="threshold",
        y_title="AP",
        ranges=(0.5, 0.95, 0.0, 1.0),
        level=SUMMARY,
    )


def _body(statistics: ImageStatistics, matched_points: Ints) -> Section:
    """Return the figure of a body whose parts have the mean similarity of their points in matches."""
    true_part = statistics.points.true_part[matched_points]
    similarity = statistics.points.similarity[matched_points]
    parts = list[tuple[str, Union[float, None], int]]()
    for name, fine_parts in FINE_PARTS.items():
        values = similarity[np.isin(true_part, fine_parts)]
        mean = float(values.mean()) if len(values) else None
        parts.append((name, mean, len(values)))
    note = (
        "Mean over the annotated points of persons that are matched at 0.5; 1 is perfect. The person looks "
    )
    note += "at you: its right is on your left."
    return BodyFigure("body", "GPS by body part", note, parts)


def _budget(reference: Reference, statistics: ImageStatistics, matched_points: Ints) -> Section:
    """Return where the geodesic similarity of all persons that count is lost, point by point."""
    persons, points = reference.persons, statistics.points
    n_points = int(np.diff(persons.point_start)[persons.dense].sum())
    part, true_part = points.part[matched_points], points.true_part[matched_points]
    similarity = points.similarity[matched_points]
    lost_similarity = 1 - similarity
    on_body = part > 0
    same_part = part == true_part
    amounts = {
        "kept": similarity.sum(),
        "missed person": n_points - len(matched_points),
        "background at the point": lost_similarity[~on_body].sum(),
        "wrong part": lost_similarity[on_body & ~same_part].sum(),
        "off within the part": lost_similarity[on_body & same_part].sum(),
    }
    shares = [(name, float(amount) / max(n_points, 1)) for name, amount in amounts.items()]
    note = "Shares of all annotated points; matches at 0.5."
    return StackedBar("similarity_budget", "Where the similarity is lost", note, shares)


def _calibration(statistics: ImageStatistics) -> Section:
    """Return a table of groups of equally many detections by their score."""
    descending_scores = np.sort(statistics.pairing.detections.score)[::-1]
    is_right = statistics.ranked.right[0]
    rows = list[list[Cell]]()
    for number, group in enumerate(_score_groups(len(descending_scores)), start=1):
        highest, lowest = descending_scores[group[0]], descending_scores[group[-1]]
        share_right = float(is_right[group].mean())
        rows.append([str(number), f"{lowest:.4f} to {highest:.4f}", len(group), share_right])
    return result.Table(
        key="calibration",
        title="Score calibration",
        note="Detections in groups of equal size by their score, including those that are ignored.",
        columns=columns(text=["Group, best first", "Scores"], count=["Detections"], share=["Right at 0.5"]),
        rows=rows,
    )


def _score_groups(n_detections: int) -> list[Ints]:
    """Return the ranks of the detections of each group, none without detections."""
    if not n_detections:
        return []
    n_groups = max(min(_SCORE_GROUPS, n_detections // _LEAST_IN_GROUP), 1)
    return np.array_split(np.arange(n_detections), n_groups)


def _similarities(statistics: ImageStatistics) -> Section:
    """Return the distribution of the similarity of persons to their most similar detection."""
    pairing, name = statistics.pairing, NAMES[statistics.measure]
    has_detection = np.isin(np.arange(len(pairing.people.dense)), pairing.pairs.person)
    largest = _largest_similarities(statistics)[pairing.people.dense & has_detection]
    note = f"Densely annotated persons by their largest {name} with a detection, without those of images "
    note += "without a detection."
    section = Section("similarity", f"{name} of persons", note)
    return share_histogram(section, largest, _BINS, (name, "persons"), float(THRESHOLDS[0]))


def _largest_similarities(statistics: ImageStatistics) -> Floats:
    """Return for each person the largest similarity to a detection, 0 without one."""
    largest = np.zeros(len(statistics.pairing.people.dense))
    np.maximum.at(largest, statistics.pairing.pairs.person, statistics.similarity)
    return largest


def _image_table(reference: Reference, statistics: ImageStatistics) -> Section:
    """Return the images by what they cost: how much higher the score would be without each."""
    pairing, costs = statistics.pairing, statistics.costs
    people = pairing.people
    largest = _largest_similarities(statistics)[people.dense]
    mean_similarity = result.cells(group_means(largest, people.image[people.dense], people.n_images))
    n_persons, n_detections = pairing.matches.n_persons[0], pairing.n_detections()
    matched_images = pairing.detections.image[statistics.half.person >= 0]
    n_matched = np.bincount(matched_images, minlength=people.n_images)
    rows = list[list[Cell]]()
    for image in np.argsort(-costs, kind="stable")[:_IMAGES_SHOWN].tolist():
        rows.append(
            [
                str(int(reference.persons.image_id[image])),
                float(costs[image]),
                mean_similarity[image],
                int(n_persons[image]),
                int(n_detections[image]),
                int(n_matched[image]),
            ]
        )
    titles = columns(text=["Image"], number=["Cost"], share=[f"Mean {NAMES[statistics.measure]}"])
    titles += columns(count=["Persons", "Detections", "Matched"])
    note = f"Cost: how much higher the score would be without the image. At most {_IMAGES_SHOWN}. "
    note += "Mean: the mean over its persons of their largest similarity to a detection."
    return result.Table(
        key="images",
        title="Images",
        note=note,
        columns=titles,
        rows=rows,
        item_columns=1,
    )
