"""Baselines beside the teams of a ranking: scores that are given, and zips that are scored with them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from organizer.files import MALFORMED
from organizer.runs.submissions import Submission, SubmissionsError
from people_in_video.comparing.standings import Baseline
from scoring_program.metrics.resampling import Range
from validator.texts import quote


class GivenBaselines(NamedTuple):
    """Baselines to show, and the signature of their scores, "" if unknown."""

    scores: Sequence[Baseline] = ()
    signature: str = ""


def read_baselines(path: Path, score_range: Range) -> GivenBaselines:
    """Return the baselines in a JSON file.

    Raises SubmissionsError if it is none, or if a score is not in the range of the task's.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        content = data if isinstance(data, dict) else {"baselines": data}
        baselines = [_baseline(entry) for entry in content["baselines"]]
    except MALFORMED as error:
        form = '[{"name": "random", "score": 0.1, "interval": [0.05, 0.15]}]'
        raise SubmissionsError(f"{path}: these are no baselines; write JSON such as {form}") from error
    lowest, highest = score_range
    for baseline in baselines:
        limit = ""
        if lowest is not None and baseline.score < lowest:
            limit = f"at least {lowest:g}"
        if highest is not None and baseline.score > highest:
            limit = f"at most {highest:g}"
        if limit:
            problem = f"{path}: the score {baseline.score:g} of {quote(baseline.name)} is impossible"
            raise SubmissionsError(f"{problem}; scores of this task are {limit}")
    return GivenBaselines(baselines, str(content.get("signature", "")))


def _baseline(entry: Mapping[str, Any]) -> Baseline:
    """Return a baseline, whose interval is in one key or in two. Raises one of `MALFORMED`."""
    score = entry["score"]
    low, high = entry.get("interval") or (entry.get("low", score), entry.get("high", score))
    numbers = (low, score, high)
    if bool in map(type, numbers) or not all(map(math.isfinite, numbers)) or low > high:
        raise ValueError("a number is not finite, or the interval is reversed")
    return Baseline(str(entry["name"]), score, low, high)


def baseline_submission(name: str, path: Path) -> Submission:
    """Return the zip of a baseline as something to be scored."""
    return Submission(name=f"baseline {name}", team=name, date="", source=path)
