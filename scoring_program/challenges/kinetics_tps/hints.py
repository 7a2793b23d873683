"""The other interpretations of a submission to Kinetics-TPS."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from scoring_program.challenges.kinetics_tps.measure import frame_keys
from scoring_program.challenges.kinetics_tps.read import Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, is_in, names_check, sample
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates

_STEP = 5


def checks(reference: Reference, submission: KineticsSubmission) -> list[Check]:
    """Return what to compare with the reference, in the order of scoring."""
    ground_truth, predicted = reference.parts, submission.parts
    frames = {key: index for index, key in enumerate(frame_keys(ground_truth))}
    names = _sampled(predicted.names, predicted.part_name)
    states = _sampled(predicted.states, predicted.proposal_state)
    classes, n_parts = list(submission.classes.values()), len(ground_truth.part_name)
    return [
        _videos(ground_truth, predicted),
        _frames(frames, ground_truth, predicted),
        _humans(frames, ground_truth, predicted),
        names_check(names, list(ground_truth.names), "part names", n_parts),
        names_check(states, list(ground_truth.states), "states", n_parts),
        names_check(classes, reference.classes, "action classes", len(ground_truth.videos)),
    ]


def _sampled(words: Iterable[str], codes: Ints) -> list[str]:
    names = list(words)
    return [names[code] for code in codes[sample(len(codes))].tolist()]


def _videos(ground_truth: PartStates, predicted: PartStates) -> Check:
    as_is, n_videos = is_in(predicted.videos, ground_truth.videos), len(ground_truth.videos)
    causes = "Videos have their names without folder and ending"
    return Check("of your videos are in the reference", as_is, [], n_videos, causes, "N-NAMES-UNKNOWN")


def _frames(frames: dict[tuple[str, str], int], ground_truth: PartStates, predicted: PartStates) -> Check:
    inside = np.flatnonzero(is_in(predicted.videos, ground_truth.videos)[predicted.frame_video])
    of_frames = list(frame_keys(predicted))
    keys = [of_frames[frame] for frame in inside[sample(len(inside))].tolist()]
    # At most 9 digits: a participant may write any number of them.
    found = (re.findall("[0-9]+", name) for _, name in keys)
    numbers = [int(digits[-1][-9:]) if digits else -_STEP for digits in found]

    def fits(count: int, add: int) -> Bools:
        names = [f"img_{count * number + add:05d}.json" for number in numbers]
        return is_in([(video, name) for (video, _), name in zip(keys, names)], frames)

    remedy = "Frames count from 1, and every fifth is scored: img_00001.json, img_00006.json, ..."
    shifts = (("n + 1", 1, 1), ("5 n + 1", _STEP, 1), ("5 n - 4", _STEP, 1 - _STEP))
    words = "with frames named img_, the number in 5 digits, .json"
    others = [Interpretation("N-LOOKS-SPELLED", words, fits(1, 0), remedy)]
    others += [Interpretation("N-LOOKS-SHIFTED", f"as number {n}", fits(*by), remedy) for n, *by in shifts]
    claim, code = "of your frames are in the reference", "N-NAMES-UNKNOWN"
    return Check(claim, is_in(keys, frames), others, len(frames), remedy, code, least_share=0.5)


def _humans(frames: dict[tuple[str, str], int], ground_truth: PartStates, predicted: PartStates) -> Check:
    frame = np.array([*(frames.get(key, -1) for key in frame_keys(predicted)), -1])[predicted.human_frame]
    humans = np.flatnonzero(frame >= 0)
    humans = humans[sample(len(humans))]
    entry, human, _ = pairs_in_groups(frame[humans], ground_truth.human_frame)
    boxes = predicted.human_box[humans][entry]
    pairs = BoxPairs(len(humans), entry, boxes, ground_truth.human_box[human])
    claim, n = "of your humans meet an annotated one", len(np.unique(human))
    return Check(claim, pairs.met(boxes), pairs.corner_interpretations(), n, BoxPairs.CORNERS)
