"""Adding a task to competition.yaml and taking it out again: comments, quotes and order stay."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString as Quoted
from ruamel.yaml.util import load_yaml_guess_indent

from organizer.bundle.competition import LintReport, no_yaml, refused
from organizer.bundle.dates import in_utc, read_date
from organizer.split_table import MOST_PARTS, part_names

# A mapping of competition.yaml, which knows where its comments are.
Node = Any
# The settings of a phase with hidden data, and what it takes over from the phase before.
_FINAL_LIMITS = {"max_submissions_per_day": 1, "max_submissions": 3, "hide_output": True}
_CARRIED = ("execution_time_limit", "starting_kit")
_PROGRAM = "_program.zip"
_DATE = "%Y-%m-%d %H:%M:%S"
_FINAL = "final"
# No line is wrapped.
_WIDTH = 1_000_000


class _Document:
    """A competition.yaml whose data can be changed; raises Refused if it is no YAML."""

    def __init__(self, text: str) -> None:
        self._yaml = YAML()
        self._yaml.preserve_quotes = True
        self._yaml.width = _WIDTH
        try:
            self.data, indent, dash_indent = load_yaml_guess_indent(text, yaml=self._yaml)
        except YAMLError as error:
            raise no_yaml(error) from None
        if dash_indent is not None:
            self._yaml.indent(mapping=2, sequence=indent, offset=dash_indent)

    def text(self) -> str:
        """Return the text with all changes."""
        stream = io.StringIO()
        self._yaml.dump(self.data, stream)
        return stream.getvalue()


def with_task(text: str, task_id: str, title: str, summary: str) -> str:
    """Return the text of competition.yaml with a task of its first phase, its page and its sample."""
    document = _Document(text)
    data = document.data
    name, index = Quoted(title), _next_index(data["tasks"])
    _append(data, "pages", _in_one_line({"title": name, "file": f"pages/{task_id}.md"}))
    task = {
        "index": index,
        "name": name,
        "description": Quoted(summary),
        "scoring_program": f"{task_id}{_PROGRAM}",
        "reference_data": f"{task_id}_reference.zip",
    }
    _append(data, "tasks", CommentedMap(task))
    _append(data["phases"][0], "tasks", index)
    if "solutions" in data:
        solution = {
            "index": _next_index(data["solutions"]),
            "name": name,
            "path": f"{task_id}_sample.zip",
            "tasks": [index],
        }
        _append(data, "solutions", _in_one_line(solution))
    return document.text()


def without_task(text: str, task_id: str) -> str:
    """Return the text of competition.yaml without what `with_task` and `with_phases_of_parts` add.

    What is not there is left out. Only the first phase stays without any task.
    """
    document = _Document(text)
    data = document.data
    program = f"{task_id}{_PROGRAM}"
    removed = {task["index"] for task in data["tasks"] or () if task.get("scoring_program") == program}
    later_phases = data["phases"][1:]
    emptied_phases = [
        phase for phase in later_phases if phase["tasks"] and removed.issuperset(phase["tasks"])
    ]
    _remove(data, "pages", lambda page: page.get("file") == f"pages/{task_id}.md")
    _remove(data, "solutions", lambda solution: solution.get("path") == f"{task_id}_sample.zip")
    _remove(data, "tasks", lambda task: task["index"] in removed)
    _remove(data, "phases", lambda phase: any(phase is emptied_phase for emptied_phase in emptied_phases))
    for phase in data["phases"]:
        _remove(phase, "tasks", removed.__contains__)
    return document.text()


def with_phases_of_parts(text: str, task_id: str, rule: str, kinds: Sequence[str]) -> str:
    """Return the text of competition.yaml with a phase for each part of a reference but the first.

    A part joins the phase that is called after its kind, as "Final phase". Without one, a new phase begins
    when the last one has ended. Parts that are there stay as they are.

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
    document = _Document(text)
    data = document.data
    program = f"{task_id}{_PROGRAM}"
    task = next((task for task in data["tasks"] or () if task.get("scoring_program") == program), None)
    if task is None:
        raise refused("no task to split", "/tasks", id=task_id)
    references = {entry.get("reference_data") for entry in data["tasks"]}
    former_parts = []
    for number in range(2, MOST_PARTS + 1):
        if _reference_of_part(task_id, number) in references:
            former_parts.append(number)
    last_part = len(kinds) + 1
    if former_parts and max(former_parts) != last_part:
        raise refused(
            "other number of parts", "/tasks", id=task_id, former=max(former_parts), wanted=last_part
        )
    for number, kind in enumerate(kinds, start=2):
        if number not in former_parts:
            _add_part(data, task, _reference_of_part(task_id, number), kind, rule)
    return document.text()


def _reference_of_part(task_id: str, number: int) -> str:
    return f"{part_names(task_id, number)[-1]}_reference.zip"


def _add_part(data: Node, task: Node, reference: str, kind: str, rule: str) -> None:
    """Add the task of one part, in the phase of its kind; ``task`` is that of the first. Raises Refused."""
    index, name = _next_index(data["tasks"]), task["name"]
    # Bundles of one task show the description of the task, not that of the phase.
    description = f"{task.get('description', '')} {rule}".strip()
    task_of_part = {
        "index": index,
        "name": Quoted(f"{name} ({kind})"),
        "description": Quoted(description),
        "scoring_program": task["scoring_program"],
        "reference_data": reference,
    }
    _append(data, "tasks", CommentedMap(task_of_part))
    phase_of_title = {phase.get("name"): phase for phase in data["phases"]}
    title, rule_of_task = _title_of_phase(kind), f"{name}: {rule}"
    if title in phase_of_title:
        _join_phase(phase_of_title[title], index, rule_of_task)
    elif _title_of_phase(_FINAL) in phase_of_title:
        task_id = task["scoring_program"].removesuffix(_PROGRAM)
        raise refused("phase before the final one", "/phases", id=task_id, kind=kind)
    else:
        _append(data, "phases", _phase_after(data["phases"], title, rule_of_task, index))


def _title_of_phase(kind: str) -> str:
    return f"{kind.capitalize()} phase"


def _join_phase(phase: Node, index: int, rule: str) -> None:
    """Add a task and its rule to a phase that is there."""
    _append(phase, "tasks", index)
    description = phase.get("description")
    if description:
        phase["description"] = Quoted(f"{str(description).strip()} {rule}")


def _phase_after(phases: Sequence[Node], title: str, description: str, index: int) -> CommentedMap:
    """Return a phase that follows all others and offers one task. Raises Refused."""
    last_phase = phases[-1]
    last_end = read_date(in_utc(last_phase.get("end"), is_end=True), "", LintReport())
    if last_end is None:
        raise refused("no end to follow", "/phases")
    start = last_end + datetime.timedelta(seconds=1)
    end = last_end + datetime.timedelta(days=30)
    return CommentedMap(
        {
            "index": _next_index(phases),
            "name": title,
            "description": Quoted(description),
            "start": Quoted(f"{start:{_DATE}}"),
            "end": Quoted(f"{end:{_DATE}}"),
            **_FINAL_LIMITS,
            **{key: last_phase[key] for key in _CARRIED if key in last_phase},
            "tasks": _in_one_line([index]),
        }
    )


def _next_index(entries: Sequence[Node] | None) -> int:
    indexes = [int(entry.get("index", position)) for position, entry in enumerate(entries or ())]
    return 1 + max(indexes, default=-1)


def _in_one_line(value: Node) -> Node:
    """Return a list or a mapping that is written in braces or brackets."""
    node = CommentedSeq(value) if isinstance(value, list) else CommentedMap(value)
    node.fa.set_flow_style()
    return node


def _append(mapping: Node, key: str, entry: Node) -> None:
    """Add an entry to the end of a list, which may have no value yet."""
    if mapping[key]:
        mapping[key].append(entry)
    else:
        mapping[key] = CommentedSeq([entry])


def _remove(mapping: Node, key: str, is_removed: Callable[[Node], bool]) -> None:
    """Take entries out of a list, which may be missing; one without any is ``[]``."""
    entries = mapping.get(key) or []
    places = [place for place, entry in enumerate(entries) if is_removed(entry)]
    for place in reversed(places):
        del entries[place]
    if places and not entries:
        mapping[key] = _in_one_line([])
