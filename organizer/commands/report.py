"""Write the files of a ranking for a paper or a site."""

from __future__ import annotations

import argparse

from organizer import ROOT
from organizer.commands.options import add_ranking, given_path, ranking_name
from organizer.matrix_memory import take_matrix_memory
from organizer.ranking.report import report


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_ranking(parser)
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: out/report/ID")


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    take_matrix_memory()
    out, name = ROOT / "out", ranking_name(options.task_id, options.phase)
    ranking = options.ranking or out / "rescore" / name
    return report(options.task_id, ranking, options.output or out / "report" / name)
