"""Dates of competition.yaml: the moments that the platform takes them for."""

from __future__ import annotations

import datetime
import re
import warnings

from dateutil import parser

from organizer.bundle.competition import LintReport

_DATE = "%Y-%m-%d %H:%M:%S"
_YEAR_FIRST = re.compile(r"\s*\d{4}")
_UNAMBIGUOUS = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")


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
