"""The page: every kind of section renders, and no text can become markup."""

from __future__ import annotations

import html.parser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.challenge import load_challenge
from scoring_program.report import html as tree
from scoring_program.report import page
from scoring_program.result import Column, Histogram, Lane, Result, Table, Timeline
from validator.findings import Findings

CHALLENGE = load_challenge("chalearn_gesture")
SCORES = {column.key: 0.5 for column in CHALLENGE.columns}


class Collector(html.parser.HTMLParser):
    """Collects elements and text of a page, as a browser would see them."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text.append(data)


def parsed(text):
    collector = Collector()
    collector.feed(text)
    return collector.tags, "".join(collector.text)


def sections(text):
    return [
        Table(text, text, [Column(text), Column("share", "share"), Column("n", "count"), Column("x", "number")],
              [(text, 0.5, 7, 1.25), (text, None, None, None)]),
        Table(text, "empty", [Column(text)], []),
        Histogram(text, text, [0, 0.5, 1], [3, 0], text, text),
        Timeline(text, text, 10, [Lane(text, [(0, 5)], [(2, 7)])]),
    ]  # fmt: skip


@given(
    st.one_of(st.text(), st.sampled_from(["<img src=x onerror=alert(1)>", "</style><script>", '"><svg/onload=1>']))
)
def test_text_never_becomes_markup(text):
    findings = Findings()
    findings.note("N-TEST", text)
    result = Result(SCORES, {}, sections(text), [text])
    tags, shown = parsed(page.result_page(CHALLENGE, result, text, findings))
    assert tags <= tree._TAGS
    assert "script" not in tags
    assert tree.clean(text).replace("\r", "\n").split() == [] or tree.clean(text).split()[0] in shown


@given(st.text())
def test_problems_never_become_markup(text):
    findings = Findings()
    findings.add("E-TEST", text, text, text, text)
    tags, _ = parsed(page.invalid_page(CHALLENGE, findings))
    assert tags <= tree._TAGS


def test_only_static_elements_can_be_built():
    with pytest.raises(ValueError, match="no <script>"):
        tree.element("script")


def test_unknown_sections_are_refused():
    with pytest.raises(TypeError, match="no rendering for dict"):
        page.result_page(CHALLENGE, Result(SCORES, {}, [{}]), "", Findings())


def test_main_number_and_signature_stand_on_the_page():
    text = page.result_page(CHALLENGE, Result({**SCORES, "score": 0.12345}, {}), "id|x:1", Findings())
    assert "Mean Jaccard 0.1235" in text or "Mean Jaccard 0.1234" in text
    assert "id|x:1" in text
