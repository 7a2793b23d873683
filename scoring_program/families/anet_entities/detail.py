"""Sections of the detail page that both sub-tasks have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring_program.disclosure import FEWEST, fold_small
from scoring_program.families.anet_entities.files import Reference
from scoring_program.metrics import grounding
from scoring_program.metrics.arrays import Bools, Floats, Ints
from scoring_program.result import Cell, Column, Groups, Section, Table

CLASSES_NOTE = "In the score each class weighs the same, however often it occurs."
_FREQUENCIES = (1, 10, 30, 100, 300)
_SIDES = (0, 32, 96, 192)
_SEGMENTS_SHOWN = 500


def word_tables(reference: Reference, correct: Bools, predicted: Bools, of_classes: Ints) -> list[Section]:
    """Return accuracy against class frequency, box size and frame.

    Parameters
    ----------
    reference : Reference
    correct, predicted : bool arrays of shape (n_words,)
        Whether each annotated word is grounded right, and whether the submission says anything about it.
    of_classes : int64 array of shape (n_classes, 2)
        The support of the rows of the class table.
    """
    words = reference.words
    frequency = np.bincount(words.label, minlength=len(reference.classes))[words.label]
    box = words.box[words.box_start[:-1]].astype(np.float64)
    with np.errstate(all="ignore"):
        area = np.nan_to_num((box[:, 2] - box[:, 0] + 1) * (box[:, 3] - box[:, 1] + 1))
    side = np.sqrt(np.maximum(area, 0))
    frame = words.frame[words.box_start[:-1]]
    tables = (
        ("frequency", "Accuracy against class frequency", "Words of the class", _FREQUENCIES, frequency),
        ("box_size", "Accuracy against box size", "Square root of the box area", _SIDES, side),
    )
    binned = [
        _binned(
            key,
            title,
            [what, *_names(edges)],
            np.searchsorted(edges, values, "right") - 1,
            (correct, predicted),
        )
        for key, title, what, edges, values in tables
    ]
    # All words of a class are in one bin of frequency: the rest of the bin follows from the rows of its
    # classes.
    large, _ = fold_small(of_classes, FEWEST)
    rest = predicted & ~np.isin(words.label, large)
    binned[0] = _with_large_rest(binned[0], np.searchsorted(_FREQUENCIES, frequency[rest], "right") - 1)
    names = ["Sampled frame", *map(str, range(grounding.FRAMES))]
    return [*binned, _binned("frame", "Accuracy against frame", names, frame, (correct, predicted))]


def _with_large_rest(section: Groups, rest: Ints) -> Groups:
    """Return a table whose bins rest on no more than their part of some predicted words, where they have any.

    ``rest`` holds the bins of these words.
    """
    support = section.support.copy()
    size = np.bincount(rest, minlength=len(support))
    support[:, 1] = np.where(size > 0, np.minimum(support[:, 1], size), support[:, 1])
    return replace(section, support=support)


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

    columns = [Column(what), Column("Words", "count"), Column("Accuracy", "share")]
    support = np.stack([n_words, n_predicted], axis=1)
    return Groups(
        key, title, "Share of the annotated words that are grounded right.", columns, bins, support, row
    )


def segment_table(reference: Reference, title: str, values: Floats, submitted: Bools) -> Section:
    """Return the worst segments with their classes; ``values`` and ``submitted`` have shape (n_segments,)."""
    labels: list[list[str]] = [[] for _ in reference.segments]
    for segment, label in zip(reference.words.segment.tolist(), reference.words.label.tolist()):
        labels[segment].append(reference.classes[label])
    rows = [
        (*reference.segments[i], ", ".join(labels[i]), "yes" if submitted[i] else "missing", float(values[i]))
        for i in np.argsort(values, kind="stable")[:_SEGMENTS_SHOWN].tolist()
    ]
    columns = [Column("Video"), Column("Segment"), Column("Annotated classes"), Column("Submitted")]
    note = f"The worst first, at most {_SEGMENTS_SHOWN}."
    return Table("segments", "Segments", note, [*columns, Column(title, "share")], rows)
