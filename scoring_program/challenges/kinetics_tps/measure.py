"""Kinetics-TPS: from humans and parts of both sides to the accuracy conditioned on Part State Correctness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, repeat
from typing import NamedTuple, Union

import numpy as np

from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.metrics import part_state, resampling
from scoring_program.metrics.part_state import PartOutcomes
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates
from validator.messages import Note
from validator.texts import counted

_SHOWN_PSC = (0.0, 0.25, 0.5)


class Protocol(NamedTuple):
    """The differences between the two protocols.

    Attributes
    ----------
    match : callable
        Matches ground-truth humans to predicted ones, as `part_state.match_best` does.
    part_iou_suffices : bool
        Whether a part IoU of exactly the threshold is enough.
    missing_frame_is_wrong : bool
        Whether a frame with humans and without parts counts, with 0, where the submission does not have it.
    points_passed : callable
        Returns the number of points of the grid that the PSC of each video passes, from the PSC (n_videos,),
        the outcomes of the parts, and the ground truth.
    video_areas : callable
        Returns what each video adds to the area if its class is right, times the number of videos, from the
        points passed (n_videos,).
    area : callable
        Returns the area, exact and rounded, from the videos and which of them have the right class.
    sign : str
        How a PSC compares with a threshold that it passes.
    """

    match: Callable[..., Ints]
    part_iou_suffices: bool
    missing_frame_is_wrong: bool
    points_passed: Callable[[Floats, PartOutcomes, PartStates], Ints]
    video_areas: Callable[[Ints], Floats]
    area: Callable[[Videos, Bools], tuple[float, float]]
    sign: str


class Videos(NamedTuple):
    """The scores of the parts, summed up for each video.

    ``frame_scores`` (n_frames,) is the mean correctness of the parts, NaN for a frame that does not count;
    ``passed`` (n_videos,) the number of points of the grid that ``psc`` (n_videos,) passes.
    """

    frame_scores: Floats
    psc: Floats
    passed: Ints


@dataclass(frozen=True)
class VideoStatistics(Statistics):
    """The statistics of each video, and what they came from.

    Attributes
    ----------
    classes, predicted : sequences of str
        The class of each video and the predicted one, None without a prediction; here and below videos are
        in the order of the reference files.
    right : bool array of shape (n_videos,)
        Which videos have the right class.
    areas : float64 array of shape (n_videos,)
        What each video adds to the area under the conditioned accuracy, times the number of videos.
    matched : int array of shape (n_humans,)
        The predicted human that is matched with each, -1 if there is none.
    needed_iou : (float, float)
        The thresholds of humans and of parts.
    order : int array of shape (n_videos,)
        The videos in the order of the items.
    """

    classes: Sequence[str]
    predicted: Sequence[str | None]
    right: Bools
    areas: Floats
    matched: Ints
    needed_iou: tuple[float, float]
    order: Ints
    videos: Videos
    outcomes: PartOutcomes
    parts: PartStates
    joined: Joined
    protocol: Protocol

    @cached_property
    def nearest(self) -> tuple[Ints, Floats]:
        """For each part the proposal of largest IoU, -1 without one, and that IoU; shapes (n_parts,)."""
        compared = annotated_parts(self.parts), self.joined.proposals
        return part_state.nearest_proposals(self.matched[self.parts.part_human], *compared)


def _published_area(videos: Videos, right: Bools) -> tuple[float, float]:
    exact = part_state.area_under_accuracy(videos.passed, right)
    return float(exact), part_state.round_half_up(exact, 6)


def _released_area(videos: Videos, right: Bools) -> tuple[float, float]:
    area = part_state.released_area(videos.psc, right)
    return area, round(area, 6)


PROTOCOLS = {
    "published": Protocol(
        match=part_state.match_best,
        part_iou_suffices=False,
        missing_frame_is_wrong=False,
        points_passed=lambda psc, outcomes, parts: part_state.grid_points_passed(
            psc, outcomes, parts.human_frame[parts.part_human], parts.frame_video
        ),
        video_areas=lambda passed: np.where(passed > 0, (passed - 0.5) / part_state.GRID, 0.0),
        area=_published_area,
        sign=">",
    ),
    "released": Protocol(
        match=part_state.match_assigned,
        part_iou_suffices=True,
        missing_frame_is_wrong=True,
        points_passed=lambda psc, outcomes, parts: part_state.released_points_reached(psc),
        # The script adds the accuracies at 1/10000, ..., 9999/10000.
        video_areas=lambda passed: np.minimum(passed - 1, part_state.GRID - 1) / part_state.GRID,
        area=_released_area,
        sign="≥",
    ),
}


def measure(reference: Reference, submission: KineticsSubmission, settings: Settings) -> VideoStatistics:
    """Match humans, judge the parts, and summarize them for each video."""
    protocol = PROTOCOLS[settings["protocol"]]
    ground_truth = reference.parts
    joined = join(ground_truth, submission.parts)
    boxes = ground_truth.human_box, ground_truth.human_frame, joined.human_box, joined.human_frame
    matched = protocol.match(*boxes, settings["human_iou"])
    compared = matched[ground_truth.part_human], annotated_parts(ground_truth), joined.proposals
    outcomes = part_state.judge_parts(*compared, settings["part_iou"], protocol.part_iou_suffices)
    videos = _videos(ground_truth, outcomes, joined.has_frame, protocol)
    names = ground_truth.videos
    predicted = [submission.classes.get(video) for video in names]
    right = np.array([named == name for named, name in zip(predicted, reference.classes)], dtype=bool)
    areas = np.where(right, protocol.video_areas(videos.passed), 0.0)
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    submitted = np.array([named is not None for named in predicted], dtype=bool)
    submitted[ground_truth.frame_video[joined.has_frame]] = True
    return VideoStatistics(
        item_scores=areas[order],
        item_submitted=submitted[order],
        item_weights=np.ones(len(names), np.int64),
        notes=[*joined.notes, *_missing_notes(predicted, joined.has_frame)],
        classes=reference.classes,
        predicted=predicted,
        right=right,
        areas=areas,
        matched=matched,
        needed_iou=(settings["human_iou"], settings["part_iou"]),
        order=order,
        videos=videos,
        outcomes=outcomes,
        parts=ground_truth,
        joined=joined,
        protocol=protocol,
    )


def annotated_parts(ground_truth: PartStates) -> part_state.Parts:
    """Return the parts of the ground truth, which have one box and one state each."""
    return part_state.Parts(ground_truth.part_name, ground_truth.proposal_box, ground_truth.proposal_state)


def mean_area(statistics: VideoStatistics, weights: Floats) -> Floats:
    """Return the area under the conditioned accuracy, not rounded, for each row of weights."""
    return resampling.weighted_mean(statistics.areas[statistics.order], weights)


def scores(statistics: VideoStatistics) -> dict[str, float]:
    """Return the area under the conditioned accuracy and what goes with it."""
    videos, right, has_frame = statistics.videos, statistics.right, statistics.joined.has_frame
    exact, rounded = statistics.protocol.area(videos, right)
    points = [round(psc * part_state.GRID) for psc in _SHOWN_PSC]
    above = part_state.conditioned_accuracy(videos.passed, right)[points].tolist()
    return {
        "score": rounded,
        "coverage": float(has_frame.mean()) if len(has_frame) else 1.0,
        "average_video_accuracy": rounded,
        "average_video_accuracy_exact": exact,
        "mean_psc": float(videos.psc.mean()),
        "top1_accuracy": float(right.mean()),
        **dict(zip(("accuracy_psc_0", "accuracy_psc_25", "accuracy_psc_50"), above)),
    }


_KIND_OF_ERROR = {
    "humans": part_state.NO_HUMAN,
    "boxes_missing": part_state.NO_BOX,
    "boxes_far": part_state.TOO_FAR,
    "states": part_state.WRONG_STATE,
    "extra_proposals": part_state.CORRECT,
}
_COUNTS_MISSING_FRAMES = ("not_submitted", "humans")


def error_costs(statistics: VideoStatistics) -> dict[str, float]:
    """Return the score with what is not submitted, the right classes, and each kind of wrong part right."""
    outcomes, has_frame, parts = statistics.outcomes, statistics.joined.has_frame, statistics.parts
    without_class = np.array([named is None for named in statistics.predicted], dtype=bool)
    part_frame = parts.human_frame[parts.part_human]
    right = statistics.right
    corrected = {
        "not_submitted": (right | without_class, ~has_frame[part_frame]),
        "action_class": (np.ones_like(right), np.zeros(len(part_frame), dtype=bool)),
        **{key: (right, outcomes.kind == kind) for key, kind in _KIND_OF_ERROR.items()},
    }
    return {
        key: _score_if(statistics, fixed, chosen, key in _COUNTS_MISSING_FRAMES)
        for key, (fixed, chosen) in corrected.items()
    }


def _score_if(statistics: VideoStatistics, right: Bools, chosen: Bools, all_frames: bool) -> float:
    """Return the score if the videos ``right`` had the right class and the parts ``chosen`` were correct.

    ``all_frames`` says whether missing frames count as submitted.
    """
    has_frame, protocol = statistics.joined.has_frame, statistics.protocol
    videos = statistics.videos
    if chosen.any() or all_frames:
        corrected = statistics.outcomes.corrected(chosen)
        videos = _videos(statistics.parts, corrected, has_frame | all_frames, protocol)
    return protocol.area(videos, right)[1]


def _videos(parts: PartStates, outcomes: PartOutcomes, has_frame: Bools, protocol: Protocol) -> Videos:
    n_videos, n_frames = len(parts.videos), len(parts.frames)
    scores = part_state.frame_means(outcomes.correctness, parts.part_human, parts.human_frame, n_frames)
    if protocol.missing_frame_is_wrong:
        humans = np.bincount(parts.human_frame, minlength=n_frames)
        scores[np.isnan(scores) & (humans > 0) & ~has_frame] = 0.0
    psc = part_state.part_state_correctness(scores, parts.frame_video, n_videos)
    return Videos(scores, psc, protocol.points_passed(psc, outcomes, parts))


class Joined(NamedTuple):
    """A submission in the reference's numbering; frames that the reference does not have are dropped.

    Part names and states that the reference does not have are -1; ``has_frame`` (n_frames,) says which frames
    of the reference the submission has.
    """

    human_frame: Ints
    human_box: Floats
    proposals: part_state.Proposals
    has_frame: Bools
    notes: list[Note]


def join(ground_truth: PartStates, predicted: PartStates) -> Joined:
    """Bring a submission into the reference's numbering; frames that it does not have are dropped."""
    _, frame = annotated_frames(ground_truth, predicted)
    has_frame = np.zeros(len(ground_truth.frames), dtype=bool)
    has_frame[frame[frame >= 0]] = True
    # Frames may come in another order than the reference's; humans, parts and proposals follow them.
    human_frame, human_order = _renumber(predicted.human_frame, frame)
    human_number = _new_numbers(human_order, len(predicted.human_box))
    part_human, part_order = _renumber(predicted.part_human, human_number)
    part_number = _new_numbers(part_order, len(predicted.part_name))
    proposal_part, proposal_order = _renumber(predicted.proposal_part, part_number)
    proposals = part_state.Proposals(
        part_human,
        translate(predicted.names, ground_truth.names)[predicted.part_name[part_order]],
        proposal_part,
        predicted.proposal_box[proposal_order],
        translate(predicted.states, ground_truth.states)[predicted.proposal_state[proposal_order]],
    )
    notes = _ignored_notes(frame, len(set(predicted.videos) - set(ground_truth.videos)))
    return Joined(human_frame, predicted.human_box[human_order], proposals, has_frame, notes)


def _ignored_notes(frame: Ints, extra_videos: int) -> list[Note]:
    ignored = ((extra_videos, "video"), (int((frame < 0).sum()), "frame"))
    extra = " and ".join(counted(number, thing) for number, thing in ignored if number)
    text = f"ignored what is not in the reference: {extra} of the submission"
    return [Note("N-NAMES-UNKNOWN", text)] if extra else []


def _missing_notes(predicted: Sequence[str | None], has_frame: Bools) -> list[Note]:
    """Return one note on what is not submitted: it is fixed together, and has one cost."""
    parts = (
        ("N-CLASSES-MISSING", "no class", predicted.count(None), len(predicted), "video"),
        ("N-FRAMES-MISSING", "no prediction", int((~has_frame).sum()), len(has_frame), "reference frame"),
    )
    missing = [(code, f"{what} for {n:,} of {counted(of, thing)}") for code, what, n, of, thing in parts if n]
    return [Note(missing[0][0], " and ".join(text for _, text in missing))] if missing else []


def annotated_frames(
    ground_truth: PartStates, predicted: PartStates
) -> tuple[dict[tuple[str, str], int], Ints]:
    """Return the number of each annotated frame by video and name, and those of the predicted ones, or -1."""
    annotated, keys = (
        zip(map(parts.videos.__getitem__, parts.frame_video.tolist()), parts.frames)
        for parts in (ground_truth, predicted)
    )
    numbers = dict(zip(annotated, count()))
    return numbers, np.fromiter(map(numbers.get, keys, repeat(-1)), np.int64, len(predicted.frames))


_Order = Union[Ints, slice]


def _renumber(owner: Ints, new_number: Ints) -> tuple[Ints, _Order]:
    """Return new owners, ascending, and their old entries; owners at -1 are dropped."""
    if np.array_equal(new_number, np.arange(len(new_number))):
        return owner, slice(None)
    numbers = new_number[owner] if len(owner) else np.zeros(0, np.int64)
    order = np.flatnonzero(numbers >= 0)
    numbers = numbers[order]
    if (np.diff(numbers) < 0).any():
        by_number = np.argsort(numbers, kind="stable")
        order, numbers = order[by_number], numbers[by_number]
    return numbers, order


def _new_numbers(order: _Order, size: int) -> Ints:
    """Return the new number of each of ``size`` old entries, -1 for those that are dropped."""
    numbers = np.full(size, -1)
    numbers[order] = np.arange(size if isinstance(order, slice) else len(order))
    return numbers


def translate(predicted: Iterable[str], ground_truth: Mapping[str, int]) -> Ints:
    """Return for each word of the prediction its number in the ground truth, -1 if there is none."""
    return np.array([ground_truth.get(word, -1) for word in predicted], dtype=np.int64)
