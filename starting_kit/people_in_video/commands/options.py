"""What the commands' parsers share: usage, examples, tasks that may be left out, and common options."""

from __future__ import annotations

import argparse
import difflib
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from people_in_video.demo_data import default_task
from people_in_video.errors import UsageError
from people_in_video.item_list import check_known, read_items
from people_in_video.references.loading import load
from people_in_video.telling_task import tasks_of_submission
from people_in_video.tools.conversion import UNITS, ConversionOptions
from scoring_program.run import BROKEN, INVALID
from scoring_program.settings import PROTOCOLS
from scoring_program.signature import VERSION
from scoring_program.task import task_ids
from validator import console
from validator.argument_parser import Parser
from validator.findings import Findings, Note


def command_parser(command: str, words: str, description: str, examples: str) -> argparse.ArgumentParser:
    """Return the parser of a command.

    Parameters
    ----------
    command, words : str
        The name of the command, and what follows it, as ``[ID] SUBMISSION``.
    description, examples : str
        What the help begins and ends with; examples are lines.
    """
    parser = Parser(
        prog=f"people-in-video {command}",
        usage=f"people-in-video {command} {words} [options]",
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"people-in-video {VERSION}")
    return parser


def add_words(parser: argparse.ArgumentParser, submissions: str) -> None:
    """Add the task, which may be left out, and the submissions, in words, that follow it."""
    help_text = f"{submissions}; before it the task, unless the files tell it: {', '.join(task_ids())}"
    parser.add_argument("words", nargs="*", metavar="[ID] SUBMISSION", help=help_text)


def add_scoring_options(parser: argparse.ArgumentParser, output: str) -> None:
    """Add the options of commands that score; ``output`` is the default folder for the results."""
    add_reference_options(parser, "default: the demo reference of the kit")
    help_text = "folder for the results; default: %(default)s"
    parser.add_argument("--output", type=Path, default=Path(output), metavar="DIR", help=help_text)
    parser.add_argument("--protocol", choices=PROTOCOLS, help="default: what the reference says")
    selection = parser.add_mutually_exclusive_group()
    help_text = "score these items only: a text file with an id a line; the signature says so"
    selection.add_argument("--items", type=Path, metavar="FILE", help=help_text)
    help_text = "score the first N items of the reference only; the signature says so"
    selection.add_argument("--first", type=_positive, metavar="N", help=help_text)


def add_reference_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the options of commands that read a reference; ``default`` says what happens without one."""
    help_text = f"reference folder; {default}"
    parser.add_argument("--reference", type=Path, metavar="DIR", help=help_text)
    help_text = "where prepared references are kept; default: your cache folder"
    parser.add_argument("--cache", type=Path, metavar="DIR", help=help_text)


def add_conversion_options(parser: argparse.ArgumentParser, public: str) -> None:
    """Add what files of other tools do not say; ``public`` says what public data is for."""
    options = parser.add_argument_group("for files of other tools")
    help_text = "in what starts and ends are given; default: %(default)s"
    options.add_argument("--unit", choices=UNITS, default=UNITS[0], help=help_text)
    options.add_argument(
        "--public", type=Path, metavar="PATH", help=f"folder or zip of public data: {public}"
    )
    help_text = "leave out what has a lower score"
    options.add_argument("--min-score", type=_finite, metavar="S", help=help_text)
    help_text = "the number of the first class; default: %(default)s"
    options.add_argument("--first-class", type=int, choices=(0, 1), default=1, help=help_text)
    help_text = (
        "in what boxes are: 640x360 (a size of all frames), 0-1000, 0-1, original (pixels of the video)"
    )
    options.add_argument("--boxes", default="", metavar="FORM", help=help_text)
    help_text = "CSV file with video,width,height, which 0-1000, 0-1 and original need"
    options.add_argument("--sizes", type=Path, metavar="FILE", help=help_text)


def conversion_of(options: argparse.Namespace) -> ConversionOptions:
    """Return the options of `add_conversion_options`. Raises UsageError if a file is not there."""
    for name in ("public", "sizes"):
        path = getattr(options, name)
        if path and not path.exists():
            raise UsageError(f"--{name}: there is no file or folder {path}")
    return ConversionOptions(**{name: getattr(options, name) for name in ConversionOptions._fields})


def _finite(text: str) -> float:
    """Return a finite number. Raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"it is {text!r}, not a number")
    return number


def add_print_options(
    parser: argparse.ArgumentParser, quiet: str, strict: str
) -> argparse._MutuallyExclusiveGroup:
    """Add the options on what is printed and on the exit code; the texts say what two of them do.

    Returns the group of the forms of what is printed, of which one may be asked for.
    """
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print everything as JSON")
    forms.add_argument("-q", "--quiet", action="store_true", help=quiet)
    parser.add_argument("--strict", action="store_true", help=strict)
    return forms


def _positive(text: str) -> int:
    """Return a whole number of 1 or more. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"it is {text!r}, not a whole number of 1 or more")
    return int(text)


def split_words(words: Sequence[str]) -> tuple[str, list[Path]]:
    """Return the task that words begin with, "" if they do not, and the paths that follow."""
    if words and words[0] in task_ids() and (len(words) > 1 or not Path(words[0]).exists()):
        return words[0], [Path(word) for word in words[1:]]
    return "", [Path(word) for word in words]


def check_paths(submissions: Sequence[Path], options: argparse.Namespace) -> None:
    """Raise UsageError if a submission, or the reference, is not there."""
    for path in submissions:
        if not path.exists():
            raise UsageError(f"there is no file or folder {path}; {_remedy(path)}")
    check_reference(options.reference)


def only_submission(submissions: Sequence[Path], options: argparse.Namespace) -> Path:
    """Return the one submission. Raises UsageError if there is none or another one."""
    check_paths(submissions, options)
    if len(submissions) != 1:
        raise UsageError("name one submission" if submissions else "name your zip file")
    return submissions[0]


def check_reference(reference: Path | None) -> None:
    """Raise UsageError if the folder of a reference is none."""
    if reference and not reference.exists():
        raise UsageError(f"--reference: there is no folder {reference}")
    if reference and not reference.is_dir():
        raise UsageError(f"--reference: {reference} is a file; name the folder that your annotations are in")


def _remedy(path: Path) -> str:
    """Return what to do about a path that is not there, which may be meant as a task."""
    nearest = difflib.get_close_matches(str(path), task_ids(), 1)
    if nearest:
        return f"did you mean the task {nearest[0]}?"
    return "check the path" if path.suffix else f"check the path; task ids here: {', '.join(task_ids())}"


def require_task(submission: Path) -> str:
    """Return the task that the files of a submission tell, or that of the kit.

    Raises UsageError if its files are those of several tasks, Refused if the submission cannot be opened, or
    holds no file of any task.
    """
    tasks = tasks_of_submission(submission)
    if len(tasks) == 1:
        return tasks[0]
    if default_task() in (tasks or task_ids()):
        return default_task()
    if not tasks:
        remedy = f"name the task first to see which files it needs: {' or '.join(task_ids())}"
        Findings().refuse("E-FILE-NONE", "no file is one of a submission", remedy, file=submission.name)
    raise UsageError(f"the files of {submission} do not tell the task; name it first: {' or '.join(tasks)}")


def selected_items(task: str, options: argparse.Namespace) -> list[str] | None:
    """Return the items of the reference that options select, None for all.

    Raises UsageError if there are none such, and ReferenceProblemsError.
    """
    if not options.items and not options.first:
        return None
    loaded = load(task, options.reference, options.cache, {})
    items = list(loaded.items[: options.first])
    try:
        if options.items:
            items = read_items(options.items)
            check_known(items, loaded.items, loaded.task.item)
        loaded.select_items(items)
    except (ValueError, NotImplementedError) as error:
        raise UsageError(f"{'--items' if options.items else '--first'}: {error}") from None
    except OSError as error:
        raise UsageError(f"--items: {options.items} cannot be read ({error.strerror})") from None
    return items


def report_failure(message: str, clear_outputs: Callable[[], None]) -> int:
    """Say why nothing was scored, and leave no outputs of an earlier run; return the exit code."""
    console.say(message, to=sys.stderr)
    try:
        clear_outputs()
    except console.OutputError as error:
        console.report(error)
        return BROKEN
    return INVALID


def report_mistakes(notes: Iterable[Note]) -> bool:
    """Say on stderr which notes tell of likely mistakes; return whether there is any."""
    codes = list(dict.fromkeys(note.code for note in notes if note.is_mistake))
    if codes:
        console.say(f"--strict: {', '.join(codes)}: look at these notes first", to=sys.stderr)
    return bool(codes)


def indented(lines: Sequence[str]) -> list[str]:
    """Return lines two blanks further to the right."""
    return [f"  {line}" for line in lines]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, its first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for first, *other_texts in rows:
        cells = [text.rjust(width) for text, width in zip(other_texts, widths[1:])]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return lines
