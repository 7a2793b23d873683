"""docs/conventions.md names a golden case for each decision; each of them exists and is one of the tests."""

from __future__ import annotations

import re

import pytest

from tests.golden_cases import cases
from tests.helpers import GOLDEN, ROOT

PAGE = ROOT / "docs" / "conventions.md"
TASKS_OF_SECTION = {
    "ChaLearn LAP 2014: actions and gestures": ("chalearn_action", "chalearn_gesture"),
    "Kinetics-TPS": ("kinetics_tps",),
    "COCO DensePose 2019": ("densepose",),
    "ActivityNet-Entities": ("anet_entities_gt", "anet_entities_gen"),
}


def named_cases():
    """Return (task, case) for each case that a row names in its last cell."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    rows = []
    for section in sections:
        tasks = TASKS_OF_SECTION[section.partition("\n")[0]]
        for line in section.splitlines():
            if not line.startswith("| ") or line.startswith("| The text "):
                continue
            last_cell = line.rstrip(" |").rpartition(" | ")[2]
            names, _, only_task = last_cell.partition(" of ")
            tasks_of_row = [only_task.strip("`")] if only_task else list(tasks)
            case_names = re.findall(r"`([^`]+)`", names)
            assert case_names or last_cell.startswith("none: "), line
            rows.extend((task, case) for task in tasks_of_row for case in case_names)
    return rows


@pytest.mark.parametrize(("task", "case"), named_cases())
def test_each_decision_has_its_golden_case(task, case):
    assert GOLDEN / task / case in cases(task)


def test_all_challenges_have_a_section():
    assert {task for task, _ in named_cases()} >= {
        task for tasks in TASKS_OF_SECTION.values() for task in tasks
    }
