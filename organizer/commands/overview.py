"""Show what the references of a bundle hold."""

from __future__ import annotations

import argparse

from organizer import ROOT
from organizer.commands.options import add_images, given_path
from organizer.runs.built import overview_command
from people_in_video.drawings.images import Images


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("bundle", type=given_path, metavar="BUNDLE", help="dist/x.zip")
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: out/overview")
    add_images(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    output = options.output or ROOT / "out" / "overview"
    return overview_command(options.bundle, output, Images(options.images, options.image_size))
