"""ActivityNet-Entities against a plain program that walks over every segment, word and box."""

from __future__ import annotations

import json
import random
from itertools import count

import numpy as np
import pytest

from organizer.data.prepare import prepare
from scoring_program.run import SCORED
from tests.helpers import run_folder, scaled

CLASSES = ["man", "dog", "cup", "tree"]
TOKENS = ["", "a", "man", "dogs", "Cup", "trees", "runs"]
LEMMAS = {"dogs": "dog", "Cup": "cup", "cup": "cup", "trees": "tree"}
ONE = np.float32(1)


def lemma(word):
    return LEMMAS.get(word, word.lower())


def side(low, high):
    return high - low + ONE


def plain_correct(boxes, truth):
    """Return 1 if the largest overlap of ten boxes with reference boxes (box, frame) is above 0.5, else 0."""
    overlaps = []
    with np.errstate(all="ignore"):
        for frame, box in enumerate(boxes):
            a = [np.float32(number) for number in box[:4]]
            for other, its_frame in truth:
                b = [np.float32(number) for number in other[:4]]
                width = side(max(a[0], b[0]), min(a[2], b[2]))
                height = side(max(a[1], b[1]), min(a[3], b[3]))
                shared = max(width, np.float32(0)) * max(height, np.float32(0))
                area_a, area_b = (side(box[0], box[2]) * side(box[1], box[3]) for box in (a, b))
                overlap = shared / (area_a + area_b - shared) * np.float32(frame == its_frame)
                if side(b[0], b[2]) == 1 and side(b[1], b[3]) == 1:
                    overlap = np.float32(0)
                if side(a[0], a[2]) == 1 and side(a[1], a[3]) == 1:
                    overlap = np.float32(-1)
                overlaps.append(overlap)
    return int(not any(map(np.isnan, overlaps)) and max(overlaps) > 0.5)


def annotated_words(segment):
    """Return the class and the reference boxes of each annotated word."""
    words = {}
    for classes, indexes, box, frame in zip(
        segment["process_clss"], segment["process_idx"], segment["process_bnd_box"], segment["frame_ind"]
    ):
        for name, index in zip(classes, indexes):
            words.setdefault(index, (name, []))[1].append((box, frame))
    return words


def chosen_segments(reference, split):
    for video in split["validation"]:
        for key, segment in reference["annotations"].get(video, {}).get("segments", {}).items():
            if segment["frame_ind"]:
                yield video, key, segment


def mean(values):
    return sum(values) / len(values) if values else 0.0


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def plain_given(case, fixed=""):
    reference, split, submission = case
    of_class, found, words = {}, 0, 0
    for video, key, segment in chosen_segments(reference, split):
        is_submitted = key in submission["results"].get(video, {})
        objects = submission["results"][video][key] if is_submitted else {"idx_in_sent": []}
        for index, (name, truth) in annotated_words(segment).items():
            words += 1
            correct = 0
            if index in objects["idx_in_sent"]:
                found += 1
                place = objects["idx_in_sent"].index(index)
                correct = fixed == "boxes" or plain_correct(objects["bbox_for_all_frames"][place], truth)
            elif fixed == "objects_missing" or (fixed == "not_submitted" and not is_submitted):
                correct = 1
            of_class.setdefault(name, []).append(correct)
    accuracy = mean([mean(values) for values in of_class.values()])
    everything = [value for values in of_class.values() for value in values]
    return {
        "score": accuracy,
        "localization_accuracy": accuracy,
        "word_accuracy": mean(everything),
        "coverage": found / words if words else 0.0,
    }


def n_averaged(case, protocol, fixed):
    """Return the number of sentences over which is averaged, those without recall among them."""
    reference, split, submission = case
    if protocol == "published":
        return sum(len(reference["annotations"][video]["segments"]) for video in split["validation"])
    if fixed == "not_annotated":
        segments = [(video, key) for video, key, _ in chosen_segments(reference, split)]
        return sum(key in submission["results"].get(video, {}) for video, key in segments)
    return sum(map(len, submission["results"].values()))


def plain_generated(case, protocol, mode, fixed=""):
    reference, split, submission = case
    precision, recall, visited_classes, sentences = {}, {}, set(), []
    n_without_recall = 0
    for video, key, segment in chosen_segments(reference, split):
        words = annotated_words(segment)
        # A word whose boxes disagree is of several classes here.
        of_class = {}
        for classes, indexes in zip(segment["process_clss"], segment["process_idx"]):
            for name, index in zip(classes, indexes):
                of_class.setdefault(name, []).append(index)
        objects = submission["results"].get(video, {}).get(key)
        own_precision, own_recall = [], []
        if objects is not None:
            visited_classes |= set(of_class)
            free = {lemma(t) for i, t in enumerate(segment["tokens"]) if i not in words and t}
            for name, boxes in zip(objects["clss"], objects["bbox_for_all_frames"]):
                if name in of_class:
                    right = fixed == "boxes" or plain_correct(boxes, words[min(of_class[name])][1])
                    own_precision.append((name, right))
                elif lemma(name) not in free and mode == "all" and fixed != "hallucinated":
                    own_precision.append((name, 0))
        for name, truth in words.values():
            if objects is None:
                own_recall.append((name, 0))
            elif name in objects["clss"]:
                boxes = objects["bbox_for_all_frames"][objects["clss"].index(name)]
                own_recall.append((name, fixed == "boxes" or plain_correct(boxes, truth)))
            elif mode == "all":
                own_recall.append((name, int(fixed == "missed_words")))
        if objects is not None and fixed == "missed_words":
            missed_classes = {name for name, _ in words.values()} - set(objects["clss"])
            own_precision += [(name, 1) for name in missed_classes]
        for collected, own in ((precision, own_precision), (recall, own_recall)):
            for name, value in own:
                collected.setdefault(name, []).append(value)
        if objects is not None and own_recall:
            p, r = (mean([value for _, value in own]) for own in (own_precision, own_recall))
            sentences.append((p, r, f1(p, r)))
        elif objects is not None:
            n_without_recall += 1
        elif fixed == "not_submitted":
            sentences.append((1.0, 1.0, 1.0))
    v = len(visited_classes)
    d = n_averaged(case, protocol, fixed) - n_without_recall
    p, r = (sum(map(mean, found.values())) / v if v else 0.0 for found in (precision, recall))
    per_sentence = [sum(values) / d if d > 0 else 0.0 for values in zip(*sentences)] or [0.0] * 3
    return {
        f"precision_{mode}": p,
        f"recall_{mode}": r,
        f"f1_{mode}": f1(p, r),
        f"precision_{mode}_per_sent": per_sentence[0],
        f"recall_{mode}_per_sent": per_sentence[1],
        f"f1_{mode}_per_sent": per_sentence[2],
    }


def make_box(rng, near=None):
    if near and rng.random() < 0.8:
        return [number + rng.choice([0, 0, 0, 1, -1, 0.25]) for number in near] + rng.choice([[], [0.9]])
    if rng.random() < 0.05:
        return rng.choice([[5, 5, 5, 5], [1e30, 1e30, -1e30, -1e30], [0, 0, 3e38, 3e38], [4, 4, 2, 2]])
    x, y = rng.randrange(0, 12), rng.randrange(0, 12)
    return [x, y, x + rng.randrange(0, 9), y + rng.randrange(0, 9)]


def make_reference(rng):
    annotations = {}
    for v in range(rng.randrange(1, 4)):
        segments = {}
        for s in range(rng.randrange(1, 4)):
            tokens = [rng.choice(TOKENS) for _ in range(6)]
            classes, indexes, boxes, frames = [], [], [], []
            for _ in range(rng.randrange(0, 5)):
                own = rng.sample(range(6), rng.choice([0, 1, 1, 1, 1, 1, 1, 2]))
                indexes.append(own)
                classes.append([rng.choice(CLASSES[:3]) for _ in own])
                boxes.append(make_box(rng))
                frames.append(rng.randrange(10))
            segments[str(s)] = {
                "timestamps": [0, 1],
                "process_clss": classes,
                "tokens": tokens,
                "frame_ind": frames,
                "process_idx": indexes,
                "process_bnd_box": boxes,
                "crowds": [0] * len(boxes),
            }
        annotations[f"v_{v}"] = {"duration": 9.0, "segments": segments}
    return {"vocab": CLASSES, "annotations": annotations}


def make_submission(rng, reference, mode):
    results = {}
    for video, content in reference["annotations"].items():
        if rng.random() < 0.1:
            continue
        results[video] = {}
        for key, segment in content["segments"].items():
            if rng.random() < 0.15:
                continue
            objects = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
            for _ in range(rng.randrange(0, 6)):
                words = annotated_words(segment)
                index = rng.choice([*words, rng.randrange(8)])
                name, truth = words.get(index, (rng.choice(CLASSES), [(make_box(rng), 0)]))
                objects["idx_in_sent"].append(index)
                objects["clss"].append(name if rng.random() < 0.7 else rng.choice(CLASSES))
                box = rng.choice(truth)[0]
                objects["bbox_for_all_frames"].append([make_box(rng, box) for _ in range(10)])
            results[video][key] = objects
        if rng.random() < 0.2:
            results[video]["99"] = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
    external = {"used": False, "details": ""}
    return {"results": results, "eval_mode": mode, "external_data": external}


def make_case(seed, mode):
    """Return a reference, its split, and a submission; the last of several videos may be in another split."""
    rng = random.Random(seed)
    reference = make_reference(rng)
    if not any(s["frame_ind"] for v in reference["annotations"].values() for s in v["segments"].values()):
        reference = make_reference(random.Random(0))
    videos = list(reference["annotations"])
    n_chosen = len(videos) - (len(videos) > 1 and rng.random() < 0.3)
    split = {"validation": videos[:n_chosen], "other": videos[n_chosen:]}
    submission = make_submission(rng, reference, mode)
    # Without any video of the data it would be refused.
    submission["results"].setdefault(videos[0], {})
    return reference, split, submission


def score_texts(run, mode, case, protocol):
    """Score a case through the program of a sub-task."""
    reference, split, submission = case
    texts = {"reference.json": reference, "split.json": split, "lemmas.json": LEMMAS}
    texts = {name: json.dumps(content) for name, content in texts.items()}
    texts["settings.yaml"] = f"splits: [validation]\nprotocol: {protocol}\n"
    texts["settings.yaml"] += "lemma_fallback: lower\n" if mode == "gen" else ""
    name = f"anet_entities_{mode.lower()}"
    return run(name, texts, {f"submission_{mode.lower()}.json": json.dumps(submission)})


def approximately(numbers):
    return {key: pytest.approx(number, rel=0, abs=6e-11) for key, number in numbers.items()}


@pytest.mark.parametrize("seed", range(scaled(60)))
def test_scores_of_given_sentences_are_those_of_the_plain_program(run, seed):
    case = make_case(seed, "GT")
    outcome = score_texts(run, "GT", case, "published")
    assert len(outcome.if_fixed) == 3
    fixed = {key: plain_given(case, key)["score"] for key in outcome.if_fixed}
    assert outcome.if_fixed == approximately(fixed)
    expected = plain_given(case)
    assert {key: outcome.scores[key] for key in expected} == approximately(expected)


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("seed", range(scaled(60)))
def test_scores_of_generated_sentences_are_those_of_the_plain_program(run, seed, protocol):
    case = make_case(seed, "gen")
    outcome = score_texts(run, "gen", case, protocol)
    submitted = "not_submitted" if protocol == "published" else "not_annotated"
    assert outcome.if_fixed.keys() == {submitted, "hallucinated", "missed_words", "boxes"}
    fixed = {key: plain_generated(case, protocol, "all", key)["f1_all_per_sent"] for key in outcome.if_fixed}
    assert outcome.if_fixed == approximately(fixed)
    expected = {
        **plain_generated(case, protocol, "all"),
        **plain_generated(case, protocol, "loc"),
    }
    expected["score"] = expected["f1_all_per_sent"]
    assert {key: outcome.scores[key] for key in expected} == approximately(expected)


def complete(reference, split, submission):
    """Return a submission of all segments of the split and no others; what it lacked says nothing."""
    nothing = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
    results = {}
    for video in split["validation"]:
        submitted = submission["results"].get(video, {})
        segments = reference["annotations"][video]["segments"]
        results[video] = {key: submitted.get(key, nothing) for key in segments}
    return {**submission, "results": results}


@pytest.mark.parametrize("seed", range(scaled(30)))
def test_a_complete_submission_has_the_same_scores_in_both_protocols(run, seed):
    reference, split, submission = make_case(seed, "gen")
    case = reference, split, complete(reference, split, submission)
    published, released = (score_texts(run, "gen", case, protocol) for protocol in ("published", "released"))
    assert published.scores == released.scores


@pytest.mark.parametrize("seed", range(scaled(30)))
def test_what_is_not_in_the_chosen_splits_changes_no_published_score(run, seed):
    reference, split, submission = make_case(seed, "gen")
    results = {}
    for video in split["validation"]:
        segments = reference["annotations"][video]["segments"]
        submitted = submission["results"].get(video, {})
        results[video] = {key: objects for key, objects in submitted.items() if key in segments}
    cut = score_texts(run, "gen", (reference, split, {**submission, "results": results}), "published")
    whole = score_texts(run, "gen", (reference, split, submission), "published")
    assert whole.scores == cut.scores


@pytest.mark.parametrize("seed", range(scaled(30)))
def test_leaving_out_a_sentence_never_raises_the_published_score(run, seed):
    reference, split, submission = make_case(seed, "gen")
    whole = score_texts(run, "gen", (reference, split, submission), "published")
    video, segments = random.Random(seed).choice(list(submission["results"].items()))
    fewer = {**submission["results"], video: dict(list(segments.items())[1:])}
    outcome = score_texts(run, "gen", (reference, split, {**submission, "results": fewer}), "published")
    assert outcome.scores["f1_all_per_sent"] <= whole.scores["f1_all_per_sent"]


def annotated_case(seed):
    """Return the first case from a seed on in which a word of the chosen videos is annotated."""
    cases = (make_case(number, "gen") for number in count(seed))
    return next(case for case in cases if any(annotated_words(s) for *_, s in chosen_segments(*case[:2])))


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("seed", range(scaled(20)))
def test_source_and_prepared_folder_score_alike(run, tmp_path, seed, protocol):
    case = annotated_case(seed)
    plain = score_texts(run, "gen", case, protocol)
    prepare("anet_entities_gen", tmp_path / "ref", tmp_path / "prepared")
    outcome = run_folder("anet_entities_gen", tmp_path / "prepared", tmp_path / "res", tmp_path / "again")
    assert outcome.exit_code == SCORED
    assert json.loads((tmp_path / "again" / "scores.json").read_text()) == plain.scores
