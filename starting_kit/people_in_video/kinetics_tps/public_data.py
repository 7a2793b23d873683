"""The public data of Kinetics-TPS: the frames of each video, and all names of classes, parts and states."""

from __future__ import annotations

from people_in_video.public_data import (
    PublicFiles,
    PublicReader,
    read_object,
    read_vocabulary,
    refuse_public_data,
)
from scoring_program.challenges.kinetics_tps.public import PublicVideos

VIDEOS_FILE = "videos.json"


def _read(task_id: str, files: PublicFiles) -> PublicVideos:
    """Return the videos of ``videos.json``, and the names of ``vocabulary.json``. Raises Refused."""
    frames_of_video = read_object(files, VIDEOS_FILE)
    for names in frames_of_video.values():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            refuse_public_data("videos are to have lists of names of frames", VIDEOS_FILE)
    return PublicVideos(frames_of_video, read_vocabulary(files))


PUBLIC_READER = PublicReader(VIDEOS_FILE, _read)
