"""Write and score baselines of a reference."""

from __future__ import annotations

import argparse

from organizer.baselines import baselines_command
from organizer.commands.options import add_reference, add_task_id, given_path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    add_reference(parser, "none", required=True)
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: out/baselines/ID")


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return baselines_command(options.task_id, options.reference, options.output)
