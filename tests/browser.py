"""Pages in headless Chromium; the fixture ``browser`` skips tests where it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

SCREEN = 900
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[object]:
    """Start the browser, or skip the test where it is not installed."""
    pytest.importorskip("axe_playwright_python.sync_playwright")
    playwright = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium here (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield found
        found.close()


def axe(window, **options):
    """Return what axe finds on a page."""
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe().run(window, **options)


def unfold(window) -> None:
    """Open everything that is folded."""
    window.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")


def new_window(browser, **options):
    """Return a window that records requests; it may show many pages, as each new window is some processes."""
    window = browser.new_page(**options)
    window.on("request", lambda request: window.requests.append(request.url))
    return window


def show(window, address: str, width: int, scheme: str = "light") -> None:
    """Show a page in a window as if it were new."""
    window.set_viewport_size({"width": width, "height": SCREEN})
    window.emulate_media(media="screen", color_scheme=scheme)
    window.requests = []
    window.goto(address)


def check_page(window, address: str, width: int, scheme: str, first=()) -> None:
    """Check that a page asks for nothing, fits, has no fault, and has parts on its first screen."""
    show(window, address, width, scheme)
    ends = [window.locator(part).bounding_box() for part in first]
    assert all(box["y"] + box["height"] <= SCREEN for box in ends)
    unfold(window)
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert window.requests == [address]
    found = axe(window)
    assert found.violations_count == 0, found.generate_report()
