"""Checking competition.yaml without its files: by the JSON Schema of its form and rules for several places.

The schema says what the platform takes, its part ``advice`` what else a competition needs to work.
``words.json`` has the level, code, problem and remedy of each rule by its name: that under which the code
reports it, a keyword of JSON Schema, or the title of the part of the schema that is violated.
"""

from __future__ import annotations

import contextlib
import datetime
import difflib
import ipaddress
import re
import warnings
from collections.abc import Iterator, Sequence

import jsonschema
from dateutil import parser

from organizer.bundle import competition
from organizer.bundle.competition import WORDS, Competition, Entry, LintReport, form_of, number, yes
from validator.texts import folded, quote

_BOARD = "/leaderboards/0"
_NEAR = 0.75
# The platform's database stores whole numbers in 32 bits.
_LARGEST_STORED = 2**31 - 1
# The parts of an e-mail address.
_ATOM = r"[-!#$%&'*+/=?^_`{|}~0-9A-Za-z]+"
_LOCAL_PART = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_QUOTED_LOCAL_PART = re.compile(
    r'"(?:[\x01-\x08\x0b\x0c\x0e-\x1f!#-\[\]-\x7f]|\\[\x01-\x09\x0b\x0c\x0e-\x7f])*"'
)
_LABEL = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?")
_LAST_LABEL = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DATE = "%Y-%m-%d %H:%M:%S"
_YEAR_FIRST = re.compile(r"\s*\d{4}")
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
    if today:
        _check_ends(data, today, report)
    return True


def _check_ends(data: Competition, today: datetime.date, report: LintReport) -> None:
    """Report phases that are over."""
    end_dates = [
        (f"{where}/end", phase.get("end")) for where, phase in competition.entries_of(data, "phases")
    ]
    end_date = data.get("end_date")
    end_dates.append(("/end_date", None if end_date == "null" else end_date))
    for where, end in end_dates:
        # What cannot be read has been reported before.
        moment = read_date(end, where, LintReport()) if end else None
        if moment and moment.date() < today:
            report.add("phase is over", where, date=today)


def _check_migration(data: Competition, key: str, report: LintReport) -> None:
    """Check the phases that take over the submissions of the one before."""
    before = None
    for where, phase in competition.sorted_phases(data):
        if yes(phase.get(key)):
            if before is None:
                report.add("no phase before", f"{where}/{key}")
            else:
                _check_migrating_phase(where, before, phase, key, report)
        before = phase


def _check_migrating_phase(where: str, before: Entry, phase: Entry, key: str, report: LintReport) -> None:
    if len(before.get("tasks", ())) > 1 or len(phase.get("tasks", ())) > 1:
        report.add("migration of several tasks", f"{where}/{key}")
    for limit in competition.LIMITS:
        if number(phase.get(limit) or 0) == 1:
            report.add("migration uses up the limit", f"{where}/{limit}", key=limit)


def _check_unique(rule: str, values: Sequence[object], where: str, name: str, report: LintReport) -> None:
    repeated_values = {str(value) for value in values if values.count(value) > 1}
    for value in sorted(repeated_values):
        report.add(rule, where, name=name, value=value)


def _check_types(values: Sequence[object], where: str, name: str, report: LintReport) -> None:
    """Report values that the platform sorts by and that are numbers in some places and text in others."""
    if len({isinstance(value, str) for value in values}) > 1:
        report.add("types of an order", where, name=name)


def _check_phases(data: Competition, report: LintReport) -> None:
    phases = competition.sorted_phases(data)
    indexes = [phase["index"] for _, phase in phases if phase.get("index") is not None]
    _check_types([phase.get("index") for _, phase in phases], "/phases", "the index", report)
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
    task_indexes = [task["index"] for task in data["tasks"]]
    solution_indexes = [solution["index"] for _, solution in solutions]
    _check_unique("value twice", task_indexes, "/tasks", "the index", report)
    _check_unique("position twice", solution_indexes, "/solutions", "the index", report)
    choices = ", ".join(map(str, task_indexes))
    for where, entry in [*competition.entries_of(data, "phases"), *solutions]:
        for index in entry["tasks"]:
            if index not in task_indexes:
                report.add("unknown task", f"{where}/tasks", index=index, known=choices)
    for name, question in (data.get("fact_sheet") or {}).items():
        _check_question_key(name, str(question["key"]), report)


def _check_question_key(name: str, key: str, report: LintReport) -> None:
    """Check the key of a question of the fact sheet; the platform looks it up by the question's name."""
    where = f"/fact_sheet/{name}/key"
    without_blanks = [text for text in (key, name) if not re.search(r"\s", text)]
    both = without_blanks[0] if without_blanks else "_".join(key.split()).lower()
    if key != name:
        report.add("question's key", where, key=quote(key), name=quote(name), both=quote(both))
    elif not without_blanks:
        report.add("blanks in a key", where, key=quote(key), both=quote(both))


def _check_board(data: Competition, report: LintReport) -> None:
    board, columns = data["leaderboards"][0], competition.columns_of(data)
    indexes = [number(column.data["index"]) for column in columns]
    _check_unique("value twice", indexes, f"{_BOARD}/columns", "the index", report)
    _check_unique("value twice", [column.key for column in columns], f"{_BOARD}/columns", "the key", report)
    if number(board.get("primary_index", 0)) not in indexes:
        report.add("no such column", f"{_BOARD}/primary_index")
    for column_index, column in zip(indexes, columns):
        # Text is read letter by letter.
        for index in map(number, column.data.get("computation_indexes") or ()):
            if index == column_index:
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
    parents = {number(phase["parent_phasenumber"]) for _, phase in phases if "parent_phasenumber" in phase}
    for where, phase in phases:
        if yes(phase.get("is_parallel_parent")) and number(phase["phasenumber"]) not in parents:
            report.add("parent without children", f"{where}/is_parallel_parent")
    previous = None
    for where, phase in phases:
        start = read_date(phase["start_date"], f"{where}/start_date", report)
        if start and previous and (start - previous).days <= 1:
            report.add("classic phases overlap", f"{where}/start_date")
        previous = start or previous
    has_end = data.get("end_date") not in (None, "", "null")
    end = read_date(data["end_date"], "/end_date", report) if has_end else None
    if end and previous and end <= previous:
        report.add("classic end", "/end_date")


def _check_classic_board(data: Competition, report: LintReport) -> None:
    columns = competition.columns_of(data)
    ranks = [column.data["rank"] for column in columns if "rank" in column.data]
    _check_types(ranks, "/leaderboard/columns", "the rank", report)
    _check_unique("position twice", ranks, "/leaderboard/columns", "the rank", report)
    labels = {board["label"] for board in data["leaderboard"]["leaderboards"].values()}
    # The platform compares them without case.
    folded_labels = {folded(str(label)) for label in labels}
    for column in columns:
        label = column.data["leaderboard"]["label"]
        if folded(str(label)) not in folded_labels:
            choices = ", ".join(sorted(map(str, labels)))
            report.add("unknown label", column.where, label=label, known=choices)


def read_date(value: object, where: str, report: LintReport) -> datetime.datetime | None:
    """Return the moment (UTC) that the platform takes a date for, None if it cannot be read.

    The platform drops the time of day of a date without quotes, and the offset of any.
    """
    if isinstance(value, datetime.date):
        if isinstance(value, datetime.datetime):
            report.add("date without quotes", where, date=_written(value))
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
        dates = " or ".join(_possible_dates(text, moment))
        report.add("ambiguous date", where, date=text, taken=f"{moment:{_DATE}}", dates=dates)
    elif moment.utcoffset():
        report.add("offset", where, date=text, utc=_written(moment))
    return moment.replace(tzinfo=None)


def _possible_dates(text: str, taken: datetime.datetime) -> list[str]:
    """Return how to write what a date may mean: what the platform takes it for, or with the day first."""
    if _YEAR_FIRST.match(text):
        return [_written(taken)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        day_first: datetime.datetime = parser.parse(text, dayfirst=True)
    # Points are written where the day comes first.
    possible = [day_first, taken] if "." in text else [taken, day_first]
    return list(dict.fromkeys(map(_written, possible)))


def _written(moment: datetime.datetime) -> str:
    """Return how to write a moment in competition.yaml, in UTC."""
    in_utc = moment.astimezone(datetime.timezone.utc) if moment.utcoffset() else moment
    return f'"{in_utc:{_DATE}}"'


_DEFINITIONS = competition.load_schema("definitions")


def check_schema(data: Competition, form: str, report: LintReport) -> bool:
    """Check each value of competition.yaml; return whether its structure allows further checks."""
    schema = {**competition.load_schema(f"competition-{form}"), "definitions": _DEFINITIONS}
    validator, plain = _Validator(schema, format_checker=_formats), _plain(data)
    _check_signs(plain, "", report)
    errors = sorted(validator.iter_errors(plain), key=lambda error: list(map(str, error.path)))
    for error in [*errors, *validator.descend(plain, _DEFINITIONS["unread"])]:
        _report(error, report)
    if not report.errors.ok:
        return False
    for error in validator.descend(plain, schema["advice"]):
        _report(error, report)
    return True


def _check_signs(node: object, where: str, report: LintReport) -> None:
    """Report texts with signs that the platform refuses."""
    if isinstance(node, dict):
        for key, value in node.items():
            _check_signs(value, f"{where}/{key}", report)
    elif isinstance(node, list):
        for position, value in enumerate(node):
            _check_signs(value, f"{where}/{position}", report)
    elif isinstance(node, str):
        signs = [("a NUL character", "\0" in node), ("half of a character", bool(_SURROGATE.search(node)))]
        for name, is_there in signs:
            if is_there:
                report.add("signs in text", where, signs=name)


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


def _max_length(
    _: jsonschema.Draft7Validator, longest: int, instance: object, __: Entry
) -> Iterator[jsonschema.ValidationError]:
    """Check the length of a text without the blanks around it, which the platform cuts off first."""
    if isinstance(instance, str) and len(instance.strip()) > longest:
        yield jsonschema.ValidationError(f"{instance!r} is too long")


def _is_stored(value: object) -> bool:
    """Return whether a whole number fits into a column of the platform's database; other values do."""
    try:
        return abs(number(value)) <= _LARGEST_STORED
    except (ValueError, OverflowError):
        return True


def _is_address(text: object) -> bool:
    """Return whether Django takes a text for an e-mail address: RFC 5322 without comments and folding.

    Blanks around it are cut off before; an empty one is no address at all, which is allowed.
    """
    address = str(text or "").strip()
    local, separator, domain = address.rpartition("@")
    if not separator:
        return not address
    if not (_LOCAL_PART.fullmatch(local) or _QUOTED_LOCAL_PART.fullmatch(local)):
        return False
    if domain == "localhost":
        return True
    if domain.startswith("[") and domain.endswith("]"):
        return _is_ip_address(domain[1:-1])
    with contextlib.suppress(UnicodeError):
        domain = domain.encode("idna").decode("ascii")
    *labels, last_label = domain.split(".")
    if not labels or not _LAST_LABEL.fullmatch(last_label):
        return False
    return all(_LABEL.fullmatch(label) for label in labels)


def _is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


_Validator = jsonschema.validators.extend(
    jsonschema.Draft7Validator, {"properties": _properties, "maxLength": _max_length}
)
_formats = jsonschema.FormatChecker(())
# What a server gives to the things that it holds: random UUIDs.
_formats.checks("uuid4", raises=ValueError)(competition.is_key)
_formats.checks("int32")(_is_stored)
_formats.checks("address")(_is_address)


def _report(error: jsonschema.ValidationError, report: LintReport) -> None:
    """Report an error of jsonschema in our words, and unknown keys one by one."""
    path = [str(part) for part in error.absolute_path]
    where = "".join(f"/{part}" for part in path)
    if error.validator == "additionalProperties":
        _report_unknown_keys(error, where, report)
        return
    names = (error.validator, error.schema.get("title"))
    rule = next((name for name in names if name in WORDS), "otherwise")
    value = str(error.instance)
    fields = {
        "value": quote(value, 200),
        "short": quote(value),
        "message": quote(error.message, 200),
        "key": path[-1] if path else "",
        "limit": error.validator_value,
    }
    if error.validator == "required":
        fields["missing"] = ", ".join(key for key in error.validator_value if key not in error.instance)
    report.add(rule, where or "/", **fields)


def _report_unknown_keys(error: jsonschema.ValidationError, where: str, report: LintReport) -> None:
    known_keys = sorted(error.schema["properties"])
    for key in sorted(error.instance.keys() - known_keys):
        similar_keys = difflib.get_close_matches(key, known_keys, n=1, cutoff=_NEAR)
        rule = "misspelled key" if similar_keys else "additionalProperties"
        choices = ", ".join(similar_keys or known_keys)
        report.add(rule, f"{where}/{key}", key=quote(key), known=choices)
