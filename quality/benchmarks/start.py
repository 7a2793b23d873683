"""Measuring what a built program holds, and what a run of a good sample imports and compiles of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from organizer.bundle.programs import program_files
from organizer.bundle.public_files import demo_reference, sample_files
from organizer.files import Files, write_files

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


def print_starts(task_ids: Sequence[str]) -> None:
    """Print a table of what programs hold and import, modules of other packages not counted."""
    titles = ["task", "modules packed", "lines", "modules imported", "lines", "compiling"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for task_id in task_ids:
        files = program_files(task_id)
        names = [name for name in files if name.endswith(".py") and not name.startswith(_VENDOR)]
        n_lines = sum(files[name].count(b"\n") for name in names)
        n_imported, n_imported_lines, compiling_ms = _measure_imported(task_id, files)
        cells = f"{task_id} | {len(names)} | {n_lines:,}"
        print(f"| {cells} | {n_imported} | {n_imported_lines:,} | {compiling_ms:.0f} ms |", flush=True)


def _measure_imported(task_id: str, files: Files) -> tuple[int, int, float]:
    """Return how many modules and lines scoring the good sample imports, and how long compiling takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(files, folder / "program")
        write_files(demo_reference(task_id), folder / "input" / "ref")
        write_files(sample_files(task_id, "good"), folder / "input" / "res")
        places = [str(folder / place) for place in ("program", "input", "output")]
        process = subprocess.run(
            [sys.executable, "-c", _IMPORTED, *places], capture_output=True, text=True, check=True
        )
    n_modules, n_lines, compiling_ms = json.loads(process.stdout.splitlines()[-1])
    return n_modules, n_lines, compiling_ms
