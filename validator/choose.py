"""Choosing the files of a submission by their names, and recognizing a submission to another task.

Missing, misplaced, misspelled, and repeated files are problems. Another task is recognized by the names of
its files and, of CSV files without a header, by the first row.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from validator.findings import Findings, Read, Refused
from validator.formats.rules import Rules, load_rules, task_ids
from validator.kinds import HEAD_BYTES, FileKind, kind_of
from validator.submission import Submission
from validator.texts import folded, quote

# The code of the problem that a submission to another task has.
OTHER_TASK = "E-TASK"
_NAMED_AT_MOST = 5
# A misspelled name is at least so alike, for `difflib`; the files of different tasks are less.
_CLOSE = 0.75
_JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
_JSON_LINES = FileKind("a file of JSON Lines", "make one JSON value of all lines")
OTHER_CASE = "upper and lower case differ"
OTHER_TASKS_FILE = "other_tasks.json"
"""A file beside this module with the `TaskFiles` of tasks whose rules a program or a kit does not hold."""
# A first row is not longer than this, in bytes.
_LONGEST_ROW = 1000


def choose_named(submission: Submission, rules: Rules) -> Read[dict[str, str]]:
    """Return the name in the submission of each file that the rules declare.

    Raises Refused, with names of files that could be meant, if one is missing or several fit.
    """
    with Findings.collect() as findings:
        files = rules.name_patterns
        refuse_nothing(submission, " and ".join(map(_name_form, files)), findings)
        name_of_pattern: dict[str, str] = {}
        others = list(submission.names)
        for file in files:
            fitting = [name for name in others if fnmatchcase(name, file)]
            if len(fitting) > 1:
                problem = f"{file_list(fitting)} all fit"
                findings.add("E-FILE-TWICE", problem, "keep one of them", file=_name_form(file))
            if fitting:
                name_of_pattern[file] = fitting[0]
                others.remove(fitting[0])
        alike = [name for name in others if folded(name).endswith(PurePosixPath(files[0]).suffix)]
        if rules.any_single and not name_of_pattern and len(alike) == 1 and "/" not in alike[0]:
            (only,) = alike
            name_of_pattern[files[0]] = only
            others.remove(only)
            text = f"{quote(only)} was read; its name should be {_name_form(files[0])}"
            findings.note("N-FILE-SPELLING", text)
        missing = [file for file in files if file not in name_of_pattern]
        lost = [file for file in missing if not _report_misnamed(file, others, submission.folder, findings)]
        if len(lost) == len(files):
            _refuse_one_of_several(files[0], alike, rules.tool_names, findings)
            refuse_other_task(submission, others, findings)
        _report_missing(lost, others, submission, findings)
        if others and findings.ok:
            findings.note("N-FILE-IGNORED", f"{file_list(others)}: not needed, ignored")
    return Read(name_of_pattern, findings.notes)


def refuse_nothing(submission: Submission, file_names: str, findings: Findings) -> None:
    """Raise Refused if the platform left no file, and say why: it runs a command that a submission holds."""
    if submission.names or not submission.is_unpacked:
        return
    remedy = (
        f"put {file_names} at the top of the zip; if it holds metadata or metadata.yaml with a command, the "
    )
    remedy += "platform ran that command and kept only what it wrote: take it out"
    findings.refuse("E-FILE-NONE", "there are no files", remedy)


def _refuse_one_of_several(
    file: str, names: list[str], tool_names: Sequence[str], findings: Findings
) -> None:
    """Raise Refused with the one to send, if a tool has written several files and one of them is known."""
    to_send = [name for name in names if any(fnmatchcase(name, pattern) for pattern in tool_names)]
    if len(names) > 1 and len(to_send) == 1:
        problem = f"it is missing; found: {file_list(names)}"
        remedy = f"send {quote(to_send[0])} alone, as {_name_form(file)}"
        findings.refuse("E-FILE-NONE", problem, remedy, file=_name_form(file))


def refuse_other_task(submission: Submission, names: list[str], findings: Findings) -> None:
    """Raise Refused if these files are those of another task."""
    task = " or ".join(tasks_of_files(submission, names))
    if task:
        findings.refuse(OTHER_TASK, f"this is a submission to {task}: {file_list(names)}", _choose(task))


def _choose(task: str) -> str:
    return f"choose the task {task} for it"


def _report_misnamed(file: str, others: list[str], folder: str, findings: Findings) -> bool:
    """Add where a missing file is, or that case differs; return whether it is there."""
    for name in others:
        if fnmatchcase(PurePosixPath(name).name, file):
            report_misplaced(f"{folder}{name}", findings)
            return True
        if fnmatchcase(folded(name), folded(file)):
            findings.add("E-FILE-CASE", OTHER_CASE, f"rename it to {_name_form(file)}", file=name)
            return True
    return False


def _report_missing(files: list[str], others: list[str], submission: Submission, findings: Findings) -> None:
    """Add a problem for each missing file that another one may be, and one for all without such a one."""
    missing_files = []
    for file in files:
        similar = _similar_name(file, files, others, submission)
        if similar:
            _report_similar(file, similar, submission, findings)
        else:
            missing_files.append(_name_form(file))
    names = others or submission.names
    other_files = f"found: {file_list(names)}" if names else "there are no files"
    or_rename = ", or rename what is meant" if others else ""
    if len(missing_files) == 1:
        problem = f"it is missing; {other_files}"
        remedy = f"put it at the top of the zip{or_rename}"
        findings.add("E-FILE-NONE", problem, remedy, file=missing_files[0])
    elif missing_files:
        problem = f"{' and '.join(missing_files)} are missing; {other_files}"
        findings.add("E-FILE-NONE", problem, f"put them at the top of the zip{or_rename}")


def _similar_name(file: str, files: list[str], others: list[str], submission: Submission) -> str:
    """Return the other file that a missing one may be: by its name, or as the only one if it is of another
    kind; "" if there is none."""
    import difflib

    json_lines = [name for name in others if _is_named_json_lines(name)]
    similar = difflib.get_close_matches(file, json_lines, 1, 0)
    similar = similar or difflib.get_close_matches(file, others, 1, _CLOSE)
    # What is more like another missing file is that one.
    if similar and difflib.get_close_matches(similar[0], files, 1, 0) == [file]:
        return similar[0]
    is_only_one = len(files) == len(others) == 1
    return others[0] if is_only_one and kind_of(head_of(submission, others[0])) else ""


def _report_similar(file: str, similar: str, submission: Submission, findings: Findings) -> None:
    """Add that a missing file may be another one."""
    name_form = _name_form(file)
    problem = f"it is missing, but there is {quote(similar)}"
    remedy = f"is it misspelled? Rename it to {name_form}"
    kind = _JSON_LINES if _is_named_json_lines(similar) else kind_of(head_of(submission, similar))
    if kind:
        wanted = PurePosixPath(file).suffix.lstrip(".").upper()
        problem, remedy = f"{problem}, {kind.name}", f"{kind.how(wanted)}, with the name {name_form}"
    findings.add("E-FILE-NONE", problem, remedy, file=name_form)


def _name_form(pattern: str) -> str:
    """Return how a person writes a pattern of names: no file can be renamed to one with a star."""
    return pattern.replace("*", "<name>")


def _is_named_json_lines(name: str) -> bool:
    return PurePosixPath(folded(name)).suffix in _JSON_LINES_ENDINGS


def head_of(submission: Submission, name: str) -> bytes:
    """Return the first bytes of a file, none of a damaged one: reading it says so."""
    with suppress(Refused), submission.open(name) as stream:
        return stream.read(HEAD_BYTES)
    return b""


def report_misplaced(path: str, findings: Findings) -> None:
    """Add a problem: a file that is needed is in a folder."""
    findings.add("E-FILE-PLACE", "the file is in a folder", "put all files at the top of the zip", file=path)


@contextmanager
def naming_other_task(name: str, pattern: str) -> Iterator[None]:
    """Report first, if a file cannot be read, that its name is not ``pattern`` but that of another task.

    If the file as a whole has another shape, nothing else is reported.
    """
    try:
        yield
    except Refused as refused:
        task = "" if fnmatchcase(name, pattern) else " or ".join(tasks_of_names([name]))
        if task and any(f" {task} " in problem.remedy for problem in refused.findings.problems):
            # The format says so itself, by the content.
            raise
        with Findings.collect() as findings:
            if task:
                findings.add(OTHER_TASK, f"this is a file of {task}", _choose(task), file=name)
            if not task or any(problem.where not in ("", "/") for problem in refused.findings.problems):
                findings.extend(refused.findings)


def file_list(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    first_names = ", ".join(quote(name) for name in names[:_NAMED_AT_MOST])
    more = len(names) - _NAMED_AT_MOST
    return f"{first_names} and {more:,} more" if more > 0 else first_names


class TaskFiles(NamedTuple):
    """What identifies the files of a submission to a task.

    ``patterns`` are their names, which may hold ``*``; ``columns`` those of CSV files without a header, none
    for other files.
    """

    id: str
    patterns: list[str]
    columns: list[str]

    def has(self, name: str) -> bool:
        """Return whether a file is named like one of the task, in any folder."""
        return any(fnmatchcase(PurePosixPath(name).name, pattern) for pattern in self.patterns)


def _files_of_task(task_id: str) -> TaskFiles:
    """Return what identifies the files of a task whose rules are there."""
    rules = load_rules(task_id)
    columns = [field.name for file in rules.csv for field in file.fields]
    return TaskFiles(task_id, list(rules.name_patterns), columns)


def other_tasks_file(present_ids: Iterable[str]) -> bytes:
    """Return the file of a program that holds the rules of these tasks, on all others."""
    others = [_files_of_task(task_id) for task_id in task_ids() if task_id not in present_ids]
    return json.dumps([files._asdict() for files in others], indent=1).encode()


@cache
def _files_of_all_tasks() -> list[TaskFiles]:
    """Return what is known of each task, those with rules first."""
    all_files = [_files_of_task(task_id) for task_id in task_ids()]
    path = Path(__file__).with_name(OTHER_TASKS_FILE)
    if path.is_file():
        all_files += [TaskFiles(**words) for words in json.loads(path.read_text(encoding="utf-8"))]
    return all_files


def tasks_of_files(submission: Submission, names: Collection[str]) -> list[str]:
    """Return the tasks that have files named like some of a submission; where several have, those whose CSV
    files have as many columns as the first row."""
    tasks = tasks_of_names(names)
    return tasks if len(tasks) < 2 else _tasks_of_first_row(submission, names) or tasks


def tasks_of_names(names: Collection[str]) -> list[str]:
    """Return the tasks that have a file named like one of these, in any folder."""
    return [files.id for files in _files_of_all_tasks() if any(map(files.has, names))]


def _tasks_of_first_row(submission: Submission, names: Iterable[str]) -> list[str]:
    """Return the tasks whose CSV files have the name, and as many columns as the first row, of the first of
    some files that has a row."""
    for name in names:
        tasks = [files for files in _files_of_all_tasks() if files.columns and files.has(name)]
        if not tasks:
            continue
        with submission.open(name) as stream:
            first_row = stream.read(_LONGEST_ROW).partition(b"\n")[0].strip()
        if first_row:
            n_columns = first_row.count(b",") + 1
            return [files.id for files in tasks if len(files.columns) == n_columns]
    return []
