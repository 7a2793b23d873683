"""Encoding of predictions for ActivityNet-Entities: objects of segments as the one JSON file of a submission.

Results map videos to segments to objects, and are named as in the file:

>>> results = {"v_abc": {"0": no_objects()}}
>>> box = [10.0, 20.0, 110.0, 220.0]
>>> add_object(results["v_abc"]["0"], "man", 1, [box] * 10)
>>> list(encode_submission(results, "GT"))
['submission_gt.json']
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from validator.arrays import Floats
from validator.checking import Format
from validator.findings import Note
from validator.formats.anet_entities.read import MODES, Grounding, check, generated_hints, given_hints, read
from validator.formats.rules import Rules

# The objects of a segment: ``clss``, ``idx_in_sent`` and ``bbox_for_all_frames``, three lists of one length.
Objects = dict[str, Any]
Results = dict[str, dict[str, Objects]]


def segment_objects(classes: Sequence[str], word_indexes: Sequence[int], boxes: Sequence[Any]) -> Objects:
    """Return the objects of a segment.

    Parameters
    ----------
    classes : sequence of n str
    word_indexes : sequence of n int
        Positions of the words in the sentence, from 0.
    boxes : sequence of n lists of shape (10, 4)
        ``x1, y1, x2, y2`` in pixels on each of the ten sampled frames.
    """
    return {"clss": classes, "idx_in_sent": word_indexes, "bbox_for_all_frames": boxes}


def no_objects() -> Objects:
    """Return a segment without objects, which `add_object` fills."""
    return segment_objects([], [], [])


def add_object(objects: Objects, label: str, word_index: int, boxes: Sequence[Sequence[float]]) -> None:
    """Add an object with its ten boxes to those of its segment."""
    objects["clss"].append(label)
    objects["idx_in_sent"].append(word_index)
    objects["bbox_for_all_frames"].append(boxes)


def encode_submission(results: Results, mode: str, external_data: str = "") -> dict[str, bytes]:
    """Return the file of a submission by its name.

    Parameters
    ----------
    results : dict of dict of Objects
        The objects of each submitted segment, by video and segment.
    mode : str
        ``GT`` (given sentences) or ``gen`` (generated sentences).
    external_data : str
        What external data the method used; "" if none.
    """
    content = {
        "results": results,
        "eval_mode": mode,
        "external_data": {"used": bool(external_data), "details": external_data},
    }
    text = json.dumps(content, separators=(",", ":"))
    return {submission_name(mode): f"{text}\n".encode()}


def submission_name(mode: str) -> str:
    """Return the name of the file of a submission.

    >>> submission_name("GT")
    'submission_gt.json'
    """
    return f"submission_{mode.lower()}.json"


def decode_predictions(
    files: Mapping[str, bytes],
) -> Iterator[tuple[str, str, list[str], list[int], Floats]]:
    """Yield video, segment, classes, word indexes and boxes of each segment of a valid submission.

    Boxes have shape (n, 10, 4): those of each word in the 10 frames.
    """
    (data,) = files.values()
    for video, segments in json.loads(data)["results"].items():
        for segment, objects in segments.items():
            boxes = np.array(objects["bbox_for_all_frames"], dtype=np.float64).reshape(-1, 10, 4)
            yield video, segment, objects["clss"], objects["idx_in_sent"], boxes


def _task_hints(submission: Grounding, rules: Rules) -> list[Note]:
    return given_hints(submission) if MODES[rules.id] == "GT" else generated_hints(submission)


FORMAT = Format(read, _task_hints, check)
