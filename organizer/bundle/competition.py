"""Reading competition.yaml, and checking it without the files that it names.

A JSON Schema lists every key that Codabench reads. An unknown key is a warning, as the platform ignores it.
"""

from __future__ import annotations

import datetime
import difflib
import json
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from organizer.bundle.dates import read_date
from organizer.bundle.report import LintReport
from validator.findings import counted, quote
from validator.strict_yaml import load_strict

DATA_KEYS = (
    "starting_kit", "public_data", "path", "scoring_program", "reference_data", "input_data",
    "ingestion_program",
)  # fmt: skip
DEFAULT_STEP = 600
_FORMS = {"2": "v2", "1": "v1.5", "1.5": "v1.5"}
_UNREAD = ("report", "accepts_only_result_submissions")
_BOARD = "/leaderboards/0"


# Codabench's YAML: the whole file, and a mapping in it.
Competition = Mapping[str, Any]
Entry = Mapping[str, Any]


class NamedFile(NamedTuple):
    """A file that competition.yaml names: the JSON Pointer there, the name, and the key that names it."""

    where: str
    name: str
    key: str


class BoardColumn(NamedTuple):
    """A column of the leaderboard: its JSON Pointer, key, data, its key for the order, and whether it is
    computed."""

    where: str
    key: str
    data: Entry
    sorting_key: str
    computed: bool


def yes(value: object) -> bool:
    """Return how the platform reads a flag of competition.yaml; a missing one (None) is no."""
    return str(value).lower() in ("true", "t", "yes", "y", "on", "1")


def number(value: object) -> int:
    """Return an integer of competition.yaml, which may be text."""
    return int(float(str(value)))


def read_competition(text: bytes, report: LintReport) -> dict[str, Any] | None:
    """Return the data of a competition.yaml, None if it cannot be read."""
    try:
        decoded = text.decode("utf-8")
        try:
            data = load_strict(decoded)
        except yaml.constructor.ConstructorError as error:
            data = yaml.safe_load(decoded)  # as the platform does: the last of two equal keys wins
            report.warn(
                "L-TWICE",
                f"{error.problem}; the platform takes the last one",
                "keep one",
                where=_position(error),
            )
    except UnicodeDecodeError:
        report.error("L-YAML", "the file is not UTF-8", "save it as plain UTF-8")
        return None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date without quotes that does not exist
        problem = getattr(error, "problem", None) or str(error)
        report.error("L-YAML", problem, "correct the YAML", where=_position(error))
        return None
    if not isinstance(data, dict):
        report.error("L-YAML", "this is not a mapping", "see competition.yaml of this project")
        return None
    return data


def _position(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1} column {mark.column + 1}" if mark else ""


def form_of(data: Competition) -> str | None:
    """Return ``v2`` or ``v1.5``, None if the platform knows no such version."""
    return _FORMS.get(str(data.get("version", "1")))


def check_competition(data: Competition, report: LintReport) -> bool:
    """Check competition.yaml without its files; return whether its structure allows further checks."""
    form = form_of(data)
    if form is None:
        report.error(
            "L-SCHEMA", f"there is no version {data['version']}", "write version: 2", where="/version"
        )
        return False
    if not _check_schema(data, form, report):
        return False
    if form == "v1.5":
        _check_v15(data, report)
        return True
    _check_phases(data, report)
    _check_tasks(data, report)
    _check_board(data, report)
    for name, question in (data.get("fact_sheet") or {}).items():
        if question["key"] != name:
            problem = f"the key {question['key']} differs from the question's name"
            report.error("L-FACTS", problem, f"write key: {name}", where=f"/fact_sheet/{name}/key")
    for key in ("pages", "description"):
        if not data.get(key):
            report.warn(
                "L-TEXT", f"there is no {key}", "participants see the competition without", where=f"/{key}"
            )
    return True


def _check_schema(data: Competition, form: str, report: LintReport) -> bool:
    import jsonschema

    schema = json.loads(
        (Path(__file__).parent / "schemas" / f"competition-{form}.json").read_text(encoding="utf-8")
    )
    plain = _plain(data)
    good = True
    errors = jsonschema.Draft7Validator(schema).iter_errors(plain)
    for error in sorted(errors, key=lambda error: list(map(str, error.path))):
        where = "".join(f"/{part}" for part in error.absolute_path)
        known = sorted(error.schema.get("properties", {})) if isinstance(error.schema, dict) else []
        if error.validator == "additionalProperties":
            for key in sorted(set(error.instance) - set(known)):
                close = difflib.get_close_matches(key, known, n=1)
                hint = (
                    f"the nearest known key is {close[0]}" if close else f"known here are {', '.join(known)}"
                )
                report.warn(
                    "L-UNKNOWN", f"the platform ignores the key {quote(key)}", hint, where=f"{where}/{key}"
                )
            continue
        good = False
        problem, hint = _schema_problem(error)
        report.error("L-SCHEMA", problem, hint, where=where or "/")
    for where, key in _keys(plain):
        if key in _UNREAD:
            report.warn(
                "L-UNKNOWN",
                f"{key} is documented, but the platform does not read it",
                "remove it",
                where=where,
            )
    return good


def _plain(node: Any) -> Any:
    """Return data as JSON has it, with neither integer keys (the phases of the older form) nor dates."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return node if isinstance(node, (str, int, float, type(None))) else str(node)


def _schema_problem(error: Any) -> tuple[str, str]:
    """Return what an error of jsonschema says, and how to fix it."""
    if error.validator == "required":
        missing = ", ".join(key for key in error.validator_value if key not in error.instance)
        return f"{missing} is missing", f"add {missing}"
    if error.validator == "maxLength":
        longest = counted(error.validator_value, "character")
        return quote(error.message, 200), f"the platform's database takes at most {longest}"
    pattern = str(error.schema.get("pattern"))
    for sign, hint in (
        ("@", "write an address"),
        ("true", "write true or false"),
        ("0-9", "write a whole number"),
    ):
        if sign in pattern:
            return f"{quote(str(error.instance), 200)} is not allowed here", hint
    return quote(error.message, 200), "correct it"


def _keys(node: Any, where: str = "") -> Iterator[tuple[str, str]]:
    for key, value in (
        node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    ):
        if isinstance(key, str):
            yield f"{where}/{key}", key
        yield from _keys(value, f"{where}/{key}")


def entries_of(data: Competition, group: str) -> list[tuple[str, Entry]]:
    """Return (JSON Pointer, entry) of a list of a competition, which v1.5 writes as a mapping."""
    entries = data.get(group, [])
    pairs = entries.items() if isinstance(entries, dict) else enumerate(entries)
    return [(f"/{group}/{key}", entry) for key, entry in pairs]


def columns_of(data: Competition) -> list[BoardColumn]:
    """Return the columns of the leaderboard of either form."""
    if form_of(data) == "v2":
        return [
            BoardColumn(
                f"/leaderboards/0{where}", column["key"], column, "sorting", bool(column.get("computation"))
            )
            for where, column in entries_of(data["leaderboards"][0], "columns")
        ]
    return [
        BoardColumn(f"/leaderboard{where}", where.rpartition("/")[2], column, "sort", "computed" in column)
        for where, column in entries_of(data["leaderboard"], "columns")
    ]


def sorted_phases(data: Competition) -> list[tuple[str, Entry]]:
    """Return (JSON Pointer, phase) of a competition in the platform's order."""
    phases = list(enumerate(entries_of(data, "phases")))
    key = "index" if form_of(data) == "v2" else "phasenumber"
    return [phase for _, phase in sorted(phases, key=lambda pair: number(pair[1][1].get(key, pair[0])))]


def _check_phases(data: Competition, report: LintReport) -> None:
    phases = sorted_phases(data)
    report.unique(
        "warning", (phase["index"] for _, phase in phases if "index" in phase), "/phases", "the index"
    )
    if 0 < sum("index" in phase for _, phase in phases) < len(phases):
        report.warn("L-PHASE", "only some phases have an index", "number all or none", where="/phases")
    previous_end = None
    for order, (where, phase) in enumerate(phases):
        start = read_date(phase["start"], f"{where}/start", report)
        end = read_date(phase["end"], f"{where}/end", report) if phase.get("end") else None
        if not phase.get("end") and order < len(phases) - 1:
            report.error("L-PHASE", "the phase has no end", "all but the last need one", where=where)
        if start and end and end <= start:
            report.warn("L-PHASE", "the phase ends before it starts", "swap the dates", where=f"{where}/end")
        if start and previous_end and start <= previous_end:
            problem, hint = (
                "this phase starts before the previous one ends",
                "start it at least one second after that end",
            )
            report.error("L-PHASE", problem, hint, where=f"{where}/start")
        previous_end = end or previous_end
        if not phase["tasks"]:
            report.warn("L-PHASE", "the phase offers no task", "name at least one", where=f"{where}/tasks")
    _check_limits_and_migration(phases, "auto_migrate_to_this_phase", report)


def _check_limits_and_migration(phases: list[tuple[str, Entry]], migration: str, report: LintReport) -> None:
    """Check what phases have in both forms; ``migration`` is the key of automatic migration."""
    for order, (where, phase) in enumerate(phases):
        if order == 0 and yes(phase.get(migration)):
            problem = "there is no phase before the first to migrate from"
            report.error("L-PHASE", problem, "remove the key", where=f"{where}/{migration}")
        limit, where = (
            number(phase.get("execution_time_limit", DEFAULT_STEP)),
            f"{where}/execution_time_limit",
        )
        if limit == 0:
            report.warn(
                "L-LIMIT", f"0 is not unlimited: it means {DEFAULT_STEP} s", "write the seconds", where=where
            )
        if limit > DEFAULT_STEP:
            problem = f"the default queue allows {DEFAULT_STEP} s a step"
            report.warn("L-LIMIT", problem, "use a queue of your own, or a lower limit", where=where)


def _check_tasks(data: Competition, report: LintReport) -> None:
    tasks, solutions = entries_of(data, "tasks"), entries_of(data, "solutions")
    known = [task["index"] for _, task in tasks]
    report.unique("error", known, "/tasks", "the index")
    report.unique("warning", (solution["index"] for _, solution in solutions), "/solutions", "the index")
    if not tasks:
        report.warn("L-TASK", "there is no task", "add one", where="/tasks")
    for where, task in tasks:
        if isinstance(task["index"], str):
            report.warn("L-TASK", "the index is text", "write a number", where=f"{where}/index")
        if "key" not in task and "reference_data" not in task:
            report.warn("L-REFERENCE", "the task has no reference data", "name a zip", where=where)
    for where, entry in [*entries_of(data, "phases"), *solutions]:
        for missing in [index for index in entry["tasks"] if index not in known]:
            hint = f"the indexes are {', '.join(map(str, known))}"
            report.error("L-TASK", f"there is no task with index {missing}", hint, where=f"{where}/tasks")
    for where, solution in solutions:
        if not solution.get("name"):
            problem = 'the platform calls a solution without a name "solution @ date"'
            report.warn("L-NAME", problem, "give it a name", where=where)
    if data.get("queue"):
        _check_uuid(data["queue"], "queue", "/queue", report)
    for where, entry in [*tasks, *solutions]:
        if "key" in entry:
            _check_uuid(entry["key"], "key", f"{where}/key", report)


def _check_uuid(value: str, name: str, where: str, report: LintReport) -> None:
    """Check a name that the server gave to something it holds: always a random UUID."""
    try:
        random = uuid.UUID(value).version == 4
    except ValueError:
        random = False
    if not random:
        problem = f"{quote(value)} is no {name} that a server gives out (a UUID of version 4)"
        report.error("L-KEY", problem, "copy it from the site", where=where)
    else:
        report.warn(
            "L-KEY", f"only the server knows whether the {name} exists", "look it up on the site", where=where
        )


def _check_board(data: Competition, report: LintReport) -> None:
    board = data["leaderboards"][0]
    if len(data["leaderboards"]) > 1:
        report.warn(
            "L-BOARD", "the platform uses the first leaderboard only", "keep one", where="/leaderboards/1"
        )
    indexes = [number(column["index"]) for column in board["columns"]]
    report.unique("error", indexes, f"{_BOARD}/columns", "the index")
    report.unique("error", (column["key"] for column in board["columns"]), f"{_BOARD}/columns", "the key")
    if 0 not in indexes:
        hint = "number the columns from 0; the leaderboard breaks otherwise"
        report.error("L-BOARD", "no column has the index 0", hint, where=f"{_BOARD}/columns")
    if number(board.get("primary_index", 0)) not in indexes:
        report.warn(
            "L-BOARD", "no column has this index", "name one that exists", where=f"{_BOARD}/primary_index"
        )
    _check_precisions(data, "precision", report)
    for column in columns_of(data):
        _check_computation(column, indexes, report)
    rule = board.get("submission_rule", "Add")
    if rule in ("Add", "Add_And_Delete"):
        problem = f"under {rule} participants put each result on the board by hand"
        hint = "use a rule that begins with Force to show all"
        report.warn("L-RULE", problem, hint, where=f"{_BOARD}/submission_rule")
    if rule == "Force_Best" and max(len(phase["tasks"]) for phase in data["phases"]) > 1:
        problem = "under Force_Best entering one task of a phase drops the entry in another"
        report.warn(
            "L-RULE",
            problem,
            "use Force_Latest_Multiple with several tasks",
            where=f"{_BOARD}/submission_rule",
        )


def _check_precisions(data: Competition, key: str, report: LintReport) -> None:
    for column in columns_of(data):
        value = column.data.get(key, 2)
        if not 0 <= number(value) <= 10:
            problem = f"the platform stores 10 decimals; {value} cannot be shown"
            report.warn("L-BOARD", problem, "use 0 to 10", where=f"{column.where}/{key}")


def _check_computation(column: BoardColumn, indexes: list[int], report: LintReport) -> None:
    chosen = [number(index) for index in column.data.get("computation_indexes") or []]
    if column.computed != bool(chosen):
        problem = "computation and computation_indexes need each other"
        report.error("L-COLUMN", problem, "give both or neither", where=column.where)
    for index in chosen:
        if index == number(column.data["index"]):
            report.error(
                "L-COLUMN", "the column is computed from itself", "name other columns", where=column.where
            )
        elif index not in indexes:
            problem = f"there is no column with index {index}"
            report.error("L-COLUMN", problem, "name columns that exist", where=column.where)


def _check_v15(data: Competition, report: LintReport) -> None:
    phases = sorted_phases(data)
    report.unique("warning", (phase["phasenumber"] for _, phase in phases), "/phases", "the phasenumber")
    starts: list[datetime.datetime] = []
    for where, phase in phases:
        start = read_date(phase["start_date"], f"{where}/start_date", report)
        if start and starts and (start - starts[-1]).days <= 1:
            hint = "a phase ends one day before the next one starts; leave more time between their starts"
            report.warn(
                "L-PHASE", "the phase before would end before it starts", hint, where=f"{where}/start_date"
            )
        starts += [start] if start else []
    _check_limits_and_migration(phases, "auto_migration", report)
    end = read_date(data["end_date"], "/end_date", report) if data.get("end_date") else None
    if end and starts and end <= starts[-1]:
        report.warn(
            "L-PHASE", "the competition ends before its last phase starts", "correct it", where="/end_date"
        )
    labels = {board["label"] for board in data["leaderboard"]["leaderboards"].values()}
    columns = columns_of(data)
    ranks = (column.data["rank"] for column in columns if "rank" in column.data)
    report.unique("warning", ranks, "/leaderboard/columns", "the rank")
    _check_precisions(data, "numeric_format", report)
    for column in columns:
        label = column.data["leaderboard"]["label"]
        if label not in labels:
            hint = f"the labels are {', '.join(sorted(map(str, labels)))}"
            report.warn(
                "L-BOARD", f"there is no leaderboard with the label {label}", hint, where=column.where
            )


def named_files(data: Competition) -> Iterator[NamedFile]:
    """Yield every file that a competition.yaml of either form names."""
    for key in ("image", "terms"):
        if key in data:
            yield NamedFile(f"/{key}", data[key], key)
    for where, page in entries_of(data, "pages"):
        yield NamedFile(f"{where}/file", page["file"], "file")
    for key, name in data.get("html", {}).items():
        yield NamedFile(f"/html/{key}", name, "file")
    for group in ("tasks", "phases", "solutions"):
        for where, entry in entries_of(data, group):
            for key in DATA_KEYS:
                if key in entry:
                    yield NamedFile(f"{where}/{key}", entry[key], key)
