"""The text of each page of a ranking, as a file that is reviewed as a diff.

``UPDATE_SNAPSHOTS=1 .venv/bin/python -m pytest tests/organizer/ranking/test_snapshots.py`` writes the files anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import html5lib
import pytest

from organizer.ranking import page
from organizer.ranking.stored import read_rankings
from organizer.ranking.team_page import team_page
from people_in_video.comparing.standings import ranked_rows
from tests.organizer.ranking.test_page import failed, ranking_of, teams
from tests.rescoring import ID

FOLDER = Path(__file__).parent / "snapshots"
BLOCKS = {
    *["h1", "h2", "h3", "p", "li", "tr", "summary", "figcaption", "section", "nav", "div", "text", "title"]
}
# Other in each version, and for each way to compress.
CHANGING = {r"[a-z_]+\|protocol:\S+|x\|ref:0": "SIGNATURE", r"(?m)^[0-9a-f]{8}(?= )": "DIGEST"}


def page_text(html):
    """Return the text of a page: a line for each paragraph, row, heading and label."""
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(html)
    pieces = []

    def walk(node):
        if node.tag in BLOCKS:
            pieces.append("\n")
        if node.tag in ("td", "th", "small", "span", "a"):
            pieces.append(" ")
        pieces.append(node.text or "")
        for child in node:
            walk(child)
            pieces.append(child.tail or "")
        if node.tag in BLOCKS:
            pieces.append("\n")

    walk(tree.find("body"))
    lines = [" ".join(line.split()) for line in "".join(pieces).splitlines()]
    text = "\n".join(filter(None, lines)) + "\n"
    for pattern, name in CHANGING.items():
        text = re.sub(pattern, name, text)
    return text


def ranking_of_case(case, everything):
    if case == "empty":
        return ranking_of([failed("E-ZIP-NOT: no zip")])
    if case == "usual":
        return teams()
    (ranking,) = read_rankings(everything, ID)
    return ranking


def page_of(kind, ranking):
    if kind == "index":
        return page.index_page(ranking)
    if kind == "ranking":
        return page.ranking_page(ranking)
    row = next(row for row in ranked_rows(ranking.standings) if row.place == 0)
    return team_page(ranking, 0, row.band)


@pytest.mark.parametrize("kind", ["index", "ranking", "team"])
@pytest.mark.parametrize("case", ["empty", "usual", "everything"])
def test_the_text_of_a_page_is_the_reviewed_one(case, kind, everything):
    if (case, kind) == ("empty", "team"):
        pytest.skip("there is no team")
    text = page_text(page_of(kind, ranking_of_case(case, everything)))
    path = FOLDER / f"{kind}_{case}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
