"""Scores corrupted submissions, and checks them as at home; prints a line of JSON for each.

`quality.fuzzing.run` runs this file in an interpreter of its own. It imports only the unpacked program.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import shutil
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

_SECONDS, _MEMORY_MB = 20, 6000


class LateError(BaseException):
    """A submission took too long; not an Exception, which the program might catch."""


def main() -> None:
    """Try all files in ``cases/`` of the argument, a folder that also holds program, reference, work."""
    folder = Path(sys.argv[1])
    output = folder / "work" / "output"
    sys.path.insert(0, str(folder / "program"))
    sys.path.append(str(folder / "program" / "scoring_program" / "vendor"))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_MB << 20, _MEMORY_MB << 20))
    signal.signal(signal.SIGALRM, _raise_late)
    for submission in sorted((folder / "cases").iterdir()):
        shutil.rmtree(output, ignore_errors=True)
        result = _tried(submission, folder / "reference", output)
        result["outputs"] = sorted(path.name for path in output.iterdir()) if output.exists() else []
        result["work"] = sorted(path.name for path in output.parent.iterdir())
        print(json.dumps(result), flush=True)


def _raise_late(number: int, frame: object) -> None:
    raise LateError


def _tried(submission: Path, reference: Path, output: Path) -> dict[str, Any]:
    """Return exit code, log and problems of a run, the codes at home, and the findings of both readers."""
    from scoring_program.run import load_folder, run
    from scoring_program.task import task_ids
    from validator.findings import Findings
    from validator.formats.rules import load_format

    (task,) = task_ids()
    form, rules = load_format(task)
    log, fast, slow = io.StringIO(), Findings(), Findings()
    code, fault = None, ""
    # JSON has a faster and a slower reader.
    readers = sys.modules.get("validator.json_files")
    slower = mock.patch.object(readers, "typed_json", None) if readers else contextlib.nullcontext()
    signal.alarm(_SECONDS)
    try:
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            code = run(partial(load_folder, task, reference), submission, output).exit_code
        with fast.part():
            form.read(submission, rules)
        with slower, slow.part():
            form.read(submission, rules)
    except BaseException as error:
        fault = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    detail = output / "detailed_results.json"
    problems = json.loads(detail.read_text(encoding="utf-8"))["problems"] if detail.exists() else []
    return {
        **{
            "code": code,
            "log": log.getvalue()[-3000:],
            "problems": [problem["code"] for problem in problems],
        },
        **{"fast": fast.lines(), "slow": slow.lines()},
        **{"home": [problem.code for problem in fast.problems], "fault": fault},
    }


if __name__ == "__main__":
    main()
