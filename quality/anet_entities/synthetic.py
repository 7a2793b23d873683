"""Synthetic data for ActivityNet-Entities, with invented sentences; a seed always gives the same bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from organizer.files import write_files
from quality.task import write_json
from validator.formats.anet_entities.write import add_object, encode_submission, no_objects

Json = dict[str, Any]
Box = list[float]
WHOLE_IMAGE = [[0, 0, 719, 404]] * 10
_PEOPLE = ["man", "woman", "girl", "boy", "player", "dog"]
_OBJECTS = ["ball", "rope", "drum", "bike", "board", "cup", "knife", "ladder", "camera", "table"]
_OBJECTS += ["brush", "net"]
_VERBS = ["holds", "throws", "paints", "pushes", "lifts", "cleans", "carries"]
_PLACES = ["a river", "the street", "two houses", "some trees", "the stairs"]
_FRAMES = 10
_FIRST_GENERATED = 100_000
_WIDTH, _HEIGHT = 720, 405


def vocabulary() -> list[str]:
    """Return the classes of all objects that have a name, in ascending order."""
    return sorted({*_PEOPLE, *_OBJECTS})


def write_videos(folder: Path, n_videos: int, generated: bool, seed: int, more_words: int = 0) -> None:
    """Write a reference, for generated sentences with lemmas; ``more_words`` are objects without a name."""
    rng = random.Random(seed)
    objects = _OBJECTS + [f"thing{number}" for number in range(more_words)]
    annotations: Json = {}
    # Public data shows given sentences, and generated ones must be hidden: the tasks share no video.
    first_video = _FIRST_GENERATED if generated else 0
    for video in range(first_video, first_video + n_videos):
        n_segments = 4 if rng.random() < 0.5 else 3
        segments = {str(number): _segment(rng, objects, number) for number in range(n_segments)}
        annotations[f"v_demo{video:06d}"] = {"duration": 60.0, "segments": segments}
    vocab = sorted({*_PEOPLE, *objects})
    write_json(folder / "reference.json", {"vocab": vocab, "annotations": annotations})
    write_json(folder / "split.json", {"validation": list(annotations)})
    if generated:
        segments_of_videos = {video: content["segments"] for video, content in annotations.items()}
        tokens = {token for _, _, segment in segments_of(segments_of_videos) for token in segment["tokens"]}
        _write_lemmas(folder, tokens.union(vocab))


def _write_lemmas(folder: Path, words: set[str]) -> None:
    table = {word: word for word in words}
    for verb in _VERBS:
        table[verb] = verb.removesuffix("es") if verb.endswith("shes") else verb.removesuffix("s")
    table.update({"carries": "carry", "houses": "house", "trees": "tree", "stairs": "stair"})
    write_json(folder / "lemmas.json", dict(sorted(table.items())))
    (folder / "lemmatizer.txt").write_text("demo\n", encoding="utf-8")


def _segment(rng: random.Random, objects: list[str], number: int) -> Json:
    """Return an annotated segment: someone does something with one of ``objects``, maybe beside another."""
    tokens = ["the", rng.choice(_PEOPLE), rng.choice(_VERBS), "the", rng.choice(objects)]
    words = [1, 4]
    if rng.random() < 0.6:
        tokens += ["beside", "the", rng.choice(objects)]
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


def segments_of(videos: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield video, number and content of all segments; they may be removed on the way."""
    for video, segments in list(videos.items()):
        for number, content in list(segments.items()):
            yield video, number, content


def words_of(segment: Json) -> Iterator[tuple[str, int, int, Box]]:
    """Yield class, index in the sentence, frame and box of each annotated word."""
    keys = ("process_clss", "process_idx", "frame_ind", "process_bnd_box")
    for (label,), (index,), frame, box in zip(*(segment[key] for key in keys)):
        yield label, index, frame, box


def add_outside(folder: Path, n: int) -> None:
    """Add to a reference ``n`` segments for each, of a video without annotations."""
    reference = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    annotations = reference["annotations"]
    number = n * sum(len(video["segments"]) for video in annotations.values())
    lists = ("process_clss", "tokens", "frame_ind", "process_idx", "process_bnd_box", "crowds")
    segments: Json = {str(segment): {key: [] for key in lists} for segment in range(number)}
    annotations["v_outside"] = {"duration": 60.0, "segments": segments}
    write_json(folder / "reference.json", reference)
    write_json(folder / "split.json", {"validation": list(annotations)})


def write_prediction(
    reference: Path, folder: Path, mode: str, jitter: int, wrong_share: float, left_out_share: float
) -> None:
    """Write a submission: boxes off by ``jitter`` pixels, a share of objects wrong, of segments left out."""
    rng = random.Random(3)
    data = json.loads((reference / "reference.json").read_text(encoding="utf-8"))
    annotated = {video: content["segments"] for video, content in data["annotations"].items()}
    results: Json = {}
    for video, number, segment in segments_of(annotated):
        if rng.random() < left_out_share:
            continue
        objects = results.setdefault(video, {}).setdefault(number, no_objects())
        for label, index, frame, box in words_of(segment):
            if mode == "gen" and rng.random() < wrong_share / 2:
                continue
            if mode == "gen" and rng.random() < wrong_share / 2:
                label = rng.choice(data["vocab"])
            boxes = _boxes(rng, box, frame, jitter, wrong_share)
            add_object(objects, label, index, boxes)
    write_files(encode_submission(results, mode), folder)


def _boxes(rng: random.Random, box: Box, frame: int, jitter: int, wrong_share: float) -> list[Box]:
    """Return ten random boxes; but for a share ``wrong_share``, that on ``frame`` is near ``box``."""
    boxes = [_move(rng, _box(rng), 0, 1) for _ in range(_FRAMES)]
    if rng.random() > wrong_share:
        boxes[frame] = _move(rng, box, -jitter, jitter)
    return boxes


def _move(rng: random.Random, box: Box, low: float, high: float) -> Box:
    """Return a box with each corner moved by ``low`` to ``high`` pixels."""
    return [round(corner + rng.uniform(low, high), 4) for corner in box]
