"""Measuring the built programs on data of the real challenges' size."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from challenges import load_challenge
from organizer.build import build_program
from organizer.packing import folder_files, zip_bytes
from organizer.worker import Run, run_program

_REPEATS = 5
_TIME_LIMIT = 3600.0


def run_bench(ids: list[str], scales: list[float]) -> int:
    """Measure each task at each scale and print a table; medians of five runs."""
    start = _interpreter_start()
    print(f"interpreter with numpy and yaml: {start:.2f} s")
    print("| task | times real size | submission | read files | total | beyond the start | peak memory |")
    print("|---|---|---|---|---|---|---|")
    for name in ids:
        program = build_program(name)
        for scale in scales:
            with tempfile.TemporaryDirectory() as folder:
                print(_measure(name, program, scale, Path(folder), start), flush=True)
    return 0


def _measure(name: str, program: bytes, scale: float, folder: Path, start: float) -> str:
    load_challenge(name).demo().write_full_size(folder / "data", scale)
    submission = folder / "submission.zip"
    submission.write_bytes(zip_bytes(folder_files(folder / "data" / "res")))
    runs = [_run(program, folder, submission, name) for _ in range(_REPEATS)]
    reading = statistics.median(_read_all(folder / "data" / "ref", submission) for _ in range(_REPEATS))
    total = statistics.median(run.seconds for run in runs)
    peak = max(run.peak_mb or 0 for run in runs)
    size = submission.stat().st_size / 1e6
    shutil.rmtree(folder / "app")
    return (
        f"| {name} | {scale:g} | {size:.1f} MB | {reading:.2f} s | {total:.2f} s | {total - start:.2f} s "
        f"| {peak:.0f} MB |"
    )


def _run(program: bytes, folder: Path, submission: Path, name: str) -> Run:
    run = run_program(program, folder / "data" / "ref", submission, name, folder / "app", _TIME_LIMIT)
    if run.exit_code != 0:
        raise RuntimeError(run.stderr)
    return run


def _read_all(reference: Path, submission: Path) -> float:
    """Return the seconds it takes to read the reference files and to unzip the submission: the floor."""
    begin = time.perf_counter()
    for path in reference.iterdir():
        path.read_bytes()
    with zipfile.ZipFile(submission) as archive:
        for info in archive.infolist():
            archive.read(info)
    return time.perf_counter() - begin


def _interpreter_start() -> float:
    times = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import numpy, yaml"], check=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)
