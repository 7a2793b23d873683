"""Running the built programs on corrupted submissions: each ends in a verdict and leaves no other file."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from organizer.bundle.programs import build_program
from organizer.bundle.public_files import demo_reference
from organizer.files import unpack, write_files
from quality import ROOT
from quality.driver import run_program
from quality.fuzzing.mutations import mutate
from quality.task import quality_tasks
from validator.cores import usable_cores
from validator.texts import counted

KEPT = ROOT / "out" / "fuzz"
# Problems that depend on the reference: only the server finds them.
_KNOWN_BY_REFERENCE = {
    "E-CSV-FRAME", "E-FILE-NONE", "E-FILE-CASE", "E-ITEMS-NONE", "E-KEY-UNKNOWN", "E-KEY-MISSING", "E-TASK",
}  # fmt: skip


def run_fuzz(
    number: int, seed: int, keep: Path = KEPT, ids: Sequence[str] = ()
) -> tuple[Counter[str], list[str]]:
    """Try corrupted submissions, the same for each number and seed.

    Parameters
    ----------
    number : int
        How many, spread over the tasks.
    seed : int
    keep : Path, optional
        The folder for submissions that fail.
    ids : sequence of str, optional
        Tasks; without any, all of them.

    Returns
    -------
    verdicts : Counter
        How often each verdict came.
    failures : list of str
        What failed, with the names of the files.
    """
    tried_ids = list(ids or quality_tasks())
    counts = {task_id: len(range(index, number, len(tried_ids))) for index, task_id in enumerate(tried_ids)}
    verdicts, failures = Counter[str](), list[str]()

    def fuzz_task(task_id: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            cases = _write_cases(task_id, counts[task_id], seed, folder)
            pairs = [(folder / "reference", case) for case in cases]
            results = run_program(folder / "program", pairs, checks_at_home=True)
            for case, result in zip(cases, results):
                verdicts[f"{task_id}: exit {result['code']}"] += 1
                if fault := what_is_wrong(result):
                    failures.append(f"{case.name}: {fault}")
                    keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(case, keep)

    # The runs are processes of their own.
    with ThreadPoolExecutor(usable_cores()) as threads:
        list(threads.map(fuzz_task, tried_ids))
    return verdicts, failures


def _write_cases(task_id: str, count: int, seed: int, folder: Path) -> list[Path]:
    """Write program, reference and corrupted submissions; return the submissions."""
    (folder / "cases").mkdir()
    unpack(build_program(task_id), folder / "program")
    write_files(demo_reference(task_id), folder / "reference")
    rng = random.Random(f"{task_id} {seed}")
    samples = quality_tasks()[task_id].short_samples()
    cases = [folder / "cases" / f"{task_id}-{seed}-{number:06d}.zip" for number in range(count)]
    for case in cases:
        case.write_bytes(mutate(rng, rng.choice(samples)))
    return cases


def what_is_wrong(result: Mapping[str, Any]) -> str:
    """Return a text about the fault of one run, "" if there is none."""
    if result["fault"]:
        return f"it did not end by itself: {result['fault']}"
    code, log, home = result["code"], str(result["log"]), result["home"]
    if code not in (0, 1) or "Traceback" in log or "-INTERNAL: " in log:
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


def fuzz_command(number: int, seed: int, ids: Sequence[str]) -> int:
    """Run the fuzzer on a number of submissions and print the outcome; return 1 if anything failed."""
    verdicts, failures = run_fuzz(number, seed, ids=ids)
    for verdict, count in sorted(verdicts.items()):
        print(f"{verdict}: {count}")
    for failure in failures[:50]:
        print(f"FAILED {failure}")
    kept = f", kept in {KEPT}" if failures else ""
    print(f"{counted(sum(verdicts.values()), 'submission')}, {counted(len(failures), 'failure')}{kept}")
    return 1 if failures else 0
