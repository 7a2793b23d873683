"""Drawings of sampled frames of ActivityNet-Entities: the boxes of words, predicted and annotated."""

from __future__ import annotations

import numpy as np

from people_in_video.drawings.scenes import (
    EXTENT,
    GROUND_TRUTH,
    PREDICTION,
    Drawing,
    DrawnObject,
    extent,
    shapes,
    two_decimals,
    worst_in_turn,
)
from people_in_video.drawings.svg import Drawings
from scoring_program.challenges.anet_entities.measure import SentenceStatistics, WordStatistics
from scoring_program.challenges.anet_entities.page import Segments, generated_segments, given_segments
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.metrics import grounding
from scoring_program.metrics.group_values import group_means
from scoring_program.result import Section
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding

_MOST_HALLUCINATED = 5


def drawings(
    reference: Reference,
    submission: Grounding,
    statistics: WordStatistics | SentenceStatistics,
    number: int,
    with_right: bool,
) -> list[Section]:
    """Return at most ``number`` frames: the worst one of each segment, the worst segment first, then others.

    Where sentences are generated, objects whose classes the annotated sentence does not have are drawn, too.
    """
    if isinstance(statistics, SentenceStatistics):
        segments = generated_segments(reference, statistics)
        judged = statistics.judged
        hallucinated = ~judged.object_annotated & ~judged.object_skipped
    else:
        segments = given_segments(reference, statistics)
        hallucinated = np.zeros(len(statistics.joined.objects.label), dtype=bool)
    words = segments.reference.words
    nearest_box, _ = segments.nearest
    # A view is a frame of a segment in which a word is drawn.
    view_of_word = words.segment * grounding.FRAMES + words.frame[nearest_box]
    views, view_number = np.unique(view_of_word, return_inverse=True)
    accuracy = group_means(segments.correct, view_number, len(views))
    # Segments that are not submitted come last: there is little to see.
    rank_of_segment = np.argsort(np.lexsort((segments.scores, ~segments.joined.submitted)))
    rank = rank_of_segment[views // grounding.FRAMES]
    worst_views = worst_in_turn(accuracy, rank, number, with_right)
    worst_frames = [
        _draw_frame(segments, np.flatnonzero(view_number == view), hallucinated) for view in worst_views
    ]
    note = "The worst frame of each segment, the worst segment first; then the second worst frames. "
    note += "A word is drawn in the frame of its nearest box, one of the ten frames 0 to 9 of its segment. "
    note += "Boxes are in pixels of the video resized to a width of 720."
    return [Drawings("drawings", "Worst frames", note, worst_frames)] if worst_frames else []


def canvas(
    reference: Reference, segment: int, frame: int, true_boxes: Floats, predicted_boxes: Floats
) -> Drawing:
    """Return a drawing of a frame without objects, on the extent of the boxes of both sides of its video."""
    video, name = reference.segments[segment]
    return Drawing(
        title=f"{video}, segment {name}, frame {frame}",
        text="",
        size=extent(true_boxes, predicted_boxes),
        extent=EXTENT,
        objects=(),
        files=[f"{video}_segment_{name.zfill(2)}/{frame + 1:02d}"],
        item=[video, name],
    )


def _draw_frame(segments: Segments, word_numbers: Ints, hallucinated: Bools) -> Drawing:
    """Return the drawing of words of one segment and frame, and of hallucinated objects of the segment."""
    words, joined = segments.reference.words, segments.joined
    nearest_box, _ = segments.nearest
    first_word = word_numbers[0]
    segment = int(words.segment[first_word])
    frame = int(words.frame[nearest_box[first_word]])
    drawn_objects = [_draw_word(segments, word, frame) for word in word_numbers.tolist()]
    in_segment = joined.objects.segment == segment
    for number in np.flatnonzero(hallucinated & in_segment)[:_MOST_HALLUCINATED].tolist():
        label = joined.classes[joined.objects.label[number]]
        boxes = shapes(PREDICTION, joined.objects.box[number, frame], claim=label)
        drawn_objects.append(DrawnObject(label, "not in the annotated sentence", True, boxes))
    in_video = joined.segment_video == joined.segment_video[segment]
    is_word_of_video = in_video[words.segment]
    true_boxes = words.box[np.repeat(is_word_of_video, np.diff(words.box_start))]
    predicted_boxes = joined.objects.box[in_video[joined.objects.segment]].reshape(-1, 4)
    blank = canvas(segments.reference, segment, frame, true_boxes, predicted_boxes)
    text = f"{segments.title} of the segment {segments.scores[segment]:.3f}."
    return blank._replace(text=text, objects=drawn_objects)


def _draw_word(segments: Segments, word: int, frame: int) -> DrawnObject:
    """Return a word with its boxes on a frame, and with that of its object, if it has one."""
    words = segments.reference.words
    object_number = int(segments.object_of_word[word])
    has_object = object_number >= 0
    boxes_of_word = slice(words.box_start[word], words.box_start[word + 1])
    on_frame = words.frame[boxes_of_word] == frame
    boxes = shapes(GROUND_TRUTH, *words.box[boxes_of_word][on_frame])
    if has_object:
        boxes += shapes(PREDICTION, segments.joined.objects.box[object_number, frame])
    return DrawnObject(
        label=f"{segments.reference.classes[words.label[word]]} (word {words.index[word]})",
        outcome=_outcome(segments, word, has_object),
        is_wrong=not segments.correct[word],
        shapes=boxes,
    )


def _outcome(segments: Segments, word: int, has_object: bool) -> str:
    """Return in words what became of a word."""
    _, overlap = segments.nearest
    iou = f"IoU {two_decimals(overlap[word])}"
    if segments.correct[word]:
        return f"right, {iou}"
    if has_object:
        return f"{iou}, needs more than {grounding.IOU:g}"
    return "no prediction"


DRAWINGS = dict.fromkeys(("anet_entities_gt", "anet_entities_gen"), drawings)
