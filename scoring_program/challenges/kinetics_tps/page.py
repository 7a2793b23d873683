"""The sections of the detail page of Kinetics-TPS."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from scoring_program import result
from scoring_program.challenges.kinetics_tps.measure import VideoStatistics
from scoring_program.challenges.kinetics_tps.read import Reference
from scoring_program.metrics import part_state
from scoring_program.result import Cell, Groups, Line, Section, Sections, columns
from validator.arrays import Bools, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission

_BINS = 20
_CURVE_STEP = 100
_VIDEOS_SHOWN = 500


def sections(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    return [
        _curve(statistics),
        _distribution(statistics),
        _budget(statistics),
        _class_table(statistics),
        _part_table(statistics),
        _class_confusions(set(submission.classes.values()), statistics),
        _state_confusions(submission, statistics),
        _video_table(statistics),
    ]


def _curve(statistics: VideoStatistics) -> Section:
    protocol, points = statistics.protocol, range(0, part_state.GRID + 1, _CURVE_STEP)
    curve = protocol.accuracy(statistics.videos, statistics.right, points)
    line = Line("accuracy", [point / part_state.GRID for point in points], curve)
    note = f"Share of the videos with the right class and PSC {protocol.sign} T. "
    note += "The area below is the score; at detail: summary the line falls in steps of at least five videos."
    # A step reveals the PSC of the videos that drop out there.
    fallen = statistics.right.sum() - np.rint(np.array(curve) * len(statistics.right)).astype(np.int64)
    return result.LineChart(
        "conditioned_accuracy", "Accuracy conditioned on PSC", note, [line], "threshold T", "accuracy",
        filled=True, support=fallen[None], from_total=True,
    )  # fmt: skip


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


def _with_frames(statistics: VideoStatistics) -> Bools:
    """Return which videos have at least one of their frames in the submission."""
    parts = statistics.parts
    return np.bincount(parts.frame_video[statistics.joined.has_frame], minlength=len(parts.videos)) > 0


def _distribution(statistics: VideoStatistics) -> Section:
    section, titles = Section("psc", "Part State Correctness", "Videos by their PSC."), ("PSC", "videos")
    with_frames = _with_frames(statistics)
    return result.share_histogram(section, statistics.videos.psc, with_frames, _BINS, titles)


def _class_table(statistics: VideoStatistics) -> Section:
    names = sorted(set(statistics.classes))
    label = np.searchsorted(names, statistics.classes)
    psc, right, areas = statistics.videos.psc, statistics.right, statistics.areas
    predicted = Counter(statistics.predicted)
    named = np.array([predicted[name] for name in names], dtype=np.int64)
    with_frames = np.bincount(label[_with_frames(statistics)], minlength=len(names))
    # A row needs videos that have this class, and enough that the submission says something about.
    support = np.stack([np.bincount(label, minlength=len(names)), np.minimum(named, with_frames)], axis=1)

    def row(groups: Ints) -> list[Cell]:
        chosen = np.isin(label, groups)
        return [int(chosen.sum()), *(float(values[chosen].mean()) for values in (right, psc, areas))]

    titles = columns(text=["Class"], count=["Videos"], share=["Top-1", "Mean PSC", "Area"])
    note = "Area: the score of the videos of this class alone."
    return Groups("classes", "Action classes", note, titles, names, support, row, 4)


def _class_confusions(named: set[str], statistics: VideoStatistics) -> Section:
    """Return the table of videos of a class that the submission names, but not for them."""
    count = Counter(
        (annotated, predicted)
        for annotated, predicted in zip(statistics.classes, statistics.predicted)
        if predicted not in (None, annotated) and annotated in named
    )
    pairs = sorted(count, key=lambda pair: (-count[pair], pair))
    counts = np.array([count[pair] for pair in pairs], dtype=np.int64)
    return _pair_table("class_confusions", "Confused classes", pairs, counts)


def _state_confusions(submission: KineticsSubmission, statistics: VideoStatistics) -> Section:
    """Return the table of states that are taken for others, where the box is near enough.

    States that the submission never names stay unnamed. Videos are counted instead of parts, because the
    submission chooses how many parts of a video it predicts.
    """
    parts, outcomes = statistics.parts, statistics.outcomes
    named = np.array([state in submission.parts.states for state in parts.states], dtype=bool)
    chosen = np.flatnonzero((outcomes.kind == part_state.WRONG_STATE) & (outcomes.near_state >= 0))
    chosen = chosen[named[parts.proposal_state[chosen]]]
    video = parts.frame_video[parts.human_frame[parts.part_human[chosen]]]
    confused = np.stack([parts.proposal_state[chosen], outcomes.near_state[chosen], video])
    states, videos = np.unique(np.unique(confused, axis=1)[:2], axis=1, return_counts=True)
    order = np.argsort(-videos, kind="stable")
    names = list(parts.states)
    pairs = [(names[annotated], names[predicted]) for annotated, predicted in states[:, order].T.tolist()]
    table = _pair_table("state_confusions", "Confused states", pairs, videos[order])
    return replace(table, overlapping=True)


def _pair_table(key: str, title: str, pairs: list[tuple[str, str]], counts: Ints) -> Groups:
    def row(groups: Ints) -> list[Cell]:
        predicted = pairs[int(groups[0])][1] if len(groups) == 1 else None
        return [predicted, int(counts[groups].sum())]

    titles = columns(text=["Annotated", "Predicted"], count=["Videos"])
    names, support = [first for first, _ in pairs], np.stack([counts] * 2, axis=1)
    return Groups(key, title, "The most frequent first.", titles, names, support, row)


def _part_table(statistics: VideoStatistics) -> Section:
    parts, outcomes = statistics.parts, statistics.outcomes
    n_names = len(parts.names)
    kinds = np.bincount(5 * parts.part_name + outcomes.kind, minlength=5 * n_names).reshape(-1, 5)
    some = outcomes.n_proposals > 0
    proposals = np.bincount(parts.part_name[some], outcomes.n_proposals[some], n_names)
    with_proposals = np.bincount(parts.part_name[some], minlength=n_names)
    video = parts.frame_video[parts.human_frame[parts.part_human]]
    in_video = np.zeros((2, n_names, len(parts.videos)), dtype=bool)
    in_video[0, parts.part_name, video] = in_video[1, parts.part_name[some], video[some]] = True
    support = in_video.sum(axis=2).T

    def row(groups: Ints) -> list[Cell]:
        count = kinds[groups].sum(axis=0)
        n = int(count.sum())
        localized = count[part_state.CORRECT] + count[part_state.WRONG_STATE]
        shares = (n - count[part_state.NO_HUMAN], localized, count[part_state.CORRECT])
        mean = float(proposals[groups].sum() / max(with_proposals[groups].sum(), 1))
        return [n, *(float(number / max(n, 1)) for number in shares), mean]

    shares = ["Human matched", "Localized", "Right state"]
    titles = columns(text=["Part"], count=["Annotated"], share=shares, number=["Mean proposals"])
    note = "Shares of the annotated parts. Localized: a proposal overlaps enough. "
    note += "Mean proposals: over the parts that have any."
    return Groups("parts", "Parts", note, titles, list(parts.names), support, row, 4, True)


def _video_table(statistics: VideoStatistics) -> Section:
    psc = statistics.videos.psc
    videos = zip(statistics.parts.videos, statistics.classes, statistics.predicted, psc.tolist())
    rows, order = list(videos), np.argsort(psc + statistics.right, kind="stable")[:_VIDEOS_SHOWN]
    titles = columns(text=["Video", "Class", "Predicted"], share=["PSC"])
    note = f"The worst first, at most {_VIDEOS_SHOWN}."
    return result.Table("videos", "Videos", note, titles, [rows[video] for video in order.tolist()])
