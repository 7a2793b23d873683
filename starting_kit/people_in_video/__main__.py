"""The command ``people-in-video``; ``python -m people_in_video`` is the same without installing."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from people_in_video import commands
from people_in_video.errors import MissingPackageError, UsageError
from scoring_program.signature import VERSION
from validator import console
from validator.argument_parser import Parser
from validator.texts import quote

COMMANDS = {
    "check": "check that a submission is well-formed",
    "score": "check and score a submission",
    "compare": "compare submissions: intervals and tests of their differences",
    "history": "draw the scores of runs, and print them",
    "explain": "say what would make a submission fit, or what the code of a message means",
    "convert": "write the submission that a file of another tool is",
}
"""The commands, each a module of its name with `build_parser` and `run`, and what they do."""
_EXAMPLES = """\
examples:
  people-in-video check my.zip
  people-in-video score my.zip --reference my_annotations
  people-in-video compare first.zip second.zip
  people-in-video explain E-FILE-NONE

people-in-video COMMAND --help shows the options of a command.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that the first argument names; return its exit code."""
    descriptions = "\n".join(f"  {name:10}{description}" for name, description in COMMANDS.items())
    parser = Parser(
        prog="people-in-video",
        description="Check, score and compare submissions at home, with the server's code.",
        epilog=f"commands:\n{descriptions}\n\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"people-in-video {VERSION}")
    parser.add_argument("command", nargs="?", choices=COMMANDS, metavar="COMMAND", help="see below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="those of the command")
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.error(f"name a command: {', '.join(COMMANDS)}")
    try:
        return run_command(options.command, options.arguments)
    except BrokenPipeError:
        raise
    except MissingPackageError as error:
        parser.exit(2, f"{error}\n")
    except (OSError, RecursionError) as error:
        # Such as a path that is longer than the system allows.
        path = quote(str(getattr(error, "filename", "") or "a path"))
        parser.error(f"{options.command}: {path}: {getattr(error, 'strerror', '') or 'it is too long'}")


def run_command(name: str, arguments: list[str]) -> int:
    """Run a command; return its exit code. SystemExit with 2 ends one that cannot be understood."""
    console.prepare()
    module = import_module(f"{commands.__name__}.{name}")
    parser = module.build_parser()
    options = parser.parse_intermixed_args(arguments)
    try:
        exit_code: int = module.run(options)
    except UsageError as error:
        parser.error(str(error))
    except console.OutputError as error:
        console.report(error)
        return 2
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
