"""Draw the scores of runs: ``people-in-video history``, after ``people-in-video score my.zip --run NAME``.

Exit code 2: there are no runs in the folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from people_in_video.commands.options import aligned, command_parser
from people_in_video.history import RUNS, draw_history
from scoring_program.run import BROKEN, SCORED
from validator import console
from validator.texts import quote

_FOLDER = "evaluation"
_EXAMPLES = """\
  people-in-video history
  people-in-video history my_runs --json
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    parser = _parser()
    options = parser.parse_args(arguments)
    if not (options.folder / RUNS).is_file():
        remedy = f"people-in-video score my.zip --run NAME --output {options.folder} writes it"
        parser.error(f"there is no {RUNS} in {options.folder}; {remedy}")
    try:
        page, runs = draw_history(options.folder)
        if options.json:
            console.say(json.dumps(runs, indent=1))
        elif options.quiet:
            console.say(str(page))
        else:
            rows = [["run", "score"], *([quote(run["run"]), run.get("score", "")] for run in runs)]
            console.say(*aligned(rows), f"page: {page}")
    except console.OutputError as error:
        console.report(error)
        return BROKEN
    return SCORED


def _parser() -> argparse.ArgumentParser:
    what = "Draw the scores of the runs in a folder, and print them."
    parser = command_parser("history", "[FOLDER]", what, _EXAMPLES)
    what = f"folder with {RUNS}; default: %(default)s"
    parser.add_argument("folder", nargs="?", type=Path, default=Path(_FOLDER), help=what)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print all columns of the runs as JSON")
    form.add_argument("-q", "--quiet", action="store_true", help="print the path of the page alone")
    return parser


if __name__ == "__main__":
    sys.exit(main())
