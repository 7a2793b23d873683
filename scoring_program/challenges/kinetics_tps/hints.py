"""The other interpretations of a submission to Kinetics-TPS."""

from __future__ import annotations

import re

import numpy as np

from scoring_program.challenges.kinetics_tps.measure import frame_keys
from scoring_program.challenges.kinetics_tps.read import Reference
from scoring_program.hints import BoxPairs, Check, Interpretation, is_in, names_check, sample
from scoring_program.metrics.pairs import pairs_in_groups
from validator.arrays import Bools
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates

_STEP = 5


def checks(reference: Reference, submission: KineticsSubmission) -> list[Check]:
    """Return what to compare with the reference, in the order of scoring."""
    ground_truth, predicted = reference.parts, submission.parts
    frames = {key: index for index, key in enumerate(frame_keys(ground_truth))}
    part_names, states = list(predicted.names), list(predicted.states)
    names = [part_names[code] for code in predicted.part_name[sample(len(predicted.part_name))].tolist()]
    verbs = [
        states[code] for code in predicted.proposal_state[sample(len(predicted.proposal_state))].tolist()
    ]
    n_parts = len(ground_truth.part_name)
    return [
        _videos(ground_truth, predicted),
        _frames(frames, ground_truth, predicted),
        _humans(frames, ground_truth, predicted),
        names_check(names, list(ground_truth.names), "part names", n_parts),
        names_check(verbs, list(ground_truth.states), "states", n_parts),
        names_check(
            list(submission.classes.values()), reference.classes, "action classes", len(ground_truth.videos)
        ),
    ]


def _videos(ground_truth: PartStates, predicted: PartStates) -> Check:
    as_is, n_videos = is_in(predicted.videos, ground_truth.videos), len(ground_truth.videos)
    causes = "Videos have their names without folder and ending"
    return Check("of your videos are in the reference", as_is, [], n_videos, causes, "N-NAMES-UNKNOWN")


def _frames(frames: dict[tuple[str, str], int], ground_truth: PartStates, predicted: PartStates) -> Check:
    inside = np.flatnonzero(is_in(predicted.videos, ground_truth.videos)[predicted.frame_video])
    chosen = inside[sample(len(inside))].tolist()
    keys = [
        (predicted.videos[int(predicted.frame_video[frame])], predicted.frames[frame]) for frame in chosen
    ]
    numbers = [int(digits[-1]) if (digits := re.findall(r"\d+", name)) else -_STEP for _, name in keys]

    def fits(count: int, add: int) -> Bools:
        names = [f"img_{count * number + add:05d}.json" for number in numbers]
        return is_in([(video, name) for (video, _), name in zip(keys, names)], frames)

    remedy = "Frames count from 1, and every fifth is scored: img_00001.json, img_00006.json, ..."
    interpretations = [
        Interpretation(
            "N-LOOKS-SPELLED", "with frames named img_, the number in 5 digits, .json", fits(1, 0), remedy
        ),
        *(
            Interpretation("N-LOOKS-SHIFTED", f"as number {words}", fits(count, add), remedy)
            for words, count, add in (("n + 1", 1, 1), ("5 n + 1", _STEP, 1), ("5 n - 4", _STEP, 1 - _STEP))
        ),
    ]
    claim = "of your frames are in the reference"
    return Check(
        claim, is_in(keys, frames), interpretations, len(frames), remedy, "N-NAMES-UNKNOWN", least_share=0.5
    )


def _humans(frames: dict[tuple[str, str], int], ground_truth: PartStates, predicted: PartStates) -> Check:
    frame = np.array([*(frames.get(key, -1) for key in frame_keys(predicted)), -1])[predicted.human_frame]
    humans = np.flatnonzero(frame >= 0)
    humans = humans[sample(len(humans))]
    entry, human, _ = pairs_in_groups(frame[humans], ground_truth.human_frame)
    boxes = predicted.human_box[humans][entry]
    pairs = BoxPairs(len(humans), entry, boxes, ground_truth.human_box[human])
    claim, causes = (
        "of your humans meet an annotated one",
        "Boxes are [x1, y1, x2, y2] in pixels of the original video",
    )
    return Check(claim, pairs.met(boxes), pairs.corner_interpretations(), len(np.unique(human)), causes)
