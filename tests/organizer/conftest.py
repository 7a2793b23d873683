"""Settings of the tests of organizers' commands."""

from __future__ import annotations

from functools import cache

import pytest

from organizer import archive
from organizer.bundle import build, lint, source
from organizer.bundle.programs import build_program
from organizer.runs import built

_program = cache(build_program)


@pytest.fixture(scope="session", autouse=True)
def all_tasks(competition_source):
    """Build the competition of all tasks, whatever competition is in the repository."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (source, build, lint, built, archive):
            patch.setattr(module, "SOURCE", competition_source)
        yield


@pytest.fixture(autouse=True)
def nothing_built(tmp_path_factory, monkeypatch):
    """Run submissions on the program as it is, not on one that was built into dist/ some time ago."""
    monkeypatch.setattr(built, "DIST", tmp_path_factory.getbasetemp() / "dist")
    monkeypatch.setattr(built, "build_program", _program)
