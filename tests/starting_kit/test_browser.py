"""The page of a comparison in headless Chromium: no request, no overflow, what matters first, nothing that axe finds."""

from __future__ import annotations

import shutil

import pytest

import compare
from scoring_program.task import task_ids
from tests.helpers import SAMPLES
from tests.rescoring import varied, write_submissions

pytestmark = pytest.mark.slow

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("there is no Chromium here (Debian: apt-get install chromium)", allow_module_level=True)

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
playwright = pytest.importorskip("playwright.sync_api")
SCREEN = 900


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return a function that returns the address of a page: of two samples of a task, or of many submissions."""
    folder = tmp_path_factory.mktemp("pages")

    def address(name):
        page = folder / name / "comparison.html"
        if name == "many":
            named = {f"{'W' * 9 * i}{i}.zip": varied(20 * i) for i in range(12)}
            files = write_submissions(folder / "in", {**named, "x.zip": b"no zip"})
            arguments = ["chalearn_gesture", *map(str, sorted(files.iterdir()))]
        else:
            arguments = [name, *(str(SAMPLES / name / sample) for sample in ("good", "weak"))]
        if not page.exists():
            assert compare.main([*arguments, "--output", str(page.parent)]) == (name == "many")
        return page.as_uri()

    return address


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
@pytest.mark.parametrize("name", ["many", *task_ids()])
def test_a_page_asks_for_nothing_fits_and_has_no_faults(pages, browser, name, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": SCREEN}, color_scheme=scheme, bypass_csp=True
    )
    window, requests = context.new_page(), []
    window.on("request", lambda request: requests.append(request.url))
    window.goto(pages(name))
    first = ["header", *(["#scores table"] if name != "many" else [])]
    ends = [window.locator(part).bounding_box() for part in first]
    assert max(box["y"] + box["height"] for box in ends) <= SCREEN
    window.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert requests == [pages(name)]
    found = axe.Axe().run(window)
    assert found.violations_count == 0, found.generate_report()
    context.close()
