"""Score the samples of all tasks against the demo reference."""

from __future__ import annotations

import argparse
import sys

from organizer import ROOT
from organizer.files import samples_folder
from people_in_video import score
from people_in_video.errors import SubmissionError
from scoring_program.task import task_ids


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command: none."""


def run(_options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return run_demo()


def run_demo() -> int:
    """Score every sample, print one table, return 0 if all could be scored."""
    out = ROOT / "out" / "demo"
    rows = [["task", "sample", "score", "coverage", "detail page"]]
    exit_code = 0
    for task_id in task_ids():
        for sample in sorted(samples_folder(task_id).iterdir()):
            try:
                result = score(task_id, sample, ROOT / "reference_data" / task_id, out / "references")
            except SubmissionError as error:
                exit_code = 1
                print(f"{task_id}, {sample.name}: {error}", file=sys.stderr)
                continue
            page = result.page(out / task_id / sample.name / "detailed_results.html")
            scores = [f"{result[key]:.4f}" for key in ("score", "coverage")]
            rows.append([task_id, sample.name, *scores, str(page.relative_to(ROOT))])
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    return exit_code
