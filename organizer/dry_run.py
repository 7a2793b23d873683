"""Trying a submission on the built program, and saying what the site would show."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

import yaml

from challenges import Challenge, load_challenge
from organizer.build import DIST, build_parts, build_program
from organizer.worker import TIMED_OUT, Run, lay_out, run_submission

_LARGEST = 1e10


def dry_run(challenge_id: str, submission: Path, reference: Path | None, folder: Path) -> int:
    """Run the built program on a submission, print what the site would show, return the program's exit code.

    Without ``reference`` the one in ``dist/<id>.zip`` is taken; the bundle is made first if it is missing.
    """
    time_limit = lay_out_built(challenge_id, reference, folder)
    challenge = load_challenge(challenge_id)
    run = run_submission(submission, challenge_id, folder / "app", time_limit)
    for line in describe(run, challenge, time_limit):
        print(line)
    return run.exit_code if run.exit_code != TIMED_OUT else 1


def lay_out_built(challenge_id: str, reference: Path | None, folder: Path) -> float:
    """Lay out the built program and its reference in ``folder/app``; return the platform's time limit in seconds.

    Without ``reference`` the one in ``dist/<id>.zip`` is taken; the bundle's parts are made first if it is missing.
    """
    program, built_reference, time_limit = _built(challenge_id)
    lay_out(program, reference or built_reference, folder / "app")
    return time_limit


def _built(challenge_id: str) -> tuple[bytes, bytes, float]:
    path = DIST / f"{challenge_id}.zip"
    if not path.is_file():
        parts = build_parts(challenge_id, None)
        return parts.program, parts.reference, 600.0
    with zipfile.ZipFile(path) as bundle:
        phase = yaml.safe_load(bundle.read("competition.yaml"))["phases"][0]
        program, reference = (
            bundle.read(f"{challenge_id}_program.zip"),
            bundle.read(f"{challenge_id}_reference.zip"),
        )
    if program != build_program(challenge_id):
        place = f"{DIST.name}/{path.name}"
        print(f"warning | the program in {place} differs from this repository's; make bundle builds it anew")
    return program, reference, float(phase.get("execution_time_limit", 600))


def describe(run: Run, challenge: Challenge, time_limit: float) -> list[str]:
    """Return the lines that tell an organizer what happened in a run."""
    lines = [f"ran {run.how}"]
    end = f"stopped at the time limit of {time_limit:g} s" if run.exit_code == TIMED_OUT else f"exit {run.exit_code}"
    peak = f", peak memory {run.peak_mb:.0f} MB" if run.peak_mb else ""
    lines.append(f"{end}, {run.seconds:.2f} s{peak}")
    for name, text in (("stdout", run.stdout), ("stderr", run.stderr)):
        lines += [f"{name} | {line}" for line in text.splitlines()]
    keys = [column.key for column in challenge.columns if column.leaderboard]
    further = {column.key for column in challenge.columns if not column.leaderboard}
    scores, warnings = read_scores(run, keys, further)
    if run.exit_code == 0 and scores:
        shown = [
            (c.title, c.precision, scores[c.key]) for c in challenge.columns if c.key in keys and c.key in scores
        ]
        lines.append("leaderboard row | " + " | ".join(f"{title} {value:.{p}f}" for title, p, value in shown))
    elif run.exit_code != 0:
        lines.append("leaderboard row | none: the site marks the submission as failed")
    lines += [f"warning | {warning}" for warning in warnings]
    lines.append(f"detail page | {run.folder / 'output' / 'detailed_results.html'}")
    return lines


def read_scores(run: Run, keys: list[str], further: Collection[str] = ()) -> tuple[dict[str, float], list[str]]:
    """Return the numbers that the platform would store, and warnings about what it would not.

    ``keys`` are the leaderboard's; ``further`` are those that the program writes beside them on purpose.
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
            found = json.loads(run.outputs["scores.json"])
        else:
            found = yaml.safe_load(io.BytesIO(run.outputs["scores.txt"]))
    except KeyError:
        return {}, [*warnings, "there is no scores file: the platform marks the submission as failed"]
    except ValueError:
        return {}, [*warnings, "the scores file cannot be read: the platform marks the submission as failed"]
    if not isinstance(found, Mapping):
        return {}, [*warnings, "the scores are not a mapping of keys to numbers"]
    stored = {}
    for key, value in found.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            warnings.append(f"{key}: {value!r} is not a finite number and would not be stored")
        elif abs(value) >= _LARGEST:
            warnings.append(f"{key}: {value!r} has too many digits and would not be stored")
        else:
            stored[key] = float(value)
            if key not in keys and key not in further:
                close = [known for known in keys if re.fullmatch(re.escape(known), key, re.IGNORECASE)]
                hint = f" (the column is {close[0]})" if close else ""
                warnings.append(f"{key} is not a column of the leaderboard{hint}: the platform ignores it")
    beside = [key for key in stored if key in further]
    if beside:
        warnings.append(f"not columns of the leaderboard, so the platform ignores them: {', '.join(beside)}")
    warnings += [f"the column {key} gets no number" for key in keys if key not in stored]
    return stored, warnings
