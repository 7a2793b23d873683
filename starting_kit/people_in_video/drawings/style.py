"""The style sheet of drawings and timelines."""

from __future__ import annotations

from pathlib import Path


def drawings_style() -> str:
    """Return the CSS of drawings and timelines."""
    return Path(__file__).with_name("drawings.css").read_text(encoding="utf-8")
