"""The commands of organizers: ``python -m organizer COMMAND``, with ``--help`` for each."""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import zipfile
from importlib import import_module

from organizer import commands
from organizer.commands.options import UsageError
from organizer.errors import InputError
from organizer.listener import Listener
from validator import console
from validator.argument_parser import Parser
from validator.findings import Refused
from validator.texts import printable, quote_path

COMMANDS = {
    "prepare": "check reference files, write a folder, and show what is in it",
    "public-data": "write the part of reference files that participants may have",
    "baselines": "write and score baselines of a reference",
    "split": "divide a reference into two or three parts, for phases",
    "start": "start a competition of one task, to be edited",
    "bundle": "build the bundles into dist/",
    "kit": "write the starting kit as a folder and as wheels",
    "lint": "check bundles before they are uploaded",
    "overview": "show what the references of a bundle hold",
    "dry-run": "run the built program on a submission as the platform does",
    "rescore": "score all submissions with the built program and rank the teams",
    "overall": "put the rankings of several tasks into one table",
    "report": "write a ranking for a paper, and a page for each team",
    "archive": "collect a finished competition in a folder to deposit for a DOI",
    "demo": "score the samples of all tasks against the demo reference",
    "new-task": "write a new task that works at once",
    "undo-new-task": "take back what new-task wrote",
    "messages": "write docs/messages.md from the tables of codes",
}
"""The commands, each a module of `organizer.commands`, and what they do."""
_LONGEST_PATH = 1000
_EXAMPLES = """\
examples:
  python -m organizer prepare ID --source ../my_files
  python -m organizer bundle --reference refs
  python -m organizer dry-run ID my.zip

python -m organizer COMMAND --help shows the options of a command; docs/commands.md describes all.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that the first argument names, and return its exit code.

    It is 1 if its input is refused, and 2 if the disk, the memory or another program does not do its part.
    SystemExit with 2 ends a command that cannot be understood.
    """
    descriptions = "\n".join(f"  {name:14}{description}" for name, description in COMMANDS.items())
    parser = Parser(
        prog="python -m organizer",
        description="Tools for organizers.",
        epilog=f"commands:\n{descriptions}\n\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="see below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="those of the command")
    options = parser.parse_args(arguments)
    return _run_command(options.command, options.arguments)


def _run_command(name: str, arguments: list[str]) -> int:
    # Only the module that is needed is imported, so that commands begin at once.
    module = import_module(f"{commands.__name__}.{name.replace('-', '_')}")
    parser = Parser(prog=f"python -m organizer {name}", description=f"{COMMANDS[name]}.")
    module.add_options(parser)
    options = parser.parse_args(arguments)
    try:
        exit_code: int = module.run(options)
    except UsageError as error:
        parser.error(str(error))
    except InputError as error:
        print(*map(printable, error.args), sep="\n")
        return 1
    except Refused as refused:
        print(*refused.findings.lines(), sep="\n", file=sys.stderr)
        return 1
    except Exception as error:
        if not _report_end(error):
            raise
        return 2
    return exit_code


def _report_end(error: Exception) -> bool:
    """Report in a line why a command cannot go on; return False, without a line, if its code is at fault."""
    if console.report_end(error):
        return True
    if isinstance(error, OSError):
        place = f": {quote_path(str(error.filename), _LONGEST_PATH)}" if error.filename else ""
        text = f"the work cannot go on: {error.strerror or error}{place}; check the path and its permissions"
    elif isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # until Python 3.12
        text = f"the work cannot go on: {error}; check the path"
    elif isinstance(error, zipfile.BadZipFile):
        text = f"the work cannot go on: a zip in the bundle is damaged ({error}); build it with: make bundle"
    elif isinstance(error, subprocess.CalledProcessError):
        program = " ".join(map(str, error.cmd))
        text = f"the work cannot go on: this program ended with {error.returncode}: {program}"
    else:
        return False
    print(printable(text), file=sys.stderr)
    return True


def _command() -> int:
    """Run `main` from a shell, where the reader of the output may go away (``| head``) during the work."""
    if sys.platform == "win32":
        print("these tools need Linux or macOS; on Windows use WSL", file=sys.stderr)
        return 2
    console.prepare()
    try:
        if sys.stdout is None:  # the shell closed it
            return main()
        with contextlib.redirect_stdout(Listener(sys.stdout)):
            code = main()
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(_command())
