"""The scores of given sentences, from pages/anet_entities_gt.md; boxes in float32, all else in fractions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class AnnotatedBox(NamedTuple):
    """A box of a word; a box that shows two words is two of them."""

    word: int
    name: str
    frame: int
    box: list[float]


def scores(
    reference: Path, submission: Path, protocol: str, fixed: str = "", **settings: Any
) -> dict[str, Fraction]:
    """Return all columns of a submission, or those that it would have if its errors of one type were fixed."""
    results = json.loads((submission / "submission_gt.json").read_text())["results"]
    right_of_class: dict[str, list[bool]] = defaultdict(list)
    n_objects = 0
    for video, segment, content in segments_of(reference, settings["splits"]):
        objects = results.get(video, {}).get(segment)
        for name, boxes in annotated_words(content):
            if objects and boxes[0].word in objects["idx_in_sent"]:
                n_objects += 1
                first = objects["idx_in_sent"].index(boxes[0].word)
                right = is_right(objects["bbox_for_all_frames"][first], boxes) or fixed == "boxes"
            else:
                right = fixed == "objects_missing" or (fixed == "not_submitted" and objects is None)
            right_of_class[name].append(right)
    words = [right for words_of_class in right_of_class.values() for right in words_of_class]
    score = mean([mean(words_of_class) for words_of_class in right_of_class.values()])
    return {
        "score": score,
        "localization_accuracy": score,
        "coverage": Fraction(n_objects, len(words) or 1),
        "word_accuracy": mean(words),
    }


def segments_of(reference: Path, splits: list[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield video, id and content of each segment of the splits."""
    videos = json.loads((reference / "reference.json").read_text())["annotations"]
    of_split = json.loads((reference / "split.json").read_text())
    for video in dict.fromkeys(video for split in splits for video in of_split[split]):
        for segment, content in videos[video]["segments"].items():
            yield video, segment, content


def annotated_boxes(content: dict[str, Any]) -> list[AnnotatedBox]:
    columns = zip(*(content[key] for key in ("process_idx", "process_clss", "frame_ind", "process_bnd_box")))
    return [
        AnnotatedBox(word, name, frame, box)
        for words, names, frame, box in columns
        for word, name in zip(words, names)
    ]


def annotated_words(content: dict[str, Any]) -> Iterator[tuple[str, list[AnnotatedBox]]]:
    """Yield class and boxes of each annotated word."""
    boxes = annotated_boxes(content)
    for word in sorted({box.word for box in boxes}):
        boxes_of_word = [box for box in boxes if box.word == word]
        yield boxes_of_word[0].name, boxes_of_word


def is_right(boxes: list[list[float]], annotated: list[AnnotatedBox]) -> bool:
    """Return whether one of ten boxes is right, beside all boxes of a word."""
    overlaps = [[overlap(box, other.box) for box in boxes] for other in annotated]
    return not np.isnan(overlaps).any() and any(
        values[other.frame] > 0.5 for values, other in zip(overlaps, annotated)
    )


@np.errstate(all="ignore")
def overlap(box: list[float], annotated: list[float]) -> np.float32:
    """Return the IoU of a predicted and an annotated box."""
    left, top, right, bottom = np.array(box[:4], np.float32)
    true_left, true_top, true_right, true_bottom = np.array(annotated, np.float32)
    one, zero = np.float32(1), np.float32(0)
    width, height = right - left + one, bottom - top + one
    true_width, true_height = true_right - true_left + one, true_bottom - true_top + one
    if width == height == one:
        return np.float32(-1)
    if true_width == true_height == one:
        return zero
    shared_width = max(min(right, true_right) - max(left, true_left) + one, zero)
    shared_height = max(min(bottom, true_bottom) - max(top, true_top) + one, zero)
    shared = shared_width * shared_height
    return np.divide(shared, width * height + true_width * true_height - shared)


def mean(values: list[Any]) -> Fraction:
    return Fraction(sum(values), len(values) or 1)
