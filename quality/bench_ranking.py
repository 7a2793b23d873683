"""Measuring rankings on data of the real challenges' size."""

from __future__ import annotations

import resource
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from organizer.bundle.parts import build_program
from organizer.files import Files, zip_bytes
from organizer.ranking import tables
from organizer.ranking.command import Choices, rescore
from organizer.ranking.statistics import ranking_of
from organizer.runs.rescore import Options, Record, score_all
from organizer.runs.submissions import Submission, find_submissions
from organizer.runs.worker import BuiltTask
from quality.demo_data import finest_task, write_full_size
from scoring_program.task import load_task
from validator.workers import usable_cores

MANY = 1000
_TEAMS = 100
_TIME_LIMIT = 3600.0


def run_ranking_bench(ids: Sequence[str]) -> None:
    """Print what a ranking of 100 and of 1,000 teams takes after scoring, and 1,000 submissions from zips to
    pages."""
    print(
        "| task | items | 100 teams: statistics | 100 teams: tables | 1,000 teams: statistics | peak memory |"
    )
    print("|---|---|---|---|---|---|")
    for name in ids:
        with tempfile.TemporaryDirectory() as folder:
            print(_after_scoring(name, Path(folder)), flush=True)
    many = finest_task()
    if many in ids:
        print("| task | submissions | workers | seconds | a second | processor time of each |")
        print("|---|---|---|---|---|---|")
        for workers in sorted({1, usable_cores()}):
            with tempfile.TemporaryDirectory() as folder:
                print(_many(many, Path(folder), workers), flush=True)


def _data(name: str, folder: Path) -> tuple[BuiltTask, Files]:
    """Return a full-size task, and the files of a submission to it."""
    submission = write_full_size(name, 1.0, folder)
    return BuiltTask(name, build_program(name), folder / "ref", _TIME_LIMIT), submission


def _after_scoring(name: str, folder: Path) -> str:
    built, submission = _data(name, folder)
    (folder / "in").mkdir()
    (folder / "in" / "a.zip").write_bytes(zip_bytes(submission))
    with find_submissions(folder / "in") as found:
        (record,) = score_all(built, found, folder / "out", "", Options())
    pick, task = np.random.RandomState(1), load_task(name)
    records = [_like(record, f"team {number}", pick) for number in range(MANY)]
    begin = time.perf_counter()
    ranking = ranking_of(records[:_TEAMS], task)
    assert ranking  # noqa: S101 - all are scored
    ranked = time.perf_counter()
    for write in (tables.ranking_csv, tables.pairs_csv, tables.items_csv):
        write(ranking)
    written = time.perf_counter()
    ranking_of(records, task)
    end = time.perf_counter()
    # Once more, because tracing takes time; the memory of the records does not count.
    tracemalloc.start()
    ranking_of(records, task)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    hundred = f"{ranked - begin:.2f} s | {written - ranked:.2f} s"
    return f"| {name} | {len(ranking.items)} | {hundred} | {end - written:.2f} s | {peak:.0f} MB |"


def _like(record: Record, team: str, pick: np.random.RandomState) -> Record:
    """Return a record whose scores differ by chance from those of another."""
    entry = record.entry
    first, second = (
        (np.array(half) + pick.normal(0, 0.01, len(half))).tolist() for half in (entry.first, entry.second)
    )
    own = Submission(f"{team}.zip", team, "", Path())
    score = entry.score + pick.normal(0, 0.01)
    return replace(record, submission=own, entry=replace(entry, score=score, first=first, second=second))


def _many(name: str, folder: Path, workers: int) -> str:
    built, submission = _data(name, folder)
    pick = np.random.RandomState(1)
    (folder / "in").mkdir()
    for number in range(MANY):
        kept = {file: data for file, data in submission.items() if pick.rand() > 0.02}
        (folder / "in" / f"{number}.zip").write_bytes(zip_bytes(kept))
    begin, used = time.perf_counter(), _processor_seconds()
    if rescore(built, folder / "in", folder / "out", Choices(engine=Options(workers=workers))):
        raise RuntimeError("the submissions could not be scored")
    seconds, used = time.perf_counter() - begin, _processor_seconds() - used
    each = f"{1000 * used / MANY:.0f} ms"
    return f"| {name} | {MANY:,} | {workers} | {seconds:.1f} s | {MANY / seconds:.1f} | {each} |"


def _processor_seconds() -> float:
    """Return what this process and those that it waited for have used."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in found)
