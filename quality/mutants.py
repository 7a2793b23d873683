"""Mutation testing: small changes of metrics and validator, each of which the tests should detect.

cosmic-ray (``make .venv/mutation/done`` installs it, ``cosmic-ray.toml`` configures it) changes a copy of the
repository. A sample of each module's mutants is tried on its quick tests, because all would take days.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from organizer.bundle.parts import imported, needed_code
from quality import ROOT, mutant_filter
from scoring_program.task import load_task, task_ids

_WORK = ROOT / ".cache" / "mutants"
_COPY = _WORK / "repository"
_BIN = ROOT / ".venv" / "mutation" / "bin"
_LEFT_OUT = (".git", ".venv", ".cache", "out", "dist", ".hypothesis", "*_cache", "__pycache__")


def modules() -> list[str]:
    """Return the modules that are tried: the metrics and the validator."""
    folders = (ROOT / "scoring_program" / "metrics", ROOT / "validator")
    return [p.relative_to(ROOT).as_posix() for folder in folders for p in sorted(folder.rglob("[!_]*.py"))]


def chosen_tests(module: str) -> list[str]:
    """Return the arguments of pytest for the tests of a module.

    These are the file in the same place below ``tests/``, or else those that import the module, or else all
    of its package; for metrics also the golden cases of the tasks whose program needs the module.
    """
    tests, name = ROOT / "tests", module[: -len(".py")].replace("/", ".")
    chosen = [tests / Path(module).with_name(f"test_{Path(module).name}")]
    if not chosen[0].exists():
        # Attacks look at the pages of whole runs.
        paths = [path for path in sorted(tests.rglob("test_*.py")) if "attacks" not in path.parts]
        chosen = [path for path in paths if name in imported(path.read_bytes())]
        chosen = chosen or [path for path in paths if tests / Path(module).parts[0] in path.parents]
    files = [path.relative_to(ROOT).as_posix() for path in chosen]
    if not module.startswith("scoring_program/metrics/"):
        return files
    entries = {i: f"scoring_program.challenges.{load_task(i).folder.name}.task" for i in task_ids()}
    tasks = [task_id for task_id, entry in entries.items() if module in needed_code([entry])]
    return [*files, "tests/test_golden.py", "-k", " or ".join(["not test_golden", *tasks])]


def run_mutants(chosen: Sequence[str], sample: int) -> int:
    """Try a sample of mutants of each module, print the share killed and the survivors.

    A run that was interrupted goes on where it stopped; mutants are tried again once the module or its tests
    change.
    """
    if not (_BIN / "cosmic-ray").exists():
        print("there is no cosmic-ray; install it with make .venv/mutation/done", file=sys.stderr)
        return 1
    # A mutant may be left in the copy if a run is interrupted.
    shutil.rmtree(_COPY, ignore_errors=True)
    shutil.copytree(ROOT, _COPY, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    print("| module | mutants | tried | killed |\n|---|---|---|---|")
    survivors = []
    for module in chosen or modules():
        total, tried, alive = results(_try_mutants(module, sample))
        killed = 100 * (tried - len(alive)) / max(tried, 1)
        print(f"| {module} | {total} | {tried} | {killed:.0f} % |", flush=True)
        survivors += alive
    print(*survivors, sep="\n")
    return 0


def _try_mutants(module: str, sample: int) -> list[str]:
    """Return the lines of cosmic-ray's dump: each mutant and what came of it."""
    tests = chosen_tests(module)
    text = Path(__file__).with_name("cosmic-ray.toml").read_text(encoding="utf-8")
    text = text.format(module=module, python=shlex.quote(sys.executable), tests=shlex.join(tests))
    (_COPY / "mutants.toml").write_text(text, encoding="utf-8")
    _run("cosmic-ray", "baseline", "mutants.toml")
    files = [module, *(name for name in tests if name.endswith(".py"))]
    content = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in files)).hexdigest()
    session = _WORK / f"{module.replace('/', '.')}-{sample}-{content[:12]}.sqlite"
    if not session.exists():
        new = session.with_suffix(".new")
        new.unlink(missing_ok=True)
        _run("cosmic-ray", "init", "mutants.toml", new)
        _run("cr-filter-operators", new, "mutants.toml")
        _run("python", mutant_filter.__file__, "mutants.toml", new, sample)
        new.rename(session)
    _run("cosmic-ray", "exec", "mutants.toml", session)
    return _run("cosmic-ray", "dump", session).splitlines()


def _run(tool: str, *arguments: object) -> str:
    """Return what a tool prints in the copy. Raises RuntimeError if it fails, as where tests fail."""
    command = [str(_BIN / tool), *map(str, arguments)]
    done = subprocess.run(command, cwd=_COPY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tool} {arguments[0]}: {done.stdout}{done.stderr}")
    return done.stdout


def results(dump: Iterable[str]) -> tuple[int, int, list[str]]:
    """Return how many mutants there are, how many were tried, and a text for each that survived."""
    total, tried, alive = 0, 0, []
    for line in dump:
        item, result = json.loads(line)
        (mutation,) = item["mutations"]
        tried += result["worker_outcome"] == "normal"
        total += result["worker_outcome"] == "normal" or result["output"] == mutant_filter.NOT_SAMPLED
        if result["test_outcome"] == "survived":
            place = f"{mutation['module_path']} line {mutation['start_pos'][0]}: {mutation['operator_name']}"
            changes = [text for text in result["diff"].splitlines()[3:] if text[:1] in ("+", "-")]
            alive.append("\n".join(["", place, *changes]))
    return total, tried, alive
