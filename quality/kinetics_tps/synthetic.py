"""Synthetic data for Kinetics-TPS; a seed always gives the same bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from quality.task import write_json

Json = dict[str, Any]
CLASSES, PARTS = "pred_vid_result.json", "pred_part_result.json"
_TRUTH = "gt_vid_result.json", "gt_part_result.json"
STATES = ["bend", "carry", "hold", "kick", "look", "none", "press", "swing", "touch", "unbend"]
_CLASS_NAMES = ["climb_rope", "jump_rope", "paint_wall", "play_drums", "push_cart", "throw_ball"]
_PART_NAMES = [
    *("head", "left_arm", "right_arm", "left_hand", "right_hand"),
    *("hip", "left_leg", "right_leg", "left_foot", "right_foot"),
]


def write_videos(folder: Path, n_videos: int, n_frames: tuple[int, int], seed: int) -> None:
    """Write a reference; ``n_frames`` are the least and the largest number of frames of a video."""
    rng = random.Random(seed)
    classes, parts = {}, {}
    for index in range(n_videos):
        name = f"demo_{index:05d}"
        classes[name] = rng.choice(_CLASS_NAMES)
        n_sampled = rng.randint(*n_frames)
        n_humans = rng.choices([1, 2, 3, 4], [5, 3, 2, 1])[0]
        parts[name] = {
            f"img_{5 * frame + 1:05d}.json": {
                "humans": [_human(rng, number) for number in range(1, n_humans + 1)]
            }
            for frame in range(n_sampled)
        }
    for name, content in zip(_TRUTH, (classes, parts)):
        write_json(folder / name, content)


def _human(rng: random.Random, number: int) -> Json:
    left, top = 80 * number + rng.randrange(30), rng.randrange(40)
    width, height = rng.randrange(60, 100), rng.randrange(180, 280)
    parts = {}
    for part in rng.sample(_PART_NAMES, rng.randint(6, len(_PART_NAMES))):
        w, h = width // 3, height // 5
        x, y = left + rng.randrange(width - w), top + rng.randrange(height - h)
        parts[part] = {"number": 1, "box": [x, y, x + w, y + h], "verb": rng.choice(STATES), "name": part}
    return {"number": number, "box": [left, top, left + width, top + height], "parts": parts}


def frames_of(videos: Json) -> Iterator[Json]:
    """Yield each frame of all videos."""
    for frames in videos.values():
        yield from frames.values()


def humans_of(videos: Json) -> Iterator[Json]:
    """Yield each human of all frames."""
    for frame in frames_of(videos):
        yield from frame["humans"]


def parts_of(videos: Json) -> Iterator[Json]:
    """Yield each part of all humans."""
    for human in humans_of(videos):
        yield from human["parts"].values()


def each(items: Callable[[Json], Iterable[Json]], change: Callable[[Json], None]) -> Callable[[Json], Json]:
    """Return a change of some parts of all videos, which is made in place."""

    def change_all(videos: Json) -> Json:
        for item in items(videos):
            change(item)
        return videos

    return change_all


def write_prediction(reference: Path, folder: Path, jitter: int, wrong: float, most_proposals: int) -> None:
    """Write a submission: boxes off by up to ``jitter`` pixels, a share ``wrong`` of the names wrong."""
    rng = random.Random(7)
    classes, parts = (json.loads((reference / name).read_text(encoding="utf-8")) for name in _TRUTH)

    def moved(box: list[float]) -> list[float]:
        x1, y1, x2, y2 = (value + rng.uniform(-jitter, jitter) for value in box)
        return [round(value, 1) for value in (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))]

    def predicted(part: Json) -> Json:
        n = rng.choices(range(1, most_proposals + 1), range(most_proposals, 0, -1))[0]
        states = [part["verb"] if rng.random() > wrong else rng.choice(STATES) for _ in range(n)]
        return {"box": [moved(part["box"]) for _ in range(n)], "verb": states}

    for frame in frames_of(parts):
        frame["humans"] = [
            {
                "box": moved(human["box"]),
                "parts": {name: predicted(part) for name, part in human["parts"].items()},
            }
            for human in frame["humans"]
        ]
    chosen = {name: c if rng.random() > wrong else rng.choice(_CLASS_NAMES) for name, c in classes.items()}
    write_json(folder / CLASSES, chosen)
    write_json(folder / PARTS, parts)
