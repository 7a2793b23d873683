"""One ranking and what it was made of: what all of its pages and files begin with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from organizer.bundle import DEMO_TITLE
from organizer.ranking.changes import Change
from organizer.ranking.eligibility import Violation, count_left_out
from organizer.ranking.leaderboard import BoardComparison
from organizer.ranking.statistics import Ranking
from organizer.ranking.winner_rule import WinnerLine
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from people_in_video.comparing.standings import Baseline, Standings
from scoring_program.task import Task

# Of intervals and differences.
_DECIMALS = 4
DETAILS = "details"
"""The folder of the detail pages of all submissions."""

_LONGEST_PAGE_NAME = 80


def page_name(name: str) -> str:
    """Return the name of the file of a page about a submission or team: a participant's is no safe path."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name.removesuffix(".zip"))
    plain = plain[:_LONGEST_PAGE_NAME].strip("-") or "page"
    # The hash keeps names apart that are equal without signs.
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
    return f"{plain}-{digest[:8]}.html"


def detail_link(name: str) -> str:
    """Return the link from a page of a ranking to the detail page of a submission."""
    return f"{DETAILS}/{page_name(name)}"


@dataclass(frozen=True)
class About:
    """What organizers say about a ranking, "" if unknown.

    Attributes
    ----------
    competition, title, phase, reference : str
        The names of the competition, of the task in it, of the phase, and of the reference.
    is_demo : bool
        Whether the reference is synthetic.
    date : str
        An ISO date.
    keep : str
        The submission of a team that counts, ``best`` or ``last``.
    enforce : bool
        Whether submissions that certainly break a rule of the phase are left out.
    only_phase_id : str
        The PhaseId of the submissions that are ranked, "" if all are of one.
    program, names : str
        The SHA-256 of the scoring program, and of the table of names, "" without one.
    baselines : sequence of Baseline
    """

    competition: str = ""
    title: str = ""
    phase: str = ""
    reference: str = ""
    is_demo: bool = False
    date: str = ""
    keep: str = "best"
    enforce: bool = False
    only_phase_id: str = ""
    program: str = ""
    names: str = ""
    baselines: Sequence[Baseline] = ()


@dataclass(frozen=True)
class RankingRun:
    """All submissions to a task, scored by one protocol, and their ranking, None if none has a score.

    Attributes
    ----------
    task : Task
    about : About
    protocol : str
        "" for that of the settings of the reference.
    records : sequence of Record
        All submissions.
    ranking : Ranking or None
    winner : WinnerLine or None
        The line that a winner must reach, None without a rule.
    violations : sequence of Violation
        What submissions break of the rules of the phase.
    deleted : sequence of str
        The submissions of earlier runs that are no longer there.
    board : sequence of BoardComparison
        The leaderboard of the site, compared with this ranking; nothing if it is not known.
    changes : sequence of Change
        What changed since the last run, nothing if there was none.
    """

    task: Task
    about: About
    protocol: str
    records: Sequence[Record]
    ranking: Ranking | None
    winner: WinnerLine | None = None
    violations: Sequence[Violation] = ()
    deleted: Sequence[str] = ()
    board: Sequence[BoardComparison] = ()
    changes: Sequence[Change] = ()

    @property
    def title(self) -> str:
        """The competition and the task."""
        names = [name for name in (self.about.competition, self.about.title or self.task.title) if name]
        demo = DEMO_TITLE if self.about.is_demo else ""
        # A competition of one task may have its title.
        return demo + ": ".join(dict.fromkeys(names))

    @property
    def n_scored(self) -> int:
        """How many submissions have a score."""
        return sum(record.entry.outcome == SCORED for record in self.records)

    @property
    def n_left_out(self) -> dict[str, int]:
        """How many scored submissions are not ranked, by the reason, in words that may be published."""
        return count_left_out(self.violations)

    @cached_property
    def score_decimals(self) -> int:
        """The decimals of scores: those of the leaderboard, and no more than participants see."""
        precision = self.task.columns[0].precision
        return min([precision, *(record.entry.decimals for record in self.records)])

    def score_text(self, record: Record) -> str:
        """Return the score of a submission as participants see it, "" without one."""
        score = record.entry.scores.get(self.task.columns[0].key)
        return "" if score is None else f"{score:.{self.score_decimals}f}"

    def standings(self, ranking: Ranking) -> Standings:
        """Return the teams of the ranking as the tables and sentences of all comparisons take them."""
        first_entry = ranking.records[0].entry
        is_grouped = ranking.comparison.n_items != len(ranking.items)
        return Standings(
            task=self.task,
            names=ranking.teams,
            score_texts=[self.score_text(record) for record in ranking.records],
            scores=[record.entry.score for record in ranking.records],
            comparison=ranking.comparison,
            intervals=ranking.intervals,
            over=first_entry.over,
            unit="group" if is_grouped else self.task.item,
            noun="team",
            baselines=self.about.baselines,
            decimals=min(_DECIMALS, first_entry.decimals),
            score_decimals=self.score_decimals,
        )
