"""The command ``python -m validator ID submission.zip [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from validator.check import check_submission
from validator.findings import Findings
from validator.rules import known_ids, load_rules


def main(arguments: list[str] | None = None) -> int:
    """Check a submission; print what was found; return 0 if it is valid, 1 if not."""
    parser = argparse.ArgumentParser(
        prog="python -m validator",
        description="Check that a submission is well-formed. Exit code 0: it is; 1: it is not.",
    )
    parser.add_argument("id", choices=known_ids(), help="the challenge")
    parser.add_argument("submission", type=Path, help="the zip file, or a folder with its files")
    parser.add_argument("--json", action="store_true", help="print everything found as JSON")
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    findings = Findings()
    check_submission(options.submission, load_rules(options.id), findings)
    if options.json:
        json.dump(findings.as_dict(), sys.stdout, indent=1)
        print()
    else:
        for note in findings.notes:
            print(f"note {note.line()}")
        for line in findings.lines(shown=None):
            print(line)
        print("valid" if findings.ok else f"invalid: {findings.total} problems")
    return 0 if findings.ok else 1


if __name__ == "__main__":
    sys.exit(main())
