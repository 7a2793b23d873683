"""What is public of DensePose: the images with their sizes; and what that says of a submission."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.densepose.reference import Gathered, Images, Reference
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from validator.findings import Note
from validator.hints import empty_note, repeat_hints
from validator.texts import counted

_LEAST_BOXES_OUTSIDE = 5
# Boxes of detectors that are not cut at the border of the image reach beyond it, but not far.
_BEYOND = 1.1
_LEAST_SHARE_OUTSIDE = 0.1


def public(reference: Reference) -> Images:
    """Return the images of a reference."""
    persons = reference.persons
    return Images(persons.image_id, persons.image_size, persons.category)


def notes(submission: Gathered, public: Images) -> list[Note]:
    """Return notes on detections that do not count, and on likely mistakes."""
    return [*_unused_notes(submission), *_mistake_notes(submission, public)]


def _mistake_notes(submission: Gathered, public: Images) -> list[Note]:
    """Return notes on empty, constant and repeated detections, and on boxes in 0..1 or outside."""
    if not submission.n_detections:
        return [empty_note()]
    notes = submission.hints.notes()
    return notes or _repeated_detections(submission) or _boxes_outside(submission, public)


def _unused_notes(submission: Gathered) -> list[Note]:
    """Return notes on detections that are not looked at."""
    notes = []
    if submission.n_other_categories:
        text = f"{counted(submission.n_other_categories, 'detection')} of other categories ignored; "
        explains = () if submission.kept else ("N-IMAGES-MISSING",)
        notes.append(Note("N-CATEGORY", f"{text}write category_id 1", explains))
    n_ignored = submission.n_other_categories + submission.n_other_images
    n_dropped = submission.n_detections - n_ignored - len(submission.kept)
    if n_dropped:
        text = f"{counted(n_dropped, 'detection')} beyond the {MOST_DETECTIONS} best of an image left out"
        notes.append(Note("N-DETECTIONS-MANY", text))
    return notes


def _boxes_outside(submission: Gathered, public: Images) -> list[Note]:
    """Return a note on how far boxes reach beyond their images if many do."""
    if len(submission.kept) < _LEAST_BOXES_OUTSIDE:
        return []
    boxes = np.array([detection.box for detection in submission.kept])
    images = np.array([detection.image for detection in submission.kept], dtype=np.int64)
    lower_right = boxes[:, :2] + boxes[:, 2:]
    # Images have a height and a width.
    reach = lower_right / public.image_size[images, ::-1]
    is_outside = (reach > _BEYOND).any(axis=1)
    if is_outside.mean() < _LEAST_SHARE_OUTSIDE:
        return []
    times_width, times_height = reach.max(axis=0).tolist()
    boxes_outside = f"{int(is_outside.sum()):,} of {counted(len(boxes), 'box', 'boxes')}"
    largest = f"up to {times_width:.3g} times its width and {times_height:.3g} times its height"
    remedy = "Write pixels of the image as it is in the data, and check its id"
    return [Note("N-BOXES-OUTSIDE", f"{boxes_outside} reach beyond their image, {largest}. {remedy}")]


def _repeated_detections(submission: Gathered) -> list[Note]:
    boxes = np.array([(detection.image, *detection.box) for detection in submission.kept]).reshape(-1, 5)
    consequence = "repeat a box of their image. All but one are false detections: write each once"
    return repeat_hints(boxes, "detection", consequence)
