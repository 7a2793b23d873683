"""One thing has one name: names that were replaced do not come back. docs/glossary.md has those that hold."""

from __future__ import annotations

import re
import subprocess
from functools import cache

import pytest

from tests.helpers import ROOT

# What went, as a regular expression of whole words, and what is used instead.
GONE = {
    r"plausib\w*": "hint, for a likely mistake in a valid submission",
    r"loss(es)?": "error cost",
    r"facets?": "check",
    r"yardsticks?": "hint accuracy",
    r"honest\w*": "correct submission",
    r"(told|tell) apart": "significantly different",
    r"fewest": "minimum group size, least",
    r"complain\w*": "problem, report",
    r"new[-_ ]challenge": "new task",
    r"rank[ _]intervals?": "rank set",
    r"cheat\w*": "gaming",
    r"(?<!self\.)(?<!stream\.)(?<!member\.)(tells?|told)": "report, print, show, write",
    r"another reading|other readings": "interpretation",
}
# The history of names is in the changelog; tests and data have words of their own.
READ = re.compile(
    r"(?!CHANGELOG|tests/|examples/tests/|reference_data/|starting_kit/samples/|.*/vendor/)"
    r"(.*\.(py|md|ya?ml|json|css|html|toml|cff|sh)|Makefile|\.ci/run)$"
)


@cache
def texts():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = filter(READ.match, listed.stdout.splitlines())
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


@pytest.mark.parametrize("gone", GONE)
def test_names_that_were_replaced_are_not_used(gone):
    pattern = re.compile(rf"(?<![A-Za-z0-9`-])({gone})(?![A-Za-z0-9-])", re.I)
    # Files that hold no such name are passed over as a whole, which is much faster.
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts().items()
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found, f"use: {GONE[gone]}\n" + "\n".join(found)
