"""The sections of the detail page of sub-task II."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.anet_entities_gen.program import ReferenceWithLemmas, SentenceStatistics
from scoring_program.families.anet_entities import detail
from scoring_program.result import Cell, Column, Groups, Section
from validator.formats.anet_entities import Grounding


def sections(reference: ReferenceWithLemmas, submission: Grounding, statistics: SentenceStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    annotated, judged = reference.annotated, statistics.judged
    f1 = np.nan_to_num(statistics.f1)
    return [
        _class_table(statistics),
        *detail.word_tables(annotated, judged.word_correct, judged.word_predicted),
        _hallucinated(reference, statistics),
        detail.segment_table(annotated, "F1", f1, statistics.joined.submitted),
    ]


def _class_table(statistics: SentenceStatistics) -> Section:
    judged, words, joined = statistics.judged, statistics.words, statistics.joined
    n = len(joined.classes)
    counted = ~judged.object_skipped
    label = joined.objects.label
    n_objects, right_objects = (
        np.bincount(label[chosen], minlength=n) for chosen in (counted, counted & judged.object_correct)
    )
    n_words, right_words, predicted = (
        np.bincount(words.label[chosen], minlength=n)
        for chosen in (slice(None), judged.word_correct, judged.word_predicted)
    )

    def row(groups: np.ndarray) -> list[Cell]:
        objects, all_words, found = (int(count[groups].sum()) for count in (n_objects, n_words, predicted))
        right = int(right_words[groups].sum())
        precision = float(right_objects[groups].sum() / max(objects, 1))
        return [all_words, objects, precision, right / max(all_words, 1), right / max(found, 1)]

    columns = [Column("Class"), Column("Words", "count"), Column("Objects", "count"), Column("Precision", "share")]
    columns += [Column("Recall", "share"), Column("Accuracy where predicted", "share")]
    note = (
        f"{detail.CLASSES_NOTE} Accuracy where predicted: share of the annotated words in the right box, among those "
        "whose class is predicted in their segment."
    )
    # Enough objects, and enough annotated words that they are compared with.
    support = np.stack([n_words, np.minimum(np.bincount(label, minlength=n), predicted)], axis=1)
    return Groups("classes", "Classes", note, columns, joined.classes, support, row, 4)


def _hallucinated(reference: ReferenceWithLemmas, statistics: SentenceStatistics) -> Section:
    judged, joined = statistics.judged, statistics.joined
    n = len(joined.classes)
    wrong = ~judged.object_skipped & ~judged.object_known
    label, segment = joined.objects.label[wrong], joined.objects.segment[wrong]
    counts = np.bincount(label, minlength=n)
    n_segments = len(reference.annotated.segments)
    distinct = np.unique(label * np.int64(n_segments) + segment) // max(n_segments, 1)
    segments = np.bincount(distinct, minlength=n)
    vocabulary = {*reference.annotated.vocab, *reference.annotated.classes}
    # A spelling outside the vocabulary could ask about a single word of a sentence: all of them are one row.
    outside = np.array([name not in vocabulary for name in joined.classes], dtype=bool)
    support = np.stack([np.where(outside, 0, segments), counts], axis=1)
    order = np.argsort(-counts, kind="stable")

    def row(groups: np.ndarray) -> list[Cell]:
        return [int(counts[order[groups]].sum())]

    names = [joined.classes[code] for code in order.tolist()]
    note = "Predicted in segments whose sentence does not have them, the most frequent first."
    columns = [Column("Class"), Column("Objects", "count")]
    return Groups("hallucinated", "Hallucinated classes", note, columns, names, support[order], row, overlapping=True)
