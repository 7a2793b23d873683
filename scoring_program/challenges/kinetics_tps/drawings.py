"""Drawings of frames of Kinetics-TPS: humans and their parts, predicted and annotated."""

from __future__ import annotations

import numpy as np

from scoring_program import result
from scoring_program.challenges.kinetics_tps.measure import VideoStatistics
from scoring_program.challenges.kinetics_tps.page import worst_videos
from scoring_program.metrics import part_state
from scoring_program.result import EXTENT, GROUND_TRUTH, PREDICTION, Drawing, DrawnObject, Section, shapes
from validator.arrays import Floats, Ints
from validator.formats.kinetics_tps.read import PartStates
from validator.texts import counted


def drawings(statistics: VideoStatistics, number: int) -> list[Section]:
    """Return at most ``number`` frames: the worst one of each video, the worst video first, then others."""
    rank = np.argsort(worst_videos(statistics))[statistics.parts.frame_video]
    # Frames that are not submitted come last: there is little to see.
    rank += len(rank) * ~statistics.joined.has_frame
    frames = result.worst_in_turn(statistics.videos.frame_scores, rank, number)
    drawn = [_frame(statistics, frame) for frame in frames]
    note = "The worst frame of each video, the worst video first; then the second worst frames."
    return [result.Drawings("drawings", "Worst frames", note, drawn)] if drawn else []


def canvas(parts: PartStates, frame: int, human_box: Floats, human_frame: Ints) -> Drawing:
    """Return a drawing of a frame without objects, on the extent of all boxes of its video.

    ``human_box`` (n, 4) and ``human_frame`` (n,) are the predicted humans.
    """
    video = int(parts.frame_video[frame])
    frames = np.searchsorted(parts.frame_video, [video, video + 1])
    sides = (parts.human_box, parts.human_frame), (human_box, human_frame)
    boxes = (box[slice(*np.searchsorted(of_frame, frames))] for box, of_frame in sides)
    name, of_video = parts.frames[frame], parts.videos[video]
    files = [f"{of_video}/{name.removesuffix('.json')}"]
    return Drawing(f"{of_video}, {name}", "", result.extent(*boxes), EXTENT, (), files)


def _frame(statistics: VideoStatistics, frame: int) -> Drawing:
    parts, joined, video = statistics.parts, statistics.joined, int(statistics.parts.frame_video[frame])
    objects: list[DrawnObject] = []
    first, last = np.searchsorted(parts.human_frame, [frame, frame + 1]).tolist()
    for human in range(first, last):
        label = f"human {human - first + 1}"
        begin, end = np.searchsorted(parts.part_human, [human, human + 1]).tolist()
        objects += [_human(statistics, human, label)]
        objects += [_part(statistics, part, label) for part in range(begin, end)]
    own, predicted = statistics.classes[video], statistics.predicted[video] or "no class"
    score = statistics.videos.frame_scores[frame]
    text = f"Score of the frame {score:.3f}; video: {own}, predicted: {predicted}."
    blank = canvas(parts, frame, joined.human_box, joined.human_frame)
    return blank._replace(text=text, objects=objects)


def _human(statistics: VideoStatistics, human: int, label: str) -> DrawnObject:
    parts, joined, needed = statistics.parts, statistics.joined, statistics.needed_iou[0]
    first, last = np.searchsorted(joined.human_frame, parts.human_frame[human] + np.arange(2)).tolist()
    box, others = parts.human_box[human], joined.human_box[first:last]
    if not len(others):
        return DrawnObject(label, "no prediction", True, shapes(GROUND_TRUTH, box))
    iou = part_state.box_iou(np.broadcast_to(box, others.shape), others)
    matched = int(statistics.matched[human])
    shown = matched - first if matched >= 0 else int(iou.argmax())
    boxes = [*shapes(GROUND_TRUTH, box), *shapes(PREDICTION, others[shown])]
    text = f"IoU {result.two_decimals(iou[shown])}, needs more than {needed:g}"
    if matched >= 0 or iou[shown] > needed:
        text = f"matched, IoU {iou[shown]:.2f}" if matched >= 0 else "its prediction matches another human"
    return DrawnObject(label, text, matched < 0, boxes)


def _part(statistics: VideoStatistics, part: int, human: str) -> DrawnObject:
    parts, outcomes, names = statistics.parts, statistics.outcomes, list(statistics.parts.states)
    kind, n, near = (int(of[part]) for of in (outcomes.kind, outcomes.n_proposals, outcomes.near_state))
    nearest, iou = (of[part] for of in statistics.nearest)
    boxes = shapes(GROUND_TRUTH, parts.proposal_box[part])
    boxes += shapes(PREDICTION, statistics.joined.proposals.box[nearest]) if nearest >= 0 else []
    too_low = result.two_decimals(iou)
    comparison = "at least" if statistics.protocol.part_iou_suffices else "more than"
    shared = f", but one of {counted(n, 'proposal')}: counts 1/{n}"
    text = {
        part_state.NO_HUMAN: "its human is not matched",
        part_state.NO_BOX: "no prediction",
        part_state.TOO_FAR: f"IoU {too_low}, needs {comparison} {statistics.needed_iou[1]:g}",
        part_state.WRONG_STATE: f"IoU {iou:.2f}, wrong state {names[near] if near >= 0 else ''}".rstrip(),
        part_state.CORRECT: f"right, IoU {iou:.2f}{shared * (n > 1)}",
    }[kind]
    # One line says that a human is not matched.
    is_wrong = n > 1 or kind not in (part_state.CORRECT, part_state.NO_HUMAN)
    label = f"{human}, {list(parts.names)[parts.part_name[part]]} ({names[parts.proposal_state[part]]})"
    return DrawnObject(label, text, is_wrong, boxes)
