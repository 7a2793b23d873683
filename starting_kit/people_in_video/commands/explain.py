"""Explain the code of a message: ``people-in-video explain E-FILE-NONE``. Exit code 2: there is none such."""

from __future__ import annotations

import sys

from people_in_video.commands.options import command_parser
from scoring_program.run import BROKEN, SCORED
from validator import console
from validator.codes import explain_code

_EXAMPLES = """\
  people-in-video explain E-FILE-NONE
  people-in-video explain E-CSV-RANGE N-CSV-CUT
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    parser = command_parser("explain", "CODE ...", "Print what the codes of messages mean.", _EXAMPLES)
    parser.add_argument("codes", nargs="+", metavar="CODE", help="what a message begins with")
    codes = parser.parse_args(arguments).codes
    try:
        explanations = [explain_code(code) for code in codes]
    except ValueError as error:
        parser.error(str(error))
    try:
        console.say(*explanations)
    except console.OutputError as error:
        console.report(error)
        return BROKEN
    return SCORED


if __name__ == "__main__":
    sys.exit(main())
