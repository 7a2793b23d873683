"""The scores that the platform would store after a run."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Collection, Mapping
from pathlib import Path

import yaml

from organizer.runs.worker import Run

_LARGEST = 1e10


def read_scores(
    run: Run, keys: list[str], further: Collection[str] | None = ()
) -> tuple[dict[str, float], list[str]]:
    """Return the numbers that the platform would store, and warnings about all others.

    ``keys`` are the leaderboard's, ``further`` other keys that the program writes on purpose; None accepts
    all but those that differ from a column's key only in case.
    """
    warnings = []
    names = sorted(run.outputs)
    if "metadata" in {Path(name).name for name in names}:
        warnings.append("the output holds a file named metadata: the platform fails such a run")
    pages = [name for name in names if name.lower().endswith((".html", ".htm"))]
    if pages != ["detailed_results.html"]:
        warnings.append(f"the only page must be detailed_results.html; found {', '.join(pages) or 'none'}")
    if run.exit_code != 0:
        return {}, warnings
    try:
        if "scores.json" in run.outputs:
            scores = json.loads(run.outputs["scores.json"])
        else:
            scores = yaml.safe_load(io.BytesIO(run.outputs["scores.txt"]))
    except KeyError:
        return {}, [*warnings, "there is no scores file: the platform marks the submission as failed"]
    except (ValueError, yaml.YAMLError):
        return {}, [*warnings, "the scores file cannot be read: the platform marks the submission as failed"]
    if not isinstance(scores, Mapping):
        return {}, [*warnings, "the scores are not a mapping of keys to numbers"]
    stored, dropped = _storable(scores)
    for key in stored:
        close = [known for known in keys if known.lower() == key.lower()]
        if key not in keys and (close if further is None else key not in further):
            hint = f" (the column is {close[0]})" if close else ""
            dropped.append(f"{key} is not a column of the leaderboard{hint}: the platform ignores it")
    missing = [f"the column {key} gets no number" for key in keys if key not in stored]
    return stored, [*warnings, *dropped, *missing]


def _storable(scores: Mapping[str, object]) -> tuple[dict[str, float], list[str]]:
    """Return the numbers that the platform's database takes, and warnings about the others."""
    stored, warnings = {}, []
    for key, value in scores.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            warnings.append(f"{key}: {value!r} is not a finite number and would not be stored")
        elif abs(value) >= _LARGEST:
            warnings.append(f"{key}: {value!r} has too many digits and would not be stored")
        else:
            stored[key] = float(value)
    return stored, warnings
