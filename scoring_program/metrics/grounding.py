"""Grounding of words in boxes as in ActivityNet-Entities: sub-tasks I (given) and II (generated).

Each object has ten boxes, one for each sampled frame; each annotated word has reference boxes, each on one
frame. Boxes are ``x1, y1, x2, y2`` in pixels with both ends included, float32 throughout. The definition is
the released ``eval_grd_anet_entities.py`` (Zhou et al., CVPR 2019, sections 5.1 and A.2).

Examples
--------
One word, at place 2 of its sentence, with a box on frame 1, and an object with that box on every frame:

>>> zero, place, box = np.array([0]), np.array([2]), np.array([[0, 0, 9, 9]], np.float32)
>>> words = Words(zero, place, zero, zero, zero, np.array([0, 1]), box, np.array([1]))
>>> objects = Objects(zero, place, zero, np.repeat(box[None], FRAMES, axis=1))
>>> first_objects(objects, words, "index")
array([0])
>>> overlap_correct(objects, words, zero, zero)
array([ True])
>>> nearest_boxes(objects, words, zero)
(array([0]), array([1.]))
>>> words_correct(objects, words)
(array([ True]), array([ True]))
>>> judged, submitted = judge_generated(objects, words, np.array([False]), 1), np.array([True])
>>> per_class(judged, objects, words, submitted, 1, localization=False)
PrecisionRecall(precision=1.0, recall=1.0, f1=1.0)
>>> per_sentence(judged, objects.segment, words, submitted, 2, localization=False)
(PrecisionRecall(precision=0.5, recall=0.5, f1=0.5), array([1.]))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.group_values import first_with_key, group_means, largest_of_items
from scoring_program.metrics.pairs import pairs_of_ranges
from validator.arrays import Bools, Floats, Ints

FRAMES = 10
IOU = np.float32(0.5)
# How many pairs of an object and a word, and how many classes, are computed at once: they bound the memory.
_PAIRS_AT_ONCE = 1 << 14
_CLASSES_AT_ONCE = 512


@dataclass(frozen=True)
class Words:
    """Annotated words, segment by segment; arrays of length n_words but for mentions and boxes.

    Attributes
    ----------
    segment : int array, ascending
    index : int array, ascending in each segment
        Position of the word in its sentence.
    label : int array
        Its class as a number, not negative; that of its first box, if its boxes disagree.
    mention_word, mention_label : int arrays of equal length, the words ascending
        All distinct pairs of a word and a class that one of its boxes gives it.
    box_start : int array of shape (n_words + 1,)
        Word i has the reference boxes from ``box_start[i]`` up to ``box_start[i + 1]``, at least one.
    box : float32 array of shape (n_boxes, 4)
    frame : int array of shape (n_boxes,)
        The sampled frame of each box, 0..9.
    """

    segment: Ints
    index: Ints
    label: Ints
    mention_word: Ints
    mention_label: Ints
    box_start: Ints
    box: Floats
    frame: Ints


@dataclass(frozen=True)
class Objects:
    """Predicted objects in the order of the submission; arrays of length n_objects.

    Attributes
    ----------
    segment : int array
        Number of the annotated segment that the object belongs to; objects of others are left out.
    index : int array
        Position of the word in the sentence.
    label : int array
        Class as a number, in the numbering of the words.
    box : float32 array of shape (n_objects, 10, 4)
    """

    segment: Ints
    index: Ints
    label: Ints
    box: Floats


def overlap_correct(objects: Objects, words: Words, object_number: Ints, word_number: Ints) -> Bools:
    """Return whether each object overlaps a word's reference boxes enough.

    The largest of the 10 x K overlaps must exceed 0.5. A box counts on its own frame only; a reference box of
    one pixel has overlap 0, a predicted one -1, and not-a-number on any frame makes the object wrong.

    Parameters
    ----------
    object_number, word_number : int arrays of shape (n,)
        Pairs of an object and a word.

    Returns
    -------
    bool array of shape (n,)
    """
    correct = np.zeros(len(object_number), dtype=bool)
    for begin in range(0, len(object_number), _PAIRS_AT_ONCE):
        block = slice(begin, begin + _PAIRS_AT_ONCE)
        word = word_number[block]
        pair, reference_box, starts = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
        predicted_boxes = objects.box[object_number[block][pair]]
        overlap = frame_overlaps(predicted_boxes, words.box[reference_box], words.frame[reference_box])
        # np.maximum propagates NaN, and a comparison with NaN is false.
        correct[block] = np.maximum.reduceat(overlap.max(axis=1), starts[:-1]) > IOU
    return correct


def nearest_boxes(objects: Objects, words: Words, object_of_word: Ints) -> tuple[Ints, Floats]:
    """Return for each word the reference box that its object overlaps most, and the overlap.

    Where there is no object (-1), it is the first box of the word, and 0; so are an overlap below 0 and not a
    number. Shapes: (n_words,) -> (n_words,), index into ``words.box``; (n_words,) float64.
    """
    nearest = words.box_start[:-1].copy()
    largest = np.zeros(len(object_of_word))
    word = np.flatnonzero(object_of_word >= 0)
    pair, reference_box, _ = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
    predicted_boxes = objects.box[object_of_word[word[pair]]]
    overlaps = frame_overlaps(predicted_boxes, words.box[reference_box], words.frame[reference_box])
    overlap = np.nan_to_num(overlaps.max(axis=1), nan=0.0).clip(0)
    best = largest_of_items(pair, overlap, len(word))
    nearest[word] = reference_box[best]
    largest[word] = overlap[best]
    return nearest, largest


def frame_overlaps(predicted: Floats, reference: Floats, frame: Ints) -> Floats:
    """Return the overlap of ten predicted boxes with one reference box each, float32 after every operation.

    Shapes: (n, 10, 4) float32, (n, 4) float32, (n,) -> (n, 10) float32, which may hold not-a-number.

    Examples
    --------
    >>> predicted, reference = np.zeros((1, 10, 4), np.float32) + [0, 0, 9, 4], np.array([[0, 0, 9, 9]])
    >>> frame_overlaps(predicted.astype(np.float32), reference.astype(np.float32), np.array([1]))[0, :3]
    array([0. , 0.5, 0. ], dtype=float32)
    """
    one, zero = np.float32(1), np.float32(0)
    reference = reference[:, None, :]
    with np.errstate(all="ignore"):
        width = predicted[..., 2] - predicted[..., 0] + one
        height = predicted[..., 3] - predicted[..., 1] + one
        reference_width = reference[..., 2] - reference[..., 0] + one
        reference_height = reference[..., 3] - reference[..., 1] + one
        intersection = _shared_side(predicted, reference, 0) * _shared_side(predicted, reference, 1)
        overlap = intersection / (width * height + reference_width * reference_height - intersection)
        overlap = overlap * (frame[:, None] == np.arange(FRAMES)).astype(np.float32)
    overlap = np.where((reference_width == 1) & (reference_height == 1), zero, overlap)
    return np.where((width == 1) & (height == 1), -one, overlap).astype(np.float32)


def _shared_side(predicted: Floats, reference: Floats, axis: int) -> Floats:
    """Return the width (axis 0) or height (axis 1) that boxes share, 0 where they are apart."""
    begin = np.maximum(predicted[..., axis], reference[..., axis])
    end = np.minimum(predicted[..., axis + 2], reference[..., axis + 2])
    side = end - begin + np.float32(1)
    return np.where(side < 0, np.float32(0), side)


def _key(segment: Ints, second: Ints, n_second: int) -> Ints:
    return segment.astype(np.int64) * n_second + second


def first_objects(objects: Objects, words: Words, key: str) -> Ints:
    """Return the first object of its segment with the ``index`` or ``label`` of each word, -1 without one."""
    object_names = getattr(objects, key)
    word_names = getattr(words, key)
    n = int(max(word_names.max(initial=0), object_names.max(initial=0))) + 1
    object_key = _key(objects.segment, object_names, n)
    word_key = _key(words.segment, word_names, n)
    return first_with_key(object_key, word_key)


def words_correct(objects: Objects, words: Words, key: str = "index") -> tuple[Bools, Bools]:
    """Return whether each word is grounded, and whether it has a prediction.

    The prediction for a word is the first object of its segment with its ``index``, for sub-task I, or with
    its ``label``, for sub-task II.

    Returns
    -------
    correct, predicted : bool arrays of shape (n_words,)
    """
    object_of_word = first_objects(objects, words, key)
    predicted = object_of_word >= 0
    word = np.flatnonzero(predicted)
    correct = np.zeros(len(predicted), dtype=bool)
    correct[word] = overlap_correct(objects, words, object_of_word[word], word)
    return correct, predicted


def localization_accuracy(correct: Bools, label: Ints, n_classes: int) -> float:
    """Return the mean over the classes that occur of their mean accuracy; 0 if none does.

    Examples
    --------
    >>> localization_accuracy(np.array([True, False, True]), np.array([0, 0, 2]), 3)
    0.75
    """
    means = group_means(correct, label, n_classes)
    return float(means[~np.isnan(means)].mean()) if len(label) else 0.0


def weighted_class_mean(correct: Bools, label: Ints, item: Ints, weights: Floats) -> Floats:
    """Return the mean over the classes that occur of their mean accuracy, for each row of weights.

    Parameters
    ----------
    correct : bool array of shape (n_words,)
    label, item : int arrays of shape (n_words,)
        Class and item of each word.
    weights : float64 array of shape (n_rows, n_items)
        How often each item occurs.

    Returns
    -------
    float64 array of shape (n_rows,)
        0 where no class occurs.

    Examples
    --------
    >>> correct, label, item = np.array([True, False]), np.array([0, 0]), np.array([0, 1])
    >>> weighted_class_mean(correct, label, item, np.array([[1.0, 1.0], [2.0, 1.0]])).round(4)
    array([0.5   , 0.6667])
    """
    n_items = weights.shape[1]
    classes, code = np.unique(label, return_inverse=True)
    sums = np.zeros(len(weights))
    n_occurring = np.zeros(len(weights))
    for begin in range(0, len(classes), _CLASSES_AT_ONCE):
        n = min(_CLASSES_AT_ONCE, len(classes) - begin)
        in_block = (code >= begin) & (code < begin + n)
        cell = item[in_block] * n + code[in_block] - begin
        n_correct = np.bincount(cell, correct[in_block], n_items * n).reshape(n_items, n)
        n_words = np.bincount(cell, minlength=n_items * n).reshape(n_items, n)
        total = weights @ n_words
        sums += (weights @ n_correct / np.maximum(total, 1)).sum(axis=1)
        n_occurring += (total > 0).sum(axis=1)
    return sums / np.maximum(n_occurring, 1)


def share(hits: Bools) -> float:
    """Return the share of True in a bool array, 0 if it is empty.

    Examples
    --------
    >>> share(np.array([True, False]))
    0.5
    """
    return float(hits.mean()) if len(hits) else 0.0


class Generated(NamedTuple):
    """What became of objects and words in sub-task II.

    Attributes
    ----------
    object_correct, object_annotated, object_skipped : bool arrays of shape (n_objects,)
        Right; its class is annotated in the segment; not penalized, as an unannotated token has its lemma.
    word_correct, word_predicted : bool arrays of shape (n_words,)
        Right; its class is predicted in the segment.
    """

    object_correct: Bools
    object_annotated: Bools
    object_skipped: Bools
    word_correct: Bools
    word_predicted: Bools


def judge_generated(objects: Objects, words: Words, not_penalized: Bools, n_classes: int) -> Generated:
    """Compare the objects of generated sentences with the annotated words.

    An object whose class is annotated in its segment meets the boxes of the smallest word index of that
    class; a word meets the first object of its class.

    Parameters
    ----------
    not_penalized : bool array of shape (n_objects,)
        Whether the lemma of the object's class is that of an unannotated token of the segment.
    """
    object_key = _key(objects.segment, objects.label, n_classes)
    mention_key = _key(words.segment[words.mention_word], words.mention_label, n_classes)
    # The first mention of a class has its smallest index: the words of a segment are in this order.
    mention = first_with_key(mention_key, object_key)
    is_annotated = mention >= 0
    annotated = np.flatnonzero(is_annotated)
    object_correct = np.zeros(len(object_key), dtype=bool)
    object_correct[annotated] = overlap_correct(
        objects, words, annotated, words.mention_word[mention[annotated]]
    )
    word_correct, word_predicted = words_correct(objects, words, "label")
    return Generated(
        object_correct=object_correct,
        object_annotated=is_annotated,
        object_skipped=not_penalized & ~is_annotated,
        word_correct=word_correct,
        word_predicted=word_predicted,
    )


class PrecisionRecall(NamedTuple):
    """Precision, recall and F1; the F1 is not always their harmonic mean."""

    precision: float
    recall: float
    f1: float


def _counting(judged: Generated, words: Words, submitted: Bools, localization: bool) -> tuple[Bools, Bools]:
    """Return which objects and which words count. Mode loc leaves out classes that are not on both sides."""
    if localization:
        return judged.object_annotated, judged.word_predicted | ~submitted[words.segment]
    return ~judged.object_skipped, np.ones(len(words.segment), dtype=bool)


def per_class(
    judged: Generated, objects: Objects, words: Words, submitted: Bools, n_classes: int, localization: bool
) -> PrecisionRecall:
    """Return F1 over classes: sums of class means over the number of classes in submitted segments.

    Parameters
    ----------
    submitted : bool array of shape (n_segments,)
        Whether the submission has the annotated segment.
    localization : bool
        Mode loc instead of mode all.
    """
    object_counts, word_counts = _counting(judged, words, submitted, localization)
    is_submitted = submitted[words.segment[words.mention_word]]
    n_labels = len(np.unique(words.mention_label[is_submitted]))
    if n_labels == 0:
        return PrecisionRecall(0.0, 0.0, 0.0)
    object_label, object_correct = objects.label[object_counts], judged.object_correct[object_counts]
    word_label, word_correct = words.label[word_counts], judged.word_correct[word_counts]
    precision = float(group_means(object_correct, object_label, n_classes, 0.0).sum()) / n_labels
    recall = float(group_means(word_correct, word_label, n_classes, 0.0).sum()) / n_labels
    return PrecisionRecall(precision, recall, harmonic_mean(precision, recall))


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the harmonic mean, 0 where both are 0.

    Examples
    --------
    >>> harmonic_mean(0.5, 1.0)
    0.6666666666666666
    """
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def per_sentence(
    judged: Generated,
    object_segment: Ints,
    words: Words,
    submitted: Bools,
    n_sentences: int,
    localization: bool,
) -> tuple[PrecisionRecall, Floats]:
    """Return F1 over sentences, and the F1 of each segment (NaN where it does not count).

    Parameters
    ----------
    object_segment : int array of shape (n_objects,)
    submitted : bool array of shape (n_segments,)
    n_sentences : int
        Number of sentences over which is averaged, annotated or not: the denominator, less the submitted
        segments without a word that counts.
    """
    object_counts, word_counts = _counting(judged, words, submitted, localization)
    n = len(submitted)
    word_segment = words.segment[word_counts]
    precision = group_means(judged.object_correct[object_counts], object_segment[object_counts], n, 0.0)
    recall = group_means(judged.word_correct[word_counts], word_segment, n, 0.0)
    total = precision + recall
    f1 = np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1), 0.0)
    has_words = np.bincount(word_segment, minlength=n) > 0
    is_counted = submitted & has_words
    scores = np.where(is_counted, f1, np.nan)
    denominator = n_sentences - int((submitted & ~has_words).sum())
    if denominator <= 0:
        return PrecisionRecall(0.0, 0.0, 0.0), scores
    averages = [float(values[is_counted].sum()) / denominator for values in (precision, recall, f1)]
    return PrecisionRecall(*averages), scores
