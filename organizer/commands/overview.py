"""Show what the references of a bundle hold."""

from __future__ import annotations

import argparse

from organizer.commands.options import add_images, given_path
from organizer.runs.built import overview_command


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("bundle", type=given_path, metavar="BUNDLE", help="dist/x.zip")
    add_images(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return overview_command(options.bundle, options.images, options.image_size)
