"""Check that a submission is well-formed: ``people-in-video check my.zip``.

With ``--public``, the public data of the task, ids, frames, sizes and names are checked, too, as the server
does; with ``--reference`` ids and names are, and scoring tells of the rest. Exit codes: 0 it is well-formed;
1 it is not; 2 it cannot be checked.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import zipfile
from pathlib import Path

from people_in_video.commands.options import (
    add_conversion_options,
    add_print_options,
    add_reference_options,
    add_words,
    command_parser,
    conversion_of,
    only_submission,
    report_mistakes,
    require_task,
    split_words,
)
from people_in_video.errors import ReferenceProblemsError, UsageError
from people_in_video.progress import reading_bar
from people_in_video.references.loading import load
from people_in_video.scoring import check_source
from people_in_video.tools.conversion import (
    ConversionOptions,
    converter_of,
    is_converted,
    option_text,
    read_submission,
)
from scoring_program.run import BROKEN, INVALID, SCORED
from validator import console
from validator.checking import plain_findings
from validator.findings import Findings, mistakes_first, note_lines, without_explained

_UNCHECKED = "well-formed; ids and names unchecked: --public DIR or --reference DIR checks them"
_CHECKED = (
    "valid; ids and names were compared with the reference; "
    "score or --public tells whether frames and segments fit"
)
_CHECKED_IN_PUBLIC = "valid; ids and names were compared with the public data"
_EXAMPLES = """\
  people-in-video check my.zip
  people-in-video check ID my.zip --public public_data.zip
  people-in-video check ID my.zip --reference my_annotations
  people-in-video check my.zip --json
"""


def run(options: argparse.Namespace) -> int:
    """Check a submission; return the exit code."""
    task, submissions = split_words(options.words)
    submission = only_submission(submissions, options)
    if options.public and options.reference:
        raise UsageError("give --public or --reference, not both")
    conversion = conversion_of(options)
    findings = Findings()
    with findings.part():
        task = task or require_task(submission)
    try:
        if findings.ok:
            findings = _check(task, submission, options, conversion)
        _report(task, findings, options)
        if findings.ok and not (
            options.json or options.quiet or _can_be_uploaded(task, submission, conversion)
        ):
            console.say(_zip_text(task, submission, conversion, options.reference))
    except ReferenceProblemsError as error:
        subject = "The public data" if options.public else "Your reference"
        console.say(f"{subject} cannot be used, nothing was checked:\n{error}", to=sys.stderr)
        return BROKEN
    if options.strict and report_mistakes(findings.notes):
        return INVALID
    return SCORED if findings.ok else INVALID


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = command_parser("check", "[ID] SUBMISSION", "Check that a submission is well-formed.", _EXAMPLES)
    add_words(parser, "your zip file, or a folder with its files")
    add_conversion_options(parser, "checks ids, frames, sizes and names of any submission")
    add_reference_options(parser, "without it, and without --public, ids and names are not checked")
    add_print_options(
        parser,
        quiet="print problems only",
        strict="end with 1 if a note tells of a likely mistake",
    )
    return parser


def _check(
    task: str, submission: Path, options: argparse.Namespace, conversion: ConversionOptions
) -> Findings:
    """Return what is found in a submission. Raises ReferenceProblemsError."""
    findings = Findings()
    with findings.part(), reading_bar([submission], is_wanted=not options.quiet):
        if options.reference:
            loaded = load(task, options.reference, options.cache, {})
            with read_submission(task, submission, conversion, options.reference) as readable:
                findings.notes += readable.notes
                # Those that need no scoring: on ids, names and likely mistakes.
                reading = loaded.read(readable.path)
                notes = [*reading.notes, *loaded.task.notes(reading.content, loaded.public)]
                findings.notes += mistakes_first(without_explained(notes))
        else:
            findings.extend(check_source(task, submission, conversion))
    return findings


def _report(task: str, findings: Findings, options: argparse.Namespace) -> None:
    """Print what was found, and the verdict."""
    if options.json:
        console.say(json.dumps(plain_findings(findings), indent=1))
        return
    problems = findings.lines(most=None)
    if not options.quiet:
        heads = [f"task: {task}"] if task else []
        console.say(*heads, *note_lines(findings.notes), *problems, _verdict(findings, options))
    elif problems:
        console.say(*problems)


def _verdict(findings: Findings, options: argparse.Namespace) -> str:
    """Return whether a submission is valid, and what it was compared with."""
    if not findings.ok:
        return f"invalid: {findings.summary().total_text()}"
    if options.public:
        return _CHECKED_IN_PUBLIC
    return _CHECKED if options.reference else _UNCHECKED


def _can_be_uploaded(task: str, submission: Path, conversion: ConversionOptions) -> bool:
    """Return whether a submission is a zip, whatever its name ends with, or a folder that becomes one."""
    if is_converted(task, submission, conversion):
        return False
    return submission.is_dir() or zipfile.is_zipfile(submission)


def _zip_text(task: str, submission: Path, conversion: ConversionOptions, reference: Path | None) -> str:
    """Return how a valid file that is no zip becomes one."""
    converter = converter_of(task)
    if converter is None:
        return "to upload it, put it in a zip"
    words = ["people-in-video", "convert", task, str(submission), "my.zip"]
    for name, value in sorted(conversion.given().items()):
        if name in converter.options:
            words += [option_text(name), str(value)]
    # Public data and a reference both have the frame rates that seconds need.
    if reference and "public" in converter.options:
        words += ["--reference", str(reference)]
    return f"to upload it, write a zip: {shlex.join(words)}"
