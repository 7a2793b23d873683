"""What the generators of synthetic data share; ``quality/<id>/demo.py``
holds that of a task."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Protocol


def write_json(path: Path, data: object) -> None:
    """Write data as compact JSON, in a folder that is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")


class Demo(Protocol):
    """What ``quality/<id>/demo.py`` offers: synthetic data."""

    def write_reference(self, folder: Path, seed: int = ..., size: int = ...) -> None:
        """Write a small demo reference, times ``size``; each seed gives another."""

    def write_samples(self, reference: Path, folder: Path) -> None:
        """Write sample submissions, a folder each: ``good`` and ``weak``."""

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write ``ref/`` and ``res/`` of the real challenge's size, times ``scale``."""


def load_demo(challenge_id: str) -> Demo:
    """Import the generator of synthetic data of a task."""
    return importlib.import_module(f"quality.{challenge_id}.demo")  # type: ignore[return-value]
