"""The other readings of a submission to either sub-task of ActivityNet-Entities."""

from __future__ import annotations

import numpy as np

from scoring_program.families.anet_entities.files import Reference
from scoring_program.families.anet_entities.lemmas import rule_lemma
from scoring_program.metrics.arrays import Bools, Floats, Ints
from scoring_program.metrics.grounding import FRAMES, Words
from scoring_program.metrics.pairs import pairs_of_ranges
from scoring_program.plausibility import BoxPairs, Facet, Reading, is_in, names_facet, sample
from validator.formats.anet_entities import Grounding, facts

__all__ = ["facets", "facts"]

_EXACT = 0.9


def facets(reference: Reference, submission: Grounding, generated: bool) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    position = {segment: number for number, segment in enumerate(reference.segments)}
    segment = np.array([position.get(submitted, -1) for submitted in submission.segments], dtype=np.int64)
    chosen = sample(len(segment))
    known = Facet(
        "of your segments are annotated in the chosen splits", segment[chosen] >= 0, [],
        len(reference.segments),
        "Videos are named v_..., segments are numbered as in the annotation file", "N-NAMES-UNKNOWN",
    )  # fmt: skip
    of_object = segment[submission.segment]
    if generated:
        classes = {name: code for code, name in enumerate(reference.classes)}
        label = np.array([classes.get(name, -1) for name in submission.classes] or [-1])[submission.label]
        names = [
            submission.classes[code] for code in submission.label[sample(len(submission.label))].tolist()
        ]
        n_words = len(reference.words.label)
        match = names_facet(names, [*reference.classes, *reference.vocab], "classes", n_words, rule_lemma)
        key = reference.words.label
    else:
        label, key = submission.index, reference.words.index
        match = _indexes(reference, of_object[of_object >= 0], label[of_object >= 0])
    annotated = list(zip(reference.words.segment.tolist(), key.tolist()))
    # Of several words of a class, the first.
    numbers = {annotated[number]: number for number in reversed(range(len(annotated)))}
    word = np.array(
        [numbers.get(pair, -1) for pair in zip(of_object.tolist(), label.tolist())], dtype=np.int64
    )
    objects = np.flatnonzero(word >= 0)
    objects = objects[sample(len(objects))]
    return [known, match, *_boxes(reference.words, word[objects], submission.box[objects].astype(np.float64))]


def _indexes(reference: Reference, segment: Ints, index: Ints) -> Facet:
    words = reference.words
    chosen = sample(len(segment))
    annotated = list(zip(words.segment.tolist(), words.index.tolist()))
    keys = list(zip(segment[chosen].tolist(), index[chosen].tolist()))

    def fits(add: int) -> Bools:
        return is_in([(key[0], key[1] + add) for key in keys], annotated)

    fix = "idx_in_sent counts the words of the sentence from 0"
    reading = Reading("N-LOOKS-SHIFTED", "with idx_in_sent less 1", fits(-1), fix)
    n_annotated = int(np.isin(words.segment, segment[chosen]).sum())
    return Facet("of your objects are at a word to ground", fits(0), [reading], n_annotated, fix)


def _boxes(words: Words, word: Ints, boxes: Floats) -> list[Facet]:
    """Return facets of the boxes (n, 10, 4) of objects; ``word`` (n,) are their annotated words."""
    entry, annotated, _ = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
    frame = words.frame[annotated]

    def at(add: int) -> Floats:
        moved = frame + add
        inside = (moved >= 0) & (moved < FRAMES)
        return np.where(inside[:, None], boxes[entry, np.clip(moved, 0, FRAMES - 1)], -np.inf)

    pairs = BoxPairs(len(word), entry, at(0), words.box[annotated].astype(np.float64))
    frames = [("with each box one frame earlier", at(1)), ("with each box one frame later", at(-1))]

    def shifted(iou: float) -> list[Reading]:
        fix = "The ten boxes belong to the ten sampled frames, in their order"
        return [Reading("N-LOOKS-SHIFTED", how, pairs.met(moved, iou), fix) for how, moved in frames]

    causes = "Boxes are [x1, y1, x2, y2] in pixels of the original video"
    claim, n = "of your boxes meet those of their word", len(np.unique(word))
    as_is = pairs.prediction
    # Where things move slowly, only boxes that are nearly exact reveal a shift of one frame.
    return [
        Facet(claim, pairs.met(as_is), [*pairs.corner_readings(), *shifted(0.5)], n, causes),
        Facet(f"{claim} nearly exactly", pairs.met(as_is, _EXACT), shifted(_EXACT), n, causes),
    ]
