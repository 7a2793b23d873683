"""Honest predictions of both sub-tasks and mistakes; see `quality.mistakes`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quality.mistakes import Boxes, Change, Files, Generator, Mistake, bias, moved, of_boxes, sizes


def honest(reference: Path, rng: Generator, noise: float) -> Any:
    """Return a prediction: right at ``noise`` 0, hardly anything right at 1."""
    data = json.loads((reference / "reference.json").read_text())
    generated = (reference / "lemmas.json").is_file()
    shift, missed = bias(rng, noise), 0.5 * noise * rng.random()
    predicted: dict[str, Any] = {}
    for video, content in data["annotations"].items():
        for number, segment in content["segments"].items():
            objects: dict[str, list[Any]] = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
            for (label,), (word,), frame, box in zip(
                *(segment[key] for key in ("process_clss", "process_idx", "frame_ind", "process_bnd_box"))
            ):
                if rng.random() < missed:
                    continue
                wrong = generated and rng.random() < noise / 2
                objects["clss"].append(str(rng.choice(data["vocab"])) if wrong else label)
                objects["idx_in_sent"].append(word)
                # On the other frames the object is near the same position, as in a video.
                boxes = [moved(box, rng, noise + 0.5 * abs(other - frame), shift) for other in range(10)]
                objects["bbox_for_all_frames"].append(boxes)
            predicted.setdefault(video, {})[number] = objects
    return predicted


def files(prediction: Any, mode: str) -> Files:
    """Return the files of a submission in this mode that holds this prediction."""
    content = {"results": prediction, "eval_mode": mode, "external_data": {"used": False, "details": ""}}
    return {f"submission_{mode.lower()}.json": json.dumps(content).encode()}


def each(field: str, change: Callable[[Any], Any]) -> Change:
    """Return a change of one field of all objects."""

    def made(prediction: Any) -> Any:
        for segments in prediction.values():
            for objects in segments.values():
                objects[field] = list(map(change, objects[field]))
        return prediction

    return made


def _each_box(change: Boxes) -> Change:
    return each("bbox_for_all_frames", lambda boxes: change(np.array(boxes)).tolist())


MISTAKES: Sequence[Mistake] = [
    *of_boxes(_each_box),
    ("[x, y, width, height]", "N-LOOKS-XYWH", _each_box(sizes)),
    (
        "boxes one frame late",
        "N-LOOKS-SHIFTED",
        _each_box(lambda boxes: np.concatenate([boxes[:1], boxes[:-1]])),
    ),
    (
        "boxes one frame early",
        "N-LOOKS-SHIFTED",
        _each_box(lambda boxes: np.concatenate([boxes[1:], boxes[-1:]])),
    ),
    ("nothing at all", "N-EMPTY", lambda prediction: {}),
]
