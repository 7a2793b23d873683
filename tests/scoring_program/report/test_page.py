"""The page: every kind of section renders, what matters comes first, and no text can become markup."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from xml.etree.ElementTree import Element

import html5lib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.report import charts, page
from scoring_program.report import html as tree
from scoring_program.result import Column, ErrorCost, Groups, Interval, LineChart, Matrix, Section, Table
from tests.example_result import SCORES, SIGNATURE, TASK, example_result
from validator.findings import Findings, Note

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</style><script>",
    '"><svg/onload=1>',
    "&lt;script&gt;",
    "\ud800\u202e",
]
SMALL = replace(example_result(3), sections=())


@lru_cache(1)
def parsed(text: str) -> Element:
    """Return the tree that a browser builds; an error of syntax raises. The last one is kept."""
    return html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(text)


def shown(text: str) -> str:
    return " ".join(" ".join(parsed(text).find("body").itertext()).split())


def result_page(**changes) -> str:
    return page.result_page(TASK, replace(SMALL, **changes), SIGNATURE)


def tags(text: str) -> set[str]:
    return {found.tag.split("}")[-1] for found in parsed(text).iter()}


def test_every_kind_of_section_is_tried():
    """Groups become tables before they are shown."""
    kinds = {type(section) for section in example_result(3).sections}
    assert kinds == set(Section.__subclasses__()) - {Groups}
    assert "groups" in {section.key for section in example_result(3).sections}


def first_word(text: str) -> str:
    """Return the first word of a text as a page shows it, "" if it shows none."""
    return next(iter(tree.cut(tree.clean(text)).replace("\r", "\n").split()), "")


def full_page(text: str) -> str:
    return page.result_page(TASK, example_result(2, text, text), text)


@cache
def tags_of_plain_text() -> set[str]:
    return tags(full_page("plain"))


@given(st.one_of(st.text().filter(first_word), st.sampled_from(HOSTILE)))
def test_text_never_becomes_markup(text):
    made = full_page(text)
    assert tags(made) == tags_of_plain_text()
    assert "script" not in tags(made)
    assert first_word(text) in shown(made)


def invalid_page(text: str) -> str:
    findings = Findings()
    findings.add("E-TEST", text, text, file=text, where=text)
    findings.note("N-TEST", text)
    return page.invalid_page(TASK, findings)


@given(st.one_of(st.text(), st.sampled_from(HOSTILE)))
def test_problems_never_become_markup(text):
    assert tags(invalid_page(text)) == tags(invalid_page("plain"))


@pytest.mark.slow
def test_all_pages_are_valid_html():
    for made in (page.running_page(), page.broken_page(["E-X: it broke"], "Example")):
        assert parsed(made).get("lang") == "en"
    for size in (1, 20, 21, 600):
        parsed(page.result_page(TASK, example_result(size), SIGNATURE))


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("script", {}),
        *(
            ("a", {"href": href})
            for href in (
                *("https://example.org", "javascript:alert(1)", "details/../x.html", "details/x.html\n"),
                *("/details/x.html", "details/x.html?y", "details//x.html"),
            )
        ),
    ],
)
def test_only_static_elements_can_be_built(tag, attributes):
    with pytest.raises(ValueError, match=f"no <{tag}>"):
        tree.element(tag, **attributes)


def test_unknown_sections_are_refused():
    with pytest.raises(TypeError, match="no rendering for dict"):
        result_page(sections=[{}])


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (240, "95 % interval 0.391 to 0.434, over 240 sequences"),
        (30, "over 30 sequences"),
        (29, "over 29 sequences; rough: fewer than 30 sequences"),
        (1, "over 1 sequence, too few for an interval"),
    ],
)
def test_the_score_comes_with_its_interval(items, expected):
    made = result_page(interval=Interval(0.3911, 0.4341, 1000, items))
    assert "Mean Jaccard 0.4127" in shown(made)
    assert expected in shown(made)
    assert ("rough" in shown(made)) == (1 < items < 30)
    assert ('class="interval"' in made) == (items > 1)


def test_a_score_that_is_no_share_has_no_strip_from_0_to_1():
    made = result_page(interval=Interval(4.2, 6.1, 1000, 240), scores={"score": 5.1, "coverage": 1.0})
    assert "95 % interval 4.200 to 6.100" in shown(made)
    assert 'class="interval"' not in made


def test_an_interval_that_covers_too_seldom_says_so():
    made = page.result_page(replace(TASK, interval_covers=89), example_result(20), SIGNATURE)
    assert "too narrow: with 300 sequences it held the score in 89 % of trials" in shown(made)
    assert "of trials" not in page.result_page(TASK, example_result(20), SIGNATURE)


def test_without_an_interval_nothing_is_said_about_one():
    made = result_page(interval=None, scores={key: SCORES[key] for key in ("score", "coverage")})
    assert "nterval" not in shown(made)
    assert SIGNATURE in shown(made)


def test_columns_of_the_interval_may_be_missing():
    columns = [replace(column, leaderboard=True) for column in TASK.columns]
    scores = {key: SCORES[key] for key in ("score", "coverage")}
    made = page.result_page(
        replace(TASK, columns=columns), replace(SMALL, interval=None, scores=scores), SIGNATURE
    )
    assert "Coverage" in made
    assert "Interval from" not in made


def test_notes_and_error_costs_come_before_everything_else():
    made = page.result_page(TASK, example_result(20), SIGNATURE)
    headings = [found.text for found in parsed(made).iter("h2")]
    assert headings[:3] == ["Notes", "What costs most", "Scores"]


def test_the_three_largest_error_costs_have_advice_and_all_are_listed():
    text = shown(result_page())
    assert [float(n) for n in re.findall(r"cost ([0-9.]+) points", text)] == [12.1, 8.3, 4.1]
    assert "Extra 0.412 -0.100" in text


def test_an_error_without_a_cost_gets_no_advice():
    text = shown(result_page(error_costs=[ErrorCost("timing", 1.0, 0.0)]))
    assert "Timing 1.000 0.000" in text
    assert " cost " not in text
    assert "costs most" not in shown(result_page(error_costs=[]))


def test_further_notes_are_folded():
    made = parsed(result_page(notes=[Note(f"N-{i}", "text") for i in range(10)], error_costs=[]))
    folded = next(made.iter("details"))
    assert folded.find("summary").text == "7 more"
    assert len(folded.findall("ul/li")) == 7


@pytest.mark.parametrize(
    ("n", "opened", "folded", "more"), [(20, 20, 0, 0), (21, 20, 1, 0), (900, 20, 480, 400)]
)
def test_long_tables_are_folded_and_end(n, opened, folded, more):
    section = Table("t", "Rows", "", [Column("n", "count")], [(i,) for i in range(n)])
    card = parsed(result_page(sections=[section], error_costs=[])).find(".//section[@id='t']")
    assert len(card.findall("div/table/tbody/tr")) == opened
    assert len(card.findall("details/div/table/tbody/tr")) == folded
    text = "".join(card.itertext())
    assert (f"{folded:,} more row" in text) == bool(folded)
    assert (f"and {more:,} more" in text) == bool(more)


def test_the_worst_timelines_are_open_and_the_others_folded():
    card = parsed(page.result_page(TASK, example_result(30), SIGNATURE)).find(".//section[@id='timeline-1']")
    assert len(card.findall("div/div[@class='timeline']")) == 10
    assert len(card.findall("details/div/div[@class='timeline']")) == 20


def test_shares_have_three_decimals_and_undefined_cells_a_dash():
    columns = [Column("a"), Column("b", "share"), Column("c", "count"), Column("d", "number")]
    rows = [("x", 0.12345, 12345, 1.23456), (None, None, None, None)]
    text = shown(result_page(sections=[Table("t", "T", "", columns, rows)]))
    assert "x0.12312,3451.235––––" in text.replace(" ", "")


def test_a_hidden_cell_of_a_matrix_shows_a_dash_only():
    counts = np.array([[77, -1], [0, 55]])
    made = parsed(
        result_page(sections=[Matrix("m", "M", "", ["a", "b"], counts, np.zeros((2, 2, 2), int), "frames")])
    )
    cells = [cell.text or "" for cell in made.find(".//table[@class='matrix']").iter("td")]
    assert cells == ["", "77", "–", "", "55"]


def test_the_contents_lead_to_every_card():
    made = parsed(page.result_page(TASK, example_result(20), SIGNATURE))
    cards = [found.get("id") for found in made.iter("section")]
    assert len(set(cards)) == len(cards)
    assert [link.get("href") for link in made.find(".//nav").iter("a")] == [f"#{key}" for key in cards]


@pytest.mark.slow
def test_a_page_stays_small_whatever_comes():
    made = page.result_page(TASK, example_result(3000, "<&>" * 3000), SIGNATURE * 1000)
    assert 20_000 < len(made.encode()) <= page.LARGEST_PAGE


def test_a_summary_of_full_size_is_small():
    result = example_result(500)
    summary = [section for section in result.sections if section.level == "summary"]
    assert len(page.result_page(TASK, replace(result, sections=summary), SIGNATURE)) < 300_000


def test_no_number_is_minus_zero():
    section = Table("t", "Rows", "", [Column("cost", "number")], [(-0.0001,), (-0.0006,)])
    assert [cell.text for cell in parsed(result_page(sections=[section], error_costs=[])).iter("td")][
        -2:
    ] == [
        "0.000",
        "-0.001",
    ]


@pytest.mark.parametrize(
    ("last", "ticks"), [(25, ["0", "10", "20"]), (20, ["0", "5", "10", "15", "20"]), (1, ["0", "0.25"])]
)
def test_days_are_whole_on_the_axis(last, ticks):
    chart = charts.lines(LineChart("t", "T", "", [], "days", "score", (0, last, 0, 1)))
    assert [mark.text for mark in chart.iter("span") if mark.get("class") == "x"][: len(ticks)] == ticks
