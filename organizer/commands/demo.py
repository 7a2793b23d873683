"""Score all samples."""

from __future__ import annotations

import argparse

from organizer.runs.demo import run_demo


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    del parser  # it has none


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    del options
    return run_demo()
