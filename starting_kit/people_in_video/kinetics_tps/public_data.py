"""The public data of Kinetics-TPS: the frames of each video, and all names of classes, parts and states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.public_data import (
    PublicData,
    PublicFiles,
    PublicReader,
    name_notes,
    read_object,
    read_vocabulary,
    refuse_public_data,
)
from scoring_program.challenges.kinetics_tps.measure import (
    find_true_frames,
    missing_prediction_notes,
    unknown_frame_notes,
)
from scoring_program.task import load_task
from scoring_program.vocabulary import Vocabulary
from validator.findings import Note
from validator.formats.kinetics_tps.read import PartStates, as_part_states, frames_of_videos, hints, read
from validator.formats.rules import load_rules

VIDEOS_FILE = "videos.json"


class PublicVideos(PublicData):
    """The frames of all videos, with nobody in them, and the names of each kind."""

    def __init__(self, task_id: str, frames: PartStates, vocabulary: Vocabulary) -> None:
        self._task_id = task_id
        self._frames = frames
        self._vocabulary = vocabulary

    def read_notes(self, submission: Path) -> list[Note]:
        """Return notes on videos, frames and names, and on what is missing. Raises Refused."""
        videos = self._frames.videos
        read_submission = read(submission, load_rules(self._task_id), frames_of_videos(self._frames))
        predicted = read_submission.content
        true_frame = find_true_frames(self._frames, predicted.parts)
        has_frame = np.zeros(len(self._frames.frames), dtype=bool)
        has_frame[true_frame[true_frame >= 0]] = True
        predicted_classes = [predicted.classes.get(video) for video in videos]
        return [
            *read_submission.notes,
            *unknown_frame_notes(self._frames, predicted.parts, true_frame),
            *missing_prediction_notes(predicted_classes, has_frame),
            *name_notes(load_task(self._task_id).submitted_names(predicted), self._vocabulary),
            *hints(predicted),
        ]


def _read(task_id: str, files: PublicFiles) -> PublicVideos:
    """Return the videos of ``videos.json``, and the names of ``vocabulary.json``. Raises Refused."""
    frames_of_video: dict[str, Any] = {}
    for video, names in read_object(files, VIDEOS_FILE).items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            refuse_public_data("videos are to have lists of names of frames", VIDEOS_FILE)
        frames_of_video[video] = {name: {"humans": []} for name in names}
    return PublicVideos(task_id, as_part_states(iter(frames_of_video.items())), read_vocabulary(files))


PUBLIC_READER = PublicReader(VIDEOS_FILE, _read)
