"""Honest predictions of both sub-tasks and mistakes; see `scoring_program.mistakes`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.mistakes import Boxes, Change, Files, Generator, Mistake, bias, moved, of_boxes, sizes


def honest(reference: Path, rng: Generator, noise: float) -> Any:
    """Return a prediction: right at ``noise`` 0, hardly anything right at 1."""
    data = json.loads((reference / "reference.json").read_text())
    generated = (reference / "lemmas.json").is_file()
    shift, missed = bias(rng, noise), 0.5 * noise * rng.random()
    guess: dict[str, Any] = {}
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
                # On the other frames the thing is about there too, as in a video.
                boxes = [moved(box, rng, noise + 0.5 * abs(other - frame), shift) for other in range(10)]
                objects["bbox_for_all_frames"].append(boxes)
            guess.setdefault(video, {})[number] = objects
    return guess


def files(prediction: Any, mode: str) -> Files:
    """Return the files of a submission in this mode that holds this prediction."""
    content = {"results": prediction, "eval_mode": mode, "external_data": {"used": False, "details": ""}}
    return {f"submission_{mode.lower()}.json": json.dumps(content).encode()}


def each_objects(prediction: Any) -> Iterator[dict[str, list[Any]]]:
    """Yield the objects of each segment."""
    for segments in prediction.values():
        yield from segments.values()


def each_box(change: Boxes) -> Change:
    """Return a change of the boxes of all objects."""

    def made(prediction: Any) -> Any:
        for objects in each_objects(prediction):
            own = objects["bbox_for_all_frames"]
            objects["bbox_for_all_frames"] = [change(np.array(boxes)).tolist() for boxes in own]
        return prediction

    return made


MISTAKES: Sequence[Mistake] = [
    *of_boxes(each_box),
    ("[x, y, width, height]", "N-LOOKS-XYWH", each_box(sizes)),
    ("boxes one frame late", "N-LOOKS-SHIFTED", each_box(lambda boxes: np.concatenate([boxes[:1], boxes[:-1]]))),
    ("boxes one frame early", "N-LOOKS-SHIFTED", each_box(lambda boxes: np.concatenate([boxes[1:], boxes[-1:]]))),
    ("nothing at all", "N-EMPTY", lambda prediction: {}),
]
