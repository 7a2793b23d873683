"""Running the built programs on corrupted submissions: each run must end in a verdict and leave no other file."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from organizer.bundle.parts import build_program
from organizer.data.prepare import reference_files
from organizer.files import folder_files, samples_folder, unpack, write_files
from quality import ROOT
from quality.fuzzing.mutations import mutate
from quality.fuzzing.zips import Files
from quality.task import quality_tasks
from scoring_program.challenge import challenge_ids
from validator.findings import counted
from validator.forks import usable_cores

SECONDS_A_RUN = 20
_MEMORY_MB = 6000

# Problems that depend on the reference: only the server finds them.
_KNOWN_BY_REFERENCE = {
    "E-CSV-FRAME",
    "E-FILE-NONE",
    "E-FILE-CASE",
    "E-DP-IMAGE",
    "E-KEY-UNKNOWN",
    "E-KEY-MISSING",
}

_DRIVER = Path(__file__).with_name("driver.py")


@dataclass
class Outcome:
    """The verdicts of a fuzz run with their counts, and its failures with the names of the files."""

    verdicts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def run_fuzz(number: int, seed: int, keep: Path | None = None) -> Outcome:
    """Try ``number`` corrupted submissions, spread over the tasks; files that fail are kept in ``keep``."""
    ids = challenge_ids()
    counts = [number // len(ids) + (index < number % len(ids)) for index in range(len(ids))]
    programs = [build_program(name) for name in ids]
    outcome = Outcome()
    # The runs are processes of their own.
    with ThreadPoolExecutor(usable_cores()) as threads:
        for part in threads.map(partial(_fuzz_task, seed=seed, keep=keep), ids, programs, counts):
            outcome.verdicts += part.verdicts
            outcome.failures += part.failures
    return outcome


def _samples(name: str) -> list[Files]:
    shortened = quality_tasks()[name].shortened
    return [dict(shortened(folder_files(sample))) for sample in sorted(samples_folder(name).iterdir())]


def _fuzz_task(name: str, program: bytes, count: int, seed: int, keep: Path | None) -> Outcome:
    outcome, rng = Outcome(), random.Random(f"{name} {seed}")
    samples = _samples(name)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for part in ("program", "work", "cases", "reference"):
            (root / part).mkdir()
        unpack(program, root / "program")
        write_files(reference_files(name, ROOT / "reference_data" / name), root / "reference")
        cases = []
        for number in range(count):
            case = root / "cases" / f"{name}-{seed}-{number}.zip"
            case.write_bytes(mutate(rng, rng.choice(samples)))
            cases.append(case)
        command = [
            sys.executable,
            "-c",
            _DRIVER.read_text(encoding="utf-8"),
            *(str(root / part) for part in ("program", "work", "reference")),
        ]
        command += [str(_MEMORY_MB), str(SECONDS_A_RUN)]
        text = "".join(json.dumps(str(case)) + "\n" for case in cases)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        for line in lines:
            result = json.loads(line)
            wrong = what_is_wrong(result)
            outcome.verdicts[f"{name}: exit {result['code']}"] += 1
            if wrong:
                _keep(Path(result["case"]), wrong, outcome, keep)
        if len(lines) < len(cases):
            _keep(cases[len(lines)], f"the program died: {done.stderr[-300:]}", outcome, keep)
    return outcome


def what_is_wrong(result: Mapping[str, Any]) -> str:
    """Return a text about the fault of one run, "" if there is none."""
    code, log, home = result["code"], str(result["log"]), result["home"]
    if not isinstance(home, list):
        return f"it did not end by itself: {home}"
    if result["fast"] != result["slow"]:
        return f"the readers disagree: {result['fast']}, but {result['slow']}"
    if code not in (0, 1) or "Traceback" in log or "E-INTERNAL" in log:
        return f"exit {code}: {log[-300:]}"
    always = ["detailed_results.html", "detailed_results.json"]
    expected = always if code else [*always, "scores.json", "scores.txt"]
    if result["outputs"] != expected or result["work"] != ["output"]:
        return f"it left {result['outputs']} and {result['work']}"
    codes = set(result["problems"])
    if code == 1 and not (codes and f"1. {result['problems'][0]}" in log):
        return f"the log does not begin with the first problem: {log[-300:]}"
    if home and code == 0:
        return f"the validator refuses what was scored: {home}"
    if not home and code == 1 and not codes <= _KNOWN_BY_REFERENCE:
        return f"the validator accepts what was refused for {codes}"
    return ""


def _keep(case: Path, wrong: str, outcome: Outcome, keep: Path | None) -> None:
    outcome.failures.append(f"{case.name}: {wrong}")
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / case.name).write_bytes(case.read_bytes())


def fuzz_command(number: int, seed: int) -> int:
    """Run the fuzzer and print the outcome; return 1 if anything failed."""
    keep = ROOT / "out" / "fuzz"
    outcome = run_fuzz(number, seed, keep)
    for verdict, count in sorted(outcome.verdicts.items()):
        print(f"{verdict}: {count}")
    for failure in outcome.failures[:50]:
        print(f"FAILED {failure}")
    print(
        f"{counted(sum(outcome.verdicts.values()), 'submission')}, {counted(len(outcome.failures), 'failure')}"
        + (f", kept in {keep}" if outcome.failures else "")
    )
    return 1 if outcome.failures else 0
