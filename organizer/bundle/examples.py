"""What a kit shows of a task: code that writes a submission, and further files.

``starting_kit/examples/<id>.yaml`` holds it for published tasks; that of a task of one's own is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from organizer import ROOT
from organizer.public_data import module_of
from scoring_program.task import Task
from validator.formats.rules import load_rules
from validator.strict_yaml import load_plain

_FOLDER = ROOT / "starting_kit" / "examples"


class Example(NamedTuple):
    """What a kit shows of a task.

    Attributes
    ----------
    write : str
        Code that writes ``my.zip`` for the demo reference, for the README and the notebook.
    files : sequence of str
        Files of ``starting_kit/<challenge>/`` for this task alone.
    """

    write: str
    files: Sequence[str] = ()


def example_of(task: Task) -> Example:
    """Return what a kit shows of a task."""
    path = _FOLDER / f"{task.id}.yaml"
    if not path.is_file():
        return Example(module_of(task.id).writing_code(task.id, load_rules(task.id)))
    data = load_plain(path.read_text(encoding="utf-8"))
    return Example(**data)
