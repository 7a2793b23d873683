"""The scores of DensePose, from pages/densepose.md; one image, one detection, one person and one point at a time."""

from __future__ import annotations

import base64
import io
import json
import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.io
from PIL import Image

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0, 1, 101)
AREAS = {"": (0, math.inf), "_medium": (32**2, 96**2), "_large": (96**2, math.inf)}
# The coarse part of each part, 0 for the background, and the mean distance of each coarse part.
COARSE = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8]
MEAN_DISTANCES = [0.351, 0.107, 0.126, 0.237, 0.173, 0.142, 0.128, 0.150]


def scores(reference: Path, submission: Path, protocol: str, **settings: Any) -> dict[str, float]:
    """Return all columns of a submission."""
    images = read_images(reference, submission, **settings)
    measure = settings.get("measure", "gpsm")
    columns = {}
    for area, bounds in AREAS.items():
        precision, recall = average_precision(images, measure, bounds)
        columns[f"ap{area}"], columns[f"ar{area}"] = precision.mean(), recall.mean()
        if not area:
            for number, threshold in enumerate(range(50, 100, 5)):
                columns[f"ap{threshold}"] = precision[number]
            columns["ar50"], columns["ar75"] = recall[0], recall[5]
    columns["ap_gps"], columns["ap_iou"] = (
        average_precision(images, name, AREAS[""])[0].mean() for name in ("gps", "iou")
    )
    dense = [image for image in images if any("dp_x" in person for person in image.persons)]
    columns["coverage"] = sum(bool(image.detections) for image in dense) / (len(dense) or 1)
    return {"score": columns["ap"], **columns}


def read_images(reference: Path, submission: Path, **settings: Any) -> list[ImageRecord]:
    """Return all images in ascending order of their ids."""
    data = json.loads((reference / "annotations.json").read_text())
    (file,) = submission.glob("densepose_*_results.json")
    detections = json.loads(file.read_text())
    template = Template(reference, **settings)
    images = []
    for image in sorted(data["images"], key=lambda image: image["id"]):
        persons = [person for person in data["annotations"] if person["image_id"] == image["id"]]
        found = [detection for detection in detections if detection["image_id"] == image["id"]]
        found = sorted(found, key=lambda detection: -detection["score"])[:20]
        images.append(ImageRecord(image, persons, found, template))
    return images


class Template:
    """The body template: vertices by part, U and V, distances between them, and mean distances."""

    def __init__(self, folder: Path, kappa: float = 0.0, mean_distances: Any = (), **_: Any) -> None:
        mean_distances = [kappa] * 8 if kappa else list(mean_distances) or MEAN_DISTANCES
        self.scale = [mean_distances[coarse - 1] for coarse in COARSE]
        charts = scipy.io.loadmat(folder / "SMPL_subdiv.mat")
        self.u, self.v, self.part = (charts[f"{name}_subdiv"].ravel() for name in ("U", "V", "Part_ID"))
        self.unique = scipy.io.loadmat(folder / "SMPL_SUBDIV_TRANSFORM.mat")["index"].ravel().astype(int) - 1
        with h5py.File(folder / "Pdist_matrix.mat") as file:
            self.distances = np.array(next(iter(file.values()))).ravel()

    def vertex(self, part: int, u: float, v: float) -> int:
        (candidates,) = np.nonzero(self.part == part)
        distances = np.sqrt((self.u[candidates] - u) ** 2 + (self.v[candidates] - v) ** 2)
        return int(self.unique[candidates[np.argmin(distances)]])

    def distance(self, vertex: int, other: int) -> float:
        low, high = sorted((vertex, other))
        return 0.0 if low == high else float(self.distances[high * (high - 1) // 2 + low])


class ImageRecord:
    """The persons and detections of an image, and for each pair its points, three similarities and the IoU of boxes."""

    def __init__(self, image: dict, persons: list[dict], detections: list[dict], template: Template) -> None:
        self.name, self.persons, self.detections = str(image["id"]), persons, detections
        self.has_points = ["dp_x" in person for person in persons]
        shape = image["height"], image["width"]
        arrays = [pixels(detection) for detection in detections]
        true_masks = [placed(true_mask(person), person["bbox"], shape) for person in persons]
        masks = [
            placed(array[0] > 0, detection["bbox"], shape) for array, detection in zip(arrays, detections)
        ]
        self.similarity = {name: np.zeros((len(detections), len(persons))) for name in ("gpsm", "gps", "iou")}
        self.box_iou = np.zeros((len(detections), len(persons)))
        self.points: dict[tuple[int, int], list[tuple[int, int, float]]] = {}
        for i, detection in enumerate(detections):
            for j, person in enumerate(persons):
                self.box_iou[i, j] = box_iou(detection["bbox"], person["bbox"], person["iscrowd"])
                if self.has_points[j]:
                    self.points[i, j] = similar_points(person, detection["bbox"], arrays[i], template)
                    gps = mean([similarity for _, _, similarity in self.points[i, j]])
                    iou = mask_iou(masks[i], true_masks[j], person["iscrowd"])
                    for name, value in zip(("gpsm", "gps", "iou"), (math.sqrt(gps * iou), gps, iou)):
                        self.similarity[name][i, j] = value


def pixels(detection: dict) -> np.ndarray:
    """Return parts, U and V of a detection, shape (3, h, w)."""
    image = Image.open(io.BytesIO(base64.b64decode(detection["uv_data"])))
    return np.array(image).transpose(2, 0, 1)


def similar_points(person: dict, box: list[float], array: np.ndarray, template: Template) -> list[tuple]:
    """Return true part, predicted part and similarity of each point."""
    left, top, width, height = person["bbox"]
    points = []
    for x, y, part, u, v in zip(*(person[f"dp_{name}"] for name in "xyIUV")):
        if not 1 <= part <= 24:
            continue
        column = int(x / 255 * width + left - box[0])
        row = int(y / 255 * height + top - box[1])
        inside = 0 <= column < array.shape[2] and 0 <= row < array.shape[1]
        predicted_part, predicted_u, predicted_v = map(int, array[:, row, column]) if inside else (0, 0, 0)
        similarity = 0.0
        if predicted_part:
            true_vertex = template.vertex(part, u, v)
            vertex = template.vertex(predicted_part, predicted_u / 255, predicted_v / 255)
            scale = template.scale[int(part)]
            similarity = math.exp(-(template.distance(vertex, true_vertex) ** 2) / (2 * scale**2))
        points.append((int(part), predicted_part, similarity))
    return points


def mean(values: list[float]) -> float:
    return sum(values) / (len(values) or 1)


def true_mask(person: dict) -> np.ndarray:
    """Return the annotated mask of a person, resized to its box."""
    _, _, width, height = map(int, person["bbox"])
    labels = np.zeros((256, 256))
    for label, mask in enumerate(person.get("dp_masks", []), start=1):
        if mask:
            labels[decoded(mask)] = label
    return resized(resized(labels.T, width).T, height) > 0.5


def decoded(mask: dict) -> np.ndarray:
    """Return a mask of COCO's run-length code: runs down the columns, in five bits a character."""
    runs, number, shift = [], 0, 0
    for character in mask["counts"].encode():
        code = character - 48
        number |= (code & 0x1F) << shift
        shift += 5
        if not code & 0x20:
            if code & 0x10:
                number -= 1 << shift
            runs.append(number + (runs[-2] if len(runs) > 2 else 0))
            number = shift = 0
    values = np.arange(len(runs)) % 2 == 1
    return np.repeat(values, runs).reshape(mask["size"][::-1]).T


def resized(values: np.ndarray, length: int) -> np.ndarray:
    """Return rows resized to a number of rows by linear interpolation between the centers of pixels."""
    places = ((np.arange(length) + 0.5) * (len(values) / length) - 0.5).astype(np.float32)
    below = np.clip(np.floor(places).astype(int), 0, len(values) - 2)
    weight = np.clip(places - below.astype(np.float32), 0, 1)[:, None]
    return values[below] * (np.float32(1) - weight).astype(float) + values[below + 1] * weight.astype(float)


def placed(mask: np.ndarray, box: list[float], shape: tuple[int, int]) -> np.ndarray:
    """Return a mask on its image."""
    image = np.zeros(shape, bool)
    rows, columns = np.nonzero(mask)
    rows, columns = rows + int(box[1]), columns + int(box[0])
    inside = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
    image[rows[inside], columns[inside]] = True
    return image


def mask_iou(mask: np.ndarray, true: np.ndarray, is_crowd: bool) -> float:
    shared = np.count_nonzero(mask & true)
    return shared / ((np.count_nonzero(mask) if is_crowd else np.count_nonzero(mask | true)) or 1)


def box_iou(box: list[float], true: list[float], is_crowd: bool) -> float:
    width = min(box[0] + box[2], true[0] + true[2]) - max(box[0], true[0])
    height = min(box[1] + box[3], true[1] + true[3]) - max(box[1], true[1])
    shared = max(width, 0) * max(height, 0)
    area, true_area = box[2] * box[3], true[2] * true[3]
    return shared / (area if is_crowd else area + true_area - shared)


def average_precision(
    images: list[ImageRecord], measure: str, bounds: tuple
) -> tuple[np.ndarray, np.ndarray]:
    """Return AP and recall at each threshold."""
    curves, recalls = curves_of(images, measure, bounds)
    return np.array([mean(precisions) for precisions in curves]), np.array(recalls)


def curves_of(
    images: list[ImageRecord], measure: str, bounds: tuple
) -> tuple[list[list[float]], list[float]]:
    """Return for each threshold the precision at 101 recalls, and the largest recall."""
    ranking, n_persons = [], 0
    for image in images:
        persons, ignored, n_scored = match(image, measure, bounds)
        if n_scored:
            n_persons += n_scored
            scores = [detection["score"] for detection in image.detections]
            ranking += list(zip(scores, (persons >= 0).T, ignored.T))
    ranking.sort(key=lambda entry: -entry[0])
    curves, recalls = [], []
    for t in range(len(THRESHOLDS)):
        curve, right, wrong = [(0.0, 0.0)], 0, 0
        for _, matched, ignored in ranking:
            if not ignored[t]:
                right, wrong = right + int(matched[t]), wrong + int(not matched[t])
            curve.append((right / n_persons, right / ((right + wrong) or 1)))
        curves.append([max((p for recall, p in curve if recall >= level), default=0.0) for level in RECALLS])
        recalls.append(curve[-1][0])
    return curves, recalls


def match(image: ImageRecord, measure: str, bounds: tuple) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the matched person (-1 is none) and whether a detection is ignored, each (threshold, detection), and the
    number of scored persons."""
    low, high = bounds
    is_scored = [
        points and low <= person["area"] <= high for points, person in zip(image.has_points, image.persons)
    ]
    # Persons that are scored come first; detections are in the order of their scores.
    order = sorted(range(len(image.persons)), key=lambda j: not is_scored[j])
    is_crowd = [person["iscrowd"] for person in image.persons]
    persons = np.full((len(THRESHOLDS), len(image.detections)), -1)
    ignored = np.zeros(persons.shape, bool)
    for t, threshold in enumerate(THRESHOLDS):
        taken = set()
        for i in range(len(image.detections)):
            best, best_similarity = None, threshold
            for j in order:
                similarity = image.similarity[measure][i, j]
                if j in taken and not is_crowd[j]:
                    continue
                if best is not None and is_scored[best] and not is_scored[j]:
                    break
                if similarity >= best_similarity:
                    best, best_similarity = j, similarity
            if best is not None:
                persons[t, i], ignored[t, i] = best, not is_scored[best]
                taken.add(best)
    # The second pass, with what is taken at the last threshold.
    for i in range(len(image.detections)):
        best, best_overlap = None, 0.8
        for j in order:
            if (j not in taken or is_crowd[j]) and image.box_iou[i, j] >= best_overlap:
                best, best_overlap = j, image.box_iou[i, j]
        if persons[-1, i] < 0 and best is not None:
            ignored[:, i] = not is_scored[best]
            if not is_scored[best]:
                persons[-1, i] = best
                taken.add(best)
    for i, detection in enumerate(image.detections):
        area = detection["bbox"][2] * detection["bbox"][3]
        if not low <= area <= high:
            ignored[:, i] |= persons[:, i] < 0
    return persons, ignored, sum(is_scored)
