"""The demo: sample submissions of every task scored against the synthetic demo reference."""

from __future__ import annotations

import contextlib
import io
import json
import sys

from organizer import ROOT
from organizer.files import folder_files, samples_folder, zip_bytes
from scoring_program import scoring
from scoring_program.challenge import challenge_ids


def run_demo() -> int:
    """Score every sample, print one table, return 0 if all could be scored."""
    rows = [("task", "sample", "score", "coverage", "detail page")]
    failed = 0
    for name in challenge_ids():
        for sample in sorted(samples_folder(name).iterdir()):
            folder = ROOT / "out" / "demo" / name / sample.name
            folder.mkdir(parents=True, exist_ok=True)
            submission = folder / "submission.zip"
            submission.write_bytes(zip_bytes(folder_files(sample)))
            log = io.StringIO()
            with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
                code = scoring.score_folder(
                    name, ROOT / "reference_data" / name, submission, folder, {"detail": "full"}
                )
            page = str((folder / "detailed_results.html").relative_to(ROOT))
            if code == scoring.SCORED:
                numbers = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
                rows.append(
                    (name, sample.name, f"{numbers['score']:.4f}", f"{numbers['coverage']:.4f}", page)
                )
            else:
                failed += 1
                rows.append((name, sample.name, "failed", "", page))
                print(log.getvalue(), file=sys.stderr)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    return 1 if failed else 0
