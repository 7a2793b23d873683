"""Checking competition.yaml without its files: by the JSON Schema of its form and rules for several places.

The schema says what the platform takes, its part ``advice`` what else a competition needs to work.
``words.json`` has the level, code, problem and hint of an error by its keyword, or by the title of the part
of the schema that it violates.
"""

from __future__ import annotations

import datetime
import difflib
import json
import re
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import jsonschema
from dateutil import parser

from organizer.bundle.competition import (
    Competition,
    Entry,
    LintReport,
    columns_of,
    entries_of,
    form_of,
    number,
    sorted_phases,
    yes,
)
from validator.findings import quote

_BOARD = "/leaderboards/0"
_UNAMBIGUOUS = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")
_DATE = 'write it in UTC as "2027-01-31 23:59:59"'


def check_competition(data: Competition, report: LintReport) -> bool:
    """Check competition.yaml without its files; return whether its structure allows further checks."""
    form = form_of(data)
    if form is None:
        report.error("L-SCHEMA", f"there is no version {data['version']}", "write version: 2", "/version")
        return False
    if not check_schema(data, form, report):
        return False
    (where, first), migration = sorted_phases(data)[0], "auto_migrate_to_this_phase"
    if form == "v1.5":
        migration = "auto_migration"
        _check_classic_phases(data, report)
        _check_classic_board(data, report)
    else:
        _check_phases(data, report)
        _check_tasks(data, report)
        _check_board(data, report)
    if yes(first.get(migration)):
        problem = "there is no phase before the first to migrate from"
        report.error("L-PHASE", problem, "remove the key", f"{where}/{migration}")
    return True


def _check_unique(record: Callable[..., None], values: Sequence[object], where: str, name: str) -> None:
    for value in sorted({str(value) for value in values if values.count(value) > 1}):
        record("L-TWICE", f"{name} {value} occurs more than once", "make them differ", where)


def _check_phases(data: Competition, report: LintReport) -> None:
    phases = sorted_phases(data)
    indexes = [phase["index"] for _, phase in phases if "index" in phase]
    _check_unique(report.warn, indexes, "/phases", "the index")
    if 0 < len(indexes) < len(phases):
        report.warn("L-PHASE", "only some phases have an index", "number all or none", "/phases")
    previous_end = None
    for order, (where, phase) in enumerate(phases, start=1):
        start = read_date(phase["start"], f"{where}/start", report)
        end = read_date(phase["end"], f"{where}/end", report) if phase.get("end") else None
        if not phase.get("end") and order < len(phases):
            report.error("L-PHASE", "the phase has no end", "all but the last need one", where)
        if start and end and end <= start:
            report.warn("L-PHASE", "the phase ends before it starts", "swap the dates", f"{where}/end")
        if start and previous_end and start <= previous_end:
            hint = "start it at least one second after that end"
            report.error("L-PHASE", "this phase starts before the previous one ends", hint, f"{where}/start")
        previous_end = end or previous_end


def _check_tasks(data: Competition, report: LintReport) -> None:
    solutions = entries_of(data, "solutions")
    known = [task["index"] for task in data["tasks"]]
    _check_unique(report.error, known, "/tasks", "the index")
    _check_unique(report.warn, [solution["index"] for _, solution in solutions], "/solutions", "the index")
    hint = f"the indexes are {', '.join(map(str, known))}"
    for where, entry in [*entries_of(data, "phases"), *solutions]:
        for missing in [index for index in entry["tasks"] if index not in known]:
            report.error("L-TASK", f"there is no task with index {missing}", hint, f"{where}/tasks")
    for name, question in (data.get("fact_sheet") or {}).items():
        if question["key"] != name:
            problem = f"the key {question['key']} differs from the question's name"
            report.error("L-FACTS", problem, f"write key: {name}", f"/fact_sheet/{name}/key")


def _check_board(data: Competition, report: LintReport) -> None:
    board, columns = data["leaderboards"][0], columns_of(data)
    indexes = [number(column.data["index"]) for column in columns]
    _check_unique(report.error, indexes, f"{_BOARD}/columns", "the index")
    _check_unique(report.error, [column.key for column in columns], f"{_BOARD}/columns", "the key")
    if number(board.get("primary_index", 0)) not in indexes:
        report.warn("L-BOARD", "no column has this index", "name one that exists", f"{_BOARD}/primary_index")
    for own, column in zip(indexes, columns):
        for index in map(number, column.data.get("computation_indexes") or []):
            if index == own:
                problem = "the column is computed from itself"
                report.error("L-COLUMN", problem, "name other columns", column.where)
            elif index not in indexes:
                problem = f"there is no column with index {index}"
                report.error("L-COLUMN", problem, "name columns that exist", column.where)
    most = max(len(phase["tasks"]) for phase in data["phases"])
    if board.get("submission_rule") == "Force_Best" and most > 1:
        problem = "under Force_Best entering one task of a phase drops the entry in another"
        hint = "use Force_Latest_Multiple with several tasks"
        report.warn("L-RULE", problem, hint, f"{_BOARD}/submission_rule")


def _check_classic_phases(data: Competition, report: LintReport) -> None:
    phases = sorted_phases(data)
    _check_unique(report.warn, [phase["phasenumber"] for _, phase in phases], "/phases", "the phasenumber")
    previous = None
    for where, phase in phases:
        start = read_date(phase["start_date"], f"{where}/start_date", report)
        if start and previous and (start - previous).days <= 1:
            problem = "the phase before would end before it starts"
            hint = "a phase ends one day before the next one starts; leave more time between their starts"
            report.warn("L-PHASE", problem, hint, f"{where}/start_date")
        previous = start or previous
    end = read_date(data["end_date"], "/end_date", report) if data.get("end_date") else None
    if end and previous and end <= previous:
        problem = "the competition ends before its last phase starts"
        report.warn("L-PHASE", problem, "correct it", "/end_date")


def _check_classic_board(data: Competition, report: LintReport) -> None:
    columns = columns_of(data)
    ranks = [column.data["rank"] for column in columns if "rank" in column.data]
    _check_unique(report.warn, ranks, "/leaderboard/columns", "the rank")
    labels = {board["label"] for board in data["leaderboard"]["leaderboards"].values()}
    hint = f"the labels are {', '.join(sorted(map(str, labels)))}"
    for column in columns:
        label = column.data["leaderboard"]["label"]
        if label not in labels:
            report.warn("L-BOARD", f"there is no leaderboard with the label {label}", hint, column.where)


def read_date(value: object, where: str, report: LintReport) -> datetime.datetime | None:
    """Return the moment (UTC) that the platform takes a date for, None if it cannot be read.

    The platform drops the time of day of a date without quotes, and the offset of any.
    """
    if isinstance(value, datetime.date):
        if isinstance(value, datetime.datetime):
            problem = "a date without quotes loses its time of day"
            report.warn("L-DATE", problem, f"{_DATE}, with the quotes", where)
        return datetime.datetime(value.year, value.month, value.day)
    text = str(value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # dateutil's, of the names of time zones, which are dropped below
            moment: datetime.datetime = parser.parse(text)
    except (ValueError, OverflowError):
        report.error("L-DATE", f"there is no such day or time: {text}", _DATE, where)
        return None
    if not _UNAMBIGUOUS.fullmatch(text.strip()):
        taken = f"{moment:%Y-%m-%d %H:%M:%S}"
        problem = f"{text} can be read in more than one way; the platform takes it for {taken}"
        report.warn("L-DATE", problem, _DATE, where)
    elif moment.utcoffset():
        report.warn("L-DATE", f"the platform drops the offset of {text}", _DATE, where)
    return moment.replace(tzinfo=None)


def _load(name: str) -> Entry:
    return json.loads((Path(__file__).parent / "schemas" / f"{name}.json").read_text(encoding="utf-8"))


_DEFINITIONS, _WORDS = _load("definitions"), _load("words")


def check_schema(data: Competition, form: str, report: LintReport) -> bool:
    """Check each value of competition.yaml; return whether its structure allows further checks."""
    schema = {**_load(f"competition-{form}"), "definitions": _DEFINITIONS}
    validator, plain = _Validator(schema, format_checker=_formats), _plain(data)
    errors = sorted(validator.iter_errors(plain), key=lambda error: list(map(str, error.path)))
    for error in [*errors, *validator.descend(plain, _DEFINITIONS["unread"])]:
        _report(error, report)
    if not report.ok:
        return False
    for error in validator.descend(plain, schema["advice"]):
        _report(error, report)
    return True


def _plain(node: object) -> object:
    """Return data as JSON has it, with neither integer keys (the phases of the older form) nor dates."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return node if isinstance(node, (str, int, float, type(None))) else str(node)


def _properties(
    validator: jsonschema.Draft7Validator, properties: Entry, instance: Entry, _: Entry
) -> Iterator[jsonschema.ValidationError]:
    """Check properties as JSON Schema does, and the ``default`` of those that are missing."""
    for key, part in properties.items() if isinstance(instance, dict) else ():
        if key in instance:
            yield from validator.descend(instance[key], part, path=key)
        elif part is not True and "default" in part:
            yield from validator.descend(part["default"], part, path=key)


_Validator = jsonschema.validators.extend(jsonschema.Draft7Validator, {"properties": _properties})
_formats = jsonschema.FormatChecker(())
# What a server gives to the things that it holds: random UUIDs.
_formats.checks("uuid4", raises=ValueError)(lambda text: uuid.UUID(text).version == 4)


def _report(error: jsonschema.ValidationError, report: LintReport) -> None:
    """Report an error of jsonschema in our words, and unknown keys one by one."""
    named = (name for name in (error.validator, error.schema.get("title"), "otherwise") if name in _WORDS)
    level, code, problem, hint = _WORDS[next(named)]
    record = report.error if level == "error" else report.warn
    value, path = str(error.instance), [str(part) for part in error.absolute_path]
    where = "".join(f"/{part}" for part in path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema["properties"])
        for key in sorted(error.instance.keys() - known):
            close = difflib.get_close_matches(key, known, n=1)
            near = f"the nearest known key is {close[0]}" if close else f"known here are {', '.join(known)}"
            record(code, problem.format(key=quote(key)), hint.format(nearest=near), f"{where}/{key}")
        return
    fields = {"value": quote(value, 200), "short": quote(value), "message": quote(error.message, 200)}
    fields.update(key=path[-1] if path else "", limit=error.validator_value)
    if error.validator == "required":
        fields["missing"] = ", ".join(key for key in error.validator_value if key not in error.instance)
    record(code, problem.format(**fields), hint.format(**fields), where or "/")
