"""The rankings that ``rescore`` left in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from organizer.ranking.command import RUNS
from organizer.ranking.eligibility import ranked_records
from organizer.ranking.run import About, RankingRun
from organizer.ranking.statistics import ranking_of
from organizer.ranking.winner_rule import stored_winner
from organizer.runs.rescore import stored_record
from people_in_video.comparing.standings import Baseline
from scoring_program.task import load_task


class NoRankingError(Exception):
    """A folder holds no complete ranking."""


def read_stored_rankings(folder: Path, task_id: str = "") -> list[RankingRun]:
    """Return what ``rescore`` ranked last, a ranking for each protocol.

    Parameters
    ----------
    folder : Path
        The folder that ``rescore`` has written.
    task_id : str
        The task that was ranked; "" for any.

    Raises
    ------
    NoRankingError
        There is no complete ranking, or one of another task.
    """
    try:
        data = json.loads((folder / RUNS).read_text(encoding="utf-8"))
        (ranked_task_id,) = data["runs"]
        runs = _rankings(folder, data, ranked_task_id)
    # What is no complete ranking raises one of many exceptions, as its JSON may have any form.
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NoRankingError from error
    if not runs or ranked_task_id != (task_id or ranked_task_id):
        raise NoRankingError
    return runs


def _rankings(folder: Path, data: Mapping[str, Any], task_id: str) -> list[RankingRun]:
    """Return the ranking by each protocol."""
    task = load_task(task_id)
    baselines = [Baseline(*fields) for fields in data["about"]["baselines"]]
    about = replace(About(**data["about"]), baselines=baselines)
    runs = []
    for protocol, saved_run in data["runs"][task_id].items():
        records = [stored_record(folder, saved) for saved in saved_run["records"]]
        ranking = ranking_of(ranked_records(records, saved_run["left_out"]), task, about.keep)
        saved_winner = data.get("winners", {}).get(protocol)
        winner = stored_winner(saved_winner, folder, ranking) if saved_winner and ranking else None
        runs.append(
            RankingRun(
                task=task,
                about=about,
                protocol=protocol,
                records=records,
                ranking=ranking,
                winner=winner,
                n_left_out={
                    reason: int(number) for reason, number in saved_run.get("n_left_out", {}).items()
                },
            )
        )
    return runs
