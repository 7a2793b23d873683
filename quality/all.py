"""All measurements one after the other, those of `docs/quality.md` and `BENCHMARKS.md`, or a part of each."""

from __future__ import annotations

import subprocess
import sys
import time

from quality import ROOT
from scoring_program.task import task_ids

_ID = task_ids()[-1]
_FULL = (
    "portability", "gaming", "fuzz 100000", "repairs", "coverage", "edits", "bench",
)  # fmt: skip
# Of the others a part that takes less than half a minute: "portability" needs several interpreters, and the
# large sets of "coverage" take longer to make.
_QUICK = (
    "gaming", "fuzz 30", f"repairs {_ID} --mistakes 1 --correct 4",
    "edits 4 --samples 0", f"bench {_ID} --scale 0.01",
)  # fmt: skip


def run_all(quick: bool) -> int:
    """Run the other commands; return 1 if one of them fails."""
    failed_commands = []
    for command in _QUICK if quick else _FULL:
        print(f"## {command}", flush=True)
        begin = time.perf_counter()
        process = subprocess.run([sys.executable, "-m", "quality", *command.split()], cwd=ROOT, check=False)
        print(f"{time.perf_counter() - begin:.0f} s, exit code {process.returncode}\n", flush=True)
        failed_commands += [command] if process.returncode else []
    print(f"failed: {', '.join(failed_commands) or 'none'}")
    return int(bool(failed_commands))
