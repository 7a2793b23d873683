"""Kinetics-TPS: from two JSON files on each side to the accuracy conditioned on Part State Correctness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.challenge import Program, Settings
from scoring_program.challenges.kinetics_tps.joining import Joined, join
from scoring_program.metrics import part_state, resampling
from scoring_program.metrics.arrays import Bools, Floats, Ints
from scoring_program.prepared import load_prepared, save_prepared
from scoring_program.result import Statistics
from validator.check import check_submission
from validator.findings import Findings, counted
from validator.formats.kinetics_tps import (
    REFERENCE_SCHEMA,
    KineticsSubmission,
    PartStates,
    read_classes,
    read_parts,
)
from validator.json_files import JsonForm
from validator.rules import load_rules

CLASSES_FILE = "gt_vid_result.json"
PARTS_FILE = "gt_part_result.json"
PREPARED_FILE = "reference.npz"
_SHOWN_PSC = (0.0, 0.25, 0.5)


@dataclass(frozen=True)
class Reference:
    """Ground truth; ``classes`` has the class of each video of ``parts.videos``."""

    classes: list[str]
    parts: PartStates


@dataclass(frozen=True)
class Protocol:
    """What the two protocols do differently.

    Attributes
    ----------
    match : callable
        Matches ground-truth humans to predicted ones, as `part_state.match_best` does.
    inclusive : bool
        Whether an IoU of a part, or a PSC, of exactly the threshold suffices.
    missing_frame_is_wrong : bool
        Whether a frame with humans and without parts counts, with 0, where the submission does not have it.
    """

    match: Callable[..., Ints]
    inclusive: bool
    missing_frame_is_wrong: bool


PROTOCOLS = {
    "published": Protocol(part_state.match_best, inclusive=False, missing_frame_is_wrong=False),
    "released": Protocol(part_state.match_assigned, inclusive=True, missing_frame_is_wrong=True),
}


@dataclass(frozen=True)
class Videos:
    """The scores of the parts, summed up for each video.

    Attributes
    ----------
    frame_scores : float64 array of shape (n_frames,)
        Mean correctness of the parts, NaN for a frame that does not count.
    psc : float64 array of shape (n_videos,)
    passed : int64 array of shape (n_videos,)
        Number of points of the grid that the PSC passes.
    """

    frame_scores: Floats
    psc: Floats
    passed: Ints


@dataclass(frozen=True)
class VideoStatistics(Statistics):
    """The statistics of each video, and what they came from.

    Attributes
    ----------
    right : bool array of shape (n_videos,)
        Which videos have the right class; here and below videos are in the order of the reference files.
    areas : float64 array of shape (n_videos,)
        What each video adds to the area under the conditioned accuracy, times the number of videos.
    order : int array of shape (n_videos,)
        The videos in the order of the items.
    """

    right: Bools
    areas: Floats
    order: Ints
    videos: Videos
    outcomes: part_state.PartOutcomes
    parts: PartStates
    joined: Joined
    protocol: Protocol


class KineticsTPS(Program[Reference, KineticsSubmission, VideoStatistics]):
    """The program of Kinetics-TPS."""

    reference_files = (CLASSES_FILE, PARTS_FILE, PREPARED_FILE)

    def load_reference(self, folder: Path, settings: Settings, findings: Findings) -> Reference | None:
        """Read the organizers' two JSON files, or what `prepare_reference` made of them."""
        return _load_reference(folder, findings)

    def prepare_reference(
        self, source: Path, output: Path, settings: Settings, options: Mapping[str, Any], findings: Findings
    ) -> bool:
        """Check the organizers' files and write them as arrays, which load fast."""
        reference = _load_reference(source, findings)
        if reference is not None:
            _save_prepared(reference, output / PREPARED_FILE)
            videos, frames = len(reference.parts.videos), len(reference.parts.frames)
            findings.note(
                "N-REF-PREPARED", f"prepared {counted(videos, 'video')} with {counted(frames, 'frame')}"
            )
        return True

    def read_submission(
        self, path: Path, reference: Reference, findings: Findings
    ) -> KineticsSubmission | None:
        """Check and read both JSON files."""
        return check_submission(path, load_rules("kinetics_tps"), findings)  # type: ignore[no-any-return]

    def measure(
        self, reference: Reference, submission: KineticsSubmission, settings: Settings
    ) -> VideoStatistics:
        """Match humans, judge the parts, and summarize them for each video."""
        protocol = PROTOCOLS[settings["protocol"]]
        ground_truth = reference.parts
        joined = join(ground_truth, submission.parts)
        boxes = ground_truth.human_box, ground_truth.human_frame, joined.human_box, joined.human_frame
        matched = protocol.match(*boxes, settings["human_iou"])
        outcomes = part_state.judge_parts(
            matched[ground_truth.part_human],
            part_state.Parts(ground_truth.part_name, ground_truth.proposal_box, ground_truth.proposal_state),
            joined.proposals,
            settings["part_iou"],
            protocol.inclusive,
        )
        videos = _videos(ground_truth, outcomes, joined.has_frame, protocol)
        classes = zip(ground_truth.videos, reference.classes)
        right = np.array([submission.classes.get(video) == name for video, name in classes], dtype=bool)
        areas = _areas(videos, right, protocol)
        names = ground_truth.videos
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        submitted = np.array([video in submission.classes for video in names], dtype=bool)
        submitted[ground_truth.frame_video[joined.has_frame]] = True
        items, item_scores = sorted(names), np.where(submitted, areas, np.nan)[order]
        return VideoStatistics(
            items,
            item_scores,
            joined.notes,
            right,
            areas,
            order,
            videos,
            outcomes,
            ground_truth,
            joined,
            protocol,
        )

    def reduce(self, statistics: VideoStatistics, weights: Floats) -> Floats:
        """Return the area under the conditioned accuracy, not rounded."""
        return resampling.weighted_mean(statistics.areas[statistics.order], weights)

    def scores(self, statistics: VideoStatistics) -> dict[str, float]:
        """Return the area under the conditioned accuracy and what goes with it."""
        videos, right, has_frame = statistics.videos, statistics.right, statistics.joined.has_frame
        exact, rounded = _area(videos, right, statistics.protocol)
        above = _accuracy(statistics, [round(psc * part_state.GRID) for psc in _SHOWN_PSC])
        return {
            "score": rounded,
            "coverage": float(has_frame.mean()) if len(has_frame) else 1.0,
            "average_video_accuracy": rounded,
            "average_video_accuracy_exact": exact,
            "mean_psc": float(videos.psc.mean()),
            "top1_accuracy": float(right.mean()),
            **dict(zip(("accuracy_psc_0", "accuracy_psc_25", "accuracy_psc_50"), above)),
        }

    def losses(self, statistics: VideoStatistics) -> dict[str, float]:
        """Return the score with the right classes, and with each kind of wrong part made right."""
        outcomes, has_frame = statistics.outcomes, statistics.joined.has_frame
        scores = {
            "action_class": _area(statistics.videos, np.ones_like(statistics.right), statistics.protocol)[1]
        }
        for fix, kind in _FIXED_KINDS.items():
            chosen = outcomes.kind == kind
            submitted = np.ones_like(has_frame) if kind == part_state.NO_HUMAN else has_frame
            videos = _videos(statistics.parts, outcomes.corrected(chosen), submitted, statistics.protocol)
            scores[fix] = _area(videos, statistics.right, statistics.protocol)[1]
        return scores


_FIXED_KINDS = {
    "humans": part_state.NO_HUMAN,
    "boxes_missing": part_state.NO_BOX,
    "boxes_far": part_state.TOO_FAR,
    "states": part_state.WRONG_STATE,
    "extra_proposals": part_state.CORRECT,
}


def accuracy_curve(statistics: VideoStatistics, step: int) -> list[float]:
    """Return the share of the videos with the right class and a passed threshold, at each ``step`` of the
    grid."""
    return _accuracy(statistics, range(0, part_state.GRID + 1, step))


def _videos(
    ground_truth: PartStates, outcomes: part_state.PartOutcomes, has_frame: Bools, protocol: Protocol
) -> Videos:
    n_videos, n_frames = len(ground_truth.videos), len(ground_truth.frames)
    frame_scores = part_state.frame_means(
        outcomes.correctness, ground_truth.part_human, ground_truth.human_frame, n_frames
    )
    if protocol.missing_frame_is_wrong:
        humans = np.bincount(ground_truth.human_frame, minlength=n_frames)
        frame_scores[np.isnan(frame_scores) & (humans > 0) & ~has_frame] = 0.0
    psc = part_state.part_state_correctness(frame_scores, ground_truth.frame_video, n_videos)
    if protocol.inclusive:
        passed = part_state.released_points_reached(psc)
    else:
        part_frame = ground_truth.human_frame[ground_truth.part_human]
        passed = part_state.grid_points_passed(psc, outcomes, part_frame, ground_truth.frame_video)
    return Videos(frame_scores, psc, passed)


def _areas(videos: Videos, right: Bools, protocol: Protocol) -> Floats:
    """Return what each video adds to the area, times the number of videos."""
    if protocol.inclusive:
        return np.where(right, videos.passed / part_state.GRID, 0.0)
    return np.where(right & (videos.passed > 0), (videos.passed - 0.5) / part_state.GRID, 0.0)


def _area(videos: Videos, right: Bools, protocol: Protocol) -> tuple[float, float]:
    """Return the area under the conditioned accuracy, and the area rounded as the protocol says."""
    if protocol.inclusive:
        area = part_state.released_area(videos.psc, right)
        return area, round(area, 6)
    exact = part_state.area_under_accuracy(videos.passed, right)
    return float(exact), part_state.round_half_up(exact, 6)


def _accuracy(statistics: VideoStatistics, points: Iterable[int]) -> list[float]:
    """Return the conditioned accuracy at points of the grid."""
    videos, right = statistics.videos, statistics.right
    if statistics.protocol.inclusive:
        return [float((right & (videos.psc >= point / part_state.GRID)).mean()) for point in points]
    return part_state.conditioned_accuracy(videos.passed, right)[list(points)].tolist()  # type: ignore[no-any-return]


def _load_reference(folder: Path, findings: Findings) -> Reference | None:
    """Read the organizers' two JSON files, or what `prepare_reference` made of them; None after a problem."""
    prepared = folder / PREPARED_FILE
    if prepared.is_file():
        return load_prepared(prepared, _from_prepared, findings)
    for name in (CLASSES_FILE, PARTS_FILE):
        if not (folder / name).is_file():
            findings.add("E-REF-NONE", "the file is missing", "put it into the reference folder", file=name)
    if not findings.ok:
        return None
    classes = read_classes((folder / CLASSES_FILE).read_bytes(), CLASSES_FILE, findings)
    parts = read_parts((folder / PARTS_FILE).read_bytes(), PARTS_FILE, JsonForm(REFERENCE_SCHEMA), findings)
    if classes is None or parts is None or not findings.ok:
        return None
    for first, second, name in ((parts.videos, classes, CLASSES_FILE), (classes, parts.videos, PARTS_FILE)):
        for video in sorted(set(first) - set(second)):
            findings.add(
                "E-REF-PAIR", f"the video {video} is missing", "both files need the same videos", file=name
            )
    if not parts.videos:
        findings.add("E-REF-NONE", "there is no video", "put the ground truth there", file=PARTS_FILE)
    return Reference([classes[video] for video in parts.videos], parts) if findings.ok else None


def _save_prepared(reference: Reference, path: Path) -> None:
    parts = reference.parts
    values = {field.name: getattr(parts, field.name) for field in fields(parts)}
    texts = {"classes": reference.classes, "videos": parts.videos, "frames": parts.frames}
    texts |= {"names": list(parts.names), "states": list(parts.states)}
    save_prepared(
        path, texts, {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    )


def _from_prepared(texts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Reference:
    names, states = ({word: number for number, word in enumerate(texts[key])} for key in ("names", "states"))
    parts = PartStates(**arrays, videos=texts["videos"], frames=texts["frames"], names=names, states=states)
    return Reference(texts["classes"], parts)


PROGRAM = KineticsTPS()
