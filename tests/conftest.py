"""Fixtures and settings of all tests."""

from __future__ import annotations

import fcntl
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from organizer.bundle.build import build_all
from tests.browser import chromium
from tests.helpers import run_folder

# How many random cases are tried, in percent of what the tests name: --hypothesis-profile=quick, default or nightly.
# One fixed sequence of examples, so that a run on another machine sees the same.
for profile, percent in {"quick": 10, "default": 100, "nightly": 2000}.items():
    settings.register_profile(profile, derandomize=True, deadline=None, max_examples=percent)
settings.load_profile("default")


@pytest.fixture(scope="session")
def bundles(request, tmp_path_factory):
    """Return the folder with all bundles of both forms, made with the demo reference, once for all processes."""
    folder = tmp_path_factory.getbasetemp()
    # Not by a variable of the environment, which tests that run pytest pass on.
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    dist = folder / "bundles"
    with (folder / "bundles.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (dist / "v1.5").exists():
            for form in ("v2", "v1.5"):
                build_all(None, form, dist)
    return dist


@pytest.fixture(scope="module")
def browser():
    """Return Chromium without a window."""
    with chromium() as started:
        yield started


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
