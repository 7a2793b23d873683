"""Scoring programs: the zips that the platform runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from jsonschema import Draft7Validator

from organizer import ROOT
from organizer.bundle.modules import needed_modules
from organizer.bundle.wheels import vendored_files
from organizer.files import zip_bytes
from scoring_program.task import load_task
from validator.choose import OTHER_TASKS_FILE, files_of_task
from validator.findings import Findings
from validator.formats.rules import RULES_ENDING, Rules, load_rules, task_ids
from validator.strict_yaml import load_strict
from validator.texts import pointer_part

_JSON_READER = "validator/json_reader.py"
_VOCABULARY_READER = "scoring_program/vocabulary_file.py"
OTHER_TASKS = f"validator/{OTHER_TASKS_FILE}"
"""The file that names the files of tasks that are not packed."""
_RULES_SCHEMA = ROOT / "validator" / "formats" / "files.schema.json"
# Classic CodaLab reads metadata, and puts in its folders; Codabench looks for metadata.yaml first.
_CLASSIC_COMMAND = "command: python3 $program/score.py $input $output\n"


def build_program(task_id: str) -> bytes:
    """Return the self-contained scoring program of one task as a zip."""
    return zip_bytes(program_files(task_id))


def program_files(task_id: str) -> dict[str, bytes]:
    """Return the files of the scoring program of a task: code, the packages that it carries, commands."""
    files = code_files([task_id])
    files[OTHER_TASKS] = other_tasks_file([task_id])
    if _JSON_READER in files:
        files.update(vendored_files())
    for name in ("score.py", "metadata.yaml"):
        files[name] = (ROOT / "scoring_program" / name).read_bytes()
    files["metadata"] = _CLASSIC_COMMAND.encode()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return files


def other_tasks_file(present_ids: Collection[str]) -> bytes:
    """Return the file of a program that holds the rules of these tasks, on all others."""
    other_tasks = [files_of_task(task_id) for task_id in task_ids() if task_id not in present_ids]
    return json.dumps([files._asdict() for files in other_tasks], indent=1).encode()


def code_files(packed_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the code that scores these tasks, with declarations and the other data files that it reads.

    Raises Refused if the rules of a task are not as their schema says.
    """
    tasks = [load_task(task_id) for task_id in packed_ids]
    # Tasks are discovered by the folder of their challenge.
    task_modules = [f"scoring_program.challenges.{task.folder.name}.task" for task in tasks]
    metric_modules = [f"scoring_program.metrics.{task.metric}" for task in tasks if task.metric]
    files = needed_modules(["scoring_program.run", *task_modules, *metric_modules])
    data_files = [ROOT / "scoring_program" / "report" / "style.css"]
    for task in tasks:
        rules = load_rules(task.id)
        refuse_wrong_rules(rules)
        data_files += [task.folder / f"{task.id}.yaml", *files_of_rules(rules)]
    if _VOCABULARY_READER in files:
        data_files.append(ROOT / "scoring_program" / "vocabulary.schema.json")
    for task in tasks:
        if task.evaluator:
            data_files += sorted((ROOT / "scoring_program" / "evaluators" / task.id).rglob("*.py"))
    for path in data_files:
        files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return files


def files_of_rules(rules: Rules) -> list[Path]:
    """Return the file of the rules of a task, and the schemas that it names."""
    schemas = [file.schema for file in rules.json if isinstance(file.schema, Path)]
    return [rules.folder / f"{rules.id}{RULES_ENDING}", *schemas, *rules.reference_schemas]


def refuse_wrong_rules(rules: Rules) -> None:
    """Raise Refused if a file of rules is not as its schema says; what items have was checked when it was
    read."""
    if rules.form is not None:
        return
    rules_file = rules.folder / f"{rules.id}{RULES_ENDING}"
    schema = json.loads(_RULES_SCHEMA.read_text(encoding="utf-8"))
    content = load_strict(rules_file.read_text(encoding="utf-8"))
    with Findings.collect() as findings:
        for error in Draft7Validator(schema).iter_errors(content):
            place = "".join(f"/{pointer_part(part)}" for part in error.absolute_path)
            remedy = "write it as files.schema.json says"
            findings.add("E-SCHEMA", error.message, remedy, file=rules_file.name, where=place or "/")
