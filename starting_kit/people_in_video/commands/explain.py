"""Explain a submission, or the codes of messages: ``people-in-video explain my.zip --reference DIR``.

A submission is scored against a reference, and all is said of why it fits or does not. Organizers may do so
with one of a stranger and hidden labels: nothing is written, and the limits of the reference hold.
Exit codes: 0 explained; 1 the submission is invalid, and the problems are printed; 2 the reference cannot be
read, there is no such code, or the command is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from people_in_video.commands.options import (
    add_conversion_options,
    add_reference_options,
    command_parser,
    conversion_of,
    only_submission,
    require_task,
    split_words,
)
from people_in_video.demo_data import demo_reference
from people_in_video.errors import UsageError
from people_in_video.references.loading import load_for_run
from people_in_video.tools.conversion import read_submission
from scoring_program import run as scoring_run
from scoring_program.report import page
from scoring_program.run import INVALID, SCORED
from scoring_program.task import load_task
from validator import console
from validator.codes import explain_code
from validator.findings import Refused, note_lines

_NOTHING_FOUND = "nothing looks like a mistake"
_EXAMPLES = """\
  people-in-video explain my.zip --reference my_annotations
  people-in-video explain E-FILE-NONE
  people-in-video explain E-CSV-RANGE N-CSV-CUT
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    description = "Say what would make a submission fit its reference, or what the codes of messages mean."
    parser = command_parser("explain", "[ID] SUBMISSION | CODE ...", description, _EXAMPLES)
    help_text = "a submission, or codes that messages begin with"
    parser.add_argument("words", nargs="+", metavar="SUBMISSION | CODE", help=help_text)
    add_reference_options(parser, "default: the demo reference of the kit")
    add_conversion_options(parser, "frame rates for seconds; default: those of the reference")
    return parser


def run(options: argparse.Namespace) -> int:
    """Explain a submission, or codes; return the exit code."""
    task, paths = split_words(options.words)
    if task or paths[0].exists():
        return _explain_submission(task, paths, options)
    try:
        console.say(*[explain_code(code) for code in options.words])
    except ValueError as error:
        raise UsageError(str(error)) from None
    return SCORED


def _explain_submission(task: str, paths: Sequence[Path], options: argparse.Namespace) -> int:
    submission = only_submission(paths, options)
    try:
        task = task or require_task(submission)
        reference = options.reference or demo_reference(task)
        conversion = conversion_of(options)
        with (
            read_submission(task, submission, conversion, reference) as readable,
            tempfile.TemporaryDirectory() as output,
        ):
            settings = {"interval": False}
            load = partial(load_for_run, task, options.reference, options.cache, settings, readable.notes)
            outcome = scoring_run.run(load, readable.path, Path(output), at_home=True)
    except Refused as refused:
        console.say(str(refused), to=sys.stderr)
        return INVALID
    if outcome.result is not None:
        result = outcome.result
        notes = note_lines(result.notes) or [_NOTHING_FOUND]
        console.say(page.score_line(load_task(task), result.shown), *notes)
    return outcome.exit_code
