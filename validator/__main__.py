"""The command ``python -m validator ID submission.zip [--json]``; ``--explain CODE`` explains a message."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from pathlib import Path

try:
    from validator import console, limits
    from validator.findings import Findings
    from validator.formats.rules import load_format, task_ids
    from validator.message_codes import all_codes
    from validator.messages import Note, note_lines
except ModuleNotFoundError as error:
    sys.exit(f"{error.name} is not installed: python -m pip install -r requirements.txt")

# What a run of the scoring program may take unless the organizers choose otherwise.
_SECONDS, _MEMORY_MB = 570.0, 8000.0
_UNCHECKED = "names, ids and boxes were not compared with the reference"


class _Explain(argparse.Action):
    """Prints what the code of a message means and ends the program, as ``--help`` does."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, value: object, *_: object) -> None:
        """Raise SystemExit: 0, or 2 for an unknown code."""
        code, known_codes = str(value).upper(), all_codes()
        if code not in known_codes:
            close = difflib.get_close_matches(code, known_codes, 1)
            ask = f"did you mean {close[0]}?" if close else "codes begin with E- or N-"
            parser.error(f"there is no message {code}; {ask}")
        console.say(known_codes[code].line())
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
    parser = argparse.ArgumentParser(
        prog="python -m validator",
        description="Check that a submission is well-formed. Exit code 0: it is; 1: it is not.",
    )
    parser.add_argument("id", choices=task_ids(), help="the task")
    parser.add_argument("submission", type=Path, help="the zip file, or a folder with its files")
    parser.add_argument("--explain", action=_Explain, metavar="CODE", help="print what a message means")
    parser.add_argument("--json", action="store_true", help="print everything found as JSON")
    options = parser.parse_args(arguments)
    try:
        findings = _check(options.id, options.submission)
    except ImportError as error:
        if error.name != "msgspec":
            raise
        console.say(str(error), to=sys.stderr)
        return 2
    if options.json:
        console.say(json.dumps(findings.as_dict(), indent=1))
    else:
        _print_findings(findings)
    return 0 if findings.ok else 1


def _check(task_id: str, submission: Path) -> Findings:
    """Return what was found in a submission, within the limits of time and memory."""
    findings = Findings()
    limits.start(_SECONDS, _MEMORY_MB)
    try:
        with findings.part():
            task_format, rules = load_format(task_id)
            content = findings.take(task_format.read(submission, rules))
            findings.notes += [*task_format.hints(content), Note("N-UNCHECKED", _UNCHECKED)]
    except limits.TimeLimitError as error:
        limits.release(error)
        findings.add("E-LIMIT-TIME", "the check takes longer than is allowed", "submit less")
    except (MemoryError, OSError) as error:
        if not limits.is_out_of_memory(error):
            raise
        limits.release(error)
        findings.add("E-LIMIT-MEMORY", "the check needs more memory than is allowed", "submit less")
    finally:
        limits.finish()
    return findings


def _print_findings(findings: Findings) -> None:
    notes = note_lines(findings.notes)
    verdict = "valid" if findings.ok else f"invalid: {findings.summary().total_text()}"
    console.say(*notes, *findings.lines(most=None), verdict)


if __name__ == "__main__":
    sys.exit(main())
