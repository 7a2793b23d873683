"""A ranking as it is kept: ``ranking.json``, from which all of its pages and files can be made again.

It holds the facts of the run, a row for each submission, violations of rules, the comparison with the
leaderboard, submissions that are gone, changes, and the line for winners. The entries of submissions stay in
``store/``, by their hashes.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from organizer.errors import InputError
from organizer.files import MALFORMED, write_durable
from organizer.ranking.changes import Change, Deleted, Row, Run, changes_since, deleted_since
from organizer.ranking.eligibility import Rule, Violation, names_left_out
from organizer.ranking.leaderboard import BoardComparison
from organizer.ranking.mail import count_changed_items
from organizer.ranking.ranking import Facts, Ranking
from organizer.ranking.statistics import best_first
from organizer.ranking.winner_rule import WinnerBaseline, WinnerLine, WinnerRule, winner_line
from organizer.runs.phase import folder_name
from organizer.runs.rescore import Record, stored_record
from organizer.runs.scoring_process import SCORED
from people_in_video.comparing.standings import Baseline
from scoring_program.task import Task, load_task
from validator.texts import quote, some_words

RANKING = "ranking.json"
_FORMAT = 1


class NoRankingError(InputError):
    """A folder holds no complete ranking."""


def save_rankings(rankings: Sequence[Ranking], output: Path) -> None:
    """Write the rankings of a call, one for each protocol, into the folder that holds its store."""
    content = {
        "format": _FORMAT,
        "task": rankings[0].task.id,
        "rankings": [_saved_ranking(ranking) for ranking in rankings],
    }
    write_durable(output / RANKING, json.dumps(content, indent=1) + "\n")


def read_rankings(folder: Path, task_id: str = "") -> list[Ranking]:
    """Return what ``rescore`` ranked last in a folder, of a task if one is named: one for each protocol.

    Raises
    ------
    NoRankingError
        There is no complete ranking, or one of another task.
    """
    try:
        content = _stored_content(folder, task_id)
        task = load_task(content["task"])
        rankings = [_read_ranking(folder, saved_ranking, task) for saved_ranking in content["rankings"]]
    except MALFORMED as error:
        raise NoRankingError(_missing_text(folder, task_id)) from error
    if not rankings:
        raise NoRankingError(_missing_text(folder, task_id))
    return rankings


def _missing_text(folder: Path, task_id: str) -> str:
    """Return that a folder holds no complete ranking of a task, and what to do: name a phase that has one."""
    if _is_of_task(folder, task_id):
        problem = f"{folder / RANKING}: a part is missing, or another version has written it"
        return f"{problem}; rank again with make rescore ID={task_id}"
    phases = []
    for path in sorted(folder.parent.glob(f"{task_id}_*")):
        with contextlib.suppress(*MALFORMED):
            phase = str(saved_rankings(path, task_id)[0]["facts"]["phase"])
            label = path.name[len(task_id) + 1 :]
            # A ranking of a reference, in no phase, is in a folder of its name.
            phases.append(f'"{quote(phase if folder_name(phase) == label else label)}"')
    remedy = f"run make rescore ID={task_id} first"
    if phases:
        remedy = f"name the phase with --phase, one of {some_words(phases)}"
    return f"{folder}: there is no complete ranking of {task_id} in it; {remedy}"


def _is_of_task(folder: Path, task_id: str) -> bool:
    """Return whether a file in a folder says that it is the ranking of a task, in whatever form."""
    with contextlib.suppress(*MALFORMED):
        return bool(json.loads((folder / RANKING).read_text(encoding="utf-8"))["task"] == task_id)
    return False


def note_on_last_run(output: Path, task_id: str) -> str:
    """Return a note on a ranking in a folder that is of no use to find what has changed, else ""."""
    if not (output / RANKING).is_file():
        return ""
    with contextlib.suppress(*MALFORMED):
        for saved_ranking in saved_rankings(output, task_id):
            _run_of(saved_ranking)
        return ""
    problem = "it is damaged, or of another task or version"
    return f"note | {output / RANKING}: {problem}, so what has changed since then is not listed"


def with_changes(ranking: Ranking, output: Path) -> Ranking:
    """Return a ranking with what changed since the last run with another signature or other submissions.

    The last run by its protocol is stored in ``output``; without one nothing has changed.
    """
    run_before = _read_run(output, ranking.task.id, ranking.facts.protocol)
    if run_before is None:
        return ranking
    run_now = _run_of(_saved_ranking(ranking))
    if (run_before.signature, run_before.rows) == (run_now.signature, run_now.rows):
        # The same run again is compared with what the first one was compared with.
        return replace(
            ranking,
            changes=run_before.changes,
            deleted=run_before.deleted,
            n_changed_items=run_before.n_changed_items,
            run_before=run_before.run_before,
        )
    n_changed_items = 0
    if run_before.signature != ranking.facts.signature:
        records_before = _read_team_records(output, ranking.task.id, ranking.facts.protocol)
        n_changed_items = count_changed_items(records_before, ranking.team_records)
    return replace(
        ranking,
        changes=changes_since(run_before, run_now),
        deleted=deleted_since(run_before, run_now),
        n_changed_items=n_changed_items,
        run_before=run_before.text,
    )


def _read_run(folder: Path, task_id: str, protocol: str) -> Run | None:
    """Return what the last run by a protocol left in a folder, None if there is none that can be read."""
    with contextlib.suppress(*MALFORMED):
        return _run_of(_saved_by_protocol(folder, task_id, protocol))
    return None


def _run_of(saved_ranking: Mapping[str, Any]) -> Run:
    """Return a run by its ranking as JSON. Raises one of `MALFORMED`."""
    return Run(
        signature=str(saved_ranking["facts"]["signature"]),
        rows=[_row_of(row) for row in saved_ranking["submissions"]],
        changes=[Change(**row) for row in saved_ranking["changes"]],
        deleted=[Deleted(**row) for row in saved_ranking["deleted"]],
        n_changed_items=int(saved_ranking["n_changed_items"]),
        run_before=str(saved_ranking["run_before"]),
        text=Facts(**saved_ranking["facts"]).run_text,
    )


def _read_team_records(folder: Path, task_id: str, protocol: str) -> dict[str, Record]:
    """Return the records that counted in the last run by a protocol, by the SHA-256 of their files.

    Those that cannot be read are left out.
    """
    rows: list[dict[str, Any]] = []
    with contextlib.suppress(*MALFORMED):
        rows = _saved_by_protocol(folder, task_id, protocol)["submissions"]
    records = {}
    for row in rows:
        with contextlib.suppress(*MALFORMED):
            if row["rank"] is not None:
                record = stored_record(folder, row)
                records[record.digest] = record
    return records


def _stored_content(folder: Path, task_id: str) -> dict[str, Any]:
    """Return the JSON in a folder, of a task if one is named. Raises one of `MALFORMED`."""
    content: dict[str, Any] = json.loads((folder / RANKING).read_text(encoding="utf-8"))
    if content["format"] != _FORMAT or task_id not in ("", content["task"]):
        raise ValueError("this is the ranking of another task or version")
    return content


def saved_rankings(folder: Path, task_id: str) -> list[dict[str, Any]]:
    """Return the rankings of a task in a folder as JSON. Raises one of `MALFORMED`."""
    rankings: list[dict[str, Any]] = _stored_content(folder, task_id)["rankings"]
    return rankings


def _saved_by_protocol(folder: Path, task_id: str, protocol: str) -> dict[str, Any]:
    """Return the ranking of a task by a protocol as JSON. Raises one of `MALFORMED`."""
    for saved_ranking in saved_rankings(folder, task_id):
        if saved_ranking["facts"]["protocol"] == protocol:
            return saved_ranking
    raise KeyError(protocol)


def _row_of(saved_row: Mapping[str, Any]) -> Row:
    is_ranked = saved_row["rank"] is not None
    return Row(
        name=saved_row["name"],
        team=saved_row["team"],
        digest=saved_row["digest"],
        rank=saved_row["rank"],
        score=saved_row["scores"]["score"] if is_ranked else None,
    )


def _saved_ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "facts": saved_facts(ranking.facts),
        "submissions": _saved_submissions(ranking),
        "violations": [_saved_violation(violation) for violation in ranking.violations],
        "board": [comparison._asdict() for comparison in ranking.board],
        "deleted": [row._asdict() for row in ranking.deleted],
        "changes": [change._asdict() for change in ranking.changes],
        "n_changed_items": ranking.n_changed_items,
        "run_before": ranking.run_before,
        "names_file": ranking.names_file,
        "winner": _saved_winner(ranking.winner) if ranking.winner else None,
    }


def saved_facts(facts: Facts) -> dict[str, Any]:
    """Return the facts of a run as JSON."""
    return {**vars(facts), "baselines": [baseline._asdict() for baseline in facts.baselines]}


def _saved_submissions(ranking: Ranking) -> list[dict[str, Any]]:
    """Return a row for each submission; ranks are those of its team if it is the one that counts."""
    left_out, ranked_teams = names_left_out(ranking.violations), set(ranking.teams)
    ranks_of_name = _ranks_of_name(ranking) if ranking.team_records else {}
    rows = []
    for record in ranking.records:
        name, entry = record.submission.name, record.entry
        ranks = ranks_of_name.get(name, (None, None, None))
        why_not_ranked = "" if ranks[0] else "another submission of the team counts"
        if record.submission.team not in ranked_teams:
            why_not_ranked = "the team has no submission that counts"
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
    names = [record.submission.name for record in ranking.team_records]
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


def _read_ranking(folder: Path, saved_ranking: Mapping[str, Any], task: Task) -> Ranking:
    facts = Facts(**saved_ranking["facts"])
    records, team_records = list[Record](), list[Record]()
    for row in saved_ranking["submissions"]:
        record = stored_record(folder, row)
        records.append(record)
        if row["rank"] is not None:
            team_records.append(record)
    team_records = best_first(team_records, task)
    record_of_name = {record.submission.name: record for record in records}
    violations = []
    for row in saved_ranking["violations"]:
        record = record_of_name[row["submission"]]
        violations.append(Violation(record, Rule[row["rule"]], str(row["reason"]), bool(row["is_ranked"])))
    winner = saved_ranking["winner"]
    return Ranking(
        task=task,
        facts=replace(
            facts, baselines=[Baseline(**baseline) for baseline in saved_ranking["facts"]["baselines"]]
        ),
        records=records,
        team_records=team_records,
        winner=_read_winner(folder, winner, team_records, task) if winner else None,
        violations=violations,
        deleted=[Deleted(**row) for row in saved_ranking["deleted"]],
        board=[BoardComparison(**row) for row in saved_ranking["board"]],
        changes=[Change(**row) for row in saved_ranking["changes"]],
        n_changed_items=int(saved_ranking["n_changed_items"]),
        run_before=str(saved_ranking["run_before"]),
        names_file=str(saved_ranking["names_file"]),
    )


def _read_winner(
    folder: Path, saved_ranking: Mapping[str, Any], team_records: Sequence[Record], task: Task
) -> WinnerLine:
    rule = WinnerRule(**saved_ranking["rule"])
    record = stored_record(folder, saved_ranking["submission"]) if saved_ranking["submission"] else None
    return winner_line(rule, WinnerBaseline(saved_ranking["score"], record), team_records, task)
