#!/usr/bin/env python3
"""Check a submission and score it at home: ``python evaluate.py ID my.zip``.

Runs the very code of the server, by default against the synthetic demo reference that comes with the kit. Exit
codes: 0 scored; 1 the submission is invalid; 2 the reference is missing or malformed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kit_path import DEMO_REFERENCE

# isort: split
from challenges import challenge_ids
from score import SCORED, score_folder


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description="Check a submission and score it at home.")
    parser.add_argument("id", choices=challenge_ids(), help="the task")
    parser.add_argument("submission", type=Path, help="your zip file, or a folder with its files")
    parser.add_argument("--reference", type=Path, help="reference folder; default: the demo reference of the kit")
    parser.add_argument("--output", type=Path, default=Path("evaluation"), help="folder for the results")
    parser.add_argument("--protocol", choices=["published", "released"], help="default: what the reference says")
    options = parser.parse_args(arguments)
    overrides = {"detail": "full"}
    if options.protocol:
        overrides["protocol"] = options.protocol
    reference = options.reference or DEMO_REFERENCE / options.id
    code = score_folder(options.id, reference, options.submission, options.output, overrides)
    print(f"detail page: {options.output / 'detailed_results.html'}")
    if code == SCORED and options.reference is None:
        print("This was the synthetic demo reference: the number says nothing about the hidden data.")
    return code


if __name__ == "__main__":
    sys.exit(main())
