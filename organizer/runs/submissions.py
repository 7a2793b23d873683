"""Finding the submissions of a competition, whose they are, and when they were made."""

from __future__ import annotations

import contextlib
import csv
import datetime
import fnmatch
import io
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from organizer.errors import InputError
from organizer.files import DAMAGED
from organizer.runs.download_names import DownloadName, read_download_names, readings_of
from organizer.runs.similar_names import similar_names, unambiguous, with_code_points
from organizer.runs.sources import (
    Source,
    Sources,
    copy_source,
    hash_of,
    names_in,
    read_source,
    size_of,
    sources_of_download,
    sources_of_folder,
)
from scoring_program.task import task_ids
from validator.choose import tasks_of_files
from validator.findings import Findings
from validator.formats.rules import Rules, load_rules
from validator.kinds import HEAD_BYTES, kind_of
from validator.names import NearestNames
from validator.submission import BASELINE_FILE, Limits, open_submission
from validator.texts import counted, quote

_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SHOWN = 3
_HINT = "give the folder with the participants' zips"
_ENDINGS = (".zip", ".json", ".csv")
# Of the table of --names.
_KEYS = ("submission", "user")
_SAYS = ("team", "date", "counts", "chosen")
_ANSWERS = ("counts", "chosen")
_HEADER = "write a CSV with the header submission,team,date or user,team"
_TIME = re.compile(rf"({_DATE})([T ]([0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\.[0-9]+)?)?)(?:Z|\+00:00)?)?")
_MOST_LINES = 10
# The columns of cells beyond the header, and of ids and users of the site.
_MORE = ""
_ID = "id of the site"
_OWNER = "user of the site"
# The titles of the site's table of submissions, and what they are called here; the rest is left out.
_SITE_TITLES = {"id": _ID, "owner": _OWNER, "created when": "date", **{name: name for name in _SAYS}}
Row = Mapping[str, str]


class SubmissionsError(InputError):
    """The submissions, or the table of their names, cannot be used."""


@dataclass(frozen=True)
class Submission:
    """A submission of a participant.

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
    is_chosen : bool
        Whether the team has chosen it, of all that it has made.
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
    is_chosen: bool = False
    other_looks: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> int | None:
        """Its number if the file is named as in the download, else None."""
        readings = readings_of(self.name)
        return readings[0].id if readings else None

    @property
    def is_baseline(self) -> bool:
        """Whether organizers made it from a reference."""
        return any(PurePosixPath(name).name == BASELINE_FILE for name in names_in(self.source))

    def is_within(self, limits: Limits) -> bool:
        """Return whether its zip is no larger than one of files within limits."""
        return size_of(self.source) <= limits.packed_bytes

    def hash(self) -> str:
        """Return a SHA-256 that equal submissions share; nothing needs to fit into memory."""
        return hash_of(self.source)

    def read(self) -> bytes:
        """Return the bytes of the zip; of a damaged member of a download those before the damage."""
        return read_source(self.source)


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
    path: Path, names: Path | None = None, only_phase: str = "", rules: Rules | None = None
) -> Iterator[list[Submission]]:
    """Open a folder of submissions, or a site's download, and yield the submissions in natural order.

    In a folder, each folder is a team; what is at the top is named as in the download, or teams of their own.
    Hidden zips, results of runs and symbolic links are left out, with a note.
    ``names`` is a table that says whose a submission is, and when it was made, see `read_names`;
    ``only_phase`` is the id of the phase whose submissions are wanted; with the ``rules`` of a task unpacked
    submissions are found, too. In the download a submission and its reruns are one. Raises SubmissionsError
    if there is no submission, if they are of several phases, or ``names`` does not fit.
    """
    with contextlib.ExitStack() as stack:
        sources = _open_sources(path, rules, stack)
        _report_sources(sources)
        if not sources.submissions:
            raise SubmissionsError(f"{path}: there is no zip file in it; {_HINT}")
        submission_names = sorted(sources.submissions, key=natural)
        download_names = read_download_names(submission_names)
        submissions = _read_submissions(submission_names, download_names, sources)
        users = {submission.name: _user_or_team(submission) for submission in submissions}
        rows = read_names(names, users) if names else {}
        _warn_of_several_readings(
            {name: reading for name, reading in download_names.items() if name not in rows}
        )
        submissions = _of_one_phase(submissions, download_names, only_phase)
        submissions = [_named(submission, rows.get(submission.name, {})) for submission in submissions]
        submissions = tell_apart(_without_reruns(submissions))
        _warn_of_baselines([each for each in submissions if not rules or each.is_within(rules.limits)])
        yield submissions


def _user_or_team(submission: Submission) -> str:
    """Return whom the table of names calls the user; in the folder of a team it is the team."""
    return submission.team if "/" in submission.name else submission.user or submission.team


def _open_sources(path: Path, rules: Rules | None, stack: contextlib.ExitStack) -> Sources:
    """Return what is given; a download stays open until ``stack`` ends. Raises SubmissionsError."""
    if path.is_dir():
        return sources_of_folder(path, rules, stack)
    try:
        archive = stack.enter_context(zipfile.ZipFile(path))
    except DAMAGED as error:
        hint = f"{_HINT}, or the zip that the site gives for all of them"
        raise SubmissionsError(f"{path}: this is neither a folder nor a zip; {hint}") from error
    try:
        return sources_of_download(archive, rules)
    except InputError as error:
        raise SubmissionsError(f"{path}: {error}") from error


def _report_sources(sources: Sources) -> None:
    """Print notes on what is left out, and on what is no zip."""
    links = "they are symbolic links (copy the zips themselves)"
    _note_left_out(links, sources.links, "zip or folder", "zips or folders")
    _note_left_out("a part of their path begins with a dot or with __MACOSX", sources.hidden, "zip")
    _note_left_out("they hold what runs have written", sources.results, "zip")
    _note_left_out("they are no zips, which sites take alone", sources.archives, "file")
    _note_left_out("their zips beside them are read", sources.unpacked_downloads, "folder")
    if sources.downloads:
        examples = _first_words([quote(name) for name in sorted(sources.downloads, key=natural)])
        print(f"note | read as downloads of the site: {counted(len(sources.downloads), 'zip')}: {examples}")
    if sources.only_folder:
        print(f"note | read from the only folder, which holds several users: {quote(sources.only_folder)}")
    if sources.unpacked:
        names = sorted(sources.unpacked, key=natural)
        examples = _first_words([quote(name) for name in names])
        print(f"note | read as if zipped: {counted(len(names), 'unpacked submission')}: {examples}")


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
    names: Sequence[str], download_names: Mapping[str, DownloadName], sources: Sources
) -> list[Submission]:
    """Return the submissions as the folder or the download alone describes them."""
    teams = {name: _team(name, download_names.get(name)) for name in names}
    n_of_team = Counter(teams.values())
    submissions = []
    for name, team in teams.items():
        reading = download_names.get(name)
        if team == _without_ending(name) and n_of_team[team] > 1:
            team = name  # such a file is a separate team, even if a folder has its name
        submission = Submission(
            name=name,
            team=team,
            date=reading.date if reading and "/" not in name else "",
            source=sources.submissions[name],
            user=_user(reading, sources.members) if reading else "",
        )
        submissions.append(submission)
    return submissions


def _warn_of_several_readings(download_names: Mapping[str, DownloadName]) -> None:
    """Name the files at the top whose user is uncertain, because their names hold ``_PhaseId`` twice."""
    uncertain_names = [name for name in download_names if "/" not in name and len(readings_of(name)) > 1]
    if uncertain_names:
        users = _first_words(
            [quote(user) for user in sorted({download_names[name].user for name in uncertain_names})]
        )
        names = _first_words(list(map(quote, uncertain_names)))
        problem = f"_PhaseId is twice in {counted(len(uncertain_names), 'name')} ({names})"
        print(f"warning | {problem}; the users are taken to be {users}; if not, give teams in --names")


def _of_one_phase(
    submissions: Sequence[Submission], download_names: Mapping[str, DownloadName], only_phase: str
) -> list[Submission]:
    """Return the submissions to a phase, or all if they are of one. Raises SubmissionsError.

    In the folders of teams names are theirs: they say nothing of phases unless one is asked for.
    """
    phase_of_name = {name: reading.phase for name, reading in download_names.items() if reading.phase}
    n_of_phase = Counter(phase_of_name.values())
    if not only_phase:
        phases_at_top = {phase for name, phase in phase_of_name.items() if "/" not in name}
        if len(phases_at_top) > 1:
            counts = _counts_of_phases(submissions, phase_of_name)
            remedy = "say which of them to rank with --only-phase-id N"
            raise SubmissionsError(
                f"submissions of several phases cannot be ranked together; {remedy}", *counts
            )
        return list(submissions)
    if only_phase not in n_of_phase:
        problem = f"there is no submission with PhaseId {only_phase}"
        counts = _counts_of_phases(submissions, phase_of_name) or ["no name holds a PhaseId"]
        raise SubmissionsError(f"{problem}; there are:", *counts)
    n_others = len(phase_of_name) - n_of_phase[only_phase]
    if n_others:
        print(f"note | left out, because their PhaseId is not {only_phase}: {counted(n_others, 'zip')}")
    unnumbered = [submission.name for submission in submissions if submission.name not in phase_of_name]
    _note_left_out("no PhaseId is in their names", unnumbered, "zip")
    return [submission for submission in submissions if phase_of_name.get(submission.name) == only_phase]


def _counts_of_phases(submissions: Sequence[Submission], phase_of_name: Mapping[str, str]) -> list[str]:
    """Return a line for each phase: its id, how many submissions it has, and their first and last day."""
    lines = []
    for phase in sorted(set(phase_of_name.values()), key=natural):
        days = [submission.date for submission in submissions if phase_of_name.get(submission.name) == phase]
        known_days = sorted(filter(None, days))
        period = f", {known_days[0]} to {known_days[-1]}" if known_days else ""
        lines.append(f"  PhaseId {phase}: {counted(len(days), 'submission')}{period}")
    return lines


def _warn_of_baselines(submissions: Sequence[Submission]) -> None:
    """Name the submissions that were made from a reference, and would be ranked as those of teams."""
    names = [quote(submission.name) for submission in submissions if submission.is_baseline]
    if names:
        problem = f"organizer baselines made {counted(len(names), 'submission')}: {_first_words(names)}"
        print(f"warning | {problem}; take out what is of no team, or give it with --baseline-zip")


def _without_reruns(submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions, a submission and its reruns as one; report on the order of their ids.

    A rerun has a new id. The rest of its name stays, but other uploads of the same day may have it too, so
    only equal bytes make a rerun. The smallest id is the submission's; it is the first in natural order.
    """
    # The submissions by the rest of their names and, where several have it, by their bytes.
    n_of_rest = Counter(map(_name_without_id, submissions))
    first: dict[tuple[str, str], Submission] = {}
    for submission in submissions:
        name = _name_without_id(submission)
        digest = submission.hash() if n_of_rest[name] > 1 else ""
        first.setdefault((name, digest), submission)
    n_reruns = len(submissions) - len(first)
    if n_reruns:
        rule = "equal bytes and names but for the id count once"
        print(f"note | {counted(n_reruns, 'rerun')} left out: {rule}")
        _warn_of_uncertain_order(list(first.values()))
    return list(first.values())


def tell_apart(submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions with names of teams that cannot be taken for each other.

    Those that look equal have code points, with a warning.
    """
    names_shown = {submission.team: unambiguous(submission.team) for submission in submissions}
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
        named_submission = replace(
            submission, team=names_shown[name], other_looks=others_of_name.get(name, ())
        )
        told_apart.append(named_submission)
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
    with tempfile.TemporaryDirectory() as folder, Findings().part():
        path = Path(folder) / "submission.zip"
        copy_source(submission.source, path)
        with open_submission(path, _limits_of_all_tasks()) as archive:
            tasks, names = tasks_of_files(archive, archive.names), archive.names
        if len(tasks) == 1 and task_id not in tasks:
            is_whole = all(fnmatch.filter(names, pattern) for pattern in load_rules(tasks[0]).name_patterns)
            return tasks[0] if is_whole else ""
    return ""


def _limits_of_all_tasks() -> Limits:
    """Return what a submission to any task may hold."""
    limits_of_tasks = [load_rules(task_id).limits for task_id in task_ids()]
    files, total_bytes, file_bytes = map(max, zip(*limits_of_tasks))
    return Limits(files, total_bytes, file_bytes)


def summary_of_others(task_of_name: Mapping[str, str]) -> str:
    """Return one line about the submissions to other tasks, given as {name: task}."""
    names = sorted(task_of_name, key=natural)
    examples = _first_words([f"{quote(name)} ({task_of_name[name]})" for name in names])
    n_zips = counted(len(names), "zip")
    return f"note | left out, because they are for other tasks: {n_zips}: {examples}"


def _without_ending(name: str) -> str:
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in _ENDINGS else name


def _team(name: str, reading: DownloadName | None) -> str:
    """Return the team of a submission: the folder that it is in, its team or user, or the file."""
    first, *inner = PurePosixPath(name).parts
    if inner:
        return first
    return (reading.team or reading.user) if reading else _without_ending(name)


def _user(reading: DownloadName, members: Mapping[str, Sequence[str]]) -> str:
    """Return who made a submission, "" if any of several members of a team may have made it."""
    members_of_team = members.get(reading.team, ())
    return members_of_team[0] if len(members_of_team) == 1 else reading.user


def _named(submission: Submission, row: Mapping[str, str]) -> Submission:
    """Return a submission with what a table says about it."""
    owner = row.get(_OWNER, "")
    return replace(
        submission,
        team=row.get("team") or owner or submission.team,
        user=owner or submission.user,
        date=row.get("date") or submission.date,
        counts=row.get("counts", ""),
        is_chosen=row.get("chosen", "") == "yes",
        facts={
            column: text for column, text in row.items() if column not in (*_KEYS, *_SAYS, _MORE, _ID, _OWNER)
        },
    )


def read_text(table: Path) -> str:
    """Return the text of a table in UTF-8 or Latin-1. Raises OSError, and SubmissionsError if it is none."""
    data = table.read_bytes()
    kind = kind_of(data[:HEAD_BYTES])
    if kind is not None:
        raise SubmissionsError(f"{table}: this is {kind.name}, not CSV; {kind.how('CSV')}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def delimiter_of(text: str) -> str:
    """Return what separates the cells of a table: a tab or semicolon in its first line, else a comma."""
    header = text.partition("\n")[0]
    return next((sign for sign in "\t;" if sign in header), ",")


def read_names(table: Path, users: Mapping[str, str]) -> dict[str, Row]:
    """Return what a table says about each submission: ``team``, ``date``, ``counts`` and further columns.

    The table is a CSV in UTF-8 or Latin-1, with commas, semicolons or tabs, or the one of all submissions
    that the site gives. ``users`` has the user of each submission by its name, "" where that is unknown. What
    a row does not say is "" or missing. Raises SubmissionsError, with all wrong lines.
    """
    try:
        text = read_text(table)
    except OSError as error:
        raise SubmissionsError(f"{table}: cannot be read ({error.strerror}); {_HEADER}") from error
    rows: dict[str, Row] = {}
    problems = list[str]()
    known_names = {*users, *users.values()}
    # Names may be given as they are shown.
    names_as_shown = {show(name): name for show in (unambiguous, with_code_points) for name in known_names}
    try:
        key = ""
        for line, given_row in _named_rows(_rows(text), users, table):
            key = next(name for name in _KEYS if name in given_row)
            name = given_row[key]
            row = {**given_row, key: name if name in known_names else names_as_shown.get(name, name)}
            if problem := _problem(row, key, rows, users):
                problems.append(f"line {line}: {problem}")
            answers = {name: row.get(name, "").lower() for name in _ANSWERS}
            rows[row[key]] = {**row, "date": _iso(row.get("date", "")), **answers}
    except (csv.Error, ValueError) as error:
        raise SubmissionsError(f"{table}: {error}; {_HEADER}") from error
    if problems:
        raise SubmissionsError(f"{table}: {counted(len(problems), 'wrong line')}:", *first_lines(problems))
    if key != "user":
        return rows
    nearest = NearestNames(set(filter(None, users.values())))
    for user in sorted(rows.keys() - users.values()):
        name = f"'{quote(user)}'{nearest.words(user)}"
        print(f"note | {quote(str(table))}: there is no submission of the user {name}")
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
    if {"id", "created when"} <= {title.replace("_", " ") for title in header}:
        header = [_SITE_TITLES.get(title.replace("_", " "), _MORE) for title in header]
    elif sum(name in header for name in _KEYS) != 1 or not set(_SAYS) & set(header):
        raise ValueError(f"its header is '{quote(delimiter.join(header))}'")
    repeated_names = [name for name, number in Counter(header).items() if number > 1 and name]
    if repeated_names:
        raise ValueError(f"its header names {', '.join(map(quote, repeated_names))} twice")
    for cells in reader:
        if any(cells):
            padded_cells = [cell.strip() for cell in cells] + [""] * (len(header) - len(cells))
            row = dict(zip(header, padded_cells))
            row[_MORE] = "".join(cells[len(header) :])
            yield reader.line_num, row


def _named_rows(
    rows: Iterable[tuple[int, Row]], users: Mapping[str, str], table: Path
) -> Iterator[tuple[int, Row]]:
    """Yield rows, those of the site with the name of the submission that has the id.

    The site also lists submissions that are not in a download, such as failed ones: a note counts them.
    """
    name_of_id = {str(readings[0].id): name for name in users if (readings := readings_of(name))}
    n_others = 0
    for line, row in rows:
        if _ID not in row:
            yield line, row
        elif row[_ID] in name_of_id:
            yield line, {**row, "submission": name_of_id[row[_ID]]}
        else:
            n_others += 1
    if n_others:
        print(f"note | {quote(str(table))}: {counted(n_others, 'line')} of submissions that are not here")


def _problem(row: Row, key: str, earlier_rows: Mapping[str, Row], users: Mapping[str, str]) -> str:
    """Return what is wrong with a row, "" if nothing is."""
    name, date = row[key], row.get("date", "")
    if row[_MORE]:
        return "it has more cells than the header; put a name with a comma or semicolon in quotes"
    if name in earlier_rows:
        return f"the {key} '{quote(name)}' has a line before"
    if key == "submission" and name not in users:
        remedy = (
            f"it is called '{quote(name)}.zip'" if f"{name}.zip" in users else "names are as in scores.csv"
        )
        return f"there is no submission '{quote(name)}'; {remedy}"
    if key == "user" and not (name and row.get("team", name)):
        return "user or team is empty"
    for column in _ANSWERS:
        if row.get(column, "").lower() not in ("yes", "no", ""):
            return f"{column} is '{quote(row[column])}'; write yes or no, or leave it empty"
    if key == "user" and row.get("chosen"):
        return "chosen is about one submission: give a table with the column submission"
    if date and not _iso(date):
        return f"the date '{quote(date)}' is not written as 2024-05-31 or 2024-05-31T12:30"
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
