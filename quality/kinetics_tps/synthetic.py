"""Synthetic data for Kinetics-TPS; a seed always gives the same bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from organizer.files import write_files
from quality.task import write_json
from scoring_program.challenges.kinetics_tps.reference import CLASSES_FILE, PARTS_FILE
from validator.formats.kinetics_tps.write import (
    Json,
    encode_submission,
    frame_entry,
    frame_name,
    human_entry,
    part_entry,
)

STATES = ["bend", "carry", "hold", "kick", "look", "none", "press", "swing", "touch", "unbend"]
CLASS_NAMES = ["climb_rope", "jump_rope", "paint_wall", "play_drums", "push_cart", "throw_ball"]
PART_NAMES = [
    *("head", "left_arm", "right_arm", "left_hand", "right_hand"),
    *("hip", "left_leg", "right_leg", "left_foot", "right_foot"),
]


def write_videos(folder: Path, n_videos: int, n_frames: tuple[int, int], seed: int) -> None:
    """Write a reference; ``n_frames`` are the least and the largest number of frames of a video."""
    rng = random.Random(seed)
    classes: dict[str, str] = {}
    videos: Json = {}
    for index in range(n_videos):
        video = f"demo_{index:05d}"
        classes[video] = rng.choice(CLASS_NAMES)
        n_sampled = rng.randint(*n_frames)
        (n_humans,) = rng.choices([1, 2, 3, 4], [5, 3, 2, 1])
        videos[video] = {}
        for frame in range(n_sampled):
            humans = [_random_human(rng, number) for number in range(1, n_humans + 1)]
            videos[video][frame_name(5 * frame + 1)] = frame_entry(humans)
    write_json(folder / CLASSES_FILE, classes)
    write_json(folder / PARTS_FILE, videos)


def _random_human(rng: random.Random, number: int) -> Json:
    """Return an annotated human with some of the parts, in the form of the reference."""
    left, top = 80 * number + rng.randrange(30), rng.randrange(40)
    width, height = rng.randrange(60, 100), rng.randrange(180, 280)
    part_width, part_height = width // 3, height // 5
    parts = {}
    for name in rng.sample(PART_NAMES, rng.randint(6, len(PART_NAMES))):
        x = left + rng.randrange(width - part_width)
        y = top + rng.randrange(height - part_height)
        box = [x, y, x + part_width, y + part_height]
        parts[name] = {"number": 1, "box": box, "verb": rng.choice(STATES), "name": name}
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


def change_each(
    entries_of: Callable[[Json], Iterable[Json]], change: Callable[[Json], None]
) -> Callable[[Json], Json]:
    """Return a change of some entries of all videos, which is made in place."""

    def change_videos(videos: Json) -> Json:
        for entry in entries_of(videos):
            change(entry)
        return videos

    return change_videos


def write_prediction(
    reference: Path, folder: Path, jitter: int, wrong_share: float, most_proposals: int
) -> None:
    """Write a submission: boxes off by up to ``jitter`` pixels, ``wrong_share`` of the names wrong."""
    rng = random.Random(7)
    true_classes = json.loads((reference / CLASSES_FILE).read_text(encoding="utf-8"))
    true_videos = json.loads((reference / PARTS_FILE).read_text(encoding="utf-8"))

    def move_box(box: list[float]) -> list[float]:
        x1, y1, x2, y2 = (value + rng.uniform(-jitter, jitter) for value in box)
        moved_box = [min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)]
        return [round(value, 1) for value in moved_box]

    def predict_name(true_name: str, names: list[str]) -> str:
        return true_name if rng.random() > wrong_share else rng.choice(names)

    def predict_part(true_part: Json) -> Json:
        (n,) = rng.choices(range(1, most_proposals + 1), range(most_proposals, 0, -1))
        states = [predict_name(true_part["verb"], STATES) for _ in range(n)]
        return part_entry([move_box(true_part["box"]) for _ in range(n)], states)

    def predict_human(true_human: Json) -> Json:
        box = move_box(true_human["box"])
        return human_entry(box, {name: predict_part(part) for name, part in true_human["parts"].items()})

    videos: Json = {}
    for video, true_frames in true_videos.items():
        videos[video] = {}
        for name, true_frame in true_frames.items():
            videos[video][name] = frame_entry([predict_human(human) for human in true_frame["humans"]])
    classes = {video: predict_name(true_class, CLASS_NAMES) for video, true_class in true_classes.items()}
    write_files(encode_submission(classes, videos), folder)
