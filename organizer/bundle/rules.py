"""Checking competition.yaml without its files: by the JSON Schema of its form and rules for several places.

The schema says what the platform takes, its part ``advice`` what else a competition needs to work.
``words.json`` has the level, code, problem and remedy of each rule by its name: that under which the code
reports it, a keyword of JSON Schema, or the title of the part of the schema that is violated. The last part
says who can see which result.
"""

from __future__ import annotations

import datetime
import difflib
import re
import uuid
import warnings
from collections.abc import Collection, Iterator, Sequence

import jsonschema
from dateutil import parser

from organizer.bundle import competition
from organizer.bundle.competition import WORDS, Competition, Entry, LintReport, form_of, number, yes
from validator.texts import quote

_BOARD = "/leaderboards/0"
_WIDTHS = (26, 20, 22, 0)
_NEAR = 0.75
_UNAMBIGUOUS = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")


def check_competition(data: Competition, report: LintReport, today: datetime.date | None = None) -> bool:
    """Check competition.yaml without its files; return whether its structure allows further checks.

    With ``today`` phases that are over are reported.
    """
    form = form_of(data)
    if form is None:
        report.add("no version", "/version", version=data["version"])
        return False
    if not check_schema(data, form, report):
        return False
    if form == "v1.5":
        _check_classic_phases(data, report)
        _check_classic_board(data, report)
    else:
        _check_phases(data, report)
        _check_tasks(data, report)
        _check_board(data, report)
    _check_migration(data, "auto_migration" if form == "v1.5" else "auto_migrate_to_this_phase", report)
    columns = competition.columns_of(data)
    if all(yes(column.data.get("hidden")) for column in columns):
        report.add("no shown column", columns[0].where.rpartition("/")[0])
    ends = [(f"{where}/end", phase.get("end")) for where, phase in competition.entries_of(data, "phases")]
    for where, end in [*ends, ("/end_date", data.get("end_date"))]:
        moment = read_date(end, where, LintReport()) if end and today else None
        if moment and today and moment.date() < today:
            report.add("phase is over", where, date=today)
    return True


def _check_migration(data: Competition, key: str, report: LintReport) -> None:
    before = None
    for where, phase in competition.sorted_phases(data):
        if not yes(phase.get(key)):
            pass
        elif before is None:
            report.add("no phase before", f"{where}/{key}")
        else:
            if max(len(each.get("tasks", ())) for each in (before, phase)) > 1:
                report.add("migration of several tasks", f"{where}/{key}")
            for limit in competition.LIMITS:
                if number(phase.get(limit) or 0) == 1:
                    report.add("migration uses up the limit", f"{where}/{limit}", key=limit)
        before = phase


def _check_unique(rule: str, values: Sequence[object], where: str, name: str, report: LintReport) -> None:
    for value in sorted({str(value) for value in values if values.count(value) > 1}):
        report.add(rule, where, name=name, value=value)


def _check_phases(data: Competition, report: LintReport) -> None:
    phases = competition.sorted_phases(data)
    indexes = [phase["index"] for _, phase in phases if "index" in phase]
    _check_unique("position twice", indexes, "/phases", "the index", report)
    if 0 < len(indexes) < len(phases):
        report.add("some without index", "/phases")
    previous_end = None
    for order, (where, phase) in enumerate(phases, start=1):
        start = read_date(phase["start"], f"{where}/start", report)
        end = read_date(phase["end"], f"{where}/end", report) if phase.get("end") else None
        if not phase.get("end") and order < len(phases):
            report.add("no end", where)
        if start and end and end <= start:
            report.add("end before start", f"{where}/end")
        if start and previous_end and start <= previous_end:
            report.add("phases overlap", f"{where}/start")
        previous_end = end or previous_end


def _check_tasks(data: Competition, report: LintReport) -> None:
    solutions = competition.entries_of(data, "solutions")
    known = [task["index"] for task in data["tasks"]]
    _check_unique("value twice", known, "/tasks", "the index", report)
    of_solutions = [solution["index"] for _, solution in solutions]
    _check_unique("position twice", of_solutions, "/solutions", "the index", report)
    for where, entry in [*competition.entries_of(data, "phases"), *solutions]:
        for missing in [index for index in entry["tasks"] if index not in known]:
            report.add("unknown task", f"{where}/tasks", index=missing, known=", ".join(map(str, known)))
    for name, question in (data.get("fact_sheet") or {}).items():
        if question["key"] != name:
            report.add("question's key", f"/fact_sheet/{name}/key", key=question["key"], name=name)


def _check_board(data: Competition, report: LintReport) -> None:
    board, columns = data["leaderboards"][0], competition.columns_of(data)
    indexes = [number(column.data["index"]) for column in columns]
    _check_unique("value twice", indexes, f"{_BOARD}/columns", "the index", report)
    _check_unique("value twice", [column.key for column in columns], f"{_BOARD}/columns", "the key", report)
    if number(board.get("primary_index", 0)) not in indexes:
        report.add("no such column", f"{_BOARD}/primary_index")
    for own, column in zip(indexes, columns):
        for index in map(number, column.data.get("computation_indexes") or []):
            if index == own:
                report.add("computed from itself", column.where)
            elif index not in indexes:
                report.add("computed from nothing", column.where, index=index)
    most = max(len(phase["tasks"]) for phase in data["phases"])
    if board.get("submission_rule") == "Force_Best" and most > 1:
        report.add("rule for one task", f"{_BOARD}/submission_rule")


def _check_classic_phases(data: Competition, report: LintReport) -> None:
    phases = competition.sorted_phases(data)
    numbers = [phase["phasenumber"] for _, phase in phases]
    _check_unique("position twice", numbers, "/phases", "the phasenumber", report)
    previous = None
    for where, phase in phases:
        start = read_date(phase["start_date"], f"{where}/start_date", report)
        if start and previous and (start - previous).days <= 1:
            report.add("classic phases overlap", f"{where}/start_date")
        previous = start or previous
    end = read_date(data["end_date"], "/end_date", report) if data.get("end_date") else None
    if end and previous and end <= previous:
        report.add("classic end", "/end_date")


def _check_classic_board(data: Competition, report: LintReport) -> None:
    columns = competition.columns_of(data)
    ranks = [column.data["rank"] for column in columns if "rank" in column.data]
    _check_unique("position twice", ranks, "/leaderboard/columns", "the rank", report)
    labels = {board["label"] for board in data["leaderboard"]["leaderboards"].values()}
    for column in columns:
        label = column.data["leaderboard"]["label"]
        if label not in labels:
            known = ", ".join(sorted(map(str, labels)))
            report.add("unknown label", column.where, label=label, known=known)


def read_date(value: object, where: str, report: LintReport) -> datetime.datetime | None:
    """Return the moment (UTC) that the platform takes a date for, None if it cannot be read.

    The platform drops the time of day of a date without quotes, and the offset of any.
    """
    if isinstance(value, datetime.date):
        if isinstance(value, datetime.datetime):
            report.add("date without quotes", where)
        return datetime.datetime(value.year, value.month, value.day)
    text = str(value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # dateutil's, of the names of time zones, which are dropped below
            moment: datetime.datetime = parser.parse(text)
    except (ValueError, OverflowError):
        report.add("no date", where, date=text)
        return None
    if not _UNAMBIGUOUS.fullmatch(text.strip()):
        report.add("ambiguous date", where, date=text, taken=f"{moment:%Y-%m-%d %H:%M:%S}")
    elif moment.utcoffset():
        report.add("offset", where, date=text)
    return moment.replace(tzinfo=None)


_DEFINITIONS = competition.load_schema("definitions")


def check_schema(data: Competition, form: str, report: LintReport) -> bool:
    """Check each value of competition.yaml; return whether its structure allows further checks."""
    schema = {**competition.load_schema(f"competition-{form}"), "definitions": _DEFINITIONS}
    validator, plain = _Validator(schema, format_checker=_formats), _plain(data)
    errors = sorted(validator.iter_errors(plain), key=lambda error: list(map(str, error.path)))
    for error in [*errors, *validator.descend(plain, _DEFINITIONS["unread"])]:
        _report(error, report)
    if not report.errors.ok:
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
    rule = next((name for name in (error.validator, error.schema.get("title")) if name in WORDS), "otherwise")
    value, path = str(error.instance), [str(part) for part in error.absolute_path]
    where = "".join(f"/{part}" for part in path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema["properties"])
        for key in sorted(error.instance.keys() - known):
            near = difflib.get_close_matches(key, known, n=1, cutoff=_NEAR)
            rule = "misspelled key" if near else "additionalProperties"
            report.add(rule, f"{where}/{key}", key=quote(key), known=", ".join(near or known))
        return
    fields = {"value": quote(value, 200), "short": quote(value), "message": quote(error.message, 200)}
    fields.update(key=path[-1] if path else "", limit=error.validator_value)
    if error.validator == "required":
        fields["missing"] = ", ".join(key for key in error.validator_value if key not in error.instance)
    report.add(rule, where or "/", **fields)


def visibility(data: Competition, full: Collection[str] = ()) -> list[str]:
    """Return a table (lines of text) of what a competition without errors shows to whom.

    It follows Codabench (March 2026), where the names of flags mislead: ``hide_score_output`` hides a zip and
    no score, under ``hide_output`` the detail page is still served, and nothing hides scores from the API.
    ``full`` are the names of references with ``detail: full``.
    """
    modern = form_of(data) == "v2"
    phases = [phase for _, phase in competition.sorted_phases(data)]
    rows = [("who sees", "their own runs", "others, logged in", "anyone, not logged in")]
    for phase in phases:
        rows += [(str(phase["name" if modern else "label"]), "", "", ""), *_phase_rows(data, phase)]
    hidden = modern and yes(data["leaderboards"][0].get("hidden"))
    rows.append(("scores of the leaderboard", *(("by the API" if hidden else "yes",) * 2), "by the API"))
    if any(yes(column.data.get("hidden")) for column in competition.columns_of(data)):
        rows.append(("scores of hidden columns", *(("by the API",) * 3)))
    for what, key in (("programs", "make_programs_available"), ("input data", "make_input_data_available")):
        rows.append((f"the {what}", "yes" if yes(data.get(key)) else "no", "", ""))
    lines = ["".join(text.ljust(width) for text, width in zip(row, _WIDTHS)).rstrip() for row in rows]
    fix = "no, but on a server without the fix of April 2026 everyone can (docs/during_the_competition.md)"
    lines.append("the reference data".ljust(_WIDTHS[0]) + fix)
    shown = "on detail pages and in logs, detail: full shows the annotations of {} item by item"
    lines += [" " * _WIDTHS[0] + shown.format(name) for name in sorted(full)]
    if any(not yes(phase.get("hide_output")) for phase in phases):
        lines += [
            "* on a server without the fix of August 2026: of finished submissions on the leaderboard, also",
            "  if the competition is not published, so teams can copy each other; hide_output prevents it",
        ]
    if len(phases) > 1:
        text = "the API takes and scores submissions at any time"
        lines.append(f"dates of phases bind the web page only: {text}")
    return lines


def _phase_rows(data: Competition, phase: Entry) -> list[tuple[str, str, str, str]]:
    hidden = yes(phase.get("hide_output"))
    shown = {"log (with all scores)": not hidden}
    for what in ("score", "prediction"):
        shown[f"zip of the {what}s"] = not hidden and not yes(phase.get(f"hide_{what}_output"))
    rows = [(f"  {what}", *(("yes", "no", "yes *") if seen else ("no",) * 3)) for what, seen in shown.items()]
    rows.append(("  zip that was submitted", "yes", "no", "no" if hidden else "yes *"))
    pages = ("no", "no", "no")
    if yes(data.get("enable_detailed_results")):
        places = (f"show_detailed_results_in_{place}" for place in ("submission_panel", "leaderboard"))
        own, others = ("yes" if yes(data.get(key, True)) else "by its address" for key in places)
        pages = (own, others, "if published")
    return [*rows, ("  detail page", *pages)]
