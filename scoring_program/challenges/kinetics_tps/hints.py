"""The other interpretations of a submission to Kinetics-TPS."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from scoring_program.challenges.kinetics_tps.measure import find_true_frames, frame_keys, translate
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, is_in, names_check, of_video_names, sample
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates

_STEP = 5
_EXPLAINS = ("N-CLASSES-MISSING", "N-FRAMES-MISSING", "N-NAMES-UNKNOWN", "N-ITEMS-UNKNOWN")
_EXPLAINED_BY_CLASSES = ("N-CLASSES-MISSING", "N-ITEMS-UNKNOWN")


def checks(reference: Reference, submission: KineticsSubmission) -> list[Check]:
    """Return what to compare with the reference, in the order of scoring."""
    true_parts, predicted = reference.parts, submission.parts
    # The annotated frame of each predicted human, -1 where there is none.
    frame_of_human = find_true_frames(true_parts, predicted)[predicted.human_frame]
    names = _sampled(predicted.names, predicted.part_name)
    states = _sampled(predicted.states, predicted.proposal_state)
    classes, n_parts = list(submission.classes.values()), len(true_parts.part_name)
    return [
        _videos(true_parts.videos, predicted.videos, "videos", _EXPLAINS),
        _frames(true_parts, predicted),
        _humans(frame_of_human, true_parts, predicted),
        _sides(frame_of_human, true_parts, predicted),
        names_check(names, true_parts.names, "part names", n_parts),
        names_check(states, true_parts.states, "states", n_parts),
        names_check(classes, reference.classes, "action classes", len(true_parts.videos)),
        _videos(true_parts.videos, list(submission.classes), "videos with a class", _EXPLAINED_BY_CLASSES),
    ]


def _sampled(words: Sequence[str], numbers: Ints) -> list[str]:
    return [words[number] for number in numbers[sample(len(numbers))].tolist()]


def _videos(
    true_videos: Sequence[str], predicted_videos: Sequence[str], what: str, explains: tuple[str, ...]
) -> Check:
    def fits(change: Callable[[str], str]) -> Bools:
        return is_in(map(change, predicted_videos), true_videos)

    claim, others = f"of your {what} are in the reference", of_video_names(fits)
    causes, code = "Videos have their names without folder and ending", "N-NAMES-UNKNOWN"
    return Check(
        claim=claim,
        as_is=fits(str),
        interpretations=others,
        annotated=len(true_videos),
        causes=causes,
        unknown=code,
        explains=explains,
        step="items",
    )


def _frames(true_parts: PartStates, predicted: PartStates) -> Check:
    true_frames = set(frame_keys(true_parts))
    inside = np.flatnonzero(is_in(predicted.videos, true_parts.videos)[predicted.frame_video])
    frames = inside[sample(len(inside))].tolist()
    keys = [(predicted.videos[predicted.frame_video[frame]], predicted.frames[frame]) for frame in frames]
    # At most 9 digits: a participant may write any number of them.
    numbers_in_name = (re.findall("[0-9]+", name) for _, name in keys)
    numbers = [int(digits[-1][-9:]) if digits else -_STEP for digits in numbers_in_name]

    def fits(count: int, add: int) -> Bools:
        names = [f"img_{count * number + add:05d}.json" for number in numbers]
        return is_in([(video, name) for (video, _), name in zip(keys, names)], true_frames)

    remedy = "Frames count from 1, and every fifth is scored: img_00001.json, img_00006.json, ..."
    shifts = (("n + 1", 1, 1), ("5 n + 1", _STEP, 1), ("5 n - 4", _STEP, 1 - _STEP))
    words = "with frames named img_, the number in 5 digits, .json"
    others = [Interpretation("N-LOOKS-SPELLED", words, fits(1, 0), remedy)]
    others += [Interpretation("N-LOOKS-SHIFTED", f"as number {n}", fits(*by), remedy) for n, *by in shifts]
    claim, code = "of your frames are in the reference", "N-NAMES-UNKNOWN"
    return Check(
        claim=claim,
        as_is=is_in(keys, true_frames),
        interpretations=others,
        annotated=len(true_frames),
        causes=remedy,
        unknown=code,
        least_share=0.5,
        explains=_EXPLAINS,
        step="items",
    )


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
