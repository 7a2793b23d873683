"""Kinetics-TPS: from humans and parts of both sides to the accuracy conditioned on Part State Correctness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.kinetics_tps.reference import Reference, take_frames
from scoring_program.metrics import part_state, resampling
from scoring_program.metrics.part_state import PartOutcomes
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates, frames_of_videos

# The columns of the leaderboard that are the accuracy at one PSC.
_PSC_OF_COLUMN = {"accuracy_psc_0": 0.0, "accuracy_psc_25": 0.25, "accuracy_psc_50": 0.5}


class Protocol(NamedTuple):
    """The differences between the two protocols.

    Attributes
    ----------
    match : callable
        Matches annotated humans to predicted ones, as `part_state.match_best` does.
    part_iou_suffices : bool
        Whether a part IoU of exactly the threshold is enough.
    missing_frame_is_wrong : bool
        Whether a frame with humans and without parts counts, with 0, where the submission has its video and
        not the frame.
    points_passed : callable
        Returns the number of points of the grid that the PSC of each video passes, from the PSC (n_videos,),
        the outcomes of the parts, and the reference.
    video_areas : callable
        Returns what each video adds to the area if its class is right, times the number of videos, from the
        points passed (n_videos,).
    area : callable
        Returns the area, exact and rounded, from the correctness of videos and which have the right class.
    sign : str
        How a PSC compares with a threshold that it passes.
    """

    match: Callable[..., Ints]
    part_iou_suffices: bool
    missing_frame_is_wrong: bool
    points_passed: Callable[[Floats, PartOutcomes, PartStates], Ints]
    video_areas: Callable[[Ints], Floats]
    area: Callable[[VideoCorrectness, Bools], tuple[float, float]]
    sign: str


class VideoCorrectness(NamedTuple):
    """The correctness of the parts, summed up for each video.

    ``frame_scores`` (n_frames,) is the mean correctness of the parts, NaN for a frame that does not count;
    ``points_passed`` (n_videos,) the number of points of the grid that ``psc`` (n_videos,) passes.
    """

    frame_scores: Floats
    psc: Floats
    points_passed: Ints


class AlignedPrediction(NamedTuple):
    """The predicted humans and parts of annotated frames, in the numbering of the reference.

    ``human_frame`` (n_humans,) ascends. Part names and states that the reference does not have are -1;
    ``has_frame`` (n_frames,) says which annotated frames the submission has, ``lacks_frame`` (n_frames,)
    which ones it lacks although it has their video.
    """

    human_frame: Ints
    human_box: Floats
    proposals: part_state.Proposals
    has_frame: Bools
    lacks_frame: Bools


@dataclass(frozen=True)
class VideoStatistics(Statistics):
    """The statistics of each video, and what they came from.

    The score of a video is what it adds to the area under the conditioned accuracy, times the number of
    videos.

    Attributes
    ----------
    true_classes, predicted_classes : sequences of str
        The class of each video and the predicted one, None without a prediction.
    is_right : bool array of shape (n_videos,)
        Which videos have the right class.
    matched_human : int array of shape (n_humans,)
        The predicted human that is matched with each annotated one, -1 if there is none.
    human_iou, part_iou : float
        The thresholds of humans and of parts.
    correctness : VideoCorrectness
    outcomes : PartOutcomes
        What became of each annotated part.
    true_parts : PartStates
        The humans and parts of the reference.
    predicted : AlignedPrediction
    protocol : Protocol
    """

    true_classes: Sequence[str]
    predicted_classes: Sequence[str | None]
    is_right: Bools
    matched_human: Ints
    human_iou: float
    part_iou: float
    correctness: VideoCorrectness
    outcomes: PartOutcomes
    true_parts: PartStates
    predicted: AlignedPrediction
    protocol: Protocol

    @cached_property
    def nearest_proposals(self) -> tuple[Ints, Floats]:
        """For each annotated part the proposal of largest IoU, -1 without one, and that IoU: (n_parts,)."""
        human_of_part = self.matched_human[self.true_parts.part_human]
        return part_state.nearest_proposals(
            human_of_part, annotated_parts(self.true_parts), self.predicted.proposals
        )


def _published_points(psc: Floats, outcomes: PartOutcomes, parts: PartStates) -> Ints:
    part_frame = parts.human_frame[parts.part_human]
    return part_state.grid_points_passed(psc, outcomes, part_frame, parts.frame_video)


def _published_video_areas(points_passed: Ints) -> Floats:
    return np.where(points_passed > 0, (points_passed - 0.5) / part_state.GRID, 0.0)


def _published_area(correctness: VideoCorrectness, is_right: Bools) -> tuple[float, float]:
    exact = part_state.area_under_accuracy(correctness.points_passed, is_right)
    return float(exact), part_state.round_half_up(exact, 6)


def _released_points(psc: Floats, outcomes: PartOutcomes, parts: PartStates) -> Ints:
    return part_state.released_points_reached(psc)


def _released_video_areas(points_passed: Ints) -> Floats:
    # The script adds the accuracies at 1/10000, ..., 9999/10000.
    return np.minimum(points_passed - 1, part_state.GRID - 1) / part_state.GRID


def _released_area(correctness: VideoCorrectness, is_right: Bools) -> tuple[float, float]:
    area = part_state.released_area(correctness.psc, is_right)
    return area, round(area, 6)


PROTOCOLS = {
    "published": Protocol(
        match=part_state.match_best,
        part_iou_suffices=False,
        missing_frame_is_wrong=False,
        points_passed=_published_points,
        video_areas=_published_video_areas,
        area=_published_area,
        sign=">",
    ),
    "released": Protocol(
        match=part_state.match_assigned,
        part_iou_suffices=True,
        missing_frame_is_wrong=True,
        points_passed=_released_points,
        video_areas=_released_video_areas,
        area=_released_area,
        sign="≥",
    ),
}


def measure_videos(
    reference: Reference, submission: KineticsSubmission, settings: Settings
) -> VideoStatistics:
    """Match humans, judge the parts, and summarize them for each video."""
    protocol = PROTOCOLS[settings["protocol"]]
    true_parts = reference.parts
    videos = true_parts.videos
    true_frame = find_true_frames(true_parts, submission.parts)
    predicted = align(true_parts, submission.parts, true_frame)

    matched_human = protocol.match(
        true_parts.human_box,
        true_parts.human_frame,
        predicted.human_box,
        predicted.human_frame,
        settings["human_iou"],
    )
    outcomes = part_state.judge_parts(
        matched_human[true_parts.part_human],
        annotated_parts(true_parts),
        predicted.proposals,
        part_iou=settings["part_iou"],
        iou_suffices=protocol.part_iou_suffices,
    )
    correctness = _summarize(true_parts, outcomes, predicted.lacks_frame, protocol)

    predicted_classes = [submission.classes.get(video) for video in videos]
    is_right = np.array(
        [predicted == true for predicted, true in zip(predicted_classes, reference.classes)], dtype=bool
    )
    # A video is submitted with a class, or with one of the annotated frames.
    is_submitted = np.array([name is not None for name in predicted_classes], dtype=bool)
    is_submitted[true_parts.frame_video[predicted.has_frame]] = True

    return VideoStatistics(
        item_scores=np.where(is_right, protocol.video_areas(correctness.points_passed), 0.0),
        item_submitted=is_submitted,
        item_weights=np.ones(len(videos), np.int64),
        # Each part is correct with one proposal.
        item_perfect=is_right & (correctness.psc == 1),
        true_classes=reference.classes,
        predicted_classes=predicted_classes,
        is_right=is_right,
        matched_human=matched_human,
        human_iou=settings["human_iou"],
        part_iou=settings["part_iou"],
        correctness=correctness,
        outcomes=outcomes,
        true_parts=true_parts,
        predicted=predicted,
        protocol=protocol,
    )


def annotated_parts(true_parts: PartStates) -> part_state.Parts:
    """Return the parts of the reference, which have one box and one state each."""
    return part_state.Parts(true_parts.part_name, true_parts.proposal_box, true_parts.proposal_state)


def average_areas(statistics: VideoStatistics, weights: Floats) -> Floats:
    """Return the area under the conditioned accuracy, not rounded, for each row of weights."""
    return resampling.weighted_mean(statistics.item_scores, weights)


def compute_scores(statistics: VideoStatistics) -> dict[str, float]:
    """Return the area under the conditioned accuracy and what goes with it."""
    correctness, is_right = statistics.correctness, statistics.is_right
    has_frame = statistics.predicted.has_frame
    exact, rounded = statistics.protocol.area(correctness, is_right)
    accuracy = part_state.conditioned_accuracy(correctness.points_passed, is_right)
    return {
        "score": rounded,
        "coverage": float(has_frame.mean()) if len(has_frame) else 1.0,
        "average_video_accuracy": rounded,
        "average_video_accuracy_exact": exact,
        "mean_psc": float(correctness.psc.mean()),
        "top1_accuracy": float(is_right.mean()),
        **{column: float(accuracy[round(psc * part_state.GRID)]) for column, psc in _PSC_OF_COLUMN.items()},
    }


_KIND_OF_ERROR = {
    "humans": part_state.NO_HUMAN,
    "boxes_missing": part_state.NO_BOX,
    "boxes_far": part_state.TOO_FAR,
    "states": part_state.WRONG_STATE,
    "extra_proposals": part_state.CORRECT,
}


def compute_error_costs(statistics: VideoStatistics) -> dict[str, float]:
    """Return the score with what is not submitted, the right classes, and each kind of wrong part right."""
    parts, is_right, kind_of_part = statistics.true_parts, statistics.is_right, statistics.outcomes.kind
    has_no_class = np.array([name is None for name in statistics.predicted_classes], dtype=bool)
    part_frame = parts.human_frame[parts.part_human]
    in_missing_frame = ~statistics.predicted.has_frame[part_frame]
    no_part = np.zeros(len(part_frame), dtype=bool)
    costs = {
        "not_submitted": _score_if(statistics, is_right | has_no_class, in_missing_frame, all_frames=True),
        "action_class": _score_if(statistics, np.ones_like(is_right), no_part),
    }
    for key, kind in _KIND_OF_ERROR.items():
        # A frame that is missing lacks its humans, too.
        all_frames = kind == part_state.NO_HUMAN
        costs[key] = _score_if(statistics, is_right, kind_of_part == kind, all_frames=all_frames)
    return costs


def _score_if(
    statistics: VideoStatistics, is_right: Bools, is_corrected: Bools, all_frames: bool = False
) -> float:
    """Return the score with other right classes and some parts corrected.

    Parameters
    ----------
    statistics : VideoStatistics
    is_right : bool array of shape (n_videos,)
        The videos that would have the right class.
    is_corrected : bool array of shape (n_parts,)
        The parts that would be correct.
    all_frames : bool
        Whether missing frames would be submitted.
    """
    protocol, correctness = statistics.protocol, statistics.correctness
    if is_corrected.any() or all_frames:
        outcomes = statistics.outcomes.corrected(is_corrected)
        lacks_frame = statistics.predicted.lacks_frame & (not all_frames)
        correctness = _summarize(statistics.true_parts, outcomes, lacks_frame, protocol)
    _, rounded = protocol.area(correctness, is_right)
    return rounded


def _summarize(
    parts: PartStates, outcomes: PartOutcomes, lacks_frame: Bools, protocol: Protocol
) -> VideoCorrectness:
    """Return the correctness of the videos, from what became of their parts."""
    n_videos, n_frames = len(parts.videos), len(parts.frames)
    scores = part_state.frame_means(outcomes.correctness, parts.part_human, parts.human_frame, n_frames)
    if protocol.missing_frame_is_wrong:
        n_humans = np.bincount(parts.human_frame, minlength=n_frames)
        scores[np.isnan(scores) & (n_humans > 0) & lacks_frame] = 0.0
    psc = part_state.part_state_correctness(scores, parts.frame_video, n_videos)
    return VideoCorrectness(scores, psc, protocol.points_passed(psc, outcomes, parts))


def find_true_frames(true_parts: PartStates, predicted_parts: PartStates) -> Ints:
    """Return the number of the annotated frame of each predicted one, -1 where there is none."""
    numbers_of_video = {}
    next_numbers = count()
    for video, frames in frames_of_videos(true_parts).items():
        numbers_of_video[video] = dict(zip(frames, next_numbers))
    true_frames: list[int] = []
    for video, frames in frames_of_videos(predicted_parts).items():
        numbers = numbers_of_video.get(video, {})
        true_frames += [numbers.get(frame, -1) for frame in frames]
    return np.array(true_frames, dtype=np.int64)


def align(true_parts: PartStates, predicted_parts: PartStates, true_frame: Ints) -> AlignedPrediction:
    """Return the predictions for annotated frames in the order and numbering of the reference.

    ``true_frame`` (n_predicted_frames,) is what `find_true_frames` returns.
    """
    predicted_frame = np.full(len(true_parts.frames), -1)
    is_annotated = true_frame >= 0
    predicted_frame[true_frame[is_annotated]] = np.flatnonzero(is_annotated)
    # Most submissions have the frames of the reference in their order: nothing is copied.
    if is_annotated.all() and (np.diff(true_frame) > 0).all():
        parts = predicted_parts._replace(human_frame=true_frame[predicted_parts.human_frame])
    else:
        parts = take_frames(predicted_parts, predicted_frame)
    proposals = part_state.Proposals(
        part_human=parts.part_human,
        part_name=translate(parts.names, true_parts.names)[parts.part_name],
        part=parts.proposal_part,
        box=parts.proposal_box,
        state=translate(parts.states, true_parts.states)[parts.proposal_state],
    )
    has_frame = predicted_frame >= 0
    predicted_videos = set(predicted_parts.videos)
    has_video = np.array([video in predicted_videos for video in true_parts.videos], dtype=bool)
    return AlignedPrediction(
        human_frame=parts.human_frame,
        human_box=parts.human_box,
        proposals=proposals,
        has_frame=has_frame,
        lacks_frame=~has_frame & has_video[true_parts.frame_video],
    )


def translate(predicted_words: Sequence[str], true_words: Sequence[str]) -> Ints:
    """Return for each predicted word its place in the words of the reference, -1 where it is not there."""
    number_of_word = {word: number for number, word in enumerate(true_words)}
    return np.array([number_of_word.get(word, -1) for word in predicted_words], dtype=np.int64)
