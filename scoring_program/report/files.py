"""Writing the outputs, each one whole or not at all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

from validator.console import OutputError

DECIMALS = 10
SCORES_TXT = "scores.txt"
SCORES_JSON = "scores.json"
DETAIL_HTML = "detailed_results.html"
PER_ITEM = "per_item.csv"
DETAIL_JSON = "detailed_results.json"


def write_atomic(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 so that a reader sees the old file or the new one, never a part.

    Raises OutputError if that cannot be done.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with _told(f"{path.name} cannot be written"):
        try:
            temporary.write_bytes(text.encode("utf-8", "replace"))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make the folder for the outputs, and remove the scores of an earlier run. Raises OutputError."""
    with _told("the output folder cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    remove_scores(folder)


def remove_scores(folder: Path) -> None:
    """Remove the scores of an earlier run, so that a failed run leaves none. Raises OutputError."""
    for name in (SCORES_TXT, SCORES_JSON, DETAIL_JSON, PER_ITEM):
        with _told(f"an earlier {name} cannot be removed"):
            (folder / name).unlink(missing_ok=True)


@contextmanager
def _told(problem: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{problem} ({error.strerror})") from None


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
