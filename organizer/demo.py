"""The demo: sample submissions of every task scored against the synthetic demo reference."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from pathlib import Path

import score
from challenges import challenge_ids, load_challenge
from organizer import ROOT
from organizer.build import SYNTHETIC_MARK, samples_folder
from organizer.packing import folder_files, zip_bytes

_MARK_TEXT = """# Synthetic data

These files were made by a program with a fixed seed. They show the formats and let the samples be scored; they
are not the data of any challenge. A bundle that is built with them says so in its title.
"""


def write_demo_data(root: Path) -> None:
    """Write reference_data/ and starting_kit/samples/ below ``root`` anew."""
    for name in challenge_ids():
        demo = load_challenge(name).demo()
        reference = root / "reference_data" / name
        samples = root / "starting_kit" / "samples" / name
        for folder in (reference, samples):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        demo.write_reference(reference)
        (reference / SYNTHETIC_MARK).write_text(_MARK_TEXT, encoding="utf-8")
        demo.write_samples(reference, samples)


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
                code = score.score_folder(
                    name, ROOT / "reference_data" / name, submission, folder, {"detail": "full"}
                )
            page = str((folder / "detailed_results.html").relative_to(ROOT))
            if code == score.SCORED:
                numbers = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
                rows.append((name, sample.name, f"{numbers['score']:.4f}", f"{numbers['coverage']:.4f}", page))
            else:
                failed += 1
                rows.append((name, sample.name, "failed", "", page))
                print(log.getvalue(), file=sys.stderr)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    return 1 if failed else 0
