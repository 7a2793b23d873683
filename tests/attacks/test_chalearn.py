"""Attacks on the frames of sequences, and on the names of files."""

from __future__ import annotations

import pytest

from scoring_program.run import INVALID
from tests.attacks.harness import COUNT_BITS, MOST_BITS, N_LABELS, Attack, bits_by_section, gain, look
from tests.helpers import is_nightly

TASK = "chalearn_gesture"
FILLERS = [f"F{number}" for number in range(8)]
PROBES = [f"P{number}" for number in range(N_LABELS)]
# What is annotated at a probed frame: one of two classes.
YES, NO = 3, 4


def reference(labels, classes=(YES, NO)):
    """Return files; a probed sequence has one action, longer in each next one."""
    rows = dict.fromkeys(FILLERS, f"{YES},1,40\n{NO},41,80\n7,81,120\n")
    for number, (name, label) in enumerate(zip(PROBES, labels)):
        rows[name] = f"{classes[not label]},10,{60 + 2**number}\n"
    files = {f"{name}_labels.csv": text for name, text in rows.items()}
    return {**files, **{f"{name}_data.csv": "200,20,2000\n" for name in rows}}


def never_named(labels):
    """Return files whose probed frames have classes that no submission names."""
    return reference(labels, (15, 16))


def submission(probes):
    """Return files that have class 7 wherever a filler has any, and ``probes`` elsewhere."""
    texts = {**dict.fromkeys(FILLERS, "7,1,120\n"), **probes}
    return {f"{name}_prediction.csv": text for name, text in texts.items()}


def other_case(labels):
    """Return files of sequences that are named in one of two ways."""
    names = [f"{name}q" if label else f"{name.lower()}Q" for name, label in zip(PROBES, labels)]
    files = {f"{name}_labels.csv": f"{YES},10,60\n" for name in [*FILLERS, *names]}
    return {**files, **{f"{name}_data.csv": "200,20,2000\n" for name in [*FILLERS, *names]}}


# Lengths are powers of two, so that a sum of frames tells which of them met.
LENGTHS = {name: f"7,20,{19 + 2**number}\n" for number, name in enumerate(PROBES)}
OWN_CLASSES = {name: f"{10 + number},20,20\n" * 5 for number, name in enumerate(PROBES)}
MANY_ROWS = {
    name: "".join(f"7,{20 + 2 * k},{20 + 2 * k}\n" for k in range(2**n)) for n, name in enumerate(PROBES)
}
FIVE_PLACES = {name: f"{YES},{10 + number},{50 + number}\n" for number, name in enumerate(PROBES)}

ATTACKS = {
    "rows of different lengths": Attack(TASK, reference, [submission(LENGTHS)]),
    "different numbers of rows": Attack(TASK, reference, [submission(MANY_ROWS)]),
    "one frame with a class of its own, five times": Attack(TASK, reference, [submission(OWN_CLASSES)]),
    "the probed class itself": Attack(TASK, reference, [submission(FIVE_PLACES)]),
    "classes that are never named": Attack(TASK, never_named, [submission({})]),
    "names in a third spelling": Attack(
        TASK, other_case, [submission({f"{name}Q": "3,1,2\n" for name in PROBES})], INVALID
    ),
}


# All classes on scattered frames of the fillers: every class meets every other often enough, at a score near 0.
SCATTERED = {name: "".join(f"{1 + k % 20},{1 + k},{1 + k}\n" for k in range(120)) for name in FILLERS}
# A row of one class, on another frame in each probed sequence.
ONE_FRAME = [dict.fromkeys(PROBES, f"{label},{20 + label},{20 + label}\n") for label in (YES, NO, 11, 12)]
SEVERAL = {
    "a row more, for the difference of two matrices": [
        submission({**SCATTERED, PROBES[0]: ONE_FRAME[2][PROBES[0]]})
    ],
    "other partners of a rare class": [
        submission(dict.fromkeys([*FILLERS[:6], *PROBES], f"{label},1,200\n")) for label in (YES, NO)
    ],
    "many probes": [
        submission({**SCATTERED, name: ONE_FRAME[number % 4][name]}) for number in range(5) for name in PROBES
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SEVERAL] if is_nightly() else [*SEVERAL][:1])
def test_differences_of_submissions_reveal_no_label(name):
    attack = Attack(TASK, reference, [submission(SCATTERED), *SEVERAL[name]])
    assert gain(attack).labels == 0
    assert max(bits_by_section(attack, score_decimals=2).values()) <= MOST_BITS * len(attack.submissions)


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_no_label_of_a_frame_or_spelling_of_a_file_is_revealed(name):
    found = gain(ATTACKS[name])
    assert found.labels == 0, found


@pytest.mark.slow
def test_one_submission_with_two_decimals_reveals_the_sizes_of_classes_at_most():
    bits = bits_by_section(ATTACKS["rows of different lengths"], score_decimals=2)
    assert bits.pop("classes") <= COUNT_BITS
    assert set(bits.values()) == {0}


def many_sequences(labels):
    """Return files of 400 sequences with one of two classes; which of them the first has, and which the second, is hidden."""
    rows = {f"S{number}": f"{(YES, NO)[number % 2]},1,1000\n" for number in range(400)}
    if not labels[0]:
        rows["S0"], rows["S1"] = rows["S1"], rows["S0"]
    files = {f"{name}_labels.csv": text for name, text in rows.items()}
    return {**files, **{f"{name}_data.csv": "1000,20,2000\n" for name in rows}}


def guess(n_right_frames):
    """Return files with a frame of the first sequence, and as many frames of four others as are surely right.

    All have many frames that are surely wrong, so that no digit that is shown tells whether the guess is right.
    """
    wrong = "".join(f"{number},1,1000\n" for number in (11, 12, 13, 14))
    texts = {f"S{number}": f"{wrong}{YES},1,{n_right_frames}\n" for number in (2, 4, 6, 8)}
    if not n_right_frames:
        texts = dict.fromkeys(texts, wrong)
    texts["S0"] = f"{wrong}{YES},500,500\n"
    return {f"{name}_prediction.csv": text for name, text in texts.items()}


@pytest.mark.slow
@pytest.mark.parametrize("detail", ["none", "summary"])
@pytest.mark.parametrize("n_right_frames", [0, 1])
def test_digits_that_are_hidden_decide_nothing_that_is_shown(detail, n_right_frames):
    """Neither whether there is an interval, nor whether few items have a score."""
    attack = Attack(TASK, many_sequences, [guess(n_right_frames)])
    outputs = [
        look(attack, labels, detail=detail, score_decimals=2).everything for labels in ((True,), (False,))
    ]
    assert outputs[0] == outputs[1]
