"""Take back what new-task wrote."""

from __future__ import annotations

import argparse

from organizer.new_task import undo_new_task


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("task_id", metavar="ID", help="the task")


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return undo_new_task(options.task_id)
