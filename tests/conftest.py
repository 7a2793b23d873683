"""Fixtures and settings of all tests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.helpers import run_folder

# One fixed sequence of examples, so that a run on another machine sees the same.
settings.register_profile("all", derandomize=True, deadline=None)
settings.register_profile("quick", settings.get_profile("all"), max_examples=20)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples where slow tests are left out."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "all")


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
