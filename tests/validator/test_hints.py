"""Notes on what looks like a mistake: at which counts and values they begin."""

from __future__ import annotations

import numpy as np
import pytest

from validator.box_hints import box_hints
from validator.hints import label_hints

UNIT, OTHER = [0.0, 0.0, 0.5, 1.0], [0.0, 0.0, 0.25, 1.0]
PIXELS = [3.0, 4.0, 5.0, 6.5]


@pytest.mark.parametrize(
    ("boxes", "text"),
    [
        ([UNIT] * 9 + [OTHER], "all 40 coordinates of humans lie between 0 and 1"),
        ([UNIT] * 8 + [OTHER], None),
        ([UNIT] * 9 + [[-0.25, 0.0, 0.25, 1.25]], "all 40 coordinates of humans lie between -0.25 and 1.25"),
        ([UNIT] * 9 + [[-0.26, 0.0, 0.25, 1.0]], None),
        ([UNIT] * 9 + [[0.0, 0.0, 0.25, 1.26]], None),
        ([UNIT] * 1000 + [OTHER], "all 4,004 coordinates of humans lie between 0 and 1"),
        ([UNIT] * 1001 + [[0.0, 0.0, 9.0, 9.0]], None),
        ([UNIT] * 10, "all 10 boxes of humans are [0, 0, 0.5, 1]"),
        ([UNIT] * 1001, "all 1,001 boxes of humans are [0, 0, 0.5, 1]"),
        ([PIXELS] * 11, "all 11 boxes of humans are [3, 4, 5, 6.5]"),
        ([PIXELS] * 9, None),
        ([PIXELS] * 9 + [[3.0, 4.0, 5.0, 7.0]], None),
        ([[3.0, 4.0, 5.0, 7.0]] + [PIXELS] * 9, None),
        ([PIXELS] * 1001 + [[3.0, 4.0, 5.0, 7.0]], None),
    ],
)
def test_boxes_that_look_wrong_are_noted(boxes, text):
    notes = box_hints(np.array(boxes), "humans")
    assert [note.text[: len(text or "")] for note in notes] == ([text] if text else [])


@pytest.mark.parametrize(
    ("placeholders", "text"),
    [
        ([[-1.0] * 4] * 3, "3 boxes of 21 of humans are [-1, -1, -1, -1]"),
        ([[5.0, 0.0, 5.0, 0.0]] * 3, "3 boxes of 21 of humans are [5, 0, 5, 0]"),
        ([[-1.0] * 4] * 2, None),
        # A tracker that shrinks to nothing does so at many places.
        ([[-1.0] * 4] * 2 + [[0.0] * 4] * 2, None),
        ([[5.0, 0.0, 6.0, 0.0]] * 3, None),
    ],
)
def test_many_boxes_that_are_one_point_are_noted(placeholders, text):
    boxes = [[float(x), 3.0, x + 5.5, 9.0] for x in range(18)] + placeholders
    notes = box_hints(np.array(boxes), "humans")
    assert [(note.code, note.text[: len(text or "")]) for note in notes] == (
        [("N-LOOKS-CONSTANT", text)] if text else []
    )


@pytest.mark.parametrize(
    ("labels", "n_notes"),
    [([3] * 4, 1), ([3] * 5, 1), ([3] * 3, 0), ([3, 3, 3, 4], 0), ([3, 3, 3, 2], 0), ([4, 3, 3, 3], 0)],
)
def test_one_label_for_all_is_noted_from_four_rows_on(labels, n_notes):
    assert len(label_hints(len(labels), set(labels), "class")) == n_notes


def test_constant_labels_are_quoted_on_one_line():
    (note,) = label_hints(4, {"a\nb"}, "state", "proposal")
    assert note.line().startswith("N-LOOKS-CONSTANT: all 4 proposals have the state 'a\\nb'")
