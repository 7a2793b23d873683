"""The sections of the detail pages of both sub-tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scoring_program import result
from scoring_program.challenges.anet_entities.measure import Joined, SentenceStatistics, WordStatistics
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.disclosure import MIN_GROUP, merge_small
from scoring_program.figures.histogram import share_histogram
from scoring_program.metrics import grounding
from scoring_program.metrics.group_values import group_means
from scoring_program.result import FULL, Deferred, GroupNumber, Groups, Section, Sections, columns
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding

_CLASSES_NOTE = "In the score each class weighs the same, however often it occurs."
_CLASSES_OF_F1 = "In f1_all and f1_loc each class weighs the same; in the score each sentence does."
# The lower ends of bins: of the words of a class, and of the square root of the area of a box.
_FREQUENCIES = (1, 10, 30, 100, 300)
_SIDES = (0, 32, 96, 192)
_ROWS_SHOWN = 500
_IOU_BINS = 20


def given_sections(reference: Reference, submission: Grounding, statistics: WordStatistics) -> Sections:
    """Return all sections of sub-task I, the aggregates first."""
    return [
        *_word_tables(reference, statistics.correct, "Accuracy", _CLASSES_NOTE),
        Deferred(lambda: _overlaps(given_segments(reference, statistics))),
    ]


def generated_sections(
    reference: Reference, submission: Grounding, statistics: SentenceStatistics
) -> Sections:
    """Return all sections of sub-task II, the aggregates first."""
    note = f"{_CLASSES_OF_F1} Recall: share of the annotated words whose class is predicted in the right box."
    return [
        *_word_tables(reference, statistics.judged.word_correct, "Recall", note),
        _predicted_classes(reference, statistics),
        _hallucinated(statistics),
        Deferred(lambda: _overlaps(generated_segments(reference, statistics))),
    ]


@dataclass(frozen=True)
class Segments:
    """Annotated segments with a measure of each, and what became of their words.

    Attributes
    ----------
    reference, joined : Reference, Joined
    title : str
        What the measure is called.
    scores : float64 array of shape (n_segments,)
    correct : bool array of shape (n_words,)
    object_of_word : int array of shape (n_words,)
        The object that is compared with each word, -1 without one.
    """

    reference: Reference
    joined: Joined
    title: str
    scores: Floats
    correct: Bools
    object_of_word: Ints

    @cached_property
    def nearest(self) -> tuple[Ints, Floats]:
        """For each word the reference box that its object overlaps most, and the overlap."""
        return grounding.nearest_boxes(self.joined.objects, self.reference.words, self.object_of_word)


def given_segments(reference: Reference, statistics: WordStatistics) -> Segments:
    """Return the segments of sub-task I with their accuracy."""
    words, joined = reference.words, statistics.joined
    return Segments(
        reference=reference,
        joined=joined,
        title="Accuracy",
        scores=group_means(statistics.correct, words.segment, len(reference.segments), 0.0),
        correct=statistics.correct,
        object_of_word=grounding.first_objects(joined.objects, words, "index"),
    )


def generated_segments(reference: Reference, statistics: SentenceStatistics) -> Segments:
    """Return the segments of sub-task II with their F1."""
    joined = statistics.joined
    return Segments(
        reference=reference,
        joined=joined,
        title="F1",
        scores=np.nan_to_num(statistics.f1),
        correct=statistics.judged.word_correct,
        object_of_word=grounding.first_objects(joined.objects, reference.words, "label"),
    )


def _overlaps(segments: Segments) -> list[Section]:
    """Return the distribution of the IoU of words, and the table of segments with its mean."""
    _, iou = segments.nearest
    has_object = segments.object_of_word >= 0
    note = "Annotated words by the largest IoU of their object; words without an object are left out."
    section = Section("word_iou", "IoU of words", note)
    titles = ("IoU", "words")
    threshold = float(grounding.IOU)
    histogram = share_histogram(section, iou[has_object], _IOU_BINS, titles, threshold)
    return [histogram, _segment_table(segments)]


def _predicted_classes(reference: Reference, statistics: SentenceStatistics) -> result.Table:
    """Return what becomes of predicted classes: the submission chooses the segments that a row rests on."""
    judged, words = statistics.judged, statistics.words
    n_classes = len(reference.classes)
    label, first = _first_objects(statistics, n_classes)
    counts = ~judged.object_skipped[first]
    is_right = counts & judged.object_correct[first]
    n_segments = np.bincount(label, minlength=n_classes)
    n_counting = np.bincount(label[counts], minlength=n_classes)
    n_right = np.bincount(label[is_right], minlength=n_classes)
    n_words_predicted = np.bincount(words.label[judged.word_predicted], minlength=n_classes)
    n_words_right = np.bincount(words.label[judged.word_correct], minlength=n_classes)
    precision = n_right / np.maximum(n_counting, 1)
    accuracy = n_words_right / np.maximum(n_words_predicted, 1)
    codes = np.flatnonzero(n_segments)
    codes = codes[np.argsort(accuracy[codes], kind="stable")]
    rows = [
        (reference.classes[code], int(n_segments[code]), float(precision[code]), float(accuracy[code]))
        for code in codes.tolist()
    ]
    note = (
        "Segments: those in which the class is predicted. Precision: of the first object of the class. "
        "Accuracy where predicted: share of the annotated words in the right box, among those whose class is "
        "predicted in their segment."
    )
    return result.Table(
        key="predicted_classes",
        title="Predicted classes",
        note=note,
        columns=columns(text=["Class"], count=["Segments"], share=["Precision", "Accuracy where predicted"]),
        rows=rows,
    )


def _first_objects(statistics: SentenceStatistics, n_classes: int) -> tuple[Ints, Ints]:
    """Return the class and the number of the first object of each segment and class."""
    objects = statistics.joined.objects
    pairs, first = np.unique(np.stack([objects.label, objects.segment]), axis=1, return_index=True)
    is_in_vocabulary = pairs[0] < n_classes
    return pairs[0, is_in_vocabulary], first[is_in_vocabulary]


def _hallucinated(statistics: SentenceStatistics) -> result.Table:
    """Return in how many segments each class is predicted that their sentences do not have."""
    judged, classes = statistics.judged, statistics.joined.classes
    label, first = _first_objects(statistics, len(classes))
    is_hallucinated = ~judged.object_skipped & ~judged.object_annotated
    counts = np.bincount(label[is_hallucinated[first]], minlength=len(classes))
    most_frequent = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    return result.Table(
        key="hallucinated",
        title="Hallucinated classes",
        note="Predicted classes that the annotated sentence does not have, the most frequent first.",
        columns=columns(text=["Class"], count=["Segments"]),
        rows=[(classes[code], int(counts[code])) for code in most_frequent[:_ROWS_SHOWN].tolist()],
    )


def _word_tables(reference: Reference, correct: Bools, share: str, note: str) -> list[Section]:
    """Return the table of classes, with a title for the share and a note, and accuracy against class
    frequency, box size and frame.

    ``correct`` (n_words,) says whether each annotated word is grounded right.
    """
    words = reference.words
    section = Section("classes", "Classes", note)
    classes = _share_table(section, share, "Class", reference.classes, words.label, correct)
    classes = replace(classes, worst_first=2)
    frame = words.frame[words.box_start[:-1]]
    frame_names = [str(number) for number in range(grounding.FRAMES)]
    return [
        classes,
        _frequency_table(words, classes.support, correct),
        # What of a hidden word is in which frame, and how large, would show in these.
        replace(_size_table(words, correct), level=FULL),
        replace(_accuracy_table("frame", "frame", "Sampled frame", frame_names, frame, correct), level=FULL),
    ]


def _frequency_table(words: grounding.Words, class_support: Ints, correct: Bools) -> Groups:
    """Return accuracy against class frequency; ``class_support`` are the numbers of words of the classes."""
    frequency_bin = np.searchsorted(_FREQUENCIES, class_support[words.label], "right") - 1
    names = _bin_names(_FREQUENCIES)
    table = _accuracy_table(
        "frequency", "class frequency", "Words of the class", names, frequency_bin, correct
    )
    # All words of a class are in one bin of frequency: the rest of the bin follows from rows of classes.
    large_classes, _ = merge_small(class_support, MIN_GROUP)
    in_rest = ~np.isin(words.label, large_classes)
    n_rest = np.bincount(frequency_bin[in_rest], minlength=len(_FREQUENCIES))
    support = np.where(n_rest > 0, np.minimum(table.support, n_rest), table.support)
    return replace(table, support=support)


def _size_table(words: grounding.Words, correct: Bools) -> Groups:
    """Return accuracy against the size of the first box of each word."""
    box = words.box[words.box_start[:-1]].astype(np.float64)
    with np.errstate(all="ignore"):
        area = (box[:, 2] - box[:, 0] + 1) * (box[:, 3] - box[:, 1] + 1)
    side = np.sqrt(np.maximum(np.nan_to_num(area), 0))
    size_bin = np.searchsorted(_SIDES, side, "right") - 1
    names = _bin_names(_SIDES)
    return _accuracy_table("box_size", "box size", "Square root of the box area", names, size_bin, correct)


def _bin_names(lower_ends: tuple[int, ...]) -> list[str]:
    """Return what bins are called; the last one is open."""
    names = [f"{low} to below {high}" for low, high in zip(lower_ends, lower_ends[1:])]
    return [*names, f"{lower_ends[-1]} or more"]


def _accuracy_table(
    key: str, quantity: str, group_title: str, groups: Sequence[str], group_of_word: Ints, correct: Bools
) -> Groups:
    """Return the accuracy against a quantity, by whose groups the words are counted."""
    note = "Share of the annotated words that are grounded right."
    section = Section(key, f"Accuracy against {quantity}", note)
    return _share_table(section, "Accuracy", group_title, groups, group_of_word, correct)


def _share_table(
    section: Section,
    share_title: str,
    group_title: str,
    groups: Sequence[str],
    group_of_word: Ints,
    correct: Bools,
) -> Groups:
    """Return how many annotated words of each group there are, and the share of them that is correct.

    Shapes: ``group_of_word`` (n_words,), ``correct`` (n_words,).
    """
    n_words = np.bincount(group_of_word, minlength=len(groups))
    n_right = np.bincount(group_of_word[correct], minlength=len(groups))
    return Groups(
        key=section.key,
        title=section.title,
        note=section.note,
        names_title=group_title,
        names=groups,
        support=n_words,
        numbers=[GroupNumber("Words", n_words), GroupNumber(share_title, n_right, n_words)],
    )


def _segment_table(segments: Segments) -> Section:
    """Return the worst segments, with their classes and the mean IoU of their words."""
    reference, words = segments.reference, segments.reference.words
    classes_of_segment: list[list[str]] = [[] for _ in reference.segments]
    for segment, label in zip(words.segment.tolist(), words.label.tolist()):
        classes_of_segment[segment].append(reference.classes[label])
    _, iou = segments.nearest
    has_object = segments.object_of_word >= 0
    mean_iou = group_means(iou[has_object], words.segment[has_object], len(reference.segments))
    mean_iou_cells = result.cells(mean_iou)
    rows = []
    for number in np.argsort(segments.scores, kind="stable")[:_ROWS_SHOWN].tolist():
        video, segment_name = reference.segments[number]
        annotated_classes = ", ".join(classes_of_segment[number])
        is_submitted = "yes" if segments.joined.submitted[number] else "missing"
        score = float(segments.scores[number])
        rows.append((video, segment_name, score, is_submitted, mean_iou_cells[number], annotated_classes))
    titles = columns(text=["Video", "Segment"], share=[segments.title])
    titles += columns(text=["Submitted"], share=["Mean IoU"])
    titles += columns(text=["Annotated classes"])
    return result.Table(
        key="segments",
        title="Segments",
        note=f"The worst first, at most {_ROWS_SHOWN}. IoU: of words with an object.",
        columns=titles,
        rows=rows,
        item_columns=2,
    )
