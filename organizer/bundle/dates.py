"""Dates of phases, read as Codabench reads them."""

from __future__ import annotations

import datetime
import re
import warnings

from dateutil import parser

from organizer.bundle.report import LintReport

_UNAMBIGUOUS = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")
_FORM = 'write it in UTC as "2027-01-31 23:59:59"'


def read_date(value: object, where: str, report: LintReport) -> datetime.datetime | None:
    """Return the moment (UTC) that the platform takes a date of competition.yaml for, None if it cannot be
    read.

    The platform drops the time of day of a date without quotes, and the offset of any.
    """
    if isinstance(value, datetime.date):
        if isinstance(value, datetime.datetime):
            report.warn(
                "L-DATE",
                "a date without quotes loses its time of day",
                f"{_FORM}, with the quotes",
                where=where,
            )
        return datetime.datetime(value.year, value.month, value.day)
    text = str(value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # dateutil's, of the names of time zones, which are dropped below
            moment: datetime.datetime = parser.parse(text)
    except (ValueError, OverflowError):
        report.error("L-DATE", f"there is no such day or time: {text}", _FORM, where=where)
        return None
    if not _UNAMBIGUOUS.fullmatch(text.strip()):
        problem = (
            f"{text} can be read in more than one way; the platform takes it for {moment:%Y-%m-%d %H:%M:%S}"
        )
        report.warn("L-DATE", problem, _FORM, where=where)
    elif moment.utcoffset():
        report.warn("L-DATE", f"the platform drops the offset of {text}", _FORM, where=where)
    return moment.replace(tzinfo=None)
