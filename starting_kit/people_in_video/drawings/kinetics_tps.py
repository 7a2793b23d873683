"""Drawings of frames of Kinetics-TPS: humans and their parts, predicted and annotated."""

from __future__ import annotations

import numpy as np

from people_in_video.drawings.scenes import (
    EXTENT,
    GROUND_TRUTH,
    PREDICTION,
    Drawing,
    DrawnObject,
    extent,
    shapes,
    two_decimals,
    worst_in_turn,
)
from people_in_video.drawings.svg import Drawings
from scoring_program.challenges.kinetics_tps.measure import VideoStatistics
from scoring_program.challenges.kinetics_tps.page import worst_videos
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.metrics import part_state
from scoring_program.metrics.group_values import group_means
from scoring_program.result import Section
from validator.arrays import Floats, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates, rows_of_owner
from validator.texts import counted


def drawings(
    reference: Reference,
    submission: KineticsSubmission,
    statistics: VideoStatistics,
    number: int,
    with_right: bool,
) -> list[Section]:
    """Return at most ``number`` humans: the worst one of each video, the worst video first, then others."""
    parts = statistics.true_parts
    human_score = group_means(statistics.outcomes.correctness, parts.part_human, len(parts.human_frame))
    rank_of_video = np.argsort(worst_videos(statistics))
    rank = rank_of_video[parts.frame_video]
    # Frames that are not submitted come last: there is little to see.
    rank += len(rank) * ~statistics.predicted.has_frame
    humans = worst_in_turn(human_score, rank[parts.human_frame], number, with_right)
    if not humans:
        return []
    note = "The worst human of each video, the worst video first; then the second worst. Other humans of the "
    note += "frame have no parts here."
    drawn_humans = [_draw_human_in_frame(statistics, human) for human in humans]
    return [Drawings("drawings", "Worst humans", note, drawn_humans)]


def canvas(parts: PartStates, frame: int, predicted_box: Floats, predicted_frame: Ints) -> Drawing:
    """Return a drawing of a frame without objects, on the extent of all boxes of its video.

    ``predicted_box`` (n, 4) and ``predicted_frame`` (n,), ascending, are the predicted humans.
    """
    video = int(parts.frame_video[frame])
    frames = rows_of_owner(parts.frame_video, video)
    first_and_end = [frames.start, frames.stop]
    true_humans = slice(*np.searchsorted(parts.human_frame, first_and_end))
    predicted_humans = slice(*np.searchsorted(predicted_frame, first_and_end))
    video_name, frame_name = parts.videos[video], parts.frames[frame]
    return Drawing(
        title=f"{video_name}, {frame_name}",
        text="",
        size=extent(parts.human_box[true_humans], predicted_box[predicted_humans]),
        extent=EXTENT,
        objects=(),
        files=[f"{video_name}/{frame_name.removesuffix('.json')}"],
        item=[video_name],
    )


def _draw_human_in_frame(statistics: VideoStatistics, human: int) -> Drawing:
    """Return the drawing of a frame with its annotated humans, and the parts of one of them."""
    parts, predicted = statistics.true_parts, statistics.predicted
    frame = int(parts.human_frame[human])
    humans = rows_of_owner(parts.human_frame, frame)
    objects: list[DrawnObject] = []
    for number, other_human in enumerate(humans, start=1):
        drawn_human = _draw_human(statistics, other_human, f"human {number}")
        objects.append(drawn_human._replace(is_wrong=drawn_human.is_wrong and other_human == human))
    objects += [_draw_part(statistics, part) for part in rows_of_owner(parts.part_human, human)]
    video = int(parts.frame_video[frame])
    predicted_class = statistics.predicted_classes[video] or "no class"
    text = f"Score of the frame {statistics.correctness.frame_scores[frame]:.3f}; "
    text += f"video: {statistics.true_classes[video]}, predicted: {predicted_class}."
    blank = canvas(parts, frame, predicted.human_box, predicted.human_frame)
    title = blank.title
    if len(humans) > 1:
        title += f", human {human - humans.start + 1}"
    return blank._replace(title=title, text=text, objects=objects)


def _draw_human(statistics: VideoStatistics, human: int, label: str) -> DrawnObject:
    """Return an annotated human with the predicted one that is matched with it, or else the nearest."""
    predicted, needed_iou = statistics.predicted, statistics.human_iou
    true_box = statistics.true_parts.human_box[human]
    candidates = rows_of_owner(predicted.human_frame, int(statistics.true_parts.human_frame[human]))
    if not candidates:
        return DrawnObject(label, "no prediction", True, shapes(GROUND_TRUTH, true_box))
    boxes = predicted.human_box[candidates.start : candidates.stop]
    iou = part_state.box_iou(np.broadcast_to(true_box, boxes.shape), boxes)
    matched = int(statistics.matched_human[human])
    if matched >= 0:
        drawn_human = matched - candidates.start
        text = f"matched, IoU {iou[drawn_human]:.2f}"
    else:
        drawn_human = int(iou.argmax())
        text = f"IoU {two_decimals(iou[drawn_human])}, needs more than {needed_iou:g}"
        if iou[drawn_human] > needed_iou:
            text = "its prediction matches another human"
    drawn_shapes = [*shapes(GROUND_TRUTH, true_box), *shapes(PREDICTION, boxes[drawn_human])]
    return DrawnObject(label, text, matched < 0, drawn_shapes)


def _draw_part(statistics: VideoStatistics, part: int) -> DrawnObject:
    """Return an annotated part with the nearest proposal for it."""
    parts, outcomes = statistics.true_parts, statistics.outcomes
    nearest_proposals, _ = statistics.nearest_proposals
    nearest = nearest_proposals[part]
    name = parts.names[parts.part_name[part]]
    state = parts.states[parts.proposal_state[part]]
    boxes = shapes(GROUND_TRUTH, parts.proposal_box[part], claim=f"{name}, {state}")
    if nearest >= 0:
        proposals = statistics.predicted.proposals
        claimed_state = "another state"
        if proposals.state[nearest] >= 0:
            claimed_state = parts.states[proposals.state[nearest]]
        boxes += shapes(PREDICTION, proposals.box[nearest], claim=f"{name}, {claimed_state}")
    # One line says that a human is not matched.
    is_good = int(outcomes.kind[part]) in (part_state.CORRECT, part_state.NO_HUMAN)
    is_wrong = outcomes.n_proposals[part] > 1 or not is_good
    text = _part_outcome(statistics, part)
    return DrawnObject(f"{name} ({state})", text, bool(is_wrong), boxes)


def _part_outcome(statistics: VideoStatistics, part: int) -> str:
    """Return what became of an annotated part, in words."""
    outcomes = statistics.outcomes
    kind = int(outcomes.kind[part])
    if kind == part_state.NO_HUMAN:
        return "its human is not matched"
    if kind == part_state.NO_BOX:
        return "no prediction"
    _, nearest_iou = statistics.nearest_proposals
    iou = nearest_iou[part]
    if kind == part_state.TOO_FAR:
        comparison = "at least" if statistics.protocol.part_iou_suffices else "more than"
        return f"IoU {two_decimals(iou)}, needs {comparison} {statistics.part_iou:g}"
    if kind == part_state.WRONG_STATE:
        near_state = int(outcomes.near_state[part])
        if near_state < 0:
            return f"IoU {iou:.2f}, wrong state"
        return f"IoU {iou:.2f}, wrong state {statistics.true_parts.states[near_state]}"
    n_proposals = int(outcomes.n_proposals[part])
    if n_proposals == 1:
        return f"right, IoU {iou:.2f}"
    return f"right, IoU {iou:.2f}, but one of {counted(n_proposals, 'proposal')}: counts 1/{n_proposals}"


DRAWINGS = {"kinetics_tps": drawings}
