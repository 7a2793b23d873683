"""Runs a built program on submissions, checks them as at home, and says what came of each.

`results` runs this file in an interpreter of its own. There it imports only the unpacked program.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

_SECONDS, _MEMORY_MB = 20, 6000


class LateError(BaseException):
    """A submission took too long; not an Exception, which the program might catch."""


def results(
    program: Path, cases: Iterable[tuple[Path, Path]], python: str = sys.executable, checks: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield what an unpacked program did with each case, a reference and a submission; once it died, why.

    With ``checks`` submissions are also checked as at home.
    """
    lines = "".join(json.dumps(list(map(str, case))) + "\n" for case in cases)
    with tempfile.TemporaryDirectory() as work:
        command = [python, __file__, str(program), work, *(["checks"] if checks else [])]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    yield from map(json.loads, done.stdout.splitlines())
    died = f"the program died: {done.stderr[-300:]}"
    yield from itertools.repeat({"code": None, "log": died, "fault": died, "scores": ""})


def main() -> None:
    """Try the program in the first argument; in the second, a folder, it may write into ``output`` only."""
    program, work = map(Path, sys.argv[1:3])
    output = work / "output"
    sys.path[0] = str(program)
    sys.path.append(str(program / "scoring_program" / "vendor"))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_MB << 20, _MEMORY_MB << 20))
    signal.signal(signal.SIGALRM, _raise_late)
    for line in sys.stdin:
        reference, submission = map(Path, json.loads(line))
        shutil.rmtree(output, ignore_errors=True)
        result = _try_submission(submission, reference, output, checks=len(sys.argv) > 3)
        scores = output / "scores.json"
        result["scores"] = scores.read_text(encoding="utf-8") if scores.exists() else ""
        result["outputs"] = sorted(path.name for path in output.iterdir()) if output.exists() else []
        result["work"] = sorted(path.name for path in work.iterdir())
        print(json.dumps(result), flush=True)


def _raise_late(number: int, frame: object) -> None:
    raise LateError


def _try_submission(submission: Path, reference: Path, output: Path, checks: bool) -> dict[str, Any]:
    """Return exit code, log and problems of a run, and with ``checks`` the codes of problems at home."""
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
        if checks:
            home_codes = _check_at_home(task_id, submission)
    except BaseException as error:
        fault = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    detail = output / "detailed_results.json"
    problems = json.loads(detail.read_text(encoding="utf-8"))["problems"] if detail.exists() else []
    return {
        "code": exit_code,
        "log": log.getvalue()[-3000:],
        "problems": [problem["code"] for problem in problems],
        "home": home_codes,
        "fault": fault,
    }


def _check_at_home(task_id: str, submission: Path) -> list[str]:
    """Return the codes of the problems that the validator finds."""
    from validator.findings import Findings
    from validator.formats.rules import load_format

    task_format, rules = load_format(task_id)
    findings = Findings()
    with findings.part():
        task_format.read(submission, rules)
    return [problem.code for problem in findings.problems]


if __name__ == "__main__":
    main()
