"""What notes on repairs tell."""

from __future__ import annotations

import numpy as np

from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.repair_notes import repair_notes
from people_in_video.diagnosis.samples import Ids, Kind, Names
from people_in_video.diagnosis.search import Comparison
from validator.messages import Note

REMEDY = "Write them right"
VOCABULARY = [str(number) for number in range(1, 21)]


def true_corners(n_items):
    rng = np.random.default_rng(1)
    low = rng.uniform(60, 300, (n_items, 2))
    return np.concatenate([low, low + 60], axis=1)


def comparison(kind, what, sample):
    return Comparison(kind, what, lambda repairs, spread: sample, REMEDY)


def boxes(n_items, items=None, n_fitting=None):
    """Return the comparison of boxes, two of each of some items; those of the first ones fit with sizes."""
    items = np.arange(n_items) if items is None else items
    n_fitting = len(items) if n_fitting is None else n_fitting
    item = np.repeat(items, 2)
    corners = true_corners(n_items)
    columns = corners[item].copy()
    columns[:, 2:] -= columns[:, :2]
    columns[2 * n_fitting :] = [900, 900, 40, 50]
    sample = Regions(columns, item, corners, np.arange(n_items), n_items)
    return comparison(Kind.BOXES, "persons", sample)


def classes(n_items):
    """Return the comparison of classes that are one too high."""
    true = [VOCABULARY[(7 * item) % 19] for item in range(n_items)]
    predicted = [str(int(name) + 1) for name in true]
    return comparison(Kind.NAMES, "classes", Names(predicted, true, np.arange(n_items), VOCABULARY))


def videos(n_items):
    """Return the comparison of ids that lack what is in front."""
    true = [f"v_{chr(97 + item % 26)}{item}" for item in range(n_items)]
    return comparison(Kind.IDS, "videos", Ids([name[2:] for name in true], true, what="videos"))


def notes_of(comparisons, others=()):
    return repair_notes(comparisons, others)


def test_everything_is_told():
    box_note, class_note = notes_of([boxes(40), classes(40)])
    assert "as [x, y, width, height], 100 % of your persons agree" in box_note.text
    assert "100 % of your classes agree" in class_note.text
    assert REMEDY in box_note.text


def test_repairs_of_ids_are_told_in_words():
    (note,) = notes_of([videos(40)])
    assert note.code == "N-LOOKS-NAMED"
    assert "videos" in note.text and REMEDY in note.text


def test_boxes_that_another_note_explains_are_not_searched():
    normalized = Note("N-LOOKS-NORMALIZED", "all lie between 0 and 1")
    assert notes_of([boxes(40)], others=[normalized]) == []


def test_a_right_submission_gets_no_note():
    corners = true_corners(40)
    sample = Regions(corners, np.arange(40), corners, np.arange(40), 40)
    assert notes_of([comparison(Kind.BOXES, "persons", sample)]) == []
