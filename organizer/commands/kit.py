"""Write the starting kit."""

from __future__ import annotations

import argparse

from organizer.bundle.kit import kit_command
from scoring_program.task import task_ids


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    help_text = "a kit for one task; default: for the tasks of competition.yaml"
    parser.add_argument("task_id", nargs="?", metavar="ID", choices=task_ids(), help=help_text)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return kit_command(options.task_id)
