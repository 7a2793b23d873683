"""Some videos of ActivityNet-Entities."""

from __future__ import annotations

from collections.abc import Collection

from scoring_program.challenges.anet_entities.reference import Reference, select_videos
from validator.formats.anet_entities import read as submissions
from validator.formats.anet_entities.read import Grounding


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some videos."""
    return select_videos(reference, items)


def select_predictions(submission: Grounding, items: Collection[str]) -> Grounding:
    """Return the segments of some videos: those of others would count in averages per sentence."""
    return submissions.select_videos(submission, items)
