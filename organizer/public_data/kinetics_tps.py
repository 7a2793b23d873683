"""Public data of Kinetics-TPS: the frames of each video, and all names of classes, parts and states."""

from __future__ import annotations

import json
import re
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
from scoring_program.challenges.kinetics_tps.reference import PREPARED_FILE as PREPARED_FILE
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.challenges.kinetics_tps.task import TASKS
from scoring_program.task import AnyLoaded
from validator.texts import counted

VIDEOS_FILE = "videos.json"
# The challenge samples img_00001.json, img_00006.json, ...
_STEP = 5
_NAME = re.compile(r"img_([0-9]{5,9})\.json")


def public_files(source: PublicSource) -> PublicData:
    """Return the names of the sampled frames of each video, and the vocabulary. Raises Refused."""
    reference: Reference = TASKS[source.task_id].load_reference(source.folder, source.settings)
    frames_of_video = _sampled_frames(reference)
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
    videos = json_bytes(_sampled_frames(loaded.reference))
    yield from differing_files(files, {VIDEOS_FILE: videos, **expected_vocabulary(loaded)})


def _sampled_frames(reference: Reference) -> dict[str, list[str]]:
    """Return the frames of each video, ascending.

    Every fifth frame up to the last one of a video is among them, whether the reference has it or not: those
    that it lacks would tell where nobody is.
    """
    parts = reference.parts
    frames_of_video: dict[str, set[str]] = {video: set() for video in sorted(parts.videos)}
    for video, frame in zip(parts.frame_video.tolist(), parts.frames):
        frames_of_video[parts.videos[video]].add(frame)
    return {video: _with_all_sampled(frames) for video, frames in frames_of_video.items()}


def _with_all_sampled(frames: set[str]) -> list[str]:
    """Return the frames of a video and those sampled before the last of them, in ascending order."""
    numbers = []
    for frame in frames:
        match = _NAME.fullmatch(frame)
        if match:
            numbers.append(int(match[1]))
    sampled = {f"img_{number:05d}.json" for number in range(1, max(numbers, default=0) + 1, _STEP)}
    return sorted(frames | sampled)
