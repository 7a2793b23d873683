"""Runs one command many times, each time in a fork of a process that has imported what earlier runs imported.

`run_forks` starts this file in an interpreter of its own, where `main` knows a command by its name alone: a
module, as ``python -m`` takes it, or the path of a script. So it can run any version of one.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

# Sums of several threads may differ in their last digits.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
CRASHED = 70
"""The exit code of a run that ends with an exception; one that is killed has a negative one."""
_SECONDS = 1800


class Run(NamedTuple):
    """The arguments of a command, and the new folder for its exit code and what it prints."""

    output: Path
    arguments: Sequence[object]


def run_forks(python: Path, folder: Path, command: str, runs: Sequence[Run]) -> None:
    """Run a command in a folder, one run after the other.

    Each writes ``stdout``, ``stderr`` and ``exit_code`` into its folder. Raises CalledProcessError if the
    process in which all are forked dies.
    """
    lines = []
    for run in runs:
        arguments = [str(argument) for argument in run.arguments]
        lines.append(json.dumps([str(run.output), arguments]))
    environment = {**os.environ, **_ONE_THREAD}
    process = [str(python), "-W", "ignore", __file__, command]
    subprocess.run(process, cwd=folder, input="\n".join(lines), text=True, check=True, env=environment)


def lay_out_as_platform(reference: Path, submission: Path, inputs: Path) -> None:
    """Make the folders ``ref`` and ``res`` below ``inputs``, as the platform does."""
    inputs.mkdir(parents=True)
    (inputs / "ref").symlink_to(reference)
    if submission.is_dir():
        (inputs / "res").symlink_to(submission)
    else:
        (inputs / "res").mkdir()
        shutil.copy(submission, inputs / "res")


def main() -> None:
    """Run the command in the first argument once for each line of stdin."""
    command = sys.argv[1]
    sys.path[0] = str(Path.cwd())
    for line in sys.stdin:
        name, arguments = json.loads(line)
        output = Path(name)
        output.mkdir(parents=True)
        reading_end, writing_end = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(reading_end)
            _run(command, arguments, output, writing_end)
        os.close(writing_end)
        with os.fdopen(reading_end, encoding="utf-8") as stream:
            report = stream.read()
        exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        (output / "exit_code").write_text(str(exit_code), encoding="utf-8")
        if report:
            _import_as(report)


def _run(command: str, arguments: Sequence[str], output: Path, writing_end: int) -> NoReturn:
    """Run the command, and end this process; say through a pipe where it imported which modules from."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(output / name, os.O_CREAT | os.O_WRONLY), number)
    sys.argv = [command, *arguments]
    # Kills this process.
    signal.alarm(_SECONDS)
    exit_code = CRASHED
    try:
        if command.endswith(".py"):
            runpy.run_path(command, run_name="__main__")
        else:
            runpy.run_module(command, run_name="__main__", alter_sys=True)
        exit_code = 0
    except SystemExit as end:
        exit_code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    with os.fdopen(writing_end, "w", encoding="utf-8") as stream:
        json.dump([sys.path, sorted(sys.modules)], stream)
    os._exit(exit_code)


def _import_as(report: str) -> None:
    """Import what a run has imported, so that the next ones need not."""
    sys.path[:], names = json.loads(report)
    for name in names:
        if name not in sys.modules:
            # Some modules can be imported by their package only.
            with contextlib.suppress(Exception):
                importlib.import_module(name)


if __name__ == "__main__":
    main()
