"""The texts of a starting kit: pages with placeholders, filled for the tasks that the kit is for.

A text may hold paragraphs for some tasks only, between two comments:

    <!-- only TASK OTHER_TASK -->
    ...
    <!-- end -->

They are left out where the kit has none of these tasks (``several``: where it has one task). In them ``{id}``
is the first of these tasks that the kit has, ``{only}`` names all of them unless these are all tasks of the
kit, and ``{mode}`` is the evaluation mode of the first. Elsewhere ``{id}`` and ``{ids}`` stand for the first
task and for all of them, and the comments ``# {example}`` and ``# {update}`` for the code of its example.
``{data}`` is the package with the demo data of the task that ``{id}`` names, ``{projects}`` what to install.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence

from organizer import ROOT
from organizer.bundle.kit_packages import data_folder, project_name
from people_in_video.references.preparation import names_of_reference
from scoring_program.task import Task, load_task

_CONDITIONAL = re.compile("<!-- only ([a-z_ ]+) -->\n(.*?)<!-- end -->\n", re.DOTALL)


def fill_text(text: str, task_ids: Sequence[str], *, is_json: bool) -> str:
    """Fill the placeholders of a text, and leave out paragraphs for tasks that the kit does not have.

    Parameters
    ----------
    text : str
    task_ids : sequence of str
        The tasks of the kit.
    is_json : bool
        Whether the placeholders are in strings of JSON, as in a notebook.
    """
    text = _CONDITIONAL.sub(lambda match: _fill_conditional(match[1].split(), match[2], task_ids), text)
    task = load_task(task_ids[0])
    values = {
        "# {example}": task.kit_example.strip(),
        "    # {update}": textwrap.indent(task.kit_update.strip(), "    "),
        "{data}": data_folder(task),
        "{projects}": " ".join([".", *_further_projects(task_ids)]),
        "{id}": task.id,
        "{ids}": ", ".join(task_ids),
    }
    for placeholder, value in values.items():
        text = text.replace(placeholder, json.dumps(value)[1:-1] if is_json else value)
    return text


def _further_projects(task_ids: Sequence[str]) -> list[str]:
    """Return the paths of the projects of tasks that are not in all kits."""
    return [f"./{project_name(task_id)}" for task_id in task_ids if not load_task(task_id).in_all_kits]


def _fill_conditional(words: Sequence[str], paragraph: str, task_ids: Sequence[str]) -> str:
    """Return a paragraph for the tasks in ``words``, filled for those of the kit; "" if there is none."""
    if "several" in words and len(task_ids) > 1:
        matching_ids = list(task_ids)
    else:
        matching_ids = [task_id for task_id in task_ids if task_id in words]
    if not matching_ids:
        return ""
    label = ""
    if len(matching_ids) < len(task_ids):
        label = ", ".join(f"`{task_id}`" for task_id in matching_ids) + ": "
    task = load_task(matching_ids[0])
    values = {"{only}": label, "{data}": data_folder(task), "{id}": task.id, "{mode}": task.eval_mode}
    for placeholder, value in values.items():
        paragraph = paragraph.replace(placeholder, value)
    return paragraph


# What pages call the names of a kind.
_TITLES = {"class": "Classes", "part": "Parts", "state": "States"}


def format_page(task: Task) -> str:
    """Return the page of a task, with the files of a reference and the names of the demo data."""
    text = (ROOT / "pages" / f"{task.id}.md").read_text(encoding="utf-8")
    reference_page = ROOT / "starting_kit" / "reference" / f"{task.id}.md"
    if reference_page.is_file():
        text += f"\n{reference_page.read_text(encoding='utf-8')}"
    text += f"\n## A program that writes a submission\n\n```python\n{task.kit_example}```\n"
    if "{names}" in text:
        text = text.replace("{names}", _names_of_demo_data(task))
    return text


def _names_of_demo_data(task: Task) -> str:
    """Return a list of the names that the demo reference of a task uses, by what they name."""
    folder = ROOT / "reference_data" / task.id
    names_of_kind = names_of_reference(task, task.load(folder, task.settings(folder)))
    items = []
    for kind, names in names_of_kind.items():
        items.append(f"- {_TITLES[kind]} ({len(names)}): {', '.join(names)}.")
    return "\n".join(items)
