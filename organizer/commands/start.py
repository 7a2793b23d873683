"""Start a competition of one task."""

from __future__ import annotations

import argparse

from organizer.bundle.start import start_command
from organizer.commands.options import add_task_id


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    parser.add_argument("--title", required=True, metavar="TEXT", help="of the competition")
    help_text = "replace files of which git has no clean state"
    parser.add_argument("--replace", action="store_true", help=help_text)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return start_command(task_id=options.task_id, title=options.title, replace=options.replace)
