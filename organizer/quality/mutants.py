"""Mutation testing: change the code of metrics and validator a little, and see whether the tests notice.

Uses cosmic-ray (``requirements/mutation.lock``) on a copy of the repository. Of each module a random sample is tried, as
all mutants would take hours.
"""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from organizer import ROOT
from organizer.bundle.packing import imported, needed_code
from scoring_program.challenge import challenge_ids

WORK = ROOT / ".cache" / "mutants"

_CONFIG = """[cosmic-ray]
module-path = "{module}"
timeout = 60.0
excluded-modules = []
test-command = "{command}"

[cosmic-ray.distributor]
name = "local"
"""


def modules() -> list[str]:
    """Return the modules that are tried: the metrics and the validator."""
    folders = ("scoring_program/metrics", "validator", "validator/formats")
    found = (path for folder in folders for path in sorted((ROOT / folder).glob("[!_]*.py")))
    return [path.relative_to(ROOT).as_posix() for path in found]


def chosen_tests(module: str) -> tuple[list[str], str]:
    """Return the test files about a module, and words for pytest's -k.

    These are the files that import it or are named after it, and the golden cases of the tasks whose program needs it.
    """
    name = module[: -len(".py")].replace("/", ".")
    files = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path.stem == f"test_{Path(module).stem}" or name in imported(path.read_bytes())
    ]
    tasks = []
    if module.startswith("scoring_program/metrics/"):
        needed = {task: needed_code([f"scoring_program.challenges.{task}.program"]) for task in challenge_ids()}
        tasks = [task for task, code in needed.items() if module in code]
    golden = ["tests/test_golden.py"] if tasks else []
    found = files + golden or [f"tests/{module.split('/')[0]}"]
    return found, " or ".join(["not test_golden", *tasks]) if tasks else ""


def run_mutants(cosmic_ray: str, chosen: list[str], sample: int) -> int:
    """Try a sample of mutants of each module, print the score and the survivors."""
    print("| module | mutants | tried | killed |")
    print("|---|---|---|---|")
    survivors = []
    for module in chosen or modules():
        copy = WORK / "repository"
        shutil.rmtree(copy, ignore_errors=True)
        ignored = shutil.ignore_patterns(
            ".git", ".venv", ".cache", "out", "dist", ".hypothesis", "*_cache", "__pycache__"
        )
        shutil.copytree(ROOT, copy, ignore=ignored)
        total, killed, alive, tried = _try(cosmic_ray, module, sample, copy)
        print(f"| {module} | {total} | {tried} | {100 * killed / max(tried, 1):.0f} % |", flush=True)
        survivors += alive
    for survivor in survivors:
        print(survivor)
    return 0


def _try(cosmic_ray: str, module: str, sample: int, copy: Path) -> tuple[int, int, list[str], int]:
    files, words = chosen_tests(module)
    chosen = f" -k '{words}'" if words else ""
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {' '.join(files)}{chosen}"
    (copy / "mutants.toml").write_text(_CONFIG.format(module=module, command=command), encoding="utf-8")
    session = copy / "session.sqlite"
    subprocess.run([cosmic_ray, "init", "mutants.toml", session.name], cwd=copy, check=True, capture_output=True)
    with sqlite3.connect(session) as database:
        lines = (copy / module).read_text(encoding="utf-8").splitlines()
        specs = database.execute("select job_id, operator_name, start_pos_row from mutation_specs").fetchall()
        # "int | None" in an annotation is never run.
        jobs = sorted(
            job
            for job, operator, row in specs
            if not ("BitOr" in operator and re.search(r"\| (None|[A-Z])", lines[row - 1]))
        )
        kept = set(random.Random(1).sample(jobs, min(sample, len(jobs))))
        gone = [(job,) for job, _, _ in specs if job not in kept]
        database.executemany("delete from mutation_specs where job_id = ?", gone)
        database.executemany("delete from work_items where job_id = ?", gone)
    subprocess.run([cosmic_ray, "exec", "mutants.toml", session.name], cwd=copy, check=True, capture_output=True)
    query = (
        "select s.operator_name, s.start_pos_row, r.test_outcome, r.diff from mutation_specs s "
        "join work_results r on r.job_id = s.job_id"
    )
    with sqlite3.connect(session) as database:
        rows = database.execute(query).fetchall()
    alive = [
        f"\n{module} line {row}: {operator}\n"
        + "\n".join(line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---"))
        for operator, row, outcome, diff in rows
        if "SURVIVED" in str(outcome).upper()
    ]
    return len(jobs), len(rows) - len(alive), alive, len(rows)
