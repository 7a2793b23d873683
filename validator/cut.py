"""Cutting a submission: the predictions for some items only, for a reference that holds no others."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path

from validator.archive import BASELINE_FILE, open_submission
from validator.findings import Findings, Read
from validator.formats.rules import CsvRules, JsonFile, Rules, load_rules, task_ids
from validator.messages import Note
from validator.strict_json import strict_loads
from validator.texts import counted

# The content of a file after the cut, and the items that it held before.
_Cut = tuple[bytes, set[str]]


def cut_submission(source: Path, items: Collection[str], output: Path) -> Note:
    """Write the submission in ``source`` with these items alone to the zip ``output``.

    The task is the one whose files the submission has; files that its rules do not name stay as they are.
    Returns a note on the number of items. Raises Refused if no task has such files, one cannot be read, or
    nothing would be left.
    """
    rules = _rules_of(source)
    contents: dict[str, bytes] = {}
    held: set[str] = set()
    with Findings.collect() as findings, open_submission(source, rules.limits) as submission:
        for name in submission.names:
            data = submission.read(name)
            file = _rule_of(name, rules)
            if isinstance(file, JsonFile):
                data, of_file = findings.take(_cut_json(data, name, file, items))
            elif file is not None:
                data, of_file = _cut_csv(data, name, file, items)
            else:
                of_file = set()
            held |= of_file
            is_item = isinstance(file, CsvRules) and not file.key
            if not (is_item and of_file.isdisjoint(items)):
                contents[name] = data
        if submission.is_baseline:
            contents[BASELINE_FILE] = submission.read(BASELINE_FILE)
        if held.isdisjoint(items):
            problem = "the submission holds none of these items"
            remedy = "write one item a line, as it names them"
            findings.refuse("E-CUT-NONE", problem, remedy, file=source.name)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    kept = held.intersection(items)
    text = f"kept {len(kept):,} of {counted(len(held), 'item')}; items of the list without a prediction: "
    return Note("N-CUT", f"{text}{len(set(items) - kept):,}")


def _rules_of(source: Path) -> Rules:
    """Return the rules of the first task whose files are all there. Raises Refused if there is none."""
    with Findings.collect() as findings:
        known = task_ids()
        for rules in map(load_rules, known):
            with open_submission(source, rules.limits) as submission:
                names = submission.names
                if all(any(fnmatchcase(name, each) for name in names) for each in rules.name_patterns):
                    return rules
        problem = "these are not the files of a task"
        remedy = f"name them as the pages of {', '.join(known)} say"
        findings.refuse("E-CUT-TASK", problem, remedy, file=source.name)


def _rule_of(name: str, rules: Rules) -> CsvRules | JsonFile | None:
    """Return the rule that says what a file holds, None for other files."""
    files: list[CsvRules | JsonFile] = [*rules.csv, *rules.json]
    for file, pattern in zip(files, rules.name_patterns):
        others = getattr(file, "other_paths", ())
        if any(fnmatchcase(name, each.replace("{key}", "*")) for each in (pattern, *others)):
            return file
    return None


def _cut_json(data: bytes, name: str, file: JsonFile, items: Collection[str]) -> Read[_Cut]:
    """Cut a JSON file whose entries are members by the name of their item, or name it. Raises Refused."""
    with Findings.collect() as findings:
        content = findings.take(strict_loads(data, name))
        entries = content.get(file.each) if file.each and isinstance(content, dict) else content
        if file.item and isinstance(entries, list):
            named = [str(entry.get(file.item)) if isinstance(entry, dict) else "" for entry in entries]
            held = set(named)
            kept: object = [entry for item, entry in zip(named, entries) if item in items]
        elif isinstance(entries, dict):
            held, kept = set(entries), {item: entry for item, entry in entries.items() if item in items}
        else:
            problem = "the entries are not where the page of the task says"
            findings.refuse("E-CUT-ENTRIES", problem, "check the submission first", file=name)
    whole = {**content, file.each: kept} if file.each else kept
    return Read((json.dumps(whole).encode(), held), findings.notes)


def _cut_csv(data: bytes, name: str, rules: CsvRules, items: Collection[str]) -> _Cut:
    """Cut a table, or return the file of an item as it is."""
    if not rules.key:
        for path in (rules.path, *rules.other_paths):
            before, after = path.split("{key}")
            if name.startswith(before) and name.endswith(after):
                return data, {name[len(before) : len(name) - len(after)]}
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig", "replace"), newline="")))
    at = rows[0].index(rules.key) if rows and rules.key in rows[0] else 0
    kept = [row for number, row in enumerate(rows) if not number or (len(row) > at and row[at] in items)]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(kept)
    return text.getvalue().encode(), {row[at] for row in rows[1:] if len(row) > at}
