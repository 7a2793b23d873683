"""Comparing two checkouts: which outputs differ, apart from those of `ALLOWED_DIFFERENCES`.

Each checkout runs the golden cases, the samples and the recorded bad submissions (``tests/recorded``) of this
one, all tasks in both protocols, through its own commands: the scoring program, ``people-in-video score``,
and the validator. It also prepares the demo references and builds all bundles. With ``--scores`` it compares
exit codes and scores alone, which change less often than texts.
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
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from organizer.files import Files, folder_files, samples_folder, unpack, zip_bytes
from quality import ROOT
from quality.allowed_differences import ALLOWED_DIFFERENCES
from quality.task import quality_tasks
from scoring_program.settings import PROTOCOLS

RECORDED = ROOT / "tests" / "recorded"
_SHOWN_DIFFERENCES = 20
_NOISE = 0.1
_MISSING = "(no such file)"
_SCORE_FILES = ("exit_code", "scores.txt", "scores.json", "per_item.csv")


# Code is compared by what it does; these parts of programs and kits hold only that and the table of lemmas.
_CODE = re.compile(
    r"(people_in_video|scoring_program|validator)/.*|organizer/data/corenlp_.*|[^/]*\.(py|ipynb)"
)

# Runs in a checkout: each case in a process of its own, forked when all is imported.
_DRIVER = """
import json, os, sys, traceback
sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "starting_kit")]
from people_in_video.commands.score import main as evaluate
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
    """A command on a submission to a task; OUTPUT and CACHE in its arguments are folders of a checkout."""

    name: str
    task: str
    command: str
    arguments: Sequence[object]


def run_same(other: Path, ids: Sequence[str], scores: bool) -> int:
    """Print how many outputs of this checkout and another differ, and the first differences.

    ``ids`` are the tasks to compare; without any, all of them and the bundles. ``scores`` compares exit codes
    and scores alone. Returns 1 if any outputs differ, 2 if ``other`` is no checkout.
    """
    if not (other / "scoring_program" / "score.py").is_file():
        print(f"{other}: this is no checkout of this repository", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        work = Path(name)
        cases = [case for case in _cases(work) if case.task in ids or not ids]
        collect_outputs = partial(_outputs, cases=cases, with_bundles=not ids)
        if scores:
            collect_outputs = partial(_scores, cases=cases)
        here = pool.submit(collect_outputs, ROOT, work / "here")
        there = pool.submit(collect_outputs, other.resolve(), work / "there")
        outputs_here, outputs_there = here.result(), there.result()
    n_differing = _print_differences(outputs_here, outputs_there, n_runs=len(cases))
    return 1 if n_differing else 0


def _print_differences(here: Mapping[str, str], there: Mapping[str, str], n_runs: int) -> int:
    """Print what differs, one line for each kind of difference; return the number of outputs that differ."""
    allowed_outputs = Counter[str]()
    names_of_difference = defaultdict[str, list[str]](list)
    for name in sorted({*here, *there}):
        text_here, text_there = here.get(name, _MISSING), there.get(name, _MISSING)
        if not _equal(name, text_here, text_there, allowed_outputs):
            names_of_difference[_difference(text_here, text_there)].append(name)
    for difference, names in islice(names_of_difference.items(), _SHOWN_DIFFERENCES):
        print(f"different | {names[0]} and {len(names) - 1:,} more\n{difference}")
    n_differing = sum(map(len, names_of_difference.values()))
    print(f"{len(here):,} outputs of {n_runs:,} runs compared, {n_differing:,} differ")
    for reason, count in allowed_outputs.most_common():
        print(f"allowed   | {reason}: {count:,} outputs")
    return n_differing


def _cases(folder: Path) -> Iterator[Case]:
    """Yield all cases; what they need is written into ``folder``."""
    for path in sorted((ROOT / "tests" / "golden").glob("*/*/expected.json")):
        case = path.parent
        yield from _cases_of_submission(case.parent.name, case / "ref", case / "res", case.name, folder)
    for task_id in quality_tasks():
        reference = ROOT / "reference_data" / task_id
        recorded = folder / "recorded" / task_id
        recorded.mkdir(parents=True)
        unpack((RECORDED / f"{task_id}.zip").read_bytes(), recorded)
        _write_mistaken(task_id, reference, recorded)
        for sample in sorted(samples_folder(task_id).iterdir()):
            yield from _cases_of_submission(task_id, reference, sample, f"sample-{sample.name}", folder)
        for submission in sorted(recorded.iterdir()):
            yield from _cases_of_submission(task_id, reference, submission, submission.stem, folder)


def _write_mistaken(task_id: str, reference: Path, folder: Path) -> None:
    """Write a valid submission with each of the mistakes that notes should report."""
    task = quality_tasks()[task_id]
    for mistake in task.mistakes:
        prediction = task.correct_prediction(reference, np.random.default_rng(1), _NOISE)
        files = task.files(mistake.change(prediction))
        name = re.sub(r"[^a-z0-9]+", "-", mistake.name.lower())
        (folder / f"mistake-{name}.zip").write_bytes(zip_bytes(files))


def _cases_of_submission(
    task_id: str, reference: Path, submission: Path, title: str, folder: Path
) -> Iterator[Case]:
    """Yield the commands for one submission; a zip, most of which are invalid, is scored at home by one
    protocol."""
    name = f"{task_id}/{title}"
    yield Case(f"{name}/check", task_id, "check", [task_id, submission, "--json"])
    for protocol in PROTOCOLS if submission.is_dir() else PROTOCOLS[:1]:
        options = ["--protocol", protocol, "--output", "OUTPUT", "--cache", "CACHE", "--verbose"]
        arguments = [task_id, submission, "--reference", reference, *options]
        yield Case(f"{name}/evaluate-{protocol}", task_id, "evaluate", arguments)
    inputs = folder / "platform" / name
    _lay_out_as_platform(reference, submission, inputs)
    yield Case(f"{name}/score", task_id, "score", [inputs, "OUTPUT", "--task", task_id])


def _lay_out_as_platform(reference: Path, submission: Path, inputs: Path) -> None:
    """Make the folders ``ref`` and ``res`` below ``inputs``, as the platform does."""
    inputs.mkdir(parents=True)
    (inputs / "ref").symlink_to(reference)
    if submission.is_dir():
        (inputs / "res").symlink_to(submission)
    else:
        (inputs / "res").mkdir()
        shutil.copy(submission, inputs / "res")


def _outputs(checkout: Path, work: Path, cases: Sequence[Case], with_bundles: bool) -> dict[str, str]:
    """Run everything in a checkout; return the texts of all outputs by case and file."""
    outputs = _run_cases(checkout, work, cases)
    for task_id in sorted({case.task for case in cases}):
        source = ROOT / "reference_data" / task_id
        target = work / "references" / task_id
        _run_organizer(checkout, "prepare", task_id, "--source", str(source), "--output", str(target))
        outputs |= _texts_without_code(f"reference/{task_id}", folder_files(target))
    if with_bundles:
        for form in ("v2", "v1.5"):
            _run_organizer(checkout, "bundle", "--format", form)
        outputs |= _texts_without_code("bundle/dist", folder_files(checkout / "dist"))
    return outputs


def _scores(checkout: Path, work: Path, cases: Sequence[Case]) -> dict[str, str]:
    """Run the cases in a checkout; return their exit codes and the texts of the files with scores."""
    outputs = _run_cases(checkout, work, cases)
    return {name: text for name, text in outputs.items() if PurePosixPath(name).name in _SCORE_FILES}


def _run_cases(checkout: Path, work: Path, cases: Sequence[Case]) -> dict[str, str]:
    """Run the commands of all cases in one process of a checkout, which forks for each.

    Returns the texts of all outputs by case and file.
    """
    lines = []
    for case in cases:
        output = str(work / "output" / case.name)
        folders = {"OUTPUT": output, "CACHE": str(work / "prepared")}
        arguments = [folders.get(word, word) for word in map(str, case.arguments)]
        lines.append(json.dumps([case.command, output, arguments]))
    command = [sys.executable, "-W", "ignore", "-c", _DRIVER]
    subprocess.run(command, cwd=checkout, input="\n".join(lines), text=True, check=True)
    return {
        path.relative_to(work).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in (work / "output").rglob("*")
        if path.is_file()
    }


def _run_organizer(checkout: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "organizer", *arguments]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True)


def _texts_without_code(name: str, files: Files) -> dict[str, str]:
    """Return the texts of files by their paths, those inside of zips too, without code."""
    texts: dict[str, str] = {}
    for path, data in files.items():
        if data.startswith(b"PK") and path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [member for member in archive.namelist() if not _CODE.fullmatch(member)]
                contents = {member: archive.read(member) for member in members}
            texts |= _texts_without_code(f"{name}/{path}", contents)
        else:
            texts[f"{name}/{path}"] = data.decode("utf-8", "replace")
    return texts


def _equal(name: str, text_here: str, text_there: str, allowed_outputs: Counter[str]) -> bool:
    """Return whether two texts are the same apart from what may differ there; count the reasons."""
    if text_here == text_there:
        return True
    for allowed in ALLOWED_DIFFERENCES:
        if not re.search(allowed.outputs, name):
            continue
        rule = re.compile(allowed.pattern, re.MULTILINE)
        if rule.findall(text_here) != rule.findall(text_there):
            allowed_outputs[allowed.reason] += 1
        text_here = rule.sub(allowed.replacement, text_here)
        text_there = rule.sub(allowed.replacement, text_there)
    return text_here == text_there


def _difference(text_here: str, text_there: str) -> str:
    """Return the first difference of two texts, with what is around it in its line."""
    position = min(len(text_here), len(text_there))
    for index, (character_here, character_there) in enumerate(zip(text_here, text_there)):
        if character_here != character_there:
            position = index
            break
    begin = max(position - 60, text_here.rfind("\n", 0, position) + 1)
    part = slice(begin, position + 100)
    return f"  here:  {text_here[part]!r}\n  there: {text_there[part]!r}"
