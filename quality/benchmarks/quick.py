"""A quick look at the built programs: processor times at a tenth of the full size, as ratios."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from organizer.bundle.programs import build_program
from organizer.runs.worker import BuiltTask
from quality.benchmarks.programs import FLOOR, TIME_LIMIT, successful_run, write_in_other_process

_SCALE = 0.1
_TURNS = 3


class _Turn(NamedTuple):
    """Processor seconds of one run each, one after the other, so that a slow moment hits all."""

    start: float
    floor: float
    program: float


def print_quick(task_ids: list[str]) -> None:
    """Print what each program takes in ratio to the start of Python with numpy and yaml, and to the floor."""
    print(f"processor time (user and system) at scale {_SCALE:g}, medians of {_TURNS} runs in turns")
    print("| task | start | floor | program | program / start | program / floor |\n|---|---|---|---|---|---|")
    for task_id in task_ids:
        with tempfile.TemporaryDirectory() as folder:
            print(_row(task_id, Path(folder)), flush=True)


def _row(task_id: str, folder: Path) -> str:
    """Return the row of one task; the data are written into ``folder``."""
    write_in_other_process(task_id, _SCALE, folder)
    submission = folder / "submission.zip"
    program = build_program(task_id)
    built = BuiltTask(id=task_id, program=program, reference=folder / "ref", time_limit=TIME_LIMIT)

    def take_turn() -> _Turn:
        return _Turn(
            start=_processor_time(lambda: _run_python("import numpy, yaml")),
            floor=_processor_time(lambda: _run_python(FLOOR, str(submission))),
            program=_processor_time(lambda: successful_run(built, submission, folder / "app")),
        )

    turns = [take_turn() for _ in range(_TURNS)]
    cells = [
        task_id,
        f"{median(turn.start for turn in turns):.2f} s",
        f"{median(turn.floor for turn in turns):.2f} s",
        f"{median(turn.program for turn in turns):.2f} s",
        f"{median(turn.program / turn.start for turn in turns):.2f}",
        f"{median(turn.program / turn.floor for turn in turns):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _run_python(code: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)


def _processor_time(run: Callable[[], object]) -> float:
    """Return the processor seconds of the processes that a function starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
