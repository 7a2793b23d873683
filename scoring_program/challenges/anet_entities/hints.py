"""The other interpretations of a submission to either sub-task of ActivityNet-Entities."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.anet_entities.lemmas import rule_lemma
from scoring_program.challenges.anet_entities.read import Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, is_in, names_check, sample
from scoring_program.metrics.grounding import FRAMES, Words
from scoring_program.metrics.pairs import pairs_of_ranges
from validator.arrays import Bools, Floats, Ints
from validator.findings import Note, counted
from validator.formats.anet_entities.read import Grounding

_EXACT = 0.9
# A sentence may well speak of two dogs, but not many do.
_MOST_REPEATED = 0.1


def repeated_classes(submission: Grounding) -> list[Note]:
    """Return a note if many objects have a class that their segment had before, which precision rewards."""
    n = len(submission.segment)
    repeated = n - np.unique(np.stack([submission.segment, submission.label]), axis=1).shape[1]
    if repeated <= _MOST_REPEATED * n:
        return []
    text = f"{counted(repeated, 'object')} of {n:,} repeat a class of their segment"
    return [Note("N-REPEATED", f"{text}. Precision counts each, recall the first only")]


def given_checks(reference: Reference, submission: Grounding) -> list[Check]:
    """Return what to compare with the reference for sub-task I, in the order of scoring."""
    segment = _segments(reference, submission)
    of_object = segment[submission.segment]
    inside = of_object >= 0
    indexes = _indexes(reference, of_object[inside], submission.index[inside])
    boxes = _boxes(reference.words, reference.words.index, submission, of_object, submission.index)
    return [_known_segments(reference, segment), indexes, *boxes]


def generated_checks(reference: Reference, submission: Grounding) -> list[Check]:
    """Return what to compare with the reference for sub-task II, in the order of scoring."""
    segment, words = _segments(reference, submission), reference.words
    classes = {name: code for code, name in enumerate(reference.classes)}
    label = np.array([classes.get(name, -1) for name in submission.classes] or [-1])[submission.label]
    chosen = submission.label[sample(len(submission.label))].tolist()
    names = [submission.classes[code] for code in chosen]
    known = [*reference.classes, *reference.vocab]
    spelling = names_check(names, known, "classes", len(words.label), rule_lemma)
    boxes = _boxes(words, words.label, submission, segment[submission.segment], label)
    return [_known_segments(reference, segment), spelling, *boxes]


def _segments(reference: Reference, submission: Grounding) -> Ints:
    """Return the number of each submitted segment in the reference, -1 where it has none."""
    position = {segment: number for number, segment in enumerate(reference.segments)}
    return np.array([position.get(submitted, -1) for submitted in submission.segments], dtype=np.int64)


def _known_segments(reference: Reference, segment: Ints) -> Check:
    claim = "of your segments are annotated in the chosen splits"
    causes = "Videos are named v_..., segments are numbered as in the annotation file"
    is_known = segment[sample(len(segment))] >= 0
    return Check(claim, is_known, [], len(reference.segments), causes, "N-NAMES-UNKNOWN")


def _indexes(reference: Reference, segment: Ints, index: Ints) -> Check:
    words = reference.words
    chosen = sample(len(segment))
    annotated = list(zip(words.segment.tolist(), words.index.tolist()))
    keys = list(zip(segment[chosen].tolist(), index[chosen].tolist()))

    def fits(add: int) -> Bools:
        return is_in([(key[0], key[1] + add) for key in keys], annotated)

    remedy = "idx_in_sent counts the words of the sentence from 0"
    interpretation = Interpretation("N-LOOKS-SHIFTED", "with idx_in_sent less 1", fits(-1), remedy)
    n_annotated = int(np.isin(words.segment, segment[chosen]).sum())
    return Check("of your objects are at a word to ground", fits(0), [interpretation], n_annotated, remedy)


def _boxes(words: Words, key: Ints, submission: Grounding, segment: Ints, label: Ints) -> list[Check]:
    """Return checks of the boxes of objects at annotated words.

    ``key`` (n_words,) names a word in its segment: its index or its class. ``segment`` (n_objects,) is the
    segment of each object, -1 outside of the reference, and ``label`` (n_objects,) names its word.
    """
    annotated_words = list(zip(words.segment.tolist(), key.tolist()))
    # Of several words of a class, the first.
    numbers = {annotated_words[number]: number for number in reversed(range(len(annotated_words)))}
    of_object = (numbers.get(pair, -1) for pair in zip(segment.tolist(), label.tolist()))
    word = np.fromiter(of_object, np.int64, len(segment))
    objects = np.flatnonzero(word >= 0)
    objects = objects[sample(len(objects))]
    word, boxes = word[objects], submission.box[objects].astype(np.float64)
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
        return [Interpretation(code, how, pairs.met(moved, iou), remedy) for how, moved in frames]

    causes = BoxPairs.CORNERS
    claim, n = "of your boxes meet those of their word", len(np.unique(word))
    as_is = pairs.prediction
    # Where things move slowly, only boxes that are nearly exact reveal a shift of one frame.
    return [
        Check(claim, pairs.met(as_is), [*pairs.corner_interpretations(), *shifted(0.5)], n, causes),
        Check(f"{claim} nearly exactly", pairs.met(as_is, _EXACT), shifted(_EXACT), n, causes),
    ]
