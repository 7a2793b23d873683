"""The other readings of a submission to Kinetics-TPS."""

from __future__ import annotations

import re

import numpy as np

from scoring_program.challenges.kinetics_tps.program import Reference
from scoring_program.metrics.arrays import Bools
from scoring_program.plausibility import BoxPairs, Facet, Reading, names_facet, sample, swapped, with_sizes
from validator.formats.kinetics_tps import KineticsSubmission, PartStates, facts

__all__ = ["facets", "facts"]

_STEP = 5


def facets(reference: Reference, submission: KineticsSubmission) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    truth, guess = reference.parts, submission.parts
    place = {(truth.videos[v], name): n for n, (v, name) in enumerate(zip(truth.frame_video.tolist(), truth.frames))}
    part_names, states = list(guess.names), list(guess.states)
    names = [part_names[code] for code in guess.part_name[sample(len(guess.part_name))].tolist()]
    verbs = [states[code] for code in guess.proposal_state[sample(len(guess.proposal_state))].tolist()]
    n_parts = len(truth.part_name)
    return [
        _videos(truth, submission),
        _frames(place, truth, guess),
        _humans(place, truth, guess),
        names_facet(names, list(truth.names), "part names", n_parts),
        names_facet(verbs, list(truth.states), "states", n_parts),
        names_facet(list(submission.classes.values()), reference.classes, "action classes", len(truth.videos)),
    ]


def _videos(truth: PartStates, submission: KineticsSubmission) -> Facet:
    known = set(truth.videos)
    found = np.array([video in known for video in submission.parts.videos], dtype=bool)
    causes = "Videos have their names without folder and ending"
    return Facet("of your videos are in the reference", found, [], len(known), causes, "N-NAMES-UNKNOWN")


def _frames(place: dict[tuple[str, str], int], truth: PartStates, guess: PartStates) -> Facet:
    known = set(truth.videos)
    inside = np.flatnonzero([guess.videos[video] in known for video in guess.frame_video.tolist()])
    chosen = inside[sample(len(inside))].tolist()
    keys = [(guess.videos[int(guess.frame_video[frame])], guess.frames[frame]) for frame in chosen]
    numbers = [int(found[-1]) if (found := re.findall(r"\d+", name)) else -_STEP for _, name in keys]

    def fits(count: int, add: int) -> Bools:
        names = [f"img_{count * number + add:05d}.json" for number in numbers]
        return np.array([(video, name) in place for (video, _), name in zip(keys, names)], dtype=bool)

    fix = "Frames count from 1, and every fifth is scored: img_00001.json, img_00006.json, ..."
    readings = [
        Reading("N-LOOKS-SHIFTED", f"as number {words}", fits(count, add), fix)
        for words, count, add in (("n + 1", 1, 1), ("5 n + 1", _STEP, 1), ("5 n - 4", _STEP, 1 - _STEP))
    ]
    as_is = np.array([key in place for key in keys], dtype=bool)
    return Facet(
        "of your frames are in the reference", as_is, readings, len(place), fix, "N-NAMES-UNKNOWN", least_share=0.5
    )


def _humans(place: dict[tuple[str, str], int], truth: PartStates, guess: PartStates) -> Facet:
    frame = [place.get((guess.videos[v], name), -1) for v, name in zip(guess.frame_video.tolist(), guess.frames)]
    own = np.array([*frame, -1])[guess.human_frame]
    humans = np.flatnonzero(own >= 0)
    humans = humans[sample(len(humans))]
    first, last = np.searchsorted(truth.human_frame, [own[humans], own[humans] + 1])
    entry = np.repeat(np.arange(len(humans)), last - first)
    human = np.concatenate([np.zeros(0, np.int64), *map(np.arange, first.tolist(), last.tolist())])
    boxes = guess.human_box[humans][entry]
    pairs = BoxPairs(len(humans), entry, boxes, truth.human_box[human])
    fix = "Write boxes as [x1, y1, x2, y2]"
    readings = pairs.readings(
        boxes,
        [
            ("N-LOOKS-XYWH", "as [x, y, width, height]", with_sizes(boxes), fix),
            ("N-LOOKS-SWAPPED", "as [y1, x1, y2, x2]", swapped(boxes), fix),
        ],
    )
    claim = "of your humans meet an annotated one"
    causes = "Boxes are [x1, y1, x2, y2] in pixels of the original video"
    return Facet(claim, pairs.met(boxes), readings, len(np.unique(human)), causes)
