"""The task of COCO DensePose."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scoring_program.challenges.densepose.measure import (
    ImageStatistics,
    average,
    corrected_scores,
    measure,
    scores,
)
from scoring_program.challenges.densepose.page import sections
from scoring_program.challenges.densepose.reference import (
    Gathered,
    Keep,
    Keeper,
    Reference,
    load_folder,
    needs_normalizers,
    read_submission,
)
from scoring_program.result import Sections
from scoring_program.settings import Settings
from scoring_program.task import Notes, Task, declared_tasks
from validator.archive import Source
from validator.arrays import Floats
from validator.findings import Read
from validator.formats.rules import load_rules
from validator.hints import empty_note, repeat_hints
from validator.messages import Note
from validator.public_facts import explain_boxes_outside

_HASH_DIGITS = 12


class DensePose(Task[Reference, Gathered, ImageStatistics]):
    """AP over masked geodesic point similarity; both protocols are the same."""

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Load the prepared reference."""
        return load_folder(folder)

    def signature_parts(self, reference: Reference, settings: Settings) -> dict[str, str]:
        """Return the hash of a template that is not the challenge's and has no normalizers of its own."""
        template = reference.template
        if not needs_normalizers(template, settings):
            return {}
        return {"template": template.distances_hash[:_HASH_DIGITS] or "unknown"}

    def reference_digest(self, folder: Path, settings: Settings, reference: Reference) -> str:
        """Return the hash that preparation left: hashing the files would take long in each run."""
        return reference.digest or super().reference_digest(folder, settings, reference)

    def items(self, reference: Reference) -> list[str]:
        """Return the ids of the images."""
        return [str(number) for number in reference.persons.image_id.tolist()]

    def read_submission(self, path: Source, reference: Reference, keep: Keep | None = None) -> Read[Gathered]:
        """Check all detections and keep what matching needs, or what ``keep`` returns of each."""
        return read_submission(path, load_rules(self.id), reference, keep or Keeper(reference))

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

    def hints(self, reference: Reference, submission: Gathered) -> Notes:
        """Return notes on empty, constant and repeated detections, and on boxes in 0..1 or outside."""
        if not submission.n_detections:
            return [empty_note()]
        notes = submission.hints.notes()
        return notes or _repeated_detections(submission) or _boxes_outside(reference, submission)


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
