"""Some videos of ActivityNet-Entities."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from scoring_program.challenges.anet_entities.reference import Reference, select_videos
from validator.formats.anet_entities.read import Grounding


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some videos."""
    return select_videos(reference, items)


def select_predictions(submission: Grounding, items: Collection[str]) -> Grounding:
    """Return the segments of some videos: those of others would count in averages per sentence."""
    is_selected = np.array([video in items for video, _ in submission.segments], dtype=bool)
    is_theirs = is_selected[submission.segment]
    new_segment = np.cumsum(is_selected) - 1
    return replace(
        submission,
        segments=[segment for segment in submission.segments if segment[0] in items],
        segment=new_segment[submission.segment[is_theirs]],
        label=submission.label[is_theirs],
        index=submission.index[is_theirs],
        box=submission.box[is_theirs],
    )
