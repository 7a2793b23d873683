"""Check that a submission is well-formed: ``people-in-video check ID my.zip``.

Exit codes: 0 it is; 1 it is not; 2 it cannot be checked.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from people_in_video.commands.options import command_parser
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import task_ids
from validator import console
from validator.checking import check_submission
from validator.findings import Findings
from validator.messages import note_lines

WELL_FORMED = "well-formed; ids and names unchecked"
_EXAMPLES = """\
  people-in-video check ID my.zip
  people-in-video check ID my.zip --json
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    options = _parser().parse_args(arguments)
    findings = check_submission(options.id, options.submission)
    try:
        _report(findings, options)
    except console.OutputError as error:
        console.report(error)
        return BROKEN
    return SCORED if findings.ok else INVALID


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("check", "Check that a submission is well-formed.", _EXAMPLES)
    parser.add_argument("id", choices=task_ids(), help="the task")
    parser.add_argument("submission", type=Path, help="your zip file, or a folder with its files")
    parser.add_argument("--json", action="store_true", help="print everything found as JSON")
    return parser


def _report(findings: Findings, options: argparse.Namespace) -> None:
    """Print what was found, and the verdict."""
    if options.json:
        console.say(json.dumps(findings.as_dict(), indent=1))
        return
    verdict = WELL_FORMED if findings.ok else f"invalid: {findings.summary().total_text()}"
    console.say(*note_lines(findings.notes), *findings.lines(most=None), verdict)
