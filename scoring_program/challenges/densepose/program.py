"""COCO DensePose: from detections and the prepared reference to AP over masked geodesic point similarity."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.challenges.densepose import preparation
from scoring_program.challenges.densepose import reference as ref
from scoring_program.challenges.densepose.reference import Persons, Reference
from scoring_program.metrics import average_precision as ap
from scoring_program.metrics import geodesic, masks
from scoring_program.result import (
    FULL,
    LEVELS,
    SUMMARY,
    BodyFigure,
    Column,
    Line,
    LineChart,
    Result,
    Section,
    StackedBar,
    Table,
)
from validator.check import check_submission
from validator.facts import DetectionFacts
from validator.findings import Findings
from validator.formats.densepose import Detection
from validator.rules import load_rules

REFERENCE_FILES = (*ref.PREPARED_FILES, ref.HASH_FILE)
NEEDS_PREPARING = True

MEASURES = ("gpsm", "gps", "iou")
_FINE_GROUPS = {
    "torso": (1, 2), "hands": (3, 4), "feet": (5, 6), "upper legs": (7, 8, 9, 10), "lower legs": (11, 12, 13, 14),
    "upper arms": (15, 16, 17, 18), "lower arms": (19, 20, 21, 22), "head": (23, 24),
}  # fmt: skip
_MASKS_KEPT = 256
_IMAGES_SHOWN = 500
_SCORE_BINS = 10
# So that no row says whether a single detection is right.
_FEWEST_IN_BIN = 10


@dataclass(frozen=True)
class Kept:
    """What matching needs of a detection."""

    index: int
    image: int
    box: tuple[float, float, float, float]
    score: float
    part: np.ndarray
    vertex: np.ndarray
    mask_iou: np.ndarray


@dataclass(frozen=True)
class Gathered:
    """What the detections of one process came to: at most 20 an image are kept."""

    kept: list[Kept]
    n_detections: int
    n_other_categories: int
    facts: DetectionFacts


class _Gatherer:
    """Keeps of each detection what it predicts at the points of its image's persons, and the IoU with their masks."""

    def __init__(self, reference: Reference) -> None:
        self._persons = reference.persons
        self._nearest = reference.template.nearest
        self._image = {image_id: place for place, image_id in enumerate(self._persons.image_id.tolist())}
        self._categories = set(self._persons.category.tolist())
        self._best: dict[int, list[tuple[float, int, Kept]]] = {}
        self._count = self._others = 0
        self._facts = DetectionFacts()
        self._mask = lru_cache(maxsize=_MASKS_KEPT)(self._person_mask)

    def take(self, detection: Detection) -> None:
        """Look at one detection."""
        self._count += 1
        self._facts.take(detection)
        if detection.category_id not in self._categories:
            self._others += 1
            return
        image = self._image[detection.image_id]
        best = self._best.setdefault(image, [])
        rank = (detection.score, -detection.index)
        if len(best) == ap.MOST_DETECTIONS and rank < best[0][:2]:
            return
        first, last = np.searchsorted(self._persons.image, [image, image + 1]).tolist()
        points = slice(*self._persons.point_start[[first, last]].tolist())
        part, vertex = geodesic.predicted_parts_and_vertices(
            detection.pixels, self._nearest, self._persons.x[points], self._persons.y[points], detection.box[:2]
        )
        left, top = int(detection.box[0]), int(detection.box[1])
        height, width = self._persons.image_size[image].tolist()
        own = masks.place_mask(detection.pixels[..., 0] > 0, top, left, height, width)
        overlap = np.array(
            [masks.mask_iou(own, self._mask(p), bool(self._persons.crowd[p])) for p in range(first, last)]
        )
        kept = Kept(
            detection.index,
            image,
            detection.box,
            detection.score,
            part.astype(np.int8),
            vertex.astype(np.int32),
            overlap,
        )
        push = heapq.heappush if len(best) < ap.MOST_DETECTIONS else heapq.heappushpop
        push(best, (*rank, kept))

    def _person_mask(self, person: int) -> masks.PlacedMask:
        row, column, height, width = self._persons.mask_place[person].tolist()
        runs = self._persons.run[slice(*self._persons.run_start[person : person + 2].tolist())]
        return masks.PlacedMask(row, column, masks.runs_to_mask(runs, height, width))

    def result(self) -> Gathered:
        """Return what was kept."""
        kept = [entry[2] for best in self._best.values() for entry in best]
        return Gathered(kept, self._count, self._others, self._facts)


def load_reference(folder: Path, settings: dict[str, Any], findings: Findings) -> Reference | None:
    """Load the prepared reference; the official files are prepared first, which needs h5py and takes time."""
    if (folder / preparation.DISTANCES_FILE).is_file() and not (folder / ref.PERSONS_FILE).is_file():
        with tempfile.TemporaryDirectory() as work:
            preparation.prepare(folder, Path(work), findings)
            prepared = ref.load_prepared(Path(work), findings) if findings.ok else None
            if prepared is None:
                return None
            distances = np.fromfile(Path(work) / ref.DISTANCES_FILE, "<f4")
        template = ref.LoadedTemplate(prepared.template.nearest, prepared.template.n_vertices, distances)
        return Reference(prepared.persons, template, prepared.digest)
    return ref.load_prepared(folder, findings)


def check_reference(folder: Path, settings: dict[str, Any], reference: Reference, findings: Findings) -> None:
    """Compare the prepared files with the hash that preparation left."""
    if (folder / ref.PERSONS_FILE).is_file() and ref.content_hash(folder) != reference.digest:
        hint = "prepare the reference anew, or upload it again"
        findings.add("E-REF-HASH", "the prepared files are not those that were prepared", hint, ref.HASH_FILE)
    if not reference.persons.dense.any():
        findings.note("N-REF-EMPTY", "no person is densely annotated: every score is 0")


def prepare_reference(
    source: Path, output: Path, settings: dict[str, Any], options: dict[str, Any], findings: Findings
) -> None:
    """Turn the official files into what loads fast."""
    preparation.prepare(source, output, findings)


def reference_digest(reference: Reference) -> str:
    """Return the hash of the prepared files, which would take long to compute in each run."""
    return reference.digest


def read_submission(path: Path, reference: Reference, findings: Findings) -> Gathered | None:
    """Check all detections and keep what matching needs; None after a problem."""
    found = check_submission(
        path,
        load_rules("densepose"),
        findings,
        image_ids=frozenset(reference.persons.image_id.tolist()),
        make_consumer=lambda: _Gatherer(reference),
    )
    if found is None:
        return None
    gathered: Sequence[Gathered] = found
    return Gathered(
        [kept for part in gathered for kept in part.kept],
        sum(part.n_detections for part in gathered),
        sum(part.n_other_categories for part in gathered),
        DetectionFacts.joined([part.facts for part in gathered]),
    )


@dataclass(frozen=True)
class _Points:
    """All pairs of a kept detection and a dense person of its image, point by point."""

    similarity: np.ndarray
    part: np.ndarray
    true_part: np.ndarray
    pair: np.ndarray


@dataclass(frozen=True)
class _Image:
    """One image with its detections in descending score: rows of pairs are numbered from ``first_pair``."""

    detections: list[Kept]
    first_person: int
    n_persons: int
    first_pair: int
    gps: np.ndarray
    iou: np.ndarray
    matches: ap.ImageMatches


def score(reference: Reference, submission: Gathered, settings: dict[str, Any]) -> Result:
    """Score a submission; both protocols are the same."""
    persons = reference.persons
    by_image: list[list[Kept]] = [[] for _ in range(len(persons.image_id))]
    for kept in submission.kept:
        by_image[kept.image].append(kept)
    for detections in by_image:
        detections.sort(key=lambda kept: (-kept.score, kept.index))
        del detections[ap.MOST_DETECTIONS :]
    points, gps = _similarities(reference, by_image, settings["kappa"])
    images = _match(persons, by_image, gps)
    curves = ap.accumulate([image.matches for image in images], len(MEASURES))
    main = MEASURES.index(settings["measure"])
    scores, undefined = _scores(curves, main)
    has_dense = np.bincount(persons.image[persons.dense], minlength=len(by_image)) > 0
    found = np.array([bool(detections) for detections in by_image], dtype=bool)
    scores["coverage"] = float(found[has_dense].mean()) if has_dense.any() else 0.0
    scores = {"score": scores["ap"], "coverage": scores.pop("coverage"), **scores}
    items = _items(persons, images, main)
    sections: list[Section] = []
    levels = LEVELS[settings["detail"]]
    if SUMMARY in levels:
        sections += _summary(persons, images, curves, points, main)
    if FULL in levels:
        sections.append(_image_table(items))
    notes = [f"No person counts for {', '.join(undefined)}; reported as 0."] if undefined else []
    if submission.n_other_categories:
        notes.append(f"{submission.n_other_categories} detections of other categories were ignored.")
    dropped = submission.n_detections - submission.n_other_categories - sum(map(len, by_image))
    if dropped:
        notes.append(f"{dropped} detections beyond the {ap.MOST_DETECTIONS} best of their image were left out.")
    return Result(scores, items, sections, notes)


def _similarities(reference: Reference, by_image: list[list[Kept]], kappa: float) -> tuple[_Points, list[np.ndarray]]:
    """Return the similarity of all points, and for each image the GPS (n_detections, n_persons)."""
    persons = reference.persons
    firsts = np.searchsorted(persons.image, np.arange(len(by_image) + 1))
    parts, vertices, true_points, pairs = [], [], [], []
    n_pairs = 0
    for image, detections in enumerate(by_image):
        first, last = int(firsts[image]), int(firsts[image + 1])
        points = np.arange(*persons.point_start[[first, last]].tolist())
        sizes = np.diff(persons.point_start[first : last + 1])
        for kept in detections:
            parts.append(kept.part)
            vertices.append(kept.vertex)
            true_points.append(points)
            pairs.append(n_pairs + np.repeat(np.arange(last - first), sizes))
            n_pairs += last - first
    empty = np.zeros(0, np.int64)
    part, vertex = np.concatenate([empty, *parts]), np.concatenate([empty, *vertices])
    true_point, pair = np.concatenate([empty, *true_points]), np.concatenate([empty, *pairs])
    true_vertex, true_part = persons.vertex[true_point], persons.part[true_point].astype(np.int64)
    distance = np.where(vertex == true_vertex, 0.0, np.inf)
    stored = (vertex != geodesic.NO_VERTEX) & (vertex != true_vertex)
    distance[stored] = reference.template.lookup(geodesic.pair_position(vertex[stored], true_vertex[stored]))
    normalizer = np.full(len(pair), kappa) if kappa else geodesic.MEAN_DISTANCES[geodesic.COARSE_PART[true_part]]
    similarity = geodesic.point_similarity(distance, stored, normalizer, pair, n_pairs)
    flat = geodesic.mean_similarity(similarity, pair, n_pairs)
    gps, begin = [], 0
    for image, detections in enumerate(by_image):
        n = int(firsts[image + 1] - firsts[image])
        gps.append(flat[begin : begin + n * len(detections)].reshape(len(detections), n))
        begin += n * len(detections)
    return _Points(similarity, part, true_part, pair), gps


def _match(persons: Persons, by_image: list[list[Kept]], gps: list[np.ndarray]) -> list[_Image]:
    images, first_pair = [], 0
    firsts = np.searchsorted(persons.image, np.arange(len(by_image) + 1)).tolist()
    for image, detections in enumerate(by_image):
        here = slice(firsts[image], firsts[image + 1])
        n_persons = here.stop - here.start
        iou = np.array([kept.mask_iou for kept in detections]).reshape(len(detections), n_persons)
        boxes = np.array([kept.box for kept in detections], dtype=np.float64).reshape(-1, 4)
        own = gps[image]
        measures = np.stack([np.sqrt(own * iou), own, iou])
        matches = ap.match_image(
            measures,
            ap.box_iou(boxes, persons.box[here], persons.crowd[here]),
            np.array([kept.score for kept in detections], dtype=np.float64),
            boxes[:, 2] * boxes[:, 3],
            persons.area[here],
            persons.dense[here],
            persons.crowd[here],
        )
        images.append(_Image(detections, here.start, n_persons, first_pair, own, iou, matches))
        first_pair += n_persons * len(detections)
    return images


def _scores(curves: ap.PrecisionCurves, main: int) -> tuple[dict[str, float], list[str]]:
    """Return all scores, and the names of those that are undefined and reported as 0."""
    areas = list(ap.AREAS)
    found: dict[str, float] = {}
    precision, recall = curves.precision[:, main], curves.recall[:, main]
    names = {0: "50", 5: "75"}
    found["ap"] = curves.average(precision[0], 0)
    for place, name in names.items():
        found[f"ap{name}"] = curves.average(precision[0, place], 0)
    for number, area in enumerate(areas[1:], start=1):
        found[f"ap_{area}"] = curves.average(precision[number], number)
    for place, threshold in enumerate(ap.THRESHOLDS):
        if place not in names:
            found[f"ap{round(100 * threshold)}"] = curves.average(precision[0, place], 0)
    found["ar"] = curves.average(recall[0], 0)
    for place, name in names.items():
        found[f"ar{name}"] = curves.average(recall[0, place], 0)
    for number, area in enumerate(areas[1:], start=1):
        found[f"ar_{area}"] = curves.average(recall[number], number)
    for name in ("gps", "iou"):
        found[f"ap_{name}"] = curves.average(curves.precision[0, MEASURES.index(name)], 0)
    undefined = [area for number, area in enumerate(areas) if not curves.n_persons[number]]
    return {key: max(value, 0.0) for key, value in found.items()}, [
        f"the areas {', '.join(undefined)}"
    ] if undefined else []


def _items(persons: Persons, images: list[_Image], main: int) -> dict[str, np.ndarray]:
    """Return one row an image: persons that count, detections, and matches at 0.5."""
    return {
        "image": persons.image_id,
        "persons": np.array([image.matches.n_persons[0] for image in images]),
        "detections": np.array([len(image.detections) for image in images]),
        "matched": np.array([int(_right(image, main).sum()) for image in images]),
    }


def _right(image: _Image, main: int) -> np.ndarray:
    return (image.matches.matched[0, main, 0] >= 0) & ~image.matches.ignored[0, main, 0]


def _summary(
    persons: Persons, images: list[_Image], curves: ap.PrecisionCurves, points: _Points, main: int
) -> list[Section]:
    thresholds = ap.THRESHOLDS.tolist()
    by_threshold = [
        Line(name, thresholds, [curves.average(curves.precision[0, m, t], 0) for t in range(len(thresholds))])
        for m, name in enumerate(("GPSm", "GPS", "IoU"))
    ]
    recalls = ap.RECALLS.tolist()
    pr = [
        Line(f"{threshold:.2f}", recalls, curves.precision[0, main, t].tolist())
        for t, threshold in enumerate(thresholds)
    ]
    matched = _matched_points(persons, images, points, main)
    return [
        LineChart(
            "Precision and recall", "One line a threshold, all areas.", pr, "recall", "precision", level=SUMMARY
        ),
        LineChart(
            "AP against threshold",
            "How strict a match must be; GPSm is the root of GPS times mask IoU.",
            by_threshold,
            "threshold",
            "AP",
            (0.5, 0.95, 0.0, 1.0),
            level=SUMMARY,
        ),
        _body(points, matched),
        _budget(persons, images, points, matched, main),
        _calibration(images, main),
    ]


def _matched_points(persons: Persons, images: list[_Image], points: _Points, main: int) -> np.ndarray:
    """Return which points belong to pairs that are matched at 0.5, as indexes into ``points``."""
    n_pairs = sum(image.n_persons * len(image.detections) for image in images)
    is_match = np.zeros(n_pairs, dtype=bool)
    for image in images:
        for d in np.flatnonzero(_right(image, main)).tolist():
            is_match[image.first_pair + d * image.n_persons + int(image.matches.matched[0, main, 0, d])] = True
    return np.flatnonzero(is_match[points.pair]) if len(points.pair) else np.zeros(0, np.int64)


def _body(points: _Points, matched: np.ndarray) -> BodyFigure:
    rows = []
    for name, fine in _FINE_GROUPS.items():
        here = matched[np.isin(points.true_part[matched], fine)]
        rows.append((name, float(points.similarity[here].mean()) if len(here) else None, len(here)))
    note = "Mean over the points of persons matched at 0.5."
    return BodyFigure("GPS by body part", note, rows, SUMMARY)


def _budget(persons: Persons, images: list[_Image], points: _Points, matched: np.ndarray, main: int) -> StackedBar:
    """Return where the geodesic similarity of all persons that count is lost, point by point."""
    n_points = np.diff(persons.point_start)
    total = int(n_points[persons.dense].sum())
    part, true_part, similarity = points.part[matched], points.true_part[matched], points.similarity[matched]
    background, wrong = part == 0, (part > 0) & (part != true_part)
    within = (part > 0) & (part == true_part)
    scale = max(total, 1)
    shares = [
        ("kept", float(similarity.sum()) / scale),
        ("missed person", (total - len(matched)) / scale),
        ("background at the point", float((1 - similarity[background]).sum()) / scale),
        ("wrong part", float((1 - similarity[wrong]).sum()) / scale),
        ("off within the part", float((1 - similarity[within]).sum()) / scale),
    ]
    return StackedBar(
        "Where the similarity is lost", "Shares of all annotated points; matches at 0.5.", shares, SUMMARY
    )


def _calibration(images: list[_Image], main: int) -> Table:
    scores = np.concatenate([np.zeros(0), *(image.matches.score for image in images)])
    right = np.concatenate([np.zeros(0, bool), *(_right(image, main) for image in images)])
    counts = np.concatenate([np.zeros(0, bool), *(~image.matches.ignored[0, main, 0] for image in images)])
    scores, right = scores[counts], right[counts]
    n_bins = max(min(_SCORE_BINS, len(scores) // _FEWEST_IN_BIN), 1)
    rows = []
    for place, chunk in enumerate(np.array_split(np.argsort(-scores, kind="stable"), n_bins)):
        if len(chunk):
            rows.append(
                (
                    f"{place + 1}",
                    f"{scores[chunk[-1]]:.4g} to {scores[chunk[0]]:.4g}",
                    len(chunk),
                    float(right[chunk].mean()),
                )
            )
    columns = [
        Column("Group, best first"),
        Column("Scores"),
        Column("Detections", "count"),
        Column("Right at 0.5", "share"),
    ]
    return Table(
        "Score calibration",
        "Groups of equally many detections by their score; those that are ignored are left out.",
        columns,
        rows,
        SUMMARY,
    )


def _image_table(items: dict[str, np.ndarray]) -> Table:
    missing = items["persons"] - items["matched"]
    rows = [
        (str(items["image"][i]), int(items["persons"][i]), int(items["detections"][i]), int(items["matched"][i]))
        for i in np.argsort(-missing, kind="stable")[:_IMAGES_SHOWN].tolist()
    ]
    columns = [
        Column("Image"),
        Column("Persons", "count"),
        Column("Detections", "count"),
        Column("Matched at 0.5", "count"),
    ]
    return Table("Images", f"Those with most missed persons first, at most {_IMAGES_SHOWN}.", columns, rows, FULL)
