"""Write the submission that a file of another tool is: ``people-in-video convert ID SOURCE my.zip``.

Exit codes: 0 written; 1 the file cannot be converted, or the submission would not be valid; 2 it cannot be
read or written, or the reference is wrong. In Python: ``from people_in_video import convert``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from people_in_video.commands.options import (
    add_conversion_options,
    check_reference,
    command_parser,
    conversion_of,
)
from people_in_video.errors import ReferenceProblemsError, SubmissionError, UsageError
from people_in_video.scoring import convert
from people_in_video.tools.conversion import converter_of
from people_in_video.writing import size_text
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import task_ids
from validator import console
from validator.findings import note_lines

_EXAMPLES = [
    "  people-in-video convert ID results_of_a_tool.pth my.zip",
    "  people-in-video convert ID segments.json my.zip --public public_data.zip --min-score 0.3",
    "  people-in-video convert ID answers.json my.zip --boxes 0-1000 --sizes sizes.csv",
]


def run(options: argparse.Namespace) -> int:
    """Convert a file; return the exit code."""
    if not options.source.exists():
        raise UsageError(f"there is no file or folder {options.source}")
    check_reference(options.reference)
    conversion = conversion_of(options)
    try:
        notes = convert(
            options.id, options.source, options.output, reference=options.reference, **conversion._asdict()
        )
    except SubmissionError as error:
        console.say(str(error), "Nothing was written.", to=sys.stderr)
        return INVALID
    except ReferenceProblemsError as error:
        console.say(f"The reference cannot be used, nothing was written:\n{error}", to=sys.stderr)
        return BROKEN
    except OSError as error:
        if console.report_end(error):
            return BROKEN
        console.say(f"{error.filename or options.source}: {error.strerror}", to=sys.stderr)
        return BROKEN
    size = size_text(options.output.stat().st_size)
    console.say(*note_lines(notes), f"{options.output} was written and is valid ({size})")
    return SCORED


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    lines = ["files that are read:"]
    for task_id in task_ids():
        converter = converter_of(task_id)
        takes = converter.takes if converter else "none: write predictions with the writer of the kit"
        lines.append(f"  {task_id:20}{takes}")
    description = "Write the submission that a file of another tool is."
    parser = command_parser("convert", "ID SOURCE OUTPUT", description, "\n".join([*_EXAMPLES, "", *lines]))
    parser.add_argument("id", choices=task_ids(), help="the task")
    parser.add_argument("source", type=Path, help="the file or folder of the other tool")
    parser.add_argument("output", type=Path, help="the zip to write, ready for uploading")
    help_text = "reference folder, whose frame rates seconds need"
    parser.add_argument("--reference", type=Path, metavar="DIR", help=help_text)
    add_conversion_options(parser, "frame rates for seconds")
    return parser
