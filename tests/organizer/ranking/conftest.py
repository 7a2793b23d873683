"""Settings of the tests of rankings."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def shared_pools(lasting_pools):
    """Score with pools that all calls share, in all tests of rankings."""
