"""Names in Codabench's download of all submissions: ``{id}_{user}_PhaseId{n}_{date}_{file}``.

Users and files may hold ``_PhaseId``, too, so some names can be read in several ways.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

_ID = re.compile(r"(?P<id>[0-9]{1,18})_(?P<rest>[^/]+)")
_PHASE = re.compile(r"_PhaseId(?P<phase>[0-9]+)(?=_(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})?)")


class DownloadName(NamedTuple):
    """What the name of a submission in the download says; ``date`` is "" if there is none.

    ``rest`` is the name without the id, which a rerun shares.
    """

    id: int
    user: str
    phase: str
    date: str
    rest: str


def readings_of(name: str) -> list[DownloadName]:
    """Return all ways to read the last part of a path as a name of the download; none for other names."""
    numbered = _ID.fullmatch(PurePosixPath(name).name)
    if not numbered:
        return []
    rest = numbered["rest"]
    readings = []
    for phase in _PHASE.finditer(rest):
        user = rest[: phase.start()]
        if user:
            reading = DownloadName(
                id=int(numbered["id"]),
                user=user,
                phase=phase["phase"],
                date=phase["date"] or "",
                rest=rest,
            )
            readings.append(reading)
    return readings


def read_download_names(names: Iterable[str]) -> dict[str, DownloadName]:
    """Return what the names of the download say, by name; other names are left out.

    A name that can be read in several ways is read with a date after the phase, as the site writes it, then
    with the phase that most of the names share, then with the first one.
    """
    readings_of_name = {name: readings_of(name) for name in names}
    n_of_phase: Counter[str] = Counter()
    for readings in readings_of_name.values():
        n_of_phase.update({reading.phase for reading in readings})

    def likelihood(reading: DownloadName) -> tuple[bool, int]:
        return bool(reading.date), n_of_phase[reading.phase]

    return {name: max(readings, key=likelihood) for name, readings in readings_of_name.items() if readings}
