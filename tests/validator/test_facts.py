"""Notes on what looks like a mistake: at which counts and values they begin."""

from __future__ import annotations

import numpy as np
import pytest

from validator.facts import EMPTY, box_facts, label_facts
from validator.formats.densepose import Detection, DetectionFacts, facts

FAR = (12.0, 7.5, 2.0, 2.0)


def detections(n=1, box=FAR, first_index=0, last_score=0.5, uv=2):
    pixels = np.full((2, 2, 3), 24, np.uint8)
    pixels[..., 1:] = uv
    scores = [0.5] * (n - 1) + [last_score]
    return [Detection(first_index + number, 1, 1, box, score, pixels) for number, score in enumerate(scores)]


def taken(entries):
    consumer = DetectionFacts()
    for entry in entries:
        consumer.take(entry)
    return consumer.result()


@pytest.mark.parametrize(
    ("entries", "texts"),
    [
        (detections(), []),
        (
            detections(2, box=(0.0, 0.5, 2.0, 2.0)),
            ["x and y of every box lie between 0 and 1 (2 boxes). Write pixels of the image"],
        ),
        (
            detections(box=(1.0, 0.5, 2.0, 2.0)),
            ["x and y of every box lie between 0 and 1 (1 box). Write pixels of the image"],
        ),
        (detections(box=(0.0, 1.0, 2.0, 2.0)), []),
        (detections(box=(-0.5, 0.5, 2.0, 2.0)), []),
        (detections(box=(0.5, 1.5, 2.0, 2.0)), []),
        (detections(box=(0.5, 0.5, 2.0, 2.0)) + detections(), []),
        (detections(2, uv=1), ["U and V are 0 or 1 in the first 2 detections. Write round(255 * u)"]),
        (detections(200, uv=1, last_score=0.6) + detections(1, uv=2, first_index=199), []),
        (
            detections(200, uv=1, last_score=0.6) + detections(1, uv=2, first_index=200),
            ["U and V are 0 or 1 in the first 200 detections. Write round(255 * u)"],
        ),
        (detections(9), []),
        (detections(10), ["all 10 scores are 0.5. AP ranks detections: give each its own score"]),
        (detections(10, last_score=0.25), []),
        (detections(10, last_score=0.75), []),
    ],
)
def test_facts_of_detections_do_not_depend_on_the_processes(entries, texts):
    assert [note.text for note in taken(entries).notes()] == texts
    parts = [taken(entries[::2]), taken(entries[1::2]), DetectionFacts()]
    assert DetectionFacts.joined(parts) == taken(entries)
    assert [note.text for note in facts(parts)] == texts


def test_no_detections_are_noted():
    assert facts([DetectionFacts()]) == [EMPTY]


@pytest.mark.parametrize(
    ("boxes", "text"),
    [
        ([[0.0, 0.0, 0.5, 1.0]] * 9 + [[0.0, 0.0, 0.25, 1.0]], "all 40 coordinates of humans lie between 0 and 1"),
        ([[0.0, 0.0, 0.5, 1.0]] * 8 + [[0.0, 0.0, 0.25, 1.0]], None),
        ([[0.0, 0.0, 0.5, 1.0]] * 9 + [[-0.5, 0.0, 0.25, 1.0]], None),
        ([[0.0, 0.0, 0.5, 1.0]] * 9 + [[0.0, 0.0, 0.25, 1.5]], None),
        ([[0.0, 0.0, 0.5, 1.0]] * 10, "all 10 boxes of humans are [0, 0, 0.5, 1]"),
        ([[3.0, 4.0, 5.0, 6.5]] * 10, "all 10 boxes of humans are [3, 4, 5, 6.5]"),
        ([[3.0, 4.0, 5.0, 6.5]] * 11, "all 11 boxes of humans are [3, 4, 5, 6.5]"),
        ([[3.0, 4.0, 5.0, 6.5]] * 9, None),
        ([[3.0, 4.0, 5.0, 6.5]] * 9 + [[3.0, 4.0, 5.0, 7.0]], None),
        ([[3.0, 4.0, 5.0, 7.0]] + [[3.0, 4.0, 5.0, 6.5]] * 9, None),
        (
            [[0.25, 0.25, 0.5, 0.75]] * 10 + [[0.25, 0.5, 0.5, 0.75]],
            "all 44 coordinates of humans lie between 0 and 1",
        ),
    ],
)
def test_boxes_that_look_wrong_are_noted(boxes, text):
    notes = box_facts(np.array(boxes), "humans")
    assert [note.text[: len(text or "")] for note in notes] == ([text] if text else [])


@pytest.mark.parametrize(
    ("labels", "n_notes"),
    [([3] * 4, 1), ([3] * 5, 1), ([3] * 3, 0), ([3, 3, 3, 4], 0), ([3, 3, 3, 2], 0), ([4, 3, 3, 3], 0)],
)
def test_one_label_for_all_is_noted_from_four_rows_on(labels, n_notes):
    assert len(label_facts(np.array(labels), "class")) == n_notes
