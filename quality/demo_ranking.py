"""A ranking of made-up teams on generated data, to see what one looks like."""

from __future__ import annotations

import contextlib
import csv
import io
import random
import tempfile
from pathlib import Path

from organizer.bundle.programs import build_program
from organizer.data.prepare import SYNTHETIC_MARK
from organizer.files import folder_files, zip_bytes
from organizer.ranking.command import Choices, rescore
from organizer.ranking.report import report
from organizer.runs.worker import BuiltTask
from quality import ROOT
from quality.demo_data import finest_task
from quality.task import quality_tasks

TEAMS = (
    *("Avocet", "Bittern", "Curlew", "Dunlin", "Egret", "Fulmar"),
    *("Garganey", "Heron", "Ibis", "Jacana", "Kestrel", "Lapwing"),
)
# Seconds for each submission.
_TIME_LIMIT = 600.0


def write_demo_ranking(output: Path = ROOT / "out" / "demo" / "ranking") -> int:
    """Rank twelve made-up teams with two submissions each; return the exit code of ``rescore``."""
    task_id = finest_task()
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), io.StringIO()
        write_ranking_inputs(task_id, folder)
        built = BuiltTask(
            id=task_id,
            program=build_program(task_id),
            reference=folder / "reference",
            time_limit=_TIME_LIMIT,
        )
        with contextlib.redirect_stdout(log):
            code = rescore(built, folder / "submissions", output, Choices(names=folder / "names.csv"))
            code = code or report(task_id, output, output / "report")
    public = "public: ranking.html, and report/ but for teams.csv"
    pages = f"a ranking of made-up teams: {output / 'index.html'}; {public}"
    print(log.getvalue() if code else pages)
    return code


def write_ranking_inputs(task_id: str, folder: Path) -> None:
    """Write a reference, submissions of twelve teams to it, and whose they are, names.csv."""
    reference, samples = folder / "reference", folder / "samples"
    reference.mkdir()
    task = quality_tasks()[task_id]
    task.write_reference(reference, size=5)
    (reference / SYNTHETIC_MARK).touch()
    task.write_samples(reference, samples)
    _write_submissions(samples, folder / "submissions", folder / "names.csv")


def _write_submissions(samples: Path, submissions: Path, names: Path) -> None:
    """Write submissions that take each file from the good or from the weak sample, and whose they are."""
    pick = random.Random(12)
    good = folder_files(samples / "good")
    weak = folder_files(samples / "weak")
    rows = []
    for number, team in enumerate(TEAMS):
        (submissions / team).mkdir(parents=True)
        for attempt, share in enumerate((0.4, 0.9)):
            good_share = share - 0.06 * (number // 2)
            files = {}
            for name in good:
                is_good = pick.random() < good_share
                files[name] = good[name] if is_good else weak[name]
            (submissions / team / f"{attempt + 1}.zip").write_bytes(zip_bytes(files))
            rows.append((f"{team}/{attempt + 1}.zip", team, f"2024-05-{1 + number + 14 * attempt:02d}"))
    (submissions / TEAMS[-1] / "3.zip").write_bytes(b"this is no zip")
    with names.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("submission", "team", "date"), *rows])
