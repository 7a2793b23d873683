"""The grounding metrics again, word by word and object by object, without arrays of indices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Word:
    segment: int
    index: int
    label: int
    mentions: list[int]
    boxes: list[tuple[int, list[float]]]


@dataclass
class Object:
    segment: int
    index: int
    label: int
    boxes: list[list[float]]


def is_right(thing, word):
    """Return whether any box of a word is met by more than half, on its frame."""
    best = 0.0
    for frame, (x1, y1, x2, y2) in word.boxes:
        a1, b1, a2, b2 = thing.boxes[frame]
        shared = max(0, min(x2, a2) - max(x1, a1) + 1) * max(0, min(y2, b2) - max(y1, b1) + 1)
        area = (x2 - x1 + 1) * (y2 - y1 + 1) + (a2 - a1 + 1) * (b2 - b1 + 1) - shared
        best = max(best, shared / area)
    return best > 0.5


def given_words(objects, words):
    """Return whether each word is right, and whether it has a prediction."""
    found = [[o for o in objects if (o.segment, o.index) == (w.segment, w.index)] for w in words]
    return [bool(o) and is_right(o[0], w) for o, w in zip(found, words)], [bool(o) for o in found]


def class_mean(correct, labels, weights):
    """Return the mean over the classes of their weighted mean accuracy."""
    means = []
    for label in sorted(set(labels)):
        of_class = [(c, w) for c, name, w in zip(correct, labels, weights) if name == label]
        if total := sum(weight for _, weight in of_class):
            means.append(sum(weight for right, weight in of_class if right) / total)
    return sum(means) / len(means) if means else 0.0


@dataclass
class Judged:
    objects: list[tuple[bool, bool, bool]]
    words: list[tuple[bool, bool]]


def judge(objects, words, not_penalized):
    """Return right, known and skipped of each object, right and predicted of each word."""
    of_objects, of_words = [], []
    for thing, spared in zip(objects, not_penalized):
        same = [w for w in words if w.segment == thing.segment and thing.label in w.mentions]
        first = min(same, key=lambda word: word.index, default=None)
        of_objects.append(
            (first is not None and is_right(thing, first), first is not None, spared and first is None)
        )
    for word in words:
        same = [o for o in objects if (o.segment, o.label) == (word.segment, word.label)]
        of_words.append((bool(same) and is_right(same[0], word), bool(same)))
    return Judged(of_objects, of_words)


def counting(judged, objects, words, submitted, localization):
    """Return (thing, right) of the objects and of the words that count."""
    kept_objects = [
        (o, right)
        for o, (right, known, skipped) in zip(objects, judged.objects)
        if (known if localization else not skipped)
    ]
    kept_words = [
        (w, right)
        for w, (right, predicted) in zip(words, judged.words)
        if not localization or predicted or not submitted[w.segment]
    ]
    return kept_objects, kept_words


def mean(values):
    return sum(values) / len(values) if values else 0.0


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def over_classes(judged, objects, words, submitted, localization):
    labels = {label for word in words if submitted[word.segment] for label in word.mentions}
    found = []
    for kept in counting(judged, objects, words, submitted, localization):
        means = [
            mean([right for thing, right in kept if thing.label == label])
            for label in {t.label for t, _ in kept}
        ]
        found.append(sum(means) / len(labels) if labels else 0.0)
    return (*found, f1(*found))


def over_sentences(judged, objects, words, submitted, n_sentences, localization):
    kept_objects, kept_words = counting(judged, objects, words, submitted, localization)
    sums, scores, denominator = [0.0, 0.0, 0.0], [np.nan] * len(submitted), n_sentences
    for segment in np.flatnonzero(submitted).tolist():
        of_words = [right for word, right in kept_words if word.segment == segment]
        if not of_words:
            denominator -= 1
            continue
        precision = mean([right for thing, right in kept_objects if thing.segment == segment])
        scores[segment] = f1(precision, mean(of_words))
        sums = [a + b for a, b in zip(sums, (precision, mean(of_words), scores[segment]))]
    return [total / denominator if denominator > 0 else 0.0 for total in sums], scores
