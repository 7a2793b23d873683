"""The fork server: it has a built program and a reference loaded and scores each submission in a process of
its own.

`organizer.runs.pool` passes this file to an interpreter as text, so it also works on another machine. It
imports only the built program. Requests and replies are lines of JSON.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

_CRASHED = 70


def main() -> None:
    """Load the program and reference of the first argument, report that, and answer requests until the
    input ends."""
    options = json.loads(sys.argv[1])
    # Keep what the program prints out of the replies.
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    sys.path.insert(0, options["program"])
    sys.path.append(os.path.join(options["program"], "scoring_program", "vendor"))
    problems: list[str] = []
    try:
        server: _Server | None = _Server(options, problems)
    except Exception as error:
        server = None
        problems.append(f"the program cannot load the reference: {type(error).__name__}: {error}")
    print(json.dumps({"problems": problems}), file=replies, flush=True)
    if problems or server is None:
        return
    requests = os.fdopen(0, "rb", buffering=0)
    for line in iter(requests.readline, b""):
        request = json.loads(line)
        reply = server.score(Path(request["submission"]), Path(request["output"]))
        print(json.dumps(reply), file=replies, flush=True)


class _Server:
    """The loaded program; problems of the reference go to ``problems``."""

    def __init__(self, options: dict[str, Any], problems: list[str]) -> None:
        from scoring_program.task import load_task
        from validator.findings import Findings

        self._task = load_task(options["challenge"])
        self._replicates, self._seconds = options["replicates"], options["time_limit"]
        folder, findings = Path(options["reference"]), Findings()
        with findings.part():
            settings = self._task.settings(folder, {**options["settings"], "interval": True})
            loaded = self._task.load(folder, settings)
        if not findings.ok:
            problems += findings.lines()
            return
        memory = min(settings["memory_limit"], options["memory_mb"])
        self._loaded = replace(loaded, settings={**settings, "memory_limit": memory})
        # Import once, instead of in each child, what libraries import only when they need it.
        for name in ("encodings.cp437", "numpy.ma", "numpy.random"):
            importlib.import_module(name)
        gc.collect()
        gc.freeze()
        self._woken, waker = os.pipe()
        for end in (self._woken, waker):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker)

    def score(self, submission: Path, output: Path) -> dict[str, Any]:
        """Score a submission in a child and wait for it, or kill it at the time limit."""
        begin = time.monotonic()
        child = os.fork()
        if not child:
            self._score_here(submission, output)
        late = False
        while True:
            pid, status, usage = os.wait4(child, os.WNOHANG)
            if pid:
                break
            left = begin + self._seconds - time.monotonic()
            ready, _, _ = select.select([0, self._woken], [], [], max(left, 0))
            # There is nothing to read while a request is pending, unless the client is gone.
            gone, late = 0 in ready, left <= 0
            if gone or late:
                _kill_group(child)
            if gone:
                os._exit(1)
            if self._woken in ready:
                os.read(self._woken, 1024)
        # Processes that the child started may still run.
        _kill_group(child)
        code, seconds = os.waitstatus_to_exitcode(status), time.monotonic() - begin
        return {"exit_code": code, "late": late, "seconds": seconds, "peak_mb": usage.ru_maxrss / 1024}

    def _score_here(self, submission: Path, output: Path) -> None:
        """Score a submission in this process, and end it."""
        code = _CRASHED
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silence, stream)
            from scoring_program.run import run
            from validator import limits

            settings = self._loaded.settings
            limits.start(settings["time_limit"], settings["memory_limit"])
            outcome = run(lambda: self._loaded, submission, output)
            if outcome.result is not None:
                self._write_numbers(outcome.result, output / "numbers.json")
            code = outcome.exit_code
        finally:
            os._exit(code)

    def _write_numbers(self, result: Any, path: Path) -> None:
        """Write the numbers that rankings need, rounded so that they are equal on all machines."""
        import numpy as np

        from scoring_program.metrics import resampling

        reduce, statistics = self._task.reduce, result.statistics
        n, replicates = len(statistics.items), result.replicates
        score = float(reduce(statistics, np.ones((1, n)))[0]) if n else result.scores["score"]
        if n and self._replicates != len(replicates):
            replicates = reduce(statistics, resampling.draws(n, self._replicates))
        numbers = {
            "score": round(score, 10),
            "replicates": np.round(replicates if n else [score], 10).tolist(),
            "items": list(statistics.items),
            "item_scores": [None if x != x else round(x, 10) for x in statistics.item_scores.tolist()],
        }
        path.write_text(json.dumps(numbers), encoding="ascii")


def _kill_group(child: int) -> None:
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        return


if __name__ == "__main__":
    main()
