"""The files of submissions, with a folder for each challenge: rules (``<task>.yaml``), JSON Schemas, and a
reader.

Tasks are those whose rules are here.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from validator.rules import Format, Rules, parse_rules

_FOLDER = Path(__file__).parent


def task_ids() -> list[str]:
    """Return the ids of the tasks that have rules here, in ascending order."""
    return sorted(path.stem for path in _FOLDER.glob("*/*.yaml"))


def load_rules(task_id: str) -> Rules:
    """Read the rules of a task. Raises FileNotFoundError for an unknown id."""
    for path in _FOLDER.glob(f"*/{task_id}.yaml"):
        return parse_rules(path)
    raise FileNotFoundError(f"there are no rules of {task_id}")


def load_format(task_id: str) -> tuple[Format[Any], Rules]:
    """Return the format of a task, which reads its submissions, and its rules. Raises as `load_rules`."""
    rules = load_rules(task_id)
    module = importlib.import_module(f"validator.formats.{rules.folder.name}.read")
    return module.FORMAT, rules
