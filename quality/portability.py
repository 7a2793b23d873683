"""Golden cases through the built programs under several interpreters: scores.json must be the same bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from organizer.bundle.parts import build_program
from organizer.data.prepare import reference_files
from organizer.files import unpack, write_files
from quality import ROOT
from scoring_program.task import task_ids
from validator.findings import counted
from validator.workers import usable_cores

# The exit code, and scores.json or the log.
_Outcome = tuple[int, str]

# Runs in the interpreter that is tried, with the unpacked program.
_DRIVER = """
import contextlib, io, json, pathlib, sys
program, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(program))
sys.path.append(str(program / "scoring_program" / "vendor"))
from functools import partial
from scoring_program.run import load_folder, run
from scoring_program.task import task_ids
name, = task_ids()
outcomes = {}
for case, reference, submission in json.loads(sys.stdin.read()):
    log = io.StringIO()
    with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        load = partial(load_folder, name, pathlib.Path(reference))
        code = run(load, pathlib.Path(submission), work).exit_code
    scores = work / "scores.json"
    outcomes[case] = code, scores.read_text() if scores.exists() else log.getvalue()
print(json.dumps(outcomes))
"""


def run_portability(pythons: Sequence[str]) -> int:
    """Try this interpreter and others (commands), print what differs; return 1 if anything does.

    An interpreter needs numpy, scipy, pyyaml and, for images, Pillow; msgspec may be missing.
    """
    if missing := [python for python in pythons if not shutil.which(python)]:
        print(f"there is no command {', '.join(missing)}; give interpreters, as in: python3.9 python3.12")
        return 1
    wrong = 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(usable_cores()) as threads:
        folder = Path(name)
        cases = {task_id: list(_cases(task_id, folder / "prepared" / task_id)) for task_id in task_ids()}
        for task_id in cases:
            unpack(build_program(task_id), folder / task_id)
        first: dict[str, _Outcome] = {}
        for python in [sys.executable, *pythons]:
            programs = [folder / task_id for task_id in cases]
            parts = threads.map(_run, repeat(python), programs, cases.values())
            outcomes = {case: outcome for part in parts for case, outcome in part.items()}
            first = first or outcomes
            differing = sorted(case for case in outcomes if outcomes[case] != first[case])
            failed = sorted(case for case, (code, _) in outcomes.items() if code)
            wrong += len(differing) + len(failed)
            counts = f"{counted(len(outcomes), 'case')}, different: {len(differing)}, failed: {len(failed)}"
            print(f"{_describe(python)}: {counts}", flush=True)
            for case in [*differing, *failed][:10]:
                print("  {}: exit {}: {:.300}".format(case, *outcomes[case]))
    return 1 if wrong else 0


def _cases(task_id: str, prepared: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, reference folder, prepared where needed, and submission of the golden cases."""
    for path in sorted((ROOT / "tests" / "golden" / task_id).glob("*/expected.json")):
        case, reference = path.parent, prepared / path.parent.name
        reference.mkdir(parents=True)
        write_files(reference_files(task_id, case / "ref"), reference)
        yield f"{task_id}/{case.name}", str(reference), str(case / "res")


def _run(python: str, program: Path, cases: list[tuple[str, str, str]]) -> dict[str, _Outcome]:
    with tempfile.TemporaryDirectory() as work:
        command = [python, "-c", _DRIVER, str(program), work]
        done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False)
    if done.returncode:
        return dict.fromkeys((case for case, _, _ in cases), (done.returncode, done.stderr[-300:]))
    return {case: (code, text) for case, (code, text) in json.loads(done.stdout).items()}


def _describe(python: str) -> str:
    code = "import sys, numpy; print('Python %d.%d.%d' % sys.version_info[:3], 'numpy', numpy.__version__)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or python
