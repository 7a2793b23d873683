"""Kinetics-TPS against a plain program that walks over every video, frame, human and part."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.helpers import scaled

ID = "kinetics_tps"
PARTS = ["head", "left_arm", "right_leg"]
STATES = ["none", "hold", "bend"]
CLASSES = ["run", "jump"]


def area(box):
    return (box[2] - box[0] + 1) * (box[3] - box[1] + 1)


def plain_iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0]) + 1
    height = min(a[3], b[3]) - max(a[1], b[1]) + 1
    shared = max(width, 0) * max(height, 0)
    return shared / (area(a) + area(b) - shared), width <= 0 or height <= 0


def match_published(truth, guess):
    matched = []
    for human in truth:
        overlaps = [plain_iou(human["box"], other["box"])[0] for other in guess]
        best = max(range(len(guess)), key=overlaps.__getitem__, default=None)
        matched.append(guess[best] if best is not None and overlaps[best] > 0.5 else None)
    return matched


def match_released(truth, guess):
    matched = [None] * len(truth)
    overlaps: np.ndarray = np.zeros((len(truth), len(guess)), np.float32)
    for i, human in enumerate(truth):
        for j, other in enumerate(guess):
            boxes = [[float(np.float32(number)) for number in entry["box"]] for entry in (human, other)]
            iou, disjoint = plain_iou(*boxes)
            overlaps[i, j] = -1 if disjoint else iou
    square = overlaps
    if len(truth) != len(guess):
        size = max(overlaps.shape)
        square = np.zeros((size, size))
        square[: len(truth), : len(guess)] = overlaps
    for i, j in zip(*linear_sum_assignment(1 - square)):
        if i < len(truth) and j < len(guess) and overlaps[i, j] > 0.5:
            matched[i] = guess[j]
    return matched


def part_score(part, name, human, released):
    """Return what a part scores, and its type of error."""
    proposals = human["parts"].get(name) if human else None
    if not human:
        return Fraction(0), "humans"
    if not proposals or not proposals["box"]:
        return Fraction(0), "boxes_missing"
    kind = "boxes_far"
    for box, state in zip(proposals["box"], proposals["verb"]):
        iou, _ = plain_iou(part["box"], box)
        if iou >= 0.3 if released else iou > 0.3:
            kind = "states"
            if state == part["verb"]:
                return Fraction(1, len(proposals["verb"])), "extra_proposals"
    return Fraction(0), kind


def part_scores(human, other, released, is_submitted, fixed):
    """Return what each part of a human scores if errors of one type were fixed."""
    scores = []
    for name, part in human["parts"].items():
        score, kind = part_score(part, name, other, released)
        is_fixed = fixed == kind or (fixed == "not_submitted" and not is_submitted)
        scores.append(Fraction(1) if is_fixed else score)
    return scores


def plain_scores(reference, submission, released, fixed=""):
    classes, parts = (reference[f"gt_{kind}_result.json"] for kind in ("vid", "part"))
    guessed, guesses = (submission[f"pred_{kind}_result.json"] for kind in ("vid", "part"))
    match = match_released if released else match_published
    psc = {}
    for video, frames in parts.items():
        means: list[Any] = []
        for frame, content in frames.items():
            guess = guesses.get(video, {}).get(frame)
            humans = content["humans"]
            matched = match(humans, guess["humans"]) if guess and guess["humans"] else [None] * len(humans)
            per_human = [
                part_scores(human, other, released, guess is not None, fixed)
                for human, other in zip(humans, matched)
            ]
            count = sum(map(len, per_human))
            if count and released:
                means.append(sum(sum(map(float, own), 0.0) for own in per_human) / count)
            elif count:
                means.append(sum(map(sum, per_human), Fraction(0)) / count)
            elif released and humans and guess is None and fixed not in ("humans", "not_submitted"):
                means.append(0.0)
        psc[video] = sum(means) / len(means) if means else Fraction(1)
    right = {video for video, name in classes.items() if guessed.get(video) == name}
    if fixed == "action_class":
        right = set(classes)
    if fixed == "not_submitted":
        right |= classes.keys() - guessed.keys()
    if released:
        total: Any = 0.0
        for t in range(1, 10_000):
            total += (
                sum(video in right and psc[video] >= t / 10_000 for video in psc) / len(psc) * (1.0 / 10_000)
            )
        exact, shown = total, round(total, 6)
    else:
        counted = [math.ceil(10_000 * psc[video]) for video in right if psc[video] > 0]
        total = sum((Fraction(2 * c - 1, 20_000) for c in counted), Fraction(0)) / len(psc)
        exact, shown = float(total), math.floor(total * 10**6 + Fraction(1, 2)) / 10**6
    frames = [(video, frame) for video in parts for frame in parts[video]]
    return {
        "score": shown,
        "average_video_accuracy": shown,
        "average_video_accuracy_exact": exact,
        "mean_psc": float(sum(psc.values()) / len(psc)),
        "top1_accuracy": len(right) / len(psc),
        "coverage": sum(frame in guesses.get(video, {}) for video, frame in frames) / len(frames),
    }


def make_box(rng, near=None):
    if near and rng.random() < 0.8:
        return [number + rng.choice([0, 0, 0, 0, 1, -1, 0.5]) for number in near[:2]] + [
            number + rng.choice([1, 1, 2, 3]) for number in near[2:]
        ]
    x, y = rng.randrange(0, 12), rng.randrange(0, 12)
    return [x, y, x + rng.randrange(0, 9), y + rng.randrange(0, 9)]


def make_documents(rng):
    """Return a reference and a submission; small coordinates make ties and IoU of exactly 0.3 and 0.5 frequent."""
    classes, parts, guessed, guesses = {}, {}, {}, {}
    for v in range(rng.randrange(1, 5)):
        video = f"v{v}"
        classes[video], parts[video] = rng.choice(CLASSES), {}
        if rng.random() < 0.9:
            guessed[video] = rng.choice(CLASSES)
        if rng.random() < 0.9:
            guesses[video] = {}
        for f in range(rng.randrange(1, 4)):
            frame = f"img_{5 * f + 1:05}.json"
            humans = []
            for _ in range(rng.randrange(0, 4)):
                names = rng.sample(PARTS, rng.randrange(0, len(PARTS) + 1))
                own = {name: {"box": make_box(rng), "verb": rng.choice(STATES)} for name in names}
                humans.append({"box": make_box(rng), "parts": own})
            parts[video][frame] = {"humans": humans}
            if video not in guesses or rng.random() < 0.15:
                continue
            found = []
            for human in humans * rng.choice([1, 1, 2]):
                if rng.random() < 0.15:
                    continue
                own = {}
                for name in rng.sample([*PARTS, "tail"], rng.randrange(0, 5)):
                    truth = human["parts"].get(name, {"box": make_box(rng), "verb": "wave"})
                    n = rng.choice([0, 1, 1, 1, 2, 3, 5])
                    boxes = [make_box(rng, truth["box"]) for _ in range(n)]
                    own[name] = {
                        "box": boxes,
                        "verb": [rng.choice([truth["verb"], *STATES]) for _ in range(n)],
                    }
                found.append({"box": make_box(rng, human["box"]), "parts": own})
            rng.shuffle(found)
            guesses[video][frame] = {"humans": found[:10]}
    reference = {"gt_vid_result.json": classes, "gt_part_result.json": parts}
    for frames in guesses.values():
        for content in frames.values():
            for human in content["humans"]:
                for box in [human["box"], *(b for part in human["parts"].values() for b in part["box"])]:
                    box[2:] = [max(box[0], box[2]), max(box[1], box[3])]
    return reference, {"pred_vid_result.json": guessed, "pred_part_result.json": guesses}


def as_texts(documents):
    """Return the files that hold documents."""
    return {name: json.dumps(content) for name, content in documents.items()}


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("seed", range(scaled(60)))
def test_scores_are_those_of_the_plain_program(run, seed, protocol):
    reference, submission = make_documents(random.Random(seed))
    found = run(ID, *map(as_texts, (reference, submission)), protocol=protocol).scores
    expected = plain_scores(reference, submission, protocol == "released")
    assert {key: found[key] for key in expected} == {
        key: pytest.approx(value, rel=0, abs=6e-11) for key, value in expected.items()
    }


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("seed", range(scaled(40)))
def test_error_costs_are_scores_with_errors_fixed(run, seed, protocol):
    reference, submission = make_documents(random.Random(seed))
    found = run(ID, *map(as_texts, (reference, submission)), protocol=protocol).if_fixed
    released = protocol == "released"
    expected = {key: plain_scores(reference, submission, released, key)["score"] for key in found}
    assert found == pytest.approx(expected, rel=0, abs=6e-11)
    assert len(found) == 7
