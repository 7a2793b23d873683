"""Collect a finished competition to deposit it."""

from __future__ import annotations

import argparse

from organizer import ROOT
from organizer.archive import archive
from organizer.commands.options import add_ranking, given_path, ranking_name


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_ranking(parser)
    help_text = "the folder that report has written; default: out/report/ID"
    parser.add_argument("--report", type=given_path, metavar="DIR", help=help_text)
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: out/archive/ID")
    help_text = "add the reference, without its key, and items.csv"
    parser.add_argument("--with-reference", action="store_true", help=help_text)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    out, name = ROOT / "out", ranking_name(options.task_id, options.phase)
    return archive(
        options.task_id,
        ranking=options.ranking or out / "rescore" / name,
        report=options.report or out / "report" / name,
        output=options.output or out / "archive" / name,
        with_reference=options.with_reference,
    )
