"""Build the bundles."""

from __future__ import annotations

import argparse

from organizer.bundle import build
from organizer.commands.options import add_reference, add_zone


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reference(parser, "the synthetic demo data")
    help_text = "use demo data for the tasks that the reference does not hold"
    parser.add_argument("--demo", action="store_true", help=help_text)
    parser.add_argument("--format", dest="form", choices=["v2", "v1.5"], default="v2", help="default: v2")
    add_zone(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return build.build_command(**vars(options))
