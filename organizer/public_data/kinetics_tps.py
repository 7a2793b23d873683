"""Public data of Kinetics-TPS: the frames of each video, and all names of classes, parts and states."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from organizer.files import Files
from organizer.public_data import (
    Leak,
    PublicData,
    PublicSource,
    differing_files,
    expected_vocabulary,
    json_bytes,
)
from scoring_program.challenges.kinetics_tps.public import public
from scoring_program.challenges.kinetics_tps.reference import PREPARED_FILE as PREPARED_FILE
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.challenges.kinetics_tps.task import TASKS
from scoring_program.scoring import AnyLoaded
from validator.texts import counted

VIDEOS_FILE = "videos.json"


def public_files(source: PublicSource) -> PublicData:
    """Return the names of the sampled frames of each video, and the vocabulary. Raises Refused."""
    reference: Reference = TASKS[source.task_id].load(source.folder, source.settings)
    frames_of_video = public(reference).frames_of_video
    n_added = sum(map(len, frames_of_video.values())) - len(reference.parts.frames)
    remarks = []
    if n_added:
        remarks.append(
            f"{counted(n_added, 'frame')} that the reference lacks between those of its videos: added"
        )
    return PublicData({VIDEOS_FILE: json_bytes(frames_of_video), **source.vocabulary_file()}, remarks)


def files_of_items(files: Files, items: Collection[str]) -> Files:
    """Return the frames of some videos, and all names."""
    frames_of_video = json.loads(files[VIDEOS_FILE])
    frames_of_part = {video: frames for video, frames in frames_of_video.items() if video in items}
    return {**files, VIDEOS_FILE: json_bytes(frames_of_part)}


def find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield the files that are not those of the reference."""
    videos = json_bytes(public(loaded.reference).frames_of_video)
    yield from differing_files(files, {VIDEOS_FILE: videos, **expected_vocabulary(loaded)})
