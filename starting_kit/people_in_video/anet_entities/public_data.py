"""The public data of ActivityNet-Entities: videos and segments of the skeleton, and the classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.anet_entities.frame_sizes import WIDTH, explain_boxes_outside
from people_in_video.public_data import (
    PublicData,
    PublicFiles,
    PublicReader,
    name_notes,
    read_object,
    read_vocabulary,
    refuse_public_data,
)
from scoring_program.challenges.anet_entities.measure import codes_explained_outside
from scoring_program.result import missing_notes
from scoring_program.task import load_task
from scoring_program.vocabulary import Vocabulary
from validator.findings import Note
from validator.formats.anet_entities.read import Grounding, read
from validator.formats.rules import load_rules
from validator.names import explain_unknown_members
from validator.texts import counted, quote

SKELETON_FILE = "skeleton.json"
Segment = tuple[str, str]


class PublicSegments(PublicData):
    """The segments of the skeleton, each a video and its name there, and the names of classes."""

    def __init__(
        self, task_id: str, videos: frozenset[str], segments: list[Segment], vocabulary: Vocabulary
    ) -> None:
        self._task_id = task_id
        self._videos = videos
        self._segments = segments
        self._vocabulary = vocabulary

    def read_notes(self, submission: Path) -> list[Note]:
        """Return notes on videos, segments, classes and boxes, and on what is missing. Raises Refused."""
        read_submission = read(submission, load_rules(self._task_id), self._videos)
        predicted = read_submission.content
        task = load_task(self._task_id)
        return [
            *read_submission.notes,
            *self._segment_notes(predicted.segments),
            *name_notes(task.submitted_names(predicted), self._vocabulary),
            *_box_notes(predicted),
            *task.hints(None, predicted),
        ]

    def _segment_notes(self, predicted_segments: list[Segment]) -> list[Note]:
        """Return a note on segments of known videos that are unknown, and one on those not submitted."""
        known_segments = set(self._segments)
        submitted_segments = set(predicted_segments)
        is_missing = np.array([segment not in submitted_segments for segment in self._segments], dtype=bool)
        notes = []
        unknown_segments = []
        for video, name in predicted_segments:
            if video in self._videos and (video, name) not in known_segments:
                unknown_segments.append((video, name))
        if unknown_segments:
            number = counted(len(unknown_segments), "submitted segment")
            video, name = unknown_segments[0]
            text = f"{number} not in the public data; the first is '{quote(name)}' of '{quote(video)}'"
            explanation = explain_unknown_members(predicted_segments, self._segments, "video")
            explains: tuple[str, ...] = ()
            if explanation:
                text += f"; {explanation}"
                explains = codes_explained_outside(len(unknown_segments), int(is_missing.sum()))
            notes.append(Note("N-SEGMENTS-OUTSIDE", text, explains))
        return notes + missing_notes("N-SEGMENTS-MISSING", "nothing submitted", is_missing, "segment")


def _box_notes(predicted: Grounding) -> list[Note]:
    """Return a note if boxes end beyond the right border of the resized video."""
    outside = explain_boxes_outside(predicted.box)
    if not outside:
        return []
    return [Note("N-BOXES-OUTSIDE", f"{outside}. Multiply x and y by {WIDTH} / width of the video")]


def _read(task_id: str, files: PublicFiles) -> PublicSegments:
    """Return the segments of ``skeleton.json`` and its vocabulary. Raises Refused."""
    skeleton = read_object(files, SKELETON_FILE)
    vocabulary = {**read_vocabulary(files)}
    if "vocab" in skeleton:
        vocabulary.setdefault("class", _class_names(skeleton["vocab"]))
    segments = []
    try:
        for video, content in skeleton["annotations"].items():
            segments += [(video, name) for name in content["segments"].keys()]  # noqa: SIM118 - lists have none
    except (KeyError, TypeError, AttributeError):
        refuse_public_data("it does not map annotations to videos with segments", SKELETON_FILE)
    return PublicSegments(task_id, frozenset(skeleton["annotations"]), segments, vocabulary)


def _class_names(vocab: Any) -> list[str]:
    """Return the names of classes in a skeleton. Raises Refused if they are anything else."""
    if not isinstance(vocab, list) or not all(isinstance(name, str) for name in vocab):
        refuse_public_data("its vocab is no list of names", SKELETON_FILE)
    return vocab


PUBLIC_READER = PublicReader(SKELETON_FILE, _read)
