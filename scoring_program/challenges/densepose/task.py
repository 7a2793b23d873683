"""The task of COCO DensePose."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

import numpy as np

from scoring_program.challenges.densepose import evidence, prepare
from scoring_program.challenges.densepose.measure import (
    ImageStatistics,
    average,
    corrected_scores,
    measure,
    scores,
)
from scoring_program.challenges.densepose.page import sections
from scoring_program.challenges.densepose.reference import (
    CHALLENGE_VERTICES,
    HASH_FILE,
    PERSONS_FILE,
    Gathered,
    Reference,
    Template,
    content_hash,
    load_folder,
    read_submission,
    select_images,
)
from scoring_program.repairs.search import Comparison
from scoring_program.result import Section, Sections
from scoring_program.settings import SETTINGS_FILE, Settings
from scoring_program.task import Notes, Options, Task, declared_tasks
from validator.arrays import Floats
from validator.findings import Findings, Note, Read
from validator.formats.rules import load_rules
from validator.hints import empty_note, explain_boxes_outside, repeat_hints
from validator.submission import Source

_HASH_DIGITS = 12


class DensePose(Task[Reference, Gathered, ImageStatistics]):
    """AP over masked geodesic point similarity; both protocols are the same."""

    reference_files = prepare.OFFICIAL_FILES
    prepared_file = PERSONS_FILE

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Load the prepared reference; official files are prepared first, which needs h5py and takes time."""
        if not (folder / prepare.OFFICIAL_DISTANCES_FILE).is_file() or (folder / PERSONS_FILE).is_file():
            return load_folder(folder)
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            prepare.prepare(folder, work)
            prepared = load_folder(work)
            # The file of distances goes with its folder.
            template = prepared.template.in_memory()
        return prepared._replace(template=template)

    def check_reference(self, folder: Path, settings: Settings, reference: Reference) -> list[Note]:
        """Compare the prepared files with the hash that preparation left."""
        with Findings.collect() as findings:
            if (folder / PERSONS_FILE).is_file() and content_hash(folder) != reference.digest:
                problem = "the prepared files are not those that were prepared"
                remedy = "prepare the reference again, or upload it again"
                findings.add("E-REF-HASH", problem, remedy, file=HASH_FILE)
        return []

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Turn the official files into files that load fast; note a body template of another size."""
        prepare.prepare(source, output)
        template = load_folder(output).template
        return _notes_on_template(template, settings)

    def signature_parts(self, reference: Reference, settings: Settings) -> dict[str, str]:
        """Return the hash of a template that is not the challenge's and has no normalizers of its own."""
        template = reference.template
        if not _needs_normalizers(template, settings):
            return {}
        return {"template": template.distances_hash[:_HASH_DIGITS] or "unknown"}

    def reference_digest(self, folder: Path, settings: Settings, reference: Reference) -> str:
        """Return the hash that preparation left: hashing the files would take long in each run."""
        return reference.digest or super().reference_digest(folder, settings, reference)

    def items(self, reference: Reference) -> list[str]:
        """Return the ids of the images."""
        return [str(number) for number in reference.persons.image_id.tolist()]

    def select_items(self, reference: Reference, items: Collection[str]) -> Reference:
        """Return some images."""
        return reference._replace(persons=select_images(reference.persons, items))

    def read_submission(self, path: Source, reference: Reference) -> Read[Gathered]:
        """Check all detections and keep what matching needs."""
        return read_submission(path, load_rules(self.id), reference)

    def measure(self, reference: Reference, submission: Gathered, settings: Settings) -> ImageStatistics:
        """Match all detections with the persons of their images."""
        return measure(reference, submission, settings)

    def reduce(self, statistics: ImageStatistics, weights: Floats) -> Floats:
        """Return the average precision for each row of weights."""
        return average(statistics, weights)

    def scores(self, statistics: ImageStatistics) -> dict[str, float]:
        """Return the numbers of the leaderboard, and the AP at each threshold."""
        return scores(statistics)

    def error_costs(self, statistics: ImageStatistics) -> dict[str, float]:
        """Return the score without the errors of each type."""
        return corrected_scores(statistics)

    def sections(self, reference: Reference, submission: Gathered, statistics: ImageStatistics) -> Sections:
        """Return the sections of the detail page."""
        return sections(reference, statistics)

    def drawings(
        self, reference: Reference, submission: Gathered, statistics: ImageStatistics, number: int
    ) -> list[Section]:
        """Return the images that cost most; the detections drawn are decoded once more."""
        from scoring_program.challenges.densepose import drawings

        return drawings.drawings(reference, submission, statistics, number, load_rules(self.id))

    def hints(self, reference: Reference, submission: Gathered) -> Notes:
        """Return notes on empty, constant and repeated detections, and on boxes in 0..1 or outside."""
        if not submission.n_detections:
            return [empty_note()]
        notes = submission.hints.notes()
        return notes or _repeated_detections(submission) or _boxes_outside(reference, submission)

    def comparisons(self, reference: Reference, submission: Gathered) -> list[Comparison]:
        """Return what the search for repairs compares."""
        return evidence.comparisons(reference, submission)


def _needs_normalizers(template: Template, settings: Settings) -> bool:
    """Return whether the challenge's normalizers are used with another body template than the challenge's."""
    has_normalizers = settings["kappa"] or settings["mean_distances"]
    return template.n_vertices != CHALLENGE_VERTICES and not has_normalizers


def _notes_on_template(template: Template, settings: Settings) -> Notes:
    """Return a note if the normalizers do not belong to the template."""
    if not _needs_normalizers(template, settings):
        return []
    text = (
        f"the body template has {template.n_vertices:,} vertices; the normalizers of the similarity are "
        f"those of the challenge's, which has {CHALLENGE_VERTICES:,}. Declare mean_distances or kappa in "
        f"{SETTINGS_FILE}, or take scores as comparable with this template only"
    )
    return [Note("N-REF-TEMPLATE", text)]


def _boxes_outside(reference: Reference, submission: Gathered) -> Notes:
    """Return a note if many boxes reach beyond their images."""
    boxes = np.array([kept.box for kept in submission.kept]).reshape(-1, 4)
    images = np.array([kept.image for kept in submission.kept], dtype=np.int64)
    explanation = explain_boxes_outside(boxes, reference.persons.image_size[images])
    if not explanation:
        return []
    remedy = "Write pixels of the image as it is in the data, and check its id"
    return [Note("N-BOXES-OUTSIDE", f"{explanation}. {remedy}")]


def _repeated_detections(submission: Gathered) -> Notes:
    boxes = np.array([(kept.image, *kept.box) for kept in submission.kept]).reshape(-1, 5)
    consequence = "repeat a box of their image. All but one are false detections: write each once"
    return repeat_hints(boxes, "detection", consequence)


TASKS = declared_tasks(__file__, {"densepose": DensePose})
