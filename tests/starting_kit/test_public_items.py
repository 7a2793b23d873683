"""The table of items in public data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.public_items import encode_items, parse_items
from tests.helpers import refused


@given(st.sets(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1))
def test_items_come_back_whatever_characters_they_have(items):
    assert parse_items(encode_items(sorted(items))) == sorted(items)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"item\n",
        b"id\nvideo_1\n",
        b"item,label\nvideo_1,run\n",
        b"item\nvideo_1,run\n",
        b"item\n\nvideo_1\n",
        b'item\n"video_1\n',
        "item\nvidéo\n".encode("latin-1"),
    ],
)
def test_other_tables_are_refused(content):
    (problem,) = refused(parse_items, content).problems
    assert (problem.code, problem.file) == ("E-PUBLIC-DATA", "items.csv")
