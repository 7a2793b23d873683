"""The commands of maintainers: ``python -m quality COMMAND``, with ``--help`` for each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run one of the commands and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m quality", description="Tools for maintainers.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    same = commands.add_parser("same", help="compare the outputs of this checkout with those of another")
    same.add_argument("checkout", type=Path, help="the folder of the other checkout")
    same.add_argument("ids", nargs="*", metavar="id", help="tasks to compare; default: all, and the bundles")
    options = parser.parse_args(arguments)
    from quality.same import run_same

    return run_same(options.checkout, options.ids)


if __name__ == "__main__":
    sys.exit(main())
