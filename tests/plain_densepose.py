"""A plain program for DensePose's measure: it loops over points, pixels, persons, thresholds and recalls."""

from __future__ import annotations

import math

import numpy as np

THRESHOLDS = np.linspace(0.5, 0.95, 10).tolist()
RECALLS = np.linspace(0, 1, 101).tolist()
AREAS = {"": (0, 1e10), "_medium": (32**2, 96**2), "_large": (96**2, 1e10)}
COARSE = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8]
MEANS = [0, 0.351, 0.107, 0.126, 0.237, 0.173, 0.142, 0.128, 0.150]
SECOND_PASS_IOU = 0.8


class Template:
    """Subdivided vertices (u, v, part), their unique vertices, and the distances between those as a list of lists."""

    def __init__(self, u, v, part, unique, distances):
        self.u, self.v, self.part, self.unique, self.distances = u, v, part, unique, distances

    def nearest(self, part, u, v):
        """Return the subdivided vertex of the part that is nearest, the first of equals; None if there is none."""
        own = [vertex for vertex, its_part in enumerate(self.part) if its_part == part]
        return min(own, key=lambda i: math.sqrt((self.u[i] - u) ** 2 + (self.v[i] - v) ** 2), default=None)


def points(template, person, detection, kappa=0.0):
    """Return true part, predicted part (0 is background) and similarity of each annotated point that has a vertex."""
    x, y, w, h = person["bbox"]
    pixels = detection["iuv"]
    found = []
    for px, py, part, u, v in zip(*(person[f"dp_{key}"] for key in "xyIUV")):
        vertex = template.nearest(int(part), u, v)
        if vertex is None:
            continue
        column = int(px * w / 255 + x - detection["bbox"][0])
        row = int(py * h / 255 + y - detection["bbox"][1])
        its_part = its_u = its_v = 0
        if 0 <= row < pixels.shape[1] and 0 <= column < pixels.shape[2]:
            its_part, its_u, its_v = pixels[:, row, column].tolist()
        its_vertex = template.nearest(its_part, its_u / 255, its_v / 255)
        similarity = 0.0
        if its_vertex is not None:
            d = template.distances[template.unique[vertex]][template.unique[its_vertex]]
            k = kappa or MEANS[COARSE[template.part[vertex]]]
            similarity = math.exp(-(d**2) / (2 * k**2))
        found.append((int(part), its_part, similarity))
    return found


def gps(template, person, detection, kappa=0.0):
    values = [similarity for _, _, similarity in points(template, person, detection, kappa)]
    return sum(values) / len(values) if values else 0.0


def label_map(masks):
    labels = [[0] * 256 for _ in range(256)]
    for number, mask in enumerate(masks, start=1):
        if mask is not None:
            for row, column in zip(*np.nonzero(mask)):
                labels[row][column] = number
    return labels


def pixels_of_person(masks, box, height, width):
    """Return the set of (row, column) of a person's foreground in the image."""
    labels = label_map(masks)
    w, h = max(int(box[2]), 1), max(int(box[3]), 1)
    found = set()
    columns, rows = ([neighbors(place, size) for place in range(size)] for size in (w, h))
    for row, (upper, lower, down) in enumerate(rows):
        for column, (left, right, across) in enumerate(columns):
            value = 0.0
            for line, weight in ((upper, np.float32(1) - down), (lower, down)):
                mixed = labels[line][left] * float(np.float32(1) - across) + labels[line][right] * float(
                    across
                )
                value += mixed * float(weight)
            place = (row + int(box[1]), column + int(box[0]))
            if value > 0.5 and 0 <= place[0] < height and 0 <= place[1] < width:
                found.add(place)
    return found


def neighbors(place, size):
    f = np.float32((place + 0.5) * (256 / size) - 0.5)
    low = math.floor(f)
    if low < 0:
        return 0, 0, np.float32(0)
    if low >= 255:
        return 255, 255, np.float32(0)
    return low, low + 1, np.float32(f - np.float32(low))


def pixels_of_detection(detection, height, width):
    left, top = int(detection["bbox"][0]), int(detection["bbox"][1])
    places = {(row + top, column + left) for row, column in zip(*map(list, np.nonzero(detection["iuv"][0])))}
    return {(row, column) for row, column in places if 0 <= row < height and 0 <= column < width}


def over(shared, first, second, crowd):
    union = first if crowd else first + second - shared
    return shared / union if union else 0.0


def box_iou(detection, person, crowd):
    (x, y, w, h), (a, b, c, d) = detection, person
    width, height = min(x + w, a + c) - max(x, a), min(y + h, b + d) - max(y, b)
    return 0.0 if width <= 0 or height <= 0 else over(width * height, w * h, c * d, crowd)


def match(measure, overlap, detection_area, person_area, dense, crowd, bounds):
    """Match one image for one measure and area range; return matched and ignored, threshold by detection."""
    n_detections, n_persons = len(detection_area), len(person_area)
    low, high = bounds
    ignored_person = [not dense[g] or person_area[g] < low or person_area[g] > high for g in range(n_persons)]
    order = sorted(range(n_persons), key=lambda g: ignored_person[g])
    matched = [[-1] * n_detections for _ in THRESHOLDS]
    ignored = [[False] * n_detections for _ in THRESHOLDS]
    taken = [[False] * n_persons for _ in THRESHOLDS]
    for t, threshold in enumerate(THRESHOLDS):
        for d in range(n_detections):
            best, held = min(threshold, 1 - 1e-10), -1
            for g in order:
                if taken[t][g] and not crowd[g]:
                    continue
                if held >= 0 and not ignored_person[held] and ignored_person[g]:
                    break
                if measure[d][g] < best:
                    continue
                best, held = measure[d][g], g
            if held >= 0:
                matched[t][d], taken[t][held], ignored[t][d] = held, True, ignored_person[held]
    for d in range(n_detections):
        if matched[-1][d] >= 0:
            continue
        best, held = SECOND_PASS_IOU, -1
        for g in order:
            if taken[-1][g] and not crowd[g]:
                continue
            if overlap[d][g] >= best:
                best, held = overlap[d][g], g
        if held >= 0:
            for t in range(len(THRESHOLDS)):
                ignored[t][d] = ignored_person[held]
            if ignored_person[held]:
                matched[-1][d], taken[-1][held] = held, True
    for t in range(len(THRESHOLDS)):
        for d in range(n_detections):
            if matched[t][d] < 0 and not low <= detection_area[d] <= high:
                ignored[t][d] = True
            if all(ignored_person):
                ignored[t][d] = True
    return matched, ignored


def precision_and_recall(entries, n_persons):
    """Return the precision at 101 recalls and the largest recall; -1 where there are no persons.

    ``entries`` are (score, matched, ignored) of all detections, image by image in descending score.
    """
    if not n_persons:
        return [-1.0], -1.0
    true = false = 0
    curve = []
    for _, is_matched, is_ignored in sorted(entries, key=lambda entry: -entry[0]):
        if not is_ignored:
            true, false = true + is_matched, false + (not is_matched)
        curve.append((true / n_persons, true / (true + false + np.spacing(1))))
    precisions = [max((p for r, p in curve if r >= recall), default=0.0) for recall in RECALLS]
    return precisions, curve[-1][0] if curve else 0.0


def count_persons(image, bounds):
    return sum(d and bounds[0] <= a <= bounds[1] for d, a in zip(image["dense"], image["person_area"]))


def match_image(image, measure, bounds):
    sizes = image["detection_area"], image["person_area"]
    return match(image[measure], image["box_iou"], sizes[0], sizes[1], image["dense"], image["crowd"], bounds)


def entries(images, measure, bounds):
    """Return for each threshold what `precision_and_recall` needs of all detections."""
    outcomes = [match_image(image, measure, bounds) for image in images]
    return [
        [
            (score, matched[t][d] >= 0, ignored[t][d])
            for image, (matched, ignored) in zip(images, outcomes)
            for d, score in enumerate(image["score"])
        ]
        for t in range(len(THRESHOLDS))
    ]


def curves(images, measure, bounds):
    """Return the precision at 101 recalls and the largest recall for each threshold."""
    n_persons = sum(count_persons(image, bounds) for image in images)
    return [precision_and_recall(own, n_persons) for own in entries(images, measure, bounds)]


def average_precision(images, measure):
    """Return AP and AR for each area range and threshold.

    ``images`` hold, for their detections in descending score and their persons, ``score``, ``detection_area``,
    ``person_area``, ``dense``, ``crowd``, ``box_iou`` and the named measure.
    """
    return {
        (name, t): (sum(precisions) / len(precisions), recall)
        for name, bounds in AREAS.items()
        for t, (precisions, recall) in enumerate(curves(images, measure, bounds))
    }
