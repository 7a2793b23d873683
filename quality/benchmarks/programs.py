"""Measuring the built programs: seconds of each stage, beside the time that reading the files alone takes."""

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

from organizer.bundle.programs import program_files
from organizer.files import zip_bytes
from organizer.runs.worker import BuiltTask, Run, run_program
from quality.demo_data import write_full_size

_REPEATS = 5
_TIME_LIMIT = 3600.0
_STAGES = ("reference", "submission", "score", "interval", "error_costs", "sections", "notes", "report")

# The floor: only reading a submission, on one core. Unzip, json.loads with the collector off, and for PNGs in
# base64 their inflation. It prints the seconds and the peak memory in MB.
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

# Runs the program, and tells the seconds of each stage at any level of detail.
_SCORE_WITH_STAGES = """
import runpy, sys
from pathlib import Path
runpy.run_path(str(Path(__file__).with_name("score.py")))
from scoring_program import run
run.shown_seconds = lambda seconds_of_stage, detail: dict(seconds_of_stage)
sys.exit(run.main(sys.argv[1:]))
"""


def print_programs(task_ids: Sequence[str], scales: Sequence[float]) -> None:
    """Print a table with the medians of several runs of each task's program at each scale."""
    print(f"interpreter with numpy and yaml: {_interpreter_start():.2f} s")
    titles = ["task", "size", "submission", "floor", *_STAGES, "total", "total / floor", "peak memory"]
    print(f"| {' | '.join(titles)} | floor's peak |\n|{'---|' * (len(titles) + 1)}")
    for task_id in task_ids:
        program = _program_with_stages(task_id)
        for scale in scales:
            with tempfile.TemporaryDirectory() as folder:
                print(_program_row(task_id, program, scale, Path(folder)), flush=True)


def _program_with_stages(task_id: str) -> bytes:
    """Return the program of a task that tells the seconds of each stage."""
    files = program_files(task_id)
    command = files["metadata.yaml"].replace(b"score.py", b"score_with_stages.py")
    return zip_bytes({**files, "metadata.yaml": command, "score_with_stages.py": _SCORE_WITH_STAGES.encode()})


def _program_row(task_id: str, program: bytes, scale: float, folder: Path) -> str:
    """Return the row of one task at one scale; the data are written into ``folder``."""
    _write_in_other_process(task_id, scale, folder)
    submission = folder / "submission.zip"
    built = BuiltTask(id=task_id, program=program, reference=folder / "ref", time_limit=_TIME_LIMIT)
    floor_seconds, floor_mb = _floor(submission)
    runs = [_successful_run(built, submission, folder / "app") for _ in range(_REPEATS)]
    total = median(run.seconds for run in runs)
    peak_mb = max(run.peak_mb or 0 for run in runs)
    cells = [
        task_id,
        f"{scale:g}",
        f"{submission.stat().st_size / 1e6:.1f} MB",
        f"{floor_seconds:.2f} s",
        *(f"{seconds:.2f} s" for seconds in _median_stages(runs)),
        f"{total:.2f} s",
        f"{total / floor_seconds:.2f}",
        f"{peak_mb:.0f} MB",
        f"{floor_mb:.0f} MB",
    ]
    return f"| {' | '.join(cells)} |"


def _write_in_other_process(task_id: str, scale: float, folder: Path) -> None:
    """Write the data in a process of its own.

    The peak memory of a process begins at that of the process that started it, and making data up takes more
    than scoring them.
    """
    writer = multiprocessing.Process(target=_write_data, args=(task_id, scale, folder))
    writer.start()
    writer.join()
    if writer.exitcode:
        raise RuntimeError("the data could not be written")


def _write_data(task_id: str, scale: float, folder: Path) -> None:
    """Write ``folder/ref``, prepared as organizers do it, and ``folder/submission.zip``."""
    files = write_full_size(task_id, scale, folder)
    (folder / "submission.zip").write_bytes(zip_bytes(files))


def _successful_run(built: BuiltTask, submission: Path, app: Path) -> Run:
    """Return a run of the program in the folder ``app``.

    Raises RuntimeError if it does not score the submission.
    """
    # The platform unzips a submission before the program starts; here the program does it, as at home.
    run = run_program(built, submission, app, None, packed=True)
    if run.exit_code != 0:
        raise RuntimeError(run.stderr)
    return run


def _median_stages(runs: list[Run]) -> list[float]:
    """Return the median seconds of each stage over several runs."""
    seconds_of_stage_by_run = []
    for run in runs:
        details = json.loads(run.outputs["detailed_results.json"])
        seconds_of_stage_by_run.append(details["stages"])
    medians = []
    for stage in _STAGES:
        medians.append(median(seconds.get(stage, 0.0) for seconds in seconds_of_stage_by_run))
    return medians


def _floor(submission: Path) -> tuple[float, float]:
    """Return the median seconds and peak memory, in MB, of reading a submission alone, each time in a process
    of its own."""
    command = [sys.executable, "-c", _FLOOR, str(submission)]
    measurements = []
    for _ in range(_REPEATS):
        process = subprocess.run(command, check=True, capture_output=True, text=True)
        measurements.append(json.loads(process.stdout))
    return median(seconds for seconds, _ in measurements), median(peak_mb for _, peak_mb in measurements)


def _interpreter_start() -> float:
    """Return the median seconds that Python takes to start and to import numpy and yaml."""
    seconds = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import numpy, yaml"], check=True)
        seconds.append(time.perf_counter() - begin)
    return median(seconds)
