"""Running the built program on one submission and printing what the site would show."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from organizer.runs.outcome import read_scores
from organizer.runs.worker import TIMED_OUT, BuiltTask, Run, run_program
from scoring_program.task import Declaration, load_task
from validator.findings import printable, quote


def dry_run(built: BuiltTask, submission: Path, folder: Path) -> int:
    """Run the built program on a submission, print what the site would show, return the program's exit
    code."""
    if not submission.exists():
        named = printable(str(submission))
        print(f"{named}: there is no such file; give the zip of a participant", file=sys.stderr)
        return 1
    if submission.resolve() in folder.resolve().parents:
        named = printable(str(submission))
        print(f"{named}: it holds the output folder; give a zip, or another --output", file=sys.stderr)
        return 1
    run = run_program(built, submission, folder / "app")
    for line in describe(run, load_task(built.id), built.time_limit):
        print(printable(line))
    return run.exit_code if run.exit_code != TIMED_OUT else 1


def describe(run: Run, task: Declaration, time_limit: float) -> list[str]:
    """Return the lines that describe a run to an organizer."""
    lines = [f"ran {run.how}"]
    end = (
        f"stopped at the time limit of {time_limit:g} s"
        if run.exit_code == TIMED_OUT
        else f"exit {run.exit_code}"
    )
    peak = f", peak memory {run.peak_mb:.0f} MB" if run.peak_mb else ""
    lines.append(f"{end}, {run.seconds:.2f} s{peak}")
    for name, text in (("stdout", run.stdout), ("stderr", run.stderr)):
        lines += [f"{name} | {line}" for line in text.splitlines()]
    keys = [column.key for column in task.columns if column.leaderboard]
    further = {column.key for column in task.columns if not column.leaderboard}
    scores, warnings = read_scores(run, keys, further)
    lines.append(
        f"platform | {'Finished' if run.exit_code == 0 else 'Failed'}; the program says: {_outcome(run)}"
    )
    if run.exit_code == 0 and scores:
        shown = [
            (c.title, c.precision, scores[c.key]) for c in task.columns if c.key in keys and c.key in scores
        ]
        lines.append("leaderboard row | " + " | ".join(f"{title} {value:.{p}f}" for title, p, value in shown))
    elif run.exit_code != 0:
        lines.append("leaderboard row | none: the site marks the submission as failed")
    lines += [f"warning | {warning}" for warning in warnings]
    lines.append(f"detail page | {run.folder / 'output' / 'detailed_results.html'}")
    return lines


def _outcome(run: Run) -> str:
    """Return the outcome of a run and its first problem, from ``detailed_results.json``."""
    detail = json.loads(run.outputs.get("detailed_results.json", b"{}"))
    problems = [f"{problem['code']} {problem['problem']}" for problem in detail.get("problems", [])]
    return ", ".join([detail.get("outcome", "nothing"), *map(quote, problems[:1])])
