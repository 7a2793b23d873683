"""Pictures on pages become data, because the site has no files beside its pages."""

from __future__ import annotations

import base64
import zipfile

from organizer.bundle.pictures import with_pictures

FILES = {"docs/images/a.svg": b"<svg/>", "pages/b.png": b"PNG", "pages/large.png": b"x" * 200_000}


def brought(path):
    return {path: FILES[path]} if path in FILES else {}


def page_of(text):
    return with_pictures("pages/task.md", text.encode(), brought).decode()


def test_picture_beside_the_page_becomes_part_of_it():
    data = base64.b64encode(b"<svg/>").decode()
    expected = f"![A line](data:image/svg+xml;base64,{data}) and text"
    assert page_of("![A line](../docs/images/a.svg) and text") == expected
    assert page_of("![](b.png)").startswith("![](data:image/png;base64,")


def test_everything_else_stays_as_it_is():
    for text in (
        "![missing](c.png)",
        "![far](https://example.org/a.png)",
        "[a link](b.png)",
        "![large](large.png)",
        "![text](task.md)",
        "![out](../../etc/passwd)",
    ):
        assert page_of(text) == text
    assert with_pictures("pages/task.md", b"\xff![](b.png)", brought) == b"\xff![](b.png)"


def test_pages_of_the_bundles_show_their_figures(bundles):
    with zipfile.ZipFile(bundles / "chalearn_gesture.zip") as bundle:
        page = bundle.read("pages/chalearn_gesture.md").decode()
    assert "](data:image/svg+xml;base64," in page
    assert ".svg)" not in page
