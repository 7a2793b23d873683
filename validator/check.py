"""Checking a whole submission against the rules of its challenge."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from validator.archive import Submission, UnreadableFileError, open_submission
from validator.csv_files import CsvRows, read_csv_files
from validator.facts import EMPTY, label_facts
from validator.findings import Findings, Note, counted, quote
from validator.rules import CsvRules, JsonRules, Rules, known_ids, load_rules
from validator.tables import read_table, table_facts

# `CsvRows`, tables by name, or what a module of ``validator/formats`` returns; None after a problem.
Content = Any
_NAMED_AT_MOST = 5
# A misspelled name is at least so alike, for `difflib`; the files of different tasks are less.
_CLOSE = 0.75
_OTHER_CASE = "upper and lower case differ"


def check_submission(
    path: Path,
    rules: Rules,
    findings: Findings,
    last_frames: Mapping[str, int] | None = None,
    **reader_options: Any,
) -> Content:
    """Check the submission at ``path`` and return its content, or None if problems were found.

    The content is `CsvRows`, a `Table` for each of the declared names, or what the challenge's module in
    ``validator/formats`` makes of JSON files.

    Parameters
    ----------
    path : Path
        A zip file, or a folder with the submission's files.
    rules : Rules
        The challenge's rules.
    findings : Findings
        Gets problems and notes.
    last_frames : mapping of key to int, optional
        Facts about the reference: its keys and each item's number of frames. Without it (a participant at
        home) every key is accepted. For CSV files only.
    reader_options
        For `validator.tables.read_table`, or for ``read`` of the challenge's module in ``validator/formats``.
    """
    with open_submission(path, rules.limits, findings) as submission:
        if submission is None:
            return None
        if rules.csv:
            content: Content = _check_csv(submission, rules.csv, findings, last_frames)
        else:
            content = _check_named(submission, rules, findings, reader_options)
    return content if findings.ok else None


def _check_named(
    submission: Submission, rules: Rules, findings: Findings, options: dict[str, Any]
) -> Content:
    any_single = rules.json.any_single if rules.json else len(rules.tables) == 1
    chosen = _choose_named(submission, rules.named_files, any_single, findings)
    if not findings.ok:
        return None
    try:
        if rules.json:
            return _format(rules.json).read(submission, chosen, rules, findings, **options)
        named = ((chosen[table.file], table) for table in rules.tables)
        return {
            table.file: read_table(submission.read(name), name, table, findings, **options)
            for name, table in named
        }
    except UnreadableFileError:
        problem, names = "a file cannot be unpacked", ", ".join(chosen.values())
        findings.add("E-ZIP-DAMAGED", problem, "create the zip again", file=names)
        return None


def _format(rules: JsonRules) -> ModuleType:
    return importlib.import_module(f"validator.formats.{rules.format}")


def _choose_named(
    submission: Submission, files: Sequence[str], any_single: bool, findings: Findings
) -> dict[str, str]:
    """Return the declared name -> the name in the submission; report what there is instead of missing
    files."""
    chosen: dict[str, str] = {}
    others = list(submission.names)
    for file in files:
        fitting = [name for name in others if fnmatchcase(name, file)]
        if len(fitting) > 1:
            findings.add("E-FILE-TWICE", f"{_named(fitting)} all fit", "keep one of them", file=file)
        if fitting:
            chosen[file] = fitting[0]
            others.remove(fitting[0])
    alike = [name for name in others if name.lower().endswith(PurePosixPath(files[0]).suffix)]
    if any_single and not chosen and len(alike) == 1 and "/" not in alike[0]:
        (only,) = alike
        chosen[files[0]] = only
        others.remove(only)
        findings.note("N-FILE-SPELLING", f"{quote(only)} was read; its name should be {files[0]}")
    for file in files:
        if file not in chosen:
            _missing_file(file, others, submission.folder, findings)
    if others and findings.ok:
        findings.note("N-FILE-IGNORED", f"{_named(others)}: not needed, ignored")
    return chosen


def _missing_file(file: str, others: list[str], folder: str, findings: Findings) -> None:
    for name in others:
        if fnmatchcase(PurePosixPath(name).name, file):
            _misplaced(f"{folder}{name}", findings)
            return
        if fnmatchcase(name.casefold(), file.casefold()):
            findings.add("E-FILE-CASE", _OTHER_CASE, f"rename it to {file}", file=name)
            return
    other_task = _other_task(others)
    problem = (
        f"it is missing; found: {_named(others)}"
        if others
        else "it is missing; there is no other file that could be it"
    )
    hint = other_task or "put it at the top of the zip"
    close = difflib.get_close_matches(file, others, 1, _CLOSE)
    if close and not other_task:
        problem, hint = (
            f"it is missing, but there is {quote(close[0])}",
            f"is it misspelled? Rename it to {file}",
        )
    findings.add("E-FILE-NONE", problem, hint, file=file)


def _misplaced(path: str, findings: Findings) -> None:
    findings.add("E-FILE-PLACE", "the file is in a folder", "put all files at the top of the zip", file=path)


def _other_task(names: list[str]) -> str:
    """Return a hint if these are the files of another task, "" if not."""
    for name in known_ids():
        rules = load_rules(name)
        patterns = [rules.csv.name.format(key="*")] if rules.csv else rules.named_files
        if any(fnmatchcase(PurePosixPath(file).name, pattern) for file in names for pattern in patterns):
            return f"these are files of {name}: submit them there, or name the right task"
    return ""


def _check_csv(
    submission: Submission, rules: CsvRules, findings: Findings, last_frames: Mapping[str, int] | None
) -> CsvRows:
    chosen = _choose_files(submission, rules, findings, last_frames)
    known: list[tuple[str, str, bytes]] = []
    unknown: list[tuple[str, str, bytes]] = []
    for key, name in chosen.items():
        files = known if last_frames is None or key in last_frames else unknown
        try:
            files.append((key, name, submission.read(name)))
        except UnreadableFileError:
            findings.add("E-ZIP-DAMAGED", "the file cannot be unpacked", "create the zip again", file=name)
    # Files of unknown items are ignored, but checked: a participant at home gets the same verdict.
    read_csv_files(unknown, rules, findings)
    return read_csv_files(known, rules, findings, last_frames)


def _choose_files(
    submission: Submission, rules: CsvRules, findings: Findings, last_frames: Mapping[str, int] | None
) -> dict[str, str]:
    """Return key -> file name of the files to check; report all others."""
    chosen: dict[str, str] = {}
    ignored = []
    folded = {key.casefold() for key in last_frames or ()}
    for name in submission.names:
        key, exact = _match(PurePosixPath(name).name, (rules.name, *rules.also_named))
        if key is None:
            ignored.append(name)
        elif "/" in name:
            _misplaced(f"{submission.folder}{name}", findings)
        elif not exact:
            hint = f"rename it to {quote(rules.name.format(key=key))}"
            findings.add("E-FILE-CASE", _OTHER_CASE, hint, file=name)
        elif key in chosen:
            problem = f"there is also {quote(chosen[key])} for the same {rules.item}"
            findings.add("E-FILE-TWICE", problem, "keep one of the two", file=name)
        elif last_frames is not None and key not in last_frames and key.casefold() in folded:
            # The right name is the reference's, which messages do not quote.
            hint = f"write the {rules.item} as in the names of the data"
            findings.add("E-FILE-CASE", _OTHER_CASE, hint, file=name)
        else:
            chosen[key] = name
    unknown = [name for key, name in chosen.items() if last_frames is not None and key not in last_frames]
    _note_names(chosen, unknown, ignored, rules, findings)
    if len(unknown) == len(chosen) and findings.ok:
        found = (
            f"no usable file was found; found: {_named(ignored + unknown)}"
            if submission.names
            else "there are no files"
        )
        hint = _other_task(ignored) or f"name your files {_pattern(rules)}, at the top of the zip"
        findings.add("E-FILE-NONE", found, hint)
    return chosen


def _pattern(rules: CsvRules) -> str:
    return rules.name.format(key=f"<{rules.item}>")


def _note_names(
    chosen: dict[str, str], unknown: list[str], ignored: list[str], rules: CsvRules, findings: Findings
) -> None:
    """Note which files are ignored, and how many others have the second spelling of names."""
    if ignored:
        text = f"{_named(ignored)}: not named {_pattern(rules)}, ignored{_close(ignored, rules)}"
        findings.note("N-FILE-IGNORED", text)
    if unknown:
        findings.note("N-FILE-UNKNOWN", f"{_named(unknown)}: no {rules.item} of this name, ignored")
    other_spelling = {name for key, name in chosen.items() if name != rules.name.format(key=key)}.difference(
        unknown
    )
    if other_spelling:
        other, right = (name.format(key="") for name in (rules.also_named[0], rules.name))
        findings.note(
            "N-FILE-SPELLING", f"{counted(len(other_spelling), 'file')} named {other} instead of {right}"
        )


def _match(base: str, spellings: tuple[str, ...]) -> tuple[str | None, bool]:
    """Return the key in a file name (None if it has none) and whether the rest is spelled exactly."""
    for flags, exact in ((0, True), (re.IGNORECASE, False)):
        for spelling in spellings:
            before, after = spelling.split("{key}")
            match = re.fullmatch(f"{re.escape(before)}(.+){re.escape(after)}", base, flags | re.DOTALL)
            if match:
                return match.group(1), exact
    return None, False


def _named(names: list[str]) -> str:
    shown = ", ".join(quote(name) for name in names[:_NAMED_AT_MOST])
    more = len(names) - _NAMED_AT_MOST
    return f"{shown} and {more} more" if more > 0 else shown


def _close(ignored: list[str], rules: CsvRules) -> str:
    """Return a question if an ignored name looks like a misspelled one."""
    suffix = rules.name.format(key="")
    for name in ignored[:100]:
        if difflib.SequenceMatcher(None, name[-len(suffix) :], suffix).ratio() > 0.7:
            return f" (is {quote(name)} misspelled?)"
    return ""


def submission_facts(content: Content, rules: Rules) -> list[Note]:
    """Return notes on what `check_submission` returned, and one that the reference was not there to
    compare with."""
    if rules.json:
        notes: list[Note] = _format(rules.json).facts(content)
    elif rules.tables:
        notes = table_facts(content)
    else:
        notes = label_facts(content.values[:, -3], "class") if len(content.values) else [EMPTY]
    return [*notes, Note("N-UNCHECKED", "names, ids and boxes were not compared with the reference")]
