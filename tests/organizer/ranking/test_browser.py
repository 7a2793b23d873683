"""The pages of a ranking in headless Chromium: no request, no overflow, nothing that axe finds."""

from __future__ import annotations

import pytest

from tests.browser import check_page, show
from tests.rescoring import call, sample, varied, write_submissions


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the folder of a ranking with long names, failures, dates and a run before it."""
    folder = tmp_path_factory.mktemp("ranking")
    named = {f"{i}_{'W' * 9 * i}u_PhaseId1_2024-05-0{i + 1}_x.zip": varied(30 * i) for i in range(8)}
    submissions = write_submissions(folder / "in", {**named, "b" * 150 + ".zip": b"no zip"})
    assert call(submissions, folder / "out") == 0
    write_submissions(submissions, {"new.zip": sample("weak")})
    assert call(submissions, folder / "out") == 0
    return folder / "out"


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
@pytest.mark.parametrize("name", ["index.html", "ranking.html"])
def test_a_page_asks_for_nothing_fits_and_has_no_faults(pages, window, name, width, scheme):
    check_page(window, (pages / name).as_uri(), width, scheme)


@pytest.mark.slow
def test_a_ranking_with_long_names_shows_all_its_columns(pages, window):
    show(window, (pages / "ranking.html").as_uri(), 1280)
    hidden = window.evaluate(
        "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#ranking .scroll'))"
    )
    assert hidden <= 0


@pytest.mark.slow
def test_links_lead_to_detail_pages(pages, window):
    show(window, (pages / "index.html").as_uri(), 1280)
    window.locator("#submissions a").first.click()
    assert "/details/" in window.url
    assert window.locator("h1").count() == 1
