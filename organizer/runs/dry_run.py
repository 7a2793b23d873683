"""Running the built program on one submission: what the platform would store and the site would show."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import yaml

from organizer import ROOT
from organizer.data.overview import review_reference
from organizer.files import LockedError, keep_out_of_git, locked
from organizer.runs.pool import network_off
from organizer.runs.worker import TIMED_OUT, BuiltTask, Run, run_program
from scoring_program.run import INVALID
from scoring_program.task import INTERVAL_COLUMNS, Declaration, ScoreColumn, load_task
from validator.findings import Refused
from validator.strict_yaml import load_plain
from validator.texts import printable, quote

INTERVAL_KEYS = frozenset(column.key for column in INTERVAL_COLUMNS)
_LARGEST = 1e10


def dry_run(built: BuiltTask, submission: Path, folder: Path, engine: str | None) -> int:
    """Run the built program on a submission, print what the site would show, return its exit code.

    ``engine`` is as for `run_program`.
    """
    for path in (submission, built.reference):
        if isinstance(path, Path) and path.resolve() in folder.resolve().parents:
            problem = "it holds the output folder, into which it is copied; give another --output"
            print(f"{printable(str(path))}: {problem}", file=sys.stderr)
            return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(folder)
        with locked(folder):
            run = run_program(built, submission, folder / "app", engine)
            for line in describe(run, load_task(built.id), built.columns, built.time_limit):
                print(printable(line))
            for line in _lines_for_organizers(built, submission, run.folder / "input" / "ref"):
                print(printable(line))
    except LockedError as error:
        print(printable(f"{folder}: {error}; wait for it, or give another --output"), file=sys.stderr)
        return 2
    return 1 if run.exit_code == TIMED_OUT or run.unpacking_problem else run.exit_code


def _lines_for_organizers(built: BuiltTask, submission: Path, reference: Path) -> list[str]:
    """Return what looks wrong with the reference, and what the kit says of the submission."""
    try:
        warnings = review_reference(built.id, reference).content.warning_lines()
    except Refused as refused:
        return [f"reference | {line}" for line in refused.findings.lines()]
    explanation = _explanation(built, submission, reference)
    return [f"reference | {line}" for line in warnings] + [f"explanation | {line}" for line in explanation]


def _explanation(built: BuiltTask, submission: Path, reference: Path) -> list[str]:
    """Return what the kit says of a submission, in a child with the limits of a run.

    It compares with hidden labels and is for organizers alone.
    """
    words = ["explain", built.id, str(submission.resolve()), "--reference", str(reference)]
    command = [*network_off(), sys.executable, "-m", "people_in_video", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "starting_kit")])}
    try:
        process = subprocess.run(
            command,
            capture_output=True,
            cwd=reference,
            env=environment,
            timeout=built.time_limit,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"stopped at the time limit of {built.time_limit:g} s"]
    output = process.stdout
    if process.returncode != INVALID:
        # The problems of an invalid submission are in the log of the run already.
        output += process.stderr
    return output.decode("utf-8", "replace").splitlines()


def describe(run: Run, task: Declaration, columns: Sequence[ScoreColumn], time_limit: float) -> list[str]:
    """Return the lines that describe a run to an organizer; ``columns`` are those of the leaderboard."""
    end = f"exit {run.exit_code}"
    if run.exit_code == TIMED_OUT:
        end = f"stopped at the time limit of {time_limit:g} s"
    peak = f", peak memory {run.peak_mb:.0f} MB" if run.peak_mb else ""
    lines = [f"ran {run.how}", f"{end}, {run.seconds:.2f} s{peak}"]
    for name, text in (("stdout", run.stdout), ("stderr", run.stderr)):
        lines += [f"{name} | {line}" for line in text.splitlines()]
    # Some submissions have no interval.
    keys = [column.key for column in columns if column.key not in INTERVAL_KEYS]
    further_keys = {column.key for column in task.columns}.difference(keys)
    scores, warnings = read_scores(run, keys, further_keys)
    is_finished = run.exit_code == 0 and not run.unpacking_problem
    state = "Finished" if is_finished else "Failed"
    if run.unpacking_problem:
        lines.append(f"platform | cannot unpack the submission: {run.unpacking_problem}")
    lines.append(f"platform | {state}; the program says: {_outcome(run)}")
    if is_finished and scores:
        cells = [
            f"{column.title} {scores[column.key]:.{column.precision}f}"
            for column in columns
            if column.key in scores
        ]
        lines.append(f"leaderboard row | {' | '.join(cells)}")
    elif not is_finished:
        lines.append("leaderboard row | none: the site marks the submission as failed")
    lines += [f"warning | {warning}" for warning in warnings]
    lines.append(f"detail page | {run.folder / 'output' / 'detailed_results.html'}")
    return lines


def _outcome(run: Run) -> str:
    """Return the outcome of a run and its first problem, from ``detailed_results.json``."""
    detail = json.loads(run.outputs.get("detailed_results.json", b"{}"))
    outcome: str = detail.get("outcome", "nothing")
    problems = detail.get("problems", [])
    if not problems:
        return outcome
    first = problems[0]
    return f"{outcome}, {quote(first['code'] + ' ' + first['problem'])}"


def read_scores(
    run: Run, keys: list[str], other_keys: Collection[str] | None = ()
) -> tuple[dict[str, float], list[str]]:
    """Return the numbers that the platform would store, and warnings about all others.

    ``keys`` are the leaderboard's, ``other_keys`` other keys that the program writes on purpose; None accepts
    all but those that differ from a column's key only in case.
    """
    warnings = _warnings_of_files(run)
    if run.exit_code != 0:
        return {}, warnings
    try:
        scores = _load_scores(run)
    except KeyError:
        return {}, [*warnings, "there is no scores file: the platform marks the submission as failed"]
    except (ValueError, yaml.YAMLError):
        return {}, [*warnings, "the scores file cannot be read: the platform marks the submission as failed"]
    if not isinstance(scores, Mapping):
        return {}, [*warnings, "the scores are not a mapping of keys to numbers"]
    stored_scores, warnings_of_values = _storable(scores)
    warnings_of_keys = _warnings_of_keys(stored_scores, keys, other_keys)
    return stored_scores, [*warnings, *warnings_of_values, *warnings_of_keys]


def _warnings_of_files(run: Run) -> list[str]:
    """Return warnings about files of the output that the platform does not take."""
    warnings = []
    names = sorted(run.outputs)
    if "metadata" in {Path(name).name for name in names}:
        warnings.append("the output holds a file named metadata: the platform fails such a run")
    pages = [name for name in names if name.lower().endswith((".html", ".htm"))]
    if pages != ["detailed_results.html"]:
        warnings.append(f"the only page must be detailed_results.html; found {', '.join(pages) or 'none'}")
    return warnings


def _load_scores(run: Run) -> object:
    """Return what the file of scores holds. Raises KeyError without one, ValueError or YAMLError."""
    if "scores.json" in run.outputs:
        return json.loads(run.outputs["scores.json"])
    return load_plain(run.outputs["scores.txt"].decode("utf-8"))


def _warnings_of_keys(
    scores: Collection[str], keys: list[str], other_keys: Collection[str] | None
) -> list[str]:
    """Return warnings about keys that are no column, and about columns without a number."""
    warnings = []
    for key in scores:
        similar_keys = [column_key for column_key in keys if column_key.lower() == key.lower()]
        is_unexpected = bool(similar_keys) if other_keys is None else key not in other_keys
        if key not in keys and is_unexpected:
            hint = f" (the column is {similar_keys[0]})" if similar_keys else ""
            warnings.append(f"{key} is not a column of the leaderboard{hint}: the platform ignores it")
    warnings += [f"the column {key} gets no number" for key in keys if key not in scores]
    return warnings


def _storable(scores: Mapping[str, object]) -> tuple[dict[str, float], list[str]]:
    """Return the numbers that the platform's database takes, and warnings about the others."""
    stored_scores, warnings = {}, []
    for key, value in scores.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            warnings.append(f"{key}: {quote(repr(value))} is no number and would not be stored")
        elif isinstance(value, int) and abs(value) >= _LARGEST:
            # It may be too large to be written, or for a float.
            warnings.append(f"{key}: a whole number has too many digits and would not be stored")
        elif not math.isfinite(value):
            warnings.append(f"{key}: {value!r} is not a finite number and would not be stored")
        elif abs(value) >= _LARGEST:
            warnings.append(f"{key}: {value!r} has too many digits and would not be stored")
        else:
            stored_scores[key] = float(value)
    return stored_scores, warnings
