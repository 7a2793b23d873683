"""Rules of a phase: dates, limits, one team for each user; what is left out, and what is not."""

from __future__ import annotations

import datetime
import random
from pathlib import Path

import pytest

from organizer.ranking.eligibility import (
    Rule,
    count_left_out,
    find_violations,
    left_out_text,
    names_left_out,
    undated_sentence,
    violations_sentence,
)
from organizer.runs.phase import Phase
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import INVALID, SCORED, Entry
from organizer.runs.submissions import Submission


def moment(text):
    return datetime.datetime.fromisoformat(text)


MIDNIGHT, LAST_SECOND = datetime.time(0), datetime.time(23, 59, 59)
STARTS, ENDS = ["2027-01-09 00:00:00", "2027-01-09 12:00:00"], ["2027-01-12 23:59:59", "2027-01-12 11:00:00"]
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


def test_the_last_by_id_are_beyond_a_limit_of_a_day_and_those_use_up_no_other():
    records = [record_of(number) for number in (10, 9, 11, 8)]
    assert broken(records) == {10: [Rule.DAILY_LIMIT], 11: [Rule.DAILY_LIMIT]}
    next_days = [record_of(number, f"2027-01-{number}") for number in (12, 13, 14)]
    over = {10: [Rule.DAILY_LIMIT], 11: [Rule.DAILY_LIMIT], 14: [Rule.LIMIT]}
    assert broken([*records, *next_days]) == over


def test_what_is_early_late_or_excluded_uses_up_no_limit():
    dates = ["2026-12-30", "2027-01-05", "2027-01-06", "2027-01-07", "2027-01-08", "2027-02-01"]
    records = [record_of(number, date) for number, date in enumerate(dates, start=1)]
    rules = {1: [Rule.EARLY], 6: [Rule.LATE], 7: [Rule.EXCLUDED]}
    assert broken([*records, record_of(7, "2027-01-04", counts="no")]) == rules


def test_what_organizers_rank_all_the_same_uses_up_limits():
    dates = ["2026-12-30", "2027-01-05", "2027-01-06", "2027-01-07", "2027-01-08"]
    records = [record_of(number, date, counts="yes") for number, date in enumerate(dates, start=1)]
    assert broken(records) == {1: [Rule.EARLY], 5: [Rule.LIMIT]}


def test_limits_hold_for_teams_and_several_users_of_one_are_listed():
    users = ["anna", "anna2", "anna"]
    records = [record_of(number, user=user, team="A") for number, user in enumerate(users, start=1)]
    assert broken(records) == {1: [Rule.USERS], 2: [Rule.USERS], 3: [Rule.DAILY_LIMIT, Rule.USERS]}
    violations = find_violations(records, PHASE, enforce=True)
    assert [name.partition("_")[0] for name in names_left_out(violations)] == ["3"]
    assert "anna, anna2" in violations[0].reason


def test_limits_hold_in_folders_whose_dates_are_known():
    records = []
    for number in range(4):
        submission = Submission(f"A/{number}.zip", "A", f"2027-01-10T0{9 - number}:00", Path())
        records.append(Record(submission, str(number), Entry(SCORED), Path()))
    names = [violation.record.submission.name for violation in find_violations(records, PHASE, False)]
    assert names == ["A/0.zip", "A/1.zip"]


def plain_rules(records, phase):
    """Return {id: rules}: of each team, one submission after the other is let in or not."""
    rules = {}
    for team in {record.submission.team for record in records}:
        team_records = [record for record in records if record.submission.team == team]
        days_without_times = {
            record.submission.date
            for record in team_records
            if record.entry.outcome == SCORED and len(record.submission.date) == 10
        }
        # Dates and times as texts: those of one length are in the order of time.
        days = sorted({record.submission.date[:10] for record in team_records})
        accepted_files = {}
        for day in days:
            on_day = [record for record in team_records if record.submission.date[:10] == day]
            on_day.sort(key=lambda record: record.submission.id)
            if day not in days_without_times:
                on_day.sort(key=lambda record: record.submission.date)
            for record in on_day:
                if record.entry.outcome != SCORED:
                    continue
                found = plain_rules_of_date(record.submission.date, phase)
                is_in_time = not found or found == [Rule.UNDECIDABLE]
                if is_in_time and record.digest not in accepted_files:
                    over = []
                    if sum(day == other for other in accepted_files.values()) >= phase.per_day:
                        over.append(Rule.DAILY_LIMIT)
                    if len(accepted_files) >= phase.in_all:
                        over.append(Rule.LIMIT)
                    if not over:
                        accepted_files[record.digest] = day
                    found = found + over
                if found:
                    rules[record.submission.id] = found
    return rules


def plain_rules_of_date(date, phase):
    start, end = (f"{edge:%Y-%m-%dT%H:%M:%S}"[: len(date)] for edge in (phase.start, phase.end))
    whole_start, whole_end = phase.start.time() == MIDNIGHT, phase.end.time() == LAST_SECOND
    if date < start:
        return [Rule.EARLY]
    if date > end:
        return [Rule.LATE]
    if len(date) == 10 and ((date == start and not whole_start) or (date == end and not whole_end)):
        return [Rule.UNDECIDABLE]
    return []


@pytest.mark.parametrize("seed", range(20))
def test_dates_and_limits_are_those_of_a_plain_program(seed):
    rng = random.Random(seed)
    start, end = rng.choice(STARTS), rng.choice(ENDS)
    phase = Phase("x", moment(start), moment(end), rng.randint(1, 3), rng.randint(1, 8))
    records = []
    for number in range(1, 60):
        hour = f"T{rng.randrange(24):02d}:{rng.randrange(60):02d}:00"
        date = f"2027-01-{rng.randint(8, 13):02d}{rng.choice(['', hour])}"
        outcome = rng.choice([SCORED, SCORED, SCORED, INVALID])
        digest = str(rng.randrange(40))
        records.append(record_of(number, date, user=rng.choice("abc"), outcome=outcome, digest=digest))
    # By the order of names, "10" is before "9".
    assert broken(sorted(records, key=lambda record: record.submission.name), phase) == plain_rules(
        records, phase
    )


def test_no_limit_is_none():
    phase = PHASE._replace(per_day=0, in_all=0)
    assert broken([record_of(number) for number in range(200)], phase) == {}


def test_a_user_in_two_teams_is_listed_and_not_left_out():
    records = [record_of(1, team="A"), record_of(2, team="B"), record_of(3, user="bob", team="C")]
    violations = find_violations(records, None, True)
    assert [(violation.record.submission.id, violation.rule) for violation in violations] == [
        (1, Rule.TEAMS),
        (2, Rule.TEAMS),
    ]
    assert names_left_out(violations) == []


@pytest.mark.parametrize(("enforce", "left_out"), [(False, [4]), (True, [1, 4])])
def test_only_what_is_certain_is_left_out_and_what_organizers_say_comes_before(enforce, left_out):
    records = [
        record_of(1, "2027-02-01", user="a"),
        record_of(2, "2027-01-01", user="b"),
        record_of(3, "2027-02-01", user="c", counts="yes"),
        record_of(4, user="d", counts="no"),
    ]
    names = names_left_out(find_violations(records, PHASE, enforce))
    assert [int(name.partition("_")[0]) for name in names] == left_out


def test_each_submission_that_is_left_out_is_counted_once_for_one_public_reason():
    records = [
        record_of(1, "2027-02-01", user="a"),
        record_of(2, "2027-02-01", user="b", counts="no"),
        record_of(3, "2027-02-01", user="c", counts="yes"),
        # Beyond the limit of the day, and beyond that of the phase.
        *(record_of(number, "2027-01-10", user="d") for number in range(4, 9)),
    ]
    counts = count_left_out(find_violations(records, PHASE, enforce=True))
    assert sum(counts.values()) == 5
    assert sorted(counts.values()) == [1, 1, 3]
    text = left_out_text(counts)
    assert text.startswith("5 ")
    assert "3 over the limit" in text
    assert left_out_text(count_left_out(find_violations(records[2:], PHASE, enforce=False))) == ""


def test_scored_submissions_without_a_date_are_counted():
    undated = [record_of(1, ""), record_of(2, ""), record_of(3, "", outcome=INVALID)]
    assert undated_sentence([record_of(4)]) == ""
    assert undated_sentence([*undated, record_of(4)]).startswith("2 ")


def test_what_is_ranked_although_it_breaks_a_rule_is_said_beside_what_is_left_out():
    records = [
        record_of(1, "2027-02-01", user="a"),
        record_of(2, "2027-02-01", user="b", counts="no"),
        record_of(3, "2027-02-01", user="c", counts="yes"),
    ]
    text = violations_sentence(find_violations(records, PHASE, enforce=False))
    assert "1 left out of the ranking; 2 ranked" in text
    assert "--enforce" in text
    text = violations_sentence(find_violations(records, PHASE, enforce=True))
    assert "2 left out of the ranking; 1 ranked" in text
    assert "--enforce" not in text
