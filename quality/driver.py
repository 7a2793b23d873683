"""Runs a built program on submissions, checks them as at home, and says what came of each.

`run_program` starts this file in an interpreter of its own, where `main` imports only the unpacked program.
It reads a case from each line of stdin, and prints a result for each.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

# The limits of one submission, and of the process.
_SECONDS = 20
_MEMORY_BYTES = 6000 << 20
_LONGEST_LOG = 3000
# A word of the command line.
_CHECK_AT_HOME = "check-at-home"


class LateError(BaseException):
    """A submission took too long; not an Exception, which the program might catch."""


def run_program(
    program: Path,
    cases: Sequence[tuple[Path, Path]],
    python: str = sys.executable,
    checks_at_home: bool = False,
) -> list[dict[str, Any]]:
    """Return what an unpacked program did with each case, a reference and a submission.

    If the process dies, the results of all cases from there on say why. With ``checks_at_home`` submissions
    are also checked as at home.
    """
    lines = [json.dumps([str(reference), str(submission)]) for reference, submission in cases]
    with tempfile.TemporaryDirectory() as work:
        command = [python, __file__, str(program), work]
        if checks_at_home:
            command.append(_CHECK_AT_HOME)
        process = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    results = [json.loads(line) for line in process.stdout.splitlines()]
    death = f"the program died: {process.stderr[-300:]}"
    result_of_dead = {"code": None, "log": death, "fault": death, "scores": ""}
    return results + [result_of_dead] * (len(cases) - len(results))


def main() -> None:
    """Try the program in the first argument; in the second, a folder, it may write into ``output`` only."""
    program, work = Path(sys.argv[1]), Path(sys.argv[2])
    checks_at_home = _CHECK_AT_HOME in sys.argv[3:]
    output = work / "output"
    sys.path[0] = str(program)
    sys.path.append(str(program / "scoring_program" / "vendor"))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    signal.signal(signal.SIGALRM, _raise_late)
    for line in sys.stdin:
        reference, submission = json.loads(line)
        shutil.rmtree(output, ignore_errors=True)
        result = _try_submission(Path(submission), Path(reference), output, checks_at_home)
        scores = output / "scores.json"
        result["scores"] = scores.read_text(encoding="utf-8") if scores.exists() else ""
        result["outputs"] = sorted(path.name for path in output.iterdir()) if output.exists() else []
        result["work"] = sorted(path.name for path in work.iterdir())
        print(json.dumps(result), flush=True)


def _raise_late(number: int, frame: object) -> None:
    raise LateError


def _try_submission(submission: Path, reference: Path, output: Path, checks_at_home: bool) -> dict[str, Any]:
    """Return exit code, log and problems of a run, and of a check at home the codes of problems."""
    from scoring_program.run import load_folder, run
    from scoring_program.task import task_ids

    (task_id,) = task_ids()
    log = io.StringIO()
    exit_code, fault = None, ""
    home_codes: list[str] = []
    signal.alarm(_SECONDS)
    try:
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            exit_code = run(partial(load_folder, task_id, reference), submission, output).exit_code
        if checks_at_home:
            home_codes = _check_at_home(task_id, submission)
    except BaseException as error:
        fault = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    detail = output / "detailed_results.json"
    problems = json.loads(detail.read_text(encoding="utf-8"))["problems"] if detail.exists() else []
    return {
        "code": exit_code,
        "log": log.getvalue()[-_LONGEST_LOG:],
        "problems": [problem["code"] for problem in problems],
        "home": home_codes,
        "fault": fault,
    }


def _check_at_home(task_id: str, submission: Path) -> list[str]:
    """Return the codes of the problems that the validator finds."""
    from validator.checking import load_format
    from validator.findings import Findings

    task_format, rules = load_format(task_id)
    findings = Findings()
    with findings.part():
        task_format.read(submission, rules)
    return [problem.code for problem in findings.problems]


if __name__ == "__main__":
    main()
