"""Dates of competition.yaml: what the platform takes them for, and the moments in UTC that they mean.

The platform reads dates as dateutil does, month first, and drops zones; dateutil's own reading of zones is
wrong (``UTC-12`` is 12 hours ahead). So the zone is split off here, and dateutil reads the rest.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import warnings
import zoneinfo
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Union

from dateutil import parser

from organizer.bundle.competition import Competition, LintReport, form_of, sorted_phases

Zone = Union[datetime.timezone, zoneinfo.ZoneInfo]
AOE = datetime.timezone(datetime.timedelta(hours=-12))
"""Anywhere on earth."""
_FORM = "%Y-%m-%d %H:%M:%S"
_SECOND = datetime.timedelta(seconds=1)
_DAY = datetime.timedelta(days=1)
_DASHES = re.compile("[\u2010-\u2015\u2212]")
# A time of day, with the zone that may follow it; a zone may also follow a date without a time.
_TIME = re.compile(
    r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\b\.?)?|\d{1,2}\s*[ap]\.?m\b\.?|T\d{4}(?:\d{2})?|noon",
    re.I,
)
_REGION = r"(?P<region>[a-z]+(?:/[a-z_+\-0-9]+)+)"
_OFFSET = r"(?P<sign>[+-])\s?(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?:\s*\([a-z]+\))?"
_NAME_AND_OFFSET = rf"(?P<name>[a-z]{{1,5}})?\s*(?:{_OFFSET})?"
_ZONE = re.compile(rf"\s*[(\[]?\s*(?:{_REGION}|{_NAME_AND_OFFSET})\s*[)\]]?(?=\s|$)", re.I)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?)?")
_YEAR_FIRST = re.compile(r"(?<![\d/.-])\d{4}(?:[-/.]?\d|$)")
# The ISO form with a year of two digits, which the platform takes for a day or a month.
_SHORT_YEAR_FIRST = re.compile(r"\d{2}-\d{1,2}-\d{2}(?!\d)")
_END_OF_DAY = re.compile(r"\b24:00(:00)?\b")
_UTC_NAMES = ("UTC", "GMT", "Z")
# Names that mean one offset in hours, in all seasons; several zones share others, as IST and CST.
_HOURS = {
    "AOE": -12, "HST": -10, "AKST": -9, "AKDT": -8, "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "EST": -5,
    "EDT": -4, "BRT": -3, "UT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "SAST": 2,
    "MSK": 3, "TRT": 3, "PKT": 5, "ICT": 7, "WIB": 7, "HKT": 8, "SGT": 8, "AWST": 8, "JST": 9, "KST": 9,
    "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip


class _Text(NamedTuple):
    """A text in its parts: the date with its time, the words of its zone, and the zone, None if unknown."""

    date: str
    words: str
    zone: Zone | None


def read_date(
    value: object, where: str, report: LintReport, is_end: bool = False
) -> datetime.datetime | None:
    """Return the moment (UTC) that the platform takes a date for, None if it cannot be told.

    The platform drops the time of day of a date without quotes, and the zone of any. ``is_end`` says that the
    date ends something, which then should have a time.
    """
    if isinstance(value, datetime.datetime):
        report.add("date without quotes", where, dates=_written(_utc_of(value)))
        return datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, datetime.date):
        if is_end:
            report.add("end without a time", where, dates=_written(_last_second(_midnight(value))))
        return _midnight(value)
    text = str(value).strip()
    platform_date = _parse(text)
    if platform_date is None:
        moments = _moments(text, is_end)
        rule = "date that is refused" if len(moments) == 1 else "no date"
        report.add(rule, where, date=text, dates=" or ".join(map(_written, moments)))
        return None
    if _is_incomplete(text):
        report.add("incomplete date", where, date=text, taken=_written(platform_date))
        return None
    _report_reading(text, platform_date, where, report, is_end)
    return platform_date


def _report_reading(
    text: str, platform_date: datetime.datetime, where: str, report: LintReport, is_end: bool
) -> None:
    """Report what is wrong with a date that the platform reads; at most one thing."""
    parts = _split(text)
    moments = _moments(text, is_end) or [platform_date]
    rule = _rule_of_reading(parts, moments, platform_date, is_end)
    if rule:
        report.add(
            rule,
            where,
            date=text,
            taken=_written(platform_date),
            dates=" or ".join(map(_written, moments)),
            zone=parts.words,
            note=_note_on_zone(parts),
        )


def _rule_of_reading(
    parts: _Text, moments: Sequence[datetime.datetime], platform_date: datetime.datetime, is_end: bool
) -> str:
    """Return the rule that a date breaks, "" if it breaks none."""
    if len(moments) > 1:
        return "ambiguous date"
    if parts.words and parts.zone is None:
        return "zone with several meanings"
    if parts.zone is not None and moments[0] != platform_date:
        return "zone"
    if not _ISO.fullmatch(parts.date.strip()):
        return "form of a date"
    return "end without a time" if is_end and not _has_time(parts.date) else ""


def in_utc(value: object, is_end: bool = False) -> object:
    """Return a date of competition.yaml as text in UTC if it has a time zone, or a time and no quotes.

    What may mean several moments, or none, stays as it is.
    """
    if isinstance(value, datetime.datetime):
        return f"{_utc_of(value):{_FORM}}"
    if not isinstance(value, str) or _split(value).zone is None:
        return value
    moments = _moments(value.strip(), is_end)
    return f"{moments[0]:{_FORM}}" if len(moments) == 1 else value


def with_dates_in_utc(data: Competition) -> Competition:
    """Return a competition.yaml of v2 with the dates of its phases in UTC; zones may be names, as ``AoE``."""
    phases = data.get("phases")
    if not isinstance(phases, list):
        return data
    return {**data, "phases": [_phase_in_utc(phase) for phase in phases]}


def _phase_in_utc(phase: object) -> object:
    if not isinstance(phase, dict):
        return phase
    dates = {key: in_utc(phase[key], key == "end") for key in ("start", "end") if key in phase}
    return {**phase, **dates}


def find_zone(name: str) -> Zone | None:
    """Return the zone of a text, as ``AoE``, ``Europe/Paris`` or ``+09:00``; None if it names none."""
    match = _ZONE.fullmatch(_DASHES.sub("-", name.strip()))
    return _zone_of(match) if match else None


def date_lines(data: Competition, zone_name: str | None = None) -> list[str]:
    """Return a table (lines of text) of the dates of phases: in UTC, anywhere on earth, and in a zone."""
    zone = find_zone(zone_name) if zone_name else None
    rows: list[tuple[str, ...]] = [("dates", "UTC", "AoE", zone_name or "")]
    unread_report = LintReport()
    for label, value, is_end in _dates(data):
        moment = read_date(value, "", unread_report, is_end) if value else None
        if moment:
            rows.append((label, *(_clock(moment, column) for column in (datetime.timezone.utc, AOE, zone))))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def _clock(moment: datetime.datetime, zone: Zone | None) -> str:
    """Return the clock of a zone at a moment in UTC, "" without a zone or outside of the calendar."""
    if zone is None:
        return ""
    try:
        return f"{moment.replace(tzinfo=datetime.timezone.utc).astimezone(zone):{_FORM}}"
    except OverflowError:
        return ""


def _dates(data: Competition) -> list[tuple[str, object, bool]]:
    """Return (label, date, whether it is an end) of a competition, in the order of its phases."""
    dates: list[tuple[str, object, bool]] = []
    if form_of(data) == "v1.5":
        for _, phase in sorted_phases(data):
            dates.append((f"{phase['label']} starts", phase["start_date"], False))
        end = data.get("end_date")
        return [*dates, ("end", None if end == "null" else end, True)]
    for _, phase in sorted_phases(data):
        dates.append((f"{phase['name']} starts", phase["start"], False))
        dates.append((f"{phase['name']} ends", phase.get("end"), True))
    return dates


def _parse(
    text: str,
    day_first: bool = False,
    year_first: bool = False,
    default: datetime.datetime | None = None,
) -> datetime.datetime | None:
    """Return what dateutil reads, without a zone; None if it refuses the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the names of zones, which are dropped
        try:
            moment: datetime.datetime = parser.parse(
                text, dayfirst=day_first, yearfirst=year_first, default=default
            )
        except (ValueError, OverflowError):
            return None
    return moment.replace(tzinfo=None)


def _has_time(text: str) -> bool:
    """Return whether dateutil reads a time of day, in any form: ``23:59``, ``23h59``, ``235900``."""
    hours = (datetime.datetime(2001, 1, 1, 1), datetime.datetime(2001, 1, 1, 2))
    return len({_parse(text, default=hour) for hour in hours}) == 1


def _is_incomplete(text: str) -> bool:
    """Return whether the platform takes a part of a date from the day on which it reads it."""
    days = (datetime.datetime(2001, 1, 1), datetime.datetime(2002, 2, 2))
    return len({_parse(text, default=day) for day in days}) > 1


def _moments(text: str, is_end: bool) -> list[datetime.datetime]:
    """Return the moments (UTC) that a text may mean, none if nobody can tell.

    The month comes first, unless there are points. The end on a day without a time is the last second of it.
    """
    parts = _split(text)
    date = re.sub(r"\bnoon\b", "12:00", parts.date, flags=re.I)
    date, end_of_day = _END_OF_DAY.subn("00:00", date)
    readings = [_parse(date), _parse(date, day_first=True)]
    if _YEAR_FIRST.search(date):
        readings = readings[:1]
    elif "." in _TIME.sub("", date):
        # Points are written where the day comes first.
        readings.reverse()
    elif _SHORT_YEAR_FIRST.match(date):
        readings.append(_parse(date, year_first=True))
    moments: list[datetime.datetime] = []
    if _is_incomplete(date):
        return moments
    for reading in readings:
        if reading is None:
            continue
        if is_end and not _has_time(date):
            reading = _last_second(reading)
        with contextlib.suppress(OverflowError):
            moments.append(_in_utc(reading + _DAY * bool(end_of_day), parts.zone))
    return list(dict.fromkeys(moments))


def _split(text: str) -> _Text:
    """Split the zone off a date; it stands behind the time, or behind a date without a time."""
    text = _DASHES.sub("-", text.strip())
    time = _TIME.search(text)
    if not time:
        return _split_date(text)
    end = time.end()
    match = _ZONE.match(text, end)
    if not match or not match[0].strip():
        return _Text(text, "", None)
    zone = _zone_of(match)
    if zone is None and not _is_zone(match):
        return _Text(text, "", None)
    return _Text(text[:end] + text[match.end() :], match[0].strip(" ()[]"), zone)


def _split_date(text: str) -> _Text:
    """Split the zone off a date without a time."""
    for blank in re.finditer(r"\s+", text):
        words = text[blank.end() :]
        zone = find_zone(words) if words[0].isalpha() or words[0] == "(" else None
        if zone is not None:
            return _Text(text[: blank.start()], words.strip("()"), zone)
    return _Text(text, "", None)


def _is_zone(match: re.Match[str]) -> bool:
    """Return whether dateutil takes a word behind a time for the name of a zone."""
    return bool(match["sign"]) or (match["name"] or "").isupper()


def _zone_of(match: re.Match[str]) -> Zone | None:
    """Return the zone that a match means, None if there is none or there are several."""
    if match["region"]:
        return _region(match["region"])
    name = (match["name"] or "").upper()
    if match["sign"]:
        minutes = 60 * int(match["hours"]) + int(match["minutes"] or 0)
        has_meaning = name in ("", *_UTC_NAMES) and minutes < 24 * 60
        return _fixed(minutes if match["sign"] == "+" else -minutes) if has_meaning else None
    if name in _UTC_NAMES:
        return datetime.timezone.utc
    return _fixed(60 * _HOURS[name]) if name in _HOURS else None


def _fixed(minutes: int) -> datetime.timezone:
    return datetime.timezone(datetime.timedelta(minutes=minutes))


def _region(name: str) -> zoneinfo.ZoneInfo | None:
    """Return a zone by its name of the IANA, as ``Europe/Paris``, in any case of letters."""
    key = _regions().get(name.lower())
    return zoneinfo.ZoneInfo(key) if key else None


@cache
def _regions() -> dict[str, str]:
    return {key.lower(): key for key in zoneinfo.available_timezones()}


def _note_on_zone(parts: _Text) -> str:
    """Return what is taken for granted of a zone that is an abbreviation, "" of others."""
    name = parts.words.upper()
    if name not in _HOURS:
        return ""
    hours = _HOURS[name]
    return f" ({name} is {hours:+d}, in summer too)" if hours else ""


def _in_utc(moment: datetime.datetime, zone: Zone | None = None) -> datetime.datetime:
    """Return a moment in UTC, without a zone; ``zone`` is that of a moment that has none, by default UTC."""
    with_zone = moment if moment.tzinfo else moment.replace(tzinfo=zone or datetime.timezone.utc)
    return with_zone.astimezone(datetime.timezone.utc).replace(tzinfo=None)


def _utc_of(value: datetime.datetime) -> datetime.datetime:
    """Return a date-time of YAML in UTC, as it is at the end of the calendar."""
    try:
        return _in_utc(value)
    except OverflowError:
        return value.replace(tzinfo=None)


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime(day.year, day.month, day.day)


def _last_second(midnight: datetime.datetime) -> datetime.datetime:
    return midnight + (_DAY - _SECOND)


def _written(moment: datetime.datetime) -> str:
    """Return how to write a moment in competition.yaml, in UTC."""
    return f'"{moment:{_FORM}}"'
