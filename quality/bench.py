"""Measuring the built programs on data of the real challenges' size."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from organizer.bundle.parts import build_program
from organizer.files import zip_bytes
from organizer.runs.worker import BuiltTask, Run, run_program
from quality.bench_csv import run_csv_bench
from quality.bench_ranking import run_ranking_bench
from quality.demo_data import write_full_size

_REPEATS = 5
_TIME_LIMIT = 3600.0
_STAGES = ("reference", "submission", "score", "interval", "error_costs", "report")

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
        run_csv_bench()
        run_ranking_bench(ids)
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
