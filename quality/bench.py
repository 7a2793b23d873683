"""Measuring the built programs on data of the real challenges' size."""

from __future__ import annotations

import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from organizer.bundle.parts import build_program
from organizer.files import zip_bytes
from organizer.runs.worker import BuiltTask, Run, run_program
from quality.bench_ranking import run_ranking_bench
from quality.demo_data import write_full_size

_REPEATS = 5
_TIME_LIMIT = 3600.0
_STAGES = ("reference", "submission", "score", "interval", "losses", "report")

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


def bench_command(ids: list[str], scales: list[float]) -> int:
    """Measure scoring and, at the real size, rankings."""
    run_bench(ids, scales)
    if scales == [1.0]:
        run_ranking_bench(ids)
    return 0


def run_bench(ids: list[str], scales: list[float]) -> None:
    """Measure each task at each scale and print a table; medians of five runs."""
    start = _interpreter_start()
    print(f"interpreter with numpy and yaml: {start:.2f} s")
    stages = " | ".join(_STAGES)
    print(
        f"| task | size | submission | floor | {stages} | total | total / floor | peak memory | "
        "floor's peak |"
    )
    print("|" + "---|" * (len(_STAGES) + 8))
    for name in ids:
        program = build_program(name)
        for scale in scales:
            with tempfile.TemporaryDirectory() as folder:
                print(_measure(name, program, scale, Path(folder)), flush=True)


def _measure(name: str, program: bytes, scale: float, folder: Path) -> str:
    # In a process of its own: the peak memory of a process begins at that of the one that started it.
    maker = multiprocessing.Process(target=_make, args=(name, scale, folder))
    maker.start()
    maker.join()
    if maker.exitcode:
        raise RuntimeError("the data could not be made")
    built, submission = BuiltTask(name, program, folder / "ref", _TIME_LIMIT), folder / "submission.zip"
    floors = [_floor(submission) for _ in range(_REPEATS)]
    floor, floor_peak = (statistics.median(values) for values in zip(*floors))
    runs = [_run(built, submission, folder) for _ in range(_REPEATS)]
    total = statistics.median(run.seconds for run in runs)
    peak = max(run.peak_mb or 0 for run in runs)
    stages = [statistics.median(_stage_seconds(run, stage) for run in runs) for stage in _STAGES]
    shown = " | ".join(f"{seconds:.2f} s" for seconds in stages)
    return (
        f"| {name} | {scale:g} | {submission.stat().st_size / 1e6:.1f} MB | {floor:.2f} s | {shown} | "
        f"{total:.2f} s "
        f"| {total / floor:.2f} | {peak:.0f} MB | {floor_peak:.0f} MB |"
    )


def _make(name: str, scale: float, folder: Path) -> None:
    """Write ``folder/ref``, prepared as organizers do it, and ``folder/submission.zip``."""
    (folder / "submission.zip").write_bytes(zip_bytes(write_full_size(name, scale, folder)))


def _stage_seconds(run: Run, stage: str) -> float:
    stages: dict[str, float] = json.loads(run.outputs["detailed_results.json"])["stages"]
    return stages.get(stage, 0.0)


def _run(built: BuiltTask, submission: Path, folder: Path) -> Run:
    # The platform unzips a submission before the program starts; here the program does it, as it does at
    # home.
    run = run_program(built, submission, folder / "app", packed=True)
    if run.exit_code != 0:
        raise RuntimeError(run.stderr)
    return run


def _floor(submission: Path) -> tuple[float, float]:
    """Return the seconds and the MB that reading a submission takes, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _FLOOR, str(submission)], check=True, capture_output=True, text=True
    )
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def _interpreter_start() -> float:
    times = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import numpy, yaml"], check=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)
