"""The leaderboard of the site, compared with the scores of a ranking."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from organizer.runs.submissions import SubmissionsError, delimiter_of, first_lines, read_text
from scoring_program.task import Declaration
from validator.texts import counted, quote

# Half of the last digit, and what binary fractions add to that.
_ROUNDING = 0.500001
# A column of Codabench: the task, its id, and the title.
_SITE_TITLE = re.compile(r".*\([0-9]+\)-(?P<title>.*)", re.DOTALL)
USER_TITLE = "Username"
"""What Codabench calls the column of users."""
_LONGEST_TITLE = 400

EQUAL = "equal"
OTHER = "another submission counts there"
DIFFERENT = "another score"
NOT_HERE = "not in this ranking"
NOT_THERE = "not on the leaderboard"


class LeaderboardColumns(NamedTuple):
    """The titles of the columns of users and of scores."""

    user: str
    score: str


class SiteScore(NamedTuple):
    """A row of the leaderboard."""

    user: str
    score: float


class Leaderboard(NamedTuple):
    """The scores on the site, and with how many decimals it writes them."""

    scores: list[SiteScore]
    decimals: int


class BoardComparison(NamedTuple):
    """A user's score on the leaderboard and here; None where there is none."""

    user: str
    team: str
    score_there: float | None
    score: float | None
    submission: str
    verdict: str


def parse_columns(text: str) -> LeaderboardColumns:
    """Return the columns in text such as ``USER,SCORE``. Raises ValueError."""
    user, separator, score = text.partition(",")
    if not (separator and user.strip() and score.strip()):
        raise ValueError(f"{text!r} is not written as USER,SCORE")
    return LeaderboardColumns(user.strip(), score.strip())


def read_leaderboard(
    path: Path, columns: LeaderboardColumns, task_title: str = "", users: Mapping[int, str] | None = None
) -> Leaderboard:
    """Return a leaderboard that was saved as CSV; rows without a score are left out.

    That of Codabench has columns ``<task>(<id>)-<title>``, and users ``<user>-<id of the submission>``.

    Parameters
    ----------
    path : Path
    columns : LeaderboardColumns
        The score may be named by the title alone.
    task_title : str
        Tells columns of several tasks apart that have the same title.
    users : mapping of int to str, optional
        The users of submissions by their ids.

    Raises
    ------
    SubmissionsError
        With all cells that are wrong.
    """
    try:
        text = read_text(path)
    except OSError as error:
        raise SubmissionsError(f"{path}: cannot be read ({error.strerror})") from error
    rows = _numbered_rows(path, text)
    header = rows[0][1] if rows else []
    place_of_user = _place(header, columns.user, task_title)
    place_of_score = _place(header, columns.score, task_title)
    if place_of_user is None or place_of_score is None:
        title = columns.user if place_of_user is None else columns.score
        problem = f"{path}: it needs one column '{quote(title)}'; name those of users and of scores with"
        titles = [f"  {quote(cell, longest=_LONGEST_TITLE)}" for cell in header if cell]
        raise SubmissionsError(f"{problem} --columns USER,SCORE; there are:", *titles)
    is_of_site = any(map(_SITE_TITLE.fullmatch, header))
    site_scores, problems, decimals = list[SiteScore](), list[str](), 0
    for line, cells in rows[1:]:
        padded_cells = cells + [""] * (len(header) - len(cells))
        user, score_text = padded_cells[place_of_user], padded_cells[place_of_score]
        if not score_text:
            continue
        score = _number(score_text)
        place = f"line {line}"
        if score is None:
            problems.append(f"{place}, column '{quote(columns.score)}': '{quote(score_text)}' is no number")
        elif not user:
            problems.append(f"{place}, column '{quote(columns.user)}': it is empty")
        else:
            site_scores.append(SiteScore(_user_of_site(user, users or {}) if is_of_site else user, score))
            decimals = max(decimals, _decimals(score_text))
    if problems:
        raise SubmissionsError(f"{path}: {counted(len(problems), 'wrong cell')}:", *first_lines(problems))
    return Leaderboard(site_scores, decimals)


def _place(header: Sequence[str], title: str, task_title: str) -> int | None:
    """Return where the only column of a title is, None if there is none or several; with several tasks it is
    that of the task."""
    places = [place for place, cell in enumerate(header) if cell == title]
    if not places:
        site_titles = {place: _SITE_TITLE.fullmatch(cell) for place, cell in enumerate(header)}
        places = [place for place, match in site_titles.items() if match and match["title"] == title]
        if len(places) > 1:
            places = [place for place in places if header[place].startswith(f"{task_title}(")]
    return places[0] if len(places) == 1 else None


def _user_of_site(name: str, users: Mapping[int, str]) -> str:
    """Return the user in a row of Codabench, behind whom the id of the submission stands.

    Examples
    --------
    >>> _user_of_site("alice-78", {78: "alice"}), _user_of_site("bob-2-79", {}), _user_of_site("eve", {})
    ('alice', 'bob-2', 'eve')
    >>> _user_of_site("bob-2", {3: "bob-2"})
    'bob-2'
    """
    user, _, number = name.rpartition("-")
    if not (user and number.isascii() and number.isdigit()):
        return name
    is_user_without_id = name in users.values() and users.get(int(number[:18])) != user
    return name if is_user_without_id else user


def _numbered_rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """Return the line at which each row of a CSV file ends, and its cells without blanks around them.

    Raises SubmissionsError.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))
    rows = []
    try:
        for cells in reader:
            rows.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        problem = f"{path}: line {reader.line_num} cannot be read as CSV ({error})"
        raise SubmissionsError(f"{problem}; save the leaderboard as CSV again") from error
    return rows


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _decimals(text: str) -> int:
    """Return the number of decimals that a number is written with; 10, as scores have, with an exponent."""
    if "e" in text.lower():
        return 10
    return min(len(text.partition(".")[2]), 10)


def compare_leaderboard(
    board: Leaderboard, records: Sequence[Record], task: Declaration
) -> list[BoardComparison]:
    """Return for each user whether the score on the site is the best of the user's own here.

    Scores are compared to the decimals there. A site that writes whole numbers only has left out zeros, so
    that they have the precision of the column. A user without a name in the download is looked up as a team.
    """
    decimals = board.decimals or task.columns[0].precision
    sign = 1.0 if task.higher_is_better else -1.0
    best_first_of_user: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: -sign * record.entry.score):
        if record.entry.outcome == SCORED:
            user = record.submission.user or record.submission.team
            best_first_of_user.setdefault(user, []).append(record)
    comparisons = []
    for site_score in board.scores:
        own_records = best_first_of_user.get(site_score.user, [])
        comparisons.append(_compare_user(site_score, decimals, own_records))
    users_there = {site_score.user for site_score in board.scores}
    for user in sorted(best_first_of_user.keys() - users_there):
        comparisons.append(_comparison(user, None, best_first_of_user[user][0], NOT_THERE))
    return comparisons


def _compare_user(site_score: SiteScore, decimals: int, records: Sequence[Record]) -> BoardComparison:
    """Return which of a user's submissions, the best first, has the score of the site."""
    if not records:
        return _comparison(site_score.user, site_score.score, None, NOT_HERE)
    for record in records:
        if _is_score_of(record, site_score, decimals):
            verdict = EQUAL if record is records[0] else OTHER
            return _comparison(site_score.user, site_score.score, record, verdict)
    return _comparison(site_score.user, site_score.score, records[0], DIFFERENT)


def _is_score_of(record: Record, site_score: SiteScore, decimals: int) -> bool:
    """Return whether a submission has the score of the site, but for what rounding takes away."""
    difference = abs(record.entry.scores["score"] - site_score.score)
    return difference <= _ROUNDING * 10.0**-decimals


def _comparison(user: str, score_there: float | None, record: Record | None, verdict: str) -> BoardComparison:
    return BoardComparison(
        user=user,
        team=record.submission.team if record else "",
        score_there=score_there,
        score=record.entry.scores["score"] if record else None,
        submission=record.submission.name if record else "",
        verdict=verdict,
    )


def leaderboard_sentence(comparisons: Sequence[BoardComparison]) -> str:
    """Return how many scores of the leaderboard are equal here, and how many are not, by what differs."""
    n_equal = sum(comparison.verdict == EQUAL for comparison in comparisons)
    text = f"{n_equal:,} of {counted(len(comparisons), 'user')} have the same score on the leaderboard"
    counts = []
    for verdict in (OTHER, DIFFERENT, NOT_HERE, NOT_THERE):
        n_users = sum(comparison.verdict == verdict for comparison in comparisons)
        if n_users:
            counts.append(f"{verdict}: {n_users:,}")
    return f"{text}; {'; '.join(counts)}." if counts else f"{text}."
