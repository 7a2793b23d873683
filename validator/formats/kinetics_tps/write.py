"""Predictions for Kinetics-TPS as the two files of a submission.

Videos are plain data in the form of the file: a mapping of frames to ``{"humans": [...]}``, made by the
functions below.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validator.checking import Format
from validator.formats.kinetics_tps.read import check, hints, read

Json = dict[str, Any]
CLASSES_FILE = "pred_vid_result.json"
PARTS_FILE = "pred_part_result.json"
# The most humans of a frame, parts of a human, and proposals for a part that the schema allows.
MOST_HUMANS = 10
MOST_PARTS = 10
MOST_PROPOSALS = 5


def frame_name(number: int) -> str:
    """Return the name of a frame by its number in the video, counting from 1."""
    return f"img_{number:05d}.json"


def frame_number(name: str) -> int:
    """Return the number of a frame in the video by its name, as `frame_name` writes it."""
    return int(name.removeprefix("img_").removesuffix(".json"))


def frame_entry(humans: Sequence[Mapping[str, Any]]) -> Json:
    """Return the entry of a frame with humans, as `human_entry` returns them."""
    return {"humans": humans}


def human_entry(box: Sequence[float], parts: Mapping[str, Mapping[str, Any]]) -> Json:
    """Return the entry of a human with its box ``x1, y1, x2, y2`` and parts by name, as of `part_entry`."""
    return {"box": box, "parts": parts}


def part_entry(boxes: Sequence[Sequence[float]], states: Sequence[str]) -> Json:
    """Return the entry of a part with its proposals: boxes and as many states."""
    return {"box": boxes, "verb": states}


def encode_submission(
    classes: Mapping[str, str], videos: Mapping[str, Mapping[str, Any]]
) -> dict[str, bytes]:
    """Return both files by name.

    Parameters
    ----------
    classes : mapping of str to str
        The predicted action class of each video.
    videos : mapping of str to (mapping of str to frame)
        The frames of each video by name, as `frame_entry` returns them.
    """
    return {CLASSES_FILE: _encode(classes), PARTS_FILE: _encode(videos)}


def decode_predictions(files: Mapping[str, bytes]) -> Iterator[tuple[str, str, dict[int, list[Any]]]]:
    """Yield each video, its class, and the humans of its frames, from the files of a valid submission.

    A human is its box, and boxes and states of its parts by name.
    """
    videos = json.loads(files[PARTS_FILE])
    for video, action in json.loads(files[CLASSES_FILE]).items():
        frames = {}
        for name, frame in videos.get(video, {}).items():
            frames[frame_number(name)] = [_decode_human(human) for human in frame["humans"]]
        yield video, action, frames


def _decode_human(human: Json) -> tuple[Sequence[float], dict[str, tuple[Any, Any]]]:
    parts = {}
    for name, part in human["parts"].items():
        parts[name] = (part["box"], part["verb"])
    return human["box"], parts


def _encode(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(content, separators=(",", ":"))
    return f"{text}\n".encode()


FORMAT = Format(read, lambda submission, rules: hints(submission), check)
