"""Score games: tricks that a participant might try, and the score that each gets against the demo
reference."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from organizer.data.prepare import reference_files
from organizer.files import folder_files, samples_folder, write_files, zip_bytes
from quality import ROOT
from quality.demo_data import load_trials
from quality.trials import Files
from scoring_program import scoring

HONEST = "honest baseline"
RELEASED = "released: "
"""What the names of those begin with that are played with this protocol."""


class UnscoredError(Exception):
    """A trick, or the honest baseline, cannot be scored; the message is the log of the run."""


def submissions(name: str) -> Iterator[tuple[str, Files]]:
    """Yield the honest baseline of a task, which is its good sample, and what each trick makes of it.

    If there are tricks for the released protocol, they follow with theirs, the weak sample.
    """
    trials, reference = load_trials(name), folder_files(ROOT / "reference_data" / name)
    for head, games, sample in (("", trials.GAMES, "good"), (RELEASED, trials.RELEASED_GAMES, "weak")):
        if games:
            baseline = folder_files(samples_folder(name) / sample)
            yield head + HONEST, baseline
            for trick, build in games.items():
                yield head + trick, build(reference, baseline)


def play(name: str, trick: str, files: Files) -> dict[str, float]:
    """Return the scores of a submission against the demo reference; raise UnscoredError if it has none."""
    protocol = "released" if trick.startswith(RELEASED) else "published"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "ref").mkdir()
        write_files(reference_files(name, ROOT / "reference_data" / name), work / "ref")
        (work / "s.zip").write_bytes(zip_bytes(files))
        log, settings = StringIO(), {"detail": "none", "protocol": protocol}
        with redirect_stdout(log), redirect_stderr(log):
            code = scoring.score_folder(name, work / "ref", work / "s.zip", work / "out", settings)
        if code != scoring.SCORED:
            raise UnscoredError(f"{name}, {trick}: {log.getvalue().strip()}")
        return json.loads((work / "out" / "scores.json").read_text(encoding="utf-8"))


def rows(name: str) -> Iterator[str]:
    """Yield the rows of a task in the table of docs/score_games.md."""
    for trick, files in submissions(name):
        scores = play(name, trick, files)
        yield f"| {name} | {trick} | {scores['score']:.4f} | {scores['coverage']:.4f} |"


def print_table(ids: Sequence[str]) -> int:
    """Print the table of docs/score_games.md for some tasks; return 1 if a submission cannot be scored."""
    print("| task | submission | score | coverage |")
    print("|---|---|---|---|")
    try:
        for name in ids:
            for row in rows(name):
                print(row, flush=True)
    except UnscoredError as error:
        print(f"{error}\ncorrect demo.py or trials.py of the task, then write its demo-data again")
        return 1
    return 0
