"""Synthetic data for the two sub-tasks of ActivityNet-Entities: invented sentences, words and boxes.

Everything comes from Python's own generator with a fixed seed, so each run writes the same bytes.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from quality.demo import write_json

_PEOPLE = ["man", "woman", "girl", "boy", "player", "dog"]
_THINGS = [
    "ball",
    "rope",
    "drum",
    "bike",
    "board",
    "cup",
    "knife",
    "ladder",
    "camera",
    "table",
    "brush",
    "net",
]
_VERBS = ["holds", "throws", "paints", "pushes", "lifts", "cleans", "carries"]
_PLACES = ["a river", "the street", "two houses", "some trees", "the stairs"]
_FULL_VIDEOS = 2500
_FRAMES = 10
_WIDTH, _HEIGHT = 720, 405
Box = list[float]


def write_reference(folder: Path, seed: int = 2019, size: int = 1, *, generated: bool) -> None:
    """Write the demo reference: sixteen videos of three segments, times ``size``, and the lemmas for
    sub-task II."""
    _write_reference(folder, 16 * size, generated, seed)


def write_samples(reference: Path, folder: Path, generated: bool) -> None:
    """Write a good and a weak prediction for a reference, one folder each."""
    _predict(reference, folder / "good", generated, jitter=8, wrong=0.1, left_out=0.0)
    _predict(reference, folder / "weak", generated, jitter=60, wrong=0.4, left_out=0.25)


def write_full_size(folder: Path, scale: float, generated: bool) -> None:
    """Write ``ref/`` and ``res/`` of the challenge's size times ``scale``: 2,500 videos with about 23,000
    words."""
    _write_reference(folder / "ref", max(round(_FULL_VIDEOS * scale), 1), generated, 2019, spoken=200)
    _predict(folder / "ref", folder / "res", generated, jitter=20, wrong=0.2, left_out=0.02)


def _write_reference(folder: Path, n_videos: int, generated: bool, seed: int, spoken: int = 0) -> None:
    rng = random.Random(seed)
    # At full size the vocabulary has more words; they need not be readable.
    things = _THINGS + [f"thing{number}" for number in range(spoken)]
    annotations: dict[str, Any] = {}
    for index in range(n_videos):
        segments = {str(number): _segment(rng, things, number) for number in range(3 + (rng.random() < 0.5))}
        annotations[f"v_demo{index:06d}"] = {"duration": 60.0, "segments": segments}
    write_json(folder / "reference.json", {"vocab": sorted({*_PEOPLE, *things}), "annotations": annotations})
    write_json(folder / "split.json", {"validation": list(annotations)})
    if generated:
        spoken_words = {
            token
            for video in annotations.values()
            for s in video["segments"].values()
            for token in s["tokens"]
        }
        table = {word: word for word in {*spoken_words, *_PEOPLE, *things}}
        table.update({verb: verb[:-2] if verb.endswith("shes") else verb[:-1] for verb in _VERBS})
        table.update({"carries": "carry", "houses": "house", "trees": "tree", "stairs": "stair"})
        write_json(folder / "lemmas.json", dict(sorted(table.items())))
        (folder / "lemmatizer.txt").write_text("demo\n", encoding="utf-8")


def _segment(rng: random.Random, things: list[str], number: int) -> dict[str, Any]:
    tokens = ["the", rng.choice(_PEOPLE), rng.choice(_VERBS), "the", rng.choice(things)]
    words = [1, 4]
    if rng.random() < 0.6:
        tokens += ["beside", "the", rng.choice(things)]
        words.append(7)
    tokens += ["near", *rng.choice(_PLACES).split()]
    boxes = [_box(rng) for _ in words]
    return {
        "timestamps": [20.0 * number, 20.0 * number + 15],
        "process_clss": [[tokens[word]] for word in words],
        "tokens": tokens,
        "frame_ind": [rng.randrange(_FRAMES) for _ in words],
        "process_idx": [[word] for word in words],
        "process_bnd_box": boxes,
        "crowds": [0 for _ in words],
    }


def _box(rng: random.Random) -> Box:
    width, height = rng.randrange(30, 300), rng.randrange(40, 300)
    x, y = rng.randrange(_WIDTH - width), rng.randrange(_HEIGHT - height)
    return [x, y, x + width, y + height]


def _predict(
    reference: Path, folder: Path, generated: bool, jitter: int, wrong: float, left_out: float
) -> None:
    rng = random.Random(3)
    data = json.loads((reference / "reference.json").read_text(encoding="utf-8"))
    results: dict[str, dict[str, Any]] = {}
    for video, content in data["annotations"].items():
        for number, segment in content["segments"].items():
            if rng.random() < left_out:
                continue
            objects: dict[str, list[Any]] = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
            for (label,), (word,), frame, box in zip(
                segment["process_clss"],
                segment["process_idx"],
                segment["frame_ind"],
                segment["process_bnd_box"],
            ):
                if generated and rng.random() < wrong / 2:
                    continue
                if generated and rng.random() < wrong / 2:
                    label = rng.choice(data["vocab"])
                objects["clss"].append(label)
                objects["idx_in_sent"].append(word)
                objects["bbox_for_all_frames"].append(_boxes(rng, box, frame, jitter, wrong))
            results.setdefault(video, {})[number] = objects
    mode = "gen" if generated else "GT"
    content = {"results": results, "eval_mode": mode, "external_data": {"used": False, "details": ""}}
    write_json(folder / f"submission_{mode.lower()}.json", content)


def _boxes(rng: random.Random, box: Box, frame: int, jitter: int, wrong: float) -> list[Box]:
    boxes = [[round(value + rng.random(), 4) for value in _box(rng)] for _ in range(_FRAMES)]
    if rng.random() > wrong:
        boxes[frame] = [round(value + rng.uniform(-jitter, jitter), 4) for value in box]
    return boxes
