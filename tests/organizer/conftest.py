"""Bundles are built once for all tests of this folder."""

from __future__ import annotations

import pytest

from organizer.bundle import last_built
from organizer.bundle.build import build_all


@pytest.fixture(autouse=True)
def nothing_built(tmp_path_factory, monkeypatch):
    """Run submissions on the program as it is, not on one that was built into dist/ some time ago."""
    monkeypatch.setattr(last_built, "DIST", tmp_path_factory.getbasetemp() / "dist")


@pytest.fixture(scope="session")
def bundles(tmp_path_factory):
    """Return the folder with all bundles of both forms, made with the demo reference."""
    folder = tmp_path_factory.mktemp("dist")
    for form in ("v2", "v1.5"):
        build_all(None, form, folder)
    return folder
