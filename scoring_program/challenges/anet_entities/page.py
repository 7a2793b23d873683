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
from scoring_program.metrics import grounding
from scoring_program.metrics.pairs import group_means
from scoring_program.result import Cell, Deferred, Groups, Section, Sections, columns
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding

_CLASSES_NOTE = "In the score each class weighs the same, however often it occurs."
_CLASSES_OF_F1 = "In f1_all and f1_loc each class weighs the same; in the score each submitted segment does."
_FREQUENCIES = (1, 10, 30, 100, 300)
_SIDES = (0, 32, 96, 192)
_SEGMENTS_SHOWN = 500
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
    """Annotated segments with ``scores`` (n_segments,) of a measure, its ``title``, and for each word whether
    it is ``correct`` and which object is ``found`` for it, -1 without one."""

    reference: Reference
    joined: Joined
    title: str
    scores: Floats
    correct: Bools
    found: Ints

    @cached_property
    def nearest(self) -> tuple[Ints, Floats]:
        """For each word the reference box that its object overlaps most, and the overlap."""
        return grounding.nearest_boxes(self.joined.objects, self.reference.words, self.found)


def given_segments(reference: Reference, statistics: WordStatistics) -> Segments:
    """Return the segments of sub-task I with their accuracy."""
    words, correct, joined = reference.words, statistics.correct, statistics.joined
    accuracy = group_means(correct, words.segment, len(reference.segments), 0.0)
    found = grounding.first_objects(joined.objects, words, "index")
    return Segments(reference, joined, "Accuracy", accuracy, correct, found)


def generated_segments(reference: Reference, statistics: SentenceStatistics) -> Segments:
    """Return the segments of sub-task II with their F1."""
    joined, correct = statistics.joined, statistics.judged.word_correct
    found = grounding.first_objects(joined.objects, reference.words, "label")
    return Segments(reference, joined, "F1", np.nan_to_num(statistics.f1), correct, found)


def _overlaps(segments: Segments) -> list[Section]:
    """Return the distribution of the IoU of words, and the table of segments with its mean."""
    compared = segments.found >= 0
    note = "Annotated words by the largest IoU of their object; words without an object are left out."
    section = Section("word_iou", "IoU of words", note)
    values, titles = segments.nearest[1][compared], ("IoU", "words")
    histogram = result.share_histogram(section, values, _IOU_BINS, titles, float(grounding.IOU))
    return [histogram, _segment_table(segments)]


def _predicted_classes(reference: Reference, statistics: SentenceStatistics) -> result.Table:
    """Return what becomes of predicted classes: the submission chooses the segments that a row rests on."""
    judged, words, n = statistics.judged, statistics.words, len(reference.classes)
    label, first = _first_objects(statistics, n)
    counted = ~judged.object_skipped[first]
    right = counted & judged.object_correct[first]
    chosen = label, label[counted], label[right], words.label[judged.word_correct]
    n_predicted, n_counted, right_objects, right_words, predicted = (
        np.bincount(own, minlength=n) for own in (*chosen, words.label[judged.word_predicted])
    )
    shares = right_objects / np.maximum(n_counted, 1), right_words / np.maximum(predicted, 1)
    known = np.flatnonzero(n_predicted)
    order = known[np.argsort(shares[1][known], kind="stable")]
    values = zip(*(column[order].tolist() for column in (n_predicted, *shares)))
    rows = [(reference.classes[code], *own) for code, own in zip(order.tolist(), values)]
    titles = columns(text=["Class"], count=["Segments"], share=["Precision", "Accuracy where predicted"])
    note = (
        "Segments: those in which the class is predicted. Precision: of the first object of the class. "
        "Accuracy where predicted: share of the annotated words in the right box, among those whose class is "
        "predicted in their segment."
    )
    return result.Table("predicted_classes", "Predicted classes", note, titles, rows)


def _first_objects(statistics: SentenceStatistics, n_classes: int) -> tuple[Ints, Ints]:
    """Return the class and the number of the first object of each segment and class."""
    objects = statistics.joined.objects
    pairs, first = np.unique(np.stack([objects.label, objects.segment]), axis=1, return_index=True)
    kept = pairs[0] < n_classes
    return pairs[0, kept], first[kept]


def _hallucinated(statistics: SentenceStatistics) -> result.Table:
    judged, classes = statistics.judged, statistics.joined.classes
    label, first = _first_objects(statistics, len(classes))
    wrong = label[(~judged.object_skipped & ~judged.object_annotated)[first]]
    counts = np.bincount(wrong, minlength=len(classes))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].tolist()
    rows = [(classes[code], int(counts[code])) for code in order[:_SEGMENTS_SHOWN]]
    note = "Predicted classes that the annotated sentence does not have, the most frequent first."
    titles = columns(text=["Class"], count=["Segments"])
    return result.Table("hallucinated", "Hallucinated classes", note, titles, rows)


def _word_tables(reference: Reference, correct: Bools, share: str, note: str) -> list[Section]:
    """Return the table of classes, with a title for the share and a note, and accuracy against class
    frequency, box size and frame.

    ``correct`` (n_words,) says whether each annotated word is grounded right.
    """
    words, names = reference.words, ["Class", *reference.classes]
    classes = _share_table(Section("classes", "Classes", note), share, names, words.label, correct, 2)
    box = words.box[words.box_start[:-1]].astype(np.float64)
    with np.errstate(all="ignore"):
        area = np.nan_to_num((box[:, 2] - box[:, 0] + 1) * (box[:, 3] - box[:, 1] + 1))
    side = np.sqrt(np.maximum(area, 0))
    frame = words.frame[words.box_start[:-1]]
    by_frequency = np.searchsorted(_FREQUENCIES, classes.support[words.label], "right") - 1
    names = ["Words of the class", *_names(_FREQUENCIES)]
    frequencies = _binned("frequency", "Accuracy against class frequency", names, by_frequency, correct)
    # All words of a class are in one bin of frequency: the rest of the bin follows from rows of classes.
    large, _ = merge_small(classes.support, MIN_GROUP)
    rest = np.bincount(by_frequency[~np.isin(words.label, large)], minlength=len(_FREQUENCIES))
    support = np.where(rest > 0, np.minimum(frequencies.support, rest), frequencies.support)
    frequencies = replace(frequencies, support=support)
    names = ["Square root of the box area", *_names(_SIDES)]
    by_size = np.searchsorted(_SIDES, side, "right") - 1
    sizes = _binned("box_size", "Accuracy against box size", names, by_size, correct)
    names = ["Sampled frame", *map(str, range(grounding.FRAMES))]
    return [classes, frequencies, sizes, _binned("frame", "Accuracy against frame", names, frame, correct)]


def _names(edges: tuple[int, ...]) -> list[str]:
    return [*(f"{low} to below {high}" for low, high in zip(edges, edges[1:])), f"{edges[-1]} or more"]


def _binned(key: str, title: str, names: list[str], index: Ints, correct: Bools) -> Groups:
    section = Section(key, title, "Share of the annotated words that are grounded right.")
    return _share_table(section, "Accuracy", names, index, correct)


def _share_table(
    section: Section, share: str, names: Sequence[str], index: Ints, correct: Bools, worst: int | None = None
) -> Groups:
    """Return how many annotated words of each group there are, and the share of them that is ``correct``.

    ``names`` are the title of the first column, then those of the groups; ``index`` (n_words,) is the group
    of each word; rows are sorted by the column ``worst``.
    """
    first, *groups = names
    n_words, n_right = (np.bincount(index[own], minlength=len(groups)) for own in (slice(None), correct))

    def row(members: Ints) -> list[Cell]:
        total = int(n_words[members].sum())
        return [total, float(n_right[members].sum() / max(total, 1))]

    titles = columns(text=[first], count=["Words"], share=[share])
    return Groups(section.key, section.title, section.note, titles, groups, n_words, row, worst)


def _segment_table(segments: Segments) -> Section:
    reference, words, compared = segments.reference, segments.reference.words, segments.found >= 0
    labels: list[list[str]] = [[] for _ in reference.segments]
    for segment, label in zip(words.segment.tolist(), words.label.tolist()):
        labels[segment].append(reference.classes[label])
    iou = result.cells(group_means(segments.nearest[1][compared], words.segment[compared], len(labels)))
    submitted = np.where(segments.joined.submitted, "yes", "missing").tolist()
    values, worst = segments.scores.tolist(), np.argsort(segments.scores, kind="stable")[:_SEGMENTS_SHOWN]
    shown = list(zip(map(", ".join, labels), submitted, values, iou))
    rows = [(*reference.segments[i], *shown[i]) for i in worst.tolist()]
    names = ["Video", "Segment", "Annotated classes", "Submitted"]
    titles = columns(text=names, share=[segments.title, "Mean IoU"])
    note = f"The worst first, at most {_SEGMENTS_SHOWN}. IoU: of words with an object."
    return result.Table("segments", "Segments", note, titles, rows)
