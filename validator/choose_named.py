"""Choosing the files of a submission that the rules of its task name.

Missing, misplaced, misspelled, and repeated files are problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from validator.choose import (
    OTHER_CASE,
    OTHER_TASK,
    file_list,
    head_of,
    other_task_remedy,
    refuse_nothing,
    refuse_other_task,
    report_misplaced,
    tasks_of_names,
)
from validator.findings import Findings, Read, Refused
from validator.formats.rules import Rules
from validator.kinds import FileKind, kind_of
from validator.submission import Submission
from validator.texts import folded, quote

# A misspelled name is at least so alike, for `difflib`; the files of different tasks are less.
_CLOSE = 0.75
# Of texts whose name alone tells their format.
_TEXT_ENDINGS = (".json", ".csv", ".tsv", ".xml", ".yaml", ".yml")
_JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
_JSON_LINES = FileKind("a file of JSON Lines", "make one JSON value of all lines")


def choose_named(submission: Submission, rules: Rules) -> Read[dict[str, str]]:
    """Return the name in the submission of each file that the rules declare.

    Raises Refused, with names of files that could be meant, if one is missing or several fit.
    """
    with Findings.collect() as findings:
        files = rules.name_patterns
        refuse_nothing(submission, " and ".join(map(_name_form, files)), findings)
        name_of_pattern: dict[str, str] = {}
        other_names = list(submission.names)
        for file in files:
            fitting_names = [name for name in other_names if fnmatchcase(name, file)]
            if len(fitting_names) > 1:
                problem = f"{file_list(fitting_names)} all fit"
                findings.add("E-FILE-TWICE", problem, "keep one of them", file=_name_form(file))
            if fitting_names:
                name_of_pattern[file] = fitting_names[0]
                other_names.remove(fitting_names[0])
        candidates = [name for name in other_names if folded(name).endswith(PurePosixPath(files[0]).suffix)]
        if rules.any_single and not name_of_pattern and len(candidates) == 1 and "/" not in candidates[0]:
            (only_name,) = candidates
            name_of_pattern[files[0]] = only_name
            other_names.remove(only_name)
            text = f"{quote(only_name)} was read; its name should be {_name_form(files[0])}"
            findings.note("N-FILE-SPELLING", text)
        missing_files = [file for file in files if file not in name_of_pattern]
        lost_files = [
            file
            for file in missing_files
            if not _report_misnamed(file, other_names, submission.folder, findings)
        ]
        if len(lost_files) == len(files):
            _refuse_one_of_several(files[0], candidates, rules.tool_names, findings)
            refuse_other_task(submission, other_names, findings)
        _report_missing(lost_files, other_names, submission, findings)
        if other_names and findings.ok:
            findings.note("N-FILE-IGNORED", f"{file_list(other_names)}: not needed, ignored")
    return Read(name_of_pattern, findings.notes)


def _refuse_one_of_several(
    file: str, names: list[str], tool_names: Sequence[str], findings: Findings
) -> None:
    """Raise Refused with the one to send, if a tool has written several files and one of them is known."""
    to_send = [name for name in names if any(fnmatchcase(name, pattern) for pattern in tool_names)]
    if len(names) > 1 and len(to_send) == 1:
        problem = f"it is missing; found: {file_list(names)}"
        remedy = f"send {quote(to_send[0])} alone, as {_name_form(file)}"
        findings.refuse("E-FILE-NONE", problem, remedy, file=_name_form(file))


def _report_misnamed(file: str, other_names: list[str], folder: str, findings: Findings) -> bool:
    """Add where a missing file is, or that case differs; return whether it is there."""
    for name in other_names:
        if fnmatchcase(PurePosixPath(name).name, file):
            report_misplaced(f"{folder}{name}", findings)
            return True
        if fnmatchcase(folded(name), folded(file)):
            findings.add("E-FILE-CASE", OTHER_CASE, f"rename it to {_name_form(file)}", file=name)
            return True
    return False


def _report_missing(
    files: list[str], other_names: list[str], submission: Submission, findings: Findings
) -> None:
    """Add a problem for each missing file that another one may be, and one for all without such a one."""
    missing_files = []
    for file in files:
        if not _report_similar(file, files, other_names, submission, findings):
            missing_files.append(_name_form(file))
    names = other_names or submission.names
    other_files = f"found: {file_list(names)}" if names else "there are no files"
    or_rename = ", or rename what is meant" if other_names else ""
    if len(missing_files) == 1:
        problem = f"it is missing; {other_files}"
        remedy = f"put it at the top of the zip{or_rename}"
        findings.add("E-FILE-NONE", problem, remedy, file=missing_files[0])
    elif missing_files:
        problem = f"{' and '.join(missing_files)} are missing; {other_files}"
        findings.add("E-FILE-NONE", problem, f"put them at the top of the zip{or_rename}")


def _report_similar(
    file: str, files: list[str], other_names: list[str], submission: Submission, findings: Findings
) -> bool:
    """Add the one other file that a missing one may be: by its name, or as the only one if it is of another
    kind; return whether there is one."""
    import difflib

    json_lines = [name for name in other_names if _is_named_json_lines(name)]
    names, least = (json_lines, 0.0) if json_lines else (other_names, _CLOSE)
    similar_names = difflib.get_close_matches(file, names, len(names) or 1, least)
    # What is more like another missing file is that one.
    similar_names = [name for name in similar_names if difflib.get_close_matches(name, files, 1, 0) == [file]]
    is_misspelled = len(similar_names) == 1
    if not is_misspelled and not len(files) == len(other_names) == 1:
        return False
    other = similar_names[0] if is_misspelled else other_names[0]
    kind = _JSON_LINES if _is_named_json_lines(other) else kind_of(head_of(submission, other))
    is_other_text = _has_other_text_ending(file, other)
    is_same_name = PurePosixPath(other).stem == PurePosixPath(file).stem
    if not (is_misspelled or kind or (is_other_text and is_same_name)):
        return False
    name_form = _name_form(file)
    problem = f"it is missing, but there is {quote(other)}"
    remedy = f"is it misspelled? Rename it to {name_form}"
    expected_kind = PurePosixPath(file).suffix.lstrip(".").upper()
    if kind:
        problem, remedy = f"{problem}, {kind.name}", f"{kind.how(expected_kind)}, with the name {name_form}"
    elif is_other_text:
        remedy = f"write its content as {expected_kind}, with the name {name_form}"
    findings.add("E-FILE-NONE", problem, remedy, file=name_form)
    return True


def _has_other_text_ending(file: str, name: str) -> bool:
    """Return whether a name ends like that of a text of another format than a missing file has."""
    ending = folded(PurePosixPath(name).suffix)
    return ending in _TEXT_ENDINGS and ending != PurePosixPath(file).suffix


def _name_form(pattern: str) -> str:
    """Return how a person writes a pattern of names: no file can be renamed to one with a star."""
    return pattern.replace("*", "<name>")


def _is_named_json_lines(name: str) -> bool:
    return PurePosixPath(folded(name)).suffix in _JSON_LINES_ENDINGS


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
                findings.add(OTHER_TASK, f"this is a file of {task}", other_task_remedy(task), file=name)
            if not task or any(problem.where not in ("", "/") for problem in refused.findings.problems):
                findings.extend(refused.findings)
