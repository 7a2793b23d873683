"""DensePose: what the page shows, what errors cost, and halves of the images, beside the plain program."""

from __future__ import annotations

import copy
import json
import math
from random import Random

import pytest

from organizer.data.prepare import prepare
from scoring_program.metrics import resampling
from scoring_program.run import SCORED
from tests.helpers import GOLDEN, is_nightly, loaded, run_folder, scaled
from tests.plain import densepose as plain
from tests.plain.random_cases import write_random_case

ALL = plain.AREAS[""]
SEEDS = range(scaled(10) if is_nightly() else 2)


FINE_PARTS = {
    "torso": {1, 2}, "head": {23, 24}, "right hand": {3}, "left hand": {4}, "right foot": {6}, "left foot": {5},
    "right upper leg": {7, 9}, "left upper leg": {8, 10}, "right lower leg": {11, 13}, "left lower leg": {12, 14},
    "right upper arm": {16, 18}, "left upper arm": {15, 17}, "right lower arm": {20, 22}, "left lower arm": {19, 21},
}  # fmt: skip


def matches(image):
    """Yield which detection is matched to which person at 0.5."""
    persons, ignored, _ = plain.match(image, "gpsm", ALL)
    for i, person in enumerate(persons[0]):
        if person >= 0 and not ignored[0, i]:
            yield i, int(person)


def best_matches(image):
    """Return a pair for each matched person: of the detections that match a crowd, the most similar."""
    best = {}
    for i, person in matches(image):
        similarity = image.similarity["gpsm"][i, person]
        if person not in best or similarity > image.similarity["gpsm"][best[person], person]:
            best[person] = i
    return [(i, person) for person, i in best.items()]


def count_points(image):
    return sum(1 <= part <= 24 for person in image.persons for part in person.get("dp_I", []))


def average(images, measure):
    return float(plain.average_precision(images, measure, ALL)[0].mean())


def body_rows(images):
    """Return value and number of points of each part, and where similarity is lost."""
    points = [point for image in images for pair in best_matches(image) for point in image.points[pair]]
    rows = []
    for name, fine_parts in FINE_PARTS.items():
        values = [similarity for part, _, similarity in points if part in fine_parts]
        rows.append([name, sum(values) / len(values) if values else None, len(values)])
    lost = {"background at the point": 0.0, "wrong part": 0.0, "off within the part": 0.0}
    for part, predicted_part, similarity in points:
        kind = "off within the part" if predicted_part == part else "wrong part"
        lost[kind if predicted_part else "background at the point"] += 1 - similarity
    n_points = sum(map(count_points, images))
    kept = sum(similarity for _, _, similarity in points)
    shares = {"kept": kept, "missed person": n_points - len(points), **lost}
    return rows, [[name, share / max(n_points, 1)] for name, share in shares.items()]


def calibration_rows(images):
    ranking = []
    for image in images:
        persons, ignored, _ = plain.match(image, "gpsm", ALL)
        # All detections of an image without a scored person are ignored.
        is_right = (persons[0] >= 0) & ~ignored[0] & any(image.has_points)
        ranking += [(detection["score"], right) for detection, right in zip(image.detections, is_right)]
    ranking.sort(key=lambda entry: -entry[0])
    size, longer = divmod(len(ranking), max(min(10, len(ranking) // 10), 1))
    rows, begin = [], 0
    while begin < len(ranking):
        group = ranking[begin : begin + size + (len(rows) < longer)]
        begin += len(group)
        scores = f"{group[-1][0]:.4f} to {group[0][0]:.4f}"
        rows.append(
            [str(len(rows) + 1), scores, len(group), sum(int(right) for _, right in group) / len(group)]
        )
    return rows


def image_rows(images):
    """Return the row of each image: how much it costs, its mean similarity, persons, detections and matches."""
    rows = {}
    for image in images:
        cost = average([other for other in images if other is not image], "gpsm") - average(images, "gpsm")
        dense = [j for j, person in enumerate(image.persons) if "dp_x" in person]
        best = [max(image.similarity["gpsm"][:, j], default=0.0) for j in dense]
        closeness = float(sum(best)) / len(best) if best else None
        n_matches = len(list(matches(image)))
        rows[image.name] = [cost, closeness, sum(image.has_points), len(image.detections), n_matches]
    return rows


def about(value):
    """Return a value that is equal to its like within rounding, however deeply nested."""
    if isinstance(value, list):
        return [about(entry) for entry in value]
    return pytest.approx(value, rel=0, abs=1e-9) if isinstance(value, float) else value


def check_page(tables, images):
    """Compare all sections of the page."""
    curves, _ = plain.curves_of(images, "gpsm", ALL)
    lines = [*curves, [sum(values) / 10 for values in zip(*curves)]]
    thresholds = [plain.average_precision(images, name, ALL)[0].tolist() for name in ("gpsm", "gps", "iou")]
    body, shares = body_rows(images)
    shown = {key: table.get("rows") for key, table in tables.items() if key not in ("drawings", "similarity")}
    shown["precision_recall"] = [line["y"] for line in tables["precision_recall"]["lines"]]
    shown["thresholds"] = [line["y"] for line in tables["thresholds"]["lines"]]
    shown["body"], shown["similarity_budget"] = tables["body"]["parts"], tables["similarity_budget"]["shares"]
    shown["images"] = {row[0]: row[1:] for row in tables["images"]["rows"]}
    costs = [row[1] for row in tables["images"]["rows"]]
    assert costs == sorted(costs, reverse=True)
    calibration = calibration_rows(images)
    assert shown == {
        "precision_recall": about(lines),
        "thresholds": about(thresholds),
        "body": about(body),
        "similarity_budget": about(shares),
        "images": {name: about(row) for name, row in image_rows(images).items()},
        **({"calibration": about(calibration)} if calibration else {}),
    }


def with_errors_fixed(image, measure, key):
    """Return an image with one type of error fixed."""
    fixed = copy.deepcopy(image)
    persons, ignored, _ = plain.match(image, measure, ALL)
    pairs = [(i, int(j)) for i, j in enumerate(persons[0]) if j >= 0 and not ignored[0, i]]
    matched_persons = {j for _, j in pairs}
    if key == "not_submitted":
        fixed.has_points = [has_points and bool(image.detections) for has_points in image.has_points]
        return fixed
    if key == "missed_persons":
        fixed.has_points = [has and j in matched_persons for j, has in enumerate(image.has_points)]
        return fixed
    if key == "false_positives":
        kept = [i for i, j in enumerate(persons[0]) if j >= 0 or ignored[0, i]]
        fixed.detections = [image.detections[i] for i in kept]
        fixed.box_iou = image.box_iou[kept]
        fixed.similarity = {name: values[kept] for name, values in image.similarity.items()}
        return fixed
    for i, j in pairs:
        if key == "masks":
            fixed.similarity["iou"][i, j] = 1.0
        elif points := image.points[i, j]:
            similar = [1.0 if key == kind_of_error(part, other) else value for part, other, value in points]
            fixed.similarity["gps"][i, j] = sum(similar) / len(similar)
        gps, iou = (fixed.similarity[name][i, j] for name in ("gps", "iou"))
        fixed.similarity["gpsm"][i, j] = math.sqrt(gps * iou)
    return fixed


def kind_of_error(part, predicted_part):
    if not predicted_part:
        return "background"
    return "off_within_part" if predicted_part == part else "wrong_part"


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_error_costs_are_scores_with_errors_fixed(tmp_path, seed):
    folders = write_random_case("densepose", Random(seed), tmp_path)
    kappa = 0.255 * (seed % 2)
    images = plain.read_images(*folders, kappa=kappa)
    # One after the other, all at night.
    measures = [("gpsm", "iou"), ("gps",)][seed % 2]
    for measure in ("gpsm", "gps", "iou") if is_nightly() else measures:
        check_error_costs(folders, images, measure, kappa)


def check_error_costs(folders, images, measure, kappa):
    reference, submission = folders
    result = loaded("densepose", reference, measure=measure, kappa=kappa, notes=False).score_path(submission)
    assert result.scores["score"] == pytest.approx(average(images, measure), rel=0, abs=1e-9)
    costs = {cost.error_type: cost.score_if_fixed for cost in result.error_costs}
    expected = {
        key: average([with_errors_fixed(image, measure, key) for image in images], measure) for key in costs
    }
    assert costs == pytest.approx(expected, rel=0, abs=1e-9)
    assert len(costs) == (4 if measure == "iou" else 7)
    first = resampling.sides(len(images), 3) > 0
    for number, is_inside in enumerate(first.tolist()):
        half = [image for image, is_in in zip(images, is_inside) if is_in]
        assert result.halves.first[number] == pytest.approx(average(half, measure), rel=0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_page_is_that_of_the_plain_program(tmp_path, seed):
    reference, submission = write_random_case("densepose", Random(seed), tmp_path)
    outcome = run_folder("densepose", reference, submission, tmp_path / "out", detail="full", notes=False)
    assert outcome.exit_code == SCORED
    content = json.loads((tmp_path / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    check_page(content["tables"], plain.read_images(reference, submission))


def test_a_crowd_that_several_detections_match_counts_once(tmp_path):
    case = GOLDEN / "densepose" / "crowd-takes-many"
    prepare("densepose", case / "ref", tmp_path / "ref")
    outcome = run_folder("densepose", tmp_path / "ref", case / "res", tmp_path / "out")
    assert outcome.exit_code == SCORED
    content = json.loads((tmp_path / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    shares = dict(content["tables"]["similarity_budget"]["shares"])
    assert (shares["kept"], shares["missed person"]) == (1.0, 0.0)
    statistics = loaded("densepose", tmp_path / "ref").score_path(case / "res").statistics
    assert statistics.item_scores.tolist() == [1.0, 1.0]
