"""Fixtures of the validator's tests."""

from __future__ import annotations

import pytest

from validator import json_files


@pytest.fixture(params=["msgspec", "no msgspec"])
def both_readers(request, monkeypatch):
    """Read JSON with msgspec, and again as where it is missing."""
    if request.param == "no msgspec":
        monkeypatch.setattr(json_files, "typed_json", None)
    return request.param
