"""The command ``python -m validator ID submission.zip [--json]``, which needs nothing but this package."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

try:
    from validator import console
    from validator.argument_parser import Parser
    from validator.checking import check_submission, plain_findings
    from validator.findings import note_lines
    from validator.formats.rules import task_ids
except ModuleNotFoundError as error:
    sys.exit(f"{error.name} is not installed: run make demo")

_EXAMPLES = """\
examples:
  python -m validator ID my.zip
  python -m validator ID my.zip --json
"""
_UNCHECKED = "names, ids and boxes were not compared with the reference"


def main(arguments: list[str] | None = None) -> int:
    """Check a submission; print what was found; return 0 if it is valid, 1 if not, 2 if that is unknown."""
    console.prepare()
    parser = Parser(
        prog="python -m validator",
        description="Check that a submission is well-formed. Exit code 0: it is; 1: it is not.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", choices=task_ids(), help="the task")
    parser.add_argument("submission", type=Path, help="the zip file, or a folder with its files")
    parser.add_argument("--json", action="store_true", help="print everything found as JSON")
    options = parser.parse_args(arguments)
    findings = check_submission(options.id, options.submission)
    if findings.ok:
        findings.note("N-UNCHECKED", _UNCHECKED)
    if options.json:
        lines = [json.dumps(plain_findings(findings), indent=1)]
    else:
        verdict = "valid" if findings.ok else f"invalid: {findings.summary().total_text()}"
        lines = [*note_lines(findings.notes), *findings.lines(most=None), verdict]
    try:
        console.say(*lines)
    except console.OutputError as error:
        console.report(error)
        return 2
    return 0 if findings.ok else 1


if __name__ == "__main__":
    sys.exit(main())
