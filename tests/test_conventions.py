"""docs/conventions.md names a golden case for each decision; each case has such a row or is ordinary."""

from __future__ import annotations

import re

from tests.golden_cases import cases
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "conventions.md"
TASKS_OF_SECTION = {
    "ChaLearn LAP 2014: actions and gestures": ("chalearn_action", "chalearn_gesture"),
    "Kinetics-TPS": ("kinetics_tps",),
    "COCO DensePose 2019": ("densepose",),
    "ActivityNet-Entities": ("anet_entities_gt", "anet_entities_gen"),
}


# Cases that show no decision: ordinary data.
ORDINARY = re.compile(r"random-\w|b-random|sentences-\d|perfect-prediction")


def named_cases():
    """Return (task, case) for each case that a row names in its last cell: ``a`, `b` of `task`; `c` of `task```."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    rows = []
    for section in sections:
        tasks = TASKS_OF_SECTION[section.partition("\n")[0]]
        for line in section.splitlines():
            if not line.startswith("| ") or line.startswith("| The text "):
                continue
            last_cell = line.rstrip(" |").rpartition(" | ")[2]
            assert "`" in last_cell or last_cell.startswith("none: "), line
            for group in last_cell.split(";"):
                names, _, only_task = group.partition(" of ")
                tasks_of_group = [only_task.strip("` ")] if only_task else list(tasks)
                rows.extend(
                    (task, case) for task in tasks_of_group for case in re.findall(r"`([^`]+)`", names)
                )
    return rows


def test_decisions_and_golden_cases_name_each_other():
    in_rows = set(named_cases())
    in_folders = {(case.parent.name, case.name) for case in cases()}
    ordinary = {(task, name) for task, name in in_folders if ORDINARY.fullmatch(name)}
    assert {
        "rows without a case": in_rows - in_folders,
        "cases without a row": in_folders - in_rows - ordinary,
    } == {
        "rows without a case": set(),
        "cases without a row": set(),
    }
