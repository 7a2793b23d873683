"""Attacks on the words of generated and given sentences."""

from __future__ import annotations

import itertools
import json

import pytest

from tests.attacks.harness import MOST_BITS, N_LABELS, Attack, bits_by_section, gain
from tests.helpers import numbers_of_submissions
from validator.formats.anet_entities.write import encode_submission, segment_objects

BOX, JUNK = [10, 10, 50, 50], [200, 200, 201, 201]
WORDS = ["man", "ball", "dog", "cat"]
FILLERS = [f"v_f{number}" for number in range(8)]
PROBES = [f"v_p{number}" for number in range(N_LABELS)]
SPELLINGS = ["KICKS", "Kicks", "kICKS", "kiCKS"]


def segment(tokens, words):
    """Return an annotated segment whose words, all on the first frame, are classes of their own."""
    places = [tokens.index(word) for word in words]
    return {
        "0": {
            "tokens": tokens,
            "process_clss": [[word] for word in words],
            "process_idx": [[place] for place in places],
            "process_bnd_box": [BOX for _ in words],
            "frame_ind": [0 for _ in words],
        }
    }


def reference(probe):
    """Return a function from labels to files; ``probe`` makes the segment of a label."""

    def files(labels):
        filler = segment(["the", *WORDS, "walks", "runs", "swims", "sits", "jumps"], WORDS)
        videos = {video: {"segments": filler} for video in FILLERS}
        videos |= {
            video: {"segments": probe(number, label)}
            for number, (video, label) in enumerate(zip(PROBES, labels))
        }
        tokens = {token for video in videos.values() for token in video["segments"]["0"]["tokens"]}
        table = {token: token.rstrip("s") for token in tokens} | {word: word for word in [*WORDS, "kick"]}
        return {
            "reference.json": json.dumps({"vocab": [*WORDS, "kick"], "annotations": videos}),
            "split.json": json.dumps({"validation": list(videos)}),
            "lemmas.json": json.dumps(table),
        }

    return files


def objects(*predicted):
    """Return objects from (class, index, box on all frames)."""
    names, indexes, boxes = zip(*predicted) if predicted else ([], [], [])
    return {"0": segment_objects(list(names), list(indexes), [[box] * 10 for box in boxes])}


def submission(mode, probes, filler=()):
    """Return files that are right on the fillers, with more objects there, and hold ``probes`` by video."""
    right = [(word, number + 1, BOX) for number, word in enumerate(WORDS)]
    results = {**{video: objects(*right, *filler) for video in FILLERS}, **probes}
    return encode_submission(results, mode)


def weighted(names):
    """Return objects for each probe, repeated 1, 2, 4, 8 times, so that a sum of objects tells which of them count."""
    return {video: objects(*[(name, 0, JUNK)] * 2**n) for n, (video, name) in enumerate(zip(PROBES, names))}


def unannotated(number, label):
    return segment(["the", "man", "kicks" if label else "waves"], ["man"])


def annotated(number, label):
    return segment(["the", "man", "dog" if label else "cat"], ["man", "dog" if label else "cat"])


def somewhere(number, label):
    return segment(["the", "man", f"abcd{number}" if label else "waves"], ["man"])


def spellings(word, n):
    """Return n spellings of a word."""
    letters = zip(word.upper(), word)
    return [name for name, _ in zip(map("".join, itertools.product(*letters)), range(n))]


# Enough lemmas that are there anyway for a note, and 1, 2, 4, 8 spellings of each that may be.
RESPELLED = ["wALKS", "rUNS", "sWIMS", "sITS", "jUMPS"]
RESPELLED += [name for number in range(N_LABELS) for name in spellings(f"abcd{number}", 2**number)]

GENERATED = {
    "a spelling of its own for each word": (
        unannotated,
        submission("gen", weighted(SPELLINGS), [("kick", 0, JUNK)]),
    ),
    "a class of the vocabulary": (
        unannotated,
        submission("gen", weighted(["kick"] * N_LABELS), [("kick", 0, JUNK)]),
    ),
    "an annotated class in wrong boxes": (
        annotated,
        submission("gen", {video: objects(("dog", 0, JUNK)) for video in PROBES}),
    ),
    "the note on lemmas": (somewhere, submission("gen", {}, [(name, 0, JUNK) for name in RESPELLED])),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATED)
def test_no_word_of_a_sentence_is_revealed(name):
    probe, files = GENERATED[name]
    attack = Attack("anet_entities_gen", reference(probe), [files])
    found = gain(attack)
    assert found.labels == 0, found


@pytest.mark.slow
def test_no_class_of_a_given_word_is_revealed():
    files = submission("GT", {video: objects(("", 2, JUNK)) for video in PROBES})
    found = gain(Attack("anet_entities_gt", reference(annotated), [files]))
    assert found.labels == 0, found


def with_filler(number):
    """Return files that give every probe one of the classes in turn, in the right box or in another."""
    names = ["dog", "cat", "ball", "man"]
    probes = {
        video: objects((names[(number + place) % 4], 2, BOX if number % 3 else JUNK))
        for place, video in enumerate(PROBES)
    }
    return submission("gen", probes, [("kick", 0, JUNK)] * (number % 5))


@pytest.mark.slow
@pytest.mark.parametrize("k", numbers_of_submissions())
def test_several_submissions_reveal_no_word(k):
    attack = Attack("anet_entities_gen", reference(annotated), [with_filler(number) for number in range(k)])
    assert gain(attack).labels == 0
    assert max(bits_by_section(attack, score_decimals=2).values()) <= MOST_BITS * k
