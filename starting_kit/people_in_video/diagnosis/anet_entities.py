"""What the search for the simplest repair compares for either sub-task of ActivityNet-Entities: videos and
segments, boxes of the ten frames, and what names an object: a word index, or a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.decision import LEAST_SHARE_OF_COMBINATION, Change, Family, Trial, agrees_well
from people_in_video.diagnosis.regions import BOX_IOU, CLOSE_IOU, Regions, pair_iou
from people_in_video.diagnosis.samples import Ids, Kind, Names
from people_in_video.diagnosis.sampling import Spread, spread_evenly
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.challenges.anet_entities.lemmas import Lemmas, rule_lemma
from scoring_program.challenges.anet_entities.public import submitted_names
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.metrics.grounding import FRAMES
from scoring_program.metrics.pairs import largest_of_items, pairs_in_groups
from scoring_program.scoring import AnyLoaded
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding, counts_objects
from validator.messages import Note
from validator.texts import counted

_VIDEO = "Write the names of videos as the data has them, with v_ in front and without ending"
_SEGMENT = "Number segments as in the annotation file, from 0"
_INDEX = "idx_in_sent counts the words of the sentence from 0"
_CLASS = "Write classes exactly as the vocabulary does"
_BOX = "Write boxes as [x1, y1, x2, y2], in pixels of videos that are resized to a width of 720"
_SIZE = "Boxes are in videos that are resized to a width of 720 pixels: x is between 0 and 720"
_SIZE_OF_VIDEO = "Boxes are in videos that are resized to a width of 720 pixels: multiply by 720 / width"
_FRAME = "The ten boxes belong to the ten sampled frames, in their order"
_OWN_VIDEO = "Write each prediction under the name of its own video"
_OBJECT = "Write what belongs to an object at the same place of each list of its segment"
_REMEDIES_OF_BOXES = {
    Family.FIT: _SIZE,
    Family.ITEM_SCALE: _SIZE_OF_VIDEO,
    Family.NUMBERS: _FRAME,
    Family.ITEMS: _OWN_VIDEO,
}
_INDEXES, _CLASSES = "word indexes", "classes"
_FOLDS = {"as lemmas": rule_lemma}
_SEGMENTS_IN_ORDER_TRIED = 200
# With more of the names in the vocabulary their spelling is not looked at.
_WELL_SPELLED = 0.7


def given_comparisons(reference: Reference, submission: Grounding) -> list[Comparison]:
    """Return what is compared for sub-task I, in the order of scoring."""
    evidence = _GivenEvidence(reference, submission)
    return [
        *_comparisons_of_ids(evidence),
        Comparison(Kind.NAMES, _INDEXES, evidence.indexes, _INDEX),
        *_comparisons_of_boxes(evidence),
    ]


def generated_comparisons(reference: Reference, submission: Grounding) -> list[Comparison]:
    """Return what is compared for sub-task II, in the order of scoring."""
    evidence = _GeneratedEvidence(reference, submission)
    return [
        *_comparisons_of_ids(evidence),
        Comparison(Kind.NAMES, _CLASSES, evidence.spelled_classes, _CLASS),
        *_comparisons_of_boxes(evidence),
        Comparison(Kind.NAMES, _CLASSES, evidence.classes, _CLASS),
    ]


def _comparisons_of_ids(evidence: _Evidence) -> list[Comparison]:
    return [
        Comparison(Kind.IDS, "videos", evidence.videos, _VIDEO),
        Comparison(Kind.IDS, "segments", evidence.segments, _SEGMENT),
    ]


def _comparisons_of_boxes(evidence: _Evidence) -> list[Comparison]:
    return [
        Comparison(Kind.BOXES, "boxes", evidence.boxes, _BOX, remedies=_REMEDIES_OF_BOXES),
        Comparison(Kind.BOXES, "boxes of a segment", evidence.order_in_segments, _OBJECT),
    ]


class _TrueBoxes(NamedTuple):
    """Annotated boxes, (n_boxes,) each: word, segment and video of each, and its frame."""

    word: Ints
    segment: Ints
    video: Ints
    frame: Ints


class _BoxSample(NamedTuple):
    """Sampled objects (n,), and their boxes; ``true_word`` (m,) is the word of each annotated box."""

    objects: Ints
    regions: Regions
    true_word: Ints


class _Evidence(ABC):
    """Both sides, and what is compared of them; a subclass says what names an object."""

    def __init__(self, reference: Reference, submission: Grounding) -> None:
        self._reference = reference
        self._submission = submission
        self._videos = reference.annotated_videos()
        # By whether there is a repair of ids, with which they are found.
        self._submitted_segment: dict[bool, Ints] = {}

    def videos(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the names of videos."""
        videos = list(dict.fromkeys(map(itemgetter(0), self._submission.segments)))
        return Ids(predicted=videos, true=self._videos, what="videos") if videos else None

    def segments(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the first and the last segment of each video, None if all that are submitted are known.

        If the number of each is one too high, the segments between have the number of another one.
        """
        if (self._numbers_of_submitted(repairs) >= 0).all():
            return None
        meant_video = _meant_words("videos", (video for video, _ in self._submission.segments), repairs)
        predicted = [(meant_video[video], name) for video, name in self._submission.segments]
        number_of_video = {video: number for number, video in enumerate(self._videos)}
        predicted = [segment for segment in predicted if segment[0] in number_of_video]
        if self._number_of_segment.keys() >= set(predicted):
            return None
        segments_of_video: dict[str, list[str]] = {}
        for video, name in self._reference.segments:
            segments_of_video.setdefault(video, []).append(name)
        true = []
        for video, names in segments_of_video.items():
            true += [(video, name) for name in dict.fromkeys([names[0], names[-1]])]
        true = [true[place] for place in spread.choose(np.arange(len(true))).tolist()]
        return Ids(
            predicted=[name for _, name in predicted],
            true=[name for _, name in true],
            group=np.array([number_of_video[video] for video, _ in predicted], dtype=np.int64),
            true_group=np.array([number_of_video[video] for video, _ in true], dtype=np.int64),
            what="segments",
        )

    def boxes(self, repairs: Repairs, spread: Spread) -> Regions | None:
        """Return objects with their ten boxes, whatever they are named."""
        sample = self._sample_boxes(repairs, spread)
        return None if sample is None else sample.regions

    def order_in_segments(self, repairs: Repairs, spread: Spread) -> Trial | None:
        """Return the trial that boxes are those of another object that the same segment names.

        Each box must fit one word best and be the best box of that word, so that a model which gives all
        objects of a segment one box does not pass. It follows `boxes`, which shows that boxes are of the
        video at all.
        """
        segment = self._segment_of_object(repairs)
        segments = np.unique(segment[segment >= 0])
        sampled_segments = segments[spread_evenly(len(segments), _SEGMENTS_IN_ORDER_TRIED)]
        objects = np.flatnonzero(np.isin(segment, sampled_segments))
        if not len(objects):
            return None
        named_word = self._named_words(repairs, segment, objects)
        entry, true_box, _ = pairs_in_groups(segment[objects], self._true_boxes.segment)
        word = self._true_boxes.word[true_box]
        predicted_boxes = self._submission.box[objects[entry], self._true_boxes.frame[true_box]]
        iou = pair_iou(predicted_boxes.astype(np.float64), self._corners[true_box])
        is_own = (word == named_word[entry]) & (iou > BOX_IOU)
        before = np.bincount(entry[is_own], minlength=len(objects)) > 0
        if agrees_well(before):
            return None
        is_candidate = np.isin(word, named_word) & (iou > BOX_IOU)
        after = _fit_each_other(entry[is_candidate], word[is_candidate], iou[is_candidate], len(objects))
        return Trial(
            family=Family.ORDER,
            words="with the objects of each segment in another order",
            before=before,
            after=after,
            item=self._segment_video[segment[objects]],
            closeness=float(after.mean()),
            change=Change(),
            least_share=LEAST_SHARE_OF_COMBINATION,
        )

    @abstractmethod
    def _named_words(self, repairs: Repairs, segment: Ints, objects: Ints) -> Ints:
        """Return the annotated word that each of some objects names, -1 without one; ``segment``
        (n_objects,) is that of all objects."""

    @cached_property
    def _number_of_segment(self) -> dict[tuple[str, str], int]:
        return {segment: number for number, segment in enumerate(self._reference.segments)}

    def _segment_of_object(self, repairs: Repairs) -> Ints:
        """Return the annotated segment of each object, -1 without one. Ids come first, so that their repair
        is known when this is asked for."""
        return self._numbers_of_submitted(repairs)[self._submission.segment]

    def _numbers_of_submitted(self, repairs: Repairs) -> Ints:
        """Return the annotated segment of each submitted one, as it is meant; -1 without one."""
        has_repair_of_ids = Kind.IDS in repairs
        if has_repair_of_ids not in self._submitted_segment:
            numbers = [self._number_of_segment.get(segment, -1) for segment in self._meant_segments(repairs)]
            self._submitted_segment[has_repair_of_ids] = np.array(numbers, dtype=np.int64)
        return self._submitted_segment[has_repair_of_ids]

    def _meant_segments(self, repairs: Repairs) -> list[tuple[str, str]]:
        """Return the video and the name that is meant by each submitted segment."""
        segments = self._submission.segments
        if Kind.IDS not in repairs:
            return segments
        meant_video = _meant_words("videos", (video for video, _ in segments), repairs)
        meant_name = _meant_words("segments", (name for _, name in segments), repairs)
        return [(meant_video[video], meant_name[name]) for video, name in segments]

    @cached_property
    def _segment_video(self) -> Ints:
        """The video of each annotated segment."""
        number_of_video = {video: number for number, video in enumerate(self._videos)}
        return np.array([number_of_video[video] for video, _ in self._reference.segments], dtype=np.int64)

    @cached_property
    def _segment_code(self) -> Ints:
        """A number for the name of each annotated segment, which is its place in the video."""
        names = [name for _, name in self._reference.segments]
        code_of_name = {name: code for code, name in enumerate(sorted(set(names)))}
        return np.array([code_of_name[name] for name in names], dtype=np.int64)

    @cached_property
    def _true_boxes(self) -> _TrueBoxes:
        words = self._reference.words
        word = np.repeat(np.arange(len(words.segment)), np.diff(words.box_start))
        segment = words.segment[word]
        return _TrueBoxes(word, segment, self._segment_video[segment], words.frame)

    @cached_property
    def _corners(self) -> Floats:
        """The annotated boxes."""
        return self._reference.words.box.astype(np.float64)

    def _sample_boxes(self, repairs: Repairs, spread: Spread) -> _BoxSample | None:
        segment = self._segment_of_object(repairs)
        objects = np.flatnonzero(segment >= 0)
        if not len(objects):
            return None
        objects = objects[spread.choose(self._segment_video[segment[objects]])]
        segment = segment[objects]
        video = self._segment_video[segment]
        true_boxes = self._true_boxes
        needed_videos = spread.items_nearby(video, len(self._videos))
        chosen = np.flatnonzero(np.isin(true_boxes.video, needed_videos))
        frame = np.tile(np.arange(FRAMES), len(objects))
        regions = Regions(
            columns=self._submission.box[objects].reshape(-1, 4).astype(np.float64),
            item=np.repeat(video, FRAMES),
            true_corners=self._corners[chosen],
            true_item=true_boxes.video[chosen],
            n_items=len(self._videos),
            slot=np.stack([np.repeat(self._segment_code[segment], FRAMES), frame], axis=1),
            true_slot=np.stack(
                [self._segment_code[true_boxes.segment[chosen]], true_boxes.frame[chosen]], axis=1
            ),
            slot_nouns=("", "frame numbers"),
            levels=(BOX_IOU, CLOSE_IOU),
            entry=np.repeat(np.arange(len(objects)), FRAMES),
        )
        return _BoxSample(objects, regions, true_boxes.word[chosen])


class _GivenEvidence(_Evidence):
    """Objects are named by the index of their word."""

    def indexes(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the indexes of words to ground, which are public; None if they count objects, of which a
        note tells that needs no reference."""
        words, submission = self._reference.words, self._submission
        if counts_objects(submission):
            return None
        true_words = spread.choose(words.segment)
        true_segment = words.segment[true_words]
        segment = self._segment_of_object(repairs)
        objects = np.flatnonzero(np.isin(segment, true_segment))
        if not len(objects):
            return None
        is_submitted = np.isin(true_segment, segment[objects])
        return Ids(
            predicted=[str(index) for index in submission.index[objects].tolist()],
            true=[str(index) for index in words.index[true_words[is_submitted]].tolist()],
            group=segment[objects],
            true_group=true_segment[is_submitted],
            what=_INDEXES,
        )

    def _named_words(self, repairs: Repairs, segment: Ints, objects: Ints) -> Ints:
        words = self._reference.words
        indexes = [str(index) for index in self._submission.index[objects].tolist()]
        meant_index = _meant_words(_INDEXES, indexes, repairs)
        number_of_index = {index: int(meant) for index, meant in meant_index.items()}
        meant_indexes = [number_of_index[index] for index in indexes]
        return _look_up(words.segment, words.index, segment[objects], np.array(meant_indexes, dtype=np.int64))


class _GeneratedEvidence(_Evidence):
    """Objects are named by their class."""

    def spelled_classes(self, repairs: Repairs, spread: Spread) -> Names | None:
        """Return the classes of objects, right or wrong, if many are not in the vocabulary."""
        objects = spread.choose(self._submission.label)
        names = [self._submission.classes[label] for label in self._submission.label[objects].tolist()]
        vocabulary = set(self._vocabulary)
        n_in_vocabulary = sum(name in vocabulary for name in names)
        if n_in_vocabulary > _WELL_SPELLED * len(names):
            return None
        segment = self._segment_of_object(repairs)[objects]
        return Names(
            predicted=names,
            true=[""] * len(names),
            item=np.where(segment >= 0, self._segment_video[segment], -1),
            vocabulary=self._vocabulary,
            what=_CLASSES,
            folds=_FOLDS,
        )

    def classes(self, repairs: Repairs, spread: Spread) -> Names | None:
        """Return the classes of objects that are on an annotated word."""
        sample = self._sample_boxes(repairs, spread)
        if sample is None:
            return None
        regions = sample.regions
        corners = repairs.corners(Kind.BOXES, regions.columns, regions.item)
        item = repairs.item(Kind.BOXES, regions.item)
        slot = repairs.slot(Kind.BOXES, regions.slots)
        nearest = regions.moved(item, slot).nearest(corners)
        matched = np.flatnonzero(nearest >= 0)
        if not len(matched):
            return None
        label = self._submission.label[sample.objects[matched]]
        true_label = self._reference.words.label[sample.true_word[nearest[matched]]]
        return Names(
            predicted=[self._submission.classes[number] for number in label.tolist()],
            true=[self._reference.classes[number] for number in true_label.tolist()],
            item=regions.item_of_entry[matched],
            vocabulary=self._vocabulary,
            what=_CLASSES,
            folds=_FOLDS,
        )

    @cached_property
    def _vocabulary(self) -> list[str]:
        return self._reference.vocab or sorted(set(self._reference.classes))

    def _named_words(self, repairs: Repairs, segment: Ints, objects: Ints) -> Ints:
        words, submission = self._reference.words, self._submission
        number_of_class = {name: number for number, name in enumerate(self._reference.classes)}
        meant_labels = []
        for name in submission.classes:
            meant_labels.append(number_of_class.get(repairs.word(_CLASSES, name), -1))
        label = np.array(meant_labels or [-1], dtype=np.int64)[submission.label[objects]]
        return _look_up(words.segment, words.label, segment[objects], label)


def _meant_words(what: str, words: Iterable[str], repairs: Repairs) -> dict[str, str]:
    """Return what is meant by each of some names, of which there are few different ones."""
    return {word: repairs.word(what, word) for word in set(words)}


def _look_up(true_segment: Ints, true_number: Ints, segment: Ints, number: Ints) -> Ints:
    """Return the annotated word of each segment and number (n,), the first of equals, -1 without one.

    ``true_segment`` and ``true_number`` (n_words,) are those of words.
    """
    # A few segments are sampled of many.
    words = np.flatnonzero(np.isin(true_segment, segment))[::-1]
    pairs = zip(true_segment[words].tolist(), true_number[words].tolist())
    word_of_pair = dict(zip(pairs, words.tolist()))
    return np.array([word_of_pair.get(pair, -1) for pair in zip(segment.tolist(), number.tolist())], np.int64)


def _fit_each_other(entry: Ints, word: Ints, iou: Floats, n_entries: int) -> Bools:
    """Return which entries fit one word best and are the best of that word. (n_pairs,) -> (n_entries,)."""
    is_best_word = np.zeros(len(entry), dtype=bool)
    is_best_entry = np.zeros(len(entry), dtype=bool)
    best_of_entry = largest_of_items(entry, iou, n_entries)
    best_of_word = largest_of_items(word, iou, int(word.max(initial=-1)) + 1)
    is_best_word[best_of_entry[best_of_entry >= 0]] = True
    is_best_entry[best_of_word[best_of_word >= 0]] = True
    return np.bincount(entry[is_best_word & is_best_entry], minlength=n_entries) > 0


def rename(submission: Grounding, new_names: Mapping[str, Mapping[str, str]]) -> Grounding:
    """Return a submission with other classes; ``new_names`` are by kind."""
    new_classes = new_names.get("class", {})
    return replace(submission, classes=[new_classes.get(name, name) for name in submission.classes])


COMPARISONS = {"anet_entities_gt": given_comparisons, "anet_entities_gen": generated_comparisons}


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


SUBMITTED_NAMES = {"anet_entities_gen": submitted_names}
FULL_NOTES = {"anet_entities_gen": _lemma_notes}
