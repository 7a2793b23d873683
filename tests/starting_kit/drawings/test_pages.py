"""Drawings at home: 24 on the detail page, 50 on each further page, and links from the rows of items."""

from __future__ import annotations

import re

import pytest

from people_in_video.__main__ import run_command
from people_in_video.drawings import pages as drawing_pages
from people_in_video.drawings.scenes import Drawing
from people_in_video.drawings.svg import Drawings
from people_in_video.drawings.timelines import Timeline
from scoring_program.report import page
from scoring_program.report.sections import Look, section_cards
from scoring_program.result import Column, Table
from scoring_program.run import SCORED
from scoring_program.task import load_task
from tests.browser import check_page, show, unfold
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, loaded

LINK = re.compile(r'href="([^"]*)"')


def drawings(number):
    """Return a section with drawings of items, two of the first one."""
    items = ["a", *("abcdefghij"[place % 10] + str(place) for place in range(number - 1))]
    made = [Drawing(f"{item} <i>", "", (100, 100), "", [], [], item=["v", item]) for item in items]
    return Drawings("drawings", "Worst", "The worst first.", made)


def test_drawings_are_divided_and_addressed():
    items = [("v", item) for item in ("a", "b21", "c22", "d23", "c72", "<b>", "nosuch")]
    rows = [(*item, 0.5) for item in items]
    titles = [Column("Video"), Column("Segment"), Column("Score", "share")]
    table = Table("segments", "Segments", "", titles, rows, item_columns=2)
    divided = drawing_pages.divide([table, drawings(125)])
    shown, first = divided.sections
    assert shown == table
    assert len(first.drawings) == 24
    assert "further pages" in first.note
    assert [len(section.drawings) for (section,) in divided.pages] == [50, 50, 1]
    linked_table, _ = drawing_pages.with_links(divided, "See the file.")
    cards = section_cards([linked_table], Look(10))
    links = [link.get("href") for card in cards for link in card.iter("a")]
    assert links == [
        "#drawing-1",
        "#drawing-23",
        "#drawing-24",
        "detailed_results_files/drawings-1.html#drawing-25",
        "detailed_results_files/drawings-1.html#drawing-74",
    ]


def test_few_drawings_stay_on_the_page():
    section = drawings(24)
    divided = drawing_pages.divide([section])
    assert divided.pages == []
    (first,) = divided.sections
    assert first.note == section.note
    assert [drawing.title for drawing in first.drawings] == [drawing.title for drawing in section.drawings]


def test_timelines_are_divided_by_their_titles():
    timelines = [Timeline(f"timeline_{n}", f"S{n}", "Note.", 9, []) for n in range(30)]
    divided = drawing_pages.divide(timelines)
    assert len(divided.sections) == 24
    assert [section.title for section in divided.pages[0]] == [f"S{n}" for n in range(24, 30)]
    assert divided.addresses["S0",] == "#drawing-1"
    assert divided.addresses["S29",] == "detailed_results_files/drawings-1.html#drawing-30"


def test_pages_replace_those_of_an_earlier_run_and_nothing_else(tmp_path):
    folder = tmp_path / drawing_pages.FOLDER
    drawing_pages.write_pages(tmp_path, "T", drawing_pages.divide([drawings(125)]).pages)
    (folder / "mine.txt").write_text("mine")
    assert len(list(folder.iterdir())) == 4
    text = (folder / "drawings-2.html").read_text()
    assert LINK.findall(text) == ["../detailed_results.html", "drawings-1.html", "drawings-3.html"]
    assert "&lt;i&gt;" in text
    assert "<script" not in text
    assert "<details" not in text
    drawing_pages.write_pages(tmp_path, "T", [])
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("task", PUBLISHED)
def test_every_link_of_the_page_leads_to_a_drawing(task, tmp_path):
    sample = str(SAMPLES / task / "weak")
    assert run_command("score", [task, sample, "--output", str(tmp_path), "-q"]) == SCORED
    html = (tmp_path / "detailed_results.html").read_text()
    links = [link for link in LINK.findall(html) if "drawing-" in link]
    assert len(links) >= 10
    assert len(set(links)) == len(links)
    for link in links:
        name, _, anchor = link.partition("#")
        text = (tmp_path / name).read_text() if name else html
        assert text.count(f'id="{anchor}"') == 1
    # What the server writes has no such links, and no such folder.
    assert not re.search(r'id="drawing-', page.result_page(load_task(task), *server_result(task)))


def server_result(task):
    result = loaded(task, REFERENCES / task, detail="full").score_path(SAMPLES / task / "weak")
    return result.shown, result.notes


@pytest.mark.slow
def test_a_link_shows_its_drawing_in_the_browser(window, tmp_path):
    """One that is folded on the page, and one on a further page, without a request and without a script."""
    address = page_with_drawings(tmp_path)
    for anchor, name in (("drawing-20", ""), ("drawing-30", "drawings-1.html")):
        show(window, address, 1280)
        unfold(window)
        window.locator(f'#videos a[href$="#{anchor}"]').click()
        assert name in window.url
        assert window.locator(f"#{anchor}").is_visible()
        assert all(url.startswith("file:") for url in window.requests)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_a_page_with_drawings_asks_for_nothing_fits_and_has_no_faults(window, tmp_path, width, scheme):
    check_page(window, page_with_drawings(tmp_path), width, scheme, ["header"])


@pytest.mark.slow
def test_one_side_of_crowded_drawings_is_shown_alone(window, tmp_path):
    show(window, page_with_drawings(tmp_path), 1280)
    visible_sides = (
        """() => ['.truth', '.guess'].filter(side => document.querySelector(side).checkVisibility())"""
    )
    assert window.evaluate(visible_sides) == [".truth", ".guess"]
    window.click("a#ground-truth-alone")
    assert window.evaluate(visible_sides) == [".truth"]
    window.click("a#both-sides")
    assert window.evaluate(visible_sides) == [".truth", ".guess"]


def page_with_drawings(folder):
    """Return the address of the page that scoring at home writes into a folder."""
    sample = str(SAMPLES / "kinetics_tps" / "weak")
    assert run_command("score", ["kinetics_tps", sample, "--output", str(folder), "-q"]) == SCORED
    return (folder / "detailed_results.html").as_uri()
