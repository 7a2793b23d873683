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
>>> per_sentence(judged, objects, words, submitted, 2, localization=False)
(PrecisionRecall(precision=0.5, recall=0.5, f1=0.5), array([1.]))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.pairs import first_with_key, group_means, largest_of_items, pairs_of_ranges
from validator.arrays import Bools, Floats, Ints

FRAMES = 10
IOU = np.float32(0.5)
_BLOCK = 1 << 14
_CLASS_BLOCK = 512


@dataclass(frozen=True)
class Words:
    """Annotated words, segment by segment; arrays of length n_words but for the boxes.

    Attributes
    ----------
    segment : int array, ascending
    index : int array
        Position of the word in its sentence.
    label : int array
        Its class as a number, not negative; that of its first box, if its boxes disagree.
    mention_word, mention_label : int arrays of equal length
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


def overlap_correct(objects: Objects, words: Words, which: Ints, target: Ints) -> Bools:
    """Return whether each object overlaps a word's reference boxes enough.

    The largest of the 10 x K overlaps must exceed 0.5. A box counts on its own frame only; a reference box of
    one pixel has overlap 0, a predicted one -1, and not-a-number on any frame makes the object wrong.

    Parameters
    ----------
    which, target : int arrays of shape (n,)
        Pairs of an object and a word.

    Returns
    -------
    bool array of shape (n,)
    """
    correct = np.zeros(len(which), dtype=bool)
    for begin in range(0, len(which), _BLOCK):
        here = slice(begin, begin + _BLOCK)
        word = target[here]
        pair, reference, starts = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
        predicted = objects.box[which[here][pair]]
        overlap = frame_overlaps(predicted, words.box[reference], words.frame[reference])
        # np.maximum propagates NaN, and a comparison with NaN is false.
        correct[here] = np.maximum.reduceat(overlap.max(axis=1), starts[:-1]) > IOU
    return correct


def nearest_boxes(objects: Objects, words: Words, found: Ints) -> tuple[Ints, Floats]:
    """Return for each word the reference box that the object ``found`` for it overlaps most, and the overlap.

    Where there is no object (-1), it is the first box of the word, and 0; so are an overlap below 0 and not a
    number. Shapes: (n_words,) -> (n_words,), index into ``words.box``; (n_words,) float64.
    """
    nearest, largest = words.box_start[:-1].copy(), np.zeros(len(found))
    which = np.flatnonzero(found >= 0)
    pair, box, _ = pairs_of_ranges(words.box_start[which], words.box_start[which + 1])
    overlaps = frame_overlaps(objects.box[found[which[pair]]], words.box[box], words.frame[box])
    overlap = np.nan_to_num(overlaps.max(axis=1), nan=0.0).clip(0)
    best = largest_of_items(pair, overlap, len(which))
    nearest[which], largest[which] = box[best], overlap[best]
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
    other = reference[:, None, :]
    with np.errstate(all="ignore"):
        width, height = (predicted[..., k + 2] - predicted[..., k] + one for k in (0, 1))
        other_width, other_height = (other[..., k + 2] - other[..., k] + one for k in (0, 1))
        shared = []
        for k in (0, 1):
            end = np.minimum(predicted[..., k + 2], other[..., k + 2])
            side = end - np.maximum(predicted[..., k], other[..., k]) + one
            shared.append(np.where(side < 0, zero, side))
        intersection = shared[0] * shared[1]
        overlap = intersection / (width * height + other_width * other_height - intersection)
        overlap = overlap * (frame[:, None] == np.arange(FRAMES)).astype(np.float32)
    overlap = np.where((other_width == 1) & (other_height == 1), zero, overlap)
    return np.where((width == 1) & (height == 1), -one, overlap).astype(np.float32)


def _key(segment: Ints, second: Ints, n_second: int) -> Ints:
    return segment.astype(np.int64) * n_second + second


def first_objects(objects: Objects, words: Words, by: str) -> Ints:
    """Return the first object of its segment with the ``index`` or ``label`` of each word, -1 without one."""
    of_objects, of_words = getattr(objects, by), getattr(words, by)
    n = int(max(of_words.max(initial=0), of_objects.max(initial=0))) + 1
    return first_with_key(_key(objects.segment, of_objects, n), _key(words.segment, of_words, n))


def words_correct(objects: Objects, words: Words, by: str = "index") -> tuple[Bools, Bools]:
    """Return whether each word is grounded, and whether it has a prediction.

    The prediction for a word is the first object of its segment with its ``index``, for sub-task I, or with
    its ``label``, for sub-task II.

    Returns
    -------
    correct, predicted : bool arrays of shape (n_words,)
    """
    found = first_objects(objects, words, by)
    predicted = found >= 0
    correct = np.zeros(len(found), dtype=bool)
    which = np.flatnonzero(predicted)
    correct[which] = overlap_correct(objects, words, found[which], which)
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
    sums, occurring = np.zeros(len(weights)), np.zeros(len(weights))
    for begin in range(0, len(classes), _CLASS_BLOCK):
        n = min(_CLASS_BLOCK, len(classes) - begin)
        chosen = (code >= begin) & (code < begin + n)
        cell = item[chosen] * n + code[chosen] - begin
        counts = np.bincount(cell, correct[chosen], n_items * n), np.bincount(cell, minlength=n_items * n)
        right, total = (weights @ count.reshape(n_items, n) for count in counts)
        sums += (right / np.maximum(total, 1)).sum(axis=1)
        occurring += (total > 0).sum(axis=1)
    return sums / np.maximum(occurring, 1)


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
    object_correct, object_known, object_skipped : bool arrays of shape (n_objects,)
        Right; its class is annotated in the segment; not penalized, as an unannotated token has its lemma.
    word_correct, word_predicted : bool arrays of shape (n_words,)
        Right; its class is predicted in the segment.
    """

    object_correct: Bools
    object_known: Bools
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
    by_index = np.argsort(words.index[words.mention_word], kind="stable")
    mentioned, labels = words.mention_word[by_index], words.mention_label[by_index]
    smallest = first_with_key(_key(words.segment[mentioned], labels, n_classes), object_key)
    known = smallest >= 0
    which = np.flatnonzero(known)
    object_correct = np.zeros(len(object_key), dtype=bool)
    object_correct[which] = overlap_correct(objects, words, which, mentioned[smallest[which]])
    return Generated(object_correct, known, not_penalized & ~known, *words_correct(objects, words, "label"))


class PrecisionRecall(NamedTuple):
    """Precision, recall and F1; the F1 is not always their harmonic mean."""

    precision: float
    recall: float
    f1: float


def _counted(judged: Generated, words: Words, submitted: Bools, localization: bool) -> tuple[Bools, Bools]:
    """Return which objects and which words count. Mode loc leaves out classes that are not on both sides."""
    if localization:
        return judged.object_known, judged.word_predicted | ~submitted[words.segment]
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
    object_in, word_in = _counted(judged, words, submitted, localization)
    n_labels = len(np.unique(words.mention_label[submitted[words.segment[words.mention_word]]]))
    sides = (judged.object_correct, objects.label, object_in), (judged.word_correct, words.label, word_in)
    means = [group_means(correct[counts], label[counts], n_classes, 0.0) for correct, label, counts in sides]
    precision, recall = (float(of_side.sum()) / n_labels if n_labels else 0.0 for of_side in means)
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
    judged: Generated, objects: Objects, words: Words, submitted: Bools, n_submitted: int, localization: bool
) -> tuple[PrecisionRecall, Floats]:
    """Return F1 over sentences, and the F1 of each segment (NaN where it does not count).

    Parameters
    ----------
    submitted : bool array of shape (n_segments,)
    n_submitted : int
        Number of segments in the submission, in the reference or not: the denominator, less the submitted
        segments without a word that counts.
    """
    object_in, word_in = _counted(judged, words, submitted, localization)
    n = len(submitted)
    p = group_means(judged.object_correct[object_in], objects.segment[object_in], n, 0.0)
    r = group_means(judged.word_correct[word_in], words.segment[word_in], n, 0.0)
    word_counts = np.bincount(words.segment[word_in], minlength=n)
    both = p + r
    f = np.where(both > 0, 2 * p * r / np.where(both > 0, both, 1), 0.0)
    counting = submitted & (word_counts > 0)
    denominator = n_submitted - int((submitted & (word_counts == 0)).sum())
    scores = np.where(counting, f, np.nan)
    if denominator <= 0:
        return PrecisionRecall(0.0, 0.0, 0.0), scores
    return PrecisionRecall(*(float(values[counting].sum()) / denominator for values in (p, r, f))), scores
