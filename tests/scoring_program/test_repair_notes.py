"""What notes on repairs tell at each level of detail."""

from __future__ import annotations

import re

import numpy as np
import pytest

from scoring_program.repair_notes import HiddenSide, repair_notes
from scoring_program.repairs.regions import Regions
from scoring_program.repairs.samples import Ids, Kind, Names
from scoring_program.repairs.search import Comparison
from tests.helpers import is_nightly
from validator.findings import Note

KEYS = [b"key %d" % number for number in range(30 if is_nightly() else 10)]
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


def notes_of(comparisons, n_items=40, detail="summary", key=b"key", content="content", others=()):
    return repair_notes(comparisons, content, detail, HiddenSide(key, n_items), others)


def n_noted(comparisons, n_items):
    """Return with how many of the keys there is a note."""
    return sum(bool(notes_of(comparisons, n_items, key=key)) for key in KEYS)


def test_everything_is_told_at_full():
    box_note, class_note = notes_of([boxes(40), classes(40)], detail="full")
    assert "as [x, y, width, height], 100 % of your persons agree" in box_note.text
    assert "100 % of your classes agree" in class_note.text
    assert REMEDY in box_note.text


def test_nothing_is_told_at_none():
    assert notes_of([videos(40), boxes(40), classes(40)], detail="none") == []


def test_one_note_without_kind_number_or_share_is_told_at_summary():
    notes = [notes_of(comparisons) for comparisons in ([boxes(40)], [classes(40)], [boxes(40), classes(40)])]
    assert notes[0] == notes[1] == notes[2]
    (note,) = notes[0]
    assert note.code == "N-LOOKS"
    assert not re.search(r"\d|%|person|class|width", note.text.replace("task's page", ""))
    assert REMEDY not in note.text


def test_repairs_of_ids_are_told_in_words_at_summary():
    (note,) = notes_of([videos(40)])
    assert note.code == "N-LOOKS-NAMED"
    assert "videos" in note.text and REMEDY in note.text


def test_boxes_that_another_note_explains_are_not_searched():
    normalized = Note("N-LOOKS-NORMALIZED", "all lie between 0 and 1")
    assert notes_of([boxes(40)], others=[normalized]) == []


def test_a_clear_mistake_is_told_with_every_key():
    assert n_noted([boxes(40)], 40) == len(KEYS)


def test_a_note_rests_on_20_items():
    assert n_noted([boxes(200, np.arange(19))], 200) == 0
    assert n_noted([boxes(40, np.arange(19))], 40) == 0
    assert n_noted([boxes(200, np.arange(60))], 200) == len(KEYS)


def test_a_note_rests_on_6_items_where_the_reference_has_fewer_than_20():
    assert n_noted([boxes(12, np.arange(5))], 12) == 0
    assert 0 < n_noted([boxes(12)], 12) < len(KEYS)
    assert n_noted([boxes(5)], 5) == 0


def test_near_the_edge_the_key_and_the_content_decide():
    at_edge = [boxes(60, n_fitting=38)]
    assert 0 < n_noted(at_edge, 60) < len(KEYS)
    with_content = [bool(notes_of(at_edge, 60, content=number)) for number in range(len(KEYS))]
    assert 0 < sum(with_content) < len(KEYS)
    assert with_content[:5] == [bool(notes_of(at_edge, 60, content=number)) for number in range(5)]
    assert len(notes_of(at_edge, 60, detail="full")) == 1


@pytest.mark.parametrize("detail", ["none", "summary", "full"])
def test_a_right_submission_gets_no_note(detail):
    corners = true_corners(40)
    sample = Regions(corners, np.arange(40), corners, np.arange(40), 40)
    assert notes_of([comparison(Kind.BOXES, "persons", sample)], detail=detail) == []
