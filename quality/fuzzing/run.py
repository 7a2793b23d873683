"""Running the built programs on corrupted submissions: each ends in a verdict and leaves no other file."""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from organizer.bundle.programs import build_program
from organizer.bundle.public_files import demo_reference
from organizer.files import unpack, write_files
from quality import ROOT
from quality.forks import CRASHED, Run, lay_out_as_platform, run_forks
from quality.fuzzing.mutations import mutate
from quality.task import quality_tasks
from validator.cores import usable_cores
from validator.texts import counted

KEPT = ROOT / "out" / "fuzz"
_OUTPUT = "output"
_OF_RUN = ("exit_code", "stdout", "stderr")
_LONGEST_LOG = 3000
# As many pages of runs are kept at a time.
_AT_ONCE = 500
# Problems that only the server finds: by the reference, or because its submission is in a folder, where a zip
# behind other bytes is one of the files.
_KNOWN_BY_SERVER = {
    "E-CSV-FRAME", "E-FILE-NONE", "E-FILE-CASE", "E-ITEMS-NONE", "E-KEY-UNKNOWN", "E-KEY-MISSING", "E-TASK",
    "E-ZIP-NESTED",
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
            for case, result in _try_cases(task_id, cases, folder):
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


def _try_cases(task_id: str, cases: Sequence[Path], folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield each case with what the program did with it, and whether it is refused at home, too."""
    for begin in range(0, len(cases), _AT_ONCE):
        block = cases[begin : begin + _AT_ONCE]
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            runs, checks = [], []
            for case in block:
                inputs, run_folder = work / "inputs" / case.stem, work / "runs" / case.stem
                lay_out_as_platform(folder / "reference", case, inputs)
                runs.append(Run(run_folder, [inputs, run_folder / _OUTPUT]))
                checks.append(Run(work / "checks" / case.stem, ["check", task_id, case]))
            run_forks(Path(sys.executable), folder / "program", "score.py", runs)
            run_forks(Path(sys.executable), ROOT, "people_in_video", checks)
            for case, run, check in zip(block, runs, checks):
                yield case, _result(run.output, _exit_code(check.output))


def _exit_code(folder: Path) -> int:
    return int((folder / "exit_code").read_text(encoding="utf-8"))


def _result(folder: Path, code_at_home: int) -> dict[str, Any]:
    """Return exit codes, the end of the log, codes of problems, and the names of files of a run."""
    streams = [(folder / name).read_text(encoding="utf-8", errors="replace") for name in ("stdout", "stderr")]
    outputs = folder / _OUTPUT
    detail = outputs / "detailed_results.json"
    problems = json.loads(detail.read_text(encoding="utf-8"))["problems"] if detail.exists() else []
    return {
        "code": _exit_code(folder),
        "home": code_at_home,
        "log": "".join(streams)[-_LONGEST_LOG:],
        "problems": [problem["code"] for problem in problems],
        "outputs": sorted(path.name for path in outputs.iterdir()) if outputs.exists() else [],
        "work": sorted(path.name for path in folder.iterdir() if path.name not in _OF_RUN),
    }


def what_is_wrong(result: Mapping[str, Any]) -> str:
    """Return a text about the fault of one run, "" if there is none."""
    code, log, home_code = result["code"], str(result["log"]), result["home"]
    for exit_code in (code, home_code):
        if exit_code < 0 or exit_code == CRASHED:
            return f"it did not end by itself: exit {exit_code}: {log[-300:]}"
    if code not in (0, 1) or "Traceback" in log or "-INTERNAL: " in log:
        return f"exit {code}: {log[-300:]}"
    page_files = ["detailed_results.html", "detailed_results.json"]
    expected_outputs = page_files if code else [*page_files, "scores.json", "scores.txt"]
    if result["outputs"] != expected_outputs or result["work"] != [_OUTPUT]:
        return f"it left {result['outputs']} and {result['work']}"
    codes = set(result["problems"])
    if code == 1 and not (codes and f"1. {result['problems'][0]}" in log):
        return f"the log does not begin with the first problem: {log[-300:]}"
    if home_code and code == 0:
        return "the validator refuses what was scored"
    if not home_code and code == 1 and not codes <= _KNOWN_BY_SERVER:
        return f"the validator accepts what was refused for {codes}"
    return ""


def fuzz_command(number: int, seed: int, ids: Sequence[str]) -> int:
    """Run the fuzzer on a number of submissions and print the outcome; return 1 if anything failed."""
    verdicts, failures = run_fuzz(number, seed, ids=ids)
    for verdict, count in sorted(verdicts.items()):
        print(f"{verdict}: {count}")
    for failure in failures[:50]:
        print(f"FAILED {failure}")
    place = f", kept in {KEPT}" if failures else ""
    print(f"{counted(sum(verdicts.values()), 'submission')}, {counted(len(failures), 'failure')}{place}")
    return 1 if failures else 0
