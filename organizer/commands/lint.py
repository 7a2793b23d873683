"""Check bundles before they are uploaded."""

from __future__ import annotations

import argparse

from organizer.bundle.lint import lint_command
from organizer.commands.options import add_zone, day, given_path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("bundles", nargs="*", type=given_path, metavar="BUNDLE", help="default: all in dist/")
    help_text = "fail on warnings, too, but for those about the data"
    parser.add_argument("--strict", action="store_true", help=help_text)
    help_text = "run programs of other builds, too, which may do anything that you may"
    parser.add_argument("--run", dest="run_samples", action="store_true", help=help_text)
    help_text = "warn of phases that are over on this day (make lint-bundle: today)"
    parser.add_argument("--date", type=day, metavar="YYYY-MM-DD", help=help_text)
    add_zone(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return lint_command(**vars(options))
