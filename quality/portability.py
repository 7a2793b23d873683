"""Golden cases through the built programs under several interpreters: scores.json must be the same bytes."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from organizer.bundle.programs import build_program
from organizer.data.prepare import reference_files
from organizer.files import unpack, write_files
from quality import ROOT
from quality.forks import Run, lay_out_as_platform, run_forks
from scoring_program.task import task_ids
from validator.cores import usable_cores
from validator.findings import Refused
from validator.texts import counted

# The exit code, and scores.json or what went wrong.
_Outcome = tuple[int, str]
_Case = tuple[Path, Path]


def run_portability(pythons: Sequence[str]) -> int:
    """Try this interpreter and others (commands), print what differs; return 1 if anything does.

    An interpreter needs numpy, scipy, pyyaml and, for images, Pillow.
    """
    if missing_pythons := [python for python in pythons if not shutil.which(python)]:
        names = ", ".join(missing_pythons)
        print(f"there is no command {names}; give interpreters, as in: python3.9 python3.12")
        return 1
    n_wrong = 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(usable_cores()) as threads:
        folder = Path(name)
        cases = {task_id: _cases(task_id, folder / "prepared" / task_id) for task_id in task_ids()}
        for task_id in cases:
            unpack(build_program(task_id), folder / task_id)
        first: dict[Path, _Outcome] = {}
        for python in [sys.executable, *pythons]:
            programs = [folder / task_id for task_id in cases]
            parts = threads.map(_run, repeat(python), programs, cases.values())
            outcomes = {case: outcome for part in parts for case, outcome in part.items()}
            first = first or outcomes
            differing_cases = sorted(case for case in outcomes if outcomes[case] != first[case])
            failed_cases = sorted(case for case, (code, _) in outcomes.items() if code != 0)
            n_wrong += len(differing_cases) + len(failed_cases)
            counts = f"{counted(len(outcomes), 'case')}, different: {len(differing_cases)}, "
            counts += f"failed: {len(failed_cases)}"
            print(f"{_describe(python)}: {counts}", flush=True)
            for case in [*differing_cases, *failed_cases][:10]:
                print("  {}: exit {}: {:.300}".format(case.relative_to(ROOT), *outcomes[case]))
    return 1 if n_wrong else 0


def _cases(task_id: str, prepared_folder: Path) -> list[_Case]:
    """Return reference folder, prepared where needed, and submission of the golden cases."""
    cases = []
    for path in sorted((ROOT / "tests/golden" / task_id).glob("*/expected.json")):
        case = path.parent
        reference = prepared_folder / case.name
        # References in which nothing is annotated cannot be prepared.
        with contextlib.suppress(Refused):
            write_files(reference_files(task_id, case / "ref"), reference)
            cases.append((reference, case / "res"))
    return cases


def _run(python: str, program: Path, cases: Sequence[_Case]) -> dict[Path, _Outcome]:
    """Return the outcomes by the folders of the cases."""
    with tempfile.TemporaryDirectory() as name:
        runs = {}
        for number, (reference, submission) in enumerate(cases):
            inputs, output = Path(name, "inputs", str(number)), Path(name, "outputs", str(number))
            lay_out_as_platform(reference, submission, inputs)
            runs[submission.parent] = Run(output, [inputs, output])
        run_forks(Path(python), program, "score.py", list(runs.values()))
        return {case: _outcome(run.output) for case, run in runs.items()}


def _outcome(output: Path) -> _Outcome:
    scores = output / "scores.json"
    path = scores if scores.exists() else output / "stderr"
    return int((output / "exit_code").read_text(encoding="utf-8")), path.read_text(encoding="utf-8")


def _describe(python: str) -> str:
    code = "import sys, numpy; print('Python %d.%d.%d' % sys.version_info[:3], 'numpy', numpy.__version__)"
    process = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return process.stdout.strip() or python
