"""Which scored submissions break the rules of their phase: its dates, its limits, one user for each team.

Platforms check dates and limits on their pages only, so that submissions beyond them may be in a download.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from organizer.ranking.statistics import LENGTH_OF_DAY, in_order_of_time, records_of_teams
from organizer.runs.phase import UNLIMITED, Phase
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from validator.texts import counted

_LAST_SECOND = datetime.timedelta(days=1, seconds=-1)


class Rule(Enum):
    """What a submission may break, in words."""

    EARLY = "early"
    LATE = "late"
    UNDECIDABLE = "not decidable without times"
    DAILY_LIMIT = "over the limit of the day"
    LIMIT = "over the limit of the phase"
    TEAMS = "user in several teams"
    USERS = "several users in one team"
    EXCLUDED = "does not count (names.csv)"


_CERTAIN = {Rule.EARLY, Rule.LATE, Rule.DAILY_LIMIT, Rule.LIMIT}
"""What ``--enforce`` leaves out. Who is in which team, and who may be, cannot be decided here."""

_PUBLIC_REASONS = {
    Rule.EARLY: "made before the phase",
    Rule.LATE: "made after the phase",
    Rule.DAILY_LIMIT: "over the limit of a day",
    Rule.LIMIT: "over the limit of the phase",
    Rule.EXCLUDED: "excluded by the organizers",
}
"""Why a submission is left out, in the words of public pages."""


class BrokenRule(NamedTuple):
    """A rule that a submission breaks, and how in words."""

    rule: Rule
    reason: str


class Violation(NamedTuple):
    """A submission that breaks a rule, how, and whether it is ranked all the same."""

    record: Record
    rule: Rule
    reason: str
    is_ranked: bool


def find_violations(records: Sequence[Record], phase: Phase | None, enforce: bool) -> list[Violation]:
    """Return what scored submissions break, in their order.

    Parameters
    ----------
    records : sequence of Record
        All submissions, in natural order of their names.
    phase : Phase or None
        Without one, neither dates nor limits are checked.
    enforce : bool
        Whether submissions that certainly break a rule are not ranked. What organizers say in the table of
        names (``counts``) comes before.
    """
    scored_records = [record for record in records if record.entry.outcome == SCORED]
    broken_rules_of_name: defaultdict[str, list[BrokenRule]] = defaultdict(list)
    if phase is not None:
        for record in scored_records:
            submission = record.submission
            broken_rules_of_name[submission.name] += _rules_broken_by_date(submission.date, phase)
        in_time = [
            record
            for record in scored_records
            if _uses_up_limits(record, broken_rules_of_name[record.submission.name])
        ]
        for name, broken_rules in _rules_broken_by_number(in_time, phase).items():
            broken_rules_of_name[name] += broken_rules
    for name, broken_rules in _rules_broken_by_accounts(scored_records).items():
        broken_rules_of_name[name] += broken_rules
    violations = []
    for record in scored_records:
        counts, broken_rules = record.submission.counts, broken_rules_of_name[record.submission.name]
        if counts == "no":
            broken_rules.append(BrokenRule(Rule.EXCLUDED, "the table of names says that it does not count"))
        is_certain = any(broken_rule.rule in _CERTAIN for broken_rule in broken_rules)
        is_ranked = counts == "yes" or (counts != "no" and not (enforce and is_certain))
        violations += [Violation(record, *broken_rule, is_ranked) for broken_rule in broken_rules]
    return violations


def _uses_up_limits(record: Record, broken_rules: Sequence[BrokenRule]) -> bool:
    """Return whether a submission counts toward the limits of its team.

    What was made out of time does not, whether or not it is left out, nor does what is excluded.
    """
    counts = record.submission.counts
    is_in_time = not any(broken_rule.rule in _CERTAIN for broken_rule in broken_rules)
    return counts == "yes" or (counts != "no" and is_in_time)


def ranked_records(records: Sequence[Record], left_out: Collection[str]) -> list[Record]:
    """Return the records without those whose submissions have these names."""
    return [record for record in records if record.submission.name not in left_out]


def names_left_out(violations: Sequence[Violation]) -> list[str]:
    """Return the names of the submissions that are not ranked."""
    names = [violation.record.submission.name for violation in violations if not violation.is_ranked]
    return list(dict.fromkeys(names))


def count_left_out(violations: Sequence[Violation]) -> dict[str, int]:
    """Return how many submissions are not ranked for each reason, in words that may be published.

    Each is counted once: as excluded if the organizers say so in the table of names, otherwise for the first
    rule that it breaks.
    """
    rule_of_name: dict[str, Rule] = {}
    for violation in violations:
        if violation.is_ranked or violation.rule not in _PUBLIC_REASONS:
            continue
        name = violation.record.submission.name
        if violation.rule is Rule.EXCLUDED or name not in rule_of_name:
            rule_of_name[name] = violation.rule
    n_of_rule = Counter(rule_of_name.values())
    return {reason: n_of_rule[rule] for rule, reason in _PUBLIC_REASONS.items() if n_of_rule[rule]}


def left_out_text(n_left_out: Mapping[str, int]) -> str:
    """Return how many scored submissions are not ranked, and why; "" if all are ranked.

    ``n_left_out`` is what `count_left_out` returns.

    Examples
    --------
    >>> left_out_text({"made after the phase": 2, "excluded by the organizers": 1})
    '3 scored submissions are not ranked (2 made after the phase, 1 excluded by the organizers)'
    """
    if not n_left_out:
        return ""
    n_submissions = sum(n_left_out.values())
    verb = "is" if n_submissions == 1 else "are"
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in n_left_out.items())
    return f"{counted(n_submissions, 'scored submission')} {verb} not ranked ({reasons})"


def _rules_broken_by_date(date: str, phase: Phase) -> list[BrokenRule]:
    """Return whether a submission was made before or after a phase, or when that cannot be decided.

    ``date`` is a day or a time in UTC. A day says that the submission was made in one of its seconds.
    """
    span = _span(date)
    if span is None:
        return []
    first, last = span
    if phase.start is not None and last < phase.start:
        return [BrokenRule(Rule.EARLY, f"made {_text(date)}, before the start {phase.start}")]
    if phase.end is not None and _is_after(date, first, phase.end):
        return [BrokenRule(Rule.LATE, f"made {_text(date)}, after the end {phase.end}")]
    if phase.start is not None and first < phase.start:
        return [
            BrokenRule(Rule.UNDECIDABLE, f"made {_text(date)}, on which the phase started ({phase.start})")
        ]
    if phase.end is not None and last > phase.end:
        return [BrokenRule(Rule.UNDECIDABLE, f"made {_text(date)}, on which the phase ended ({phase.end})")]
    return []


def _is_after(date: str, first: datetime.datetime, end: datetime.datetime) -> bool:
    """Return whether all moments of a date, from ``first`` on, are after the end of a phase.

    An end at midnight belongs to the day before.
    """
    return first >= end if _is_day(date) else first > end


def _is_day(date: str) -> bool:
    return len(date) == LENGTH_OF_DAY


def _span(date: str) -> tuple[datetime.datetime, datetime.datetime] | None:
    """Return the first and the last moment at which a submission may have been made, None if unknown."""
    try:
        moment = datetime.datetime.fromisoformat(_with_microseconds(date))
    except ValueError:
        return None
    return moment, moment + _LAST_SECOND if _is_day(date) else moment


def _with_microseconds(date: str) -> str:
    """Return a date whose fraction of a second, if it has one, is as long as older Pythons ask for."""
    seconds, separator, fraction = date.partition(".")
    return f"{seconds}.{fraction[:6]:0<6}" if separator else date


def _text(date: str) -> str:
    return f"on {date}" if _is_day(date) else f"at {date}"


def _rules_broken_by_number(records: Sequence[Record], phase: Phase) -> dict[str, list[BrokenRule]]:
    """Return by name what submissions of teams break of the limits: those beyond them, the last ones.

    What is beyond a limit uses up none, unless the table of names says that it counts. Equal files of a team
    count once.
    """
    # Without an id and a date, the order is not known.
    dated_records = [
        record for record in records if record.submission.date or record.submission.id is not None
    ]
    broken_rules_of_name = {}
    for team_records in records_of_teams(dated_records).values():
        n_on_day: Counter[str] = Counter()
        counted_files: set[str] = set()
        for record in in_order_of_time(team_records):
            submission = record.submission
            if record.digest in counted_files:
                continue
            day = submission.date[:LENGTH_OF_DAY]
            n_that_day = n_on_day[day] + 1 if day else 0
            n_in_all = sum(n_on_day.values()) + 1
            broken_rules = [
                *_limit_if_broken(Rule.DAILY_LIMIT, n_that_day, phase.per_day, f"on {day}"),
                *_limit_if_broken(Rule.LIMIT, n_in_all, phase.in_all, "in the phase"),
            ]
            if not broken_rules or submission.counts == "yes":
                n_on_day[day] += 1
                counted_files.add(record.digest)
            broken_rules_of_name[submission.name] = broken_rules
    return broken_rules_of_name


def _limit_if_broken(rule: Rule, n_submissions: int, limit: int, period: str) -> list[BrokenRule]:
    """Return the rule as broken if a team has more submissions than its limit allows, else nothing."""
    if limit == UNLIMITED or n_submissions <= limit:
        return []
    n_before = counted(n_submissions - 1, "valid submission")
    reason = f"its team had {n_before} before it {period}; allowed: {limit:,}"
    return [BrokenRule(rule, reason)]


def _rules_broken_by_accounts(records: Sequence[Record]) -> dict[str, list[BrokenRule]]:
    """Return by name the submissions of users with several teams, and of teams with several users."""
    submissions = [record.submission for record in records if record.submission.user]
    teams_of_user: defaultdict[str, set[str]] = defaultdict(set)
    users_of_team: defaultdict[str, set[str]] = defaultdict(set)
    for submission in submissions:
        teams_of_user[submission.user].add(submission.team)
        users_of_team[submission.team].add(submission.user)
    broken_rules_of_name: defaultdict[str, list[BrokenRule]] = defaultdict(list)
    for submission in submissions:
        broken_rules = broken_rules_of_name[submission.name]
        teams, users = sorted(teams_of_user[submission.user]), sorted(users_of_team[submission.team])
        if len(teams) > 1:
            reason = f"its user has submitted for {counted(len(teams), 'team')}: {', '.join(teams)}"
            broken_rules.append(BrokenRule(Rule.TEAMS, reason))
        if len(users) > 1:
            reason = f"its team has submitted as {counted(len(users), 'user')}: {', '.join(users)}"
            broken_rules.append(BrokenRule(Rule.USERS, reason))
    return broken_rules_of_name


def undated_sentence(records: Sequence[Record]) -> str:
    """Return how many scored submissions have no date, by which no rule leaves them out; "" if none."""
    n_undated = sum(1 for record in records if record.entry.outcome == SCORED and not record.submission.date)
    if not n_undated:
        return ""
    number = counted(n_undated, "submission has", "submissions have")
    return f"{number} no date, so --enforce cannot tell if in time: give dates in --names"


def _would_be_left_out(violation: Violation) -> bool:
    """Return whether what is ranked would not be with ``--enforce``."""
    is_said_to_count = violation.record.submission.counts == "yes"
    return violation.is_ranked and violation.rule in _CERTAIN and not is_said_to_count


def violations_sentence(violations: Sequence[Violation]) -> str:
    """Return how many submissions break which rule, and whether they are ranked; "" if none does."""
    if not violations:
        return ""
    n_of_rule = Counter(violation.rule for violation in violations)
    rules = ", ".join(f"{rule.value}: {n_of_rule[rule]:,}" for rule in Rule if n_of_rule[rule])
    names = {violation.record.submission.name for violation in violations}
    n_left_out = len(names_left_out(violations))
    what_happens = []
    if n_left_out:
        what_happens.append(f"{n_left_out:,} left out of the ranking")
    if n_left_out < len(names):
        what_happens.append(f"{len(names) - n_left_out:,} ranked all the same")
    if any(map(_would_be_left_out, violations)):
        what_happens.append("--enforce leaves out what certainly breaks a rule")
    return f"{counted(len(names), 'submission')} to look at ({rules}); {'; '.join(what_happens)}."
