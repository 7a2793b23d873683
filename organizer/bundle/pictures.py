"""Pictures on the pages of a competition: the site stores pages as text, so small ones become part of it."""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Callable
from functools import partial

from organizer.files import Files

_PICTURE = re.compile(r"(!\[[^\]]*\])\(([^)\s:]+)\)")
_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
_LARGEST = 100_000


def with_pictures(page: str, content: bytes, read_file: Callable[[str], Files]) -> bytes:
    """Return a Markdown page with the pictures that it shows, as data instead of links to files.

    Parameters
    ----------
    page : str
        The path of the page, to which the targets of its pictures are relative.
    content : bytes
        Its text; it is returned as it is where it is not UTF-8.
    read_file : callable
        Returns a file beside competition.yaml by its path; nothing if there is none.
    """

    def replace(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), match[2]))
        media_type = _TYPES.get(posixpath.splitext(path)[1].lower())
        picture = next(iter(read_file(path).values()), b"") if media_type else b""
        if not picture or len(picture) > _LARGEST:
            # The linter says that the site does not have such a file.
            return match[0]
        return f"{match[1]}(data:{media_type};base64,{base64.b64encode(picture).decode('ascii')})"

    return edit_page(content, partial(_PICTURE.sub, replace))


def edit_page(content: bytes, edit: Callable[[str], str]) -> bytes:
    """Return a page with its text edited; as it is where it is not UTF-8, which the linter reports."""
    try:
        return edit(content.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return content
