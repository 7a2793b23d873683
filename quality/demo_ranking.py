"""A ranking of made-up teams on generated data, to see what one looks like."""

from __future__ import annotations

import contextlib
import csv
import io
import random
import tempfile
from pathlib import Path

from organizer.bundle.parts import build_program
from organizer.files import folder_files, zip_bytes
from organizer.ranking.command import Choices, rescore
from organizer.runs.worker import BuiltTask
from quality import ROOT
from quality.demo import load_demo
from quality.demo_data import finest_task
from scoring_program.challenge import challenge_ids

TEAMS = (
    *("Avocet", "Bittern", "Curlew", "Dunlin", "Egret", "Fulmar"),
    *("Garganey", "Heron", "Ibis", "Jacana", "Kestrel", "Lapwing"),
)
_SIZE = 5
_BROKEN = b"this is no zip"


def write_demo_ranking(output: Path = ROOT / "out" / "demo" / "ranking") -> int:
    """Rank twelve made-up teams with two submissions each; return the exit code of ``rescore``."""
    task = finest_task(challenge_ids())
    with tempfile.TemporaryDirectory() as folder:
        reference, samples, submissions = (
            Path(folder) / name for name in ("reference", "samples", "submissions")
        )
        reference.mkdir()
        demo = load_demo(task)
        demo.write_reference(reference, size=_SIZE)
        demo.write_samples(reference, samples)
        names = Path(folder) / "names.csv"
        _write_submissions(samples, submissions, names)
        built = BuiltTask(task, build_program(task), reference, 600.0)
        log = io.StringIO()
        with contextlib.redirect_stdout(log):
            code = rescore(built, submissions, output, Choices(names=names))
    print(
        log.getvalue()
        if code
        else f"a ranking of made-up teams: {output / 'index.html'}; public: ranking.html"
    )
    return code


def _write_submissions(samples: Path, submissions: Path, names: Path) -> None:
    """Write submissions that take each file from the good or from the weak sample, and whose they are."""
    pick = random.Random(12)
    good, weak = (folder_files(samples / name) for name in ("good", "weak"))
    rows = []
    for number, team in enumerate(TEAMS):
        (submissions / team).mkdir(parents=True)
        for attempt, share in enumerate((0.4, 0.9)):
            chosen = {
                key: (good if pick.random() < share - 0.06 * (number // 2) else weak)[key] for key in good
            }
            (submissions / team / f"{attempt + 1}.zip").write_bytes(zip_bytes(chosen))
            rows.append((f"{team}/{attempt + 1}.zip", team, f"2024-05-{1 + number + 14 * attempt:02d}"))
    (submissions / TEAMS[-1] / "3.zip").write_bytes(_BROKEN)
    with names.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("submission", "team", "date"), *rows])
