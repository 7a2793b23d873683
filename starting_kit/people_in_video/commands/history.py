"""Draw the scores of runs: ``people-in-video history``, after ``people-in-video score my.zip --run NAME``.

Exit code 2: there are no runs in the folder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from people_in_video.commands.options import aligned, command_parser
from people_in_video.errors import UsageError
from people_in_video.history import RUNS, Row, comparable_runs, draw_history, text_on_others
from scoring_program.run import SCORED
from validator import console
from validator.texts import quote

_FOLDER = "evaluation"
_EXAMPLES = """\
  people-in-video history
  people-in-video history my_runs --json
"""


def run(options: argparse.Namespace) -> int:
    """Draw the runs, and print them; return the exit code."""
    if not (options.folder / RUNS).is_file():
        remedy = f"people-in-video score my.zip --run NAME --output {options.folder} writes it"
        raise UsageError(f"there is no {RUNS} in {options.folder}; {remedy}")
    page, runs = draw_history(options.folder)
    if options.json:
        console.say(json.dumps(runs, indent=1))
    elif options.quiet:
        console.say(str(page))
    else:
        _print_runs(runs, page)
    return SCORED


def _print_runs(runs: Sequence[Row], page: Path) -> None:
    """Print the scores that the page draws, and how many are left out."""
    drawn_runs = comparable_runs(runs)
    rows = [["run", "score"]]
    rows += [[quote(run["run"]), run.get("score", "")] for run in drawn_runs]
    lines = aligned(rows)
    n_others = len(runs) - len(drawn_runs)
    if n_others:
        lines.append(text_on_others(n_others))
    console.say(*lines, f"page: {page}")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    description = "Draw the scores of the runs in a folder, and print them."
    parser = command_parser("history", "[FOLDER]", description, _EXAMPLES)
    help_text = f"folder with {RUNS}; default: {_FOLDER}"
    parser.add_argument("folder", nargs="?", type=Path, default=Path(_FOLDER), help=help_text)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print all columns of the runs as JSON")
    form.add_argument("-q", "--quiet", action="store_true", help="print the path of the page alone")
    return parser
