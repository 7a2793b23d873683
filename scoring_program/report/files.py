"""Writing the outputs, each one whole or not at all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

DECIMALS = 10
SCORES_TXT = "scores.txt"
SCORES_JSON = "scores.json"
DETAIL_HTML = "detailed_results.html"
PER_ITEM = "per_item.csv"
DETAIL_JSON = "detailed_results.json"


def write_atomic(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 so that a reader sees the old file or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text.encode("utf-8", "replace"))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_scores(folder: Path) -> None:
    """Remove the scores of an earlier run, so that a failed run leaves none."""
    for name in (SCORES_TXT, SCORES_JSON, DETAIL_JSON, PER_ITEM):
        (folder / name).unlink(missing_ok=True)


def plain_number(value: float) -> str:
    """Return a finite number as a plain decimal with at most 10 decimals, without exponent.

    Raises
    ------
    ValueError
        The number is not finite, or too large for the platform (1e10).
    """
    if not math.isfinite(value) or abs(value) >= 1e10:
        raise ValueError("a score must be finite and below 1e10")
    text = f"{round(Decimal(value), DECIMALS):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0.0" if text in ("-0", "0") else text if "." in text else f"{text}.0"


def write_scores(folder: Path, scores: Mapping[str, float]) -> None:
    """Write scores.txt (``key: value`` lines) and scores.json with the same keys and numbers."""
    numbers = {key: plain_number(value) for key, value in scores.items()}
    write_atomic(folder / SCORES_TXT, "".join(f"{key}: {number}\n" for key, number in numbers.items()))
    # The JSON is put together from the same decimal texts: no second rounding can make the files differ.
    body = ",\n".join(f" {json.dumps(key)}: {number}" for key, number in numbers.items())
    write_atomic(folder / SCORES_JSON, f"{{\n{body}\n}}\n")
