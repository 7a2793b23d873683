"""A ranking: what it was made of, a record of each submission, and what all pages and files read of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from organizer.bundle import DEMO_TITLE
from organizer.ranking.changes import Change, Deleted
from organizer.ranking.eligibility import Violation, count_left_out, names_left_out, ranked_records
from organizer.ranking.leaderboard import BoardComparison
from organizer.ranking.statistics import (
    expected_drop_of,
    half_scores_of,
    records_of_teams,
    with_published_ranks,
)
from organizer.ranking.winner_rule import WinnerLine, winner_line
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from people_in_video.comparing.pairs import Comparison, compare
from people_in_video.comparing.standings import Baseline, Standings
from scoring_program.metrics.resampling import Intervals, intervals
from scoring_program.task import Task

# Of intervals and differences.
_DECIMALS = 4
DETAILS = "details"
"""The folder of the detail pages of all submissions."""

_LONGEST_PAGE_NAME = 80


def page_name(name: str) -> str:
    """Return the name of the file of a page about a submission or team: a participant's is no safe path."""
    text = re.sub(r"[^A-Za-z0-9]+", "-", name.removesuffix(".zip"))
    text = text[:_LONGEST_PAGE_NAME].strip("-") or "page"
    # The hash keeps names apart that are equal without signs.
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
    return f"{text}-{digest[:8]}.html"


def subfolders_of(rankings: Sequence[Ranking]) -> list[str]:
    """Return the folder of each ranking below that of all: its protocol, "" if there is one ranking."""
    return [ranking.facts.protocol if len(rankings) > 1 else "" for ranking in rankings]


@dataclass(frozen=True)
class Facts:
    """What a ranking was made of, and what organizers say of it; "" where that is unknown.

    Attributes
    ----------
    competition, title, phase, reference : str
        The names of the competition, of the task in it, of the phase, and of the reference.
    is_demo : bool
        Whether the reference is synthetic.
    date : str
        An ISO date.
    protocol : str
        "" for that of the settings of the reference.
    counts : str
        Which submission of a team counts, as in ``--counts``.
    enforce : bool
        Whether submissions that certainly break a rule of the phase are left out.
    only_phase_id : str
        The PhaseId of the submissions that are ranked, "" if all are of one.
    half_samples : int
        How often the items were divided into halves.
    signature : str
        What makes the scores comparable, "" if nothing is ranked.
    program, names, submissions : str
        The SHA-256 of the scoring program, of the table of names, "" without one, and of the names and hashes
        of all submissions.
    baselines : sequence of Baseline
    """

    competition: str = ""
    title: str = ""
    phase: str = ""
    reference: str = ""
    is_demo: bool = False
    date: str = ""
    protocol: str = ""
    counts: str = "best"
    enforce: bool = False
    only_phase_id: str = ""
    half_samples: int = 0
    signature: str = ""
    program: str = ""
    names: str = ""
    submissions: str = ""
    baselines: Sequence[Baseline] = ()

    @property
    def run_text(self) -> str:
        """What tells the run from others of the same submissions."""
        suffix = ", enforced" if self.enforce else ""
        return f"counts: {self.counts}{suffix}; signature: {self.signature}"


@dataclass(frozen=True)
class Ranking:
    """All submissions to a task, scored by one protocol, and the m teams.

    Attributes
    ----------
    task : Task
    facts : Facts
    records : sequence of Record
        All submissions.
    team_records : sequence of m Record
        The submission of each team that counts, the best first, ties by name; empty if no team is ranked.
        What compares teams needs at least one.
    winner : WinnerLine or None
        The line that a winner must reach, None without a rule.
    violations : sequence of Violation
        What submissions break of the rules of the phase.
    deleted : sequence of Deleted
        The submissions of earlier runs that are no longer there.
    board : sequence of BoardComparison
        The leaderboard of the site, compared with this ranking; nothing if it is not known.
    changes : sequence of Change
        What changed since the last run, nothing if there was none.
    n_changed_items : int
        How many items had another score then, for the same files.
    run_before : str
        Which run that was, "" if there was none.
    names_file : str
        The place of the table of names, "" without one; its hash is one of the facts.
    is_published : bool
        Whether ranks follow the scores as they are shown.
    """

    task: Task
    facts: Facts
    records: Sequence[Record]
    team_records: Sequence[Record]
    winner: WinnerLine | None = None
    violations: Sequence[Violation] = ()
    deleted: Sequence[Deleted] = ()
    board: Sequence[BoardComparison] = ()
    changes: Sequence[Change] = ()
    n_changed_items: int = 0
    run_before: str = ""
    names_file: str = ""
    is_published: bool = False

    @cached_property
    def published(self) -> Ranking:
        """The same without what scores hide: teams with equal scores, as they are shown, share a rank."""
        sign = 1.0 if self.task.higher_is_better else -1.0

        def key(record: Record) -> tuple[float, str]:
            return -sign * float(self.score_text(record)), record.submission.team

        team_records = sorted(self.team_records, key=key)
        winner = self.winner
        if winner is not None:
            winner = winner_line(winner.rule, winner.baseline, team_records, self.task)
        return replace(self, team_records=team_records, winner=winner, is_published=True)

    @property
    def title(self) -> str:
        """The competition and the task."""
        names = [name for name in (self.facts.competition, self.facts.title or self.task.title) if name]
        demo = DEMO_TITLE if self.facts.is_demo else ""
        # A competition of one task may have its title.
        return demo + ": ".join(dict.fromkeys(names))

    @property
    def teams(self) -> list[str]:
        """The names of the teams, the best first."""
        return [record.submission.team for record in self.team_records]

    @property
    def n_scored(self) -> int:
        """How many submissions have a score."""
        return sum(record.entry.outcome == SCORED for record in self.records)

    @property
    def n_left_out(self) -> dict[str, int]:
        """How many scored submissions are not ranked, by the reason, in words that may be published."""
        return count_left_out(self.violations)

    @cached_property
    def eligible_records(self) -> dict[str, list[Record]]:
        """The scored submissions of each team that are not left out."""
        return records_of_teams(ranked_records(self.records, names_left_out(self.violations)))

    @cached_property
    def n_submissions(self) -> list[int]:
        """How many submissions of each team were scored and not left out."""
        return [len(self.eligible_records[team]) for team in self.teams]

    @cached_property
    def expected_drops(self) -> list[float | None]:
        """By how much the score of each team is expected to be worse on new items at most, because the best
        of its submissions counts; None where that is not known, see `organizer.ranking.selection`."""
        if self.facts.counts != "best":
            return [None] * len(self.teams)
        return [expected_drop_of(self.eligible_records[team], self.task) for team in self.teams]

    @property
    def half_samples(self) -> int:
        """How often the items were divided into halves, 0 if nothing is ranked."""
        return len(self.team_records[0].entry.first) if self.team_records else 0

    @cached_property
    def comparison(self) -> Comparison:
        """Ranks, rank sets, and all pairs of teams."""
        higher_is_better = self.task.higher_is_better
        comparison = compare([half_scores_of(record) for record in self.team_records], higher_is_better)
        if not self.is_published:
            return comparison
        scores = np.array([float(self.score_text(record)) for record in self.team_records])
        return with_published_ranks(comparison, scores, higher_is_better)

    @cached_property
    def intervals(self) -> Intervals | None:
        """Those of the scores; None with fewer than 2 items."""
        if self.comparison.n_items < 2:
            return None
        return intervals([half_scores_of(record) for record in self.team_records], self.task.range)

    @property
    def n_different_neighbors(self) -> int:
        """How many pairs of teams next to each other differ significantly, by Holm over all pairs."""
        pairs = self.comparison.pairs
        return int(pairs.is_significant[pairs.second == pairs.first + 1].sum())

    @cached_property
    def score_decimals(self) -> int:
        """The decimals of scores: those of the leaderboard, and no more than participants see."""
        precision = self.task.columns[0].precision
        return min([precision, *(record.entry.decimals for record in self.records)])

    def score_text(self, record: Record) -> str:
        """Return the score of a submission as participants see it, "" without one."""
        score = record.entry.scores.get(self.task.columns[0].key)
        return "" if score is None else f"{score:.{self.score_decimals}f}"

    @cached_property
    def standings(self) -> Standings:
        """The teams as the tables and sentences of all comparisons take them."""
        first_entry = self.team_records[0].entry
        is_grouped = self.comparison.n_items != len(first_entry.items)
        return Standings(
            task=self.task,
            names=self.teams,
            score_texts=[self.score_text(record) for record in self.team_records],
            scores=[record.entry.score for record in self.team_records],
            comparison=self.comparison,
            intervals=self.intervals,
            over=first_entry.over,
            unit="group" if is_grouped else self.task.item,
            noun="team",
            baselines=self.facts.baselines,
            decimals=min(_DECIMALS, first_entry.decimals),
            score_decimals=self.score_decimals,
        )
