"""Choosing the files of a submission that has one for each item."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import NoReturn

from validator.choose import (
    OTHER_CASE,
    file_list,
    head_of,
    refuse_nothing,
    refuse_other_task,
    report_misplaced,
)
from validator.findings import Findings
from validator.formats.rules import CsvRules
from validator.items import Place, check_items
from validator.kinds import kind_of
from validator.submission import Submission
from validator.texts import counted, folded, quote

# So many names of files are compared with those of items.
_COMPARED = 100


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
    findings = Findings()
    name_of_item, ignored_names = _match_items(submission, rules, known_items or (), findings)
    with findings.part():
        if findings.ok:
            refuse_nothing(submission, f"a file {_pattern(rules)} for each {rules.item}", findings)
        if not name_of_item and findings.ok:
            refuse_other_task(submission, ignored_names, findings)
        _note_names(name_of_item, known_items, ignored_names, rules, findings)
        if not name_of_item and findings.ok:
            _refuse_no_item(submission, ignored_names, rules, known_items, findings)
        if known_items is not None and findings.ok:
            findings.notes += check_items(
                name_of_item, known_items, rules.item, lambda item: Place(name_of_item[item])
            )
    return name_of_item, findings


def _match_items(
    submission: Submission, rules: CsvRules, known_items: Collection[str], findings: Findings
) -> tuple[dict[str, str], list[str]]:
    """Return the name of the file of each item, and the names of files that are of no item."""
    name_of_item: dict[str, str] = {}
    ignored_names = []
    known_folded = {folded(item) for item in known_items}
    for name in submission.names:
        key, is_exact = _match(PurePosixPath(name).name, (rules.path, *rules.other_paths))
        is_other = folded(key or "") in known_folded and key not in known_items
        if key is None:
            ignored_names.append(name)
        elif "/" in name:
            report_misplaced(f"{submission.folder}{name}", findings)
        elif not is_exact or is_other:
            remedy = f"name it {_pattern(rules)}, with upper and lower case as here and in the data"
            findings.add("E-FILE-CASE", OTHER_CASE, remedy, file=name, rule="case")
        elif key in name_of_item:
            problem = f"there is also {quote(name_of_item[key])} for the same {rules.item}"
            findings.add("E-FILE-TWICE", problem, "keep one of the two", file=name, rule="twice")
        else:
            name_of_item[key] = name
    return name_of_item, ignored_names


def _refuse_no_item(
    submission: Submission,
    ignored_names: list[str],
    rules: CsvRules,
    known_items: Collection[str] | None,
    findings: Findings,
) -> NoReturn:
    problem = "there are no files"
    if ignored_names:
        problem = f"no file is named {_pattern(rules)}; found: {file_list(ignored_names)}"
    remedy = f"write one file for each {rules.item}, named {_pattern(rules)}, at the top of the zip"
    data_files = [name for name in ignored_names if _match(PurePosixPath(name).name, rules.data_paths)[0]]
    if data_files:
        problem += f"; {quote(data_files[0])} is a file of the data, no prediction"
        ignored_names = sorted(set(ignored_names).difference(data_files))
    kind = kind_of(head_of(submission, ignored_names[0])) if ignored_names else None
    if kind is not None:
        problem += f"; {quote(ignored_names[0])} is {kind.name}"
        findings.refuse("E-FILE-NONE", problem, f"{kind.how('CSV')}; {remedy}")
    advice = _rename_example(submission, ignored_names, rules, known_items or ())
    advice = advice or _conversion_of_table(ignored_names, rules)
    findings.refuse("E-FILE-NONE", problem, remedy + advice)


def _rename_example(
    submission: Submission, ignored_names: list[str], rules: CsvRules, known_items: Collection[str]
) -> str:
    """Return how the first file that begins with the name of an item is to be named, "" if none does, or if
    that file holds no rows."""
    for name in ignored_names[:_COMPARED]:
        stem = PurePosixPath(name).stem
        beginnings = [stem[: mark.start()] for mark in re.finditer(r"[\W_]", stem)]
        for item in (stem, *reversed(beginnings)):
            if item in known_items:
                if not _may_hold_rows(head_of(submission, name)):
                    return ""
                return f": rename {quote(name)} to {quote(rules.path.format(key=item))}, and so on"
    return ""


def _may_hold_rows(head: bytes) -> bool:
    """Return whether a file that begins with ``head`` may hold rows, not JSON or labels of frames."""
    first_line = head.strip().partition(b"\n")[0].strip()
    has_fields = not first_line.startswith((b"[", b"{")) and re.search(rb"[^\w]", first_line)
    return not first_line or bool(has_fields)


def _conversion_of_table(ignored_names: list[str], rules: CsvRules) -> str:
    """Return how files are made from the only CSV or JSON file, which may hold all items, "" without one."""
    tables = [name for name in ignored_names if PurePosixPath(folded(name)).suffix in (".csv", ".json")]
    if len(tables) != 1 or not rules.table_columns:
        return ""
    columns = ", ".join(rules.table_columns)
    return f"; `people-in-video convert` makes them from one table with the columns {columns}"


def _pattern(rules: CsvRules) -> str:
    return rules.path.format(key=f"<{rules.item}>")


def _note_names(
    name_of_item: dict[str, str],
    known_items: Collection[str] | None,
    ignored_names: list[str],
    rules: CsvRules,
    findings: Findings,
) -> None:
    """Note the files that are ignored, and how many files of known items have the second spelling."""
    if ignored_names and name_of_item:
        text = f"{file_list(ignored_names)}: not named {_pattern(rules)}, ignored"
        findings.note("N-FILE-IGNORED", text)
    read_items = [item for item in name_of_item if known_items is None or item in known_items]
    respelled_items = [item for item in read_items if name_of_item[item] != rules.path.format(key=item)]
    if respelled_items:
        other_name = rules.other_paths[0].format(key="")
        right_name = rules.path.format(key="")
        text = f"{counted(len(respelled_items), 'file')} named {other_name} instead of {right_name}"
        findings.note("N-FILE-SPELLING", text)


def _match(base: str, spellings: Sequence[str]) -> tuple[str | None, bool]:
    """Return the key in a file name (None if it has none) and whether the rest is spelled exactly."""
    for flags, is_exact in ((0, True), (re.IGNORECASE | re.ASCII, False)):
        for spelling in spellings:
            prefix, suffix = spelling.split("{key}")
            match = re.fullmatch(f"{re.escape(prefix)}(.+){re.escape(suffix)}", base, flags | re.DOTALL)
            if match:
                return match.group(1), is_exact
    return None, False
