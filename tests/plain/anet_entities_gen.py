"""The scores of generated sentences, from pages/anet_entities_gen.md; lists of (class, right) for each segment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

from tests.plain.anet_entities_gt import annotated_boxes, annotated_words, is_right, mean, segments_of

Judged = list[tuple[str, bool]]


def scores(
    reference: Path, submission: Path, protocol: str, fixed: str = "", **settings: Any
) -> dict[str, Fraction]:
    """Return all columns of a submission, or those that it would have if its errors of one type were fixed."""
    results = json.loads((submission / "submission_gen.json").read_text())["results"]
    lemmas = json.loads((reference / "lemmas.json").read_text())
    segments = list(segments_of(reference, settings["splits"]))
    annotated = [(video, name, content) for video, name, content in segments if content["process_idx"]]
    pairs = [(results.get(video, {}).get(name), content) for video, name, content in annotated]
    submitted = [(objects, content) for objects, content in pairs if objects is not None]
    left_out = [content for objects, content in pairs if objects is None]
    n_sentences = len(segments) if protocol == "published" else sum(map(len, results.values()))
    if fixed == "not_annotated":
        n_sentences = sum(name in results.get(video, {}) for video, name, _ in annotated)
    vocabulary = {box.name for _, content in submitted for box in annotated_boxes(content)}
    columns = {"coverage": Fraction(len(submitted), len(annotated) or 1)}
    for mode in ("all", "loc"):
        precise = [list(judged_objects(*pair, lemmas, mode, fixed)) for pair in submitted]
        recalled = [list(judged_words(*pair, mode, fixed)) for pair in submitted]
        missed = [(name, False) for content in left_out for name, _ in annotated_words(content)]
        precision = over_classes([*chain(*precise)], vocabulary)
        recall = over_classes([*chain(*recalled, missed)], vocabulary)
        numbers = {
            f"precision_{mode}": precision,
            f"recall_{mode}": recall,
            f"f1_{mode}": f1(precision, recall),
        }
        rights = [
            ([right for _, right in o], [right for _, right in w]) for o, w in zip(precise, recalled) if w
        ]
        sentences = [(mean(objects), mean(words)) for objects, words in rights]
        if fixed == "not_submitted":
            sentences += [(Fraction(1), Fraction(1)) for _ in left_out]
        divisor = (n_sentences - recalled.count([])) or 1
        numbers[f"precision_{mode}_per_sent"] = Fraction(sum(p for p, _ in sentences), divisor)
        numbers[f"recall_{mode}_per_sent"] = Fraction(sum(r for _, r in sentences), divisor)
        numbers[f"f1_{mode}_per_sent"] = Fraction(sum(f1(*pair) for pair in sentences), divisor)
        columns.update(numbers)
    return {"score": columns["f1_all_per_sent"], **columns}


def judged_objects(
    objects: dict, content: dict, lemmas: dict, mode: str, fixed: str
) -> Iterator[tuple[str, bool]]:
    """Yield the class of each object that counts in precision, and whether it is right."""
    boxes = annotated_boxes(content)
    annotated = {box.word for box in boxes}
    others = {lemma(token, lemmas) for word, token in enumerate(content["tokens"]) if word not in annotated}
    for name, object_boxes in zip(objects["clss"], objects["bbox_for_all_frames"]):
        words = [box.word for box in boxes if box.name == name]
        if words:
            first_word = [box for box in boxes if box.word == min(words)]
            yield name, is_right(object_boxes, first_word) or fixed == "boxes"
        elif mode == "all" and lemma(name, lemmas) not in others and fixed != "hallucinated":
            yield name, False
    if fixed == "missed_words":
        yield from (
            (name, True) for name in {name for name, _ in annotated_words(content)} - {*objects["clss"]}
        )


def judged_words(objects: dict, content: dict, mode: str, fixed: str) -> Iterator[tuple[str, bool]]:
    """Yield the class of each word that counts in recall, and whether it is right."""
    for name, boxes in annotated_words(content):
        if name in objects["clss"]:
            first = objects["clss"].index(name)
            yield name, is_right(objects["bbox_for_all_frames"][first], boxes) or fixed == "boxes"
        elif mode == "all":
            yield name, fixed == "missed_words"


def over_classes(judged: Judged, vocabulary: set[str]) -> Fraction:
    """Return the sum of the means of all classes, over the number of classes."""
    means = [mean([right for other, right in judged if other == name]) for name in vocabulary]
    return mean(means)


def lemma(word: str, lemmas: dict[str, str]) -> str:
    return lemmas.get(word, word.lower())


def f1(precision: Fraction, recall: Fraction) -> Fraction:
    return 2 * precision * recall / ((precision + recall) or 1)
