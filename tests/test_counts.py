"""One and many: no text of ours says "1 files"."""

from __future__ import annotations

import pytest

from validator.texts import counted


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 videos"), (1, "1 video"), (2, "2 videos"), (2000, "2,000 videos")]
)
def test_one_and_many(number, text):
    assert counted(number, "video") == text


@pytest.mark.parametrize(("number", "text"), [(0, "0 vertices"), (1, "1 vertex"), (2, "2 vertices")])
def test_irregular_plurals_are_given(number, text):
    assert counted(number, "vertex", "vertices") == text
