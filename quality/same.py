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
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from organizer.files import zip_bytes
from quality import ROOT
from quality.task import quality_tasks

RECORDED = ROOT / "tests" / "recorded"
_PROTOCOLS = ("published", "released")
_MOST_SHOWN = 20
_NOISE = 0.1
_Outputs = Mapping[str, str]

# What may differ: why, a pattern, and what is compared instead. Applied to the outputs of both checkouts.
ALLOWED: tuple[tuple[str, str, str], ...] = (
    ("version", r"version:\d+\.\d+\.\d+", "version:N"),
    ("time of stages", r'(?<="stages": )\{[^}]*\}|^time: .*$', ""),
    ("own folder", r"/[\w./-]*?/(?=output/|prepared/)", ""),
    # Before a task is known, a page has no title of its own.
    ("title of a broken run", r"<title>[^<]*(?=</title>(?s:.*)a fault on the organizer)", "Scoring"),
    ("header of a broken run", r"<header><p>[^<]*(?=</p><h1>Not scored: a fault on the organizer)", ""),
    # All readers name the member.
    ("damaged member", r"\ba file cannot be unpacked", "the file cannot be unpacked"),
)
# Code is compared by what it does; these parts of programs and kits hold nothing else.
_CODE = re.compile(r"(scoring_program|validator)/.*|[^/]*\.py")

# Runs in a checkout: each case in a process of its own, forked when all is imported.
_DRIVER = """
import json, os, sys, traceback
sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "starting_kit")]
try:
    from scoring_program.run import main as score
    option = "--task"
except ImportError:
    from scoring_program.scoring import main as score
    option = "--challenge"
import evaluate
from validator.__main__ import main as check

def run(case):
    task, reference, submission, output = (case[key] for key in ("task", "reference", "submission", "output"))
    if case["command"] == "score":
        return score([case["input"], output, option, task])
    if case["command"] == "check":
        return check([task, submission, "--json"])
    return evaluate.main([task, submission, "--reference", reference, "--protocol", case["protocol"],
                          "--output", output, "--cache", case["cache"], "--verbose"])

for line in sys.stdin:
    case = json.loads(line)
    os.makedirs(case["output"])
    pid = os.fork()
    if not pid:
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(os.path.join(case["output"], name), os.O_CREAT | os.O_WRONLY), number)
        code = 70
        try:
            code = run(case)
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with open(os.path.join(case["output"], "exit_code"), "w") as stream:
        stream.write(str(code))
"""


@dataclass(frozen=True)
class Case:
    """One command on one submission; ``input`` is laid out as on the platform."""

    name: str
    command: str
    task: str
    reference: str
    submission: str
    protocol: str = ""
    input: str = ""


def run_same(other: Path, ids: Sequence[str]) -> int:
    """Print how many outputs of this checkout and another differ, and the first differences; return 1 for
    any.

    ``ids`` are the tasks to compare; without any, all of them and the bundles.
    """
    if not (other / "scoring_program" / "score.py").is_file():
        print(f"{other}: this is no checkout of this repository", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        cases = [case for case in _cases(Path(work) / "inputs") if case.task in ids or not ids]
        sides = ((ROOT, Path(work) / "a"), (other.resolve(), Path(work) / "b"))
        futures = [pool.submit(_outputs, checkout, folder, cases, not ids) for checkout, folder in sides]
        here, there = (future.result() for future in futures)
    used: Counter[str] = Counter()
    differing = [
        name for name in sorted({*here, *there}) if not _equal(here.get(name), there.get(name), used)
    ]
    groups: dict[str, list[str]] = {}
    for name in differing:
        groups.setdefault(_difference(here.get(name), there.get(name)), []).append(name)
    for difference, names in list(groups.items())[:_MOST_SHOWN]:
        print(f"different | {names[0]} and {len(names) - 1:,} more\n{difference}")
    print(f"{len(here):,} outputs of {len(cases):,} runs compared, {len(differing):,} differ")
    for reason, count in used.most_common():
        print(f"allowed   | {reason}: {count:,} outputs")
    return 1 if differing else 0


def _cases(folder: Path) -> Iterator[Case]:
    """Yield all cases; recorded submissions are unpacked into ``folder``."""
    for case in sorted((ROOT / "tests" / "golden").glob("*/*/expected.json")):
        yield from _runs(
            case.parent.parent.name, case.parent / "ref", case.parent / "res", case.parent.name, folder
        )
    for task in sorted((ROOT / "reference_data").iterdir()):
        for sample in sorted((ROOT / "starting_kit" / "samples" / task.name).iterdir()):
            yield from _runs(task.name, task, sample, f"sample-{sample.name}", folder)
        recorded = folder / "recorded" / task.name
        recorded.mkdir(parents=True)
        with zipfile.ZipFile(RECORDED / f"{task.name}.zip") as archive:
            archive.extractall(recorded)
        _write_mistaken(task, recorded)
        for submission in sorted(recorded.iterdir()):
            yield from _runs(task.name, task, submission, submission.stem, folder)


def _write_mistaken(reference: Path, folder: Path) -> None:
    """Write a valid submission with each of the mistakes that notes should report."""
    task = quality_tasks()[reference.name]
    for mistake in task.mistakes:
        correct = task.correct_prediction(reference, np.random.default_rng(1), _NOISE)
        name = re.sub(r"[^a-z0-9]+", "-", mistake.name.lower())
        (folder / f"mistake-{name}.zip").write_bytes(zip_bytes(task.files(mistake.change(correct))))


def _runs(task: str, reference: Path, submission: Path, title: str, folder: Path) -> Iterator[Case]:
    """Yield the commands for one submission; a zip, which is as a rule invalid, is scored by one protocol
    at home."""
    name = f"{task}/{title}"
    files = (str(reference), str(submission))
    yield Case(f"{name}/check", "check", task, *files)
    for protocol in _PROTOCOLS if submission.is_dir() else _PROTOCOLS[:1]:
        yield Case(f"{name}/evaluate-{protocol}", "evaluate", task, *files, protocol)
    layout = folder / "platform" / name
    layout.mkdir(parents=True)
    (layout / "ref").symlink_to(reference)
    if submission.is_dir():
        (layout / "res").symlink_to(submission)
    else:
        (layout / "res").mkdir()
        shutil.copy(submission, layout / "res")
    yield Case(f"{name}/score", "score", task, *files, input=str(layout))


def _outputs(checkout: Path, work: Path, cases: list[Case], bundles: bool) -> dict[str, str]:
    """Run everything in a checkout; return the texts of all outputs by case and file."""
    cache = str(work / "prepared")
    requests = [
        {**asdict(case), "output": str(work / "output" / case.name), "cache": cache} for case in cases
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    command = [sys.executable, "-W", "ignore", "-c", _DRIVER]
    subprocess.run(command, cwd=checkout, input=lines, text=True, check=True)
    outputs = {
        path.relative_to(work).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in sorted((work / "output").rglob("*"))
        if path.is_file()
    }
    for task in sorted({Path(case.reference) for case in cases if Path(case.reference).name == case.task}):
        target = work / "references" / task.name
        options = ["--source", str(task), "--output", str(target)]
        _organizer(checkout, ["prepare", task.name, *options])
        outputs |= _archive_texts(
            f"reference/{task.name}", {p.name: p.read_bytes() for p in target.iterdir()}
        )
    for form in ("v2", "v1.5") if bundles else ():
        _organizer(checkout, ["bundle", "--format", form])
    for path in sorted((checkout / "dist").rglob("*.zip")) if bundles else ():
        outputs |= _archive_texts("bundle", {path.relative_to(checkout).as_posix(): path.read_bytes()})
    return outputs


def _organizer(checkout: Path, arguments: list[str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "organizer", *arguments], cwd=checkout, check=True, capture_output=True
    )


def _archive_texts(name: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the texts of files by their paths, those inside of zips too, without code."""
    texts: dict[str, str] = {}
    for path, data in files.items():
        if data.startswith(b"PK") and path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                inner = {
                    member: archive.read(member)
                    for member in archive.namelist()
                    if not _CODE.fullmatch(member)
                }
            texts |= _archive_texts(f"{name}/{path}", inner)
        else:
            texts[f"{name}/{path}"] = data.decode("utf-8", "replace")
    return texts


def _equal(first: str | None, second: str | None, used: Counter[str]) -> bool:
    if first == second:
        return True
    if first is None or second is None:
        return False
    for reason, pattern, replacement in ALLOWED:
        rule = re.compile(pattern, re.MULTILINE)
        used[reason] += rule.findall(first) != rule.findall(second)
        first, second = rule.sub(replacement, first), rule.sub(replacement, second)
    return first == second


def _difference(first: str | None, second: str | None) -> str:
    """Return the first line that differs, of both texts."""
    sides = [("(no such file)" if text is None else text).splitlines() for text in (first, second)]
    for here, there in zip(*sides):
        if here != there:
            at = next(
                (i for i, pair in enumerate(zip(here, there)) if pair[0] != pair[1]),
                min(len(here), len(there)),
            )
            begin = max(at - 60, 0)
            return f"  here:  {here[begin : at + 100]}\n  there: {there[begin : at + 100]}"
    longer = max(sides, key=len)
    return f"  only in one: {longer[min(map(len, sides))][:200]}" if longer else "  (only in one)"
