"""Attacks on the classes of videos and the states of parts."""

from __future__ import annotations

import json

import pytest

from tests.attacks.harness import COUNT_BITS, N_LABELS, Attack, bits_by_section, gain
from tests.helpers import numbers_of_submissions

TASK = "kinetics_tps"
BOX = [10, 10, 90, 90]
FILLERS = [f"f{number}" for number in range(12)]
PROBES = [f"p{number}" for number in range(N_LABELS)]
PARTS = [f"part{number}" for number in range(2 ** (N_LABELS - 1))]


def human(parts, state="still"):
    """Return a frame with one human of these parts."""
    boxes = {name: {"box": BOX, "verb": state, "number": 1, "name": name} for name in parts}
    return {"img_00001.json": {"humans": [{"number": 1, "box": BOX, "parts": boxes}]}}


def predicted(parts, state="still"):
    boxes = {name: {"box": [BOX], "verb": [state]} for name in parts}
    return {"img_00001.json": {"humans": [{"box": BOX, "parts": boxes}]}}


def files(prefix, classes, parts):
    return {f"{prefix}_vid_result.json": json.dumps(classes), f"{prefix}_part_result.json": json.dumps(parts)}


def of_fillers():
    return {video: "run" if number % 2 else "jump" for number, video in enumerate(FILLERS)}


def classes(labels):
    """Return files in which a label is the class of a video."""
    found = {video: "run" if label else "jump" for video, label in zip(PROBES, labels)}
    return files("gt", {**of_fillers(), **found}, {video: human(PARTS) for video in [*FILLERS, *PROBES]})


def states(labels):
    """Return files in which a label is the state of all parts of a video."""
    videos = {video: human(PARTS, "bent" if number % 2 else "open") for number, video in enumerate(FILLERS)}
    videos |= {video: human(PARTS, "bent" if label else "open") for video, label in zip(PROBES, labels)}
    videos["right"] = human(PARTS)
    return files("gt", {**of_fillers(), **dict.fromkeys([*PROBES, "right"], "run")}, videos)


def few_parts(counts):
    """Return parts for the probed videos: so many of each that are right."""
    return {video: predicted(PARTS[:count]) for video, count in zip(PROBES, counts)}


# 1 + 4 parts are as many as 2 + 3: the score does not tell which two of the videos are right.
ACCURACY = files("pred", {**of_fillers(), **dict.fromkeys(PROBES, "run")}, few_parts((1, 4, 2, 3)))
# The class of the probes is one that no video has.
PARTS_ALONE = files("pred", {**of_fillers(), **dict.fromkeys(PROBES, "swim")}, few_parts((1, 2, 4, 8)))
# Only states that a submission names are shown.
STATES = files(
    "pred",
    {**of_fillers(), **dict.fromkeys(PROBES, "run")},
    {video: predicted(PARTS, "still") for video in FILLERS}
    | {video: predicted(PARTS[: 2**number], "still") for number, video in enumerate(PROBES)}
    | {f"unknown {state}": predicted(PARTS, state) for state in ("bent", "open")},
)
CLASS_TABLE = files(
    "pred",
    {**of_fillers(), **dict.fromkeys(PROBES, "swim")},
    {**{video: predicted(PARTS) for video in FILLERS}, **few_parts((1, 2, 4, 8))},
)

ATTACKS = {
    "the curve of accuracy": Attack(TASK, classes, [ACCURACY]),
    "parts for the probed videos alone": Attack(TASK, classes, [PARTS_ALONE]),
    "states of different numbers of parts": Attack(TASK, states, [STATES]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_no_class_of_a_video_or_state_of_a_part_is_revealed(name):
    # The interval, a total, would tell which videos are right where the score does not.
    found = gain(ATTACKS[name], interval=False)
    assert found.labels == 0, found


@pytest.mark.slow
def test_class_tables_reveal_no_class():
    """Parts of many videos, a different number right in each."""
    attack = Attack(TASK, classes, [CLASS_TABLE])
    assert gain(attack).labels == 0
    assert gain(attack, detail="none").bits == 0
    bits = bits_by_section(attack, score_decimals=2)
    assert bits.pop("classes") <= COUNT_BITS
    assert set(bits.values()) == {0}


def named(number):
    """Return files in which the probes have one of the two classes, a third one, or none."""
    names = ("run", "jump", "swim")
    chosen = {video: names[(number + place) % 3] for place, video in enumerate(PROBES) if number != place}
    return files("pred", {**dict.fromkeys(FILLERS, "swim"), **chosen}, few_parts((0, 0, 0, 0)))


@pytest.mark.slow
@pytest.mark.parametrize("k", numbers_of_submissions())
def test_class_tables_add_few_bits_to_the_totals_of_several_submissions(k):
    """Classes are named for videos whose parts are all wrong, so that scores say little.

    A row of the class table says how many videos of its class are named right, so it is an answer, too.
    """
    attack = Attack(TASK, classes, [named(number) for number in range(k)])
    assert max(bits_by_section(attack, score_decimals=2).values()) <= 1


RARE = [f"rare{chr(ord('a') + number)}" for number in range(N_LABELS)]
VOCABULARY = json.dumps({"class": ["jump", "run", *RARE], "part": PARTS, "state": ["still"]})


def rare_classes(labels):
    """Return files in which a label says whether a rare class occurs; all of them are in the vocabulary."""
    found = {video: name if label else "run" for video, name, label in zip(PROBES, RARE, labels)}
    videos = {video: human(PARTS) for video in [*FILLERS, *PROBES]}
    return {**files("gt", {**of_fillers(), **found}, videos), "vocabulary.json": VOCABULARY}


@pytest.mark.slow
@pytest.mark.parametrize("spell", [str.upper, str, "{}x".format])
@pytest.mark.parametrize("detail", ["summary", "none"])
def test_notes_on_names_do_not_tell_which_names_of_the_vocabulary_occur(spell, detail):
    names = [*RARE, *map(spell, RARE), "unknown"]
    guesses = {video: names[number % len(names)] for number, video in enumerate([*FILLERS, *PROBES])}
    attack = Attack(TASK, rare_classes, [files("pred", guesses, few_parts((0, 0, 0, 0)))])
    assert bits_by_section(attack, detail=detail)["notes"] == 0


def without_vocabulary(labels):
    """Return the same files without the vocabulary, as a reference of an earlier version has them."""
    return {name: text for name, text in rare_classes(labels).items() if name != "vocabulary.json"}


@pytest.mark.slow
@pytest.mark.parametrize("detail", ["summary", "none"])
def test_without_a_vocabulary_no_note_tells_which_names_occur(detail):
    guesses = {video: RARE[number % len(RARE)] for number, video in enumerate([*FILLERS, *PROBES])}
    attack = Attack(TASK, without_vocabulary, [files("pred", guesses, few_parts((0, 0, 0, 0)))])
    assert bits_by_section(attack, detail=detail)["notes"] == 0
