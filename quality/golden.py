"""Skeletons of golden cases: everything but the numbers, which must come from elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from organizer.files import folder_files, write_files
from quality import ROOT
from scoring_program.settings import PROTOCOLS
from validator.checking import load_format

_WHAT = "EDIT: what the case is about, in a sentence"


def golden_command(task_id: str, folder: Path, name: str) -> int:
    """Write a case from ``ref/`` and ``res/`` in a folder; return 1 if it cannot be written.

    Raises Refused if the submission does not follow the rules of the task.
    """
    case = ROOT / "tests" / "golden" / task_id / (name or folder.resolve().name)
    reference = folder_files(folder / "ref")
    submission = folder_files(folder / "res")
    if not (reference and submission):
        missing_folder = "res" if reference else "ref"
        folders = "ref/ (a reference) and res/ (the files of a submission, not zipped)"
        return _fail(f"there is no {missing_folder}/ with files in {folder}; put {folders} there")
    if case.exists():
        return _fail(f"{case.relative_to(ROOT)} exists; give another --name")
    form, rules = load_format(task_id)
    form.read(folder / "res", rules)
    write_files(reference, case / "ref")
    write_files(submission, case / "res")
    text = json.dumps({"what": _WHAT, **_numbers_to_fill_in(case.parent)}, indent=1)
    (case / "expected.json").write_text(text + "\n", encoding="utf-8")
    print(f"written: {case.relative_to(ROOT)}")
    print(
        "left to edit in expected.json: what the case is about, and a number for each null. Take the numbers"
    )
    print("from a script or a computation by hand, never from this program, with 10 decimals or all")
    return 0


def _numbers_to_fill_in(cases: Path) -> dict[str, dict[str, None]]:
    """Return null for each number that the first of the other cases of a task has."""
    other_cases = sorted(cases.glob("*/expected.json"))
    example: dict[str, Any] = {"published": ["score", "coverage"]}
    if other_cases:
        example = json.loads(other_cases[0].read_text(encoding="utf-8"))
    return {protocol: dict.fromkeys(example[protocol]) for protocol in PROTOCOLS if example.get(protocol)}


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1
