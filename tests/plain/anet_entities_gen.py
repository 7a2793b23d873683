"""The scores of generated sentences, from pages/anet_entities_gen.md; lists of right and wrong for each class."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.plain.anet_entities_gt import annotated_boxes, is_right, mean, segments_of


def scores(reference: Path, submission: Path, protocol: str, **settings: Any) -> dict[str, Fraction]:
    """Return all columns of a submission."""
    results = json.loads((submission / "submission_gen.json").read_text())["results"]
    lemmas = json.loads((reference / "lemmas.json").read_text())
    segments = list(segments_of(reference, settings["splits"]))
    annotated = [(video, name, content) for video, name, content in segments if content["process_idx"]]
    submitted = [(results[video][name], content) for video, name, content in annotated if name in results.get(video, {})]
    n_segments = len(segments) if protocol == "published" else sum(map(len, results.values()))
    vocabulary = {box.name for _, content in submitted for box in annotated_boxes(content)}
    columns = {"coverage": Fraction(len(submitted), len(annotated) or 1)}
    for mode in ("all", "loc"):
        precision, recall = defaultdict(list), defaultdict(list)
        sentences, n_left_out = [], 0
        for video, name, content in annotated:
            if name not in results.get(video, {}):
                for word_class, _ in words_of(content):
                    recall[word_class].append(False)
        for objects, content in submitted:
            precise = list(judged_objects(objects, content, lemmas, mode))
            recalled = list(judged_words(objects, content, mode))
            for target, judged in ((precision, precise), (recall, recalled)):
                for name, right in judged:
                    target[name].append(right)
            if recalled:
                sentences.append([mean([right for _, right in judged]) for judged in (precise, recalled)])
            else:
                n_left_out += 1
        per_class = [sum(mean(values[name]) for name in vocabulary) / (len(vocabulary) or 1) for values in (precision, recall)]
        n_sentences = (n_segments - n_left_out) or 1
        per_sentence = [*zip(*((*pair, f1(*pair)) for pair in sentences))] or [(), (), ()]
        for key, value in zip(("precision", "recall", "f1"), (*per_class, f1(*per_class))):
            columns[f"{key}_{mode}"] = value
        for key, values in zip(("precision", "recall", "f1"), per_sentence):
            columns[f"{key}_{mode}_per_sent"] = Fraction(sum(values), n_sentences)
    return {"score": columns["f1_all_per_sent"], **columns}


def words_of(content):
    """Yield the class and the boxes of each annotated word."""
    boxes = annotated_boxes(content)
    for word in sorted({box.word for box in boxes}):
        of_word = [box for box in boxes if box.word == word]
        yield of_word[0].name, of_word


def judged_objects(objects, content, lemmas, mode):
    """Yield the class of each object that counts in precision, and whether it is right."""
    boxes = annotated_boxes(content)
    annotated_words = {box.word for box in boxes}
    others = {lemma(token, lemmas) for word, token in enumerate(content["tokens"]) if word not in annotated_words}
    for name, object_boxes in zip(objects["clss"], objects["bbox_for_all_frames"]):
        words = [box.word for box in boxes if box.name == name]
        if words:
            yield name, is_right(object_boxes, [box for box in boxes if box.word == min(words)])
        elif mode == "all" and lemma(name, lemmas) not in others:
            yield name, False


def judged_words(objects, content, mode):
    """Yield the class of each word that counts in recall, and whether it is right."""
    for name, boxes in words_of(content):
        if name in objects["clss"]:
            yield name, is_right(objects["bbox_for_all_frames"][objects["clss"].index(name)], boxes)
        elif mode == "all":
            yield name, False


def lemma(word, lemmas):
    return lemmas.get(word, word.lower())


def f1(precision, recall):
    return 2 * precision * recall / ((precision + recall) or 1)
