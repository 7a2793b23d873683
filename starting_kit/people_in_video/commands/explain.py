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
    check_paths,
    command_parser,
    conversion_of,
    require_task,
    split_words,
)
from people_in_video.demo_data import demo_reference
from people_in_video.home_loaded import AnyHomeLoaded, HomeLoaded, of_kind
from people_in_video.references.loading import prepared_folder
from people_in_video.tools.conversion import read_submission
from scoring_program.report import page
from scoring_program.result import Result
from scoring_program.run import BROKEN, INVALID, SCORED, load_folder, run
from scoring_program.task import Task, load_task
from validator import console
from validator.codes import explain_code
from validator.findings import Refused, note_lines

_NOTHING_FOUND = "nothing looks like a mistake"
_EXAMPLES = """\
  people-in-video explain my.zip --reference my_annotations
  people-in-video explain E-FILE-NONE
  people-in-video explain E-CSV-RANGE N-CSV-CUT
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    what = "Say what would make a submission fit its reference, or what the codes of messages mean."
    parser = command_parser("explain", "[ID] SUBMISSION | CODE ...", what, _EXAMPLES)
    parser.add_argument("words", nargs="+", metavar="WORD", help="a submission, or what messages begin with")
    add_reference_options(parser, "default: the demo reference of the kit")
    add_conversion_options(parser, "frame rates for seconds; default: those of the reference")
    options = parser.parse_args(arguments)
    try:
        task, paths = split_words(options.words)
        if task or paths[0].exists():
            return _explain_submission(parser, task, paths, options)
        return _explain_codes(parser, options.words)
    except console.OutputError as error:
        console.report(error)
        return BROKEN


def _explain_codes(parser: argparse.ArgumentParser, codes: Sequence[str]) -> int:
    try:
        explanations = [explain_code(code) for code in codes]
    except ValueError as error:
        parser.error(str(error))
    console.say(*explanations)
    return SCORED


def _explain_submission(
    parser: argparse.ArgumentParser, task: str, paths: Sequence[Path], options: argparse.Namespace
) -> int:
    check_paths(parser, paths, options)
    if len(paths) != 1:
        parser.error("name one submission")
    try:
        task = task or require_task(parser, paths[0])
        reference = options.reference or demo_reference(task)
        load = partial(_load, task, reference, options.cache)
        conversion = conversion_of(parser, options)
        with (
            read_submission(task, paths[0], conversion, reference) as readable,
            tempfile.TemporaryDirectory() as output,
        ):
            outcome = run(load, readable.path, Path(output), at_home=True)
    except Refused as refused:
        console.say(str(refused), to=sys.stderr)
        return INVALID
    if outcome.result is not None:
        console.say(*note_lines(readable.notes), *_lines(load_task(task), outcome.result))
    return outcome.exit_code


def _load(task: str, reference: Path, cache: Path | None) -> AnyHomeLoaded:
    folder = prepared_folder(load_task(task), reference, cache)
    settings = {"detail": "full", "interval": False}
    return of_kind(HomeLoaded, load_folder(task, folder, settings, is_limited=True))


def _lines(task: Task, result: Result) -> list[str]:
    """Return the score, and what may be wrong."""
    return [page.score_line(task, result.shown), *(note_lines(result.notes) or [_NOTHING_FOUND])]


if __name__ == "__main__":
    sys.exit(main())
