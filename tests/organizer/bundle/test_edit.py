"""Adding a task to competition.yaml and taking it out: what else is there stays, comments and blanks included."""

from __future__ import annotations

import difflib

import pytest
import yaml

from organizer.bundle.edit import with_phases_of_parts, with_task, without_task
from quality.competition import competition_text
from tests.helpers import refused

OURS = competition_text()
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
    added = changed_lines(OURS, with_task(OURS, "a_task", TITLE, "Which?"))
    gone = [line.split()[1] for line in added if line[0] == "-"]
    assert gone == ["tasks:"]
    assert len(added) == 1 + 1 + 7
    before, data = (yaml.safe_load(text) for text in (OURS, with_task(OURS, "a_task", TITLE, "Which?")))
    assert data["pages"][-1] == {"title": TITLE, "file": "pages/a_task.md"}
    index, number = (before[key][-1]["index"] + 1 for key in ("tasks", "solutions"))
    assert data["tasks"][-1] == {
        "index": index, "name": TITLE, "description": "Which?",
        "scoring_program": "a_task_program.zip", "reference_data": "a_task_reference.zip",
    }  # fmt: skip
    assert data["solutions"][-1] == {
        "index": number,
        "name": TITLE,
        "path": "a_task_sample.zip",
        "tasks": [index],
    }
    (old,), (new,) = before["phases"], data["phases"]
    assert new == {**old, "tasks": [*old["tasks"], index]}


@pytest.mark.parametrize(
    ("first", "second"), [("a_task", "owls"), pytest.param("owls", "a_task", marks=pytest.mark.slow)]
)
def test_two_tasks_are_taken_out_in_any_order(first, second):
    both = with_task(with_task(OURS, "a_task", TITLE, "Which?"), "owls", "Owls", "Who?")
    left = without_task(both, first)
    assert first not in left
    assert without_task(left, second) == OURS
    assert without_task(OURS, first) == OURS


@pytest.mark.parametrize("style", ["[]", "", " # none", " [] # none"])
def test_competition_without_its_only_task_gets_another_one(style):
    without = without_task(with_task(OTHER, "b", "B", "Which?"), "a")
    assert [phase["tasks"] for phase in yaml.safe_load(without)["phases"]] == [[4]]
    empty = yaml.safe_load(without_task(without, "b"))
    assert (empty["tasks"], [phase["tasks"] for phase in empty["phases"]]) == ([], [[]])
    text = f"pages:{style}\ntasks:{style}\nsolutions:{style}\nphases:\n- tasks:{style}\n  name: Main phase\n"
    data = yaml.safe_load(with_task(text.replace(":[]", ": []"), "b", "B", "Which?"))
    assert [len(data[group]) for group in ("pages", "tasks", "solutions")] == [1, 1, 1]
    assert data["phases"] == [{"tasks": [0], "name": "Main phase"}]
    assert data["solutions"][0]["tasks"] == [0]


def test_task_is_added_to_lists_in_one_line():
    page = "{title: A, file: pages/a.md}"
    task = "{index: 0, name: A, scoring_program: a_program.zip}"
    text = f"pages: [{page}] # mine\ntasks: [{task}]\nphases: [{{tasks: [0], name: Main phase}}]\n"
    with_both = with_task(text, "b", "B", "Which, and when?")
    assert f"pages: [{page}, " in with_both
    assert "# mine\n" in with_both
    data = yaml.safe_load(with_both)
    assert [page["file"] for page in data["pages"]] == ["pages/a.md", "pages/b.md"]
    assert [task["index"] for task in data["tasks"]] == [0, 1]
    assert data["phases"] == [{"tasks": [0, 1], "name": "Main phase"}]
    without = yaml.safe_load(without_task(with_both, "b"))
    assert without == yaml.safe_load(text)


def test_edits_of_other_entries_stay():
    after, mine = with_task(OURS, "a_task", TITLE, "Which?"), OURS
    for old, new in (
        ("hide_output: false", "hide_output: true # mine"),
        ("Which?", "Which one?"),
        ("Main phase", "Phase"),
    ):
        after, mine = after.replace(old, new), mine.replace(old, new)
    assert mine != OURS
    assert without_task(after, "a_task") == mine


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
    for comment in (
        "file: a.md  # the first\n",
        "\n\n# Tasks\n",
        "\n\n# One phase\n",
        "tasks:  # by index\n",
    ):
        assert comment in after
    assert "description: |\n" in after
    assert yaml.safe_load(without_task(after, "b")) == yaml.safe_load(OTHER)


@pytest.mark.parametrize("offset", ["", "  ", "      "])
def test_lists_keep_the_indent_of_the_file(offset):
    text = f"pages:\n{offset}- {{title: a, file: a.md}}\ntasks:\n{offset}- index: 3\n{offset}  scoring_program: a_program.zip\nphases:\n{offset}- tasks: [3]\n"
    after = with_task(text, "b", "B", "Which?")
    assert [line for line in changed_lines(text, after) if line[0] == "-"] == [f"- {offset}- tasks: [3]"]
    assert without_task(after, "b") == text


@pytest.mark.parametrize("summary", ["no", "2027-01-01", "a: b # c", "1:30"])
def test_summary_stays_text(summary):
    assert yaml.safe_load(with_task(OURS, "b", "B", summary))["tasks"][-1]["description"] == summary


@pytest.mark.parametrize(
    ("text", "where"), [("a: b: c", "line 1 column 5"), ("tasks: []\ntasks: []", "line 2 column 1")]
)
def test_text_that_cannot_be_edited_is_refused_with_its_place(text, where):
    (problem,) = refused(without_task, text, "b").problems
    assert (problem.code, problem.file, problem.where) == ("L-YAML", "competition.yaml", where)


def test_final_phase_follows_the_last_one_and_other_lines_stay():
    after = with_phases_of_parts(OURS, "chalearn_gesture", 'Other items: "yes"', ["final"])
    changed = changed_lines(OURS, after)
    assert {line[0] for line in changed} == {"+"}
    before, data = yaml.safe_load(OURS), yaml.safe_load(after)
    index = before["tasks"][-1]["index"] + 1
    (own,) = [task for task in before["tasks"] if task["scoring_program"] == "chalearn_gesture_program.zip"]
    name = f"{own['name']} (final)"
    assert data["tasks"][-1] == {
        **own, "index": index, "name": name, "reference_data": "chalearn_gesture_2_reference.zip",
        "description": f'{own["description"]} Other items: "yes"',
    }  # fmt: skip
    assert data["phases"][-1] == {
        "index": 1, "name": "Final phase", "description": f'{own["name"]}: Other items: "yes"',
        "start": "2028-01-01 00:00:00", "end": "2028-01-30 23:59:59",
        "max_submissions_per_day": 1, "max_submissions": 3, "execution_time_limit": 600, "hide_output": True,
        "starting_kit": "starting_kit.zip", "tasks": [index],
    }  # fmt: skip


def test_second_split_task_joins_the_final_phase():
    once = with_phases_of_parts(OURS, "chalearn_gesture", "a", ["final"])
    twice = with_phases_of_parts(once, "densepose", "b", ["final"])
    first, second = yaml.safe_load(once), yaml.safe_load(twice)
    (old, new) = first["phases"][-1], second["phases"][-1]
    assert len(second["phases"]) == len(first["phases"]) == 2
    assert new["tasks"] == [*old["tasks"], second["tasks"][-1]["index"]]
    assert new["description"] == f"{old['description']} COCO DensePose 2019: b"
    assert (new["max_submissions_per_day"], new["max_submissions"]) == (1, 3)
    assert without_task(twice, "no_such_task") == twice


def test_parts_of_one_kind_share_a_phase_whatever_their_numbers():
    three_parts = with_phases_of_parts(OURS, "chalearn_gesture", "a", ["test", "final"])
    both = with_phases_of_parts(three_parts, "densepose", "b", ["final"])
    data = yaml.safe_load(both)
    reference_of_index = {task["index"]: task["reference_data"] for task in data["tasks"]}
    names = [phase["name"] for phase in data["phases"]]
    offered = [[reference_of_index[index] for index in phase["tasks"]] for phase in data["phases"][1:]]
    starts = [phase["start"] for phase in data["phases"]]
    assert names == ["Main phase", "Test phase", "Final phase"]
    assert starts == sorted(starts)
    assert offered == [
        ["chalearn_gesture_2_reference.zip"],
        ["chalearn_gesture_3_reference.zip", "densepose_2_reference.zip"],
    ]
    third = yaml.safe_load(with_phases_of_parts(both, "kinetics_tps", "c", ["test", "final"]))
    assert [phase["name"] for phase in third["phases"]] == names
    assert [len(phase["tasks"]) for phase in third["phases"][1:]] == [2, 3]


def test_test_phase_after_a_final_one_is_refused():
    two_parts = with_phases_of_parts(OURS, "chalearn_gesture", "a", ["final"])
    (problem,) = refused(with_phases_of_parts, two_parts, "densepose", "b", ["test", "final"]).problems
    assert (problem.code, problem.where) == ("L-PHASE", "/phases")


@pytest.mark.parametrize("kinds", [(["final"], ["test", "final"]), (["test", "final"], ["final"])])
def test_other_number_of_parts_than_before_is_refused(kinds):
    former_kinds, new_kinds = kinds
    text = with_phases_of_parts(OURS, "chalearn_gesture", "a", former_kinds)
    (problem,) = refused(with_phases_of_parts, text, "chalearn_gesture", "a", new_kinds).problems
    assert (problem.code, problem.where) == ("L-TASK", "/tasks")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("L-TASK", OURS.replace("densepose_program.zip", "other.zip")),
        ("L-PHASE", OURS.replace('    end: "2027-12-31 23:59:59"\n', "")),
        ("L-PHASE", OURS.replace("2027-12-31 23:59:59", "soon")),
    ],
)
def test_final_phase_that_cannot_be_added_is_refused(code, text):
    (problem,) = refused(with_phases_of_parts, text, "densepose", "a", ["final"]).problems
    assert problem.code == code
