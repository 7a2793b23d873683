"""Scoring all submissions of a task again, with the built program."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from organizer.runs.outcome import read_scores
from organizer.runs.worker import TIMED_OUT, BuiltTask, Run, lay_out, run_submission
from scoring_program.challenge import Challenge, load_challenge
from validator.findings import quote

TABLE = "scores.csv"
UNFINISHED = "scores.unfinished.csv"
PAGES = "details"

# A spreadsheet takes text that begins so for a formula, and participants choose the names of files.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LONGEST_NAME = 1000
_OUTCOMES = {0: "scored", 1: "invalid", TIMED_OUT: "out of time"}


def rescore(built: BuiltTask, submissions: Path, output: Path) -> int:
    """Score every zip below ``submissions`` and print a ranking.

    Parameters
    ----------
    built : BuiltTask
        The program and the reference to score with.
    submissions : Path
        A folder; zips in folders inside it count too.
    output : Path
        Gets ``scores.csv``, a row for each submission, and their pages in ``details/``. Scores that an earlier run
        left there are compared with the new ones. Until all are done the table is ``scores.unfinished.csv``.

    Returns
    -------
    int
        0; 1 if there is nothing to score; 2 if the organizer's side is broken, which ends the work.
    """
    paths = sorted(path for path in submissions.rglob("*") if path.suffix.lower() == ".zip" and path.is_file())
    if not paths:
        print(f"{submissions}: no zip file is in this folder; give the folder with the participants' zips")
        return 1
    challenge = load_challenge(built.id)
    earlier = _read_table(output / TABLE)
    output.mkdir(parents=True, exist_ok=True)
    lay_out(built.program, built.reference, output / "app")
    keys = [column.key for column in challenge.columns]
    rows = []
    with (output / UNFINISHED).open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, ["submission", "outcome", *keys, "seconds", "signature", "problem"])
        table.writeheader()
        for number, path in enumerate(paths, start=1):
            name = quote(path.relative_to(submissions).as_posix(), longest=_LONGEST_NAME)
            if name.startswith(_FORMULA):
                name = f"./{name}"
            run = run_submission(path, built.id, output / "app", built.time_limit)
            row = _row(name, run, keys)
            table.writerow(row)
            stream.flush()
            rows.append(row)
            _keep_page(run, output / PAGES / f"{name}.html")
            print(f"{number}/{len(paths)} {name}: {row['outcome']} {row['problem']}".rstrip(), flush=True)
            if row["outcome"] == "broken":
                print(run.stderr.rstrip())
                return 2
    (output / UNFINISHED).replace(output / TABLE)
    for line in _ranking(rows, challenge, earlier):
        print(line)
    print(f"all numbers: {output / TABLE}; detail pages: {output / PAGES}")
    return 0


def _read_table(path: Path) -> dict[str, str]:
    """Return the score of each submission in a table of an earlier run."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["submission"]: row["score"] for row in csv.DictReader(stream) if row["outcome"] == "scored"}


def _row(name: str, run: Run, keys: list[str]) -> dict[str, Any]:
    outcome = _OUTCOMES.get(run.exit_code, "broken")
    scores, _ = read_scores(run, keys)
    signature = run.stdout.splitlines()[0] if outcome == "scored" else ""
    problems = run.stderr.splitlines()[1:2] if outcome == "invalid" else []
    return {
        "submission": name,
        "outcome": outcome,
        **{key: scores.get(key, "") for key in keys},
        "seconds": f"{run.seconds:.2f}",
        "signature": signature,
        "problem": "".join(problems).partition(". ")[2],
    }


def _keep_page(run: Run, path: Path) -> None:
    page = run.outputs.get("detailed_results.html")
    if page:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page)


def _ranking(rows: list[dict[str, Any]], challenge: Challenge, earlier: dict[str, str]) -> list[str]:
    """Return the scored submissions, the best first, and how many scores differ from an earlier run."""
    best = challenge.columns[0]
    scored = [row for row in rows if row["outcome"] == "scored"]
    scored.sort(key=lambda row: row[best.key], reverse=best.sorting == "desc")
    lines = []
    changed = 0
    for rank, row in enumerate(scored, start=1):
        line = f"{rank:4}  {row[best.key]:.{best.precision}f}  {quote(row['submission'])}"
        before = earlier.get(row["submission"])
        if before is not None and float(before) != row[best.key]:
            changed += 1
            line += f"  (before: {float(before):.{best.precision}f})"
        lines.append(line)
    lines.append(f"{len(scored)} of {len(rows)} submissions were scored")
    if earlier:
        lines[-1] += f"; {changed} scores changed since the earlier run"
    return lines
