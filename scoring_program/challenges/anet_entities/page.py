"""The sections of the detail pages of both sub-tasks."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.anet_entities.measure import SentenceStatistics, WordStatistics
from scoring_program.challenges.anet_entities.read import Reference, ReferenceWithLemmas
from scoring_program.disclosure import MIN_GROUP, merge_small
from scoring_program.metrics import grounding
from scoring_program.result import Cell, Groups, Section, Table, columns
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding

_CLASSES_NOTE = "In the score each class weighs the same, however often it occurs."
_FREQUENCIES = (1, 10, 30, 100, 300)
_SIDES = (0, 32, 96, 192)
_SEGMENTS_SHOWN = 500


def given_sections(reference: Reference, submission: Grounding, statistics: WordStatistics) -> list[Section]:
    """Return all sections of sub-task I, the aggregates first."""
    words, joined = reference.words, statistics.joined
    n_words = np.bincount(words.segment, minlength=len(reference.segments))
    right = np.bincount(words.segment, statistics.correct, len(reference.segments))
    classes = _given_class_table(statistics)
    return [
        classes,
        *_word_tables(reference, statistics.correct, statistics.predicted, classes.support),
        _segment_table(reference, "Accuracy", right / np.maximum(n_words, 1), joined.submitted),
    ]


def _given_class_table(statistics: WordStatistics) -> Groups:
    joined = statistics.joined
    n = len(joined.classes)
    means, n_words = grounding.class_means(statistics.correct, statistics.label, n)
    named = np.array([name in joined.named for name in joined.classes], dtype=bool)
    predicted = np.bincount(statistics.label[statistics.predicted], minlength=n)
    support = np.stack([n_words, np.where(named, predicted, 0)], axis=1)

    def row(groups: Ints) -> list[Cell]:
        total = int(n_words[groups].sum())
        return [total, float((means * n_words)[groups].sum() / max(total, 1))]

    titles = columns(text=["Class"], count=["Words"], share=["Accuracy"])
    return Groups("classes", "Classes", _CLASSES_NOTE, titles, joined.classes, support, row, 2)


def generated_sections(
    reference: ReferenceWithLemmas, submission: Grounding, statistics: SentenceStatistics
) -> list[Section]:
    """Return all sections of sub-task II, the aggregates first."""
    annotated, judged = reference.annotated, statistics.judged
    f1 = np.nan_to_num(statistics.f1)
    classes = _generated_class_table(annotated, statistics)
    return [
        classes,
        *_word_tables(annotated, judged.word_correct, judged.word_predicted, classes.support),
        _hallucinated(annotated, statistics),
        _segment_table(annotated, "F1", f1, statistics.joined.submitted),
    ]


def _generated_class_table(reference: Reference, statistics: SentenceStatistics) -> Groups:
    judged, words = statistics.judged, statistics.words
    n = len(reference.classes)
    label, first = _first_objects(statistics, n)
    counted = ~judged.object_skipped[first]
    n_predicted, n_counted, right_objects = (
        np.bincount(label[chosen], minlength=n)
        for chosen in (slice(None), counted, counted & judged.object_correct[first])
    )
    n_words, right_words, predicted = (
        np.bincount(words.label[chosen], minlength=n)
        for chosen in (slice(None), judged.word_correct, judged.word_predicted)
    )

    def row(groups: Ints) -> list[Cell]:
        segments, all_words, named = (int(count[groups].sum()) for count in (n_predicted, n_words, predicted))
        right = int(right_words[groups].sum())
        precision = float(right_objects[groups].sum() / max(n_counted[groups].sum(), 1))
        return [all_words, segments, precision, right / max(all_words, 1), right / max(named, 1)]

    shares = ["Precision", "Recall", "Accuracy where predicted"]
    titles = columns(text=["Class"], count=["Words", "Segments"], share=shares)
    note = (
        f"{_CLASSES_NOTE} Segments: where the class is predicted. Precision: of the first object of each. "
        "Accuracy where predicted: share of the annotated words in the right box, among those whose class is "
        "predicted in their segment."
    )
    # Enough segments, and enough annotated words that they are compared with.
    support = np.stack([n_words, np.minimum(n_predicted, predicted)], axis=1)
    return Groups("classes", "Classes", note, titles, reference.classes, support, row, 4)


def _first_objects(statistics: SentenceStatistics, n_classes: int) -> tuple[Ints, Ints]:
    """Return the class and the number of the first object of each segment and class, for the first classes.

    Counts of all objects would be sums with weights of the submission's choice: it may repeat any of them.
    """
    objects = statistics.joined.objects
    pairs, first = np.unique(np.stack([objects.label, objects.segment]), axis=1, return_index=True)
    kept = pairs[0] < n_classes
    return pairs[0, kept], first[kept]


def _hallucinated(reference: Reference, statistics: SentenceStatistics) -> Section:
    judged, classes = statistics.judged, statistics.joined.classes
    label, first = _first_objects(statistics, len(classes))
    wrong = label[(~judged.object_skipped & ~judged.object_known)[first]]
    # A spelling outside the vocabulary could ask about a single word of a sentence.
    vocabulary = {*reference.vocab, *reference.classes}
    inside = np.array([name in vocabulary for name in classes], dtype=bool)
    counts = np.where(inside, np.bincount(wrong, minlength=len(classes)), 0)
    order = np.argsort(-counts, kind="stable")
    support = np.stack([counts[order]] * 2, axis=1)

    def row(groups: Ints) -> list[Cell]:
        return [int(counts[order[groups]].sum())]

    names = [classes[code] for code in order.tolist()]
    note = "Classes of the vocabulary in segments whose sentence does not have them, the most frequent first."
    titles, title = columns(text=["Class"], count=["Segments"]), "Hallucinated classes"
    return Groups("hallucinated", title, note, titles, names, support, row, overlapping=True)


def _word_tables(reference: Reference, correct: Bools, predicted: Bools, of_classes: Ints) -> list[Section]:
    """Return accuracy against class frequency, box size and frame.

    ``correct`` and ``predicted`` (n_words,) say whether each annotated word is grounded right, and whether
    the submission says anything about it; ``of_classes`` (n_classes, 2) is the support of the class table.
    """
    words = reference.words
    frequency = np.bincount(words.label, minlength=len(reference.classes))[words.label]
    box = words.box[words.box_start[:-1]].astype(np.float64)
    with np.errstate(all="ignore"):
        area = np.nan_to_num((box[:, 2] - box[:, 0] + 1) * (box[:, 3] - box[:, 1] + 1))
    side = np.sqrt(np.maximum(area, 0))
    frame = words.frame[words.box_start[:-1]]
    judged, by_frequency = (correct, predicted), np.searchsorted(_FREQUENCIES, frequency, "right") - 1
    names = ["Words of the class", *_names(_FREQUENCIES)]
    frequencies = _binned("frequency", "Accuracy against class frequency", names, by_frequency, judged)
    # All words of a class are in one bin of frequency: the rest of the bin follows from rows of classes.
    large, _ = merge_small(of_classes, MIN_GROUP)
    rest = np.bincount(by_frequency[predicted & ~np.isin(words.label, large)], minlength=len(_FREQUENCIES))
    support = frequencies.support
    support[:, 1] = np.where(rest > 0, np.minimum(support[:, 1], rest), support[:, 1])
    names = ["Square root of the box area", *_names(_SIDES)]
    by_size = np.searchsorted(_SIDES, side, "right") - 1
    sizes = _binned("box_size", "Accuracy against box size", names, by_size, judged)
    names = ["Sampled frame", *map(str, range(grounding.FRAMES))]
    return [frequencies, sizes, _binned("frame", "Accuracy against frame", names, frame, judged)]


def _names(edges: tuple[int, ...]) -> list[str]:
    return [*(f"{low} to below {high}" for low, high in zip(edges, edges[1:])), f"{edges[-1]} or more"]


def _binned(key: str, title: str, names: list[str], index: Ints, judged: tuple[Bools, Bools]) -> Groups:
    """Return a table of bins; ``names`` begins with the title of the first column."""
    correct, predicted = judged
    what, *bins = names
    n_words, n_predicted, n_right = (
        np.bincount(index[chosen], minlength=len(bins)) for chosen in (slice(None), predicted, correct)
    )

    def row(groups: Ints) -> list[Cell]:
        total = int(n_words[groups].sum())
        return [total, float(n_right[groups].sum() / max(total, 1))]

    titles = columns(text=[what], count=["Words"], share=["Accuracy"])
    support = np.stack([n_words, n_predicted], axis=1)
    note = "Share of the annotated words that are grounded right."
    return Groups(key, title, note, titles, bins, support, row)


def _segment_table(reference: Reference, title: str, values: Floats, submitted: Bools) -> Section:
    """Return the worst segments with their classes; ``values`` and ``submitted`` have shape (n_segments,)."""
    labels: list[list[str]] = [[] for _ in reference.segments]
    for segment, label in zip(reference.words.segment.tolist(), reference.words.label.tolist()):
        labels[segment].append(reference.classes[label])
    rows = [
        (*reference.segments[i], ", ".join(labels[i]), "yes" if submitted[i] else "missing", float(values[i]))
        for i in np.argsort(values, kind="stable")[:_SEGMENTS_SHOWN].tolist()
    ]
    titles = columns(text=["Video", "Segment", "Annotated classes", "Submitted"], share=[title])
    return Table("segments", "Segments", f"The worst first, at most {_SEGMENTS_SHOWN}.", titles, rows)
