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

WORK = ROOT / ".cache" / "mutants"

# Each module with the tests that are about it: files, and words for pytest's -k.
TESTS: dict[str, tuple[str, str]] = {
    "scoring_program/metrics/frame_jaccard.py": ("tests/scoring_program/metrics/test_frame_jaccard.py", ""),
    "scoring_program/metrics/part_state.py": (
        "tests/scoring_program/metrics/test_part_state.py tests/scoring_program/challenges/test_kinetics_tps_plain.py tests/test_golden.py",
        "test_part_state or kinetics",
    ),
    "scoring_program/metrics/grounding.py": (
        "tests/scoring_program/metrics/test_grounding.py tests/scoring_program/challenges/test_anet_entities_plain.py tests/test_golden.py",
        "test_grounding or anet",
    ),
    "scoring_program/metrics/average_precision.py": (
        "tests/scoring_program/metrics/test_average_precision.py tests/test_golden.py",
        "test_average_precision or densepose",
    ),
    "scoring_program/metrics/geodesic.py": ("tests/test_golden.py", "densepose"),
    "scoring_program/metrics/masks.py": (
        "tests/scoring_program/challenges/test_densepose.py tests/test_golden.py",
        "test_densepose or densepose",
    ),
    "validator/csv_files.py": ("tests/validator/test_csv_files.py", ""),
    "validator/archive.py": ("tests/validator/test_archive.py", ""),
    "validator/findings.py": ("tests/validator", ""),
    "validator/strict_json.py": ("tests/validator/test_json_files.py", ""),
    "validator/forks.py": ("tests/validator/test_forks.py tests/validator/test_json_files.py", ""),
    "validator/json_files.py": (
        "tests/validator/test_json_files.py tests/scoring_program/challenges/test_densepose.py",
        "",
    ),
    "validator/array_stream.py": ("tests/scoring_program/challenges/test_densepose.py", ""),
    "validator/formats/kinetics_tps.py": (
        "tests/validator/test_json_files.py tests/scoring_program/challenges/test_kinetics_tps.py",
        "",
    ),
    "validator/formats/anet_entities.py": (
        "tests/scoring_program/challenges/test_anet_entities.py tests/scoring_program/challenges/test_anet_entities_plain.py "
        "tests/validator/test_json_files.py",
        "",
    ),
    "validator/formats/densepose.py": (
        "tests/scoring_program/challenges/test_densepose.py tests/scoring_program/challenges/test_densepose_plain.py",
        "",
    ),
}
_CONFIG = """[cosmic-ray]
module-path = "{module}"
timeout = 60.0
excluded-modules = []
test-command = "{command}"

[cosmic-ray.distributor]
name = "local"
"""


def run_mutants(cosmic_ray: str, modules: list[str], sample: int) -> int:
    """Try a sample of mutants of each module, print the score and the survivors."""
    print("| module | mutants | tried | killed |")
    print("|---|---|---|---|")
    survivors = []
    for module in modules or list(TESTS):
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
    files, words = TESTS[module]
    chosen = f" -k '{words}'" if words else ""
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {files}{chosen}"
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
