"""Settings of the tests of organizers' commands."""

from __future__ import annotations

from functools import cache

import pytest

from organizer.bundle import build
from organizer.bundle.programs import build_program

_program = cache(build_program)


@pytest.fixture(autouse=True)
def nothing_built(tmp_path_factory, competition_source, monkeypatch):
    """Run submissions on the program as it is, not on one that was built into dist/ some time ago.

    Whatever competition is in the repository, that of all tasks is built.
    """
    monkeypatch.setattr(build, "SOURCE", competition_source)
    monkeypatch.setattr(build, "DIST", tmp_path_factory.getbasetemp() / "dist")
    monkeypatch.setattr(build, "build_program", _program)
