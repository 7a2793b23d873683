"""The other interpretations of a submission to Kinetics-TPS."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from scoring_program.challenges.kinetics_tps.measure import find_true_frames, frame_keys, translate
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, is_in, names_check, sample
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates


def checks(reference: Reference, submission: KineticsSubmission) -> list[Check]:
    """Return what to compare with the reference, in the order of scoring."""
    true_parts, predicted = reference.parts, submission.parts
    # The annotated frame of each predicted human, -1 where there is none.
    frame_of_human = find_true_frames(true_parts, predicted)[predicted.human_frame]
    names = _sampled(predicted.names, predicted.part_name)
    states = _sampled(predicted.states, predicted.proposal_state)
    classes, n_parts = list(submission.classes.values()), len(true_parts.part_name)
    return [
        _known_items(true_parts, predicted),
        _humans(frame_of_human, true_parts, predicted),
        _sides(frame_of_human, true_parts, predicted),
        names_check(names, true_parts.names, "part names", n_parts),
        names_check(states, true_parts.states, "states", n_parts),
        names_check(classes, reference.classes, "action classes", len(true_parts.videos)),
    ]


def _sampled(words: Sequence[str], numbers: Ints) -> list[str]:
    return [words[number] for number in numbers[sample(len(numbers))].tolist()]


def _known_items(true_parts: PartStates, predicted: PartStates) -> Check:
    """Return the check of frames; a note of the measure says how unknown ones are spelled or numbered."""
    keys = frame_keys(predicted)
    sampled_keys = [keys[frame] for frame in sample(len(keys)).tolist()]
    true_keys = frame_keys(true_parts)
    claim = "of your frames are in the reference"
    return Check(claim, is_in(sampled_keys, true_keys), (), len(true_keys), step="items")


def _sides(frame_of_human: Ints, true_parts: PartStates, predicted: PartStates) -> Check:
    """Return the check of parts that have a left and a right one."""
    part, n = predicted.proposal_part, len(true_parts.names)
    frame = frame_of_human[predicted.part_human[part]]
    mirrored_names = [_mirrored(name) for name in predicted.names]
    as_named = translate(predicted.names, true_parts.names)[predicted.part_name[part]]
    mirrored = translate(mirrored_names, true_parts.names)[predicted.part_name[part]]
    proposals = np.flatnonzero((frame >= 0) & (as_named >= 0) & (mirrored >= 0) & (as_named != mirrored))
    proposals = proposals[sample(len(proposals))]
    frame_of_part = true_parts.human_frame[true_parts.part_human]
    keys = frame_of_part * n + true_parts.part_name
    order = np.flatnonzero(np.isin(frame_of_part, frame[proposals]))
    order = order[np.argsort(keys[order], kind="stable")]

    def meets(names: Ints) -> Bools:
        named = frame[proposals] * n + names[proposals]
        entry, annotated, _ = pairs_in_groups(named, keys[order])
        boxes = predicted.proposal_box[proposals][entry]
        truth = true_parts.proposal_box[order[annotated]]
        return BoxPairs(len(proposals), entry, boxes, truth).find_overlapping(boxes)

    remedy = "Left and right are those of the person, as the reference has them"
    other = Interpretation("N-LOOKS-SWAPPED", "with left and right swapped", meets(mirrored), remedy)
    claim = "of your left and right parts meet an annotated one of that name"
    return Check(claim, meets(as_named), [other], len(np.unique(keys[order])))


def _mirrored(name: str) -> str:
    turned = {"left": "right", "right": "left"}
    return re.sub("left|right", lambda side: turned[side[0]], name)


def _humans(frame_of_human: Ints, true_parts: PartStates, predicted: PartStates) -> Check:
    humans = np.flatnonzero(frame_of_human >= 0)
    humans = humans[sample(len(humans))]
    entry, human, _ = pairs_in_groups(frame_of_human[humans], true_parts.human_frame)
    boxes = predicted.human_box[humans][entry]
    pairs = BoxPairs(len(humans), entry, boxes, true_parts.human_box[human])
    claim, n = "of your humans meet an annotated one", len(np.unique(human))
    return Check(claim, pairs.find_overlapping(boxes), pairs.corner_interpretations(), n)
