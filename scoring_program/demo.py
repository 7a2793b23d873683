"""What all generators of synthetic data share; they are in ``challenges/<id>/demo.py`` and never go into a bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol


class Demo(Protocol):
    """What ``challenges/<id>/demo.py`` offers."""

    def write_reference(self, folder: Path, seed: int = ..., size: int = ...) -> None:
        """Write a small demo reference, times ``size``; each seed gives another."""

    def write_samples(self, reference: Path, folder: Path) -> None:
        """Write sample submissions, a folder each: ``good`` and ``weak``."""

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write ``ref/`` and ``res/`` of the real challenge's size, times ``scale``."""


def write_json(path: Path, data: object) -> None:
    """Write data as compact JSON, in a folder that is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
