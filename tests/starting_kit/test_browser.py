"""The page of a comparison in headless Chromium: no request, no overflow, what matters first, nothing that axe finds."""

from __future__ import annotations

import pytest

from people_in_video.__main__ import run_command
from tests.browser import check_page, show
from tests.helpers import SAMPLES, one_task
from tests.rescoring import varied, write_submissions


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
            assert run_command("compare", [*arguments, "--output", str(page.parent)]) == (name == "many")
        return page.as_uri()

    return address


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
@pytest.mark.parametrize("name", ["many", *one_task()])
def test_a_page_asks_for_nothing_fits_and_has_no_faults(pages, window, name, width, scheme):
    first = ["header", *(["#scores table"] if name != "many" else [])]
    check_page(window, pages(name), width, scheme, first)


@pytest.mark.slow
@pytest.mark.parametrize("width", [900, 1280])
def test_the_line_of_no_difference_is_in_the_middle_of_the_axis(pages, window, width):
    show(window, pages("kinetics_tps"), width)
    axis = window.locator("#differences .ends").bounding_box()
    zero = window.locator("#differences .strip .zero").first.bounding_box()
    assert zero["x"] + zero["width"] / 2 == pytest.approx(
        axis["x"] + axis["width"] / 2, abs=0.03 * axis["width"]
    )
