"""The sections of the detail page of Kinetics-TPS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scoring_program import result
from scoring_program.challenges.kinetics_tps.measure import VideoStatistics
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.figures.histogram import share_histogram
from scoring_program.figures.line_chart import LineChart
from scoring_program.figures.stacked_bar import StackedBar
from scoring_program.metrics import part_state
from scoring_program.metrics.group_values import group_means
from scoring_program.report.elements.lines import Line
from scoring_program.result import FULL, Cell, Deferred, GroupNumber, Groups, Section, Sections, columns
from validator.arrays import Floats, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission

_BINS = 20
_CURVE_STEP = 100
_MOST_VIDEOS = 500
_MOST_PAIRS = 500
_OPEN_PAIRS = 5


def sections(reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics) -> Sections:
    """Return all sections, the aggregates first."""
    return [
        _accuracy_curve(statistics),
        _psc_histogram(statistics),
        _psc_budget(statistics),
        _class_table(statistics),
        _part_table(statistics),
        _class_confusions(statistics),
        _state_confusions(statistics),
        Deferred(lambda: _overlap_sections(statistics)),
    ]


def _accuracy_curve(statistics: VideoStatistics) -> Section:
    """Return the chart of the accuracy conditioned on PSC, over the threshold."""
    thresholds = [point / part_state.GRID for point in range(0, part_state.GRID + 1, _CURVE_STEP)]
    points_passed = statistics.correctness.points_passed
    accuracy = part_state.conditioned_accuracy(points_passed, statistics.is_right)[::_CURVE_STEP]
    note = f"Share of the videos with the right class and PSC {statistics.protocol.sign} T. "
    note += "The area below is the score."
    return LineChart(
        key="conditioned_accuracy",
        title="Accuracy conditioned on PSC",
        note=note,
        lines=[Line("accuracy", thresholds, accuracy.tolist())],
        x_title="threshold T",
        y_title="accuracy",
        filled=True,
    )


def _psc_histogram(statistics: VideoStatistics) -> Section:
    """Return the distribution of the PSC of videos."""
    section = Section("psc", "Part State Correctness", "Videos by their PSC.")
    return share_histogram(section, statistics.correctness.psc, _BINS, ("PSC", "videos"))


def _psc_budget(statistics: VideoStatistics) -> Section:
    """Return where mean PSC is lost; the shares and mean PSC add up to 1."""
    parts, outcomes, correctness = statistics.true_parts, statistics.outcomes, statistics.correctness
    n_videos = len(parts.videos)
    is_counted = ~np.isnan(correctness.frame_scores)
    part_frame = parts.human_frame[parts.part_human]
    n_parts = np.bincount(part_frame, minlength=len(parts.frames))
    n_counted_frames = np.bincount(parts.frame_video[is_counted], minlength=n_videos)
    # What a frame, and a part, adds to mean PSC if it is correct.
    frame_weight = 1 / np.maximum(n_counted_frames[parts.frame_video], 1) / n_videos
    part_weight = frame_weight[part_frame] / np.maximum(n_parts[part_frame], 1)

    lost_of_kind = np.bincount(outcomes.kind, part_weight, part_state.N_KINDS)
    # Counted by the released protocol only: a missing frame with humans and without parts.
    lost_in_missing_frames = float(frame_weight[is_counted & (n_parts == 0)].sum())
    lost_of_part = part_weight * (1 - outcomes.correctness)
    diluted_share = lost_of_part[outcomes.kind == part_state.CORRECT].sum()
    shares = [
        ("kept (mean PSC)", float(correctness.psc.mean())),
        ("no human matched", float(lost_of_kind[part_state.NO_HUMAN]) + lost_in_missing_frames),
        ("no box", float(lost_of_kind[part_state.NO_BOX])),
        ("box too far", float(lost_of_kind[part_state.TOO_FAR])),
        ("wrong state", float(lost_of_kind[part_state.WRONG_STATE])),
        ("diluted by extra proposals", float(diluted_share)),
    ]
    note = "Shares of mean PSC, whatever the class of a video; with what is kept they add up to 1."
    return StackedBar("psc_budget", "Where Part State Correctness is lost", note, shares)


def _class_table(statistics: VideoStatistics) -> Section:
    """Return the table of action classes."""
    class_names = sorted(set(statistics.true_classes))
    class_of_video = np.searchsorted(class_names, statistics.true_classes)
    n_videos = np.bincount(class_of_video)
    return Groups(
        key="classes",
        title="Action classes",
        note="Top-1: share of the videos with the right class.",
        full_note="Area: the score of the videos of this class alone.",
        names_title="Class",
        names=class_names,
        support=n_videos,
        numbers=[
            GroupNumber("Videos", n_videos),
            GroupNumber("Top-1", np.bincount(class_of_video, statistics.is_right), n_videos),
            GroupNumber("Mean PSC", np.bincount(class_of_video, statistics.correctness.psc), n_videos, FULL),
            GroupNumber("Area", np.bincount(class_of_video, statistics.item_scores), n_videos, FULL),
        ],
        worst_first=2,
    )


def _class_confusions(statistics: VideoStatistics) -> Section:
    """Return the table of classes that are taken for others."""
    count: Counter[tuple[str, str]] = Counter()
    for true_class, predicted_class in zip(statistics.true_classes, statistics.predicted_classes):
        if predicted_class is not None and predicted_class != true_class:
            count[true_class, predicted_class] += 1
    return _confusion_table("class_confusions", "Confused classes", "Videos", count)


def _state_confusions(statistics: VideoStatistics) -> Section:
    """Return the table of states that are taken for others, where the box is near enough."""
    parts, outcomes = statistics.true_parts, statistics.outcomes
    is_confused = (outcomes.kind == part_state.WRONG_STATE) & (outcomes.near_state >= 0)
    true_states = parts.proposal_state[is_confused].tolist()
    predicted_states = outcomes.near_state[is_confused].tolist()
    count: Counter[tuple[str, str]] = Counter()
    for true_state, predicted_state in zip(true_states, predicted_states):
        count[parts.states[true_state], parts.states[predicted_state]] += 1
    return _confusion_table("state_confusions", "Confused states", "Parts", count)


def _confusion_table(key: str, title: str, counted_things: str, count: Counter[tuple[str, str]]) -> Section:
    """Return a table of pairs of an annotated and a predicted name, with how often each occurs."""
    most_frequent_first = sorted(count, key=lambda pair: (-count[pair], pair))
    return result.Table(
        key=key,
        title=title,
        note=f"The most frequent first, at most {_MOST_PAIRS}.",
        columns=columns(text=["Annotated", "Predicted"], count=[counted_things]),
        rows=[(*pair, count[pair]) for pair in most_frequent_first[:_MOST_PAIRS]],
        open_rows=_OPEN_PAIRS,
    )


def _part_table(statistics: VideoStatistics) -> Section:
    """Return the table of parts, such as heads."""
    parts, outcomes = statistics.true_parts, statistics.outcomes
    n_names = len(parts.names)
    # How often each name of a part has each outcome.
    cell = part_state.N_KINDS * parts.part_name + outcomes.kind
    cell_counts = np.bincount(cell, minlength=n_names * part_state.N_KINDS)
    kind_counts = cell_counts.reshape(n_names, part_state.N_KINDS)
    n_proposals = np.bincount(parts.part_name, outcomes.n_proposals, n_names)
    part_video = parts.frame_video[parts.human_frame[parts.part_human]]
    in_video = np.zeros((n_names, len(parts.videos)), dtype=bool)
    in_video[parts.part_name, part_video] = True
    n_parts = kind_counts.sum(axis=1)
    n_correct = kind_counts[:, part_state.CORRECT]
    n_localized = n_correct + kind_counts[:, part_state.WRONG_STATE]
    n_matched = n_parts - kind_counts[:, part_state.NO_HUMAN]
    return Groups(
        key="parts",
        title="Parts",
        note="Shares of the annotated parts. Localized: a proposal overlaps enough.",
        full_note="Proposals: how many boxes the matched human has for the part, on average.",
        names_title="Part",
        names=parts.names,
        support=in_video.sum(axis=1),
        # What is lost first, for narrow windows.
        numbers=[
            GroupNumber("Right state", n_correct, n_parts),
            GroupNumber("Localized", n_localized, n_parts),
            GroupNumber("Human matched", n_matched, n_parts),
            GroupNumber("Annotated", n_parts),
            GroupNumber("Proposals", n_proposals, n_matched, FULL, kind="number", empty=None),
        ],
        worst_first=1,
        overlapping=True,
    )


def worst_videos(statistics: VideoStatistics) -> Ints:
    """Return the videos in ascending order of their area, then of their PSC."""
    return np.lexsort((statistics.correctness.psc, statistics.item_scores))


def _overlap_sections(statistics: VideoStatistics) -> list[Section]:
    """Return the distribution of the IoU of parts, and the table of videos with its mean."""
    parts = statistics.true_parts
    nearest_proposal, iou = statistics.nearest_proposals
    has_proposal = nearest_proposal >= 0
    part_video = parts.frame_video[parts.human_frame[parts.part_human]]
    mean_iou = group_means(iou[has_proposal], part_video[has_proposal], len(parts.videos))
    return [_iou_histogram(iou[has_proposal], statistics.part_iou), _video_table(statistics, mean_iou)]


def _iou_histogram(iou: Floats, needed_iou: float) -> Section:
    """Return the distribution of the IoU of parts with a proposal."""
    note = "Annotated parts by the IoU of their nearest proposal; parts without a proposal are left out."
    section = Section("part_iou", "IoU of parts", note)
    return share_histogram(section, iou, _BINS, ("IoU", "parts"), needed_iou)


def _video_table(statistics: VideoStatistics, mean_iou: Floats) -> Section:
    """Return the table of the worst videos; ``mean_iou`` (n_videos,) is NaN for a video without proposals."""
    rows: Sequence[Sequence[Cell]] = list(
        zip(
            statistics.true_parts.videos,
            statistics.item_scores.tolist(),
            statistics.correctness.psc.tolist(),
            statistics.true_classes,
            statistics.predicted_classes,
            result.cells(mean_iou),
        )
    )
    note = "Area: what the video adds to the score, 0 with the wrong class. IoU: of parts with a proposal. "
    note += f"The smallest area first, then the smallest PSC; at most {_MOST_VIDEOS}."
    # The numbers that order the rows stand beside the names: narrow windows show them.
    titles = columns(text=["Video"], share=["Area", "PSC"])
    titles += columns(text=["Class", "Predicted"], share=["Mean part IoU"])
    return result.Table(
        key="videos",
        title="Videos",
        note=note,
        columns=titles,
        rows=[rows[video] for video in worst_videos(statistics)[:_MOST_VIDEOS].tolist()],
        item_columns=1,
    )
