"""The pages of a ranking in headless Chromium: no request, no overflow, nothing that axe finds."""

from __future__ import annotations

import shutil

import pytest

from tests.rescoring import call, sample, varied, write_submissions

pytestmark = pytest.mark.slow

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("there is no Chromium here (Debian: apt-get install chromium)", allow_module_level=True)

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
playwright = pytest.importorskip("playwright.sync_api")


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


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["index.html", "ranking.html"])
def test_a_page_asks_for_nothing_fits_and_has_no_faults(pages, browser, name, width, dark):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", bypass_csp=True
    )
    window, requests = context.new_page(), []
    window.on("request", lambda request: requests.append(request.url))
    window.goto((pages / name).as_uri())
    window.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert requests == [(pages / name).as_uri()]
    found = axe.Axe().run(window)
    assert found.violations_count == 0, found.generate_report()
    context.close()


def test_links_lead_to_detail_pages(pages, browser):
    window = browser.new_page()
    window.goto((pages / "index.html").as_uri())
    window.locator("#submissions a").first.click()
    assert "/details/" in window.url
    assert window.locator("h1").count() == 1
    window.close()
