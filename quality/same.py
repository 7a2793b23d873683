"""Comparing two checkouts: which outputs differ, of two versions apart from those of `ALLOWED_DIFFERENCES`.

Each checkout runs the golden cases, the samples and the recorded bad submissions (``tests/recorded``) of this
one, all tasks in both protocols: the kit that it builds checks, scores and compares them, and its built
programs score them. It also prepares all references, ranks the teams of the demo, and builds all bundles.
With ``--scores`` exit codes and scores alone are compared, which change less often than texts.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path, PurePosixPath

import numpy as np

from organizer.data.prepare import SYNTHETIC_MARK
from organizer.files import Files, samples_folder, unpack, zip_bytes
from people_in_video.demo_data import demo_reference
from quality import ROOT
from quality.allowed_differences import ALLOWED_DIFFERENCES, BETWEEN_CHECKOUTS, AllowedDifference
from quality.checkout import Case, Checkout, Comparison, Inputs, Ranking
from quality.demo_data import finest_task
from quality.demo_ranking import write_ranking_inputs
from quality.task import quality_tasks
from scoring_program.settings import SETTINGS_FILE

RECORDED = ROOT / "tests" / "recorded"
_SHOWN_DIFFERENCES = 20
_NOISE = 0.1
_MISSING = b"(no such file)"
_SCORE_FILES = ("exit_code", "scores.txt", "scores.json", "per_item.csv", "ranking.csv")


def run_same(other: Path, ids: Sequence[str], scores: bool) -> int:
    """Print how many outputs of this checkout and another differ, and the first differences.

    ``ids`` are the tasks to compare; without any, all of them and the bundles. ``scores`` compares exit codes
    and scores alone. Returns 1 if any outputs differ, 2 if ``other`` is no checkout.
    """
    if not (other / "organizer" / "__main__.py").is_file():
        print(f"{other}: this is no checkout of this repository", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        work = Path(name)
        inputs = _write_inputs(ids or _common_tasks(other), work, with_bundles=not (ids or scores))
        here = pool.submit(Checkout(ROOT, work / "here").outputs, inputs)
        there = pool.submit(Checkout(other.resolve(), work / "there").outputs, inputs)
        outputs_here: Files = here.result()
        outputs_there: Files = there.result()
    if scores:
        outputs_here = _scores(outputs_here)
        outputs_there = _scores(outputs_there)
    allowed_differences = BETWEEN_CHECKOUTS if _version(other) == _version(ROOT) else ALLOWED_DIFFERENCES
    n_differing = print_differences(outputs_here, outputs_there, len(inputs.cases), allowed_differences)
    return 1 if n_differing else 0


def _common_tasks(other: Path) -> list[str]:
    """Return the tasks that both checkouts have."""
    return [task_id for task_id in quality_tasks() if (other / "reference_data" / task_id).is_dir()]


def _version(root: Path) -> str:
    """Return the version of a checkout."""
    text = (root / "scoring_program" / "signature.py").read_text(encoding="utf-8")
    return re.findall(r'^VERSION = "(.+)"', text, re.M)[0]


def _scores(outputs: Files) -> Files:
    """Return the exit codes and the files with scores."""
    return {name: data for name, data in outputs.items() if PurePosixPath(name).name in _SCORE_FILES}


def print_differences(
    here: Files,
    there: Files,
    n_cases: int,
    allowed_differences: Sequence[AllowedDifference] = BETWEEN_CHECKOUTS,
) -> int:
    """Print what differs, one line for each kind of difference; return the number of outputs that differ."""
    allowed_outputs = Counter[str]()
    names_of_difference = defaultdict[str, list[str]](list)
    for name in sorted({*here, *there}):
        data_here, data_there = here.get(name, _MISSING), there.get(name, _MISSING)
        if data_here == data_there:
            continue
        text_here = data_here.decode("utf-8", "replace")
        text_there = data_there.decode("utf-8", "replace")
        text_here, text_there = _without_allowed(
            name, text_here, text_there, allowed_differences, allowed_outputs
        )
        if text_here != text_there:
            names_of_difference[_difference(text_here, text_there)].append(name)
    for difference, names in islice(names_of_difference.items(), _SHOWN_DIFFERENCES):
        print(f"different | {names[0]} and {len(names) - 1:,} more\n{difference}")
    n_differing = sum(map(len, names_of_difference.values()))
    print(f"{len(here):,} outputs of {n_cases:,} submissions compared, {n_differing:,} differ")
    for reason, count in allowed_outputs.most_common():
        print(f"allowed   | {reason}: {count:,} outputs")
    return n_differing


def _write_inputs(ids: Sequence[str], folder: Path, with_bundles: bool) -> Inputs:
    """Return what the checkouts run on, written into ``folder`` unless it is in this checkout."""
    cases: list[Case] = []
    comparisons, rankings = [], []
    for task_id in ids:
        cases += _golden_cases(task_id, folder / "references" / task_id)
        cases += _demo_cases(task_id, folder / "recorded" / task_id)
        samples = sorted(samples_folder(task_id).iterdir())
        comparisons.append(Comparison(task_id, demo_reference(task_id), samples))
        if task_id == finest_task():
            teams = folder / "ranking"
            teams.mkdir()
            write_ranking_inputs(task_id, teams)
            rankings.append(Ranking(task_id, teams / "reference", teams / "submissions", teams / "names.csv"))
    return Inputs(cases, comparisons, rankings, with_bundles)


def _golden_cases(task_id: str, references: Path) -> Iterator[Case]:
    """Yield the golden cases of a task; their references are copied with the settings, and marked as made up.

    So preparing draws no key, and signatures are the same each time.
    """
    golden = ROOT / "tests" / "golden" / task_id
    settings = golden / SETTINGS_FILE
    for expected_path in sorted(golden.glob("*/expected.json")):
        folder = expected_path.parent
        reference = references / folder.name
        shutil.copytree(folder / "ref", reference)
        if settings.exists():
            shutil.copy(settings, reference)
        (reference / SYNTHETIC_MARK).touch()
        yield Case(
            task=task_id,
            title=folder.name,
            reference=reference,
            reference_name=folder.name,
            submission=folder / "res",
        )


def _demo_cases(task_id: str, recorded: Path) -> Iterator[Case]:
    """Yield the submissions to the demo reference; those that are packed or made are put into a folder."""
    reference = demo_reference(task_id)
    recorded.mkdir(parents=True)
    unpack((RECORDED / f"{task_id}.zip").read_bytes(), recorded)
    _write_mistaken(task_id, reference, recorded)
    samples = {f"sample-{sample.name}": sample for sample in samples_folder(task_id).iterdir()}
    submissions = {submission.stem: submission for submission in recorded.iterdir()}
    for title, submission in sorted({**samples, **submissions}.items()):
        yield Case(
            task=task_id,
            title=title,
            reference=reference,
            reference_name="demo",
            submission=submission,
        )


def _write_mistaken(task_id: str, reference: Path, folder: Path) -> None:
    """Write a valid submission with each of the mistakes that notes should report."""
    task = quality_tasks()[task_id]
    for mistake in task.mistakes:
        prediction = task.correct_prediction(reference, np.random.default_rng(1), _NOISE)
        files = task.files(mistake.change(prediction))
        name = re.sub(r"[^a-z0-9]+", "-", mistake.name.lower())
        (folder / f"mistake-{name}.zip").write_bytes(zip_bytes(files))


def _without_allowed(
    name: str,
    text_here: str,
    text_there: str,
    allowed_differences: Sequence[AllowedDifference],
    allowed_outputs: Counter[str],
) -> tuple[str, str]:
    """Return two texts without what may differ there; count the reasons."""
    for row in allowed_differences:
        if not re.search(row.outputs, name) or row.task not in ("", name.split("/")[0]):
            continue
        if text_here == text_there:
            break
        rule = re.compile(row.pattern, re.MULTILINE)
        if rule.findall(text_here) != rule.findall(text_there):
            allowed_outputs[row.reason] += 1
        text_here = rule.sub("", text_here)
        text_there = rule.sub("", text_there)
    return text_here, text_there


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
