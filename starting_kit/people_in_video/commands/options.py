"""What the commands' parsers share."""

from __future__ import annotations

import argparse
from pathlib import Path

from scoring_program.settings import PROTOCOLS


def command_parser(command: str, description: str, examples: str) -> argparse.ArgumentParser:
    """Return the parser of a command, whose help ends with examples, a line each."""
    return argparse.ArgumentParser(
        prog=f"people-in-video {command}",
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_options(parser: argparse.ArgumentParser, output: str) -> None:
    """Add the options of commands that score; ``output`` is the default folder for the results."""
    what = "reference folder; default: the demo reference of the kit"
    parser.add_argument("--reference", type=Path, help=what)
    what = "where prepared references are kept; default: your cache folder"
    parser.add_argument("--cache", type=Path, help=what)
    parser.add_argument("--output", type=Path, default=Path(output), help="folder for the results")
    parser.add_argument("--protocol", choices=PROTOCOLS, help="default: what the reference says")
