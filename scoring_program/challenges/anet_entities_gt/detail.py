"""The sections of the detail page of sub-task I."""

from __future__ import annotations

import numpy as np
from scoring_program.families.anet_entities.files import Reference

from scoring_program.challenges.anet_entities_gt.program import WordStatistics
from scoring_program.families.anet_entities import detail
from scoring_program.metrics import grounding
from scoring_program.result import Cell, Column, Groups, Section
from validator.arrays import Ints
from validator.formats.anet_entities import Grounding


def sections(reference: Reference, submission: Grounding, statistics: WordStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    words, joined = reference.words, statistics.joined
    n_words = np.bincount(words.segment, minlength=len(reference.segments))
    right = np.bincount(words.segment, statistics.correct, len(reference.segments))
    classes = _class_table(statistics)
    return [
        classes,
        *detail.word_tables(reference, statistics.correct, statistics.predicted, classes.support),
        detail.segment_table(reference, "Accuracy", right / np.maximum(n_words, 1), joined.submitted),
    ]


def _class_table(statistics: WordStatistics) -> Groups:
    joined = statistics.joined
    n = len(joined.classes)
    means, n_words = grounding.class_means(statistics.correct, statistics.label, n)
    named = np.array([name in joined.named for name in joined.classes], dtype=bool)
    predicted = np.bincount(statistics.label[statistics.predicted], minlength=n)
    support = np.stack([n_words, np.where(named, predicted, 0)], axis=1)

    def row(groups: Ints) -> list[Cell]:
        total = int(n_words[groups].sum())
        return [total, float((means * n_words)[groups].sum() / max(total, 1))]

    columns = [Column("Class"), Column("Words", "count"), Column("Accuracy", "share")]
    return Groups("classes", "Classes", detail.CLASSES_NOTE, columns, joined.classes, support, row, 2)
