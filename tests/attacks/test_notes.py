"""Attacks on the note on repairs, in all tasks that search for repairs with labels."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from scoring_program.item_groups import ItemGroups
from tests.attacks.harness import N_LABELS
from tests.attacks.notes import N_NAMES, NoteAttack, Place, World, gain_of_notes
from tests.helpers import REFERENCES, loaded, one_of_each_format, only_at_night
from validator.formats.anet_entities.write import encode_submission, segment_objects
from validator.formats.densepose.write import encode_detection

# Names whose order in the alphabet is that of their numbers.
NAMES = [f"name{chr(ord('a') + number)}" for number in range(N_NAMES)]
PART = [700, 10, 710, 20]
MOST_HUMANS = 10


def with_sizes(box):
    """Return ``x, y, width, height`` of a box, which looks like corners."""
    x1, y1, x2, y2 = box
    return (x1, y1, x2 - x1, y2 - y1)


def chalearn(task, actor=""):
    """Return the world of a track: intervals, and classes."""

    def rows(entries):
        return "".join(f"{actor}{name + 1},{box[0]},{box[2]}\n" for box, name in entries)

    def reference(things):
        files = {}
        for item, thing in enumerate(things):
            files[f"S{item:02d}_labels.csv"] = rows([(thing.place.value, thing.name)])
            files[f"S{item:02d}_data.csv"] = "1000,20,2000\n"
        return files

    def submission(guesses):
        files = {}
        for item, guesses_of_item in guesses.items():
            written = [(with_sizes(guess.box), guess.name) for guess in guesses_of_item]
            files[f"S{item:02d}_prediction.csv"] = rows(written)
        return files

    return World(task, reference, submission)


def kinetics():
    """Return the world of Kinetics-TPS: boxes of humans, and classes of videos."""

    def files(prefix, humans, names):
        classes = {f"v{item:02d}": NAMES[name] for item, name in names.items()}
        frames = {
            f"v{item:02d}": {"img_00001.json": {"humans": humans_of_item}}
            for item, humans_of_item in humans.items()
        }
        return {
            f"{prefix}_vid_result.json": json.dumps(classes),
            f"{prefix}_part_result.json": json.dumps(frames),
        }

    def reference(things):
        part = {"head": {"number": 1, "name": "head", "box": PART, "verb": "still"}}
        humans, names = {}, {}
        for item, thing in enumerate(things):
            humans[item] = [{"number": 1, "box": thing.place.value, "parts": part}]
            names[item] = thing.name
        return files("gt", humans, names)

    def submission(guesses):
        part = {"head": {"box": [PART], "verb": ["still"]}}
        humans, names = {}, {}
        for item, guesses_of_item in guesses.items():
            humans[item] = [{"box": with_sizes(guess.box), "parts": part} for guess in guesses_of_item]
            names[item] = guesses_of_item[0].name
        return files("pred", humans, names)

    return World("kinetics_tps", reference, submission, most_guesses=MOST_HUMANS)


def entities(task, mode):
    """Return the world of a sub-task of ActivityNet-Entities: boxes of a word, and its class."""

    def reference(things):
        videos = {}
        for item, thing in enumerate(things):
            segment = {
                "tokens": ["the", NAMES[thing.name]],
                "process_clss": [[NAMES[thing.name]]],
                "process_idx": [[1]],
                "process_bnd_box": [thing.place.value],
                "frame_ind": [0],
            }
            videos[f"v_{item:02d}"] = {"segments": {"0": segment}}
        return {
            "reference.json": json.dumps({"vocab": NAMES, "annotations": videos}),
            "split.json": json.dumps({"validation": list(videos)}),
            "lemmas.json": json.dumps({name: name for name in ["the", *NAMES]}),
        }

    def submission(guesses):
        results = {}
        for item, guesses_of_item in guesses.items():
            names = [NAMES[guess.name] for guess in guesses_of_item]
            boxes = [[with_sizes(guess.box)] * 10 for guess in guesses_of_item]
            results[f"v_{item:02d}"] = {"0": segment_objects(names, [1] * len(names), boxes)}
        return encode_submission(results, mode)

    return World(task, reference, submission)


@cache
def densepose_demo():
    """Return DensePose with its demo reference."""
    return loaded("densepose", REFERENCES / "densepose", interval=False)


def densepose():
    """Return the world of DensePose: boxes of one person on each image."""

    def reference(things):
        of_demo = densepose_demo()
        n = len(things)
        corners = np.array([thing.place.value for thing in things], dtype=np.float64)
        size = corners[:, 2:] - corners[:, :2]
        place = np.concatenate([corners[:, 1::-1], size[:, ::-1]], axis=1).astype(np.int64)
        persons = of_demo.reference.persons._replace(
            image_id=np.arange(n),
            image_size=np.full((n, 2), 1000),
            image=np.arange(n),
            box=np.concatenate([corners[:, :2], size], axis=1),
            area=size.prod(axis=1),
            crowd=np.zeros(n, dtype=bool),
            dense=np.ones(n, dtype=bool),
            # Each person has one point, and a mask that fills its box.
            point_start=np.arange(n + 1),
            x=corners[:, 0] + 5,
            y=corners[:, 1] + 5,
            part=np.ones(n, dtype=np.int64),
            vertex=np.zeros(n, dtype=np.int64),
            mask_place=place,
            run_start=2 * np.arange(n + 1),
            run=np.stack([np.zeros(n, dtype=np.int64), size.prod(axis=1).astype(np.int64)], axis=1).ravel(),
        )
        return replace(
            of_demo,
            reference=of_demo.reference._replace(persons=persons),
            items=[str(item) for item in range(n)],
            groups=ItemGroups(np.arange(n)),
        )

    def submission(guesses):
        detections = []
        for item, guesses_of_item in guesses.items():
            detections += [json.loads(_detection(item, guess.box)) for guess in guesses_of_item]
        return {"densepose_attack_results.json": json.dumps(detections)}

    return World("densepose", reference, submission)


@cache
def _detection(image_id, box):
    """Return a detection whose box is written as corners, with arrays that fit this."""
    x1, y1, x2, y2 = map(float, box)
    return encode_detection(image_id, (x1, y1, x2, y2), 0.5, np.ones((3, int(y2), int(x2)), np.uint8))


WORLDS = [
    chalearn("chalearn_gesture"),
    chalearn("chalearn_action", actor="1,"),
    kinetics(),
    entities("anet_entities_gt", "GT"),
    entities("anet_entities_gen", "gen"),
    densepose(),
]

ATTACKS = {
    "a hidden box, submitted many times": [
        NoteAttack(n_fitting, n_copies=(20, 0, 0, 0)) for n_fitting in (24, 28)
    ],
    "labels as shares": [NoteAttack(n_fitting, n_copies=(1, 2, 4, 8)) for n_fitting in (24, 28)],
    "four probes at the edge": [NoteAttack(n_fitting, rest=Place.OTHER) for n_fitting in (21, 23, 25)],
    "two boxes and two names at the edge": [
        NoteAttack(n_fitting, named=(False, False, True, True), rest=Place.OTHER) for n_fitting in (22, 24)
    ],
    # So many fit anyway that the share is at no edge: in how many items more fit than before is.
    "four probes at the edge of a gain": [NoteAttack(n_fitting, rest=Place.CORNER) for n_fitting in (22, 24)],
    "few items": [NoteAttack(8, rest=Place.CORNER, n_items=12)],
    "one and the same again and again": [NoteAttack(23, rest=Place.OTHER, n_submissions=5)],
}


def names_of_worlds(world):
    return world.task


QUICK_TASKS = one_of_each_format([world.task for world in WORLDS])


@pytest.mark.parametrize(
    "world", [world for world in WORLDS if world.task in QUICK_TASKS], ids=names_of_worlds
)
def test_a_hidden_box_that_is_submitted_many_times_is_not_told(world):
    attack = ATTACKS["a hidden box, submitted many times"][1]
    # Of the other probes nothing is submitted.
    possible_labels = [(True,) * N_LABELS, (False,) * N_LABELS]
    found = gain_of_notes(world, attack, 8, possible_labels)
    assert found.is_within_bound, found


@only_at_night()
@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("world", WORLDS, ids=names_of_worlds)
def test_the_note_tells_at_most_half_a_bit(world, name):
    gains = [gain_of_notes(world, attack, n_keys=16) for attack in ATTACKS[name]]
    assert all(gain.is_within_bound for gain in gains), gains


@only_at_night()
@pytest.mark.parametrize("world", WORLDS, ids=names_of_worlds)
def test_the_attacks_reach_the_edge(world):
    """The note is there with some keys and labels, and not with others: otherwise an attack shows nothing."""
    gains = [gain_of_notes(world, attack, n_keys=8) for attack in ATTACKS["four probes at the edge"]]
    assert any(0.1 < gain.share_noted < 0.9 for gain in gains), gains
