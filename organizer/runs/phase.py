"""The rules of a phase that a ranking can check: its dates, and how often a user may submit."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from validator.texts import quote

UNLIMITED = 0
"""Instead of a number of submissions."""


class Phase(NamedTuple):
    """A phase of competition.yaml.

    Attributes
    ----------
    name : str
    start, end : datetime or None
        In UTC, without a time zone; None if the phase has no such end.
    per_day, in_all : int
        How many submissions a user may make on a day (UTC) and in the whole phase, or `UNLIMITED`.
    """

    name: str
    start: datetime.datetime | None = None
    end: datetime.datetime | None = None
    per_day: int = UNLIMITED
    in_all: int = UNLIMITED


def folder_name(name: str) -> str:
    """Return the name of a phase or reference as a part of the name of a folder.

    Examples
    --------
    >>> folder_name("Final phase (2027)")
    'final-phase-2027'
    """
    text = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()
    if text and name.isascii():
        return text
    # Names in other scripts may have the same year or number.
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{text}-{digest}" if text else digest


def quote_names(names: Sequence[str]) -> str:
    """Return names of phases as they are written in a command."""
    return ", ".join(f'"{quote(name)}"' for name in names)
