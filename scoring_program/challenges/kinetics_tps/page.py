"""The sections of the detail page of Kinetics-TPS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring_program import result
from scoring_program.challenges.kinetics_tps.measure import VideoStatistics
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.metrics import part_state
from scoring_program.metrics.pairs import group_means
from scoring_program.result import Cell, Deferred, Groups, Line, Section, Sections, columns, full_columns
from validator.arrays import Ints
from validator.formats.kinetics_tps.read import KineticsSubmission

_BINS = 20
_CURVE_STEP = 100
_VIDEOS_SHOWN = _PAIRS_SHOWN = 500


def sections(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    return [
        _curve(statistics),
        _distribution(statistics),
        _budget(statistics),
        _class_table(statistics),
        _part_table(statistics),
        _class_confusions(statistics),
        _state_confusions(statistics),
        Deferred(lambda: _overlaps(statistics)),
    ]


def _curve(statistics: VideoStatistics) -> Section:
    thresholds = [point / part_state.GRID for point in range(0, part_state.GRID + 1, _CURVE_STEP)]
    curve = part_state.conditioned_accuracy(statistics.videos.passed, statistics.right)[::_CURVE_STEP]
    line = Line("accuracy", thresholds, curve.tolist())
    note = f"Share of the videos with the right class and PSC {statistics.protocol.sign} T. "
    note += "The area below is the score."
    title = "Accuracy conditioned on PSC"
    axes = "threshold T", "accuracy"
    return result.LineChart("conditioned_accuracy", title, note, [line], *axes, filled=True)


def _budget(statistics: VideoStatistics) -> Section:
    """Return where mean PSC is lost; the shares and mean PSC add up to 1."""
    parts, outcomes, frame_scores = statistics.parts, statistics.outcomes, statistics.videos.frame_scores
    n_videos = len(parts.videos)
    counting = ~np.isnan(frame_scores)
    frames_of_video = np.bincount(parts.frame_video[counting], minlength=n_videos)
    part_frame = parts.human_frame[parts.part_human]
    parts_of_frame = np.bincount(part_frame, minlength=len(parts.frames))
    frame_weight = 1 / np.maximum(frames_of_video[parts.frame_video], 1) / n_videos
    weight = frame_weight[part_frame] / np.maximum(parts_of_frame[part_frame], 1)
    lost = np.bincount(outcomes.kind, weight, 5)
    # Counted by the released protocol only: a missing frame with humans and without parts.
    no_parts = float(frame_weight[counting & (parts_of_frame == 0)].sum())
    diluted = float((weight * (1 - outcomes.correctness))[outcomes.kind == part_state.CORRECT].sum())
    shares = [
        ("kept (mean PSC)", float(statistics.videos.psc.mean())),
        ("no human matched", float(lost[part_state.NO_HUMAN]) + no_parts),
        ("no box", float(lost[part_state.NO_BOX])),
        ("box too far", float(lost[part_state.TOO_FAR])),
        ("wrong state", float(lost[part_state.WRONG_STATE])),
        ("diluted by extra proposals", diluted),
    ]
    note = "Shares of mean PSC, whatever the class of a video; with what is kept they add up to 1."
    return result.StackedBar("psc_budget", "Where Part State Correctness is lost", note, shares)


def _distribution(statistics: VideoStatistics) -> Section:
    section, titles = Section("psc", "Part State Correctness", "Videos by their PSC."), ("PSC", "videos")
    return result.share_histogram(section, statistics.videos.psc, _BINS, titles)


def _class_table(statistics: VideoStatistics) -> Section:
    names = sorted(set(statistics.classes))
    label = np.searchsorted(names, statistics.classes)
    psc, right, areas = statistics.videos.psc, statistics.right, statistics.areas
    support = np.bincount(label, minlength=len(names))

    def row(groups: Ints) -> list[Cell]:
        chosen = np.isin(label, groups)
        return [int(chosen.sum()), *(float(values[chosen].mean()) for values in (right, psc, areas))]

    titles = columns(text=["Class"], count=["Videos"], share=["Top-1"])
    titles += full_columns(share=["Mean PSC", "Area"])
    note = "Area: the score of the videos of this class alone."
    return Groups("classes", "Action classes", note, titles, names, support, row, 2)


def _class_confusions(statistics: VideoStatistics) -> Section:
    pairs = zip(statistics.classes, statistics.predicted)
    count = Counter((own, predicted) for own, predicted in pairs if predicted not in (None, own))
    return _pair_table("class_confusions", "Confused classes", "Videos", count)


def _state_confusions(statistics: VideoStatistics) -> Section:
    """Return the table of states that are taken for others, where the box is near enough."""
    parts, outcomes = statistics.parts, statistics.outcomes
    chosen = (outcomes.kind == part_state.WRONG_STATE) & (outcomes.near_state >= 0)
    names = list(parts.states)
    states = zip(parts.proposal_state[chosen].tolist(), outcomes.near_state[chosen].tolist())
    count = Counter((names[annotated], names[predicted]) for annotated, predicted in states)
    return _pair_table("state_confusions", "Confused states", "Parts", count)


def _pair_table(key: str, title: str, things: str, count: Counter[tuple[str, Any]]) -> Section:
    titles = columns(text=["Annotated", "Predicted"], count=[things])
    rows = [(*pair, count[pair]) for pair in sorted(count, key=lambda pair: (-count[pair], pair))]
    note = f"The most frequent first, at most {_PAIRS_SHOWN}."
    return result.Table(key, title, note, titles, rows[:_PAIRS_SHOWN])


def _part_table(statistics: VideoStatistics) -> Section:
    parts, outcomes = statistics.parts, statistics.outcomes
    n_names = len(parts.names)
    kinds = np.bincount(5 * parts.part_name + outcomes.kind, minlength=5 * n_names).reshape(-1, 5)
    proposals = np.bincount(parts.part_name, outcomes.n_proposals, n_names)
    video = parts.frame_video[parts.human_frame[parts.part_human]]
    in_video = np.zeros((n_names, len(parts.videos)), dtype=bool)
    in_video[parts.part_name, video] = True

    def row(groups: Ints) -> list[Cell]:
        count = kinds[groups].sum(axis=0)
        n = int(count.sum())
        localized = count[part_state.CORRECT] + count[part_state.WRONG_STATE]
        shares = (n - count[part_state.NO_HUMAN], localized, count[part_state.CORRECT])
        return [n, *(float(number / max(n, 1)) for number in (*shares, proposals[groups].sum()))]

    shares = ["Human matched", "Localized", "Right state"]
    titles = columns(text=["Part"], count=["Annotated"], share=shares)
    titles += full_columns(number=["Mean proposals"])
    note = "Shares of the annotated parts. Localized: a proposal overlaps enough. "
    note += "Mean proposals: of a matched human, for a part."
    support = in_video.sum(axis=1)
    return Groups("parts", "Parts", note, titles, list(parts.names), support, row, 4, True)


def worst_videos(statistics: VideoStatistics) -> Ints:
    """Return the videos in ascending order of their area, then of their PSC."""
    return np.lexsort((statistics.videos.psc, statistics.areas))


def _overlaps(statistics: VideoStatistics) -> list[Section]:
    """Return the distribution of the IoU of parts, and the table of videos with its mean."""
    parts, (nearest, iou) = statistics.parts, statistics.nearest
    compared = nearest >= 0
    note = "Annotated parts by the IoU of their nearest proposal; parts without a proposal are left out."
    section, needed = Section("part_iou", "IoU of parts", note), statistics.needed_iou[1]
    histogram = result.share_histogram(section, iou[compared], _BINS, ("IoU", "parts"), needed)
    video = parts.frame_video[parts.human_frame[parts.part_human[compared]]]
    means = group_means(iou[compared], video, len(parts.videos))
    return [histogram, _video_table(statistics, result.cells(means))]


def _video_table(statistics: VideoStatistics, mean_iou: Sequence[float | None]) -> Section:
    values = statistics.areas.tolist(), statistics.videos.psc.tolist(), mean_iou
    rows = list(zip(statistics.parts.videos, statistics.classes, statistics.predicted, *values))
    order = worst_videos(statistics)[:_VIDEOS_SHOWN].tolist()
    titles = columns(text=["Video", "Class", "Predicted"], share=["Area", "PSC", "Mean part IoU"])
    note = "Area: what the video adds to the score, 0 with the wrong class. IoU: of parts with a proposal. "
    note += f"The smallest area first, then the smallest PSC; at most {_VIDEOS_SHOWN}."
    return result.Table("videos", "Videos", note, titles, [rows[video] for video in order])
