"""The sections of the detail page of sub-task II."""

from __future__ import annotations

import numpy as np
from scoring_program.families.anet_entities.files import Reference

from scoring_program.challenges.anet_entities_gen.program import ReferenceWithLemmas, SentenceStatistics
from scoring_program.families.anet_entities import detail
from scoring_program.result import Cell, Column, Groups, Section
from validator.arrays import Ints
from validator.formats.anet_entities import Grounding


def sections(
    reference: ReferenceWithLemmas, submission: Grounding, statistics: SentenceStatistics
) -> list[Section]:
    """Return all sections, the aggregates first."""
    annotated, judged = reference.annotated, statistics.judged
    f1 = np.nan_to_num(statistics.f1)
    classes = _class_table(annotated, statistics)
    return [
        classes,
        *detail.word_tables(annotated, judged.word_correct, judged.word_predicted, classes.support),
        _hallucinated(reference, statistics),
        detail.segment_table(annotated, "F1", f1, statistics.joined.submitted),
    ]


def _class_table(reference: Reference, statistics: SentenceStatistics) -> Groups:
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

    columns = [
        Column("Class"),
        Column("Words", "count"),
        Column("Segments", "count"),
        Column("Precision", "share"),
    ]
    columns += [Column("Recall", "share"), Column("Accuracy where predicted", "share")]
    note = (
        f"{detail.CLASSES_NOTE} Segments: where the class is predicted. Precision: of the first "
        "object of each. "
        "Accuracy where predicted: share of the annotated words in the right box, among those whose class is "
        "predicted in their segment."
    )
    # Enough segments, and enough annotated words that they are compared with.
    support = np.stack([n_words, np.minimum(n_predicted, predicted)], axis=1)
    return Groups("classes", "Classes", note, columns, reference.classes, support, row, 4)


def _first_objects(statistics: SentenceStatistics, n_classes: int) -> tuple[Ints, Ints]:
    """Return the class and the number of the first object of each segment and class, for the first classes.

    Counts of all objects would be sums with weights of the submission's choice: it may repeat any of them.
    """
    objects = statistics.joined.objects
    pairs, first = np.unique(np.stack([objects.label, objects.segment]), axis=1, return_index=True)
    kept = pairs[0] < n_classes
    return pairs[0, kept], first[kept]


def _hallucinated(reference: ReferenceWithLemmas, statistics: SentenceStatistics) -> Section:
    judged, classes = statistics.judged, statistics.joined.classes
    label, first = _first_objects(statistics, len(classes))
    wrong = label[(~judged.object_skipped & ~judged.object_known)[first]]
    # A spelling outside the vocabulary could ask about a single word of a sentence.
    vocabulary = {*reference.annotated.vocab, *reference.annotated.classes}
    inside = np.array([name in vocabulary for name in classes], dtype=bool)
    counts = np.where(inside, np.bincount(wrong, minlength=len(classes)), 0)
    order = np.argsort(-counts, kind="stable")
    support = np.stack([counts[order]] * 2, axis=1)

    def row(groups: Ints) -> list[Cell]:
        return [int(counts[order[groups]].sum())]

    names = [classes[code] for code in order.tolist()]
    note = "Classes of the vocabulary in segments whose sentence does not have them, the most frequent first."
    columns = [Column("Class"), Column("Segments", "count")]
    return Groups(
        "hallucinated", "Hallucinated classes", note, columns, names, support, row, overlapping=True
    )
