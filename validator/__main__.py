"""The command ``python -m validator ID submission.zip [--json]``; ``--explain CODE`` explains a message."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

try:
    from validator import console
    from validator.checking import check_submission
    from validator.codes import explain_code
    from validator.findings import Findings, note_lines
    from validator.formats.rules import task_ids
    from validator.parser import Parser
except ModuleNotFoundError as error:
    sys.exit(f"{error.name} is not installed: run make demo")

_EXAMPLES = """\
  python -m validator ID my.zip
  python -m validator ID my.zip --json
  python -m validator --explain E-FILE-NONE
"""
_UNCHECKED = "names, ids and boxes were not compared with the reference"


class _Explain(argparse.Action):
    """Prints what the code of a message means and ends the program, as ``--help`` does."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, value: object, *_: object) -> None:
        """Raise SystemExit: 0, or 2 for an unknown code."""
        try:
            explanation = explain_code(str(value))
        except ValueError as error:
            parser.error(str(error))
        console.say(explanation)
        parser.exit()


def main(arguments: list[str] | None = None) -> int:
    """Check a submission; print what was found; return 0 if it is valid, 1 if not, 2 if that is unknown."""
    console.prepare()
    try:
        return _main(arguments)
    except console.OutputError as error:
        console.report(error)
        return 2


def _main(arguments: list[str] | None) -> int:
    parser = Parser(
        prog="python -m validator",
        description="Check that a submission is well-formed. Exit code 0: it is; 1: it is not.",
        epilog=f"examples:\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", choices=task_ids(), help="the task")
    parser.add_argument("submission", type=Path, help="the zip file, or a folder with its files")
    parser.add_argument("--explain", action=_Explain, metavar="CODE", help="print what a message means")
    parser.add_argument("--json", action="store_true", help="print everything found as JSON")
    options = parser.parse_args(arguments)
    findings = check_submission(options.id, options.submission)
    if findings.ok:
        findings.note("N-UNCHECKED", _UNCHECKED)
    if options.json:
        console.say(json.dumps(findings.as_dict(), indent=1))
    else:
        _print_findings(findings)
    return 0 if findings.ok else 1


def _print_findings(findings: Findings) -> None:
    notes = note_lines(findings.notes)
    verdict = "valid" if findings.ok else f"invalid: {findings.summary().total_text()}"
    console.say(*notes, *findings.lines(most=None), verdict)


if __name__ == "__main__":
    sys.exit(main())
