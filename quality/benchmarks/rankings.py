"""Measuring rankings: statistics and tables of many teams, and many submissions from their zips to pages."""

from __future__ import annotations

import resource
import tempfile
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np

from organizer.bundle.programs import build_program
from organizer.files import Files, zip_bytes
from organizer.ranking import tables
from organizer.ranking.command import Choices, rescore
from organizer.ranking.ranking import Facts, Ranking
from organizer.ranking.statistics import best_first
from organizer.runs.rescore import Options, Record, score_all
from organizer.runs.submissions import Submission, find_submissions
from organizer.runs.worker import BuiltTask
from quality.benchmarks.programs import TIME_LIMIT
from quality.demo_data import finest_task, write_full_size
from scoring_program.task import Task, load_task
from validator.cores import usable_cores

_MANY = 1000
_TEAMS = 100
# The share of its files that each of many submissions lacks, so that they differ.
_LEFT_OUT = 0.02


def print_rankings(task_ids: list[str]) -> None:
    """Print what a ranking of 100 and of 1,000 teams takes after scoring, for each task.

    One task, that with the most files, also scores 1,000 submissions from their zips to the pages.
    """
    print(
        "| task | items | 100 teams: statistics | 100 teams: tables | 1,000 teams: statistics | peak memory |"
    )
    print("|---|---|---|---|---|---|")
    for task_id in task_ids:
        with tempfile.TemporaryDirectory() as folder:
            print(_statistics_row(task_id, Path(folder)), flush=True)
    task_id = finest_task()
    if task_id in task_ids:
        print("| task | submissions | workers | seconds | a second | processor time of each |")
        print("|---|---|---|---|---|---|")
        for n_workers in sorted({1, usable_cores()}):
            with tempfile.TemporaryDirectory() as folder:
                print(_submissions_row(task_id, Path(folder), n_workers), flush=True)


def _full_size(task_id: str, folder: Path) -> tuple[BuiltTask, Files]:
    """Return a task with a full-size reference, which is written into ``folder``, and a submission to it."""
    submission = write_full_size(task_id, 1.0, folder)
    program = build_program(task_id)
    built = BuiltTask(id=task_id, program=program, reference=folder / "ref", time_limit=TIME_LIMIT)
    return built, submission


def _statistics_row(task_id: str, folder: Path) -> str:
    """Return what the statistics and tables of a ranking take, without scoring."""
    records = _records_of_teams(task_id, folder)
    task = load_task(task_id)
    begin = time.perf_counter()
    ranking = _ranking_of(records[:_TEAMS], task)
    after_hundred = time.perf_counter()
    for table in (tables.ranking_csv, tables.pairs_csv, tables.items_csv):
        table(ranking)
    after_tables = time.perf_counter()
    _ranking_of(records, task)
    after_thousand = time.perf_counter()
    # Once more, because tracing takes time; the memory of the records does not count.
    tracemalloc.start()
    _ranking_of(records, task)
    peak_mb = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    cells = [
        task_id,
        str(len(records[0].entry.items)),
        f"{after_hundred - begin:.2f} s",
        f"{after_tables - after_hundred:.2f} s",
        f"{after_thousand - after_tables:.2f} s",
        f"{peak_mb:.0f} MB",
    ]
    return f"| {' | '.join(cells)} |"


def _ranking_of(records: list[Record], task: Task) -> Ranking:
    """Return the ranking of records, with all pairs of teams."""
    team_records = best_first(records, task)
    ranking = Ranking(task=task, facts=Facts(), records=records, team_records=team_records)
    if ranking.comparison.n_items < 1:
        raise RuntimeError("the submissions could not be scored")
    return ranking


def _records_of_teams(task_id: str, folder: Path) -> list[Record]:
    """Return records of many teams: one submission is scored, and the others differ from it by chance."""
    built, submission = _full_size(task_id, folder)
    (folder / "in").mkdir()
    (folder / "in" / "a.zip").write_bytes(zip_bytes(submission))
    with find_submissions(folder / "in") as submissions:
        (record,) = score_all(built, submissions, folder / "out", "", Options())
    random = np.random.RandomState(1)
    return [_similar_record(record, f"team {number}", random) for number in range(_MANY)]


def _similar_record(record: Record, team: str, random: np.random.RandomState) -> Record:
    """Return the record of another team, whose scores differ by chance."""
    entry = record.entry
    first = np.array(entry.first) + random.normal(0, 0.01, len(entry.first))
    second = np.array(entry.second) + random.normal(0, 0.01, len(entry.second))
    score = entry.score + random.normal(0, 0.01)
    return replace(
        record,
        submission=Submission(f"{team}.zip", team, "", Path()),
        entry=replace(entry, score=score, first=first.tolist(), second=second.tolist()),
    )


def _submissions_row(task_id: str, folder: Path, n_workers: int) -> str:
    """Return what many submissions take from their zips to the pages of the ranking."""
    built, submission = _full_size(task_id, folder)
    random = np.random.RandomState(1)
    (folder / "in").mkdir()
    for number in range(_MANY):
        files = {name: data for name, data in submission.items() if random.rand() > _LEFT_OUT}
        (folder / "in" / f"{number}.zip").write_bytes(zip_bytes(files))
    begin = time.perf_counter()
    processor_begin = _processor_seconds()
    if rescore(built, folder / "in", folder / "out", Choices(engine=Options(workers=n_workers))):
        raise RuntimeError("the submissions could not be scored")
    seconds = time.perf_counter() - begin
    processor_ms = 1000 * (_processor_seconds() - processor_begin)
    cells = [
        task_id,
        f"{_MANY:,}",
        str(n_workers),
        f"{seconds:.1f} s",
        f"{_MANY / seconds:.1f}",
        f"{processor_ms / _MANY:.0f} ms",
    ]
    return f"| {' | '.join(cells)} |"


def _processor_seconds() -> float:
    """Return the seconds of processor time of this process and of those that it waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
