"""Synthetic data: a small demo reference, samples, and full-size benchmark data.

Everything comes from Python's own generator with a fixed seed, so each run writes the same bytes.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from quality.demo import write_json

_CLASSES = ["climb_rope", "jump_rope", "paint_wall", "play_drums", "push_cart", "throw_ball"]
_PARTS = [
    *("head", "left_arm", "right_arm", "left_hand", "right_hand"),
    *("hip", "left_leg", "right_leg", "left_foot", "right_foot"),
]
STATES = ["bend", "carry", "hold", "kick", "look", "none", "press", "swing", "touch", "unbend"]
_FULL_VIDEOS = 932
Video = dict[str, Any]


def write_reference(folder: Path, seed: int = 2021, size: int = 1) -> None:
    """Write the demo reference: 36 videos of two sampled frames, times ``size``."""
    _write_reference(folder, 36 * size, 2, 2, seed)


def write_samples(reference: Path, folder: Path) -> None:
    """Write a good and a weak prediction for a reference, one folder each."""
    _predict(reference, folder / "good", jitter=6, wrong=0.05, most_proposals=2)
    _predict(reference, folder / "weak", jitter=25, wrong=0.4, most_proposals=5)


def write_full_size(folder: Path, scale: float) -> None:
    """Write ``ref/`` and ``res/`` of the challenge's size times ``scale``: about 70 MB of predictions at
    1."""
    _write_reference(folder / "ref", max(round(_FULL_VIDEOS * scale), 1), 38, 42, 2021)
    _predict(folder / "ref", folder / "res", jitter=10, wrong=0.2, most_proposals=5)


def _write_reference(folder: Path, n_videos: int, fewest_frames: int, most_frames: int, seed: int) -> None:
    rng = random.Random(seed)
    classes, parts = {}, {}
    for index in range(n_videos):
        name = f"demo_{index:05d}"
        classes[name] = rng.choice(_CLASSES)
        n_frames = rng.randint(fewest_frames, most_frames)
        n_humans = rng.choices([1, 2, 3, 4], [5, 3, 2, 1])[0]
        parts[name] = {
            f"img_{5 * frame + 1:05d}.json": {
                "humans": [_human(rng, number) for number in range(1, n_humans + 1)]
            }
            for frame in range(n_frames)
        }
    write_json(folder / "gt_vid_result.json", classes)
    write_json(folder / "gt_part_result.json", parts)


def _human(rng: random.Random, number: int) -> Video:
    left, top = 80 * number + rng.randrange(30), rng.randrange(40)
    width, height = rng.randrange(60, 100), rng.randrange(180, 280)
    parts = {}
    for part in rng.sample(_PARTS, rng.randint(6, len(_PARTS))):
        w, h = width // 3, height // 5
        x, y = left + rng.randrange(width - w), top + rng.randrange(height - h)
        parts[part] = {"number": 1, "box": [x, y, x + w, y + h], "verb": rng.choice(STATES), "name": part}
    return {"number": number, "box": [left, top, left + width, top + height], "parts": parts}


def _predict(reference: Path, folder: Path, jitter: int, wrong: float, most_proposals: int) -> None:
    rng = random.Random(7)
    classes = json.loads((reference / "gt_vid_result.json").read_text(encoding="utf-8"))
    parts = json.loads((reference / "gt_part_result.json").read_text(encoding="utf-8"))

    def moved(box: list[float]) -> list[float]:
        x1, y1, x2, y2 = (value + rng.uniform(-jitter, jitter) for value in box)
        return [round(value, 1) for value in (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))]

    def predicted(part: Video) -> Video:
        n = rng.choices(range(1, most_proposals + 1), range(most_proposals, 0, -1))[0]
        states = [part["verb"] if rng.random() > wrong else rng.choice(STATES) for _ in range(n)]
        return {"box": [moved(part["box"]) for _ in range(n)], "verb": states}

    for frames in parts.values():
        for content in frames.values():
            content["humans"] = [
                {
                    "box": moved(human["box"]),
                    "parts": {name: predicted(part) for name, part in human["parts"].items()},
                }
                for human in content["humans"]
            ]
    chosen = {name: c if rng.random() > wrong else rng.choice(_CLASSES) for name, c in classes.items()}
    write_json(folder / "pred_vid_result.json", chosen)
    write_json(folder / "pred_part_result.json", parts)
