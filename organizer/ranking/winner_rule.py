"""The rule of a challenge for its winner: a score that is better than a baseline by a share of it.

ActivityNet-Entities asks for a score at least 10 % above that of the baseline. The baseline is scored on the
same reference; scores that were published for other data cannot be compared with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from organizer.files import folder_with
from organizer.ranking.statistics import half_scores_of
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from organizer.runs.submissions import SubmissionsError
from organizer.runs.worker import BuiltTask
from people_in_video.comparing.forest import Band
from people_in_video.comparing.standings import Baseline, rounded_band
from scoring_program.metrics.resampling import LEAST_ITEMS, HalfScores, Intervals, intervals, rounded
from scoring_program.settings import SETTINGS_FILE, Settings
from scoring_program.task import Declaration, load_task
from validator.arrays import Bools, Floats
from validator.names import NearestNames
from validator.texts import quote, some_words

_MOST_GAIN = 10.0
# From here on a share may be meant as percent, or as a factor.
_DOUBTFUL_GAIN = 1.0


class WinnerRule(NamedTuple):
    """What a winner must reach: the score of ``baseline``, and a share of it (``relative_gain``) more."""

    baseline: str
    relative_gain: float


class WinnerBaseline(NamedTuple):
    """The baseline of a rule: ``record`` has its scores of halves, None where only its score is known."""

    score: float
    record: Record | None


class WinnerLine(NamedTuple):
    """The score that a winner must reach, and how sure it is who does.

    Attributes
    ----------
    rule : WinnerRule
    baseline : WinnerBaseline
    score : float
        The line: the score of the baseline, larger by the relative gain, or smaller where lower scores are
        better.
    differences : float64 array of shape (m,)
        The score of each team less the line, in the order of the ranking.
    passes : bool array of shape (m,)
        Which teams reach the line.
    margins : Intervals or None
        Of these differences, over the same halves of the items; None where only the score
        of the baseline is known, or where there are fewer than 10 items.
    """

    rule: WinnerRule
    baseline: WinnerBaseline
    score: float
    differences: Floats
    passes: Bools
    margins: Intervals | None

    @property
    def n_passing(self) -> int:
        """How many teams reach the line."""
        return int(self.passes.sum())

    def band(self, place: int, decimals: int) -> Band:
        """Return by how much the team at a place exceeds the line, with the interval if there is one."""
        difference = float(self.differences[place])
        low = high = difference
        if self.margins is not None and self.margins.has_ends[place]:
            low, high = float(self.margins.low[place]), float(self.margins.high[place])
        return rounded_band(low, difference, high, decimals)


def winner_line(
    rule: WinnerRule, baseline: WinnerBaseline, team_records: Sequence[Record], task: Declaration
) -> WinnerLine:
    """Return the line of a rule, and which teams reach it."""
    factor = 1 + rule.relative_gain if task.higher_is_better else 1 - rule.relative_gain
    line = float(rounded(np.array(factor * baseline.score)))
    scores = np.array([record.entry.score for record in team_records])
    differences = rounded(scores - line)
    margins = None
    if baseline.record is not None and baseline.record.entry.n_items >= LEAST_ITEMS:
        halves_of_line = _scale_halves(factor, half_scores_of(baseline.record))
        teams = [_subtract_halves(half_scores_of(record), halves_of_line) for record in team_records]
        margins = intervals(teams, (None, None))
    return WinnerLine(
        rule=rule,
        baseline=baseline,
        score=line,
        differences=differences,
        passes=differences >= 0 if task.higher_is_better else differences <= 0,
        margins=margins,
    )


def _scale_halves(factor: float, halves: HalfScores) -> HalfScores:
    """Return scores and scores of halves, each times a factor."""
    return halves._replace(
        score=factor * halves.score, first=factor * halves.first, second=factor * halves.second
    )


def _subtract_halves(halves: HalfScores, other: HalfScores) -> HalfScores:
    """Return the differences of scores and of scores of halves, rounded as scores are."""
    return halves._replace(
        score=float(rounded(np.array(halves.score - other.score))),
        first=rounded(halves.first - other.first),
        second=rounded(halves.second - other.second),
    )


def settings_of(built: BuiltTask) -> Settings:
    """Return the settings of the reference of a built task. Raises Refused."""
    with folder_with({SETTINGS_FILE}, built.reference) as folder:
        return load_task(built.id).settings(folder)


def rule_of_settings(settings: Settings) -> WinnerRule | None:
    """Return the rule in the settings of a reference, None if it has none."""
    rule = settings["winner_rule"]
    return WinnerRule(rule["baseline"], float(rule["relative_gain"])) if rule else None


def rule_text(rule: WinnerRule, higher_is_better: bool) -> str:
    """Return what a rule asks for; of a share that may be meant otherwise, as what it is taken.

    Examples
    --------
    >>> rule_text(WinnerRule("GVD", 0.1), True)
    'a score at least 10 % above that of GVD'
    >>> rule_text(WinnerRule("GVD", 10), True)
    'a score at least 1000 % above that of GVD, 11 times as much (a relative_gain of 0.1 is 10 %)'
    """
    direction = "above" if higher_is_better else "below"
    text = f"a score at least {100 * rule.relative_gain:g} % {direction} that of {quote(rule.baseline)}"
    if not is_doubtful(rule):
        return text
    factor = f", {1 + rule.relative_gain:g} times as much" if higher_is_better else ""
    return f"{text}{factor} (a relative_gain of 0.1 is 10 %)"


def is_doubtful(rule: WinnerRule) -> bool:
    """Return whether the share of a rule may be meant as percent, or as a factor."""
    return rule.relative_gain >= _DOUBTFUL_GAIN


def check_gain(rule: WinnerRule, task: Declaration) -> None:
    """Raise SubmissionsError if a rule asks for no share, or for one by which no score can be better."""
    if not 0 <= rule.relative_gain < math.inf:
        problem = f"the rule for winners has the relative_gain {rule.relative_gain:g}"
        raise SubmissionsError(f"{problem}; write 0 or more: 0.1 is 10 %")
    if not task.higher_is_better and rule.relative_gain >= 1:
        share = f"{100 * rule.relative_gain:g} %"
        problem = f"the rule for winners asks for a score {share} below that of {quote(rule.baseline)}"
        raise SubmissionsError(
            f"{problem}, which is 0 or less; lower scores are better here: give less than 100 %"
        )


def parse_gain(text: str) -> float:
    """Return a share from text such as ``10%`` or ``0.1``. Raises ValueError."""
    share = text.strip()
    try:
        gain = float(share[:-1]) / 100 if share.endswith("%") else float(share)
    except ValueError:
        gain = math.nan
    if not 0 <= gain <= _MOST_GAIN:
        raise ValueError(f"{text!r} is not a share such as 10%")
    return gain


def find_baseline(
    rule: WinnerRule, scored_zips: Sequence[Record], published_baselines: Sequence[Baseline]
) -> WinnerBaseline:
    """Return the baseline that a rule names; a team of its name is none.

    ``scored_zips`` are baselines that were scored on the reference of the ranking; of ``published_baselines``
    only scores are known. Raises SubmissionsError if it has no score.
    """
    for record in scored_zips:
        if record.submission.team == rule.baseline:
            if record.entry.outcome != SCORED:
                problem = f"the baseline {quote(rule.baseline)} has no score: {record.entry.problem}"
                raise SubmissionsError(problem)
            return WinnerBaseline(record.entry.score, record)
    score = next(baseline.score for baseline in published_baselines if baseline.name == rule.baseline)
    return WinnerBaseline(score, None)


def check_baseline_name(rule: WinnerRule, baselines: Sequence[str]) -> None:
    """Raise SubmissionsError unless the name in a rule is that of one baseline.

    To be called before submissions are scored, which may take hours.
    """
    if baselines.count(rule.baseline) == 1:
        return
    if rule.baseline in baselines:
        raise SubmissionsError(f"two baselines are called {quote(rule.baseline)}; give one another name")
    nearest = NearestNames(set(baselines)).words(rule.baseline)
    problem = f"the rule for winners names {quote(rule.baseline)}, which is no baseline{nearest}"
    known_baselines = f"; baselines are {some_words([*map(quote, baselines)])}" if baselines else ""
    remedy = f"give it with --baseline-zip {quote(rule.baseline)}=file.zip, or correct the name"
    raise SubmissionsError(f"{problem}{known_baselines}; {remedy}")
