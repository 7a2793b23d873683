"""Names in the downloads of sites, which say whose a submission is.

Codabench gives all submissions as ``{id}_{user}_PhaseId{n}_{date}_{file}``. Users and files may hold
``_PhaseId``, too, so some names can be read in several ways. Classic CodaLab gives those on a leaderboard as
``{user} - {n} submission.zip``, or ``Team {team}  - {n} submission.zip``; a folder that was unpacked from one
has the name without the ending.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

_ID = re.compile(r"(?P<id>[0-9]{1,18})_(?P<rest>[^/]+)")
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_PHASE = re.compile(rf"_PhaseId(?P<phase>[0-9]+)(?=_(?P<date>{_DATE})?)")
# What stands between the phase and the file: the day, and minutes and seconds.
_MOMENT = re.compile(rf"_(?:{_DATE}[_:](?:[0-9]{{2}}-[0-9]{{2}}_)?)?")
_RESULT = "res_"
_CLASSIC = re.compile(
    r"(?:Team (?P<team>[^/]+) |(?P<user>[^/]+)) - (?P<number>[0-9]{1,18}) "
    r"(?P<part>submission|output)(?:\.zip)?"
)
_MEMBERS = re.compile(r"Team: (?P<team>.+); members: (?P<members>.*)", re.IGNORECASE)
MEMBERS_PATTERN = "team_names_and_members*.txt"
"""The file of the members of teams, in the download of classic CodaLab; that of another one is numbered."""


class DownloadName(NamedTuple):
    """What the name of a submission in a download says; "" where it says nothing.

    ``file`` is the name that its user gave to it, ``rest`` the name without the id, which a rerun shares.
    """

    id: int
    user: str
    phase: str
    date: str
    rest: str
    file: str
    team: str = ""


def readings_of(name: str) -> list[DownloadName]:
    """Return all ways to read the last part of a path as a name of a download; none for other names."""
    last_part = PurePosixPath(name).name
    classic = _CLASSIC.fullmatch(last_part)
    if classic and classic["part"] == "submission":
        return [_classic_name(classic)]
    match = _ID.fullmatch(last_part)
    if not match:
        return []
    name_without_id = match["rest"]
    readings = []
    for phase in _PHASE.finditer(name_without_id):
        user = name_without_id[: phase.start()]
        if user:
            reading = DownloadName(
                id=int(match["id"]),
                user=user,
                phase=phase["phase"],
                date=phase["date"] or "",
                rest=name_without_id,
                file=_MOMENT.sub("", name_without_id[phase.end() :], count=1),
            )
            readings.append(reading)
    return readings


def _classic_name(match: re.Match[str]) -> DownloadName:
    return DownloadName(
        id=int(match["number"]),
        user=match["user"] or "",
        phase="",
        date="",
        rest=match[0],
        file=f"{match['part']}.zip",
        team=(match["team"] or "").strip(),
    )


def is_result(name: str) -> bool:
    """Return whether a zip of a download holds what a run has written, and no submission.

    Examples
    --------
    >>> is_result("res_7_zoe_PhaseId3_2024-05-01_x.zip"), is_result("zoe - 1 output.zip")
    (True, True)
    >>> is_result("res_zoe.zip")
    False
    """
    last_part = PurePosixPath(name).name
    if last_part.startswith(_RESULT):
        return bool(readings_of(last_part[len(_RESULT) :]))
    classic = _CLASSIC.fullmatch(last_part)
    return classic is not None and classic["part"] == "output"


def read_members(text: str) -> dict[str, list[str]]:
    """Return the users of each team by the text of their file.

    Examples
    --------
    >>> read_members("Team: Blue; members: bob, eve")
    {'Blue': ['bob', 'eve']}
    """
    members_of_team = {}
    for line in text.splitlines():
        if match := _MEMBERS.fullmatch(line.strip()):
            members = [member.strip() for member in match["members"].split(",")]
            members_of_team[match["team"].strip()] = [member for member in members if member]
    return members_of_team


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
