"""One and many: no text of ours says "1 files"."""

from __future__ import annotations

import ast
import re

import pytest

from tests.helpers import ROOT
from validator.findings import counted

PACKAGES = ("validator", "scoring_program", "organizer", "starting_kit")
# What may stand behind a value and is not the plural of what it counts; and large constants of one size.
OTHER_WORDS = {
    *("and", "as", "at", "begins", "counts", "differs", "does", "exists", "gets", "has", "in", "is", "leads", "lies"),
    *("works", "minus", "no", "not", "occurs", "of", "ordinary", "put", "sorts", "stands", "this", "to", "unpacks", "was", "whether"),
    *("with", "looks", "takes", "bytes", "clss", "ms", "participants", "pixels", "points"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 videos"), (1, "1 video"), (2, "2 videos"), (2000, "2,000 videos")]
)
def test_one_and_many(number, text):
    assert counted(number, "video") == text
    assert counted(number, "vertex", "vertices") == text.replace("videos", "vertices").replace(
        "video", "vertex"
    )


def is_right(node):
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "counted" or ast.unparse(node.func).endswith(".capitalize")
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.strip("_").isupper()


def bare_counts(source):
    """Return the texts of f-strings in which a value that is no constant is followed by a plural."""
    found = []
    for text in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.JoinedStr)):
        for value, after in zip(text.values, text.values[1:]):
            words = (
                re.match(r" ([a-z-]+ )?([a-z]+[^s]s)\b", str(after.value))
                if isinstance(after, ast.Constant)
                else None
            )
            if words and isinstance(value, ast.FormattedValue) and not is_right(value.value):
                plain = OTHER_WORDS.isdisjoint(part.strip() for part in words.groups() if part)
                found += [ast.unparse(text)] if plain else []
    return found


def test_bare_counts_are_found():
    assert bare_counts('f"{n} files {x}"') and bare_counts('f"{len(x):,} more rows"')
    assert not bare_counts("f\"{counted(n, 'file')} ignored, {n} is less, {MOST} files\"")


@pytest.mark.slow
def test_all_counts_go_through_the_helper():
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    found = [(path.name, text) for path in sources for text in bare_counts(path.read_text(encoding="utf-8"))]
    assert not found, found
