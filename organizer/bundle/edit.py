"""Adding a task to competition.yaml and taking it out again: all other text stays as it is.

Organizers write comments, indents and quotes of their own into the file, so it is not written anew from its
data. An edit replaces the characters between two places, which PyYAML gives for each node.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import yaml

from organizer.bundle.competition import Entry, refused

# The limits of a final phase, and what it takes over from the phase before.
_FINAL_LIMITS = {"max_submissions_per_day": 1, "max_submissions": 3}
_CARRIED = ("execution_time_limit", "hide_output", "starting_kit")
_DATE = "%Y-%m-%d %H:%M:%S"
_SECOND = "_2_reference.zip"


class _Edit(NamedTuple):
    """A text in place of the characters from ``start`` up to ``end``."""

    start: int
    end: int
    text: str


def with_task(text: str, task_id: str, title: str, summary: str) -> str:
    """Return the text of competition.yaml with a task of its first phase, its page and its sample."""
    nodes = _members(yaml.compose(text))
    data = yaml.safe_load(text)
    name = _quoted(title)
    index = _next_index(data["tasks"])
    task_lines = [
        f"index: {index}",
        f"name: {name}",
        f"description: {summary}",
        f"scoring_program: {task_id}_program.zip",
        f"reference_data: {task_id}_reference.zip",
    ]
    edits = [
        _append(text, nodes["pages"], [f"{{title: {name}, file: pages/{task_id}.md}}"]),
        _append(text, nodes["tasks"], task_lines),
        _add_to_phase(text, nodes["phases"].value[0], index),
    ]
    if data.get("solutions"):
        number = _next_index(data["solutions"])
        solution = f"{{index: {number}, name: {name}, path: {task_id}_sample.zip, tasks: [{index}]}}"
        edits.append(_append(text, nodes["solutions"], [solution]))
    return _apply(text, edits)


def without_task(text: str, task_id: str) -> str:
    """Return the text of competition.yaml without what `with_task` adds; what is not there is left out."""
    nodes = _members(yaml.compose(text))
    data = yaml.safe_load(text)
    program = f"{task_id}_program.zip"
    mark_of_entry = {
        "pages": ("file", f"pages/{task_id}.md"),
        "solutions": ("path", f"{task_id}_sample.zip"),
        "tasks": ("scoring_program", program),
    }
    edits = []
    for group, (key, value) in mark_of_entry.items():
        if group in nodes:
            for entry, node in zip(data[group] or (), nodes[group].value):
                if entry.get(key) == value:
                    edits.append(_remove(text, node))
    removed_indexes = [task["index"] for task in data["tasks"] if task["scoring_program"] == program]
    for phase, node in zip(data["phases"], nodes["phases"].value):
        for index in removed_indexes:
            if index in phase["tasks"]:
                edits.append(_remove_from_phase(text, node, index))
    return _apply(text, edits)


def with_final_phase(text: str, task_id: str, rule: str) -> str:
    """Return the text of competition.yaml with a second task of ``<id>_2_reference.zip`` in a final phase.

    The phase begins when the last one has ended; one that has such a task already gets this one, too.
    ``rule`` describes the phase. Raises Refused if the task is not there, is there already, or the last phase
    has no end.
    """
    nodes = _members(yaml.compose(text))
    data = yaml.safe_load(text)
    program, second_reference = f"{task_id}_program.zip", f"{task_id}{_SECOND}"
    tasks = [task for task in data["tasks"] if task.get("scoring_program") == program]
    if not tasks:
        raise refused("no task to split", "/tasks", id=task_id)
    if any(task.get("reference_data") == second_reference for task in tasks):
        raise refused("split already", "/tasks", id=task_id)
    index, name = _next_index(data["tasks"]), tasks[0]["name"]
    # Bundles of one task show the description of the task, not that of the phase.
    description = f"{tasks[0].get('description', '')} {rule}".strip()
    task_lines = [
        f"index: {index}",
        f"name: {_quoted(f'{name} (final)')}",
        f"description: {_quoted(description)}",
        f"scoring_program: {program}",
        f"reference_data: {second_reference}",
    ]
    edits = [_append(text, nodes["tasks"], task_lines)]
    last_phase, last_node = data["phases"][-1], nodes["phases"].value[-1]
    rule_of_task = f"{name}: {rule}"
    if _has_second_task(data, last_phase):
        edits += _join_phase(text, last_node, index, rule_of_task)
    else:
        phase_lines = _final_phase(last_phase, _next_index(data["phases"]), rule_of_task)
        edits.append(_append(text, nodes["phases"], [*phase_lines, f"tasks: [{index}]"]))
    return _apply(text, edits)


def _has_second_task(data: Entry, phase: Entry) -> bool:
    """Return whether a phase is a final one: it has a task with the second part of a reference."""
    second_tasks = {
        task["index"] for task in data["tasks"] if str(task.get("reference_data")).endswith(_SECOND)
    }
    return not second_tasks.isdisjoint(phase["tasks"])


def _join_phase(text: str, phase: yaml.Node, index: int, rule: str) -> list[_Edit]:
    """Return the edits that add a task and its rule to a final phase."""
    edits = [_add_to_phase(text, phase, index)]
    description = _members(phase).get("description")
    if description:
        longer = _quoted(f"{description.value.strip()} {rule}")
        edits.append(_Edit(description.start_mark.index, _end(text, description), longer))
    return edits


def _final_phase(last_phase: Entry, index: int, description: str) -> list[str]:
    """Return the lines of a phase that follows another, without its tasks. Raises Refused."""
    try:
        last_end = datetime.datetime.strptime(str(last_phase["end"]), _DATE)
    except (KeyError, ValueError):
        raise refused("no end to follow", "/phases") from None
    start = last_end + datetime.timedelta(seconds=1)
    end = last_end + datetime.timedelta(days=30)
    lines = [
        f"index: {index}",
        "name: Final phase",
        f"description: {_quoted(description)}",
        f'start: "{start:{_DATE}}"',
        f'end: "{end:{_DATE}}"',
    ]
    lines += [f"{key}: {limit}" for key, limit in _FINAL_LIMITS.items()]
    lines += [f"{key}: {json.dumps(last_phase[key])}" for key in _CARRIED if key in last_phase]
    return lines


def _next_index(entries: Sequence[Entry]) -> int:
    indexes = [int(entry.get("index", position)) for position, entry in enumerate(entries)]
    return 1 + max(indexes)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _add_to_phase(text: str, phase: yaml.Node, index: int) -> _Edit:
    """Return the edit that adds a task to a phase."""
    tasks = _task_list(phase)
    if not tasks.flow_style:
        return _append(text, tasks, [str(index)])
    return _Edit(tasks.start_mark.index, _end(text, tasks), str([*_indexes(tasks), index]))


def _remove_from_phase(text: str, phase: yaml.Node, index: int) -> _Edit:
    """Return the edit that takes a task out of a phase."""
    tasks = _task_list(phase)
    if not tasks.flow_style:
        return _remove(text, next(node for node in tasks.value if int(node.value) == index))
    others = [other for other in _indexes(tasks) if other != index]
    return _Edit(tasks.start_mark.index, _end(text, tasks), str(others))


def _task_list(phase: yaml.Node) -> yaml.SequenceNode:
    tasks = _members(phase)["tasks"]
    assert isinstance(tasks, yaml.SequenceNode)  # noqa: S101 - the schema says so
    return tasks


def _indexes(tasks: yaml.SequenceNode) -> list[int]:
    return [int(node.value) for node in tasks.value]


def _append(text: str, sequence: yaml.Node, lines: Sequence[str]) -> _Edit:
    """Return the edit that adds an entry of these lines to the end of a sequence, with its indent."""
    place = _line_end(text, sequence)
    indent = " " * sequence.start_mark.column
    return _Edit(place, place, f"\n{indent}- " + f"\n{indent}  ".join(lines))


def _remove(text: str, entry: yaml.Node) -> _Edit:
    """Return the edit that removes the lines of an entry of a sequence."""
    return _Edit(text.rindex("\n", 0, entry.start_mark.index), _line_end(text, entry), "")


def _members(node: yaml.Node | None) -> Mapping[str, yaml.Node]:
    assert node is not None  # noqa: S101 - there is a competition
    return {key.value: value for key, value in node.value}


def _end(text: str, node: yaml.Node) -> int:
    """Return where a node ends; the mark of a block is behind the comments that follow it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        node = last if isinstance(node, yaml.SequenceNode) else last[1]
    return len(text[: node.end_mark.index].rstrip())


def _line_end(text: str, node: yaml.Node) -> int:
    place = text.find("\n", _end(text, node))
    return len(text) if place < 0 else place


def _apply(text: str, edits: Iterable[_Edit]) -> str:
    """Return a text with all edits, from its end to its beginning, so that places before them stay."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
