"""A ranking as it is kept: ``ranking.json``, from which all of its pages and files can be made again.

It holds the facts of the run, a row for each submission, violations of rules, the comparison with the
leaderboard, submissions that are gone, changes, and the line for winners. The entries of submissions stay in
``store/``, by their hashes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from organizer.files import write_durable
from organizer.ranking.changes import Change
from organizer.ranking.eligibility import Rule, Violation, names_left_out, ranked_records
from organizer.ranking.leaderboard import BoardComparison
from organizer.ranking.run import About, RankingRun
from organizer.ranking.statistics import Ranking, ranking_of
from organizer.ranking.winner_rule import WinnerBaseline, WinnerLine, WinnerRule, winner_line
from organizer.runs.fork_server import SCORED
from organizer.runs.rescore import stored_record
from people_in_video.comparing.standings import Baseline
from scoring_program.task import Task, load_task

RANKING = "ranking.json"
_FORMAT = 1


class NoRankingError(Exception):
    """A folder holds no complete ranking."""


def save_rankings(runs: Sequence[RankingRun], output: Path) -> None:
    """Write the rankings of a call, one for each protocol, into the folder that holds its store."""
    content = {
        "format": _FORMAT,
        "task": runs[0].task.id,
        "rankings": [_saved_run(run) for run in runs],
    }
    write_durable(output / RANKING, json.dumps(content, indent=1) + "\n")


def read_rankings(folder: Path, task_id: str) -> list[RankingRun]:
    """Return what ``rescore`` ranked last of a task in a folder, a ranking for each protocol.

    Raises
    ------
    NoRankingError
        There is no complete ranking, or one of another task.
    """
    try:
        content = json.loads((folder / RANKING).read_text(encoding="utf-8"))
        if content["format"] != _FORMAT or content["task"] != task_id:
            raise NoRankingError
        runs = [_read_run(folder, saved, load_task(task_id)) for saved in content["rankings"]]
    # What is no complete ranking raises one of many exceptions, as its JSON may have any form.
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NoRankingError from error
    if not runs:
        raise NoRankingError
    return runs


def _saved_run(run: RankingRun) -> dict[str, Any]:
    return {
        "protocol": run.protocol,
        "facts": _saved_facts(run.about),
        "signature": run.ranking.signature if run.ranking else "",
        "half_samples": run.ranking.half_samples if run.ranking else 0,
        "submissions": _saved_submissions(run),
        "violations": [_saved_violation(violation) for violation in run.violations],
        "board": [comparison._asdict() for comparison in run.board],
        "deleted": list(run.deleted),
        "changes": [change._asdict() for change in run.changes],
        "winner": _saved_winner(run.winner) if run.winner else None,
    }


def _saved_facts(about: About) -> dict[str, Any]:
    return {**vars(about), "baselines": [baseline._asdict() for baseline in about.baselines]}


def _saved_submissions(run: RankingRun) -> list[dict[str, Any]]:
    """Return a row for each submission; ranks are those of its team if it is the one that counts."""
    left_out = names_left_out(run.violations)
    ranks_of_name = _ranks_of_name(run.ranking) if run.ranking else {}
    rows = []
    for record in run.records:
        name, entry = record.submission.name, record.entry
        ranks = ranks_of_name.get(name, (None, None, None))
        why_not_ranked = "" if ranks[0] else "another submission of the team counts"
        if name in left_out:
            why_not_ranked = "left out by the rules"
        if entry.outcome != SCORED:
            why_not_ranked = entry.problem or entry.outcome
        row = record.saved()
        row.update(outcome=entry.outcome, scores=dict(entry.scores), why_not_ranked=why_not_ranked)
        row.update(zip(("rank", "rank_low", "rank_high"), ranks))
        rows.append(row)
    return rows


def _ranks_of_name(ranking: Ranking) -> dict[str, tuple[int | None, int | None, int | None]]:
    comparison = ranking.comparison
    names = [record.submission.name for record in ranking.records]
    ranks = zip(comparison.rank.tolist(), comparison.rank_low.tolist(), comparison.rank_high.tolist())
    return dict(zip(names, ranks))


def _saved_violation(violation: Violation) -> dict[str, Any]:
    return {
        "submission": violation.record.submission.name,
        "rule": violation.rule.name,
        "reason": violation.reason,
        "is_ranked": violation.is_ranked,
    }


def _saved_winner(winner: WinnerLine) -> dict[str, Any]:
    baseline = winner.baseline
    return {
        "rule": winner.rule._asdict(),
        "score": baseline.score,
        "line": winner.score,
        "submission": baseline.record.saved() if baseline.record else None,
    }


def _read_run(folder: Path, saved: Mapping[str, Any], task: Task) -> RankingRun:
    facts = saved["facts"]
    about = replace(About(**facts), baselines=[Baseline(**baseline) for baseline in facts["baselines"]])
    records = [stored_record(folder, row) for row in saved["submissions"]]
    record_of_name = {record.submission.name: record for record in records}
    violations = []
    for row in saved["violations"]:
        record = record_of_name[row["submission"]]
        violations.append(Violation(record, Rule[row["rule"]], str(row["reason"]), bool(row["is_ranked"])))
    ranking = ranking_of(ranked_records(records, names_left_out(violations)), task, about.keep)
    winner = _read_winner(folder, saved["winner"], ranking) if saved["winner"] and ranking else None
    return RankingRun(
        task=task,
        about=about,
        protocol=saved["protocol"],
        records=records,
        ranking=ranking,
        winner=winner,
        violations=violations,
        deleted=list(saved["deleted"]),
        board=[BoardComparison(**row) for row in saved["board"]],
        changes=[Change(**row) for row in saved["changes"]],
    )


def _read_winner(folder: Path, saved: Mapping[str, Any], ranking: Ranking) -> WinnerLine:
    rule = WinnerRule(**saved["rule"])
    record = stored_record(folder, saved["submission"]) if saved["submission"] else None
    return winner_line(rule, WinnerBaseline(rule.baseline, saved["score"], record), ranking)
