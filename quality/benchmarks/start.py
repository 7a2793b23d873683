"""Measuring what a built program holds, and what a run of a good sample imports and compiles of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from organizer.bundle.programs import program_files
from organizer.bundle.public_files import demo_reference, sample_files
from organizer.files import write_files

_VENDOR = "scoring_program/vendor/"
# Runs a program, then compiles each module that it imported: prints how many, their lines,
# and milliseconds, the least of some tries.
_IMPORTED = """
import contextlib, io, json, runpy, sys, time
from pathlib import Path
program = Path(sys.argv[1]).resolve()
sys.argv = [str(program / "score.py"), *sys.argv[2:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    runpy.run_path(sys.argv[0], run_name="__main__")
paths = {Path(getattr(module, "__file__", None) or "/") for module in list(sys.modules.values())}
paths = sorted(path for path in paths if program in path.parents and "vendor" not in path.parts)
texts = [path.read_text(encoding="utf-8") for path in paths]
seconds = 0.0
for path, text in zip(paths, texts):
    tries = []
    for _ in range(5):
        begin = time.perf_counter()
        compile(text, str(path), "exec")
        tries.append(time.perf_counter() - begin)
    seconds += min(tries)
print(json.dumps([len(texts), sum(text.count("\\n") for text in texts), 1000 * seconds]))
"""


class StartRow(NamedTuple):
    """What a program holds and imports: modules and lines, those of other packages not counted."""

    n_modules: int
    n_lines: int
    n_imported_modules: int
    n_imported_lines: int
    compiling_ms: float


def measure_start(task_id: str) -> StartRow:
    """Return what the built program of a task holds, and what scoring the good sample imports."""
    files = program_files(task_id)
    modules = [data for name, data in files.items() if name.endswith(".py") and not name.startswith(_VENDOR)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(files, folder / "program")
        write_files(demo_reference(task_id), folder / "input" / "ref")
        write_files(sample_files(task_id, "good"), folder / "input" / "res")
        places = [str(folder / place) for place in ("program", "input", "output")]
        done = subprocess.run(
            [sys.executable, "-c", _IMPORTED, *places], capture_output=True, text=True, check=True
        )
    n_imported, n_lines_imported, compiling_ms = json.loads(done.stdout.splitlines()[-1])
    return StartRow(
        n_modules=len(modules),
        n_lines=sum(data.count(b"\n") for data in modules),
        n_imported_modules=n_imported,
        n_imported_lines=n_lines_imported,
        compiling_ms=compiling_ms,
    )


def print_starts(task_ids: list[str]) -> None:
    """Print a table of what programs hold and import."""
    titles = ["task", "modules packed", "lines", "modules imported", "lines", "compiling"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for task_id in task_ids:
        row = measure_start(task_id)
        cells = [
            f"{row.n_modules}",
            f"{row.n_lines:,}",
            f"{row.n_imported_modules}",
            f"{row.n_imported_lines:,}",
        ]
        print(f"| {task_id} | {' | '.join(cells)} | {row.compiling_ms:.0f} ms |", flush=True)
