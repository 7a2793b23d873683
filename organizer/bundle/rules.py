"""Checking competition.yaml without its files: by the JSON Schema of its form and rules for several places.

The schema says what the platform takes, its part ``advice`` what else a competition needs to work. At the end
is the table of who sees what.
"""

from __future__ import annotations

import contextlib
import datetime
import difflib
import ipaddress
import re
from collections.abc import Collection, Iterator, Sequence

import jsonschema

from organizer.bundle import classic, competition
from organizer.bundle.competition import (
    BoardColumn,
    Competition,
    Entry,
    LintReport,
    check_types,
    check_unique,
    form_of,
    number,
    yes,
)
from organizer.bundle.dates import read_date
from organizer.bundle.words import ERRORS, WARNINGS
from validator.texts import quote, some_words

_BOARD = "/leaderboards/0"
_ONLY_IN = {"v2": {"pages", "tasks", "solutions", "leaderboards", "terms"}, "v1.5": {"html", "leaderboard"}}
_VERSION_REMEDIES = {"v2": "write version: 2", "v1.5": "take version out"}
# What the site calls a key of competition.yaml, which differs from all others that are like it.
_OTHER_NAMES = {"max_submissions_per_person": "max_submissions"}
# Keys of v1.5, and what v2 calls them.
_NAMES_OF_FORMS = (
    ("start_date", "start"), ("end_date", "end"), ("phasenumber", "index"), ("rank", "index"),
    ("label", "name"), ("label", "title"), ("sort", "sorting"), ("numeric_format", "precision"),
    ("auto_migration", "auto_migrate_to_this_phase"), ("competition_docker_image", "docker_image"),
)  # fmt: skip
# The page of the leaderboard shows an eye in a column of this title.
_TITLE_OF_THE_EYE = "Detailed Results"
# With these the leaderboard keeps one submission of a participant in a phase.
_RULES_OF_ONE_ENTRY = ("Force_Best", "Force_Last")
_NEAR = 0.75
_SIGNS = re.compile(r"[\W_]")
_TYPES = {
    "array": "a list (each entry after a -)",
    "object": "a mapping (key: value)",
    "string": "a text",
    "integer": "a whole number",
    "whole": "a whole number",
    "boolean": "true or false",
}
_SHOWN_KEYS = 20
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

_WIDTHS = (26, 20, 22, 0)
# What something is, and how each of three groups of people sees it.
_Row = tuple[str, str, str, str]


def check_competition(data: Competition, report: LintReport, today: datetime.date | None = None) -> bool:
    """Check competition.yaml without its files; return whether its structure allows further checks.

    With ``today`` phases that are over are reported.
    """
    form = _checked_form(data, report)
    if form is None:
        return False
    if not check_schema(data, form, report):
        return False
    if form == "v1.5":
        classic.check_phases(data, report)
        classic.check_board(data, report)
    else:
        _check_phases(data, report)
        _check_tasks(data, report)
        _check_board(data, report)
    _check_migration(data, "auto_migration" if form == "v1.5" else "auto_migrate_to_this_phase", report)
    columns = columns_of(data)
    if all(yes(column.data.get("hidden")) for column in columns):
        report.add("no shown column", columns[0].where.rpartition("/")[0])
    if today:
        _check_ends(data, today, report)
    return True


def _checked_form(data: Competition, report: LintReport) -> str | None:
    """Return the form of a competition.yaml; report a version that is unknown, or not that of the keys."""
    form = form_of(data)
    keys_of = {each: sorted(keys & data.keys()) for each, keys in _ONLY_IN.items()}
    other_form = "v1.5" if len(keys_of["v1.5"]) > len(keys_of["v2"]) else "v2"
    remedy = _VERSION_REMEDIES[other_form]
    if form is None:
        report.add("no version", "/version", version=quote(_shown(data["version"])), remedy=remedy)
        return None
    if form == other_form or len(keys_of[form]) >= len(keys_of[other_form]):
        return form
    report.add(
        "version of other keys",
        "/version",
        version=data.get("version", "missing"),
        form=form,
        other_form=other_form,
        keys=", ".join(keys_of[other_form]),
        remedy=remedy,
    )
    return None


def _shown(value: object) -> str:
    """Return a value as messages name it."""
    return str(value) if value is not None and str(value).strip() else "empty"


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
    previous_phase = None
    for where, phase in competition.sorted_phases(data):
        if yes(phase.get(key)):
            if previous_phase is None:
                report.add("no phase before", f"{where}/{key}")
            else:
                _check_migrating_phase(where, previous_phase, phase, key, report)
        previous_phase = phase


def _check_migrating_phase(
    where: str, previous_phase: Entry, phase: Entry, key: str, report: LintReport
) -> None:
    if len(previous_phase.get("tasks", ())) > 1 or len(phase.get("tasks", ())) > 1:
        report.add("migration of several tasks", f"{where}/{key}")
    for limit in competition.LIMITS:
        if number(phase.get(limit) or 0) == 1:
            report.add("migration uses up the limit", f"{where}/{limit}", key=limit)


def _check_phases(data: Competition, report: LintReport) -> None:
    phases = competition.sorted_phases(data)
    indexes = [phase["index"] for _, phase in phases if phase.get("index") is not None]
    check_types([phase.get("index") for _, phase in phases], "/phases", "the index", report)
    check_unique("position twice", indexes, "/phases", "the index", report)
    if 0 < len(indexes) < len(phases):
        report.add("some without index", "/phases")
    previous_end = None
    for order, (where, phase) in enumerate(phases, start=1):
        start = read_date(phase["start"], f"{where}/start", report)
        end = read_date(phase["end"], f"{where}/end", report, is_end=True) if phase.get("end") else None
        if not phase.get("end") and order < len(phases):
            report.add("no end", where)
        if start and end and end <= start:
            report.add("end before start", f"{where}/end")
        if start and previous_end and start <= previous_end:
            report.add("phases overlap", f"{where}/start")
        previous_end = end or previous_end
        if order > 1 and not yes(phase.get("hide_output")):
            report.add("output is not hidden", f"{where}/hide_output")


def _check_tasks(data: Competition, report: LintReport) -> None:
    solutions = competition.entries_of(data, "solutions")
    task_indexes = [task["index"] for task in data["tasks"]]
    solution_indexes = [solution["index"] for _, solution in solutions]
    check_unique("value twice", task_indexes, "/tasks", "the index", report)
    check_unique("position twice", solution_indexes, "/solutions", "the index", report)
    choices = ", ".join(map(str, task_indexes))
    for where, entry in [*competition.entries_of(data, "phases"), *solutions]:
        for index in entry["tasks"]:
            if index not in task_indexes:
                is_quoted = str(index) in map(str, task_indexes)
                rule = "index in quotes" if is_quoted else "unknown task"
                report.add(rule, f"{where}/tasks", index=index, known=choices)
    phases = [phase for _, phase in competition.entries_of(data, "phases")]
    indexes_in_phases = [index for phase in phases for index in phase["tasks"]]
    # As text they are the same where quotes are wrong, which is reported above; as values 0, 0.0 and false.
    indexes_as_text = [str(index) for index in indexes_in_phases]
    for where, task in competition.entries_of(data, "tasks"):
        if task["index"] not in indexes_in_phases and str(task["index"]) not in indexes_as_text:
            report.add("task of no phase", where)
    for name, question in (data.get("fact_sheet") or {}).items():
        _check_question_key(name, question, report)


def _check_question_key(name: object, question: Entry, report: LintReport) -> None:
    """Check the key of a question of the fact sheet; the platform looks it up by the question's name."""
    where = f"/fact_sheet/{name}/key"
    if name != question["key"] and str(name) == str(question["key"]):
        report.add("question's key as a number", where, key=quote(str(name)))
        return
    name, key = str(name), str(question["key"])
    sign = next((sign for sign in ".[]" if sign in key), "")
    if sign and yes(question["is_on_leaderboard"]):
        report.add("key that is no path", where, key=quote(key), sign=sign)
    without_blanks = [text for text in (key, name) if not re.search(r"\s", text)]
    common_name = without_blanks[0] if without_blanks else "_".join(key.split()).lower()
    if key != name:
        report.add("question's key", where, key=quote(key), name=quote(name), both=quote(common_name))
    elif not without_blanks:
        report.add("blanks in a key", where, key=quote(key), both=quote(common_name))


def _check_board(data: Competition, report: LintReport) -> None:
    board, columns = data["leaderboards"][0], columns_of(data)
    indexes = [number(column.data["index"]) for column in columns]
    check_unique("value twice", indexes, f"{_BOARD}/columns", "the index", report)
    check_unique("value twice", [column.key for column in columns], f"{_BOARD}/columns", "the key", report)
    if "primary_index" in board and number(board["primary_index"]) not in indexes:
        report.add("no such column", f"{_BOARD}/primary_index")
    for column_index, column in zip(indexes, columns):
        # Text is read letter by letter.
        for index in map(number, column.data.get("computation_indexes") or ()):
            if index == column_index:
                report.add("computed from itself", column.where)
            elif index not in indexes:
                report.add("computed from nothing", column.where, index=index)
    for column in columns:
        if str(column.data["title"]).strip() == _TITLE_OF_THE_EYE:
            report.add("title of the eye", f"{column.where}/title")
    most = max(len(set(map(str, phase["tasks"]))) for phase in data["phases"])
    rule = board.get("submission_rule")
    if rule in _RULES_OF_ONE_ENTRY and most > 1:
        report.add("rule for one task", f"{_BOARD}/submission_rule", name=rule)


def columns_of(data: Competition) -> list[BoardColumn]:
    """Return the columns of the leaderboard of either form."""
    if form_of(data) == "v1.5":
        return classic.columns_of(data)
    return [
        BoardColumn(
            where=f"/leaderboards/0{where}",
            # The platform cuts off blanks around texts.
            key=str(entry["key"]).strip(),
            data=entry,
            sorting_key="sorting",
            computed=bool(entry.get("computation")),
        )
        for where, entry in competition.entries_of(data["leaderboards"][0], "columns")
    ]


def primary_column(data: Competition) -> BoardColumn:
    """Return the column by which the leaderboard is sorted."""
    columns = columns_of(data)
    if form_of(data) == "v1.5":
        return min(columns, key=lambda column: number(column.data.get("rank", 1)))
    primary_index = number(data["leaderboards"][0].get("primary_index", 0))
    return next(column for column in columns if number(column.data["index"]) == primary_index)


_DEFINITIONS = competition.load_schema("definitions")


def check_schema(data: Competition, form: str, report: LintReport) -> bool:
    """Check each value of competition.yaml; return whether its structure allows further checks."""
    schema = {**competition.load_schema(f"competition-{form}"), "definitions": _DEFINITIONS}
    validator, plain_data = _Validator(schema, format_checker=_formats), _plain(data)
    n_before = len(report.errors.problems)
    _check_signs(plain_data, "", report)
    errors = sorted(validator.iter_errors(plain_data), key=lambda error: list(map(str, error.path)))
    unknown_keys = [error for error in errors if error.validator == "additionalProperties"]
    meant_keys = _report_unknown_keys(unknown_keys, form, report)
    other_errors = [error for error in errors if error.validator != "additionalProperties"]
    reported: set[tuple[str, str, str]] = set()
    for error in [*other_errors, *validator.descend(plain_data, _DEFINITIONS["unread"])]:
        where, rule = _pointer(error), _rule_of(error)
        # The key that is missing, or the value that is wrong.
        subject = error.message if rule == "required" else str(error.instance)
        # A misspelled key is said once, and so is a value that has neither the type nor the form of a rule.
        if (where, subject) not in meant_keys and (where, rule, subject) not in reported:
            _report(error, report)
        reported.add((where, rule, subject))
    if len(report.errors.problems) > n_before:
        return False
    for error in validator.descend(plain_data, schema["advice"]):
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
    """Return data as JSON has it, without integer keys (the phases of the older form) and sets."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, (list, set)):
        return [_plain(value) for value in node]
    return node


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
        yield jsonschema.ValidationError(f"{quote(instance)} has {len(instance.strip())} characters")


def _required(
    _: jsonschema.Draft7Validator, keys: Sequence[str], instance: Entry, __: Entry
) -> Iterator[jsonschema.ValidationError]:
    """Check that keys are there; the message of an error is the key that is missing."""
    for key in keys if isinstance(instance, dict) else ():
        if key not in instance:
            yield jsonschema.ValidationError(key)


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
    jsonschema.Draft7Validator,
    {"properties": _properties, "maxLength": _max_length, "required": _required},
    type_checker=jsonschema.Draft7Validator.TYPE_CHECKER.redefine_many(
        {
            "date": lambda _, value: isinstance(value, datetime.date),
            # JSON Schema takes 1.0 for a whole number, too.
            "whole": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
        }
    ),
)
_formats = jsonschema.FormatChecker(())
# What a server gives to the things that it holds: random UUIDs.
_formats.checks("uuid4", raises=ValueError)(competition.is_key)
_formats.checks("int32")(_is_stored)
_formats.checks("address")(_is_address)


def _report(error: jsonschema.ValidationError, report: LintReport) -> None:
    """Report an error of jsonschema in our words."""
    where, rule = _pointer(error), _rule_of(error)
    if error.instance in {"text": (None, ""), "otherwise": (None, [], {})}.get(rule, ()):
        rule = "empty value"
    elif rule == "otherwise" and error.validator in ("type", "enum"):
        rule = "unknown name" if "propertyNames" in error.absolute_schema_path else "choice"
    value = _shown(error.instance)
    fields = {
        "value": quote(value, 200),
        "short": quote(value),
        "message": quote(error.message, 200),
        "key": where.rpartition("/")[2],
        "limit": error.validator_value,
        "literal": quote(value if isinstance(error.instance, datetime.date) else repr(error.instance)),
        "choices": _choices(error.validator_value) if rule == "choice" else "",
    }
    report.add(rule, where or "/", **fields)


def _rule_of(error: jsonschema.ValidationError) -> str:
    names = (error.validator, error.schema.get("title"))
    return next((name for name in names if name in ERRORS or name in WARNINGS), "otherwise")


def _pointer(error: jsonschema.ValidationError) -> str:
    return "".join(f"/{part}" for part in error.absolute_path)


def _choices(choices: str | Sequence[str | None]) -> str:
    """Return the words for the types of JSON Schema that a value may have, or for the values themselves."""
    names = [choices] if isinstance(choices, str) else choices
    return " or ".join(_TYPES.get(name, name) for name in names if name not in (None, "null"))


def _report_unknown_keys(
    errors: Sequence[jsonschema.ValidationError], form: str, report: LintReport
) -> set[tuple[str, str]]:
    """Report keys that the platform ignores: misspelled ones, others in a line for each kind of entry.

    Return the places and keys that are meant by the misspelled ones.
    """
    meant_keys: set[tuple[str, str]] = set()
    places_of_kind: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for error in errors:
        known_keys = sorted(error.schema["properties"])
        where = _pointer(error)
        # What has both names is meant for both forms.
        absent_keys = set(known_keys) - error.instance.keys()
        for key in sorted(error.instance.keys() - known_keys):
            if names := [name for name in _names_in_other_form(key) if name in absent_keys]:
                report.add(
                    "key of the other form", f"{where}/{key}", key=quote(key), form=form, known=names[0]
                )
                meant_keys.add((where, names[0]))
                continue
            nearest_key = _nearest_key(key, known_keys)
            if nearest_key:
                report.add("misspelled key", f"{where}/{key}", key=quote(key), known=nearest_key)
                meant_keys.add((where, nearest_key))
                continue
            places_of_kind.setdefault(tuple(known_keys), []).append((f"{where}/{key}", key))
    rule = "additionalProperties of v1.5" if form == "v1.5" else "additionalProperties"
    for known_keys_of_kind, places in places_of_kind.items():
        keys = list(dict.fromkeys(quote(key) for _, key in places))
        shown_keys = some_words(keys, most=_SHOWN_KEYS)
        report.add(rule, places[0][0], key=shown_keys, known=", ".join(known_keys_of_kind))
    return meant_keys


def _nearest_key(key: str, known_keys: Sequence[str]) -> str:
    """Return the known key that is meant by a misspelled one, "" if there is none."""
    if _OTHER_NAMES.get(key) in known_keys:
        return _OTHER_NAMES[key]
    plain_keys = {_plain_key(known_key): known_key for known_key in known_keys}
    if _plain_key(key) in plain_keys:
        return plain_keys[_plain_key(key)]
    return next(iter(difflib.get_close_matches(key, known_keys, n=1, cutoff=_NEAR)), "")


def _plain_key(key: str) -> str:
    """Return a key without capitals and signs: endDate is end_date."""
    return _SIGNS.sub("", key).lower()


def _names_in_other_form(key: str) -> list[str]:
    """Return what v2 calls a key of v1.5, or v1.5 one of v2."""
    plain_key = _plain_key(key)
    names = [new_name for old_name, new_name in _NAMES_OF_FORMS if _plain_key(old_name) == plain_key]
    return names + [old_name for old_name, new_name in _NAMES_OF_FORMS if _plain_key(new_name) == plain_key]


def visibility_lines(data: Competition, full: Collection[str] = ()) -> list[str]:
    """Return a table (lines of text) of what a competition without errors shows to whom.

    It follows Codabench (March 2026), where the names of flags mislead: ``hide_score_output`` hides a zip and
    no score, under ``hide_output`` the detail page is still served, and nothing hides scores from the API.
    ``full`` are the names of references with ``detail: full``.
    """
    is_v2 = form_of(data) == "v2"
    phases = [phase for _, phase in competition.sorted_phases(data)]
    rows = [("who sees", "their own runs", "others, logged in", "anyone, not logged in")]
    for phase in phases:
        rows.append((str(phase["name" if is_v2 else "label"]), "", "", ""))
        rows += _phase_rows(data, phase)
    rows += _board_rows(data)
    everyone = "everyone can (docs/during_the_competition.md)"
    lines = [_table_line(row) for row in rows]
    for name, key in (("programs", "make_programs_available"), ("input data", "make_input_data_available")):
        fix = f"no, but on a server without the fix of autumn 2026 {everyone}"
        lines.append(f"the {name}".ljust(_WIDTHS[0]) + ("yes" if yes(data.get(key)) else fix))
    fix = f"no, but on a server without the fix of April 2026 {everyone}"
    lines.append("the reference data".ljust(_WIDTHS[0]) + fix)
    lines.append(
        "kit and public data".ljust(_WIDTHS[0]) + "everyone, on a server with that fix everyone logged in"
    )
    for name in sorted(full):
        sentence = f"on detail pages and in logs, detail: full shows the annotations of {name} item by item"
        lines.append(" " * _WIDTHS[0] + sentence)
    if any(not yes(phase.get("hide_output")) for phase in phases):
        lines += [
            "* on a server without the fix of August 2026: of finished submissions on the leaderboard, also",
            "  if the competition is not published, so teams can copy each other; hide_output prevents it",
        ]
    if len(phases) > 1:
        text = "the API takes and scores submissions at any time on a server without pull request 2496"
        lines.append(f"dates of phases bind the web page only: {text}")
    return lines


def _table_line(row: _Row) -> str:
    cells = [text.ljust(width) for text, width in zip(row, _WIDTHS)]
    return "".join(cells).rstrip()


def _board_rows(data: Competition) -> list[_Row]:
    """Return the rows of the leaderboard's scores."""
    is_hidden = form_of(data) == "v2" and yes(data["leaderboards"][0].get("hidden"))
    logged_in = "by the API" if is_hidden else "yes"
    rows = [("scores of the leaderboard", logged_in, logged_in, "by the API")]
    if any(yes(column.data.get("hidden")) for column in columns_of(data)):
        rows.append(("scores of hidden columns", "by the API", "by the API", "by the API"))
    return rows


def _phase_rows(data: Competition, phase: Entry) -> list[_Row]:
    """Return the rows of what a run leaves in a phase."""
    is_hidden = yes(phase.get("hide_output"))
    visibility = {"log (with all scores)": not is_hidden}
    for noun in ("score", "prediction"):
        visibility[f"zip of the {noun}s"] = not is_hidden and not yes(phase.get(f"hide_{noun}_output"))
    rows: list[_Row] = []
    for name, is_visible in visibility.items():
        rows.append((f"  {name}", "yes", "no", "yes *") if is_visible else (f"  {name}", "no", "no", "no"))
    rows.append(("  zip that was submitted", "yes", "no", "no" if is_hidden else "yes *"))
    rows.append(("  detail page", *_page_cells(data)))
    return rows


def _page_cells(data: Competition) -> tuple[str, str, str]:
    """Return who sees a detail page."""
    if not yes(data.get("enable_detailed_results")):
        return "no", "no", "no"
    in_panel = yes(data.get("show_detailed_results_in_submission_panel", True))
    on_board = yes(data.get("show_detailed_results_in_leaderboard", True))
    return "yes" if in_panel else "by its address", "yes" if on_board else "by its address", "if published"
