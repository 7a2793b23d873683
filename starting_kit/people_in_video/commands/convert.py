"""Write the submission that a file of another tool is: ``people-in-video convert ID SOURCE my.zip``.

Exit codes: 0 written; 1 the file cannot be converted, or the submission would not be valid; 2 it cannot be
read or written. In Python: ``from people_in_video import convert``.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from people_in_video.commands.options import command_parser
from people_in_video.errors import SubmissionError
from people_in_video.scoring import convert
from people_in_video.tools.conversion import LAST_NUMBER, UNITS, converter_of
from people_in_video.writing import size_text
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import task_ids
from validator import console
from validator.findings import note_lines

_EXAMPLES = [
    "  people-in-video convert ID results_of_a_tool.pth my.zip",
    "  people-in-video convert ID predictions.csv my.zip --unit seconds --public public_data.zip",
]


def main(arguments: list[str] | None = None, task: str = "") -> int:
    """Run the command line, which begins with the task unless it is given; return the exit code."""
    console.prepare()
    parser = _parser(task)
    options = parser.parse_args(arguments)
    if not options.source.exists():
        parser.error(f"there is no file or folder {options.source}")
    if options.public and not options.public.exists():
        parser.error(f"--public: there is no file or folder {options.public}")
    try:
        notes = convert(
            options.id, options.source, options.output, options.unit, options.public, options.image_id
        )
    except SubmissionError as error:
        console.say(str(error), "Nothing was written.", to=sys.stderr)
        return INVALID
    except OSError as error:
        if console.report_end(error):
            return BROKEN
        console.say(f"{error.filename or options.source}: {error.strerror}", to=sys.stderr)
        return BROKEN
    size = size_text(options.output.stat().st_size)
    console.say(*note_lines(notes), f"{options.output} was written and is valid ({size})")
    return SCORED


def _parser(task: str) -> argparse.ArgumentParser:
    convertible_tasks = {task_id: converter_of(task_id) for task_id in task_ids()}
    lines = ["files that are read:"]
    for task_id, converter in convertible_tasks.items():
        if converter is not None:
            lines.append(f"  {task_id:20}{converter.takes}")
    what = "Write the submission that a file of another tool is."
    parser = command_parser("convert", "ID SOURCE OUTPUT", what, "\n".join([*_EXAMPLES, "", *lines]))
    parser.set_defaults(id=task)
    if not task:
        parser.add_argument("id", choices=task_ids(), help="the task")
    parser.add_argument("source", type=Path, help="the file or folder of the other tool")
    parser.add_argument("output", type=Path, help="the zip to write, ready for uploading")
    what = "in what starts and ends are given; default: %(default)s"
    parser.add_argument("--unit", choices=UNITS, default=UNITS[0], help=what)
    what = "folder or zip file of the public data, with the frame rates that seconds need"
    parser.add_argument("--public", type=Path, metavar="PATH", help=what)
    what = "regular expression whose group is the id in the name of an image file; default: the last number"
    parser.add_argument("--image-id", type=_pattern, default=LAST_NUMBER, metavar="REGEX", help=what)
    return parser


def _pattern(text: str) -> str:
    """Return a regular expression with a group. Raises ArgumentTypeError."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"it is no regular expression ({error})") from None
    if not pattern.groups:
        raise argparse.ArgumentTypeError("put what is the id in parentheses, as in image_([0-9]+)")
    return text


if __name__ == "__main__":
    sys.exit(main())
