"""One ranking and what it was made of: what all of its pages and files begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from organizer.bundle import DEMO_TITLE
from organizer.ranking.statistics import Ranking
from organizer.ranking.winner_rule import WinnerLine
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import Record
from scoring_program.report.standings import Baseline, Standings
from scoring_program.task import AnyTask

# Of intervals and differences.
_DECIMALS = 4


@dataclass(frozen=True)
class About:
    """What organizers say about a ranking: ``keep`` is the submission of a team that counts, best or last;
    ``is_demo`` says that the reference is synthetic; title and ISO date are "" if unknown."""

    competition: str = ""
    is_demo: bool = False
    date: str = ""
    keep: str = "best"
    baselines: Sequence[Baseline] = ()


@dataclass(frozen=True)
class RankingRun:
    """All submissions to a task, scored by one protocol, and their ranking, None if none has a score.

    ``protocol`` is "" for that of the settings of the reference; ``winner`` is the line that a winner must
    reach, None without a rule.
    """

    task: AnyTask
    about: About
    protocol: str
    records: Sequence[Record]
    ranking: Ranking | None
    winner: WinnerLine | None = None

    @property
    def title(self) -> str:
        """The competition and the task."""
        names = [name for name in (self.about.competition, self.task.title) if name]
        demo = DEMO_TITLE if self.about.is_demo else ""
        # A competition of one task may have its title.
        return demo + ": ".join(dict.fromkeys(names))

    @property
    def n_scored(self) -> int:
        """How many submissions have a score."""
        return sum(record.entry.outcome == SCORED for record in self.records)

    def score_text(self, record: Record) -> str:
        """Return the score of a submission as the leaderboard shows it, "" without one."""
        main_column = self.task.columns[0]
        score = record.entry.scores.get(main_column.key)
        return "" if score is None else f"{score:.{main_column.precision}f}"

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
        )
