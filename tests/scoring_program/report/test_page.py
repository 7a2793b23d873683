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

from people_in_video.drawings.svg import Drawings
from people_in_video.drawings.timelines import Lane, Timeline
from scoring_program.body_figure import BodyFigure
from scoring_program.figures.histogram import Histogram
from scoring_program.figures.matrix import Matrix
from scoring_program.figures.stacked_bar import StackedBar
from scoring_program.marks import Mark
from scoring_program.metrics.resampling import HalfScores
from scoring_program.report import html as tree
from scoring_program.report import page
from scoring_program.report.sections import Look
from scoring_program.result import Column, ErrorCost, Groups, Interval, Section, Table
from tests.example_result import SCORES, SIGNATURE, TASK, changed, example_result, page_of, rounded
from validator.findings import Findings, Note
from validator.texts import counted, visible

LOOK = Look(10_000)
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</style><script>",
    '"><svg/onload=1>',
    "&lt;script&gt;",
    "\ud800\u202e",
]
SMALL = changed(example_result(3), sections=())
MARKS = [Mark("empty", 0.0), Mark("random", 0.00001), Mark("one class", 0.4)]
HALVES = HalfScores(0.4127, np.full(500, 0.41), np.full(500, 0.415), 240)


@lru_cache(1)
def parsed(text: str) -> Element:
    """Return the tree that a browser builds; an error of syntax raises. The last one is kept."""
    return html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(text)


def shown(text: str) -> str:
    return " ".join(" ".join(parsed(text).find("body").itertext()).split())


def result_page(**changes) -> str:
    return page_of(TASK, changed(SMALL, **changes), SIGNATURE)


def tags(text: str) -> set[str]:
    return {found.tag.split("}")[-1] for found in parsed(text).iter()}


def test_every_kind_of_section_is_tried():
    """Groups become tables before they are shown."""
    kinds = {type(section) for section in example_result(3).sections}
    assert kinds == set(Section.__subclasses__()) - {Groups}
    assert "groups" in {section.key for section in example_result(3).sections}


def first_word(text: str) -> str:
    """Return the first word of a text as a page shows it, "" if it shows none."""
    return next(iter(tree.cut(visible(text)).replace("\r", "\n").split()), "")


def full_page(text: str) -> str:
    return page_of(TASK, example_result(2, text, text), text)


@cache
def tags_of_plain_text() -> set[str]:
    return tags(full_page("plain"))


@pytest.mark.slow
@given(st.one_of(st.text().filter(first_word), st.sampled_from(HOSTILE)))
def test_text_never_becomes_markup(text):
    made = full_page(text)
    assert tags(made) == tags_of_plain_text()
    assert "script" not in tags(made)
    assert first_word(text) in shown(made)


def invalid_page(text: str) -> str:
    findings = Findings()
    findings.add("E-ZIP-NAME", text, text, file=text, where=text)
    findings.note("N-JUNK", text)
    return page.invalid_page(TASK, findings)


@given(st.one_of(st.text(min_size=1), st.sampled_from(HOSTILE)))
def test_problems_never_become_markup(text):
    assert tags(invalid_page(text)) == tags(invalid_page("plain"))


def test_problems_are_grouped_by_file_and_the_remedy_comes_first():
    findings = Findings()
    findings.add(
        "E-CSV-INTEGER", "start frame 'x' is a word", "write digits", file="b.csv", where="line 1 column 2"
    )
    findings.add("E-ZIP-NAME", "the name is wrong", "rename it", file="a.csv")
    findings.add("E-CSV-COLUMNS", "the row has 2 fields", "b.csv has 3 columns", file="b.csv")
    findings.add("E-FILE-NONE", "there is no file", "submit some")
    made = parsed(page.invalid_page(TASK, findings))
    headings = [heading.text for heading in made.iter("h2")]
    assert headings[:3] == ["The submission", "b.csv", "a.csv"]
    entries = made.findall(".//ul[@class='problems']/li")
    assert [entry.find("strong").text for entry in entries] == [
        "submit some.",
        "write digits.",
        "b.csv has 3 columns.",
        "rename it.",
    ]
    assert "".join(entries[1].itertext()) == (
        "write digits.start frame 'x' is a word.At line 1 column 2. E-CSV-INTEGER"
    )


@pytest.mark.slow
def test_all_pages_are_valid_html():
    for made in (page.running_page(), page.broken_page(["E-X: it broke"], "Example")):
        assert parsed(made).get("lang") == "en"
    for size in (1, 20, 21, 600):
        parsed(page_of(TASK, example_result(size), SIGNATURE))


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


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (240, "95 % interval 0.3911 to 0.4341, over 240 sequences"),
        (30, "over 30 sequences"),
        (29, "over 29 sequences; rough: fewer than 30 sequences"),
        (10, "over 10 sequences; rough: fewer than 30 sequences"),
        (9, "over 9 sequences; fewer than 10 sequences: too few to say"),
        (1, "over 1 sequence, too few for an interval"),
    ],
)
def test_score_comes_with_its_interval(items, expected):
    halves = HALVES._replace(n_items=items)
    own = Interval(0.3911, 0.4341, 0.01, 500, items) if items > 1 else None
    over = counted(items, "sequence")
    text = result_page(halves=halves, interval=own, over=over, error_costs=[])
    assert "Mean Jaccard 0.4127" in shown(text)
    assert expected in shown(text)
    assert ("rough" in shown(text)) == (10 <= items < 30)
    assert ('class="interval"' in text) == (items > 1)


def test_grouped_items_are_named_with_their_groups():
    halves = HALVES._replace(n_items=9)
    own = Interval(0.3911, 0.4341, 0.01, 500, 9, is_grouped=True)
    text = shown(result_page(halves=halves, interval=own, over="80 sequences of 9 persons"))
    assert (
        "95 % interval 0.3911 to 0.4341, over 80 sequences of 9 persons; fewer than 10 groups: too few"
        in text
    )
    assert "With fewer than 30 groups their order is rough" in text


def test_score_that_no_half_changes_has_no_interval():
    text = shown(result_page(interval=None, over="50 sequences"))
    assert "over 50 sequences; all halves score the same: no interval can be given" in text
    assert "95 % interval" not in text.split("Notes")[0]
    assert "random halves of the sequences" in text
    assert "a half has no score" in text


@pytest.mark.parametrize(("low", "high", "cut_at"), [(0.0, 0.4, ["0"]), (0.1, 0.4, []), (0.6, 1.0, ["1"])])
def test_ends_of_intervals_at_the_ends_of_the_scale_are_explained(low, high, cut_at):
    text = shown(result_page(interval=Interval(low, high, 0.1, 500, 50), over="50 sequences"))
    assert re.findall(r"It is cut at (\d),", text) == cut_at


def test_rounded_end_of_an_interval_is_not_said_to_be_cut():
    interval = Interval(0.003, 0.4, 0.1, 500, 50)
    result = rounded(changed(SMALL, interval=interval, decimals=2))
    assert result.interval.low == 0
    assert "It is cut" not in shown(page_of(TASK, result, SIGNATURE))


def test_interval_without_width_in_the_decimals_that_are_shown_is_not_given():
    text = shown(result_page(interval=None, over="50 sequences", decimals=2))
    assert "over 50 sequences; with 2 decimals both ends of the interval are the same: none is given" in text


def test_score_that_is_no_share_has_no_strip_from_0_to_1():
    own = Interval(4.2, 6.1, 0.5, 500, 240)
    result = changed(SMALL, interval=own, scores={"score": 5.1, "coverage": 1.0})
    text = page_of(replace(TASK, range=(0, None)), result, SIGNATURE)
    assert "95 % interval 4.2000 to 6.1000" in shown(text)
    assert 'class="interval"' not in text


def test_score_interval_and_marks_have_equal_decimals():
    columns = [TASK.columns[0]._replace(precision=6), *TASK.columns[1:]]
    made = parsed(page_of(replace(TASK, columns=columns), changed(SMALL, marks=MARKS), SIGNATURE))
    text = " ".join(made.find(".//header").itertext())
    assert {len(digits) for digits in re.findall(r"\b0\.(\d+)", text)} == {4, 2}
    assert re.findall(r"\b0\.\d\d\b", text) == ["0.38", "0.44"]


def test_strip_is_the_round_part_of_the_scale_that_holds_the_interval():
    """The score 0.4127 with its interval from 0.3911 to 0.4341."""
    made = parsed(result_page(marks=MARKS)).find(".//div[@class='interval']")
    assert [end.text for end in made.findall("span")] == ["0.38", "0.44"]
    band = next(shape for shape in made.iter() if shape.get("class") == "fill-band")
    assert float(band.attrib["x"]) == pytest.approx(100 * (0.3911234567891 - 0.38) / 0.06, abs=0.001)


def test_marks_of_equal_scores_are_one_and_those_beyond_the_strip_have_no_color():
    made = parsed(result_page(marks=MARKS)).find(".//header/div[@class='key']")
    assert ["".join(entry.itertext()) for entry in made] == [
        "nothing predicted, random answers: 0.0000",
        "all right but one class for all: 0.4000",
    ]
    assert [len(list(entry)) for entry in made] == [0, 1]


@pytest.mark.parametrize(
    ("ends", "width"), [((0, 1), 0.121 / (1 - 0.4127123456)), ((None, None), 1.0), ((0, None), 1.0)]
)
def test_bars_of_costs_end_at_the_best_possible_score(ends, width):
    text = page_of(replace(TASK, range=ends), SMALL, SIGNATURE)
    first = parsed(text).find(".//section[@id='run-costs']//li//*[@class='bar']")
    assert f"{100 * width:.1f}" in str(first.attrib) + str([child.attrib for child in first])


def test_interval_and_costs_have_no_more_decimals_than_scores():
    text = shown(page_of(TASK, rounded(changed(SMALL, decimals=2)), SIGNATURE))
    assert "Mean Jaccard 0.41 " in text
    assert "95 % interval 0.39 to 0.43" in text
    assert re.findall(r"cost (-?[0-9.]+):", text) == ["0.12", "0.08", "0.04"]


def test_without_an_interval_nothing_is_said_about_one():
    task = replace(TASK, columns=[column._replace(leaderboard=True) for column in TASK.columns])
    scores = {key: SCORES[key] for key in ("score", "coverage")}
    text = shown(page_of(task, changed(SMALL, interval=None, halves=None, scores=scores), SIGNATURE))
    assert "nterval" not in text
    assert "Coverage" in text
    assert SIGNATURE in text


def test_notes_and_error_costs_come_before_everything_else():
    made = page_of(TASK, example_result(3), SIGNATURE)
    headings = [found.text for found in parsed(made).iter("h2")]
    assert headings[:3] == ["Notes", "What costs most", "Scores"]


def test_error_costs_have_advice_and_all_are_listed():
    text = result_page()
    costs = parsed(text).find(".//section[@id='run-costs']")
    assert re.findall(r"cost (-?[0-9.]+):", shown(text)) == ["0.1210", "0.0833", "0.0412"]
    assert "Extra 0.4117 -0.0010" in shown(text)
    # A cost below 0 gets no advice.
    assert len(costs.findall("ol/li/*[@class='bar']")) == 3


def test_an_error_without_a_cost_gets_no_advice():
    text = shown(result_page(error_costs=[ErrorCost("timing", 1.0, 0.0)]))
    assert "Timing 1.0000 0.0000" in text
    assert " cost " not in text
    assert "costs most" not in shown(result_page(error_costs=[]))


def test_a_cost_that_equals_the_one_above_it_is_not_told_as_a_number_again():
    costs = [
        ErrorCost("timing", 0.8, 0.25),
        ErrorCost("missed_classes", 0.8, 0.25),
        ErrorCost("extra", 0.7, 0.15),
    ]
    made = parsed(result_page(error_costs=costs)).findall(".//section[@id='run-costs']/ol/li")
    assert ["0.2500" in "".join(entry.itertext()) for entry in made] == [True, False, False]
    assert "0.1500" in "".join(made[-1].itertext())


def test_further_notes_are_folded():
    made = parsed(result_page(notes=[Note("N-JUNK", "text")] * 10, error_costs=[]))
    folded = next(made.iter("details"))
    assert folded.find("summary").text == "7 more"
    assert len(folded.findall("ul/li")) == 7


def test_a_long_note_keeps_its_end_where_the_remedy_is():
    note = Note("N-JUNK", f"the names {'long_name, ' * 100} are unknown; write others; this costs 0.5000")
    made = parsed(result_page(notes=[note], error_costs=[]))
    text = "".join(made.find(".//section[@id='run-notes']/ul/li").itertext())
    assert text.startswith("N-JUNK: the names long_name")
    assert text.endswith("write others; this costs 0.5000")
    assert len(text) == 400


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


@pytest.mark.slow
def test_the_worst_timelines_are_open_and_the_others_folded():
    card = parsed(page_of(TASK, example_result(30), SIGNATURE)).find(".//section[@id='timeline-1']")
    assert len(card.findall("div/div[@class='timeline']")) == 10
    assert len(card.findall("details/div/div[@class='timeline']")) == 20


@pytest.mark.slow
def test_the_contents_lead_to_every_card():
    made = parsed(page_of(TASK, example_result(20), SIGNATURE))
    cards = [found.get("id") for found in made.iter("section")]
    assert len(set(cards)) == len(cards)
    assert [link.get("href") for link in made.find(".//nav").iter("a")] == [f"#{key}" for key in cards]


@pytest.mark.slow
def test_a_page_stays_small_whatever_comes():
    result = example_result(3000, "<&>" * 3000)
    made = page_of(TASK, result, SIGNATURE * 1000)
    assert page.LARGEST_PAGE < len(made.encode()) <= page.LARGEST_DRAWN_PAGE == 10_000_000
    undrawn = [section for section in result.sections if not isinstance(section, Drawings)]
    made = page_of(TASK, changed(result, sections=undrawn), SIGNATURE * 1000)
    assert 20_000 < len(made.encode()) <= page.LARGEST_PAGE


@pytest.mark.slow
def test_a_summary_of_full_size_is_small():
    result = example_result(500)
    summary = [section for section in result.sections if section.level == "summary"]
    assert len(page_of(TASK, changed(result, sections=summary), SIGNATURE)) < 300_000


def test_numbers_of_a_table_have_equal_decimals():
    task = replace(TASK, columns=[column._replace(precision=n) for n, column in enumerate(TASK.columns)])
    made = parsed(page_of(task, changed(SMALL, error_costs=[]), SIGNATURE))
    cells = [cell.text for cell in made.iter("td") if cell.get("class") == "number"]
    assert len(cells) >= 3
    assert {len(text.partition(".")[2]) for text in cells} == {4}


def test_a_share_of_zero_has_no_entry_in_the_legend():
    shares = [("kept", 0.9), ("nothing", 0.0), ("hardly", 0.0004), ("lost", 0.0996)]
    section = StackedBar("t", "T", "", shares)
    made = parsed(result_page(sections=[section], error_costs=[]))
    (key,) = [found for found in made.iter("div") if found.get("class") == "key"]
    assert ["".join(entry.itertext()) for entry in key] == ["kept 0.900", "lost 0.100"]
    # A color means the same in the bar and in the legend.
    (bar,) = [found for found in made.iter() if found.get("class") == "stack"]
    colors = [found.get("class") for found in bar.iter() if found.tag.endswith("rect")]
    assert [found.get("class") for found in key.iter() if found.tag.endswith("rect")] == [
        colors[0],
        colors[3],
    ]


@pytest.mark.parametrize(
    ("values", "colors"),
    [
        ((0.91, 0.95, None), ["0.910", "0.950"]),
        ((0.0, 1.0, 0.5), ["0.000", "0.500", "1.000"]),
        ((None,) * 3, []),
    ],
)
def test_colors_of_the_body_mean_the_same_on_every_page(values, colors):
    parts = list(zip(("head", "torso", "left foot"), values, (3, 3, 0)))
    (beside,) = BodyFigure("t", "T", "", parts).render(LOOK)
    figure = beside[0]
    styles = {shape.get("style", "") for shape in figure.iter() if shape.get("style")}
    assert sorted(styles) == [f"--s:{color}" for color in colors]
    assert [text for text in next(span for span in figure if span.tag == "span").itertext() if text] == [
        "0",
        "1",
    ]


def test_the_right_of_the_body_is_on_the_left():
    (beside,) = BodyFigure("t", "T", "", [("right hand", 0.2, 3), ("left hand", 0.7, 3)]).render(LOOK)
    figure = beside[0]
    place_of_hand = {circle[0].text: float(circle.attrib["cx"]) for circle in figure.iter("circle")}
    assert place_of_hand["right hand 0.200"] < place_of_hand["head"] < place_of_hand["left hand 0.700"]


def hover_titles(element):
    return [title.text for title in element.iter() if title.tag.split("}")[-1] == "title"]


@pytest.mark.slow
def test_every_chart_has_titles_on_hover():
    made = parsed(page_of(TASK, example_result(20), SIGNATURE))
    for key in (
        "scores",
        "precision",
        "thresholds",
        "body-parts",
        "lost",
        "accuracy",
        "drawings",
        "timeline-1",
    ):
        chart = made.find(f".//section[@id='{key}']")
        assert all(hover_titles(chart)), key
        assert len(hover_titles(chart)) > 0, key
    cell = made.find(".//section[@id='confusions']//tbody/tr/td[@class='same']")
    assert cell.get("title") == f"vattene, vattene: {cell.text}"
    assert "kept 0.410" in hover_titles(made.find(".//section[@id='lost']"))


def test_histogram_marks_its_threshold():
    section = Histogram("h", "IoU", "", [0.0, 0.25, 0.5], [3, 1], "IoU", "words", 0.25)
    (chart,) = section.render(LOOK)
    assert [
        (mark.text, mark.get("style")) for mark in chart.iter("span") if mark.get("class") == "threshold"
    ] == [("needs 0.25", "left:50.00%")]
    assert [line.get("x1") for line in chart.iter("line") if line.get("class") == "mark"] == ["50"]
    assert hover_titles(chart) == ["0 to 0.25: 3 words", "0.25 to 0.5: 1 word"]
    assert "threshold" not in str(
        [mark.attrib for mark in replace(section, threshold=None).render(LOOK)[0].iter()]
    )


@pytest.mark.parametrize(("n_bins", "numbers_above"), [(12, 12), (20, 0)])
def test_numbers_of_many_bins_are_beside_them(n_bins, numbers_above):
    """Above many bars they would run into each other."""
    edges = [edge / n_bins for edge in range(n_bins + 1)]
    (chart,) = Histogram("h", "IoU", "", edges, [1234] * n_bins, "IoU", "words", 0.5).render(LOOK)
    classes = [mark.get("class") for mark in chart.iter("span")]
    assert classes.count("value") == numbers_above
    assert ("y" in classes) == (not numbers_above)


def test_a_table_of_one_row_is_a_sentence_about_it():
    columns = [Column("Group"), Column("Detections", "count"), Column("Right", "share")]
    made = parsed(result_page(sections=[Table("t", "T", "", columns, [("1", 1500, 0.4667)])]))
    (card,) = made.findall(".//section[@id='t']")
    assert "".join(card.itertext()) == "TGroup: 1 · Detections: 1,500 · Right: 0.467"


def test_matrix_shows_what_is_unpaired_after_all_names():
    (section,) = (own for own in example_result(30).sections if isinstance(own, Matrix))
    table, _ = section.render(LOOK)
    head, *rows = table.iter("tr")
    assert len(rows) == len(section.names) + 1
    assert [row[0].text for row in rows][-1] == "(false)"
    assert ["".join(title.itertext()) for title in head][-1] == "(missed)"
    assert [row[-1].text for row in rows] == ["9"] * len(rows)


def test_timeline_has_a_row_with_the_numbers_of_classes():
    lanes = [Lane("clap", [(0, 20)], [(40, 60)], 3), Lane("jump", [(0, 20), (60, 100)], [], 5)]
    (chart,) = Timeline("t", "T", "", 100, lanes).render(LOOK)
    shown = [(mark.text, mark.get("class")) for mark in chart.iter("span") if mark.get("class")]
    # At the same place, one number has room.
    assert shown == [("3", "ground_truth"), ("5", "ground_truth"), ("3", "prediction")]
    assert [label.text for label in chart[0]] == ["class", "3 clap", "5 jump"]


def test_ground_truth_predictions_costs_and_values_have_colors_of_their_own():
    """a is ground truth, b prediction, d costs; values are f, and what has many colors begins with others."""
    made = page_of(TASK, example_result(3), SIGNATURE)
    style = str(next(parsed(made).iter("style")).text)
    assert ".bar span { display: block; height: 100%; border-radius: .2rem; background: var(--f); }" in style
    assert ".costs .bar span { background: var(--d); }" in style
    bars, _ = StackedBar("s", "S", "", [(f"{i}", 0.1) for i in range(7)]).render(LOOK)
    assert not {"fill-a", "fill-b", "fill-d"} & {bar.get("class") for bar in bars}
