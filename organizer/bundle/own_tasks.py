"""Tasks of one's own in the competition of all tasks, whose competition.yaml need not name them."""

from __future__ import annotations

from organizer.bundle.competition import Competition, entries_of
from organizer.bundle.edit import with_task
from scoring_program.task import load_task, task_ids
from validator.strict_yaml import load_plain


def with_own_tasks(text: str, competition: Competition) -> str:
    """Return the text of a competition.yaml with the tasks of one's own that it does not name.

    Only the competition of all published tasks gets them: another one names what it is for.

    Parameters
    ----------
    text : str
    competition : mapping
        What the text holds; one of Codabench's v2, without errors.
    """
    programs = {entry.get("scoring_program") for _, entry in entries_of(competition, "tasks")}
    missing_tasks = [load_task(task_id) for task_id in task_ids() if f"{task_id}_program.zip" not in programs]
    if any(task.is_published for task in missing_tasks):
        return text
    for task in missing_tasks:
        text = with_task(text, task.id, task.title, task.summary)
    return text


def complete_competition(text: str, competition: Competition) -> Competition:
    """Return a competition with the tasks of one's own; the parameters are those of `with_own_tasks`."""
    complete_text = with_own_tasks(text, competition)
    if complete_text == text:
        return competition
    complete: Competition = load_plain(complete_text)
    return complete
