"""Mutation testing: small changes of metrics and validator, each of which the tests should notice.

cosmic-ray (``make .venv/mutation/done`` installs it, ``cosmic-ray.toml`` configures it) changes copies of the
repository. A sample of each module's mutants is tried on tests that run the changed line, 10 seconds of them,
because all mutants and all tests would take days.
"""

from __future__ import annotations

import collections
import hashlib
import json
import queue
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from quality import ROOT, mutant_filter, mutant_tests

_WORK = ROOT / ".cache" / "mutants"
_BIN = ROOT / ".venv" / "mutation" / "bin"
_LEFT_OUT = (".git", ".venv", ".cache", "out", "dist", ".hypothesis", "*_cache", "__pycache__")
_COPIES = 2


def modules() -> list[str]:
    """Return the modules that are tried: what scores, checks, and decides what is shown."""
    program = ROOT / "scoring_program"
    chosen = [*program.glob("metrics/*.py"), *(ROOT / "validator").rglob("*.py"), program / "disclosure.py"]
    chosen += [program / "run.py", *program.glob("challenges/*/measure.py")]
    return [path.relative_to(ROOT).as_posix() for path in sorted(chosen) if path.name[0] != "_"]


def run_mutants(chosen: Sequence[str], sample: int, tests: Sequence[str]) -> int:
    """Try a sample of mutants of each module, print the share noticed and the survivors.

    ``tests`` are the files with the tests to choose from; all without any.

    A run that was interrupted goes on where it stopped, unless the code or the tests changed.
    """
    if not (_BIN / "cosmic-ray").exists():
        print("there is no cosmic-ray; install it with make .venv/mutation/done", file=sys.stderr)
        return 1
    copies: queue.Queue[Path] = queue.Queue()
    for number in range(_COPIES):
        copy = _WORK / f"copy_{number}"
        # A mutant may be left in the copy if a run is interrupted.
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        copies.put(copy)
    state = _state(copy, tests)
    if not (_WORK / state).exists():
        _write_tests(copy, _WORK / state, tests)

    def try_module(module: str) -> tuple[int, int, int, list[str]]:
        copy = copies.get()
        try:
            return results(_try_mutants(module, sample, copy, _WORK / state))
        finally:
            copies.put(copy)

    print("| module | mutants | tried | noticed | by time |\n|---|---|---|---|---|")
    survivors, names = [], chosen or modules()
    with ThreadPoolExecutor(_COPIES) as pool:
        for module, (total, tried, timed_out, alive) in zip(names, pool.map(try_module, names)):
            noticed = 100 * (tried - len(alive)) / max(tried, 1)
            print(f"| {module} | {total} | {tried} | {noticed:.0f} % | {timed_out} |", flush=True)
            survivors += alive
    print(*survivors, sep="\n")
    return 0


def _state(copy: Path, tests: Sequence[str]) -> str:
    """Return the name of the folder for the content of a copy and a choice of tests."""
    files = [
        path for path in sorted(copy.rglob("*")) if path.is_file() and path.suffix not in (".md", ".sqlite")
    ]
    content = b"".join([*(path.read_bytes() for path in files), *map(str.encode, tests)])
    return hashlib.sha256(content).hexdigest()[:12]


def _write_tests(copy: Path, folder: Path, chosen: Sequence[str]) -> None:
    """Write a file for each module: the tests that run it, their seconds, and the lines that they run."""
    from coverage import CoverageData

    options = ["-n", str(_COPIES), "-p", "no:cacheprovider", "--hypothesis-profile=quick"]
    options += ["--cov=scoring_program", "--cov=validator", "--cov-context=test", "--cov-report="]
    # Tests that fail are left out: some need more random cases than this profile has.
    _run(copy, sys.executable, "-m", "pytest", *options, "--junitxml=tests.xml", *chosen, most=1)
    seconds = {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": float(case.get("time", 0))
        for case in ElementTree.parse(copy / "tests.xml").iter("testcase")  # noqa: S314 - written by pytest
        if not len(case)
    }
    data = CoverageData(str(copy / ".coverage"))
    data.read()
    new = folder.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for module in modules():
        lines = collections.defaultdict(list)
        for line, contexts in data.contexts_by_lineno(str(copy / module)).items():
            # "file::test[case]|run", or "|setup" for the fixtures of a test; nothing for what an import runs
            for name in {context.rpartition("|")[0] for context in contexts}.intersection(seconds):
                lines[name].append(line)
        path = Path(module)
        own = f"tests/{path.with_name(f'test_{path.name}').as_posix()}"
        tests = {name: (seconds[name], sorted(lines[name])) for name in sorted(lines)}
        text = json.dumps({"own": own, "tests": tests})
        (new / module.replace("/", ".")).with_suffix(".json").write_text(text, encoding="utf-8")
    new.rename(folder)


def _try_mutants(module: str, sample: int, copy: Path, folder: Path) -> list[str]:
    """Return the lines of cosmic-ray's dump: each mutant and what came of it."""
    stem = (folder / module.replace("/", ".")).with_suffix("")
    original, chooser = ROOT / module, mutant_tests.__file__
    paths = {"python": sys.executable, "chooser": chooser, "tests": f"{stem}.json", "original": original}
    text = Path(__file__).with_name("cosmic-ray.toml").read_text(encoding="utf-8")
    text = text.format(module=module, **{name: shlex.quote(str(path)) for name, path in paths.items()})
    (copy / "mutants.toml").write_text(text, encoding="utf-8")
    cosmic_ray = _BIN / "cosmic-ray"
    _run(copy, cosmic_ray, "baseline", "mutants.toml")
    session = Path(f"{stem}-{sample}.sqlite")
    if not session.exists():
        new = session.with_suffix(".new")
        new.unlink(missing_ok=True)
        _run(copy, cosmic_ray, "init", "mutants.toml", new)
        _run(copy, _BIN / "cr-filter-operators", new, "mutants.toml")
        _run(copy, _BIN / "python", mutant_filter.__file__, "mutants.toml", new, sample)
        new.rename(session)
    _run(copy, cosmic_ray, "exec", "mutants.toml", session)
    return _run(copy, cosmic_ray, "dump", session).splitlines()


def _run(folder: Path, *command: object, most: int = 0) -> str:
    """Return what a program prints. Raises RuntimeError if its exit code is above ``most``."""
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    if not 0 <= done.returncode <= most:
        raise RuntimeError(f"{shlex.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def results(dump: Iterable[str]) -> tuple[int, int, int, list[str]]:
    """Return how many mutants a module has, were tried, and took too long, and a text for each survivor."""
    total, tried, timed_out, alive = 0, 0, 0, []
    for line in dump:
        item, result = json.loads(line)
        (mutation,) = item["mutations"]
        tried += result["worker_outcome"] == "normal"
        total += result["worker_outcome"] == "normal" or result["output"] == mutant_filter.NOT_SAMPLED
        timed_out += (result["output"] or "").endswith(f"{mutant_tests.TIMED_OUT}\n")
        if result["test_outcome"] == "survived":
            place = f"{mutation['module_path']} line {mutation['start_pos'][0]}: {mutation['operator_name']}"
            changes = [text for text in result["diff"].splitlines()[3:] if text[:1] in ("+", "-")]
            alive.append("\n".join(["", place, *changes]))
    return total, tried, timed_out, alive
