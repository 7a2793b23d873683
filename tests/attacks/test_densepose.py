"""Attacks on which persons are annotated densely: a detection of another person is ignored."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from math import log2

import numpy as np
import pytest

from people_in_video.diagnosis.densepose import comparisons
from people_in_video.diagnosis.repair_notes import HiddenSide, repair_notes
from scoring_program.challenges.densepose.reference import gather
from tests.attacks.harness import ALL, MOST_BITS, N_LABELS, Attack, bits_by_section, gain
from tests.helpers import REFERENCES, SAMPLES, is_nightly, loaded, only_at_night
from validator.formats.densepose.write import array_entry, encode_detection
from validator.formats.rules import load_rules

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


@pytest.mark.parametrize("repeated", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_person_is_revealed(repeated):
    found = gain(Attack(TASK, reference, [submission(repeated)]))
    assert found.labels == 0, found


@only_at_night()
def test_two_submissions_reveal_no_person():
    attack = Attack(TASK, reference, [submission(repeated) for repeated in (False, True)])
    assert gain(attack).labels == 0
    assert max(bits_by_section(attack, score_decimals=2).values()) <= 2 * MOST_BITS


# What the note on repairs may tell, of one submission.
MOST_BITS_OF_A_REPAIR = 0.5
N_SECRETS = 12


def on_other_side(part):
    return np.where(part > 2, (part - 1 ^ 1) + 1, part)


def reference_of_sides(labels):
    """Return a reference in which a label says whether the points of a person are those of the other side."""
    of_task, chosen = demo()
    persons, nearest = of_task.reference.persons, of_task.reference.template.nearest
    part, vertex = persons.part.copy(), persons.vertex.copy()
    for person in chosen[list(labels)].tolist():
        points = slice(*persons.point_start[[person, person + 1]].tolist())
        part[points] = on_other_side(part[points].astype(np.int64))
        vertex[points] = nearest[part[points] - 1, 128, 128]
    return of_task.reference._replace(persons=persons._replace(part=part, vertex=vertex))


def detections_of_other_sides(n_known):
    """Return detections with parts of the other side at a few pixels: of so many known persons, and of all hidden ones.

    They are so few that no score depends on them.
    """
    of_task, chosen = demo()
    persons, nearest = of_task.reference.persons, of_task.reference.template.nearest
    known = [person for person in range(len(persons.image)) if person not in chosen]
    swapped_persons = {*known[:n_known], *chosen.tolist()}
    entries = []
    for person, box in enumerate(persons.box.round().tolist()):
        iuv = np.zeros((3, int(box[3]), int(box[2])), np.uint8)
        points = np.arange(*persons.point_start[[person, person + 1]].tolist())
        is_written = (np.arange(len(points)) % 5 < 3) & (person in swapped_persons)
        for point in points[is_written].tolist():
            part = int(persons.part[point])
            u, v = np.argwhere(nearest[part - 1] == persons.vertex[point]).mean(axis=0)
            row, column = int(persons.y[point] - box[1]), int(persons.x[point] - box[0])
            iuv[:, row, column] = on_other_side(np.array(part)), u, v
        image_id = int(persons.image_id[persons.image[person]])
        entries.append(array_entry(image_id, box, 0.5, iuv))
    return entries


def entropy(share):
    return -sum(p * log2(p) for p in (share, 1 - share) if p)


@pytest.mark.slow
@pytest.mark.parametrize("n_known", [14, 17, 20] if is_nightly() else [17])
def test_the_note_on_repairs_tells_little_of_hidden_arrays(n_known):
    """The attacker knows all persons but four and does not know the key, on which the note depends near the edge."""
    entries = detections_of_other_sides(n_known)
    shares = []
    for labels in ALL:
        hidden = reference_of_sides(labels)
        gathered = gather(entries, load_rules(TASK), hidden)
        n_noted = 0
        for secret in range(N_SECRETS):
            side = HiddenSide(str(secret).encode(), len(hidden.persons.image_id))
            n_noted += bool(repair_notes(comparisons(hidden, gathered), gathered, "summary", side, []))
        shares.append(n_noted / N_SECRETS)
    bits = entropy(np.mean(shares)) - np.mean([entropy(share) for share in shares])
    assert 0 < bits <= MOST_BITS_OF_A_REPAIR
