"""The sections of the detail page of Kinetics-TPS."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from scoring_program.challenges.kinetics_tps.program import Reference, VideoStatistics, accuracy_curve
from scoring_program.metrics import part_state
from scoring_program.metrics.arrays import Bools, Ints
from scoring_program.result import (
    Cell,
    Column,
    Groups,
    Histogram,
    Line,
    LineChart,
    Section,
    StackedBar,
    Table,
)
from validator.formats.kinetics_tps import KineticsSubmission

_BINS = 20
_CURVE_STEP = 100
_VIDEOS_SHOWN = 500


def sections(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> list[Section]:
    """Return all sections, the aggregates first."""
    return [
        _curve(statistics),
        _distribution(statistics),
        _budget(statistics),
        _class_table(reference, submission, statistics),
        _part_table(statistics),
        _class_confusions(reference, submission, statistics),
        _state_confusions(submission, statistics),
        _video_table(reference, submission, statistics),
    ]


def _curve(statistics: VideoStatistics) -> Section:
    curve = accuracy_curve(statistics, _CURVE_STEP)
    points = [place * _CURVE_STEP / part_state.GRID for place in range(len(curve))]
    sign = "≥" if statistics.protocol.inclusive else ">"
    note = f"Share of the videos with the right class and PSC {sign} T. The area below is the score."
    # A step tells the PSC of the videos that fall out there.
    fallen = statistics.right.sum() - np.rint(np.array(curve) * len(statistics.right)).astype(np.int64)
    return LineChart(
        "conditioned_accuracy", "Accuracy conditioned on PSC", note, [Line("accuracy", points, curve)], "threshold T",
        "accuracy", filled=True, support=fallen[None],
    )  # fmt: skip


def _budget(statistics: VideoStatistics) -> Section:
    """Return where mean PSC is lost; the shares and mean PSC add up to 1."""
    truth, outcomes, frame_scores = statistics.parts, statistics.outcomes, statistics.videos.frame_scores
    n_videos = len(truth.videos)
    counting = ~np.isnan(frame_scores)
    frames_of_video = np.bincount(truth.frame_video[counting], minlength=n_videos)
    part_frame = truth.human_frame[truth.part_human]
    parts_of_frame = np.bincount(part_frame, minlength=len(truth.frames))
    frame_weight = 1 / np.maximum(frames_of_video[truth.frame_video], 1) / n_videos
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
    return StackedBar("psc_budget", "Where Part State Correctness is lost", note, shares)


def _with_frames(statistics: VideoStatistics) -> Bools:
    """Return which videos have at least one of their frames in the submission."""
    truth = statistics.parts
    return np.bincount(truth.frame_video[statistics.joined.has_frame], minlength=len(truth.videos)) > 0


def _distribution(statistics: VideoStatistics) -> Section:
    edges = np.linspace(0, 1, _BINS + 1)
    place = np.clip(np.searchsorted(edges, statistics.videos.psc, "right") - 1, 0, _BINS - 1)
    counts = np.bincount(place, minlength=_BINS)
    submitted = np.bincount(place[_with_frames(statistics)], minlength=_BINS)
    return Histogram(
        "psc", "Part State Correctness", "Videos by their PSC.", edges.tolist(), counts.tolist(),
        np.stack([counts, submitted], axis=1), "PSC", "videos",
    )  # fmt: skip


def _class_table(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> Section:
    names = sorted(set(reference.classes))
    number = {name: place for place, name in enumerate(names)}
    label = np.array([number[name] for name in reference.classes], dtype=np.int64)
    psc, right, areas = statistics.videos.psc, statistics.right, statistics.areas
    named = np.zeros(len(names), np.int64)
    for video in reference.parts.videos:
        place = number.get(submission.classes.get(video, ""))
        if place is not None:
            named[place] += 1
    with_frames = np.bincount(label[_with_frames(statistics)], minlength=len(names))
    # A row needs videos that have this class, and enough that the submission says something about.
    support = np.stack([np.bincount(label, minlength=len(names)), np.minimum(named, with_frames)], axis=1)

    def row(groups: Ints) -> list[Cell]:
        own = np.isin(label, groups)
        return [int(own.sum()), *(float(values[own].mean()) for values in (right, psc, areas))]

    columns = [Column("Class"), Column("Videos", "count"), Column("Top-1", "share")]
    columns += [Column("Mean PSC", "share"), Column("Area", "share")]
    note = "Area: the score of the videos of this class alone."
    return Groups("classes", "Action classes", note, columns, names, support, row, 4)


def _class_confusions(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> Section:
    named = set(submission.classes.values())
    found = Counter(
        (name, submission.classes[video])
        for video, name, right in zip(reference.parts.videos, reference.classes, statistics.right.tolist())
        if not right and video in submission.classes and name in named
    )
    pairs = sorted(found, key=lambda pair: (-found[pair], pair))
    counts = np.array([found[pair] for pair in pairs], dtype=np.int64)
    return _pair_table("class_confusions", "Confused classes", pairs, counts)


def _state_confusions(submission: KineticsSubmission, statistics: VideoStatistics) -> Section:
    """Return the table of states that are taken for others, where the box is near enough.

    States that the submission never names stay unnamed. Videos are counted and not parts: how many parts of a video
    are predicted is the submission's choice.
    """
    truth, outcomes = statistics.parts, statistics.outcomes
    named = np.array([state in submission.parts.states for state in truth.states], dtype=bool)
    chosen = np.flatnonzero((outcomes.kind == part_state.WRONG_STATE) & (outcomes.near_state >= 0))
    chosen = chosen[named[truth.proposal_state[chosen]]]
    n_states = len(truth.states)
    pair = truth.proposal_state[chosen].astype(np.int64) * n_states + outcomes.near_state[chosen]
    video = truth.frame_video[truth.human_frame[truth.part_human[chosen]]]
    found = np.unique(pair)
    n_videos = len(truth.videos)
    of_pair, _ = np.divmod(np.unique(np.searchsorted(found, pair) * n_videos + video), max(n_videos, 1))
    videos = np.bincount(of_pair, minlength=len(found))
    order = np.argsort(-videos, kind="stable")
    names = list(truth.states)
    pairs = [(names[code // n_states], names[code % n_states]) for code in found[order].tolist()]
    table = _pair_table("state_confusions", "Confused states", pairs, videos[order])
    return replace(table, overlapping=True)


def _pair_table(key: str, title: str, pairs: list[tuple[str, str]], counts: Ints) -> Groups:
    def row(groups: Ints) -> list[Cell]:
        predicted = pairs[int(groups[0])][1] if len(groups) == 1 else None
        return [predicted, int(counts[groups].sum())]

    columns = [Column("Annotated"), Column("Predicted"), Column("Videos", "count")]
    note = "The most frequent first."
    return Groups(key, title, note, columns, [first for first, _ in pairs], np.stack([counts] * 2, axis=1), row)


def _part_table(statistics: VideoStatistics) -> Section:
    truth, outcomes = statistics.parts, statistics.outcomes
    n_names, n_videos = len(truth.names), len(truth.videos)
    kinds = np.bincount(5 * truth.part_name + outcomes.kind, minlength=5 * n_names).reshape(-1, 5)
    some = outcomes.n_proposals > 0
    proposals = np.bincount(truth.part_name[some], outcomes.n_proposals[some], n_names)
    with_proposals = np.bincount(truth.part_name[some], minlength=n_names)
    video = truth.frame_video[truth.human_frame[truth.part_human]]
    in_video = truth.part_name * np.int64(n_videos) + video
    support = [
        np.bincount(np.unique(in_video[chosen]) // n_videos, minlength=n_names) for chosen in (slice(None), some)
    ]

    def row(groups: Ints) -> list[Cell]:
        count = kinds[groups].sum(axis=0)
        n = int(count.sum())
        localized = count[part_state.CORRECT] + count[part_state.WRONG_STATE]
        shares = (n - count[part_state.NO_HUMAN], localized, count[part_state.CORRECT])
        mean = float(proposals[groups].sum() / max(with_proposals[groups].sum(), 1))
        return [n, *(float(number / max(n, 1)) for number in shares), mean]

    columns = [Column("Part"), Column("Annotated", "count"), Column("Human matched", "share")]
    columns += [Column("Localized", "share"), Column("Right state", "share"), Column("Mean proposals", "number")]
    note = (
        "Shares of the annotated parts. Localized: a proposal overlaps enough. "
        "Mean proposals: over the parts that have any."
    )
    return Groups("parts", "Parts", note, columns, list(truth.names), np.stack(support, axis=1), row, 4, True)


def _video_table(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> Section:
    videos, psc = reference.parts.videos, statistics.videos.psc
    order = np.argsort(psc + statistics.right, kind="stable")[:_VIDEOS_SHOWN]
    rows = [
        (videos[i], reference.classes[i], submission.classes.get(videos[i]), float(psc[i])) for i in order.tolist()
    ]
    columns = [Column("Video"), Column("Class"), Column("Predicted"), Column("PSC", "share")]
    return Table("videos", "Videos", f"The worst first, at most {_VIDEOS_SHOWN}.", columns, rows)
