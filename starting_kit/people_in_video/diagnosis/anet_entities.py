"""What the search for the simplest repair compares for either sub-task of ActivityNet-Entities: boxes of the
ten frames, and what names an object: a word index, or a class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from people_in_video.diagnosis.samples import (
    BOX_IOU,
    CLOSE_IOU,
    Names,
    Regions,
    pair_iou,
    spread_evenly,
)
from people_in_video.diagnosis.search import Comparison, Explanation, Measured
from people_in_video.diagnosis.trials import (
    LEAST_SHARE_OF_COMBINATION,
    Change,
    Family,
    Trial,
    agrees_well,
)
from scoring_program.challenges.anet_entities.lemmas import Lemmas
from scoring_program.challenges.anet_entities.measure import Joined
from scoring_program.challenges.anet_entities.public import submitted_names
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.metrics.grounding import FRAMES
from scoring_program.metrics.group_values import first_with_key, largest_of_items
from scoring_program.metrics.pairs import pairs_in_groups
from scoring_program.scoring import AnyLoaded
from validator.arrays import Bools, Floats, Ints
from validator.findings import Note
from validator.formats.anet_entities.read import Grounding, counts_objects
from validator.texts import counted

_INDEX = "idx_in_sent counts the words of the sentence from 0"
_CLASS = "Write classes exactly as the vocabulary does"
_BOX = "Write boxes as [x1, y1, x2, y2], in pixels of videos that are resized to a width of 720"
_OBJECT = "Write what belongs to an object at the same place of each list of its segment"
_REMEDIES_OF_BOXES = {
    Family.FIT: "Boxes are in videos that are resized to a width of 720 pixels: x is between 0 and 720",
    Family.ITEM_SCALE: (
        "Boxes are in videos that are resized to a width of 720 pixels: multiply by 720 / width"
    ),
    Family.NUMBERS: "The ten boxes belong to the ten sampled frames, in their order",
    Family.ITEMS: "Write each prediction under the name of its own video",
}
_FRAMES_FIRST = "with boxes.reshape(10, n, 4).transpose(1, 0, 2) for the boxes of the n objects of a segment"
_SEGMENTS_TRIED = 200
_PLACEHOLDER = -1.0


def _boxes(measured: Measured) -> Iterator[Regions]:
    """Yield objects with their ten boxes, whatever they are named."""
    yield _regions(measured)


def _regions(measured: Measured, names: tuple[Ints, Ints] | None = None) -> Regions:
    """Return the boxes of sampled objects; ``names`` are those of all objects, and of all annotated words."""
    joined: Joined = measured.statistics.joined
    objects, words = joined.objects, measured.reference.words
    _, code_of_segment = np.unique([name for _, name in measured.reference.segments], return_inverse=True)
    word = np.repeat(np.arange(len(words.segment)), np.diff(words.box_start))
    segment, true_segment = np.repeat(objects.segment, FRAMES), words.segment[word]
    frame = np.tile(np.arange(FRAMES), len(objects.segment))
    regions = Regions(
        corners=objects.box.reshape(-1, 4).astype(np.float64),
        item=joined.segment_video[segment],
        true_corners=words.box.astype(np.float64),
        true_item=joined.segment_video[true_segment],
        n_items=joined.n_videos,
        slot=np.column_stack([code_of_segment[segment], frame]),
        true_slot=np.column_stack([code_of_segment[true_segment], words.frame]),
        slot_nouns=("", "frame numbers"),
        label=None if names is None else np.repeat(names[0], FRAMES),
        true_label=None if names is None else names[1][word],
        levels=(BOX_IOU, CLOSE_IOU),
        entry=np.repeat(np.arange(len(objects.segment)), FRAMES),
    )
    return regions.sampled()


def _transpose(segment: Ints, boxes: Floats) -> Floats:
    """Return the boxes of objects, shape (n_objects, 10, 4), if those of each segment were written frame by
    frame; ``segment`` (n_objects,) ascends."""
    transposed = boxes.copy()
    starts = np.flatnonzero(np.diff(segment, prepend=-1, append=-1)).tolist()
    for start, end in zip(starts, starts[1:]):
        of_segment = boxes[start:end].reshape(FRAMES, end - start, 4)
        transposed[start:end] = of_segment.transpose(1, 0, 2)
    return transposed


def _objects_of_segments(is_given: bool, measured: Measured) -> Iterator[Trial]:
    """Yield the trials that boxes of a segment were reshaped instead of transposed, and that they are those
    of another object that the same segment names.

    In another order, each box must fit one word best and be the best box of that word, so that a model which
    gives all objects of a segment one box does not pass. It follows `_boxes`, which shows that boxes are of
    the video at all.
    """
    joined: Joined = measured.statistics.joined
    objects, words = joined.objects, measured.reference.words
    segments = np.unique(objects.segment)
    tried_segments = segments[spread_evenly(len(segments), _SEGMENTS_TRIED)]
    tried_objects = np.flatnonzero(np.isin(objects.segment, tried_segments))
    named_word = _named_words(is_given, measured)[tried_objects]
    word = np.repeat(np.arange(len(words.segment)), np.diff(words.box_start))
    entry, true_box, _ = pairs_in_groups(objects.segment[tried_objects], words.segment[word])
    word, frame = word[true_box], words.frame[true_box]

    def iou_of(boxes: Floats) -> Floats:
        return pair_iou(
            boxes[tried_objects[entry], frame].astype(np.float64), words.box[true_box].astype(np.float64)
        )

    def agrees(iou: Floats) -> Bools:
        is_own = (word == named_word[entry]) & (iou > BOX_IOU)
        return np.bincount(entry[is_own], minlength=len(tried_objects)) > 0

    iou = iou_of(objects.box)
    trial = Trial(
        family=Family.READING,
        words=_FRAMES_FIRST,
        before=agrees(iou),
        after=agrees(iou_of(_transpose(objects.segment, objects.box))),
        item=joined.segment_video[objects.segment[tried_objects]],
        change=Change(),
    )
    if agrees_well(trial.before):
        return
    yield trial
    is_candidate = np.isin(word, named_word) & (iou > BOX_IOU)
    yield trial._replace(
        family=Family.ORDER,
        words="with the objects of each segment in another order",
        after=_fit_each_other(entry[is_candidate], word[is_candidate], iou[is_candidate], len(tried_objects)),
        change=None,
        least_share=LEAST_SHARE_OF_COMBINATION,
    )


def _named_words(is_given: bool, measured: Measured) -> Ints:
    """Return the annotated word that each object names by its index or its class, -1 without one."""
    objects, words = measured.statistics.joined.objects, measured.reference.words
    number, true_number = (objects.index, words.index) if is_given else (objects.label, words.label)
    n = int(max(number.max(initial=0), true_number.max(initial=0))) + 1
    return first_with_key(
        words.segment.astype(np.int64) * n + true_number, objects.segment.astype(np.int64) * n + number
    )


def _fit_each_other(entry: Ints, word: Ints, iou: Floats, n_entries: int) -> Bools:
    """Return which entries fit one word best and are the best of that word. (n_pairs,) -> (n_entries,)."""
    is_best_word = np.zeros(len(entry), dtype=bool)
    is_best_entry = np.zeros(len(entry), dtype=bool)
    best_of_entry = largest_of_items(entry, iou, n_entries)
    best_of_word = largest_of_items(word, iou, int(word.max(initial=-1)) + 1)
    is_best_word[best_of_entry[best_of_entry >= 0]] = True
    is_best_entry[best_of_word[best_of_word >= 0]] = True
    return np.bincount(entry[is_best_word & is_best_entry], minlength=n_entries) > 0


def _indexes(measured: Measured) -> Iterator[Trial]:
    """Yield the trials of other word indexes; none if they count objects, of which a note tells."""
    if counts_objects(measured.rows):
        return
    joined: Joined = measured.statistics.joined
    objects, words = joined.objects, measured.reference.words
    is_asked = np.isin(words.segment, objects.segment)
    segment, index = words.segment[is_asked].astype(np.int64), words.index[is_asked]
    n = int(max(objects.index.max(initial=0), index.max(initial=0))) + 2

    def covered(shift: int) -> Bools:
        key = objects.segment.astype(np.int64) * n + objects.index + shift
        return np.isin(segment * n + index, key[objects.index + shift >= 0])

    for shift, words_of_shift in ((-1, "less 1"), (1, "plus 1")):
        yield Trial(
            family=Family.NUMBERS,
            words=f"with word indexes {words_of_shift}",
            before=covered(0),
            after=covered(shift),
            item=joined.segment_video[segment],
            change=Change(word=partial(_shift, shift)),
        )


def _shift(shift: int, number: str) -> str:
    return str(int(number) + shift)


def _classes(measured: Measured) -> Iterator[Names]:
    """Yield the classes of objects that are on an annotated word."""
    joined: Joined = measured.statistics.joined
    reference: Reference = measured.reference
    vocabulary = reference.vocab or sorted(set(reference.classes))
    place_of_name = {name: place for place, name in enumerate(vocabulary)}
    true_place = np.array([place_of_name.get(name, -2) for name in reference.classes], dtype=np.int64)
    regions = _regions(measured, (joined.objects.label, true_place[reference.words.label]))
    yield replace(regions.names(joined.classes, "classes"), vocabulary=vocabulary)


def _with_changed_boxes(measured: Measured, change: Change) -> Grounding:
    """Return the submission with changed boxes, frames and videos."""
    submission: Grounding = measured.rows
    videos = measured.reference.annotated_videos()
    number_of_video = {video: number for number, video in enumerate(videos)}
    video = np.array([number_of_video.get(video, -1) for video, _ in submission.segments], dtype=np.int64)
    item = np.repeat(video[submission.segment], FRAMES)
    corners = change.corners(submission.box.reshape(-1, 4).astype(np.float64), item, None)
    frame = change.slot(np.column_stack([np.zeros(FRAMES, np.int64), np.arange(FRAMES)]))[:, 1]
    is_frame = (frame >= 0) & (frame < FRAMES)
    box = np.full((len(submission.segment), FRAMES, 4), _PLACEHOLDER)
    box[:, frame[is_frame]] = corners.reshape(-1, FRAMES, 4)[:, is_frame]
    rename = change.renames(videos)
    segments = [(rename(name), segment) for name, segment in submission.segments]
    return replace(submission, box=box.astype(np.float32), segments=segments)


def _with_transposed_boxes(measured: Measured, change: Change) -> Grounding:
    submission: Grounding = measured.rows
    return replace(submission, box=_transpose(submission.segment, submission.box))


def _with_changed_indexes(measured: Measured, change: Change) -> Grounding:
    submission: Grounding = measured.rows
    index = [int(change.word(str(number))) for number in submission.index.tolist()]
    return replace(submission, index=np.array(index, dtype=np.int64))


def _with_changed_classes(measured: Measured, change: Change) -> Grounding:
    submission: Grounding = measured.rows
    return replace(submission, classes=[change.word(name) for name in submission.classes])


def _comparisons_of_boxes(is_given: bool) -> list[Comparison]:
    return [
        Comparison(
            kind="places",
            noun="boxes",
            samples=_boxes,
            remedy=_BOX,
            remedies=_REMEDIES_OF_BOXES,
            repaired=_with_changed_boxes,
            explains=("N-BOXES-OUTSIDE", "N-LOOKS-NORMALIZED", "N-BOXES-ORDER", "N-BOXES-FIRST"),
        ),
        Comparison(
            kind="places",
            noun="boxes of a segment",
            samples=partial(_objects_of_segments, is_given),
            remedy=_OBJECT,
            repaired=_with_transposed_boxes,
        ),
    ]


def rename(submission: Grounding, new_names: Mapping[str, Mapping[str, str]]) -> Grounding:
    """Return a submission with other classes; ``new_names`` are by kind."""
    new_classes = new_names.get("class", {})
    return replace(submission, classes=[new_classes.get(name, name) for name in submission.classes])


def _lemma_notes(loaded: AnyLoaded, submission: Grounding, statistics: object) -> list[Note]:
    """Return a note if the fallback gave predicted classes the lemmas of unannotated tokens."""
    reference: Reference = loaded.reference
    lemmas = Lemmas(reference.lemmas, loaded.settings["lemma_fallback"])
    token_lemmas = {lemmas(reference.tokens[number]) for number in np.unique(reference.token).tolist()}
    missing_classes = set(submission.classes).difference(reference.lemmas)
    class_lemmas = {lemmas(name) for name in missing_classes}
    if not token_lemmas & class_lemmas:
        return []
    classes = counted(len(missing_classes), "predicted class", "predicted classes")
    text = f"some of {classes} not in the table of lemmas got the lemma of an unannotated word {lemmas.means}"
    return [Note("N-LEMMAS", f"{text}; the released script may differ")]


EXPLANATIONS = {
    "anet_entities_gt": Explanation(
        [
            Comparison(
                kind="names",
                noun="word indexes",
                samples=_indexes,
                remedy=_INDEX,
                repaired=_with_changed_indexes,
                explains=("N-WORDS-OUTSIDE",),
            ),
            *_comparisons_of_boxes(is_given=True),
        ]
    ),
    "anet_entities_gen": Explanation(
        [
            *_comparisons_of_boxes(is_given=False),
            Comparison("names", "classes", _classes, _CLASS, repaired=_with_changed_classes),
        ],
        submitted_names=submitted_names,
        rename=rename,
        count_notes=_lemma_notes,
    ),
}
