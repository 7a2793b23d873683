"""Finding the files of a submission by their names.

Missing, misplaced, misspelled, and repeated ones are problems.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from validator.archive import Submission
from validator.findings import Findings, Read, Refused
from validator.formats.rules import CsvRules, Rules, load_rules, task_ids
from validator.items import Place, check_items
from validator.texts import counted, folded, quote

_NAMED_AT_MOST = 5
# A misspelled name is at least so alike, for `difflib`; the files of different tasks are less.
_CLOSE = 0.75
_CLOSE_SUFFIX = 0.7
_COMPARED = 100
_JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
_OTHER_CASE = "upper and lower case differ"


def choose_named(submission: Submission, rules: Rules) -> Read[dict[str, str]]:
    """Return the name in the submission of each file that the rules declare.

    Raises Refused, with names of files that could be meant, if one is missing or several fit.
    """
    with Findings.collect() as findings:
        files = rules.name_patterns
        name_of_pattern: dict[str, str] = {}
        others = list(submission.names)
        for file in files:
            fitting = [name for name in others if fnmatchcase(name, file)]
            if len(fitting) > 1:
                findings.add("E-FILE-TWICE", f"{_named(fitting)} all fit", "keep one of them", file=file)
            if fitting:
                name_of_pattern[file] = fitting[0]
                others.remove(fitting[0])
        alike = [name for name in others if folded(name).endswith(PurePosixPath(files[0]).suffix)]
        if rules.any_single and not name_of_pattern and len(alike) == 1 and "/" not in alike[0]:
            (only,) = alike
            name_of_pattern[files[0]] = only
            others.remove(only)
            findings.note("N-FILE-SPELLING", f"{quote(only)} was read; its name should be {files[0]}")
        for file in files:
            if file not in name_of_pattern:
                _report_missing(file, others, submission.folder, findings)
        if others and findings.ok:
            findings.note("N-FILE-IGNORED", f"{_named(others)}: not needed, ignored")
    return Read(name_of_pattern, findings.notes)


def _report_missing(file: str, others: list[str], folder: str, findings: Findings) -> None:
    for name in others:
        if fnmatchcase(PurePosixPath(name).name, file):
            _report_misplaced(f"{folder}{name}", findings)
            return
        if fnmatchcase(folded(name), folded(file)):
            findings.add("E-FILE-CASE", _OTHER_CASE, f"rename it to {file}", file=name)
            return
    other_task = _other_task(others)
    there = f"found: {_named(others)}" if others else "there is no other file that could be it"
    problem, remedy = f"it is missing; {there}", other_task or "put it at the top of the zip"
    close = difflib.get_close_matches(file, others, 1, _CLOSE)
    json_lines = difflib.get_close_matches(file, filter(_is_named_json_lines, others), 1, 0)
    if json_lines and not other_task:
        problem = f"it is missing, but there is {quote(json_lines[0])}: JSON Lines is another format"
        remedy = f"make one JSON value of all lines, and name the file {file}"
    elif close and not other_task:
        problem = f"it is missing, but there is {quote(close[0])}"
        remedy = f"is it misspelled? Rename it to {file}"
    findings.add("E-FILE-NONE", problem, remedy, file=file)


def _is_named_json_lines(name: str) -> bool:
    return PurePosixPath(folded(name)).suffix in _JSON_LINES_ENDINGS


def _report_misplaced(path: str, findings: Findings) -> None:
    findings.add("E-FILE-PLACE", "the file is in a folder", "put all files at the top of the zip", file=path)


def _other_task(names: list[str]) -> str:
    """Return a hint if these are the files of another task, "" if not."""
    for task_id in task_ids():
        patterns = load_rules(task_id).name_patterns
        if any(fnmatchcase(PurePosixPath(file).name, pattern) for file in names for pattern in patterns):
            return f"these are files of {task_id}: submit them there, or name the right task"
    return ""


@contextmanager
def naming_other_task(name: str, pattern: str) -> Iterator[None]:
    """Report first, if a file cannot be read, that its name is not ``pattern`` but that of another task."""
    try:
        yield
    except Refused as refused:
        remedy = "" if fnmatchcase(name, pattern) else _other_task([name])
        with Findings.collect() as findings:
            if remedy:
                findings.add("E-FILE-NONE", f"it is missing; found: {quote(name)}", remedy, file=pattern)
            findings.extend(refused.findings)


def choose_items(
    submission: Submission, rules: CsvRules, known_items: Collection[str] | None = None
) -> tuple[dict[str, str], Findings]:
    """Return the name of the file of each item that the submission holds, and the findings on all names.

    Parameters
    ----------
    submission : Submission
    rules : CsvRules
        What files are called; all others are ignored with a note.
    known_items : collection of str, optional
        The items that exist. Without it (a participant at home) all are accepted.

    Returns
    -------
    name_of_item : dict of str to str
        By item. These files can be read even if others are misplaced, misspelled, or there twice.
    findings : Findings
    """
    name_of_item: dict[str, str] = {}
    ignored = []
    findings = Findings()
    known_folded = {folded(item) for item in known_items or ()}
    for name in submission.names:
        key, is_exact = _match(PurePosixPath(name).name, (rules.path, *rules.other_paths))
        is_other = folded(key or "") in known_folded and key not in (known_items or ())
        if key is None:
            ignored.append(name)
        elif "/" in name:
            _report_misplaced(f"{submission.folder}{name}", findings)
        elif not is_exact or is_other:
            remedy = f"rename it to {quote(rules.path.format(key=key))}"
            if is_other:
                # The right name is the reference's, which messages do not quote.
                remedy = f"name it {_pattern(rules)}, with the {rules.item} as in the names of the data"
            findings.add("E-FILE-CASE", _OTHER_CASE, remedy, file=name)
        elif key in name_of_item:
            problem = f"there is also {quote(name_of_item[key])} for the same {rules.item}"
            findings.add("E-FILE-TWICE", problem, "keep one of the two", file=name)
        else:
            name_of_item[key] = name
    _note_names(name_of_item, known_items, ignored, rules, findings)
    if name_of_item and known_items is not None and findings.ok:
        with findings.part():
            findings.notes += check_items(
                name_of_item, known_items, rules.item, lambda item: Place(name_of_item[item])
            )
    if not name_of_item and findings.ok:
        problem = f"no usable file was found; found: {_named(ignored)}" if ignored else "there are no files"
        remedy = _other_task(ignored) or f"name your files {_pattern(rules)}, at the top of the zip"
        findings.add("E-FILE-NONE", problem, remedy)
    return name_of_item, findings


def _pattern(rules: CsvRules) -> str:
    return rules.path.format(key=f"<{rules.item}>")


def _note_names(
    name_of_item: dict[str, str],
    known_items: Collection[str] | None,
    ignored: list[str],
    rules: CsvRules,
    findings: Findings,
) -> None:
    """Note the files that are ignored, and how many files of known_items items have the second spelling."""
    if ignored:
        text = f"{_named(ignored)}: not named {_pattern(rules)}, ignored{_close(ignored, rules)}"
        findings.note("N-FILE-IGNORED", text)
    read_items = [item for item in name_of_item if known_items is None or item in known_items]
    respelled = [item for item in read_items if name_of_item[item] != rules.path.format(key=item)]
    if respelled:
        wrong, right = (name.format(key="") for name in (rules.other_paths[0], rules.path))
        text = f"{counted(len(respelled), 'file')} named {wrong} instead of {right}"
        findings.note("N-FILE-SPELLING", text)


def _match(base: str, spellings: Sequence[str]) -> tuple[str | None, bool]:
    """Return the key in a file name (None if it has none) and whether the rest is spelled exactly."""
    for flags, is_exact in ((0, True), (re.IGNORECASE | re.ASCII, False)):
        for spelling in spellings:
            before, after = spelling.split("{key}")
            match = re.fullmatch(f"{re.escape(before)}(.+){re.escape(after)}", base, flags | re.DOTALL)
            if match:
                return match.group(1), is_exact
    return None, False


def _named(names: list[str]) -> str:
    first_names = ", ".join(quote(name) for name in names[:_NAMED_AT_MOST])
    more = len(names) - _NAMED_AT_MOST
    return f"{first_names} and {more} more" if more > 0 else first_names


def _close(ignored: list[str], rules: CsvRules) -> str:
    """Return a question if an ignored name looks like a misspelled one."""
    suffix = rules.path.format(key="")
    for name in ignored[:_COMPARED]:
        if difflib.SequenceMatcher(None, name[-len(suffix) :], suffix).ratio() > _CLOSE_SUFFIX:
            return f" (is {quote(name)} misspelled?)"
    return ""
