"""Finding the submissions of a competition, whose they are, and when they were made."""

from __future__ import annotations

import contextlib
import csv
import datetime
import hashlib
import io
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Union

from organizer.files import DAMAGED
from organizer.runs.download_names import DownloadName, read_download_names, readings_of
from organizer.runs.similar_names import similar_names, with_code_points
from validator.choose import task_of_first_row
from validator.findings import Findings
from validator.formats.rules import Rules, load_rules, task_ids
from validator.submission import open_submission
from validator.texts import counted, quote

_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SHOWN = 3
_CHUNK = 1 << 20
_HINT = "give the folder with the participants' zips"
# Of the table of --names.
_KEYS = ("submission", "user")
_SAYS = ("team", "date", "counts")
_COUNTS = ("yes", "no", "")
_HEADER = "write a CSV with the header submission,team,date or user,team"
_TIME = re.compile(rf"({_DATE})([T ]([0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\.[0-9]+)?)?)Z?)?")
_MOST_LINES = 10
# The column of cells beyond the header.
_MORE = ""
Row = Mapping[str, str]
Source = Union[Path, tuple[zipfile.ZipFile, zipfile.ZipInfo]]


class SubmissionsError(Exception):
    """The submissions, or the table of their names, cannot be used; the arguments are lines that say why."""


@dataclass(frozen=True)
class Submission:
    """A zip of a participant.

    Attributes
    ----------
    name : str
        Its path below the folder of submissions, or its name in the download.
    team : str
    date : str
        When it was made, as an ISO date with or without a time, "" if unknown.
    source : Source
        Where its bytes are.
    user : str
        Who made it, "" if unknown.
    counts : str
        Whether organizers say that it counts: "yes", "no", or "" if they say nothing.
    other_looks : sequence of str
        The names of other teams that look like that of its team.
    facts : mapping of str to str
        What organizers say of its team in further columns of the table of names.
    """

    name: str
    team: str
    date: str
    source: Source
    user: str = ""
    counts: str = ""
    other_looks: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> int | None:
        """Its number if the file is named as in the download, else None."""
        readings = readings_of(self.name)
        return readings[0].id if readings else None

    def read(self) -> bytes:
        """Return the bytes; of a damaged member of the download those before the damage."""
        if isinstance(self.source, Path):
            return self.source.read_bytes()
        archive, info = self.source
        data = bytearray()
        # The validator says what is wrong with it.
        with contextlib.suppress(*DAMAGED), archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                data += chunk
        return bytes(data)


def natural(name: str) -> list[tuple[int, str, str]]:
    """Return a key that sorts names with numbers in them as people do: 2 comes before 10."""
    parts = re.split(r"([0-9]+)", name)
    # Every second part is a number, of any length.
    numbers = (part.lstrip("0") for part in parts[1::2])
    key = [(0, "", part) for part in parts]
    key[1::2] = [(1 + len(number), number, part) for number, part in zip(numbers, parts[1::2])]
    return key


@contextlib.contextmanager
def find_submissions(
    given: Path, names: Path | None = None, only_phase: str = ""
) -> Iterator[list[Submission]]:
    """Open a folder of zips, or Codabench's download of all, and yield the submissions in natural order.

    In a folder, each folder is a team; zips at the top are named as in the download, or teams of their own.
    Hidden zips and symbolic links are left out, with a note.
    ``names`` is a table that says whose a submission is, and when it was made, see `read_names`;
    ``only_phase`` is the id of the phase whose submissions are wanted. In the download a submission and its
    reruns are one. Raises SubmissionsError if there is no submission, if they are of several phases, or
    ``names`` does not fit.
    """
    with contextlib.ExitStack() as stack:
        sources: dict[str, Source] = {}
        if given.is_dir():
            files = _files_below(given)
            sources.update((_name_in_utf8(path.relative_to(given)), path) for path in files)
        else:
            try:
                archive = stack.enter_context(zipfile.ZipFile(given))
            except DAMAGED as error:
                hint = f"{_HINT}, or the zip that Codabench gives for all of them"
                raise SubmissionsError(f"{given}: this is neither a folder nor a zip; {hint}") from error
            sources.update((info.filename, (archive, info)) for info in archive.infolist())
        zips = sorted(filter(_is_zip, sources), key=natural)
        wanted = [name for name in zips if not _is_hidden(name)]
        hidden_zips = [name for name in zips if _is_hidden(name)]
        _note_left_out("a part of their path begins with a dot or with __MACOSX", hidden_zips, "zip")
        if not wanted:
            raise SubmissionsError(f"{given}: there is no zip file in it; {_HINT}")
        downloaded = read_download_names(wanted)
        submissions = _read_submissions(wanted, downloaded, sources)
        users = {submission.name: submission.team for submission in submissions}
        rows = read_names(names, users) if names else {}
        _warn_of_several_readings({name: reading for name, reading in downloaded.items() if name not in rows})
        submissions = _of_one_phase(submissions, downloaded, only_phase)
        submissions = [_named(submission, rows.get(submission.name, {})) for submission in submissions]
        yield _told_apart(_without_reruns(submissions))


def _files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and in the folders below it.

    Symbolic links, which may lead anywhere, are left out; a note names those that could be submissions.
    """
    files = []
    links = []
    for path in folder.rglob("*"):
        if path.is_symlink():
            links.append(path)
        elif path.is_file():
            files.append(path)
    names_of_links = [
        path.relative_to(folder).as_posix() for path in links if path.is_dir() or _is_zip(path.name)
    ]
    _note_left_out(
        "they are symbolic links (copy the zips themselves)",
        names_of_links,
        "zip or folder",
        "zips or folders",
    )
    return files


def _name_in_utf8(path: Path) -> str:
    """Return a path as UTF-8 names it: in others Python reads them as halves of characters."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _note_left_out(reason: str, names: Sequence[str], noun: str, nouns: str = "") -> None:
    """Print a note on what is not read among the submissions, if there is any."""
    if names:
        examples = _first_words([quote(name) for name in sorted(names, key=natural)])
        print(f"note | left out, because {reason}: {counted(len(names), noun, nouns)}: {examples}")


def _first_words(words: Sequence[str]) -> str:
    """Return the first words, and how many more there are."""
    examples = ", ".join(words[:_SHOWN])
    return f"{examples}, and {len(words) - _SHOWN} more" if len(words) > _SHOWN else examples


def _read_submissions(
    names: Sequence[str], downloaded: Mapping[str, DownloadName], sources: Mapping[str, Source]
) -> list[Submission]:
    """Return the submissions as their names alone describe them."""
    teams = {name: _team(name, downloaded.get(name)) for name in names}
    n_of_team = Counter(teams.values())
    submissions = []
    for name, team in teams.items():
        reading = downloaded.get(name)
        if team == name[: -len(".zip")] and n_of_team[team] > 1:
            team = name  # such a file is a separate team, even if a folder has its name
        submission = Submission(
            name=name,
            team=team,
            date=reading.date if reading and "/" not in name else "",
            source=sources[name],
            user=reading.user if reading else "",
        )
        submissions.append(submission)
    return submissions


def _warn_of_several_readings(downloaded: Mapping[str, DownloadName]) -> None:
    """Name the files at the top whose user is uncertain, because their names hold ``_PhaseId`` twice."""
    uncertain_names = [name for name in downloaded if "/" not in name and len(readings_of(name)) > 1]
    if uncertain_names:
        users = _first_words(
            [quote(user) for user in sorted({downloaded[name].user for name in uncertain_names})]
        )
        names = _first_words(list(map(quote, uncertain_names)))
        problem = f"_PhaseId is twice in {counted(len(uncertain_names), 'name')} ({names})"
        print(f"warning | {problem}; the users are taken to be {users}; if not, give teams in --names")


def _of_one_phase(
    submissions: Sequence[Submission], downloaded: Mapping[str, DownloadName], only_phase: str
) -> list[Submission]:
    """Return the submissions to a phase, or all if they are of one. Raises SubmissionsError.

    In the folders of teams names are theirs: they say nothing of phases unless one is asked for.
    """
    phase_of_name = {name: reading.phase for name, reading in downloaded.items()}
    n_of_phase = Counter(phase_of_name.values())
    phases = sorted(n_of_phase, key=natural)
    if not only_phase:
        phases_at_top = {phase for name, phase in phase_of_name.items() if "/" not in name}
        if len(phases_at_top) > 1:
            names = ", ".join(sorted(phases_at_top, key=natural))
            problem = f"submissions of several phases (PhaseId {names})"
            remedy = f"say which to rank, as in --only-phase-id {phases[-1]}"
            raise SubmissionsError(f"{problem} cannot be ranked together; {remedy}")
        return list(submissions)
    if only_phase not in phases:
        names = f"there are those of PhaseId {', '.join(phases)}" if phases else "no name holds a PhaseId"
        raise SubmissionsError(f"there is no submission with PhaseId {only_phase}: {names}")
    n_others = len(submissions) - n_of_phase[only_phase]
    if n_others:
        print(f"note | left out, because their PhaseId is not {only_phase}: {counted(n_others, 'zip')}")
    return [submission for submission in submissions if phase_of_name.get(submission.name) == only_phase]


def _without_reruns(submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions, a submission and its reruns as one; report on the order of their ids.

    A rerun has a new id. The rest of its name stays, but other uploads of the same day may have it too, so
    only equal bytes make a rerun. The smallest id is the submission's; it is the first in natural order.
    """
    # The submissions by the rest of their names and, where several have it, by their bytes.
    n_of_rest = Counter(map(_name_without_id, submissions))
    first: dict[tuple[str, bytes], Submission] = {}
    for submission in submissions:
        rest = _name_without_id(submission)
        digest = hashlib.sha256(submission.read()).digest() if n_of_rest[rest] > 1 else b""
        first.setdefault((rest, digest), submission)
    n_reruns = len(submissions) - len(first)
    if n_reruns:
        rule = "equal bytes and names but for the id count once"
        print(f"note | {counted(n_reruns, 'rerun')} left out: {rule}")
        _warn_of_uncertain_order(list(first.values()))
    return list(first.values())


def _told_apart(submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions with code points in the names of teams that look equal; warn of such names."""
    names_shown: dict[str, str] = {}
    others_of_name: dict[str, list[str]] = {}
    for group in similar_names(submission.team for submission in submissions):
        for name in group:
            names_shown[name] = with_code_points(name)
            others_of_name[name] = [with_code_points(other) for other in group if other != name]
        teams = ", ".join(quote(names_shown[name]) for name in group)
        print(f"warning | look at these: the names {teams} look equal; --names makes them one team")
    told_apart = []
    for submission in submissions:
        name = submission.team
        shown = replace(
            submission, team=names_shown.get(name, name), other_looks=others_of_name.get(name, ())
        )
        told_apart.append(shown)
    return told_apart


def _name_without_id(submission: Submission) -> str:
    readings = readings_of(submission.name) if "/" not in submission.name else []
    return readings[0].rest if readings else submission.name


def _warn_of_uncertain_order(submissions: Sequence[Submission]) -> None:
    """Name the teams with several files of one day and name, whose order reruns may have changed."""
    n_of_day = Counter((_name_without_id(submission), submission.date) for submission in submissions)
    teams = {
        submission.team
        for submission in submissions
        if n_of_day[_name_without_id(submission), submission.date] > 1
    }
    if teams:
        names = ", ".join(map(quote, sorted(teams, key=natural)))
        remedy = "give dates with times in --names if the last submission counts"
        print(f"warning | reruns may have changed the order of ids of one day's files of {names}: {remedy}")


def other_task(submission: Submission, task_id: str) -> str:
    """Return the task that a submission to `task_id`, which it is not valid for, was made for; "" if unknown.

    It is known for Codabench's download alone, which holds the submissions to all tasks of a phase. Of its
    files, only the names and the first row of one are looked at: it is not valid, so it may be hostile.
    """
    if "/" in submission.name or not readings_of(submission.name):
        return ""
    rules = load_rules(task_id)
    with tempfile.TemporaryDirectory() as folder, Findings().part():
        path = Path(folder) / "submission.zip"
        path.write_bytes(submission.read())
        with open_submission(path, rules.limits) as opened:
            names = opened.names
        for other_id in task_ids():
            if other_id == task_id:
                continue
            other_rules = load_rules(other_id)
            if not _has_files_of(other_rules, names):
                continue
            if set(other_rules.name_patterns) != set(rules.name_patterns):
                return other_id
            # Both tasks have files of the same names, so only a row tells; empty files tell nothing.
            with open_submission(path, rules.limits) as opened:
                row_task = task_of_first_row(opened, opened.names)
            if row_task is not None and row_task.id == other_id:
                return other_id
    return ""


def _has_files_of(rules: Rules, names: Sequence[str]) -> bool:
    """Return whether each file that rules ask for is among the names."""
    return all(_is_matched(pattern, names) for pattern in rules.name_patterns)


def _is_matched(pattern: str, names: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names)


def summary_of_others(others: Mapping[str, str]) -> str:
    """Return one line about the submissions to other tasks, given as {name: task}."""
    names = sorted(others, key=natural)
    examples = _first_words([f"{quote(name)} ({others[name]})" for name in names])
    n_zips = counted(len(names), "zip")
    return f"note | left out, because they are for other tasks: {n_zips}: {examples}"


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part != ".." for part in PurePosixPath(name).parts)


def _team(name: str, reading: DownloadName | None) -> str:
    """Return the team of a submission: the folder that it is in, its user, or the file."""
    first, *inner = PurePosixPath(name).parts
    if inner:
        return first
    return reading.user if reading else name[: -len(".zip")]


def _named(submission: Submission, row: Mapping[str, str]) -> Submission:
    """Return a submission with what a table says about it."""
    return replace(
        submission,
        team=row.get("team") or submission.team,
        date=row.get("date") or submission.date,
        counts=row.get("counts", ""),
        facts={column: text for column, text in row.items() if column not in (*_KEYS, *_SAYS, _MORE)},
    )


def read_text(table: Path) -> str:
    """Return the text of a table in UTF-8 or Latin-1. Raises OSError."""
    data = table.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def delimiter_of(text: str) -> str:
    """Return what separates the cells of a table: a semicolon if its first line has one, else a comma."""
    return ";" if ";" in text.partition("\n")[0] else ","


def read_names(table: Path, users: Mapping[str, str]) -> dict[str, Row]:
    """Return what a table says about each submission: ``team``, ``date``, ``counts`` and further columns.

    The table is a CSV in UTF-8 or Latin-1, with commas or semicolons. ``users`` has the user of each
    submission by its name, "" where that is unknown. What a row does not say is "" or missing. Raises
    SubmissionsError, with all wrong lines.
    """
    try:
        text = read_text(table)
    except OSError as error:
        raise SubmissionsError(f"{table}: cannot be read ({error.strerror}); {_HEADER}") from error
    rows: dict[str, Row] = {}
    wrong = list[str]()
    # Names may be given as they are shown, with code points.
    names_as_shown = {with_code_points(name): name for name in (*users, *users.values())}
    try:
        key = ""
        for line, given_row in _rows(text):
            key = next(name for name in _KEYS if name in given_row)
            name = given_row[key]
            row = {**given_row, key: names_as_shown.get(with_code_points(name), name)}
            if problem := _problem(row, key, rows, users):
                wrong.append(f"line {line}: {problem}")
            counts = row.get("counts", "").lower()
            rows[row[key]] = {**row, "date": _iso(row.get("date", "")), "counts": counts}
    except (csv.Error, ValueError) as error:
        raise SubmissionsError(f"{table}: {error}; {_HEADER}") from error
    if wrong:
        raise SubmissionsError(f"{table}: {counted(len(wrong), 'wrong line')}:", *first_lines(wrong))
    if key != "user":
        return rows
    for user in sorted(rows.keys() - users.values()):
        print(f"note | {quote(str(table))}: there is no submission of the user '{quote(user)}'")
    return {name: rows[user] for name, user in users.items() if user in rows}


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines on what is wrong with a table, and how many more there are."""
    n_more = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], *([f"and {n_more:,} more"] if n_more > 0 else [])]


def _rows(text: str) -> Iterator[tuple[int, Row]]:
    """Yield the number of each line and its cells by column. Raises ValueError, csv.Error."""
    delimiter = delimiter_of(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = [cell.strip().lower() for cell in next(reader, [])]
    if sum(name in header for name in _KEYS) != 1 or not set(_SAYS) & set(header):
        raise ValueError(f"its header is '{quote(delimiter.join(header))}'")
    repeated = [name for name, number in Counter(header).items() if number > 1 and name]
    if repeated:
        raise ValueError(f"its header names {', '.join(map(quote, repeated))} twice")
    for cells in reader:
        if any(cells):
            padded = [cell.strip() for cell in cells] + [""] * (len(header) - len(cells))
            row = dict(zip(header, padded))
            row[_MORE] = "".join(cells[len(header) :])
            yield reader.line_num, row


def _problem(row: Row, key: str, before: Mapping[str, Row], users: Mapping[str, str]) -> str:
    """Return what is wrong with a row, "" if nothing is."""
    name, given = row[key], row.get("date", "")
    if row[_MORE]:
        return "it has more cells than the header; put a name with a comma or semicolon in quotes"
    if name in before:
        return f"the {key} '{quote(name)}' has a line before"
    if key == "submission" and name not in users:
        return f"there is no submission '{quote(name)}'; names are as in scores.csv"
    if key == "user" and not (name and row.get("team", name)):
        return "user or team is empty"
    if row.get("counts", "").lower() not in _COUNTS:
        return f"counts is '{quote(row['counts'])}'; write yes or no, or leave it empty"
    if given and not _iso(given):
        return f"the date '{quote(given)}' is not written as 2024-05-31 or 2024-05-31T12:30"
    return ""


def _iso(text: str) -> str:
    """Return a date, or a date with a time, so that they sort by time; "" if it is neither."""
    date = _TIME.fullmatch(text)
    if date:
        with contextlib.suppress(ValueError):
            datetime.date.fromisoformat(date[1])
            if date[3] is None:
                return date[1]
            datetime.time.fromisoformat(date[3].partition(".")[0])
            return f"{date[1]}T{date[3]}"
    return ""
