"""Adding a task to competition.yaml and taking it out: what else is there stays, comments and blanks included."""

from __future__ import annotations

import difflib

import pytest
import yaml

from organizer.bundle.edit import with_task, without_task
from tests.helpers import ROOT

OURS = (ROOT / "competition.yaml").read_text(encoding="utf-8")
TITLE = 'Birds: "calls" & more'
# The shortest one, in other styles: blocks and flows, comments behind and after entries, a block of text at the end.
OTHER = """\
pages:
- title: a
  file: a.md  # the first

# Tasks
tasks:
    - index: 3
      scoring_program: a_program.zip
      description: |
        Two

        lines.

# One phase
phases:
- tasks:  # by index
  - 3
  max_submissions_per_day: 0
- {tasks: [3], max_submissions: 7}
"""


def changed_lines(before, after):
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_only_the_lines_of_the_task_and_of_its_phase_change():
    added = changed_lines(OURS, with_task(OURS, "bird_calls", TITLE, "Which?"))
    assert [line for line in added if line[0] == "-"] == [
        "-     max_submissions_per_day: 30",
        "-     max_submissions: 600",
        "-     tasks: [0, 1, 2, 3, 4, 5]",
    ]
    assert len(added) == 3 + 3 + 7
    data = yaml.safe_load(with_task(OURS, "bird_calls", TITLE, "Which?"))
    assert data["pages"][-1] == {"title": TITLE, "file": "pages/bird_calls.md"}
    assert data["tasks"][-1] == {
        "index": 6, "name": TITLE, "description": "Which?",
        "scoring_program": "bird_calls_program.zip", "reference_data": "bird_calls_reference.zip",
    }  # fmt: skip
    assert data["solutions"][-1] == {"index": 6, "name": TITLE, "path": "bird_calls_sample.zip", "tasks": [6]}
    (phase,) = data["phases"]
    assert (phase["max_submissions_per_day"], phase["max_submissions"], phase["tasks"]) == (
        35,
        700,
        [*range(7)],
    )


@pytest.mark.parametrize("first", ["bird_calls", "owls"])
def test_two_tasks_are_taken_out_in_any_order(first):
    both = with_task(with_task(OURS, "bird_calls", TITLE, "Which?"), "owls", "Owls", "Who?")
    left = without_task(both, first)
    assert left.count("owls" if first == "owls" else "bird_calls") == 0
    assert without_task(left, "owls" if first == "bird_calls" else "bird_calls") == OURS
    assert without_task(OURS, first) == OURS


def test_edits_of_other_entries_stay():
    after = with_task(OURS, "bird_calls", TITLE, "Which?")
    for old, new in (
        ("hide_output: false", "hide_output: true # mine"),
        ("Which?", "Which one?"),
        ("35", "45"),
    ):
        after = after.replace(old, new)
    mine = OURS.replace("hide_output: false", "hide_output: true # mine").replace("30", "40")
    assert without_task(after, "bird_calls") == mine


def test_other_styles_of_yaml():
    after = with_task(OTHER, "b", "B", "Which?")
    assert yaml.safe_load(after) == {
        "pages": [{"title": "a", "file": "a.md"}, {"title": "B", "file": "pages/b.md"}],
        "tasks": [
            {"index": 3, "scoring_program": "a_program.zip", "description": "Two\n\nlines.\n"},
            {"index": 4, "name": "B", "description": "Which?", "scoring_program": "b_program.zip",
             "reference_data": "b_reference.zip"},
        ],
        "phases": [{"tasks": [3, 4], "max_submissions_per_day": 0}, {"tasks": [3], "max_submissions": 7}],
    }  # fmt: skip
    assert "  file: a.md  # the first\n- {title" in after
    assert "\n\n# One phase\nphases:" in after
    assert without_task(after, "b") == OTHER
