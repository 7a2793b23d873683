"""Write what participants may have of a reference."""

from __future__ import annotations

import argparse

from organizer.commands.options import add_replacing, add_task_id, add_vocabulary, given_path
from organizer.data.public_data import public_data_command
from organizer.data.sources import unpacked_source


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    parser.add_argument(
        "--source", type=given_path, required=True, metavar="DIR", help="your files, a folder or a zip"
    )
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: refs/ID_public")
    add_replacing(parser)
    add_vocabulary(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    with unpacked_source(options.source) as source:
        return public_data_command(
            task_id=options.task_id,
            source=source,
            output=options.output,
            vocabulary=options.vocabulary,
            replace=options.replace,
        )
