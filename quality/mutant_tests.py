"""The tests of one mutant: those that run its changed line, as many as it has time for.

It runs in a copy of the repository: ``python mutant_tests.py TESTS MODULE ORIGINAL``.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

# Seconds of the tests of a mutant where nothing is changed, measured with coverage.
_SECONDS = 10.0
# Seconds of the processor that a mutant has, with the imports; one that takes longer counts as noticed.
_MOST_SECONDS = 20
TIMED_OUT = "timeout"

# For each test of a module its seconds, and the lines of the module that it runs.
Tests = Mapping[str, tuple[float, Sequence[int]]]


def changed_lines(original: str, mutant: str) -> set[int]:
    """Return the lines, from 1, in which two texts with equally many lines differ."""
    pairs = zip(original.splitlines(), mutant.splitlines())
    return {number for number, (old, new) in enumerate(pairs, start=1) if old != new}


def chosen_tests(lines: set[int], tests: Tests, own: str) -> list[str]:
    """Return tests that run one of the lines, or else the module, within the time that a mutant has.

    No test runs constants, or the inner lines of long statements. Tests whose name begins with ``own``, the
    file of the module's own tests, come first; then the quickest test of each other file, then the next ones.
    """
    running = {name: seconds for name, (seconds, ran) in tests.items() if lines.intersection(ran)}
    running = running or {name: seconds for name, (seconds, _) in tests.items()}
    ranked, of_file = [], Counter[str]()
    for name in sorted(running, key=lambda name: (running[name], name)):
        file = name.partition("::")[0]
        of_file[file] += 1
        ranked.append((file != own, of_file[file], running[name], name))
    chosen: list[str] = []
    total = 0.0
    for _, _, seconds, name in sorted(ranked):
        if not chosen or total + seconds <= _SECONDS:
            chosen.append(name)
            total += seconds
    return chosen


def main(tests: str, module: str, original: str) -> int:
    """Run the tests of the mutant that the copy holds now; return pytest's exit code."""
    before, now = (Path(path).read_text(encoding="utf-8") for path in (original, module))
    known = json.loads(Path(tests).read_text(encoding="utf-8"))
    chosen = chosen_tests(changed_lines(before, now), known["tests"], known["own"])
    if not chosen:  # without names pytest would run everything
        return 0
    arguments = Path("mutant_tests.txt")
    arguments.write_text("\n".join(chosen), encoding="utf-8")
    # -B: two mutants may have the same size and time; what was compiled of one would stand for the other.
    options = ["-x", "-p", "no:cacheprovider", "--hypothesis-profile=quick"]
    command = [sys.executable, "-B", "-m", "pytest", *options]
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, resource.RLIM_INFINITY))
    code = subprocess.run([*command, f"@{arguments}"], check=False).returncode
    if code == -signal.SIGXCPU:
        print(TIMED_OUT)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
