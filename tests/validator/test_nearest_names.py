"""The nearest public name to an unknown one, and how long hostile names take."""

from __future__ import annotations

import pytest

from validator.nearest_names import NearestNames


@pytest.mark.parametrize("name", ["0" * 10**6, "/" * 10**6, "_000001" * 10**5, "1" * 10**6])
def test_long_hostile_names_take_linear_time(name: str) -> None:
    assert NearestNames(["push_cart", "touch"]).find(name) == ""
