"""Rules of a phase: dates, limits, one team for each user; what is left out, and what is not."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from organizer.ranking.eligibility import Rule, find_violations, names_left_out
from organizer.runs.fork_server import INVALID, SCORED, Entry
from organizer.runs.phase import Phase
from organizer.runs.rescore import Record
from organizer.runs.submissions import Submission


def moment(text):
    return datetime.datetime.fromisoformat(text)


PHASE = Phase("Final", moment("2027-01-01 12:00:00"), moment("2027-01-30 23:59:59"), per_day=2, in_all=4)


def record_of(number, date="2027-01-10", user="ann", team="", outcome=SCORED, digest="", counts=""):
    """Return a submission of the download; each has bytes of its own unless ``digest`` says otherwise."""
    name = f"{number}_{user}_PhaseId3_{date[:10]}_x.zip"
    submission = Submission(name, team or user, date, Path(name), user=user, counts=counts)
    return Record(submission, digest or str(number), Entry(outcome, "E-ZIP-NOT: no zip"), Path())


def broken(records, phase=PHASE, enforce=False):
    """Return {id: rules}."""
    rules = {}
    for violation in find_violations(records, phase, enforce):
        rules.setdefault(violation.record.submission.id, []).append(violation.rule)
    return rules


@pytest.mark.parametrize(
    ("date", "rule"),
    [
        ("2026-12-31", Rule.EARLY),
        ("2027-01-01", Rule.UNDECIDABLE),
        ("2027-01-01T11:59", Rule.EARLY),
        ("2027-01-01T12:00", None),
        ("2027-01-02", None),
        ("2027-01-30", None),
        ("2027-01-30T23:59:59.5", Rule.LATE),
        ("2027-01-31", Rule.LATE),
        ("", None),
    ],
)
def test_days_and_times_are_before_in_or_after_the_phase(date, rule):
    assert broken([record_of(1, date)]) == ({1: [rule]} if rule else {})


@pytest.mark.parametrize(
    ("end", "day", "rule"),
    [
        ("2027-01-31 00:00:00", "2027-01-30", None),
        ("2027-01-31 00:00:00", "2027-01-31", Rule.LATE),
        ("2027-01-31 00:00:00", "2027-01-30T23:59:59.5", None),
        ("2027-01-31 00:00:00", "2027-01-31T00:00:00.5", Rule.LATE),
        ("2027-01-31 18:00:00", "2027-01-31", Rule.UNDECIDABLE),
        (None, "2030-01-01", None),
    ],
)
def test_the_last_day_counts_if_it_is_whole(end, day, rule):
    phase = PHASE._replace(end=moment(end) if end else None)
    assert broken([record_of(1, day)], phase) == ({1: [rule]} if rule else {})


def test_the_last_by_id_are_beyond_a_limit():
    records = [record_of(number) for number in (10, 9, 11, 8)]
    assert broken(records) == {10: [Rule.DAILY_LIMIT], 11: [Rule.DAILY_LIMIT]}
    days = [record_of(number, f"2027-01-{number:02}") for number in range(2, 8)]
    assert broken(days) == {6: [Rule.LIMIT], 7: [Rule.LIMIT]}


def test_invalid_and_equal_submissions_do_not_count_and_limits_are_of_a_user():
    records = [
        record_of(1),
        record_of(2, outcome=INVALID),
        record_of(3, digest="1"),
        record_of(4, user="bob"),
        record_of(5),
    ]
    assert broken(records) == {}
    assert broken([*records, record_of(6), record_of(7, digest="6", date="2027-01-11")]) == {
        6: [Rule.DAILY_LIMIT],
        7: [Rule.DAILY_LIMIT],
    }


def test_no_limit_is_none():
    phase = PHASE._replace(per_day=0, in_all=0)
    assert broken([record_of(number) for number in range(200)], phase) == {}


def test_a_user_in_two_teams_is_listed_and_not_left_out():
    records = [record_of(1, team="A"), record_of(2, team="B"), record_of(3, user="bob", team="B")]
    violations = find_violations(records, None, True)
    assert [(violation.record.submission.id, violation.rule) for violation in violations] == [
        (1, Rule.TEAMS),
        (2, Rule.TEAMS),
    ]
    assert names_left_out(violations) == []


@pytest.mark.parametrize(
    ("enforce", "left_out"),
    [(False, [4]), (True, [1, 4])],
)
def test_only_what_is_certain_is_left_out_and_what_organizers_say_comes_before(enforce, left_out):
    records = [
        record_of(1, "2027-02-01", user="a"),
        record_of(2, "2027-01-01", user="b"),
        record_of(3, "2027-02-01", user="c", counts="yes"),
        record_of(4, user="d", counts="no"),
    ]
    names = names_left_out(find_violations(records, PHASE, enforce))
    assert [int(name.partition("_")[0]) for name in names] == left_out


def test_what_is_ranked_all_the_same_is_listed():
    assert broken([record_of(1, "2027-02-01", counts="yes")], enforce=True) == {1: [Rule.LATE]}
