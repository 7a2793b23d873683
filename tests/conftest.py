"""Fixtures and settings of all tests."""

from __future__ import annotations

import compileall
import fcntl
import gc
import io
import json
import shutil
import zipfile
import zlib
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import settings

from organizer.bundle import parts
from organizer.bundle.build import build_all
from organizer.bundle.kit import KIT, PACKAGE
from organizer.bundle.public_files import demo_folder
from organizer.files import read_zip, unpack
from quality.competition import write_source
from tests.browser import chromium, new_window
from tests.helpers import run_folder
from validator import findings
from validator.codes import all_codes

# How many random cases are tried, in percent of what the tests name: --hypothesis-profile=smoke, quick, default,
# nightly or thorough. From nightly on, nothing of what functions of helpers.py, such as is_nightly, reduce is left out.
# One fixed sequence of examples, so that a run on another machine sees the same.
for profile, percent in {"smoke": 2, "quick": 5, "default": 10, "nightly": 400, "thorough": 2000}.items():
    settings.register_profile(profile, derandomize=True, deadline=None, max_examples=percent)
settings.load_profile("default")

REPORTED_CODES = pytest.StashKey[set[str]]()
# The public parts of demo references that tests of bundles share, by task.
PUBLIC_PARTS = {}
# Codes of messages that no test reports within its own process, with the reason.
REPORTED_ELSEWHERE = {
    "E-CRASHED": "rescore keeps it as the problem of an entry, not as a finding",
}


def pytest_configure(config):
    """Gather the codes of all messages that the tests of this process report."""
    reported = config.stash[REPORTED_CODES] = set()
    for message in (findings.Problem, findings.Note):
        pytest.MonkeyPatch().setattr(message, "__new__", gathering(message.__new__, reported))


def gathering(new, reported):
    """Return a function that makes a message as ``new`` does and adds its codes to those that were reported."""

    def make(cls, code, *values, **named_values):
        reported.update(code.split())
        return new(cls, code, *values, **named_values)

    return make


def pytest_collection_finish():
    """Leave the thousands of tests out of what the garbage collector looks through again and again."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take over the codes that a worker of pytest-xdist has gathered, as it ends."""
    node.config.stash[REPORTED_CODES].update(getattr(node, "workeroutput", {}).get("reported_codes", ()))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Fail a full run in which the code of a message was never reported, as a test that failed."""
    reported = session.config.stash[REPORTED_CODES]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["reported_codes"] = sorted(reported)
    elif exitstatus == pytest.ExitCode.OK and is_full_run(session.config):
        missing = all_codes().keys() - reported - REPORTED_ELSEWHERE.keys()
        if missing:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            add_failure(session.config, sorted(missing))


def add_failure(config, missing_codes):
    """Add a failed test to those that the summary of pytest shows and counts."""
    text = f"no test reports {', '.join(missing_codes)}: add a test, or delete the code from its codes.py"
    report = pytest.TestReport(
        nodeid="tests/conftest.py::every code is reported",
        location=("tests/conftest.py", None, "every code is reported"),
        keywords={},
        outcome="failed",
        longrepr=text,
        when="call",
    )
    config.pluginmanager.get_plugin("terminalreporter").stats.setdefault("failed", []).append(report)


def is_full_run(config):
    """Return whether all tests but the slow ones were run: no others left out on the command line, none only listed."""
    choices = ("file_or_dir", "keyword", "deselect", "ignore", "ignore_glob", "lf", "stepwise")
    lists = ("collectonly", "showfixtures", "show_fixtures_per_test", "cacheshow", "setuponly", "setupplan")
    has_quick_tests = config.getoption("markexpr") in ("", "not slow")
    return has_quick_tests and not any(config.getoption(option, None) for option in (*choices, *lists))


@pytest.fixture(scope="session")
def competition_source(tmp_path_factory):
    """Return the folder with the competition of all tasks."""
    return write_source(tmp_path_factory.mktemp("competition") / "source")


@pytest.fixture(scope="session")
def bundles(request, tmp_path_factory, competition_source):
    """Return the folder with all bundles of both forms, made with the demo reference, once for all processes."""
    folder = tmp_path_factory.getbasetemp()
    # Not by a variable of the environment, which tests that run pytest pass on.
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    dist = folder / "bundles"
    with (folder / "bundles.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (dist / "v1.5").exists():
            build_all(None, "v2", dist, source=competition_source)
            with pytest.MonkeyPatch.context() as patch:
                take_parts(dist, patch)
                build_all(None, "v1.5", dist, source=competition_source)
    return dist


@pytest.fixture(scope="session")
def unpack_kit(bundles, tmp_path_factory):
    """Return a function that unpacks the kit of a bundle, its modules compiled, which takes Python a second."""

    @cache
    def compiled_kit(bundle):
        folder = tmp_path_factory.mktemp("kit")
        unpack(read_zip(bundles / f"{bundle}.zip")[KIT], folder)
        compileall.compile_dir(folder / PACKAGE, quiet=2)
        return folder

    def unpack_into(bundle, folder):
        # With its times, without which what is compiled does not count.
        shutil.copytree(compiled_kit(bundle), folder, dirs_exist_ok=True)

    return unpack_into


@pytest.fixture(scope="module")
def browser():
    """Return Chromium without a window."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def window(browser):
    """Return a window for all pages of a module, in which axe may run."""
    return new_window(browser, bypass_csp=True)


def take_parts(dist, patch):
    """Have builds take programs, kits and demo data from the bundles in a folder, and compress quickly."""
    made, kits = parts_of(dist)
    build_kit, public_part, compressobj = parts.build_kit, parts.make_public_part, zlib.compressobj

    def demo_reference(task_id):
        with zipfile.ZipFile(io.BytesIO(made[task_id][f"{task_id}_reference.zip"])) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    patch.setattr(parts, "build_program", lambda task_id: made[task_id][f"{task_id}_program.zip"])
    patch.setattr(parts, "build_kit", lambda ids, demo: kits.get(ids) or build_kit(ids, demo))
    patch.setattr(parts, "demo_reference", demo_reference)
    patch.setattr(parts, "make_public_part", partial(kept_public_part, public_part))
    patch.setattr(zlib, "compressobj", lambda level, *more: compressobj(1, *more))


def kept_public_part(public_part, task_id, folder):
    """Return the public part of a reference; those of demo references are made once for all tests."""
    if folder != demo_folder(task_id):
        return public_part(task_id, folder)
    if task_id not in PUBLIC_PARTS:
        PUBLIC_PARTS[task_id] = public_part(task_id, folder)
    return PUBLIC_PARTS[task_id]


@cache
def parts_of(dist):
    """Return the files of the bundles of one task by its id, and the kits by their tasks."""
    made = {path.stem: read_zip(path) for path in dist.glob("*.zip")}
    kits = {(task_id,): files[KIT] for task_id, files in made.items()}
    kits[tuple(sorted(made.keys() - {"competition"}))] = made["competition"][KIT]
    return made, kits


@pytest.fixture
def kept_parts(bundles, monkeypatch):
    """Build bundles from the parts of those that are built already: for tests of what is done with the parts."""
    take_parts(bundles, monkeypatch)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch):
    """Keep prepared references out of the user's cache; one folder serves all tests."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(folder))


class Outputs:
    """What a run of the scoring program left: its exit code, its outputs, and what it printed."""

    def __init__(self, code: int, folder: Path, out: str, err: str) -> None:
        self.code, self.folder, self.out, self.err = code, folder, out, err
        self.page = (folder / "detailed_results.html").read_text(encoding="utf-8")
        self.detail = json.loads((folder / "detailed_results.json").read_text(encoding="utf-8"))
        scores = folder / "scores.json"
        self.scores = json.loads(scores.read_text(encoding="utf-8")) if scores.exists() else None
        self.if_fixed = {cost["type"]: cost["score_if_fixed"] for cost in self.detail["error_costs"]}


@pytest.fixture
def run(tmp_path, capsys):
    """Return a function that scores a submission (files, or the bytes of a zip) against reference files."""

    def run_scoring(task_id, reference, submission, **overrides):
        ref, res, out = (tmp_path / name for name in ("ref", "res", "out"))
        for folder in (ref, res):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for name, content in reference.items():
            (ref / name).write_text(content, encoding="utf-8")
        for name, content in submission.items():
            place = res / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        code = run_folder(task_id, ref, res, out, **overrides).exit_code
        captured = capsys.readouterr()
        return Outputs(code, out, captured.out, captured.err)

    return run_scoring
