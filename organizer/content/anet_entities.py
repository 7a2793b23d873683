"""What of the annotations of ActivityNet-Entities is scored, and what of it is likely a mistake."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np

from organizer.content import (
    Content,
    Values,
    check_boxes,
    check_names,
    check_same,
    drawings,
    repeated,
    warn_where,
)
from scoring_program.challenges.anet_entities.drawings import canvas
from scoring_program.challenges.anet_entities.lemmas import TABLE, load_table
from scoring_program.challenges.anet_entities.read import Reference
from scoring_program.metrics.grounding import FRAMES
from scoring_program.result import GROUND_TRUTH, Drawing, DrawnObject, shapes
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded
from validator.arrays import Ints
from validator.findings import Findings, counted, quote
from validator.strict_json import pointer_part


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: the annotated words of the chosen splits."""
    reference: Reference = loaded.reference.annotated
    settings = loaded.settings
    words, segments, warnings = reference.words, reference.segments, Findings()
    file, labels = settings["reference_file"], Counter(words.label.tolist())
    names = {name: labels[number] for number, name in enumerate(reference.classes) if labels[number]}
    check_names("class", names, file, warnings, load_table() if TABLE.is_file() else ())
    n_boxes = np.diff(words.box_start)
    word_of_box = np.repeat(np.arange(len(n_boxes)), n_boxes)
    segment, word, box = (partial(place, reference) for place in (_segment, _word, _box))
    boxes = words.box.astype(np.float64)
    check_boxes("word", boxes, (file, box), warnings)
    rows = np.column_stack([word_of_box, words.frame, boxes])
    problem = "the box of the word repeats an earlier one"
    warn_where(repeated(rows), "R-REPEATED", problem, (file, box), warnings)
    # In the order of the file, in which the segments of a video follow each other.
    number = {video: i for i, video in enumerate(dict.fromkeys(video for video, _ in segments))}
    video_of_word = np.array([number[video] for video, _ in segments], dtype=np.int64)[words.segment]
    of_word = np.column_stack([words.index, words.label, n_boxes])
    tables = [(video_of_word, of_word), (video_of_word[word_of_box], rows[:, 1:])]
    check_same(list(number), tables, warnings)
    _check_splits(reference, settings, warnings)
    scored = {video for split in settings["splits"] for video in reference.splits[split]}
    counts = {"videos": len(number), "videos without annotations": len(scored) - len(number)}
    counts |= {"segments": len(segments), "words": len(of_word), "boxes": len(rows), "classes": len(names)}
    size = np.sqrt(np.maximum(boxes[:, 2:] - boxes[:, :2] + 1, 0).prod(axis=1))
    values = [
        Values("annotated words of a segment", np.bincount(words.segment, minlength=len(segments)), segment),
        Values("boxes of a word", n_boxes, word),
        Values("size of a box (root of the area, pixels)", size, box),
    ]
    view_of_box = words.segment[word_of_box] * FRAMES + words.frame
    views, n_in_view = np.unique(view_of_box, return_counts=True)

    def drawing(view: int) -> Drawing:
        return _drawing(reference, np.flatnonzero(view_of_box == views[view]), word_of_box)

    draw = partial(drawings, "Frames", n_in_view, drawing)
    return Content(len(of_word), counts, {"class": names}, values, warnings, draw)


def _drawing(reference: Reference, own: Ints, word_of_box: Ints) -> Drawing:
    """Return the drawing of the boxes ``own``, all of one segment and frame."""
    words, word = reference.words, word_of_box[own]
    labels = [f"{reference.classes[words.label[n]]} (word {words.index[n]})" for n in word.tolist()]
    boxes = (shapes(GROUND_TRUTH, box) for box in words.box[own])
    objects = [DrawnObject(label, "annotated", False, box) for label, box in zip(labels, boxes)]
    segment, frame = int(words.segment[word[0]]), int(words.frame[own[0]])
    in_video = np.array([video == reference.segments[segment][0] for video, _ in reference.segments])
    of_video = words.box[in_video[words.segment[word_of_box]]]
    blank = canvas(reference, segment, frame, of_video, of_video[:0])
    return replace(blank, text=", ".join(labels), objects=objects)


def _segment(reference: Reference, segment: int) -> str:
    return "/annotations/{}/segments/{}".format(*map(pointer_part, reference.segments[segment]))


def _word(reference: Reference, word: int) -> str:
    words = reference.words
    return f"{_segment(reference, int(words.segment[word]))} word {words.index[word]}"


def _box(reference: Reference, box: int) -> str:
    word = int(np.searchsorted(reference.words.box_start, box, "right")) - 1
    return f"{_word(reference, word)} frame {reference.words.frame[box]}"


def _check_splits(reference: Reference, settings: Settings, warnings: Findings) -> None:
    """Warn of videos that are in the data or in the splits alone, and of those in several splits.

    A split of which the data hold nothing is left out on purpose.
    """
    known = set(reference.videos)
    listed = Counter(video for videos in reference.splits.values() for video in videos)
    kinds = {
        "of the data in no split": [video for video in reference.videos if video not in listed],
        "listed more than once": [video for video, times in listed.items() if times > 1],
    }
    for split, videos in reference.splits.items():
        missing = [video for video in videos if video not in known]
        kinds[f"of the split {quote(split)} not in the data"] = missing if len(missing) < len(videos) else []
    for kind, videos in kinds.items():
        if videos:
            problem = f"{counted(len(videos), 'video')} {kind}; the first is {quote(videos[0])}"
            remedy = "correct the split or the data"
            warnings.add("R-SPLIT", problem, remedy, file=settings["split_file"], rule=kind)
