"""Settings of the tests of organizers' commands."""

from __future__ import annotations

from functools import cache

import pytest

from organizer.bundle import build
from organizer.bundle.programs import build_program

_program = cache(build_program)


@pytest.fixture(scope="session", autouse=True)
def all_tasks(competition_source):
    """Build the competition of all tasks, whatever competition is in the repository."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "SOURCE", competition_source)
        yield


@pytest.fixture(autouse=True)
def nothing_built(tmp_path_factory, monkeypatch):
    """Run submissions on the program as it is, not on one that was built into dist/ some time ago."""
    monkeypatch.setattr(build, "DIST", tmp_path_factory.getbasetemp() / "dist")
    monkeypatch.setattr(build, "build_program", _program)
