"""Check that a submission is well-formed: ``people-in-video check my.zip``.

With ``--reference`` ids and names are checked, too, as the server does. Exit codes: 0 it is well-formed; 1 it
is not; 2 it cannot be checked.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from people_in_video.commands.options import (
    add_print_options,
    add_reference_options,
    add_words,
    check_paths,
    command_parser,
    report_mistakes,
    require_task,
    split_words,
)
from people_in_video.home import ReferenceProblemsError, load
from people_in_video.progress import reading_bar
from people_in_video.tools.conversion import read_tool_file
from scoring_program.run import BROKEN, INVALID, SCORED
from validator import console
from validator.checking import check_submission
from validator.findings import Findings
from validator.messages import note_lines

_UNCHECKED = "well-formed; ids and names unchecked"
_CHECKED = "valid; ids and names are those of the reference"
_EXAMPLES = """\
  people-in-video check my.zip
  people-in-video check ID my.zip --reference my_annotations
  people-in-video check my.zip --json
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    parser = _parser()
    options = parser.parse_intermixed_args(arguments)
    task, submissions = split_words(options.words)
    check_paths(parser, submissions, options)
    if len(submissions) != 1:
        parser.error("name one submission" if submissions else "name your zip file")
    findings = Findings()
    with findings.part():
        task = task or require_task(parser, submissions[0])
    try:
        if findings.ok:
            findings = _check(task, submissions[0], options)
        _report(task, findings, options)
    except ReferenceProblemsError as error:
        console.say(f"Your reference cannot be used, nothing was checked:\n{error}", to=sys.stderr)
        return BROKEN
    except console.OutputError as error:
        console.report(error)
        return BROKEN
    if options.strict and report_mistakes(findings.notes):
        return INVALID
    return SCORED if findings.ok else INVALID


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("check", "[ID] SUBMISSION", "Check that a submission is well-formed.", _EXAMPLES)
    add_words(parser, "your zip file, or a folder with its files")
    add_reference_options(parser)
    add_print_options(
        parser,
        quiet="print problems only",
        strict="end with 1 if a note tells of a likely mistake",
    )
    return parser


def _check(task: str, submission: Path, options: argparse.Namespace) -> Findings:
    """Return what is found in a submission. Raises ReferenceProblemsError."""
    findings = Findings()
    with findings.part(), read_tool_file(task, submission) as readable:
        findings.notes += readable.notes
        with reading_bar([readable.path], is_wanted=not options.quiet):
            if options.reference:
                loaded = load(task, options.reference, options.cache, {"detail": "full"})
                findings.take(loaded.read(readable.path))
            else:
                findings.extend(check_submission(task, readable.path))
    return findings


def _report(task: str, findings: Findings, options: argparse.Namespace) -> None:
    """Print what was found, and the verdict."""
    if options.json:
        console.say(json.dumps(findings.as_dict(), indent=1))
        return
    verdict = f"invalid: {findings.summary().total_text()}"
    if findings.ok:
        verdict = _CHECKED if options.reference else _UNCHECKED
    problems = findings.lines(most=None)
    if not options.quiet:
        heads = [f"task: {task}"] if task else []
        console.say(*heads, *note_lines(findings.notes), *problems, verdict)
    elif problems:
        console.say(*problems)


if __name__ == "__main__":
    sys.exit(main())
