"""Adding a task to competition.yaml and taking it out again: all other text stays as it is."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence

import yaml

from organizer.bundle.competition import Entry, refused

# The limits of a final phase, and what it takes over from the phase before.
_FINAL_LIMITS = {"max_submissions_per_day": 1, "max_submissions": 3}
_CARRIED = ("execution_time_limit", "hide_output", "starting_kit")
_DATE = "%Y-%m-%d %H:%M:%S"
_SECOND = "_2_reference.zip"

Edit = tuple[int, int, str]


def with_task(text: str, task_id: str, title: str, summary: str) -> str:
    """Return the text of competition.yaml with a task of its first phase, its page and its sample."""
    top, data = _members(yaml.compose(text)), yaml.safe_load(text)
    name, index = _quoted(title), _next_index(data["tasks"])
    task = [f"index: {index}", f"name: {name}", f"description: {summary}"]
    task += [f"scoring_program: {task_id}_program.zip", f"reference_data: {task_id}_reference.zip"]
    entries = {"pages": [f"{{title: {name}, file: pages/{task_id}.md}}"], "tasks": task}
    if data.get("solutions"):
        number = _next_index(data["solutions"])
        path = f"path: {task_id}_sample.zip"
        entries["solutions"] = [f"{{index: {number}, name: {name}, {path}, tasks: [{index}]}}"]
    edits = [_appended(text, top[key], lines) for key, lines in entries.items()]
    edits.append(_in_phase(text, top["phases"].value[0], index, add=True))
    return _edited(text, edits)


def without_task(text: str, task_id: str) -> str:
    """Return the text of competition.yaml without what `with_task` adds; what is not there is left out."""
    top, data, edits = _members(yaml.compose(text)), yaml.safe_load(text), list[Edit]()
    known = {"file": f"pages/{task_id}.md", "path": f"{task_id}_sample.zip"}
    known["scoring_program"] = f"{task_id}_program.zip"
    for key in {"pages", "solutions", "tasks"} & top.keys():
        for entry, node in zip(data[key] or (), top[key].value):
            if any(entry.get(name) == value for name, value in known.items()):
                edits.append(_removed(text, node))
    gone = [task["index"] for task in data["tasks"] if task["scoring_program"] == known["scoring_program"]]
    for phase, node in zip(data["phases"], top["phases"].value):
        edits += [_in_phase(text, node, index, add=False) for index in gone if index in phase["tasks"]]
    return _edited(text, edits)


def with_final_phase(text: str, task_id: str, rule: str) -> str:
    """Return the text of competition.yaml with a second task of ``<id>_2_reference.zip`` in a final phase.

    The phase begins when the last one has ended; one that has such a task already gets this one, too.
    ``rule`` describes the phase. Raises Refused if the task is not there, is there already, or the last phase
    has no end.
    """
    top, data = _members(yaml.compose(text)), yaml.safe_load(text)
    own = [task for task in data["tasks"] if task.get("scoring_program") == f"{task_id}_program.zip"]
    second = f"{task_id}{_SECOND}"
    if not own or any(task.get("reference_data") == second for task in own):
        raise refused("split already" if own else "no task to split", "/tasks", id=task_id)
    index, described = _next_index(data["tasks"]), f"{own[0].get('description', '')} {rule}".strip()
    task = [f"index: {index}", f"name: {_quoted(own[0]['name'] + ' (final)')}"]
    # Bundles of one task show the description of the task, not that of the phase.
    task += [f"description: {_quoted(described)}"]
    rule = f"{own[0]['name']}: {rule}"
    task += [f"scoring_program: {task_id}_program.zip", f"reference_data: {second}"]
    edits = [_appended(text, top["tasks"], task)]
    last, node = data["phases"][-1], top["phases"].value[-1]
    final = {task["index"] for task in data["tasks"] if str(task.get("reference_data")).endswith(_SECOND)}
    if final.isdisjoint(last["tasks"]):
        lines = _final_phase(last, _next_index(data["phases"]), rule)
        return _edited(text, [*edits, _appended(text, top["phases"], [*lines, f"tasks: [{index}]"])])
    edits.append(_in_phase(text, node, index, add=True))
    if said := _members(node).get("description"):
        edits.append((said.start_mark.index, _end(text, said), _quoted(f"{said.value.strip()} {rule}")))
    return _edited(text, edits)


def _next_index(entries: Sequence[Entry]) -> int:
    return 1 + max(int(entry.get("index", number)) for number, entry in enumerate(entries))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _final_phase(last: Entry, index: int, description: str) -> list[str]:
    """Return the lines of a phase that follows another, without its tasks. Raises Refused."""
    try:
        end = datetime.datetime.strptime(str(last["end"]), _DATE)
    except (KeyError, ValueError):
        raise refused("no end to follow", "/phases") from None
    start, stop = (end + step for step in (datetime.timedelta(seconds=1), datetime.timedelta(days=30)))
    lines = [f"index: {index}", "name: Final phase", f"description: {_quoted(description)}"]
    lines += [f'start: "{start:{_DATE}}"', f'end: "{stop:{_DATE}}"']
    lines += [f"{key}: {limit}" for key, limit in _FINAL_LIMITS.items()]
    return lines + [f"{key}: {json.dumps(last[key])}" for key in _CARRIED if key in last]


def _in_phase(text: str, phase: yaml.Node, index: int, add: bool) -> Edit:
    """Return the edit that adds a task to a phase, or takes it out."""
    tasks = _members(phase)["tasks"]
    kept = [int(node.value) for node in tasks.value if int(node.value) != index]
    if isinstance(tasks, yaml.SequenceNode) and tasks.flow_style:
        return tasks.start_mark.index, _end(text, tasks), str([*kept, index] if add else kept)
    if add:
        return _appended(text, tasks, [str(index)])
    return _removed(text, next(node for node in tasks.value if int(node.value) == index))


def _appended(text: str, sequence: yaml.Node, lines: Sequence[str]) -> Edit:
    at, pad = _line_end(text, sequence), " " * sequence.start_mark.column
    return at, at, f"\n{pad}- " + f"\n{pad}  ".join(lines)


def _removed(text: str, entry: yaml.Node) -> Edit:
    return text.rindex("\n", 0, entry.start_mark.index), _line_end(text, entry), ""


def _members(node: yaml.Node | None) -> Mapping[str, yaml.Node]:
    assert node is not None  # noqa: S101 - there is a competition
    return {key.value: value for key, value in node.value}


def _end(text: str, node: yaml.Node) -> int:
    """Return where a node ends; the mark of a block is behind the comments that follow it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style:
        node = node.value[-1] if isinstance(node, yaml.SequenceNode) else node.value[-1][1]
    return len(text[: node.end_mark.index].rstrip())


def _line_end(text: str, node: yaml.Node) -> int:
    at = text.find("\n", _end(text, node))
    return len(text) if at < 0 else at


def _edited(text: str, edits: Iterable[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
