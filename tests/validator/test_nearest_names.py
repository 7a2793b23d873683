"""The nearest public name to an unknown one, and how long hostile names take."""

from __future__ import annotations

import pytest

from validator.nearest_names import NearestNames


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("None", "none"),
        ("tuch", "touch"),
        ("pushcart", "push_cart"),
        ("hips", "hip"),
        ("womann", "woman"),
        ("Left Arm", "left_arm"),
        ("arm_left", "left_arm"),
        ("zebra", ""),
        ("", ""),
    ],
)
def test_the_nearest_name(name: str, nearest: str) -> None:
    names = ["none", "touch", "push_cart", "hip", "woman", "man", "left_arm"]
    assert NearestNames(names).find(name) == nearest


def test_of_very_many_names_only_one_that_folds_alike_is_near() -> None:
    nearest = NearestNames([f"name_{number}" for number in range(3000)])
    assert nearest.find("Name 17") == "name_17"
    assert nearest.find("nama_17") == ""


@pytest.mark.parametrize("name", ["0" * 10**6, "/" * 10**6, "_000001" * 10**5, "1" * 10**6])
def test_long_hostile_names_take_linear_time(name: str) -> None:
    assert NearestNames(["push_cart", "touch"]).find(name) == ""
