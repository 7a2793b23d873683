"""Put the rankings of several tasks into one table."""

from __future__ import annotations

import argparse

from organizer import ROOT
from organizer.commands.options import given_path
from organizer.ranking.several_tasks import overall


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    help_text = "folders that rescore has written, one for each task"
    parser.add_argument("rankings", type=given_path, nargs="+", metavar="RANKING", help=help_text)
    help_text = "of the scores, in the order of the rankings; without them ranges of ranks are shown"
    parser.add_argument("--weights", type=float, nargs="+", default=[], metavar="W", help=help_text)
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: out/overall")


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return overall(options.rankings, options.weights, options.output or ROOT / "out" / "overall")
