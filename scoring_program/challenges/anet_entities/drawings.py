"""Drawings of sampled frames of ActivityNet-Entities: the boxes of words, predicted and annotated."""

from __future__ import annotations

import numpy as np

from scoring_program import result
from scoring_program.challenges.anet_entities.page import Segments
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.metrics import grounding
from scoring_program.metrics.pairs import group_means
from scoring_program.result import EXTENT, GROUND_TRUTH, PREDICTION, Drawing, DrawnObject, Section, shapes
from validator.arrays import Bools, Floats, Ints

_MOST_HALLUCINATED = 5


def drawings(segments: Segments, number: int, hallucinated: Bools) -> list[Section]:
    """Return at most ``number`` frames: the worst one of each segment, the worst segment first, then others.

    ``hallucinated`` (n_objects,) says which objects' classes the annotated sentence does not have.
    """
    words = segments.reference.words
    frames = words.segment * grounding.FRAMES + words.frame[segments.nearest[0]]
    keys, view = np.unique(frames, return_inverse=True)
    right = group_means(segments.correct, view, len(keys))
    # Segments that are not submitted come last: there is little to see.
    rank = np.argsort(np.lexsort((segments.scores, ~segments.joined.submitted)))
    chosen = result.worst_in_turn(right, rank[keys // grounding.FRAMES], number)
    drawn = [_frame(segments, np.flatnonzero(view == own), hallucinated) for own in chosen]
    note = "The worst frame of each segment, the worst segment first; then the second worst frames. "
    note += "A word is drawn in the frame of its nearest box."
    return [result.Drawings("drawings", "Worst frames", note, drawn)] if drawn else []


def canvas(reference: Reference, segment: int, frame: int, boxes: Floats, predicted: Floats) -> Drawing:
    """Return a drawing of a frame without objects, on the extent of the boxes of both sides, of its video."""
    video, name = reference.segments[segment]
    files = [f"{video}_segment_{name.zfill(2)}/{frame + 1:02d}"]
    title = f"{video}, segment {name}, frame {frame}"
    return Drawing(title, "", result.extent(boxes, predicted), EXTENT, (), files)


def _frame(segments: Segments, own: Ints, hallucinated: Bools) -> Drawing:
    """Return the drawing of the words ``own``, all of one segment and frame."""
    words, joined = segments.reference.words, segments.joined
    segment, frame = int(words.segment[own[0]]), int(words.frame[segments.nearest[0][own[0]]])
    drawn = [_word(segments, word, frame) for word in own.tolist()]
    wrong = np.flatnonzero(hallucinated & (joined.objects.segment == segment))[:_MOST_HALLUCINATED]
    for number in wrong.tolist():
        label, box = joined.classes[joined.objects.label[number]], joined.objects.box[number, frame]
        drawn.append(DrawnObject(label, "not in the annotated sentence", True, shapes(PREDICTION, box)))
    in_video = joined.segment_video == joined.segment_video[segment]
    boxes = words.box[np.repeat(in_video[words.segment], np.diff(words.box_start))]
    predicted = joined.objects.box[in_video[joined.objects.segment]].reshape(-1, 4)
    text = f"{segments.title} of the segment {segments.scores[segment]:.3f}."
    return canvas(segments.reference, segment, frame, boxes, predicted)._replace(text=text, objects=drawn)


def _word(segments: Segments, word: int, frame: int) -> DrawnObject:
    words, found = segments.reference.words, int(segments.found[word])
    own = np.arange(*words.box_start[[word, word + 1]].tolist())
    boxes = shapes(GROUND_TRUTH, *words.box[own[words.frame[own] == frame]])
    boxes += shapes(PREDICTION, segments.joined.objects.box[found, frame]) if found >= 0 else []
    iou, is_right = f"IoU {result.two_decimals(segments.nearest[1][word])}", bool(segments.correct[word])
    wrong = f"{iou}, needs more than {grounding.IOU:g}" if found >= 0 else "no prediction"
    label = f"{segments.reference.classes[words.label[word]]} (word {words.index[word]})"
    return DrawnObject(label, f"right, {iou}" if is_right else wrong, not is_right, boxes)
