"""Options that several commands share, and the types of what is given."""

from __future__ import annotations

import argparse
import contextlib
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from organizer import ROOT
from organizer.bundle.dates import find_zone
from organizer.runs.phase import folder_name
from people_in_video.drawings.images import image_size
from scoring_program.task import task_ids

_Value = TypeVar("_Value")

_PHASE = "the phase of competition.yaml; default: the only one, or that of the reference"
_REFERENCE = "folder with a reference folder for each task, or the folder of one task; default: {}"


class UsageError(Exception):
    """Options that do not go together."""


def add_task_id(parser: argparse.ArgumentParser) -> None:
    """Add the id of a task."""
    parser.add_argument("task_id", metavar="ID", choices=task_ids(), help="the task, as in pages/ID.md")


def add_reference(parser: argparse.ArgumentParser, default: str, required: bool = False) -> None:
    """Add the folder of references; ``default`` says what is taken without one."""
    help_text = _REFERENCE.format(default)
    parser.add_argument("--reference", type=given_path, required=required, metavar="DIR", help=help_text)


def add_phase(parser: argparse.ArgumentParser, help_text: str = _PHASE) -> None:
    """Add the name of a phase."""
    parser.add_argument("--phase", default="", metavar="NAME", help=help_text)


def add_ranking(parser: argparse.ArgumentParser) -> None:
    """Add the task, the phase, and the folder of a ranking that ``rescore`` has written."""
    add_task_id(parser)
    add_phase(parser, "the phase whose ranking it is; needed if there are several")
    help_text = "the folder that rescore has written; default: out/rescore/ID"
    parser.add_argument("--ranking", type=given_path, metavar="DIR", help=help_text)


def add_images(parser: argparse.ArgumentParser) -> None:
    """Add what is drawn behind the boxes of an overview."""
    help_text = "folder of images or frames, drawn behind the boxes of the overview"
    parser.add_argument("--images", type=given_path, metavar="DIR", help=help_text)
    help_text = "the size that the boxes belong to, if not that of the image files"
    parser.add_argument("--image-size", type=image_size, metavar="WxH", help=help_text)


def add_replacing(parser: argparse.ArgumentParser) -> None:
    """Add whether what others put into the output may be lost."""
    help_text = "delete files in the output that this command did not write, or that were edited"
    parser.add_argument("--replace", action="store_true", help=help_text)


def add_vocabulary(parser: argparse.ArgumentParser) -> None:
    """Add the file of all names."""
    help_text = "YAML or JSON: the names of each kind (class, part, state), for messages on unknown names"
    parser.add_argument("--vocabulary", type=given_path, metavar="FILE", help=help_text)


def ranking_name(task_id: str, phase: str) -> str:
    """Return the name of the folder in which rescore has put the ranking of a task in a phase."""
    name = f"{task_id}_{folder_name(phase)}" if phase else task_id
    # With one phase, rescore leaves it out of the name.
    return name if (ROOT / "out" / "rescore" / name).is_dir() else task_id


def given_path(text: str) -> Path:
    """Return a path that is not empty, as one of make would be whose variable is missing.

    Shells leave ``~`` as it is in quotes, which the Makefile writes, too.
    """
    if not text:
        raise argparse.ArgumentTypeError("it is empty; give a path")
    # Of an unknown user it is a name like others.
    with contextlib.suppress(RuntimeError):
        return Path(text).expanduser()
    return Path(text)


def existing_path(text: str) -> Path:
    """Return the path of a file or folder that there is."""
    path = given_path(text)
    try:
        is_there = path.exists()
    except (OSError, ValueError):
        is_there = False
    if not is_there:
        raise argparse.ArgumentTypeError(f"there is no file or folder {text}")
    return path


def at_least(least: int) -> Callable[[str], int]:
    """Return a type of options: whole numbers from ``least`` on."""

    def whole(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"it must be at least {least}")
        return int(text)

    return whole


def worded(parse: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a type of options that says what ``parse`` says when it raises ValueError."""

    def parse_or_say(text: str) -> _Value:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse_or_say


def add_zone(parser: argparse.ArgumentParser) -> None:
    """Add the time zone of the table of dates."""
    help_text = "a time zone for the table of dates, as Europe/Paris or +09:00"
    parser.add_argument("--zone", type=_zone, metavar="NAME", help=help_text)


def _zone(text: str) -> str:
    if find_zone(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time zone; give one as Europe/Paris or +09:00")
    return text


def day(text: str) -> datetime.date:
    """Return a day written as YYYY-MM-DD."""
    with contextlib.suppress(ValueError):
        return datetime.date.fromisoformat(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a day written as YYYY-MM-DD")
