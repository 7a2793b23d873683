"""Which submission of a team counts: its best, its last, one that it has chosen, or its best in a phase."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Union

from organizer.ranking.eligibility import names_left_out, ranked_records
from organizer.ranking.statistics import best_first, in_order_of_time, records_of_teams
from organizer.ranking.stored import NoRankingError, read_rankings
from organizer.runs.phase import folder_name, quote_names
from organizer.runs.rescore import Record
from organizer.runs.submissions import SubmissionsError
from organizer.runs.worker import BuiltTask
from scoring_program.task import Task
from validator.texts import quote, some_words

BEST, LAST, CHOSEN = "best", "last", "chosen"
_BEST_IN = "best_in"
Setting = Union[str, Mapping[str, str]]


class Counting(NamedTuple):
    """How the submission of a team that counts is found; ``phase`` is the other phase of ``best_in``."""

    rule: str
    phase: str = ""

    @property
    def text(self) -> str:
        """The rule as it is written in ``--counts``."""
        return f"{self.rule}: {self.phase}" if self.phase else self.rule


def counting_of(setting: Setting) -> Counting:
    """Return the value of the setting ``counts``."""
    return Counting(setting) if isinstance(setting, str) else Counting(_BEST_IN, setting[_BEST_IN])


def parse_counting(text: str) -> Counting:
    """Return the value of ``--counts``. Raises ValueError."""
    if text in (BEST, LAST, CHOSEN):
        return Counting(text)
    phase = re.fullmatch(rf"{_BEST_IN}\s*[:=]\s*(.+)", text)
    if not phase:
        raise ValueError(f"{text!r} is not best, last, chosen, or best_in: PHASE")
    return Counting(_BEST_IN, phase[1])


def rank_teams(
    records: Sequence[Record],
    left_out: Collection[str],
    task: Task,
    counting: Counting,
    scores_of_file: Mapping[str, float],
) -> list[Record]:
    """Return the submission of each team that counts, the best first, ties by name.

    Parameters
    ----------
    records : sequence of Record
        All submissions, in natural order of their names and scored with one signature.
    left_out : collection of str
        The names of those that are not ranked.
    scores_of_file : mapping of str to float
        The scores in the other phase by the SHA-256 of the files, see `scores_in_phase`. A team without a
        file there is not ranked.

    Raises
    ------
    SubmissionsError
        If teams have not chosen one of their submissions.
    """
    sign = 1.0 if task.higher_is_better else -1.0
    counting_records, undecided_teams = list[Record](), list[str]()
    teams_with_choice = {record.submission.team for record in records if record.submission.is_chosen}
    for team, team_records in records_of_teams(ranked_records(records, left_out)).items():
        if counting.rule == CHOSEN:
            candidates = team_records
            if team in teams_with_choice:
                candidates = [record for record in team_records if record.submission.is_chosen]
            if len({record.digest for record in candidates}) != 1:
                undecided_teams.append(quote(team))
            counting_records += candidates[:1]
        elif counting.rule == LAST:
            counting_records.append(in_order_of_time(team_records)[-1])
        elif counting.rule == BEST:
            counting_records.append(max(team_records, key=lambda record: sign * record.entry.score))
        elif candidates := [record for record in team_records if record.digest in scores_of_file]:
            counting_records.append(max(candidates, key=lambda record: sign * scores_of_file[record.digest]))
    if undecided_teams:
        problem = "of each team exactly one submission that can be ranked must be chosen, and is not of these"
        remedy = "write yes into the column chosen of --names for one of each"
        raise SubmissionsError(f"{problem}: {some_words(undecided_teams)}; {remedy}")
    return best_first(counting_records, task)


def scores_in_phase(counting: Counting, built: BuiltTask, output: Path, protocol: str) -> dict[str, float]:
    """Return the scores of all files that are ranked in the other phase, by their SHA-256; none without one.

    Its ranking is in the folder beside ``output`` that ``rescore`` gives to the phase. Raises
    SubmissionsError if it is not there.
    """
    if not counting.phase:
        return {}
    folder = output.parent / f"{built.id}_{folder_name(counting.phase)}"
    try:
        rankings = read_rankings(folder, built.id)
    except NoRankingError:
        problem = f"{folder}: there is no complete ranking of {quote(counting.phase)}, whose scores decide"
        remedy = f'run rescore with --phase "{quote(counting.phase)}" first'
        if built.phase_names and counting.phase not in built.phase_names:
            remedy = f"the phases with this task are {quote_names(built.phase_names)}"
        raise SubmissionsError(f"{problem}; {remedy}") from None
    ranking = next((ranking for ranking in rankings if ranking.facts.protocol == protocol), rankings[0])
    eligible_records = ranked_records(ranking.records, names_left_out(ranking.violations))
    scored_records = [record for team in records_of_teams(eligible_records).values() for record in team]
    return {record.digest: record.entry.score for record in scored_records}
