"""Attacks on which persons are annotated densely: a detection of another person is ignored."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.attacks.harness import MOST_BITS, N_LABELS, Attack, bits_by_section, gain
from tests.helpers import REFERENCES, SAMPLES, loaded, only_at_night
from validator.formats.densepose.write import encode_detection

TASK = "densepose"


@cache
def demo():
    """Return the demo reference, and persons of different images who are alike in all that totals weigh."""
    of_task = loaded(TASK, REFERENCES / TASK, interval=False)
    persons = of_task.reference.persons
    chosen = np.flatnonzero((np.diff(persons.point_start) == 28) & (persons.area < 96**2))
    assert len(np.unique(persons.image[chosen])) == N_LABELS
    return of_task, chosen


def reference(labels):
    """Return a reference in which a label says whether a person is annotated densely, or else a crowd.

    Any number of detections of a crowd are ignored.
    """
    of_task, chosen = demo()
    persons = of_task.reference.persons
    dense, crowd = persons.dense.copy(), persons.crowd.copy()
    dense[chosen], crowd[chosen] = labels, np.logical_not(labels)
    persons = persons._replace(dense=dense, crowd=crowd)
    return replace(of_task, reference=of_task.reference._replace(persons=persons))


def submission(repeated):
    """Return the good sample without the chosen persons, and empty maps in their place, the last of all by score."""
    of_task, chosen = demo()
    persons = of_task.reference.persons
    taken = {int(persons.image_id[persons.image[person]]) for person in chosen}
    (path,) = (SAMPLES / TASK / "good").iterdir()
    found = [own for own in json.loads(path.read_text()) if own["image_id"] not in taken]
    for number, person in enumerate(chosen.tolist()):
        box = tuple(float(round(side)) for side in persons.box[person].tolist())
        empty = np.zeros((3, int(box[3]), int(box[2])), np.uint8)
        image_id = int(persons.image_id[persons.image[person]])
        detection = json.loads(encode_detection(image_id, box, 0.001, empty))  # type: ignore[arg-type]
        found += [detection] * (2**number if repeated else 1)
    return {"densepose_attack_results.json": json.dumps(found)}


@pytest.mark.slow
@pytest.mark.parametrize("repeated", [False, True])
def test_no_person_is_revealed(repeated):
    found = gain(Attack(TASK, reference, [submission(repeated)]))
    assert found.labels == 0, found


@only_at_night()
def test_two_submissions_reveal_no_person():
    attack = Attack(TASK, reference, [submission(repeated) for repeated in (False, True)])
    assert gain(attack).labels == 0
    assert max(bits_by_section(attack, score_decimals=2).values()) <= 2 * MOST_BITS
