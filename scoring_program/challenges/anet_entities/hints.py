"""The other interpretations of a submission to either sub-task of ActivityNet-Entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from scoring_program.challenges.anet_entities.lemmas import rule_lemma
from scoring_program.challenges.anet_entities.read import Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, is_in, names_check, of_video_names, sample
from scoring_program.metrics.grounding import FRAMES, Words
from scoring_program.metrics.pairs import pairs_of_ranges
from validator.arrays import Bools, Floats, Ints
from validator.findings import Note
from validator.formats.anet_entities.read import Grounding
from validator.hints import repeat_hints

_EXACT = 0.9
_EXPLAINS = ("N-SEGMENTS-MISSING", "N-SEGMENTS-OUTSIDE")


def repeated_classes(submission: Grounding) -> list[Note]:
    """Return a note if many objects have a class that their segment had before, which precision rewards.

    A sentence may well speak of two dogs, but not many do.
    """
    classes = np.stack([submission.segment, submission.label], axis=1)
    what = "repeat a class of their segment. Precision counts each, recall the first only"
    return repeat_hints(classes, "object", what)


def given_checks(reference: Reference, submission: Grounding) -> list[Check]:
    """Return what to compare with the reference for sub-task I, in the order of scoring."""
    segment = _segments(reference, submission.segments)
    of_object = segment[submission.segment]
    inside = of_object >= 0
    indexes = _indexes(reference, of_object[inside], submission.index[inside])
    words, label = (reference.words, reference.words.index), submission.index
    counted = _segment_numbers(reference, submission, words, label)
    return [
        _known_segments(reference, submission),
        counted,
        indexes,
        *_boxes(words, submission, of_object, label),
    ]


def generated_checks(reference: Reference, submission: Grounding) -> list[Check]:
    """Return what to compare with the reference for sub-task II, in the order of scoring."""
    segment, words = _segments(reference, submission.segments), reference.words
    classes = {name: code for code, name in enumerate(reference.classes)}
    label = np.array([classes.get(name, -1) for name in submission.classes] or [-1])[submission.label]
    chosen = submission.label[sample(len(submission.label))].tolist()
    names = [submission.classes[code] for code in chosen]
    known = [*reference.classes, *reference.vocab]
    spelling = names_check(names, known, "classes", len(words.label), rule_lemma)
    keys = words, words.label
    counted = _segment_numbers(reference, submission, keys, label)
    boxes = _boxes(keys, submission, segment[submission.segment], label)
    return [_known_segments(reference, submission), counted, spelling, *boxes]


def _segments(reference: Reference, segments: Iterable[tuple[str, str]]) -> Ints:
    """Return the number of each submitted segment in the reference, -1 where it has none."""
    position = {segment: number for number, segment in enumerate(reference.segments)}
    return np.array([position.get(submitted, -1) for submitted in segments], dtype=np.int64)


def _known_segments(reference: Reference, submission: Grounding) -> Check:
    claim = "of your segments are annotated in the chosen splits"
    causes = "Videos are named v_..., segments are numbered as in the annotation file"
    chosen = [submission.segments[index] for index in sample(len(submission.segments)).tolist()]

    def fits(change: Callable[[str], str]) -> Bools:
        return is_in([(change(video), segment) for video, segment in chosen], reference.segments)

    n, code = len(reference.segments), "N-NAMES-UNKNOWN"
    return Check(claim, fits(str), of_video_names(fits), n, causes, code, explains=_EXPLAINS)


def _segment_numbers(reference: Reference, submission: Grounding, words: _Keys, label: Ints) -> Check:
    """Return the check of segments that are counted from another number, by the boxes of their words."""
    less = [(video, str(int(key) - 1) if key.isdecimal() else key) for video, key in submission.segments]

    def met(segments: Sequence[tuple[str, str]]) -> Bools:
        of_object = _segments(reference, segments)[submission.segment]
        word = _words_of(words, of_object, label)[chosen]
        found = np.flatnonzero(word >= 0)
        entry, annotated, _ = pairs_of_ranges(*(words[0].box_start[word[found] + end] for end in (0, 1)))
        own = submission.box[chosen[found[entry]], words[0].frame[annotated]].astype(np.float64)
        return BoxPairs(len(chosen), found[entry], own, words[0].box[annotated].astype(np.float64)).met(own)

    chosen = sample(len(submission.segment))
    remedy = "Segments have the numbers of the annotation file, from 0"
    other = Interpretation("N-LOOKS-SHIFTED", "with numbers of segments less 1", met(less), remedy)
    claim = "of your objects are in a box of their word"
    return Check(claim, met(submission.segments), [other], len(words[1]), remedy, explains=_EXPLAINS)


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


# The annotated words, and what names each in its segment (n_words,): its index or its class.
_Keys = tuple[Words, Ints]


def _words_of(words: _Keys, segment: Ints, label: Ints) -> Ints:
    """Return the word that each object names with its ``label`` (n_objects,), -1 if there is none."""
    annotated_words = list(zip(words[0].segment.tolist(), words[1].tolist()))
    # Of several words of a class, the first.
    numbers = {annotated_words[number]: number for number in reversed(range(len(annotated_words)))}
    of_object = (numbers.get(pair, -1) for pair in zip(segment.tolist(), label.tolist()))
    return np.fromiter(of_object, np.int64, len(segment))


def _boxes(keys: _Keys, submission: Grounding, segment: Ints, label: Ints) -> list[Check]:
    """Return checks of the boxes of objects at annotated words.

    ``segment`` (n_objects,) is the segment of each object, -1 outside of the reference, and ``label``
    (n_objects,) names its word.
    """
    words, word = keys[0], _words_of(keys, segment, label)
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
