"""The pages in headless Chromium: no request, no overflow, what matters first, within reach of the keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring_program.report import page
from scoring_program.task import load_task
from tests.browser import SCREEN, axe, new_window, unfold
from tests.browser import show as show_page
from tests.example_result import SIGNATURE, TASK, changed, example_result, page_of
from tests.helpers import REFERENCES, SAMPLES, one_of_each_format, one_task, run_folder
from validator.findings import Findings, Note

PHONE, DESK = 390, 1280
TASKS = one_of_each_format()
WIDTHS = pytest.mark.parametrize("width", [PHONE, DESK])
# Texts as long as they get: the first screen must hold the three first notes whatever they say.
LONG_NOTES = [
    Note(
        "N-FILE-IGNORED",
        "12 files of the submission are not part of the reference and were ignored: Seq0900.csv, ...",
    ),
    Note("N-FILE-MISSING", "3 of 240 sequences have no prediction file; they score 0"),
    Note(
        "N-LIMIT-TIME",
        "the run came near its time limit of 570 s; reference 0.20 s, submission 460.10 s, score 8.00 s",
    ),
    *[Note("N-JUNK", "this is one more note")] * 5,
]
LONG_ADVICE = "Wrong times of classes that are found cost {points}: check where yours start and end, and from what you count."
LONG_TASK = replace(
    TASK, error_types=[error_type._replace(advice=LONG_ADVICE) for error_type in TASK.error_types]
)


def invalid_page() -> str:
    findings = Findings()
    for line in range(30):
        findings.add(
            "E-CSV-RANGE",
            "end before start",
            "swap them",
            file="a" * 70 + ".csv",
            where=f"line {line} column 3",
        )
    return page.invalid_page(TASK, findings)


def example_page(task, size: int, **changes) -> str:
    return page_of(task, changed(example_result(size), **changes), SIGNATURE)


MADE = {
    "example": lambda: example_page(TASK, 8),
    "long": lambda: example_page(LONG_TASK, 40, notes=LONG_NOTES),
    "hostile": lambda: page_of(TASK, example_result(30, "W" * 300), "W" * 3000),
    "invalid": invalid_page,
    "broken": lambda: page.broken_page(["E-INTERNAL: ValueError in measure.py line 3 in measure"]),
    "running": lambda: page.running_page(),
}
PAGES = [*MADE, *TASKS]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a function that writes a page, of a task the one of its weak sample, and returns its address."""
    folder = tmp_path_factory.mktemp("pages")

    def write(name: str) -> str:
        path = folder / name / "detailed_results.html"
        if not path.exists():
            path.parent.mkdir()
            if name in MADE:
                path.write_text(MADE[name](), encoding="utf-8")
            else:
                run_folder(name, REFERENCES / name, SAMPLES / name / "weak", path.parent, detail="full")
        return path.as_uri()

    return write


@pytest.fixture(scope="module")
def window(browser):
    """Return a window in which the policy of pages counts."""
    return new_window(browser)


@pytest.fixture
def show(window, written):
    """Return a function that opens a page in a window of a width."""

    def opening(name: str, width: int):
        show_page(window, written(name), width)
        return window

    return opening


# The page's policy forbids what wait_for_function does.
SCROLLED = """() => new Promise(done => {
    const look = () => document.activeElement.scrollLeft > 0 ? done(true) : requestAnimationFrame(look);
    look(); setTimeout(() => done(false), 5000);
})"""


# Table cells and charts without a box are folded away.
HIDDEN_ON_PAPER = """() => [...document.querySelectorAll('details td, details svg')].filter(
    e => !e.checkVisibility({contentVisibilityAuto: true}) || !e.getClientRects().length
).map(e => e.textContent)"""


@pytest.mark.slow
@WIDTHS
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_and_is_as_wide_as_its_window(show, written, name, width):
    window = show(name, width)
    unfold(window)
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert window.requests == [written(name)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "is_centered"), [("invalid", True), ("broken", True), ("example", False)])
def test_a_page_without_a_menu_is_centered(show, name, is_centered):
    box = show(name, DESK).locator("main section").first.bounding_box()
    room_on_the_right = DESK - box["x"] - box["width"]
    assert (box["x"] == pytest.approx(room_on_the_right, abs=1)) == is_centered


@pytest.mark.slow
@WIDTHS
@pytest.mark.parametrize(
    "name", ["example", "long", *(name for name in TASKS if load_task(name).error_types)]
)
def test_notes_and_the_highest_error_costs_are_on_the_first_screen(show, name, width):
    window = show(name, width)
    # The highest costs come first; with marks under the score, a phone shows five of them.
    parts = [cost.bounding_box() for cost in window.locator("#run-costs > ol > li").all()[:5]]
    assert parts
    if name not in TASKS:
        parts.append(window.locator("#run-notes").bounding_box())
    assert max(box["y"] + box["height"] for box in parts) <= SCREEN


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_page_is_short_before_it_is_unfolded(show, name):
    assert show(name, DESK).evaluate("document.documentElement.scrollHeight") <= 6 * SCREEN


@pytest.mark.slow
@pytest.mark.parametrize("name", ["long", *one_task()])
def test_whatever_scrolls_can_be_reached_and_scrolled_by_keys(show, name):
    window = show(name, PHONE)
    unfold(window)
    wide = window.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => e.scrollWidth > e.clientWidth + 1"
        " && getComputedStyle(e).overflowX == 'auto').map((e, i) => e.dataset.wide = `${i}`)"
    )
    reached = {}
    for _ in range(window.locator("a, summary, [tabindex]").count()):
        window.keyboard.press("Tab")
        at = window.evaluate("document.activeElement.dataset.wide")
        if at is not None:
            window.keyboard.press("ArrowRight")
            assert window.evaluate(SCROLLED)
            reached[at] = window.evaluate("document.activeElement.getAttribute('aria-label')")
    assert sorted(reached) == sorted(wide)
    assert all(reached.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example", "invalid", *one_task()])
def test_axe_finds_nothing(show, name):
    window = show(name, DESK)
    unfold(window)
    found = {}
    for width, scheme in ((PHONE, "dark"), (DESK, "light")):
        window.set_viewport_size({"width": width, "height": SCREEN})
        window.emulate_media(color_scheme=scheme)
        violations = axe(window, options={"resultTypes": ["violations"]}).response["violations"]
        found[width, scheme] = [
            (rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in violations
        ]
    assert not any(found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example", *TASKS])
def test_no_name_is_broken_and_no_text_is_tiny_on_a_phone(show, name):
    window = show(name, PHONE)
    broken = """() => [...document.querySelectorAll('td:first-child, .labels div')].filter(e => {
        const range = document.createRange(); range.selectNodeContents(e);
        return e.offsetParent && !/[ -]/.test(e.textContent) && range.getClientRects().length > 1;
    }).map(e => e.textContent)"""
    assert window.evaluate(broken) == []
    sizes = """() => [...document.querySelectorAll('main *')].filter(e => e.textContent)
        .filter(e => e.tagName != 'text' || e.getScreenCTM())
        .map(e => parseFloat(getComputedStyle(e).fontSize) * (e.tagName == 'text' ? e.getScreenCTM().a : 1))"""
    assert min(window.evaluate(sizes)) >= 11


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example", *TASKS])
def test_paper_is_light_and_wide_enough(show, name):
    window = show(name, 700)
    window.emulate_media(media="print", color_scheme="dark")
    assert window.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert window.evaluate("document.documentElement.scrollWidth") == 700
    assert not window.locator("nav").is_visible()
    assert window.evaluate(HIDDEN_ON_PAPER) == []
    cut = "[...document.querySelectorAll('section')].filter(e => getComputedStyle(e).breakInside != 'avoid').length"
    assert window.evaluate(cut) == 0
