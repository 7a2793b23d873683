"""Adding a task to competition.yaml and taking it out again: all other text stays as it is.

Organizers write comments, indents and quotes of their own into the file, so it is not written anew from its
data. An edit replaces the characters between two places, which PyYAML gives for each node.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import yaml

from organizer.bundle.competition import Entry, refused

# The limits of a phase with hidden data, and what it takes over from the phase before.
_FINAL_LIMITS = {"max_submissions_per_day": 1, "max_submissions": 3}
_CARRIED = ("execution_time_limit", "hide_output", "starting_kit")
_DATE = "%Y-%m-%d %H:%M:%S"
_PART_OF_REFERENCE = re.compile(r"(?P<id>.+)_(?P<part>[2-9])_reference\.zip")


class _Edit(NamedTuple):
    """A text in place of the characters from ``start`` up to ``end``."""

    start: int
    end: int
    text: str


class _Part(NamedTuple):
    """A task that has a part of a reference: its id, which part it is, and its index in competition.yaml."""

    id: str
    number: int
    task_index: object


def with_task(text: str, task_id: str, title: str, summary: str) -> str:
    """Return the text of competition.yaml with a task of its first phase, its page and its sample."""
    nodes = _members(yaml.compose(text))
    data = yaml.safe_load(text)
    name = _quoted(title)
    index = _next_index(data["tasks"] or ())
    task_lines = [
        f"index: {index}",
        f"name: {name}",
        f"description: {_quoted(summary)}",
        f"scoring_program: {task_id}_program.zip",
        f"reference_data: {task_id}_reference.zip",
    ]
    edits = [
        _append(text, nodes["pages"], [f"{{title: {name}, file: pages/{task_id}.md}}"]),
        _append(text, nodes["tasks"], task_lines),
        _add_to_phase(text, nodes["phases"].value[0], index),
    ]
    if "solutions" in data:
        number = _next_index(data["solutions"] or ())
        solution = f"{{index: {number}, name: {name}, path: {task_id}_sample.zip, tasks: [{index}]}}"
        edits.append(_append(text, nodes["solutions"], [solution]))
    return _apply(text, edits)


def without_task(text: str, task_id: str) -> str:
    """Return the text of competition.yaml without what `with_task` and `with_phases_of_parts` add.

    What is not there is left out. Only the first phase stays without any task.
    """
    root = yaml.compose(text)
    nodes = _members(root)
    data = yaml.safe_load(text)
    program = f"{task_id}_program.zip"
    mark_of_entry = {
        "pages": ("file", f"pages/{task_id}.md"),
        "solutions": ("path", f"{task_id}_sample.zip"),
        "tasks": ("scoring_program", program),
    }
    edits = []
    for group, (key, value) in mark_of_entry.items():
        removed = [place for place, entry in enumerate(data.get(group) or ()) if entry.get(key) == value]
        if removed:
            edits += _remove_entries(text, root, group, removed)
    tasks = data["tasks"] or ()
    removed_indexes = {task["index"] for task in tasks if task["scoring_program"] == program}
    phases_without_tasks = []
    for number, (phase, node) in enumerate(zip(data["phases"], nodes["phases"].value)):
        indexes = phase["tasks"] or ()
        removed = [place for place, index in enumerate(indexes) if index in removed_indexes]
        if number and removed and len(removed) == len(indexes):
            phases_without_tasks.append(number)
        elif removed:
            edits += _remove_entries(text, node, "tasks", removed)
    if phases_without_tasks:
        edits += _remove_entries(text, root, "phases", phases_without_tasks)
    return _apply(text, edits)


def with_phases_of_parts(text: str, task_id: str, rule: str, kinds: Sequence[str]) -> str:
    """Return the text of competition.yaml with a phase for each part of a reference but the first.

    A part joins the phase in which other tasks have a part of its kind. Without one, a new phase begins when
    the last one has ended. Parts that are there stay as they are.

    Parameters
    ----------
    text : str
    task_id : str
    rule : str
        What the phases tell participants, their description.
    kinds : sequence of str
        Name the phases and tasks of the parts from the second on: ``("test", "final")``. The task has
        ``<id>_2_reference.zip`` and so on.

    Raises
    ------
    Refused
        The task is not there, or was divided into another number of parts; or the last phase has no end; or
        the phase of a part would come after a final phase.
    """
    program = f"{task_id}_program.zip"
    data = yaml.safe_load(text)
    if not any(task.get("scoring_program") == program for task in data["tasks"] or ()):
        raise refused("no task to split", "/tasks", id=task_id)
    last_part = len(kinds) + 1
    former_parts = [part.number for part in _later_parts(data) if part.id == task_id]
    if former_parts and max(former_parts) != last_part:
        raise refused(
            "other number of parts", "/tasks", id=task_id, former=max(former_parts), wanted=last_part
        )
    for part, kind in enumerate(kinds, start=2):
        if part not in former_parts:
            text = _with_phase_of_part(text, task_id, rule, part, kind, is_last=part == last_part)
    return text


def _with_phase_of_part(text: str, task_id: str, rule: str, part: int, kind: str, is_last: bool) -> str:
    """Return the text of competition.yaml with the task of one part, in a phase. Raises Refused."""
    nodes = _members(yaml.compose(text))
    data = yaml.safe_load(text)
    program = f"{task_id}_program.zip"
    task = next(task for task in data["tasks"] if task.get("scoring_program") == program)
    index, name = _next_index(data["tasks"]), task["name"]
    # Bundles of one task show the description of the task, not that of the phase.
    description = f"{task.get('description', '')} {rule}".strip()
    task_lines = [
        f"index: {index}",
        f"name: {_quoted(f'{name} ({kind})')}",
        f"description: {_quoted(description)}",
        f"scoring_program: {program}",
        f"reference_data: {task_id}_{part}_reference.zip",
    ]
    edits = [_append(text, nodes["tasks"], task_lines)]
    rule_of_task = f"{name}: {rule}"
    final_indexes, earlier_indexes = _indexes_of_other_parts(data, task_id)
    phases = _phases_offering(data, nodes["phases"], final_indexes if is_last else earlier_indexes)
    if phases:
        edits += _join_phase(text, phases[0], index, rule_of_task)
    elif not is_last and _phases_offering(data, nodes["phases"], final_indexes):
        raise refused("phase before the final one", "/phases", id=task_id, kind=kind)
    else:
        title = f"{kind.capitalize()} phase"
        phase_lines = _phase_after(data["phases"], title, rule_of_task)
        edits.append(_append(text, nodes["phases"], [*phase_lines, f"tasks: [{index}]"]))
    return _apply(text, edits)


def _later_parts(data: Entry) -> list[_Part]:
    """Return the tasks that have a part of a reference, without the first parts."""
    parts = []
    for task in data["tasks"] or ():
        match = _PART_OF_REFERENCE.fullmatch(str(task.get("reference_data")))
        if match and task.get("scoring_program") == f"{match['id']}_program.zip":
            parts.append(_Part(match["id"], int(match["part"]), task["index"]))
    return parts


def _indexes_of_other_parts(data: Entry, task_id: str) -> tuple[set[object], set[object]]:
    """Return the indexes of the tasks that have the last part of another reference, and of those that have
    one between the first and the last."""
    parts = [part for part in _later_parts(data) if part.id != task_id]
    last_number_of_id: dict[str, int] = {}
    for part in parts:
        last_number_of_id[part.id] = max(part.number, last_number_of_id.get(part.id, 0))
    final_indexes = {part.task_index for part in parts if part.number == last_number_of_id[part.id]}
    return final_indexes, {part.task_index for part in parts} - final_indexes


def _phases_offering(data: Entry, phases: yaml.Node, indexes: set[object]) -> list[yaml.Node]:
    """Return the phases that offer one of the tasks with these indexes."""
    return [
        node
        for phase, node in zip(data["phases"], phases.value)
        if not indexes.isdisjoint(phase["tasks"] or ())
    ]


def _join_phase(text: str, phase: yaml.Node, index: int, rule: str) -> list[_Edit]:
    """Return the edits that add a task and its rule to a final phase."""
    edits = [_add_to_phase(text, phase, index)]
    description = _members(phase).get("description")
    if description:
        longer = _quoted(f"{description.value.strip()} {rule}")
        edits.append(_Edit(description.start_mark.index, _end(text, description), longer))
    return edits


def _phase_after(phases: Sequence[Entry], title: str, description: str) -> list[str]:
    """Return the lines of a phase that follows all others, without its tasks. Raises Refused."""
    last_phase = phases[-1]
    try:
        last_end = datetime.datetime.strptime(str(last_phase["end"]), _DATE)
    except (KeyError, ValueError):
        raise refused("no end to follow", "/phases") from None
    start = last_end + datetime.timedelta(seconds=1)
    end = last_end + datetime.timedelta(days=30)
    lines = [
        f"index: {_next_index(phases)}",
        f"name: {title}",
        f"description: {_quoted(description)}",
        f'start: "{start:{_DATE}}"',
        f'end: "{end:{_DATE}}"',
    ]
    lines += [f"{key}: {limit}" for key, limit in _FINAL_LIMITS.items()]
    lines += [f"{key}: {json.dumps(last_phase[key])}" for key in _CARRIED if key in last_phase]
    return lines


def _next_index(entries: Sequence[Entry]) -> int:
    indexes = [int(entry.get("index", position)) for position, entry in enumerate(entries)]
    return 1 + max(indexes, default=-1)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _add_to_phase(text: str, phase: yaml.Node, index: int) -> _Edit:
    """Return the edit that adds a task to a phase."""
    tasks = _members(phase)["tasks"]
    if _is_block(tasks):
        return _append(text, tasks, [str(index)])
    indexes = [int(node.value) for node in _entries(tasks)]
    return _set_value(text, phase, "tasks", str([*indexes, index]))


def _append(text: str, sequence: yaml.Node, lines: Sequence[str]) -> _Edit:
    """Return the edit that adds an entry of these lines to the end of a sequence, with its indent.

    One in brackets, whose key is at the start of a line, becomes a block.
    """
    end = _line_end(text, sequence)
    if _is_block(sequence):
        indent = " " * sequence.start_mark.column
        return _Edit(end, end, f"\n{indent}- " + f"\n{indent}  ".join(lines))
    former_entries = [_text_of(text, entry) for entry in _entries(sequence)]
    block = "".join(f"\n- {entry}" for entry in (*former_entries, "\n  ".join(lines)))
    after_key = len(text[: sequence.start_mark.index].rstrip())
    comment = text[_end(text, sequence) : end]
    return _Edit(after_key, end, comment + block)


def _remove_entries(text: str, mapping: yaml.Node | None, key: str, places: Sequence[int]) -> list[_Edit]:
    """Return the edits that take the entries at some places out of a sequence; one without any is ``[]``."""
    sequence = _members(mapping)[key]
    entries = _entries(sequence)
    kept = [entry for place, entry in enumerate(entries) if place not in places]
    if _is_block(sequence) and kept:
        return [_remove(text, entries[place]) for place in places]
    kept_texts = [_text_of(text, entry) for entry in kept]
    return [_set_value(text, mapping, key, f"[{', '.join(kept_texts)}]")]


def _remove(text: str, entry: yaml.Node) -> _Edit:
    """Return the edit that removes the lines of an entry of a sequence."""
    return _Edit(text.rindex("\n", 0, entry.start_mark.index), _line_end(text, entry), "")


def _set_value(text: str, mapping: yaml.Node | None, key: str, value: str) -> _Edit:
    """Return the edit that writes the value of a key in one line."""
    assert mapping is not None  # noqa: S101 - there is a competition
    key_node, value_node = next(pair for pair in mapping.value if pair[0].value == key)
    return _Edit(key_node.end_mark.index, _end(text, value_node), f": {value}")


def _text_of(text: str, node: yaml.Node) -> str:
    """Return what stands in a text for a node."""
    return text[node.start_mark.index : node.end_mark.index]


def _entries(sequence: yaml.Node) -> list[yaml.Node]:
    """Return the entries of a sequence, none of a key without a value."""
    return list(sequence.value) if isinstance(sequence, yaml.SequenceNode) else []


def _is_block(node: yaml.Node) -> bool:
    """Return whether the entries of a sequence have lines of their own."""
    return isinstance(node, yaml.SequenceNode) and not node.flow_style


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
