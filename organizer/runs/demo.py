"""The demo: sample submissions of every task scored against the synthetic demo reference."""

from __future__ import annotations

import contextlib
import io
import sys
from functools import partial

from organizer import ROOT
from organizer.files import folder_files, samples_folder, zip_bytes
from people_in_video.home_loaded import HomeLoaded, at_home
from people_in_video.references.preparation import load_any
from scoring_program.run import run
from scoring_program.task import load_task, task_ids


def load_at_home(task_id: str) -> HomeLoaded:
    """Return a task with its demo reference, of which everything may be said."""
    task, reference = load_task(task_id), ROOT / "reference_data" / task_id
    settings = task.settings(reference, {"detail": "full"})
    return at_home(load_any(task, reference, settings))


def run_demo() -> int:
    """Score every sample, print one table, return 0 if all could be scored."""
    rows = [("task", "sample", "score", "coverage", "detail page")]
    n_failed = 0
    for name in task_ids():
        for sample in sorted(samples_folder(name).iterdir()):
            folder = ROOT / "out" / "demo" / name / sample.name
            folder.mkdir(parents=True, exist_ok=True)
            submission = folder / "submission.zip"
            submission.write_bytes(zip_bytes(folder_files(sample)))
            log = io.StringIO()
            with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
                outcome = run(partial(load_at_home, name), submission, folder)
            page = str((folder / "detailed_results.html").relative_to(ROOT))
            if outcome.result is None:
                n_failed += 1
                rows.append((name, sample.name, "failed", "", page))
                print(log.getvalue(), file=sys.stderr)
            else:
                scores = outcome.result.scores
                rows.append((name, sample.name, f"{scores['score']:.4f}", f"{scores['coverage']:.4f}", page))
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    return 1 if n_failed else 0
