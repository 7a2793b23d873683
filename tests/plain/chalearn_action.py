"""The scores of actions, from pages/chalearn_action.md: those of gestures, but for the actors under ``released``."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.plain.chalearn_gesture import Comparison


def scores(reference: Path, submission: Path, protocol: str, **settings: Any) -> dict[str, Fraction]:
    """Return all columns of a submission."""
    return Comparison(reference, submission, protocol, with_actors=protocol == "released").columns()
