"""Measuring the built programs, rankings and readers of CSV files on data of the real challenges' size."""

from __future__ import annotations

import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from organizer.bundle.parts import build_program
from organizer.files import Files, zip_bytes
from organizer.ranking import tables
from organizer.ranking.command import Choices, rescore
from organizer.ranking.statistics import ranking_of
from organizer.runs.rescore import Options, Record, score_all
from organizer.runs.submissions import Submission, find_submissions
from organizer.runs.worker import BuiltTask, Run, run_program
from quality.demo_data import finest_task, write_full_size
from scoring_program.task import load_task
from validator.csv_files import read_csv_files, read_table
from validator.formats.rules import CsvRules, Field
from validator.workers import usable_cores

_REPEATS = 5
_TIME_LIMIT = 3600.0
_STAGES = ("reference", "submission", "score", "interval", "error_costs", "report")
_MANY = 1000
_TEAMS = 100
_ROWS, _FILES = 1_000_000, 1000
_ITEMS = CsvRules(
    "{key}.csv", (Field("class", maximum=20), Field("start"), Field("end")), order=("start", "end")
)
_KEYED = CsvRules(
    "table.csv",
    (Field("id", "string"), Field("label", "string", enum=("a", "b")), Field("share", "number", minimum=0)),
    key="id",
)

# The time only to read a submission, on one core: unzip, json.loads with the collector off, and for
# PNGs in base64 their inflation.
_FLOOR = """
import base64, gc, io, json, resource, sys, time, zipfile
gc.disable()
begin = time.perf_counter()
with zipfile.ZipFile(sys.argv[1]) as archive:
    for info in archive.infolist():
        data = archive.read(info)
        if info.filename.endswith(".json"):
            value = json.loads(data)
            if isinstance(value, list):
                from PIL import Image
                for text in (text for entry in value for text in entry.values() if str(text)[:5] == "iVBOR"):
                    Image.open(io.BytesIO(base64.b64decode(text))).load()
print(json.dumps([time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def run_bench(ids: Sequence[str], scales: Sequence[float]) -> int:
    """Print medians of five runs for each task and scale; at scale 1 measure CSV files and rankings, too."""
    print(f"interpreter with numpy and yaml: {median(_interpreter_start() for _ in range(_REPEATS)):.2f} s")
    titles = ("task", "size", "submission", "floor", *_STAGES, "total", "total / floor", "peak memory")
    print(f"| {' | '.join(titles)} | floor's peak |\n|{'---|' * (len(titles) + 1)}")
    for name in ids:
        program = build_program(name)
        for scale in scales:
            with tempfile.TemporaryDirectory() as folder:
                print(_measured(name, program, scale, Path(folder)), flush=True)
    if scales == [1.0]:
        _measure_csv_files()
        _measure_rankings(ids)
    return 0


def _measured(name: str, program: bytes, scale: float, folder: Path) -> str:
    # In a process of its own: the peak memory of a process begins at that of the one that started it.
    writer = multiprocessing.Process(target=_write, args=(name, scale, folder))
    writer.start()
    writer.join()
    if writer.exitcode:
        raise RuntimeError("the data could not be written")
    built, submission = BuiltTask(name, program, folder / "ref", _TIME_LIMIT), folder / "submission.zip"
    floor, floor_peak = map(median, zip(*(_floor(submission) for _ in range(_REPEATS))))
    runs = [_run(built, submission, folder) for _ in range(_REPEATS)]
    total, peak = median(run.seconds for run in runs), max(run.peak_mb or 0 for run in runs)
    of_stages = [json.loads(run.outputs["detailed_results.json"])["stages"] for run in runs]
    stages = [median(seconds.get(stage, 0.0) for seconds in of_stages) for stage in _STAGES]
    shown = " | ".join(f"{seconds:.2f} s" for seconds in (floor, *stages, total))
    size, peaks = f"{submission.stat().st_size / 1e6:.1f} MB", f"{peak:.0f} MB | {floor_peak:.0f} MB"
    return f"| {name} | {scale:g} | {size} | {shown} | {total / floor:.2f} | {peaks} |"


def _write(name: str, scale: float, folder: Path) -> None:
    """Write ``folder/ref``, prepared as organizers do it, and ``folder/submission.zip``."""
    (folder / "submission.zip").write_bytes(zip_bytes(write_full_size(name, scale, folder)))


def _run(built: BuiltTask, submission: Path, folder: Path) -> Run:
    # The platform unzips a submission before the program starts; here the program does it, as at home.
    run = run_program(built, submission, folder / "app", packed=True)
    if run.exit_code != 0:
        raise RuntimeError(run.stderr)
    return run


def _floor(submission: Path) -> tuple[float, float]:
    """Return the seconds and the MB that reading a submission takes, in a process of its own."""
    command = [sys.executable, "-c", _FLOOR, str(submission)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def _interpreter_start() -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numpy, yaml"], check=True)
    return time.perf_counter() - begin


def _measure_csv_files() -> None:
    """Print the processor time that a million rows take: of 1,000 files without a header, and of a table."""
    rng = np.random.default_rng(1)
    starts, classes = rng.integers(1, 100_000, _ROWS), rng.integers(1, 21, _ROWS)
    lines = [f"{label},{start},{start + 30}\n" for label, start in zip(classes.tolist(), starts.tolist())]
    files = [(f"{i:04}", f"{i:04}.csv", "".join(lines[i::_FILES]).encode()) for i in range(_FILES)]
    keys = [f"item{number:07}" for number in range(_ROWS)]
    rows = (f"{key},{'ab'[start % 2]},{start / 100_000}\n" for key, start in zip(keys, starts.tolist()))
    table = ("id,label,share\n" + "".join(rows)).encode()
    print("| rows of CSV files | without a header | with a header and keys |\n|---|---|---|")
    seconds = (
        _processor_time(lambda: read_csv_files(files, _ITEMS)),
        _processor_time(lambda: read_table(table, "", _KEYED, keys)),
    )
    print(f"| {_ROWS:,} | {seconds[0]:.2f} s | {seconds[1]:.2f} s |", flush=True)


def _processor_time(read: Callable[[], object]) -> float:
    def once() -> float:
        begin = time.process_time()
        read()
        return time.process_time() - begin

    return median(once() for _ in range(_REPEATS))


def _measure_rankings(ids: Sequence[str]) -> None:
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
    records = [_like(record, f"team {number}", pick) for number in range(_MANY)]
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
    for number in range(_MANY):
        kept = {file: data for file, data in submission.items() if pick.rand() > 0.02}
        (folder / "in" / f"{number}.zip").write_bytes(zip_bytes(kept))
    begin, used = time.perf_counter(), _processor_seconds()
    if rescore(built, folder / "in", folder / "out", Choices(engine=Options(workers=workers))):
        raise RuntimeError("the submissions could not be scored")
    seconds, used = time.perf_counter() - begin, _processor_seconds() - used
    each = f"{1000 * used / _MANY:.0f} ms"
    return f"| {name} | {_MANY:,} | {workers} | {seconds:.1f} s | {_MANY / seconds:.1f} | {each} |"


def _processor_seconds() -> float:
    """Return what this process and those that it waited for have used."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in found)
