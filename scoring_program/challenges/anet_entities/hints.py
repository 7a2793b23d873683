"""The other interpretations of a submission to either sub-task of ActivityNet-Entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.disclosure import MIN_GROUP
from scoring_program.hints import BoxPairs, Check, Interpretation, names_check, sample
from scoring_program.metrics.grounding import FRAMES
from scoring_program.metrics.pairs import pairs_of_ranges
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding
from validator.hints import label_hints, repeat_hints
from validator.messages import Note

_EXACT = 0.9
_is_number = re.compile("[0-9]{1,9}").fullmatch
_EXPLAINS = ("N-SEGMENTS-MISSING", "N-SEGMENTS-OUTSIDE", "N-ITEMS-UNKNOWN")


def repeated_classes(submission: Grounding) -> list[Note]:
    """Return a note if all objects have the same class, or many one that their segment had before.

    A sentence may well speak of two dogs, but not many do.
    """
    classes = np.stack([submission.segment, submission.label], axis=1)
    what = "repeat a class of their segment. Precision counts each, recall the first only"
    constant = label_hints(len(classes), submission.classes, "class", "object")
    return constant or repeat_hints(classes, "object", what)


def counted_objects(submission: Grounding) -> list[Note]:
    """Return a note if the word indexes count the objects of each segment, from 0."""
    segment = submission.segment
    position = np.arange(len(segment)) - np.searchsorted(segment, segment)
    is_counted = (position > 0).sum() >= MIN_GROUP and (submission.index == position).all()
    text = "idx_in_sent is 0, 1, 2, ... in each segment. Write the position of the word in the sentence"
    return [Note("N-LOOKS-CONSTANT", text)] if is_counted else []


def given_checks(reference: Reference, submission: Grounding) -> list[Check]:
    """Return what to compare with the reference for sub-task I, in the order of scoring."""
    sides = _Sides(reference, submission, reference.words.index, submission.index)
    return [_known_segments(sides), _segment_numbers(sides), _indexes(sides), *_boxes(sides)]


def generated_checks(reference: Reference, submission: Grounding) -> list[Check]:
    """Return what to compare with the reference for sub-task II, in the order of scoring."""
    classes = {name: code for code, name in enumerate(reference.classes)}
    label = np.array([classes.get(name, -1) for name in submission.classes] or [-1])[submission.label]
    sampled_labels = submission.label[sample(len(submission.label))].tolist()
    predicted_names = [submission.classes[code] for code in sampled_labels]
    true_names = [*reference.classes, *reference.vocab]
    n_words = len(reference.words.label)
    spelling = names_check(predicted_names, true_names, "classes", n_words)
    sides = _Sides(reference, submission, reference.words.label, label)
    return [_known_segments(sides), _segment_numbers(sides), spelling, *_boxes(sides)]


class _Sides:
    """Both sides, and what names a word in its segment: an index or a class.

    It is ``names`` (n_words,) of the annotated words and ``label`` (n_objects,) of objects. ``segment``
    (n_objects,) is the annotated segment of each object, -1 without one.
    """

    def __init__(self, reference: Reference, submission: Grounding, names: Ints, label: Ints) -> None:
        self.reference, self.submission, self.label = reference, submission, label
        self._segments = {segment: number for number, segment in enumerate(reference.segments)}
        pairs = list(zip(reference.words.segment.tolist(), names.tolist()))
        # Of several words of a class, the first.
        self._words = {pairs[number]: number for number in reversed(range(len(pairs)))}
        self.segment = self.segments(submission.segments)[submission.segment]

    def segments(self, named: Iterable[tuple[str, str]]) -> Ints:
        """Return the numbers of segments in the reference, -1 where it has none."""
        return np.array([self._segments.get(segment, -1) for segment in named], dtype=np.int64)

    def words(self, segment: Ints, label: Ints) -> Ints:
        """Return the annotated words that labels name in their segments, -1 where there is none."""
        pairs = zip(segment.tolist(), label.tolist())
        return np.array([self._words.get(pair, -1) for pair in pairs], dtype=np.int64)


def _known_segments(sides: _Sides) -> Check:
    """Return the check of segments; a note of the measure says how unknown ones are spelled or numbered."""
    segments = sides.submission.segments
    sampled_segments = [segments[index] for index in sample(len(segments)).tolist()]
    claim = "of your segments are annotated in the chosen splits"
    is_known = sides.segments(sampled_segments) >= 0
    return Check(claim, is_known, (), len(sides.reference.segments), step="items")


def _segment_numbers(sides: _Sides) -> Check:
    """Return the check of segments that are counted from another number, by the boxes of their words."""
    words, submission = sides.reference.words, sides.submission
    sampled = sample(len(submission.segment))
    less = [(video, str(int(key) - 1) if _is_number(key) else key) for video, key in submission.segments]

    def is_met(segments: Sequence[tuple[str, str]]) -> Bools:
        segment = sides.segments(segments)[submission.segment[sampled]]
        word = sides.words(segment, sides.label[sampled])
        with_word = np.flatnonzero(word >= 0)
        first_box = words.box_start[word[with_word]]
        last_box = words.box_start[word[with_word] + 1]
        pair, true_box, _ = pairs_of_ranges(first_box, last_box)
        entry = with_word[pair]
        predicted_boxes = submission.box[sampled[entry], words.frame[true_box]].astype(np.float64)
        true_boxes = words.box[true_box].astype(np.float64)
        return BoxPairs(len(sampled), entry, predicted_boxes, true_boxes).find_overlapping(predicted_boxes)

    remedy = "Segments have the numbers of the annotation file, from 0"
    other = Interpretation("N-LOOKS-SHIFTED", "with numbers of segments less 1", is_met(less), remedy)
    claim = "of your objects are in a box of their word"
    return Check(claim, is_met(submission.segments), [other], len(words.index), explains=_EXPLAINS)


def _indexes(sides: _Sides) -> Check:
    inside = np.flatnonzero(sides.segment >= 0)
    sampled = inside[sample(len(inside))]
    segment = sides.segment[sampled]
    index = sides.submission.index[sampled]

    def fits(add: int) -> Bools:
        return sides.words(segment, index + add) >= 0

    remedy = "idx_in_sent counts the words of the sentence from 0"
    interpretation = Interpretation("N-LOOKS-SHIFTED", "with idx_in_sent less 1", fits(-1), remedy)
    n_annotated = int(np.isin(sides.reference.words.segment, segment).sum())
    claim = "of your objects are at a word to ground"
    return Check(claim, fits(0), [interpretation], n_annotated, step="names")


def _boxes(sides: _Sides) -> list[Check]:
    """Return checks of the boxes of objects at annotated words."""
    words, word = sides.reference.words, sides.words(sides.segment, sides.label)
    objects = np.flatnonzero(word >= 0)
    objects = objects[sample(len(objects))]
    word, boxes = word[objects], sides.submission.box[objects].astype(np.float64)
    entry, annotated, _ = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
    frame = words.frame[annotated]

    def at(add: int) -> Floats:
        moved = frame + add
        inside = (moved >= 0) & (moved < FRAMES)
        return np.where(inside[:, None], boxes[entry, np.clip(moved, 0, FRAMES - 1)], -np.inf)

    pairs = BoxPairs(len(word), entry, at(0), words.box[annotated].astype(np.float64))
    frames = [("with each box one frame earlier", at(1)), ("with each box one frame later", at(-1))]

    def shifted(iou: float) -> list[Interpretation]:
        code, remedy = "N-LOOKS-SHIFTED", "The ten boxes belong to the ten sampled frames, in their order"
        return [
            Interpretation(code, how, pairs.find_overlapping(moved, iou), remedy) for how, moved in frames
        ]

    claim, n = "of your boxes meet those of their word", len(np.unique(word))
    as_is = pairs.prediction
    # Where things move slowly, only boxes that are nearly exact reveal a shift of one frame.
    return [
        Check(claim, pairs.find_overlapping(as_is), [*pairs.corner_interpretations(), *shifted(0.5)], n),
        Check(f"{claim} nearly exactly", pairs.find_overlapping(as_is, _EXACT), shifted(_EXACT), n),
    ]
