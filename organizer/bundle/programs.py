"""Scoring programs: the zips that the platform runs."""

from __future__ import annotations

from collections.abc import Sequence

from organizer import ROOT
from organizer.bundle.modules import needed_modules
from organizer.files import zip_bytes
from scoring_program.task import load_task
from validator.choose import OTHER_TASKS_FILE, other_tasks_file
from validator.formats.rules import load_rules

_VOCABULARY_READER = "scoring_program/vocabulary_file.py"
OTHER_TASKS = f"validator/{OTHER_TASKS_FILE}"
"""The file that names the files of tasks that are not packed."""
_CLASSIC_COMMAND = "command: python3 $program/score.py $input $output\n"


def build_program(task_id: str) -> bytes:
    """Return the self-contained scoring program of one task as a zip."""
    return zip_bytes(program_files(task_id))


def program_files(task_id: str) -> dict[str, bytes]:
    """Return the files of the scoring program of a task: code and commands."""
    files = code_files([task_id])
    files[OTHER_TASKS] = other_tasks_file([task_id])
    for name in ("score.py", "metadata.yaml"):
        files[name] = (ROOT / "scoring_program" / name).read_bytes()
    files["metadata"] = _CLASSIC_COMMAND.encode()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return files


def code_files(task_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the code that scores these tasks, with declarations and the other data files that it reads."""
    tasks = [load_task(task_id) for task_id in task_ids]
    # Tasks are discovered by the folder of their challenge.
    task_modules = [f"scoring_program.challenges.{task.folder.name}.task" for task in tasks]
    metric_modules = [f"scoring_program.metrics.{task.metric}" for task in tasks if task.metric]
    files = needed_modules(["scoring_program.run", *task_modules, *metric_modules])
    data_files = [ROOT / "scoring_program" / "report" / "style.css"]
    for task in tasks:
        data_files += [task.folder / f"{task.id}.yaml", *load_rules(task.id).data_files]
    if _VOCABULARY_READER in files:
        data_files.append(ROOT / "scoring_program" / "vocabulary.schema.json")
    for task in tasks:
        if task.evaluator:
            data_files += sorted((ROOT / "scoring_program" / "evaluators" / task.id).rglob("*.py"))
    for path in data_files:
        files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return files
