"""Divide a reference into parts for phases."""

from __future__ import annotations

import argparse
import math

from organizer.commands.options import (
    UsageError,
    add_reference,
    add_task_id,
    at_least,
    given_path,
    worded,
)
from organizer.split import split_command


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    add_reference(parser, "none", required=True)
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: parts")
    help_text = (
        "two or three: shares of the public and the final, or of the development, test and final part; "
        "default: 30 70"
    )
    parser.add_argument("--shares", nargs="+", type=worded(_share), metavar="SHARE", help=help_text)
    help_text = "of the random numbers; default: 0"
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="N", help=help_text)
    help_text = "items that stay together: item,group"
    parser.add_argument("--groups", type=given_path, metavar="CSV", help=help_text)
    help_text = "the part of items that split.csv does not have"
    parser.add_argument("--new-to", default="", metavar="PART", help=help_text)
    help_text = "deal all items anew, also those that split.csv has"
    parser.add_argument("--again", action="store_true", help=help_text)
    parser.add_argument("--write", action="store_true", help="add the later phases to competition.yaml")
    help_text = "delete files in the parts that this command did not write, or that were edited"
    parser.add_argument("--replace", dest="replace_edited", action="store_true", help=help_text)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if options.shares and not 2 <= len(options.shares) <= 3:
        raise UsageError("argument --shares: give two or three, as in --shares 30 70")
    return split_command(**vars(options))


def _share(text: str) -> float:
    if not 0 < float(text) < math.inf:
        raise ValueError("it must be more than 0")
    return float(text)
