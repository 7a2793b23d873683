"""The scores of actions, from pages/chalearn_action.md: those of gestures, but for the actors under ``released``."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.plain import chalearn_gesture


def scores(reference: Path, submission: Path, protocol: str, **settings: Any) -> dict[str, Fraction]:
    """Return all columns of a submission."""
    if protocol == "published":
        return chalearn_gesture.columns(reference, submission, protocol)
    return chalearn_gesture.columns(reference, submission, protocol, n_labels=2, empty_counts=False)
