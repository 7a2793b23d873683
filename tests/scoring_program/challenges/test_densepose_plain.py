"""DensePose from the files to every score against the plain program, on random images."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io

from scoring_program.metrics import resampling
from scoring_program.metrics.masks import encode_counts
from scoring_program.run import SCORED
from tests import plain_densepose as plain
from tests.helpers import is_nightly, loaded, make_zip, run_folder, scaled
from validator.formats.densepose.write import encode_detection

N_UNIQUE, PARTS = 30, 24


def make_template(rng, folder):
    """Write a template's files; U and V lie on a coarse grid, so that several vertices are equally near."""
    part = [1 + i % PARTS for i in range(4 * PARTS)]
    u, v = ([rng.randrange(0, 6) / 5 for _ in part] for _ in range(2))
    unique = [rng.randrange(N_UNIQUE) for _ in part]
    stored = [np.float32(rng.choice([0.02, 0.1, 0.3, 1.0]) * rng.random()) for _ in range(N_UNIQUE**2)]
    stored = stored[: N_UNIQUE * (N_UNIQUE - 1) // 2]
    columns = {"U_subdiv": u, "V_subdiv": v, "Part_ID_subdiv": part}
    scipy.io.savemat(
        folder / "SMPL_subdiv.mat", {key: np.array(value)[:, None] for key, value in columns.items()}
    )
    index = np.array(unique, dtype=np.float64)[:, None] + 1
    scipy.io.savemat(folder / "SMPL_SUBDIV_TRANSFORM.mat", {"index": index})
    with h5py.File(folder / "Pdist_matrix.mat", "w") as file:
        file["Pdist_matrix"] = np.array(stored, dtype=np.float32)[:, None]
    distances = [[0.0] * N_UNIQUE for _ in range(N_UNIQUE)]
    for i in range(N_UNIQUE):
        for j in range(i):
            distances[i][j] = distances[j][i] = float(stored[i * (i - 1) // 2 + j])
    return plain.Template(u, v, part, unique, distances)


def make_person(rng, number, image):
    w, h = rng.choice([(9.7, 14.2), (33, 35.5), (60.25, 44), (101, 97.5)])
    x, y = (
        round(rng.uniform(-10, limit - 20), rng.choice([0, 2])) for limit in (image["width"], image["height"])
    )
    person = {
        "id": number, "image_id": image["id"], "category_id": 1, "bbox": [x, y, w, h], "iscrowd": int(rng.random() < 0.15),
        "area": rng.choice([w * h, w * h / 2, 1024.0, 9216.0]),
    }  # fmt: skip
    person["masks"] = [None] * 14
    if rng.random() < 0.2:
        return person
    for place in rng.sample(range(14), rng.randrange(0, 4)):
        mask = np.zeros((256, 256), dtype=bool)
        top, left = rng.randrange(0, 200), rng.randrange(0, 200)
        mask[top : top + rng.randrange(5, 200), left : left + rng.randrange(5, 200)] = True
        person["masks"][place] = mask
    n = rng.randrange(2, 12)
    person["dp_x"], person["dp_y"] = ([round(rng.uniform(0, 255), 3) for _ in range(n)] for _ in range(2))
    person["dp_I"] = [float(rng.choice([0, *range(1, 25)])) if rng.random() < 0.5 else 2.0 for _ in range(n)]
    person["dp_I"][:2] = [2.0, 7.0]
    person["dp_U"], person["dp_V"] = ([rng.randrange(0, 11) / 10 for _ in range(n)] for _ in range(2))
    person["dp_masks"] = [
        [] if mask is None else {"size": [256, 256], "counts": encode_counts(mask)}
        for mask in person["masks"]
    ]
    return person


def make_detection(rng, image, persons, template):
    """Return a detection, often near a person and often right at its points."""
    if not persons or rng.random() < 0.2:
        box = [rng.uniform(-5, 80), rng.uniform(-5, 80), rng.uniform(1, 90), rng.uniform(1, 90)]
        iuv = np.zeros((3, int(box[3]), int(box[2])), np.uint8)
        iuv[0] = rng.randrange(0, 25)
        return {
            "image_id": image["id"],
            "bbox": box,
            "iuv": iuv,
            "score": rng.choice([0.1, 0.5, rng.random()]),
        }
    person = rng.choice(persons)
    shift = rng.choice([0, 0, 0.4, 2.5])
    box = [number + rng.uniform(-shift, shift) for number in person["bbox"]]
    box[2:] = [max(side, 1.0) for side in box[2:]]
    h, w = int(box[3]), int(box[2])
    pixels = np.zeros((3, h, w), np.uint8)
    if any(mask is not None for mask in person["masks"]):
        for row, column in plain.pixels_of_person(person["masks"], [0, 0, *box[2:]], h, w):
            pixels[:, row, column] = (rng.choice([2, 2, 2, 7]), 120, 30)
    for key in range(len(person.get("dp_x", ()))):
        row, column = int(person["dp_y"][key] * h / 256), int(person["dp_x"][key] * w / 256)
        if rng.random() < 0.9:
            u, v = (round(255 * person[f"dp_{letter}"][key]) for letter in "UV")
            pixels[:, row, column] = (int(person["dp_I"][key]), u, v)
    return {
        "image_id": image["id"],
        "bbox": box,
        "iuv": pixels,
        "score": rng.choice([0.1, 0.5, rng.random()]),
    }


def facts_of(image, persons, detections, template, kappa=0.0):
    """Return what `plain.average_precision` needs of an image."""
    ranked = sorted(detections, key=lambda detection: -detection["score"])[:20]
    size = image["height"], image["width"]
    crowd = [bool(person["iscrowd"]) for person in persons]
    masks = [plain.pixels_of_person(person["masks"], person["bbox"], *size) for person in persons]
    found: dict[str, Any] = {
        "score": [detection["score"] for detection in ranked],
        "detection_area": [detection["bbox"][2] * detection["bbox"][3] for detection in ranked],
        "person_area": [person["area"] for person in persons],
        "dense": ["dp_x" in person for person in persons],
        "crowd": crowd,
        "n_points": sum(
            template.nearest(int(part), 0, 0) is not None for p in persons for part in p.get("dp_I", ())
        ),
        "id": str(image["id"]),
        "points": [],
        "box_iou": [],
        "gps": [],
        "iou": [],
    }
    for detection in ranked:
        own = plain.pixels_of_detection(detection, *size)
        of_box = [plain.box_iou(detection["bbox"], p["bbox"], c) for p, c in zip(persons, crowd)]
        found["box_iou"].append(of_box)
        found["gps"].append(
            [plain.gps(template, p, detection, kappa) if "dp_x" in p else 0.0 for p in persons]
        )
        found["points"].append(
            [plain.points(template, p, detection, kappa) if "dp_x" in p else [] for p in persons]
        )
        found["iou"].append([plain.over(len(own & m), len(own), len(m), c) for m, c in zip(masks, crowd)])
    pairs = zip(found["gps"], found["iou"])
    found["gpsm"] = [[math.sqrt(a * b) for a, b in zip(*rows)] for rows in pairs]
    return found


def mean(values):
    known = [value for value in values if value > -1]
    return sum(known) / len(known) if known else 0.0


def plain_scores(images):
    ap = plain.average_precision(images, "gpsm")
    scores = {}
    for place, kind in enumerate(("ap", "ar")):
        for name in plain.AREAS:
            scores[kind + name] = mean(ap[name, t][place] for t in range(10))
        for t in range(10) if kind == "ap" else (0, 5):
            scores[f"{kind}{50 + 5 * t}"] = mean([ap["", t][place]])
    for measure in ("gps", "iou"):
        other = plain.average_precision(images, measure)
        scores[f"ap_{measure}"] = mean(other["", t][0] for t in range(10))
    dense = [image for image in images if any(image["dense"])]
    scores["coverage"] = sum(bool(image["score"]) for image in dense) / len(dense)
    return {"score": scores["ap"], **scores}


FINE_PARTS = {
    "torso": {1, 2}, "head": {23, 24}, "right hand": {3}, "left hand": {4}, "right foot": {6}, "left foot": {5},
    "right upper leg": {7, 9}, "left upper leg": {8, 10}, "right lower leg": {11, 13}, "left lower leg": {12, 14},
    "right upper arm": {16, 18}, "left upper arm": {15, 17}, "right lower arm": {20, 22}, "left lower arm": {19, 21},
}  # fmt: skip


def matches(image):
    """Yield which detection is matched to which person at 0.5."""
    matched, ignored = plain.match_image(image, "gpsm", plain.AREAS[""])
    for d, person in enumerate(matched[0]):
        if person >= 0 and not ignored[0][d]:
            yield d, person


def plain_body(images):
    """Return value and number of points of each part, and where similarity is lost."""
    points = [
        point for image in images for d, person in matches(image) for point in image["points"][d][person]
    ]
    body = []
    for name, fine in FINE_PARTS.items():
        own = [similarity for part, _, similarity in points if part in fine]
        body.append([name, sum(own) / len(own) if own else None, len(own)])
    total = max(sum(image["n_points"] for image in images), 1)
    lost = {"background at the point": 0.0, "wrong part": 0.0, "off within the part": 0.0}
    for part, guess, similarity in points:
        kind = (
            "background at the point"
            if guess == 0
            else "wrong part"
            if guess != part
            else "off within the part"
        )
        lost[kind] += 1 - similarity
    kept = sum(similarity for _, _, similarity in points)
    shares = {"kept": kept, "missed person": sum(i["n_points"] for i in images) - len(points), **lost}
    return body, [[name, share / total] for name, share in shares.items()]


def plain_calibration(images):
    ranked = sorted(plain.entries(images, "gpsm", plain.AREAS[""])[0], key=lambda entry: -entry[0])
    n_groups = max(min(10, len(ranked) // 10), 1)
    size, longer = divmod(len(ranked), n_groups)
    rows, begin = [], 0
    for number in range(n_groups):
        group = ranked[begin : begin + size + (number < longer)]
        begin += len(group)
        if group:
            right = sum(matched and not ignored for _, matched, ignored in group) / len(group)
            rows.append([str(number + 1), f"{group[-1][0]:.4f} to {group[0][0]:.4f}", len(group), right])
    return rows


def plain_images(images):
    """Return the row of each image: how much it costs, its mean similarity, persons, detections and matches."""

    def score(chosen):
        return mean(plain.average_precision(chosen, "gpsm")["", t][0] for t in range(10))

    rows = {}
    for image in images:
        cost = score([other for other in images if other is not image]) - score(images)
        n_persons = plain.count_persons(image, plain.AREAS[""])
        best = [
            max((row[person] for row in image["gpsm"]), default=0.0)
            for person, is_dense in enumerate(image["dense"])
            if is_dense
        ]
        closeness = sum(best) / len(best) if best else None
        rows[image["id"]] = [cost, closeness, n_persons, len(image["score"]), len(list(matches(image)))]
    return rows


def about(value):
    """Return a value that is equal to its like within rounding, however deeply nested."""
    if isinstance(value, list):
        return [about(entry) for entry in value]
    return pytest.approx(value, rel=0, abs=1e-9) if isinstance(value, float) else value


def check_page(tables, images):
    """Compare all sections of the page."""
    curves = [precisions for precisions, _ in plain.curves(images, "gpsm", plain.AREAS[""])]
    lines = [*curves, [sum(values) / 10 for values in zip(*curves)]]
    body, shares = plain_body(images)
    measures = [plain.average_precision(images, measure) for measure in ("gpsm", "gps", "iou")]
    shown = {key: table.get("rows") for key, table in tables.items() if key not in ("drawings", "similarity")}
    shown["precision_recall"] = [line["y"] for line in tables["precision_recall"]["lines"]]
    shown["thresholds"] = [line["y"] for line in tables["thresholds"]["lines"]]
    shown["body"], shown["similarity_budget"] = tables["body"]["parts"], tables["similarity_budget"]["shares"]
    shown["images"] = {row[0]: row[1:] for row in tables["images"]["rows"]}
    costs = [row[1] for row in tables["images"]["rows"]]
    assert costs == sorted(costs, reverse=True)
    calibration = plain_calibration(images)
    assert shown == {
        "precision_recall": about(lines),
        "thresholds": about([[max(found["", t][0], 0.0) for t in range(10)] for found in measures]),
        "body": about(body),
        "similarity_budget": about(shares),
        "images": {name: about(row) for name, row in plain_images(images).items()},
        **({"calibration": about(calibration)} if calibration else {}),
    }


def plain_average(images, measure):
    ap = plain.average_precision(images, measure)
    return mean(ap["", t][0] for t in range(10))


def with_errors_fixed(image, measure, key):
    """Return an image with one type of error fixed."""
    fixed = {name: json.loads(json.dumps(value)) for name, value in image.items()}
    if key == "not_submitted":
        return fixed if image["score"] else {**fixed, "dense": [False] * len(image["dense"])}
    matched, ignored = (own[0] for own in plain.match_image(image, measure, plain.AREAS[""]))
    pairs = [(d, g) for d, g in enumerate(matched) if g >= 0 and not ignored[d]]
    if key == "missed_persons":
        held = {g for _, g in pairs}
        return {**fixed, "dense": [dense and g in held for g, dense in enumerate(image["dense"])]}
    if key == "false_positives":
        kept = [d for d, g in enumerate(matched) if g >= 0 or ignored[d]]
        by_detection = ("score", "detection_area", "box_iou", "gps", "iou", "gpsm", "points")
        return {**fixed, **{name: [fixed[name][d] for d in kept] for name in by_detection}}
    kinds = {"background": lambda part, own: not own, "wrong_part": lambda part, own: own and own != part}
    kinds["off_within_part"] = lambda part, own: own == part
    for d, g in pairs:
        if key == "masks":
            fixed["iou"][d][g] = 1.0
        elif points := image["points"][d][g]:
            similar = [1.0 if kinds[key](part, own) else value for part, own, value in points]
            fixed["gps"][d][g] = sum(similar) / len(similar)
        fixed["gpsm"][d][g] = math.sqrt(fixed["gps"][d][g] * fixed["iou"][d][g])
    return fixed


# The later a case, the larger it is.
SEEDS = range(scaled(10) if is_nightly() else 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_error_costs_are_scores_with_errors_fixed(tmp_path, seed):
    kappa = 0.255 * (seed % 2)
    reference, submission, facts = random_case(tmp_path, seed, kappa)
    for measure in ("gpsm", "gps", "iou"):
        check_error_costs(reference, submission, facts, measure, kappa)


def check_error_costs(reference, submission, facts, measure, kappa):
    loaded_task = loaded("densepose", reference, measure=measure, kappa=kappa, notes=False)
    result = loaded_task.score_path(submission)
    assert result.scores["score"] == pytest.approx(plain_average(facts, measure), rel=0, abs=1e-9)
    found = {cost.error_type: cost.score_if_fixed for cost in result.error_costs}
    expected = {
        key: plain_average([with_errors_fixed(image, measure, key) for image in facts], measure)
        for key in found
    }
    assert found == pytest.approx(expected, rel=0, abs=1e-9)
    assert len(found) == (4 if measure == "iou" else 7)
    first = resampling.sides(len(facts), 3) > 0
    facts.sort(key=lambda image: int(image["id"]))
    for number, inside in enumerate(first.tolist()):
        half = [image for image, is_in in zip(facts, inside) if is_in]
        assert result.halves.first[number] == pytest.approx(plain_average(half, measure), rel=0, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_and_page_are_those_of_the_plain_program(tmp_path, seed):
    reference, submission, facts = random_case(tmp_path, seed)
    outcome = run_folder("densepose", reference, submission, tmp_path / "out", detail="full", notes=False)
    assert outcome.exit_code == SCORED
    scores = json.loads((tmp_path / "out" / "scores.json").read_text(encoding="utf-8"))
    expected = plain_scores(facts)
    assert set(expected) <= set(scores)
    assert {key: scores[key] for key in expected} == {
        key: pytest.approx(value, rel=0, abs=1e-9) for key, value in expected.items()
    }
    found = json.loads((tmp_path / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    check_page(found["tables"], facts)


def random_case(tmp_path, seed, kappa=0.0):
    """Write a reference and a submission; return where they are, and what plain programs need of each image."""
    rng = random.Random(seed)
    reference = tmp_path / "ref"
    reference.mkdir()
    template = make_template(rng, reference)
    images = [{"id": 10 * i, "width": 120, "height": 100} for i in range(rng.randrange(2, 7))]
    persons, detections, entries, facts = [], [], [], []
    for image in images:
        own = [make_person(rng, 1 + len(persons) + i, image) for i in range(rng.randrange(0, 5))]
        if not persons and not any("dp_x" in person for person in own):
            own = []
        found = [make_detection(rng, image, own, template) for _ in range(rng.choice([0, 2, 5, 23]))]
        persons += own
        detections += found
        facts.append(facts_of(image, own, found, template, kappa))
    assert persons
    for found in detections:
        entries.append(
            encode_detection(found["image_id"], tuple(found["bbox"]), found["score"], found["iuv"])
        )
    annotations = [{key: value for key, value in person.items() if key != "masks"} for person in persons]
    document = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "person"}]}
    (reference / "annotations.json").write_text(json.dumps(document), encoding="utf-8")
    submission = tmp_path / "s.zip"
    submission.write_bytes(make_zip({"densepose_x_results.json": "[" + ",".join(entries) + "]"}))
    return reference, submission, facts
