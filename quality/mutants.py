"""Mutation testing: small changes of metrics and validator, each of which the tests should detect.

Uses cosmic-ray (``make .venv/mutation/done`` installs it) on a copy of the repository. A random sample of each module's mutants
is tried on its quick tests, because all would take hours.
"""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from organizer.bundle.packing import imported, needed_code
from quality import ROOT, mutant_tests
from scoring_program.task import task_ids

WORK = ROOT / ".cache" / "mutants"
COPY = WORK / "repository"
COSMIC_RAY = ROOT / ".venv" / "mutation" / "bin" / "cosmic-ray"
_LEFT_OUT = (".git", ".venv", ".cache", "out", "dist", ".hypothesis", "*_cache", "__pycache__")

# The tests have a limit of their own, which is shorter.
_CONFIG = """[cosmic-ray]
module-path = "{module}"
timeout = 1000.0
excluded-modules = []
test-command = "{command}"

[cosmic-ray.distributor]
name = "local"
"""


def modules() -> list[str]:
    """Return the modules that are tried: the metrics and the validator."""
    folders = ("scoring_program/metrics", "validator", "validator/formats")
    paths = (path for folder in folders for path in sorted((ROOT / folder).glob("[!_]*.py")))
    return [path.relative_to(ROOT).as_posix() for path in paths]


def chosen_tests(module: str) -> tuple[list[str], str]:
    """Return the test files about a module, and words for pytest's -k.

    This is the file in the same place below ``tests/``, or else the files of that name, or else those that import the
    module; and of the metrics the golden cases of the tasks whose program needs it.
    """
    # Attacks look at the pages of whole runs.
    paths = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if "attacks" not in path.parts]
    own = ROOT / "tests" / Path(module).with_name(f"test_{Path(module).name}")
    about = [own] if own.exists() else [path for path in paths if path.name == own.name]
    if not about:
        name = module[: -len(".py")].replace("/", ".")
        about = [path for path in paths if name in imported(path.read_bytes())]
    files = [path.relative_to(ROOT).as_posix() for path in about]
    tasks = []
    if module.startswith("scoring_program/metrics/"):
        needed = {task: needed_code([f"scoring_program.challenges.{task}.program"]) for task in task_ids()}
        tasks = [task for task, code in needed.items() if module in code]
    golden = ["tests/test_golden.py"] if tasks else []
    tests = files + golden or [f"tests/{module.split('/')[0]}"]
    return tests, " or ".join(["not test_golden", *tasks]) if tasks else ""


def run_mutants(chosen: list[str], sample: int) -> int:
    """Try a sample of mutants of each module, print the share killed and the survivors.

    A run that was interrupted goes on where it stopped; mutants are tried again once the module or its tests change.
    """
    print("| module | mutants | tried | killed |")
    print("|---|---|---|---|")
    survivors = []
    for module in chosen or modules():
        # A mutant may be left in the copy if a run is interrupted.
        shutil.rmtree(COPY, ignore_errors=True)
        shutil.copytree(ROOT, COPY, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        files, words = chosen_tests(module)
        session = _session(module, files, sample)
        with tempfile.TemporaryDirectory() as folder:
            address = f"{folder}/socket"
            command = f"{sys.executable} -S -E {mutant_tests.__file__} {address}"
            (COPY / "mutants.toml").write_text(
                _CONFIG.format(module=module, command=command), encoding="utf-8"
            )
            if not session.exists():
                _begin(session, module, sample)
            with _tests([address, *files, *(["-k", words] if words else [])]):
                subprocess.run(
                    [COSMIC_RAY, "exec", "mutants.toml", session], cwd=COPY, check=True, capture_output=True
                )
        total, tried, alive = _results(session, module)
        killed = 100 * (tried - len(alive)) / max(tried, 1)
        print(f"| {module} | {total} | {tried} | {killed:.0f} % |", flush=True)
        survivors += alive
    for survivor in survivors:
        print(survivor)
    return 0


@contextmanager
def _tests(arguments: list[str]) -> Iterator[None]:
    """Keep `mutant_tests` running; raise RuntimeError if it ends by itself, as all mutants would then seem killed."""
    with subprocess.Popen([sys.executable, mutant_tests.__file__, *arguments], cwd=COPY) as server:
        try:
            while not Path(arguments[0]).exists():
                _check(server)
                time.sleep(0.1)
            yield
            _check(server)
        finally:
            server.kill()


def _check(server: subprocess.Popen[bytes]) -> None:
    if server.poll() is not None:
        raise RuntimeError("the tests cannot be run; what is printed above says why")


def _session(module: str, files: list[str], sample: int) -> Path:
    """Return the file of a module's results, named by the contents of the module and its tests."""
    content = hashlib.sha256(str(sample).encode())
    for name in (module, *files):
        paths = [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*.py"))
        for path in paths:
            content.update(path.read_bytes())
    return WORK / f"{module.replace('/', '.')}-{content.hexdigest()[:12]}.sqlite"


def _begin(session: Path, module: str, sample: int) -> None:
    """Start a session with a sample of the mutants, the same in every run."""
    new = session.with_suffix(".new")
    new.unlink(missing_ok=True)
    subprocess.run([COSMIC_RAY, "init", "mutants.toml", new], cwd=COPY, check=True, capture_output=True)
    lines = (COPY / module).read_text(encoding="utf-8").splitlines()
    with closing(sqlite3.connect(new)) as database, database:
        specs = database.execute(
            "select job_id, operator_name, start_pos_row from mutation_specs order by operator_name, occurrence"
        )
        jobs = [job for job, operator, row in specs.fetchall() if _can_fail(operator, lines[row - 1])]
        kept = random.Random(1).sample(jobs, min(sample, len(jobs)))
        for table in ("mutation_specs", "work_items"):
            marks = ",".join("?" * len(kept))
            database.execute(f"delete from {table} where job_id not in ({marks})", kept)  # noqa: S608
        database.execute("create table all_mutants (number integer)")
        database.execute("insert into all_mutants values (?)", [len(jobs)])
    new.rename(session)


def _can_fail(operator: str, line: str) -> bool:
    """Return whether any test could detect a mutant of a line."""
    if (
        "TYPE_CHECKING" in line
        or "@dataclass" in line
        or ("BitOr" in operator and re.search(r"\| (None|float|int|str|[A-Z])", line))
    ):
        return False  # what is only for those who read or check types
    # "is" does what "==" does to small integers and names.
    return not operator.endswith(("_Eq_Is", "_NotEq_IsNot"))


def _results(session: Path, module: str) -> tuple[int, int, list[str]]:
    """Return how many mutants there are, how many were tried, and a text for each that survived."""
    query = (
        "select s.operator_name, s.start_pos_row, r.test_outcome, r.diff from mutation_specs s "
        "join work_results r on r.job_id = s.job_id where r.worker_outcome = 'NORMAL'"
    )
    with closing(sqlite3.connect(session)) as database:
        ((total,),) = database.execute("select number from all_mutants").fetchall()
        rows = database.execute(query).fetchall()
    alive = [
        f"\n{module} line {row}: {operator}\n"
        + "\n".join(line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---"))
        for operator, row, outcome, diff in rows
        if "SURVIVED" in str(outcome).upper()
    ]
    return total, len(rows), alive
