"""The scores of Kinetics-TPS, from pages/kinetics_tps.md; exact fractions, and a loop over all thresholds."""

from __future__ import annotations

import json
import math
import operator
from fractions import Fraction
from functools import reduce
from itertools import compress, permutations
from pathlib import Path
from struct import pack, unpack
from typing import Any

Box = list[Any]


def scores(
    reference: Path, submission: Path, protocol: str, fixed: str = "", **settings: Any
) -> dict[str, Fraction]:
    """Return all columns of a submission, or those that it would have if its errors of one type were fixed."""
    true_class, true_parts = (read(reference / f"gt_{kind}_result.json") for kind in ("vid", "part"))
    predicted_class, predicted_parts = (
        read(submission / f"pred_{kind}_result.json") for kind in ("vid", "part")
    )
    right = {
        video: predicted_class.get(video, name if fixed == "not_submitted" else None) == name
        or fixed == "action_class"
        for video, name in true_class.items()
    }
    psc = {
        video: video_psc(true_parts[video], predicted_parts.get(video), protocol, fixed, **settings)
        for video in true_class
    }

    # The PSC of right videos in steps of the threshold: above step / 10,000 is above a whole number of steps.
    steps = [math.ceil(10_000 * psc[video]) for video in psc if right[video]]
    doubles = [float(psc[video]) for video in psc if right[video]]

    def n_accurate(step: int) -> int:
        if protocol == "published":
            return sum(number > step for number in steps)
        return sum(number >= step / 10_000 for number in doubles)

    def accuracy(step: int) -> Fraction:
        return Fraction(n_accurate(step), len(psc))

    numbers = [n_accurate(step) for step in range(10_001)]
    if protocol == "published":
        exact = Fraction(2 * sum(numbers) - numbers[0] - numbers[-1], 2 * 10_000 * len(psc))
        score = Fraction(math.floor(exact * 10**6 + Fraction(1, 2)), 10**6)
    else:
        exact = Fraction(one_by_one([number / len(psc) * 0.0001 for number in numbers[1:-1]]))
        score = round(exact, 6)
    frames = [(video, frame) for video in true_class for frame in true_parts[video]]
    return {
        "score": score,
        "average_video_accuracy": score,
        "average_video_accuracy_exact": exact,
        "coverage": mean([frame in predicted_parts.get(video, {}) for video, frame in frames]),
        "mean_psc": mean(list(psc.values())),
        "top1_accuracy": mean(list(right.values())),
        "accuracy_psc_0": accuracy(0),
        "accuracy_psc_25": accuracy(2500),
        "accuracy_psc_50": accuracy(5000),
    }


def read(file: Path) -> dict[str, Any]:
    """Return a JSON object in which all numbers are fractions."""
    return json.loads(file.read_text(), parse_float=Fraction, parse_int=Fraction)


def one_by_one(values: list[Any]) -> Any:
    """Return a sum; that of Python 3.12 and later makes up for the rounding of floats."""
    return reduce(operator.add, values, 0)


def mean(values: list[Any]) -> Fraction:
    return Fraction(sum(values), len(values) or 1)


def video_psc(
    true_frames: dict, submitted: dict | None, protocol: str, fixed: str, **settings: Any
) -> Fraction:
    """Return the Part State Correctness of a video, None where the file of parts does not have it."""
    predicted_frames = submitted or {}
    # ``released`` adds in double precision: the parts of each human, then humans, then frames.
    number: Any = Fraction if protocol == "published" else float
    values = []
    for name, frame in true_frames.items():
        humans, parts = frame["humans"], []  # a list for each human
        predicted = predicted_frames.get(name, {"humans": []})["humans"]
        is_lacking = submitted is not None and name not in submitted
        fixed_here = "humans" if fixed == "not_submitted" and name not in predicted_frames else fixed
        for human, match in match_humans(humans, predicted, protocol, **settings):
            of_human = [
                part_score(key, part, match, protocol, fixed_here, **settings)
                for key, part in human["parts"].items()
            ]
            parts.append(of_human)
        if any(parts):
            of_humans = [one_by_one([number(score) for score in scores]) for scores in parts]
            values.append(one_by_one(of_humans) / sum(map(len, parts)))
        elif humans and is_lacking and protocol == "released" and fixed_here != "humans":
            values.append(number(0))
    return Fraction(one_by_one(values) / len(values)) if values else Fraction(1)


def match_humans(humans: list, predicted: list, protocol: str, human_iou: Any = 0.5, **_: Any) -> list[tuple]:
    """Return (human, predicted human or None)."""
    overlaps: list[list[Any]]
    if protocol == "published":
        overlaps = [[iou(human["box"], other["box"]) for other in predicted] for human in humans]
        choice = {row: values.index(max(values)) for row, values in enumerate(overlaps) if values}
    else:
        overlaps = [
            [iou(single(human["box"]), single(other["box"])) or -1 for other in predicted] for human in humans
        ]
        choice = best_assignment(overlaps, len(predicted))
    limit = Fraction(str(human_iou))
    matches = {row: column for row, column in choice.items() if overlaps[row][column] > limit}
    return [(human, predicted[matches[row]] if row in matches else None) for row, human in enumerate(humans)]


def best_assignment(overlaps: list[list], n_columns: int) -> dict[int, int]:
    """Return for rows their columns, in the assignment with the largest sum."""
    n_rows = len(overlaps)
    if n_rows > n_columns:
        turned = best_assignment([list(column) for column in zip(*overlaps)] or [[]] * n_columns, n_rows)
        return {row: column for column, row in turned.items()}
    columns = max(
        permutations(range(n_columns), n_rows), key=lambda order: sum(map(list.__getitem__, overlaps, order))
    )
    return dict(enumerate(columns))


def part_score(
    name: str, part: dict, match: dict | None, protocol: str, fixed: str, part_iou: Any = 0.3, **_: Any
) -> Fraction:
    """Return the score of an annotated part."""
    if match is None:
        return Fraction(fixed == "humans")
    proposals = match["parts"].get(name)
    if not proposals or not proposals["box"]:
        return Fraction(fixed == "boxes_missing")
    limit = Fraction(str(part_iou))
    overlaps = [iou(part["box"], box) for box in proposals["box"]]
    near = [overlap > limit or (protocol == "released" and overlap == limit) for overlap in overlaps]
    if not any(near):
        return Fraction(fixed == "boxes_far")
    if part["verb"] not in compress(proposals["verb"], near):
        return Fraction(fixed == "states")
    return Fraction(1, 1 if fixed == "extra_proposals" else len(near))


def iou(box: Box, other: Box) -> Fraction:
    """Return the intersection over union of two boxes, whose both ends are included."""
    width = min(box[2], other[2]) - max(box[0], other[0]) + 1
    height = min(box[3], other[3]) - max(box[1], other[1]) + 1
    shared = max(width, 0) * max(height, 0)
    return Fraction(shared, area(box) + area(other) - shared)


def area(box: Box) -> Fraction:
    return (box[2] - box[0] + 1) * (box[3] - box[1] + 1)


def single(box: Box) -> Box:
    """Return a box rounded to float32."""
    return [Fraction(unpack("f", pack("f", float(number)))[0]) for number in box]
