"""Running the built programs on all golden cases under several interpreters: scores.json must be the same
bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from organizer.bundle.parts import build_program
from organizer.data.prepare import prepare
from organizer.data.references import refuse_problems
from organizer.files import unpack
from quality import ROOT
from scoring_program.challenge import challenge_ids, load_challenge
from validator.findings import counted
from validator.forks import usable_cores

# The exit code, and scores.json or the log.
_Outcome = tuple[int, str]
GOLDEN = ROOT / "tests" / "golden"

# Runs in the interpreter that is tried, with the unpacked program.
_DRIVER = """
import contextlib, io, json, pathlib, sys
program, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(program))
from scoring_program import scoring
name, = scoring.challenge_ids()
outcomes = {}
for case, reference, submission in json.loads(sys.stdin.read()):
    log = io.StringIO()
    with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        code = scoring.score_folder(name, pathlib.Path(reference), pathlib.Path(submission), work)
    scores = work / "scores.json"
    outcomes[case] = code, scores.read_text() if scores.exists() else log.getvalue()
print(json.dumps(outcomes))
"""


def run_portability(pythons: list[str]) -> int:
    """Try this interpreter and others (commands), print what differs; return 1 if anything does.

    An interpreter needs numpy, scipy, pyyaml and, for images, Pillow; msgspec may be missing.
    """
    if missing := [python for python in pythons if not shutil.which(python)]:
        print(f"there is no command {', '.join(missing)}; give interpreters, as in: python3.9 python3.12")
        return 1
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = {name: _cases(name, Path(folder)) for name in challenge_ids()}
        for name in challenge_ids():
            unpack(build_program(name), Path(folder) / name)
        first: dict[str, _Outcome] = {}
        for python in [sys.executable, *pythons]:
            outcomes: dict[str, _Outcome] = {}
            programs = (Path(folder) / name for name in cases)
            with ThreadPoolExecutor(usable_cores()) as threads:
                for part in threads.map(_run, repeat(python), programs, cases.values()):
                    outcomes.update(part)
            first = first or outcomes
            differing = sorted(case for case in outcomes if outcomes[case] != first[case])
            failed = sorted(case for case, (code, _) in outcomes.items() if code)
            different += len(differing) + len(failed)
            counts = f"{counted(len(outcomes), 'case')}, different: {len(differing)}, failed: {len(failed)}"
            print(f"{_describe(python)}: {counts}", flush=True)
            for case in [*differing, *failed][:10]:
                print("  {}: exit {}: {:.300}".format(case, *outcomes[case]))
    return 1 if different else 0


def _cases(name: str, folder: Path) -> list[tuple[str, str, str]]:
    cases = []
    prepared = load_challenge(name).program().prepared_file
    for case in sorted(path.parent for path in (GOLDEN / name).glob("*/expected.json")):
        reference = case / "ref"
        if prepared and not (reference / prepared).is_file():
            reference = folder / "prepared" / case.name
            refuse_problems(prepare(name, case / "ref", reference))
        cases.append((f"{name}/{case.name}", str(reference), str(case / "res")))
    return cases


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
