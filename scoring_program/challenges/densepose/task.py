"""The task of COCO DensePose."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from scoring_program.challenges.densepose import hints, measure, page, prepare
from scoring_program.challenges.densepose.measure import ImageStatistics
from scoring_program.challenges.densepose.reference import (
    DISTANCES_FILE,
    HASH_FILE,
    PERSONS_FILE,
    Gathered,
    Reference,
    content_hash,
    load_folder,
    read_submission,
)
from scoring_program.hints import likely_mistakes
from scoring_program.result import Section
from scoring_program.settings import Settings
from scoring_program.task import Notes, Options, Task, declared_tasks
from validator.archive import Source
from validator.findings import Findings, Read
from validator.formats.rules import load_rules
from validator.hints import EMPTY, repeat_hints
from validator.messages import Note


class DensePose(Task[Reference, Gathered, ImageStatistics]):
    """AP over masked geodesic point similarity; both protocols are the same."""

    reference_files = prepare.OFFICIAL_FILES
    prepared_file = PERSONS_FILE
    unknown_item_codes = ("E-DP-IMAGE",)
    reduce = staticmethod(measure.average)
    scores = staticmethod(measure.scores)
    error_costs = staticmethod(measure.error_costs)
    sections = staticmethod(page.sections)
    measure = staticmethod(measure.measure)

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Load the prepared reference; official files are prepared first, which needs h5py and takes time."""
        if not (folder / prepare.OFFICIAL_DISTANCES_FILE).is_file() or (folder / PERSONS_FILE).is_file():
            return load_folder(folder)
        with tempfile.TemporaryDirectory() as work:
            prepare.prepare(folder, Path(work))
            prepared = load_folder(Path(work))
            distances = np.fromfile(Path(work) / DISTANCES_FILE, "<f4")
        return prepared._replace(template=prepared.template._replace(distances=distances))

    def check_reference(self, folder: Path, settings: Settings, reference: Reference) -> list[Note]:
        """Compare the prepared files with the hash that preparation left."""
        with Findings.collect() as findings:
            if (folder / PERSONS_FILE).is_file() and content_hash(folder) != reference.digest:
                problem = "the prepared files are not those that were prepared"
                remedy = "prepare the reference again, or upload it again"
                findings.add("E-REF-HASH", problem, remedy, file=HASH_FILE)
        return []

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Turn the official files into files that load fast."""
        prepare.prepare(source, output)
        return []

    def reference_digest(self, folder: Path, settings: Settings, reference: Reference) -> str:
        """Return the hash that preparation left: hashing the files would take long in each run."""
        return reference.digest or super().reference_digest(folder, settings, reference)

    def items(self, reference: Reference) -> list[str]:
        """Return the ids of the images."""
        return [str(number) for number in reference.persons.image_id.tolist()]

    def read_submission(self, path: Source, reference: Reference) -> Read[Gathered]:
        """Check all detections and keep what matching needs."""
        return read_submission(path, load_rules(self.id), reference)

    def drawings(
        self, reference: Reference, submission: Gathered, statistics: ImageStatistics, number: int
    ) -> list[Section]:
        """Return the images that cost most; the detections drawn are decoded once more."""
        from scoring_program.challenges.densepose import drawings

        return drawings.drawings(reference, submission, statistics, number, load_rules(self.id))

    def hints(self, reference: Reference, submission: Gathered, settings: Settings, score: float) -> Notes:
        """Return notes on wrong boxes, parts, and coordinates."""
        boxes = np.array([(kept.image, *kept.box) for kept in submission.kept]).reshape(-1, 5)
        what = "repeat a box of their image. All but one are false detections: write each once"
        notes = submission.hints.notes() or repeat_hints(boxes, "detection", what)
        notes = notes if submission.n_detections else [EMPTY]
        return likely_mistakes(notes, lambda: hints.checks(reference, submission), settings, score)


TASKS = declared_tasks(__file__, {"densepose": DensePose})
