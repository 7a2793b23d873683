"""Bundles are built, and their zips checked, once for all tests of this folder."""

from __future__ import annotations

import pytest

from organizer.bundle.build import build_all
from organizer.bundle.contents import Contents


@pytest.fixture(scope="session")
def bundles(tmp_path_factory):
    """Return the folder with all bundles of both forms, made with the demo reference."""
    folder = tmp_path_factory.mktemp("dist")
    for form in ("v2", "v1.5"):
        build_all(None, form, folder)
    return folder


@pytest.fixture(scope="session")
def contents():
    """Return what remembers the results of checking zips."""
    return Contents()
