"""Texts for participants, filled for the tasks that a kit or a competition has: pages of sites, READMEs.

A text may hold paragraphs for some of them only, between two comments:

    <!-- only WORD OTHER_WORD -->
    ...
    <!-- end -->

They are left out where none of the words holds. A word is the id of a task, or

=========== ==============================================================
one         there is one task
several     there are several
own         a task is one's own
json        a task takes files of JSON
phases      there are several phases; in kits always
released    a reference has the protocol ``released``; in kits always
protocols   there are references of both protocols; in kits always
=========== ==============================================================

In a paragraph of tasks ``{id}`` is the first of them that the text is for, ``{only}`` names them all unless
the text has no others, and ``{mode}`` is the evaluation mode of the first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from organizer.bundle.cut import task_id_of, without_math
from organizer.bundle.public_files import demo_folder
from scoring_program.settings import PROTOCOLS
from scoring_program.signature import signature
from scoring_program.task import Task, load_task, task_ids
from validator.formats.rules import load_rules

# Editors of Windows end lines with \r\n.
_CONDITIONAL = re.compile(r"<!-- only ([\w ]+) -->[ \t\r]*\n(.*?)<!-- end -->[ \t\r]*(?:\n|\Z)", re.DOTALL)
_MARK = re.compile(r"<!--\s*(?:only\b[^>]*|end\s*)-->")
_RELEASED = PROTOCOLS[1]
ALL_FACTS = frozenset({"phases", "protocols", _RELEASED})
"""What paragraphs of kits may be about, which can be used at home with each phase and protocol."""
# What paragraphs may be about, apart from tasks.
_WORDS = ALL_FACTS | {"one", "several", "own", "json"}
_EXAMPLE_HASH = "1f3a9c24b07d"


def cut_text(text: str, task_ids: Sequence[str], facts: Collection[str] = ALL_FACTS) -> str:
    """Return a text without the paragraphs that are about other tasks or facts, and without the comments."""
    words = {*facts, "several" if len(task_ids) > 1 else "one"}
    if not all(load_task(task_id).is_published for task_id in task_ids):
        words.add("own")
    if any(load_rules(task_id).json for task_id in task_ids):
        words.add("json")
    return _CONDITIONAL.sub(lambda match: _paragraph(match[1].split(), match[2], task_ids, words), text)


def wrong_marks(text: str) -> list[str]:
    r"""Return what is wrong with the comments of a text: those without a partner, and words that never hold.

    Examples
    --------
    >>> wrong_marks("<!-- only gestures -->\nTick the tasks.\n<!-- end -->\n")
    ['<!-- only gestures -->: no such word or task, so the text after it is on no page']
    """
    no_such_word = "no such word or task, so the text after it is on no page"
    known_words = {*_WORDS, *task_ids()}
    problems = []
    for match in _CONDITIONAL.finditer(text):
        if known_words.isdisjoint(match[1].split()):
            problems.append(f"<!-- only {match[1]} -->: {no_such_word}")
        problems += [f"{mark}: it is between two others" for mark in _MARK.findall(match[2])]
    no_partner = "it has no partner on a line of its own"
    return problems + [f"{mark}: {no_partner}" for mark in _MARK.findall(_CONDITIONAL.sub("", text))]


def _paragraph(named: Sequence[str], paragraph: str, task_ids: Sequence[str], words: Set[str]) -> str:
    """Return a paragraph for what is ``named``, filled for the tasks of the text; "" if none of it holds."""
    if not words.isdisjoint(named):
        return paragraph
    matching_ids = [task_id for task_id in task_ids if task_id in named]
    if not matching_ids:
        return ""
    label = ""
    if len(matching_ids) < len(task_ids):
        label = ", ".join(f"`{task_id}`" for task_id in matching_ids) + ": "
    task = load_task(matching_ids[0])
    return fill_placeholders(paragraph, {"{only}": label, "{id}": task.id, "{mode}": task.eval_mode})


def fill_page(text: str, data: Mapping[str, Any], protocols: Collection[str]) -> str:
    """Return a page of a competition, cut and filled for it.

    Parameters
    ----------
    text : str
        The page in Markdown. ``{id}`` stands for the id of the one task, ``ID`` if there are several;
        ``{items}`` for what is scored one by one, as "videos"; ``{signature}`` for an example of a signature;
        ``{tasks}`` for a table of the tasks; ``{title}`` and ``{description}`` for those of the competition.
    data : mapping
        Its competition.yaml.
    protocols : collection of str
        Those of its references.
    """
    ids_of_entries = dict.fromkeys(map(task_id_of, data["tasks"]))
    task_ids = [task_id for task_id in ids_of_entries if task_id is not None]
    if not task_ids:
        return text
    facts = {"phases"} if len(data["phases"]) > 1 else set()
    facts |= {_RELEASED} & {*protocols}
    if len({*protocols}) > 1:
        facts.add("protocols")
    tasks = [load_task(task_id) for task_id in task_ids]
    protocol = next(iter(protocols)) if len({*protocols}) == 1 else PROTOCOLS[0]
    items = [f"{item}s" for item in dict.fromkeys(task.item for task in tasks)]
    values = {
        "{id}": tasks[0].id if len(tasks) == 1 else "ID",
        "{items}": " or ".join(filter(None, (", ".join(items[:-1]), items[-1]))),
        "{signature}": _example_signature(tasks[0].id, protocol),
        "{tasks}": _table_of_tasks(tasks),
        "{title}": without_math(str(data["title"])),
        "{description}": without_math(str(data.get("description") or "")),
    }
    return fill_placeholders(cut_text(text, task_ids, facts), values)


def _table_of_tasks(tasks: Sequence[Task]) -> str:
    rows = [f"| {without_math(task.title)} | `{task.id}` | {without_math(task.summary)} |" for task in tasks]
    return "\n".join(["| task | id | what is scored |", "|---|---|---|", *rows])


def _example_signature(task_id: str, protocol: str) -> str:
    task = load_task(task_id)
    settings = task.settings(demo_folder(task_id), {"protocol": protocol})
    return signature(task_id, settings, task.known_settings, (_EXAMPLE_HASH, ""), {})


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in the place of their placeholders."""
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text
