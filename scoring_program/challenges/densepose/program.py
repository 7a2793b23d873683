"""COCO DensePose: from detections and the prepared reference to AP over masked geodesic point similarity."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.challenge import Program, Settings
from scoring_program.challenges.densepose import losses, matching, preparation
from scoring_program.challenges.densepose.gathering import Gathered, Gatherer
from scoring_program.challenges.densepose.matching import MEASURES, Compared, Points
from scoring_program.challenges.densepose.reference import (
    DISTANCES_FILE,
    HASH_FILE,
    PERSONS_FILE,
    PREPARED_FILES,
    LoadedTemplate,
    Reference,
    content_hash,
    load_folder,
)
from scoring_program.metrics import average_precision
from scoring_program.metrics.arrays import Floats, Ints
from scoring_program.result import Statistics
from validator.check import check_submission
from validator.findings import Findings, Note, counted
from validator.formats.densepose import DetectionFacts
from validator.rules import load_rules


@dataclass(frozen=True)
class ImageStatistics(Statistics):
    """What became of the detections of each image; ``main`` is the number of the measure that is scored."""

    compared: Compared
    ranked: average_precision.Ranked
    points: Points
    main: int


class DensePose(Program[Reference, Gathered, ImageStatistics]):
    """The program of COCO DensePose; both protocols are the same."""

    reference_files = (*PREPARED_FILES, HASH_FILE)
    prepared_file = PERSONS_FILE

    def load_reference(self, folder: Path, settings: Settings, findings: Findings) -> Reference | None:
        """Load the prepared reference; the official files are prepared first, which needs h5py and takes
        time."""
        if (folder / preparation.DISTANCES_FILE).is_file() and not (folder / PERSONS_FILE).is_file():
            with tempfile.TemporaryDirectory() as work:
                preparation.prepare(folder, Path(work), findings)
                prepared = load_folder(Path(work), findings) if findings.ok else None
                if prepared is None:
                    return None
                distances = np.fromfile(Path(work) / DISTANCES_FILE, "<f4")
            template = LoadedTemplate(prepared.template.nearest, prepared.template.n_vertices, distances)
            return Reference(prepared.persons, template, prepared.digest)
        return load_folder(folder, findings)

    def check_reference(
        self, folder: Path, settings: Settings, reference: Reference, findings: Findings
    ) -> None:
        """Compare the prepared files with the hash that preparation left."""
        if (folder / PERSONS_FILE).is_file() and content_hash(folder) != reference.digest:
            hint = "prepare the reference again, or upload it again"
            findings.add(
                "E-REF-HASH", "the prepared files are not those that were prepared", hint, file=HASH_FILE
            )
        if not reference.persons.dense.any():
            findings.note("N-REF-EMPTY", "no person is densely annotated: every score is 0")

    def prepare_reference(
        self, source: Path, output: Path, settings: Settings, options: Mapping[str, Any], findings: Findings
    ) -> bool:
        """Turn the official files into what loads fast."""
        preparation.prepare(source, output, findings)
        return True

    def reference_digest(self, reference: Reference) -> str:
        """Return the hash of the prepared files, which would take long to compute in each run."""
        return reference.digest

    def read_submission(self, path: Path, reference: Reference, findings: Findings) -> Gathered | None:
        """Check all detections and keep what matching needs."""
        image_ids = frozenset(reference.persons.image_id.tolist())
        gathered: Sequence[Gathered] | None = check_submission(
            path,
            load_rules("densepose"),
            findings,
            image_ids=image_ids,
            make_consumer=lambda: Gatherer(reference),
        )
        if gathered is None:
            return None
        return Gathered(
            [kept for part in gathered for kept in part.kept],
            sum(part.n_detections for part in gathered),
            sum(part.n_other_categories for part in gathered),
            DetectionFacts.joined([part.facts for part in gathered]),
        )

    def measure(self, reference: Reference, submission: Gathered, settings: Settings) -> ImageStatistics:
        """Compare all detections with the persons of their images and match them."""
        persons, main = reference.persons, MEASURES.index(settings["measure"])
        by_image = matching.best_of_images(submission.kept, len(persons.image_id))
        points = matching.point_similarities(reference, by_image, settings["kappa"])
        compared = matching.compare(persons, by_image, points)
        ranked = average_precision.ranked(compared.matches, 0, main)
        n_dense = compared.n_annotated()
        item_scores = np.where(
            (n_dense > 0) & (compared.n_detections() > 0),
            compared.n_right(main) / np.maximum(n_dense, 1),
            np.nan,
        )
        notes = _notes(submission, len(compared.detections.score), compared.matches.n_persons.sum(axis=1))
        items = [str(number) for number in persons.image_id.tolist()]
        return ImageStatistics(items, item_scores, notes, compared, ranked, points, main)

    def reduce(self, statistics: ImageStatistics, weights: Floats) -> Floats:
        """Return the average precision."""
        return average_precision.weighted(statistics.ranked, weights)

    def scores(self, statistics: ImageStatistics) -> dict[str, float]:
        """Return AP and AR at the thresholds and areas, and the AP of the two factors of GPSm."""
        scores = _scores(average_precision.accumulate(statistics.compared.matches), statistics.main)
        covered = statistics.compared.n_detections()[statistics.compared.n_annotated() > 0] > 0
        return {"score": scores["ap"], "coverage": float(covered.mean()) if len(covered) else 0.0, **scores}

    def losses(self, statistics: ImageStatistics) -> dict[str, float]:
        """Return the AP without each kind of error of the matched pairs, false detections, or missed
        persons."""
        ones = np.ones((1, len(statistics.items)))
        fixed = losses.ranked_if_fixed(statistics.compared, statistics.points, statistics.main)
        return {fix: float(average_precision.weighted(ranked, ones)[0]) for fix, ranked in fixed.items()}


def _scores(curves: average_precision.PrecisionCurves, main: int) -> dict[str, float]:
    precision, recall = curves.precision[:, main], curves.recall[:, main]
    percents = [round(100 * threshold) for threshold in average_precision.THRESHOLDS]
    areas = list(enumerate(average_precision.AREAS))[1:]
    made: dict[str, float] = {}
    for name, values in (("ap", precision), ("ar", recall)):
        at = {
            f"{name}{percent}": curves.average(values[0, index], 0) for index, percent in enumerate(percents)
        }
        made |= {
            name: curves.average(values[0], 0),
            f"{name}50": at[f"{name}50"],
            f"{name}75": at[f"{name}75"],
        }
        made |= {f"{name}_{area}": curves.average(values[number], number) for number, area in areas}
        if name == "ap":
            made |= at
    for name in ("gps", "iou"):
        made[f"ap_{name}"] = curves.average(curves.precision[0, MEASURES.index(name)], 0)
    return made


def _notes(submission: Gathered, n_used: int, n_persons: Ints) -> list[Note]:
    notes = []
    undefined = [area for area, number in zip(average_precision.AREAS, n_persons.tolist()) if not number]
    if undefined:
        text = (
            f"no annotated person counts for the areas {', '.join(undefined)}; their scores are reported as 0"
        )
        notes.append(Note("N-AREA-EMPTY", text))
    if submission.n_other_categories:
        text = f"{counted(submission.n_other_categories, 'detection')} of other categories ignored"
        notes.append(Note("N-CATEGORY", text))
    dropped = submission.n_detections - submission.n_other_categories - n_used
    if dropped:
        most = average_precision.MOST_DETECTIONS
        text = f"{counted(dropped, 'detection')} beyond the {most} best of an image left out"
        notes.append(Note("N-DETECTIONS-MANY", text))
    return notes


PROGRAM = DensePose()
