"""Plain facts about a submission that hint at a mistake; no reference is needed to see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from validator.findings import Note
from validator.formats.densepose import Detection

_FEWEST_BOXES = 10
_FEWEST_ROWS = 4
_FEWEST_SCORES = 10
_DETECTIONS_SEEN = 200
EMPTY = Note(
    "N-EMPTY", "nothing is predicted in the whole submission. Was it written before the predictions were there?"
)


def box_facts(boxes: np.ndarray, what: str) -> list[Note]:
    """Return notes on boxes (n, 4) that all lie within 0..1, or are all one and the same."""
    if len(boxes) < _FEWEST_BOXES:
        return []
    if (boxes == boxes[0]).all():
        shown = ", ".join(f"{value:g}" for value in boxes[0].tolist())
        return [Note("N-LOOKS-CONSTANT", f"all {len(boxes):,} boxes of {what} are [{shown}]. Were they filled in?")]
    if boxes.min() >= 0 and boxes.max() <= 1:
        fix = "Write pixels: x times the width and y times the height of the image"
        return [Note("N-LOOKS-NORMALIZED", f"all {boxes.size:,} coordinates of {what} lie between 0 and 1. {fix}")]
    return []


def label_facts(labels: np.ndarray, what: str) -> list[Note]:
    """Return a note if all rows have the same label."""
    if len(labels) < _FEWEST_ROWS or (labels != labels[0]).any():
        return []
    text = f"all {len(labels):,} rows have the {what} {labels[0]}. Is the right column written?"
    return [Note("N-LOOKS-CONSTANT", text)]


@dataclass
class DetectionFacts:
    """What DensePose detections have in common: a consumer of detections that keeps a few extremes."""

    count: int = 0
    scores: tuple[float, float] = (np.inf, -np.inf)
    corners: tuple[float, float] = (np.inf, -np.inf)
    whole_corners: bool = True
    largest_uv: int = 0

    def take(self, detection: Detection) -> None:
        """Look at a detection; at the pixels of the first 200 only."""
        self.count += 1
        self.scores = _extremes(self.scores, detection.score)
        for value in detection.box[:2]:
            self.corners = _extremes(self.corners, value)
            self.whole_corners &= value.is_integer()
        if detection.index < _DETECTIONS_SEEN:
            self.largest_uv = max(self.largest_uv, int(detection.pixels[..., 1:].max()))

    def result(self) -> DetectionFacts:
        """Return itself: what was gathered in one process."""
        return self

    @staticmethod
    def joined(parts: Sequence[DetectionFacts]) -> DetectionFacts:
        """Return the facts of all processes as one."""
        return DetectionFacts(
            sum(part.count for part in parts),
            (min(part.scores[0] for part in parts), max(part.scores[1] for part in parts)),
            (min(part.corners[0] for part in parts), max(part.corners[1] for part in parts)),
            all(part.whole_corners for part in parts),
            max(part.largest_uv for part in parts),
        )

    def notes(self) -> list[Note]:
        """Return notes on coordinates in 0..1 and on scores that rank nothing."""
        found = []
        if not self.count:
            return [EMPTY]
        if self.corners[0] >= 0 and self.corners[1] <= 1 and not self.whole_corners:
            text = f"x and y of all {self.count:,} boxes lie between 0 and 1. Write pixels of the image"
            found.append(Note("N-LOOKS-NORMALIZED", text))
        if self.largest_uv <= 1:
            seen = min(self.count, _DETECTIONS_SEEN)
            text = f"U and V of the first {seen} detections are 0 or 1. Write round(255 * u)"
            found.append(Note("N-LOOKS-NORMALIZED", text))
        if self.count >= _FEWEST_SCORES and self.scores[0] == self.scores[1]:
            text = f"all {self.count:,} scores are {self.scores[0]:g}. AP ranks detections: give each its own score"
            found.append(Note("N-LOOKS-CONSTANT", text))
        return found


def _extremes(known: tuple[float, float], value: float) -> tuple[float, float]:
    return min(known[0], value), max(known[1], value)
