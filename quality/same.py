"""Comparing two checkouts: which outputs differ, apart from differences that are listed here by name.

Each checkout runs the golden cases, the samples and the recorded bad submissions (``tests/recorded``) of this
one, all tasks in both protocols, through its own commands: the scoring program, the starting kit's
``evaluate.py``, and the validator. It also prepares the demo references and builds all bundles.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from organizer.files import Files, folder_files, samples_folder, unpack, zip_bytes
from quality import ROOT
from quality.task import quality_tasks
from scoring_program.settings import PROTOCOLS

RECORDED = ROOT / "tests" / "recorded"
_MOST_SHOWN = 20
_NOISE = 0.1

# What may differ: why, a pattern, and what is compared instead. Applied to the outputs of both checkouts.
ALLOWED: tuple[tuple[str, str, str], ...] = (
    ("version", r"version:\d+\.\d+\.\d+", "version:N"),
    ("time of stages", r'(?<="stages": )\{[^}]*\}|^time: .*$', ""),
    ("own folder", r"/[\w./-]*?/(?=output/|prepared/)", ""),
)
# Code is compared by what it does; these parts of programs and kits hold only that and the table of lemmas.
_CODE = re.compile(r"(scoring_program|validator)/.*|organizer/data/corenlp_.*|[^/]*\.(py|ipynb)")

# Runs in a checkout: each case in a process of its own, forked when all is imported.
_DRIVER = """
import json, os, sys, traceback
sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "starting_kit")]
from evaluate import main as evaluate
from scoring_program.run import main as score
from validator.__main__ import main as check

for line in sys.stdin:
    command, output, arguments = json.loads(line)
    os.makedirs(output)
    pid = os.fork()
    if not pid:
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(os.path.join(output, name), os.O_CREAT | os.O_WRONLY), number)
        code = 70
        try:
            code = globals()[command](arguments)
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with open(os.path.join(output, "exit_code"), "w") as stream:
        stream.write(str(code))
"""


class Case(NamedTuple):
    """A command on a submission to a task; OUTPUT and CACHE in its arguments are a checkout's own folders."""

    name: str
    task: str
    command: str
    arguments: Sequence[object]


def run_same(other: Path, ids: Sequence[str]) -> int:
    """Print how many outputs of this checkout and another differ, and the first differences; return 1 for
    any.

    ``ids`` are the tasks to compare; without any, all of them and the bundles.
    """
    if not (other / "scoring_program" / "score.py").is_file():
        print(f"{other}: this is no checkout of this repository", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        cases = [case for case in _cases(Path(work)) if case.task in ids or not ids]
        sides = ((ROOT, Path(work) / "a"), (other.resolve(), Path(work) / "b"))
        futures = [pool.submit(_outputs, checkout, folder, cases, not ids) for checkout, folder in sides]
        here, there = (future.result() for future in futures)
    used, groups = Counter[str](), defaultdict[str, list[str]](list)
    for name in sorted({*here, *there}):
        first, second = (outputs.get(name, "(no such file)") for outputs in (here, there))
        if not _equal(first, second, used):
            groups[_difference(first, second)].append(name)
    for difference, names in list(groups.items())[:_MOST_SHOWN]:
        print(f"different | {names[0]} and {len(names) - 1:,} more\n{difference}")
    n_differing = sum(map(len, groups.values()))
    print(f"{len(here):,} outputs of {len(cases):,} runs compared, {n_differing:,} differ")
    for reason, count in (+used).most_common():
        print(f"allowed   | {reason}: {count:,} outputs")
    return 1 if groups else 0


def _cases(folder: Path) -> Iterator[Case]:
    """Yield all cases; what they need is written into ``folder``."""
    for case in sorted((ROOT / "tests" / "golden").glob("*/*/expected.json")):
        yield from _runs(case.parts[-3], case.parent / "ref", case.parent / "res", case.parts[-2], folder)
    for task_id in quality_tasks():
        reference, recorded = ROOT / "reference_data" / task_id, folder / "recorded" / task_id
        recorded.mkdir(parents=True)
        unpack((RECORDED / f"{task_id}.zip").read_bytes(), recorded)
        _write_mistaken(task_id, reference, recorded)
        for sample in sorted(samples_folder(task_id).iterdir()):
            yield from _runs(task_id, reference, sample, f"sample-{sample.name}", folder)
        for submission in sorted(recorded.iterdir()):
            yield from _runs(task_id, reference, submission, submission.stem, folder)


def _write_mistaken(task_id: str, reference: Path, folder: Path) -> None:
    """Write a valid submission with each of the mistakes that notes should report."""
    task = quality_tasks()[task_id]
    for mistake in task.mistakes:
        correct = task.correct_prediction(reference, np.random.default_rng(1), _NOISE)
        name = re.sub(r"[^a-z0-9]+", "-", mistake.name.lower())
        (folder / f"mistake-{name}.zip").write_bytes(zip_bytes(task.files(mistake.change(correct))))


def _runs(task_id: str, reference: Path, submission: Path, title: str, folder: Path) -> Iterator[Case]:
    """Yield the commands for one submission; a zip, which is as a rule invalid, is scored by one protocol
    at home."""
    name = f"{task_id}/{title}"
    yield Case(f"{name}/check", task_id, "check", [task_id, submission, "--json"])
    for protocol in PROTOCOLS if submission.is_dir() else PROTOCOLS[:1]:
        options = ["--protocol", protocol, "--output", "OUTPUT", "--cache", "CACHE", "--verbose"]
        arguments = [task_id, submission, "--reference", reference, *options]
        yield Case(f"{name}/evaluate-{protocol}", task_id, "evaluate", arguments)
    # As on the platform.
    layout = folder / "platform" / name
    layout.mkdir(parents=True)
    (layout / "ref").symlink_to(reference)
    if submission.is_dir():
        (layout / "res").symlink_to(submission)
    else:
        (layout / "res").mkdir()
        shutil.copy(submission, layout / "res")
    yield Case(f"{name}/score", task_id, "score", [layout, "OUTPUT", "--task", task_id])


def _outputs(checkout: Path, work: Path, cases: Sequence[Case], bundles: bool) -> dict[str, str]:
    """Run everything in a checkout; return the texts of all outputs by case and file."""
    lines = []
    for case in cases:
        own = {"OUTPUT": str(work / "output" / case.name), "CACHE": str(work / "prepared")}
        arguments = [own.get(word, word) for word in map(str, case.arguments)]
        lines.append(json.dumps([case.command, own["OUTPUT"], arguments]))
    command = [sys.executable, "-W", "ignore", "-c", _DRIVER]
    subprocess.run(command, cwd=checkout, input="\n".join(lines), text=True, check=True)
    outputs = {
        path.relative_to(work).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in (work / "output").rglob("*")
        if path.is_file()
    }
    for task_id in sorted({case.task for case in cases}):
        target = work / "references" / task_id
        options = ["--source", str(ROOT / "reference_data" / task_id), "--output", str(target)]
        _organizer(checkout, "prepare", task_id, *options)
        outputs |= _archive_texts(f"reference/{task_id}", folder_files(target))
    for form in ("v2", "v1.5") if bundles else ():
        _organizer(checkout, "bundle", "--format", form)
    return outputs | (_archive_texts("bundle/dist", folder_files(checkout / "dist")) if bundles else {})


def _organizer(checkout: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "organizer", *arguments]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True)


def _archive_texts(name: str, files: Files) -> dict[str, str]:
    """Return the texts of files by their paths, those inside of zips too, without code."""
    texts: dict[str, str] = {}
    for path, data in files.items():
        if data.startswith(b"PK") and path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                inner = {member: archive.read(member) for member in archive.namelist()}
            without_code = {member: inner[member] for member in inner if not _CODE.fullmatch(member)}
            texts |= _archive_texts(f"{name}/{path}", without_code)
        else:
            texts[f"{name}/{path}"] = data.decode("utf-8", "replace")
    return texts


def _equal(first: str, second: str, used: Counter[str]) -> bool:
    """Return whether two texts are the same apart from what may differ; count which of that does."""
    for reason, pattern, replacement in ALLOWED if first != second else ():
        rule = re.compile(pattern, re.MULTILINE)
        used[reason] += rule.findall(first) != rule.findall(second)
        first, second = rule.sub(replacement, first), rule.sub(replacement, second)
    return first == second


def _difference(first: str, second: str) -> str:
    """Return the first difference of two texts, with what is around it in its line."""
    pairs = enumerate(zip(first, second))
    at = next((at for at, (here, there) in pairs if here != there), min(len(first), len(second)))
    begin = max(at - 60, first.rfind("\n", 0, at) + 1)
    return f"  here:  {first[begin : at + 100]!r}\n  there: {second[begin : at + 100]!r}"
