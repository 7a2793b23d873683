"""The other readings of a submission to either sub-task of ActivityNet-Entities."""

from __future__ import annotations

import numpy as np

from scoring_program.families.anet_entities.lemmas import rule_lemma
from scoring_program.families.anet_entities.reference import Reference
from scoring_program.metrics.arrays import Bools, Floats, Ints
from scoring_program.metrics.grounding import FRAMES
from scoring_program.plausibility import BoxPairs, Facet, Reading, names_facet, sample, swapped, with_sizes
from validator.formats.anet_entities import Grounding, facts

__all__ = ["facets", "facts"]

_EXACT = 0.9


def facets(reference: Reference, submission: Grounding, generated: bool) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    position = {segment: number for number, segment in enumerate(reference.segments)}
    segment = np.array([position.get(own, -1) for own in submission.segments], dtype=np.int64)
    chosen = sample(len(segment))
    known = Facet(
        "of your segments are annotated in the chosen splits", segment[chosen] >= 0, [], len(reference.segments),
        "Videos are named v_..., segments are numbered as in the annotation file", "N-NAMES-UNKNOWN",
    )  # fmt: skip
    objects = np.flatnonzero(segment[submission.segment] >= 0)
    own = segment[submission.segment]
    if generated:
        classes = {name: code for code, name in enumerate(reference.classes)}
        label = np.array([classes.get(name, -1) for name in submission.classes] or [-1])[submission.label]
        names = [submission.classes[code] for code in submission.label[sample(len(submission.label))].tolist()]
        n_words = len(reference.words.label)
        match = names_facet(names, [*reference.classes, *reference.vocab], "classes", n_words, rule_lemma)
        key = reference.words.label
    else:
        label, key = submission.index, reference.words.index
        match = _indexes(reference, own[objects], label[objects])
    return [known, match, *_boxes(reference, submission, own, label, key)]


def _indexes(reference: Reference, segment: Ints, index: Ints) -> Facet:
    words = reference.words
    chosen = sample(len(segment))
    annotated = set(zip(words.segment.tolist(), words.index.tolist()))
    keys = list(zip(segment[chosen].tolist(), index[chosen].tolist()))

    def fits(add: int) -> Bools:
        return np.array([(own, number + add) in annotated for own, number in keys], dtype=bool)

    fix = "idx_in_sent counts the words of the sentence from 0"
    reading = Reading("N-LOOKS-SHIFTED", "with idx_in_sent less 1", fits(-1), fix)
    n_annotated = int(np.isin(words.segment, segment[chosen]).sum())
    return Facet("of your objects are at a word to ground", fits(0), [reading], n_annotated, fix)


def _boxes(reference: Reference, submission: Grounding, own: Ints, label: Ints, key: Ints) -> list[Facet]:
    """Return facets of the boxes of objects whose word (``label`` of their segment) is annotated."""
    words = reference.words
    of_key: dict[tuple[int, int], int] = {}
    for number, (segment, value) in enumerate(zip(words.segment.tolist(), key.tolist())):
        of_key.setdefault((segment, value), number)
    word_of = np.array([of_key.get(pair, -1) for pair in zip(own.tolist(), label.tolist())], dtype=np.int64)
    objects = np.flatnonzero(word_of >= 0)
    objects = objects[sample(len(objects))]
    word = word_of[objects]
    counts = np.diff(words.box_start)[word]
    entry = np.repeat(np.arange(len(word)), counts)
    box = np.concatenate([np.zeros(0, np.int64), *map(np.arange, words.box_start[word], words.box_start[word + 1])])
    of_entry, frame = submission.box[objects].astype(np.float64)[entry], words.frame[box]
    rows = np.arange(len(frame))
    guess = of_entry[rows, frame]
    pairs = BoxPairs(len(word), entry, guess, words.box[box].astype(np.float64))

    def at(add: int) -> Floats:
        moved = frame + add
        inside = (moved >= 0) & (moved < FRAMES)
        return np.where(inside[:, None], of_entry[rows, np.clip(moved, 0, FRAMES - 1)], -np.inf)

    frames = [("with each box one frame earlier", at(1)), ("with each box one frame later", at(-1))]

    def shifted(iou: float) -> list[Reading]:
        fix = "The ten boxes belong to the ten sampled frames, in their order"
        return [Reading("N-LOOKS-SHIFTED", words, pairs.met(moved, iou), fix) for words, moved in frames]

    fix = "Write boxes as [x1, y1, x2, y2]"
    forms = [
        ("N-LOOKS-XYWH", "as [x, y, width, height]", with_sizes(guess), fix),
        ("N-LOOKS-SWAPPED", "as [y1, x1, y2, x2]", swapped(guess), fix),
    ]
    causes = "Boxes are [x1, y1, x2, y2] in pixels of the original video"
    claim, n = "of your boxes meet those of their word", len(np.unique(word))
    # Where things move slowly, a frame more or less shows in boxes that are nearly exact only.
    return [
        Facet(claim, pairs.met(guess), [*pairs.readings(guess, forms), *shifted(0.5)], n, causes),
        Facet(f"{claim} nearly exactly", pairs.met(guess, _EXACT), shifted(_EXACT), n, causes),
    ]
