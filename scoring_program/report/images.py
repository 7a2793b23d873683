"""Images behind drawings, scaled and inlined: at home and for organizers."""

from __future__ import annotations

import base64
import io
import re
import warnings
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scoring_program.result import GROUND_TRUTH, Drawing, Drawings, Section
from validator import console

if TYPE_CHECKING:
    from PIL.Image import Image as ImageFile

_ENDINGS = (".jpg", ".jpeg", ".png")
# Others, as EPS, may start programs, whatever the ending of the file.
_FORMATS = ("JPEG", "PNG")
_LONGEST = 480
# As base64, so that the page stays below its limit.
_MOST_BYTES = 8_000_000
_OUTSIDE = 1.02
_OTHER_SIZE = "The boxes belong to another size of the image: give it with --image-size."

Size = tuple[int, int]


class Images(NamedTuple):
    """The folder of the images, and the size that boxes belong to if it is not that of the files."""

    folder: Path | None = None
    size: Size | None = None


def image_size(text: str) -> Size:
    """Return the size that ``WxH`` names. Raises ArgumentTypeError."""
    if not (found := re.fullmatch("([1-9][0-9]{0,4})x([1-9][0-9]{0,4})", text)):
        raise ArgumentTypeError("write width and height in pixels, as 1280x720")
    return int(found[1]), int(found[2])


def with_images(sections: Sequence[Section], images: Images) -> list[Section]:
    """Return sections whose drawings have the images that were found; print how many were.

    The canvas of a drawing gets the size given, or that of its image, unless the reference holds the size.
    """
    (folder, size), shown = images, list[Section]()
    for section in sections:
        if isinstance(section, Drawings):
            drawn = _drawn(section.drawings, folder, size)
            section = replace(section, drawings=drawn)
            missing = [drawing.files[0] for drawing in drawn if not drawing.image]
            first = f"; missing or not readable, for example: {missing[0]}.jpg" if missing else ""
            if folder:
                console.say(f"images: {len(drawn) - len(missing)} of {len(drawn)} from {folder}{first}")
        shown.append(section)
    return shown


def _drawn(drawings: Sequence[Drawing], folder: Path | None, size: Size | None) -> list[Drawing]:
    drawn, free = [], _MOST_BYTES
    for drawing in drawings:
        image, own = _image(folder, drawing.files) if folder else ("", None)
        if len(image) <= free:
            free -= len(image)
            drawing = drawing._replace(image=image)
        canvas = size or own
        drawn.append(_on_canvas(drawing, canvas) if canvas and drawing.extent else drawing)
    return drawn


def _on_canvas(drawing: Drawing, size: Size) -> Drawing:
    """Return a drawing on a canvas of this size, with a note if boxes of the reference leave it."""
    boxes = [shape.box for own in drawing.objects for shape in own.shapes if shape.role == GROUND_TRUTH]
    leaves = any(box[2] > _OUTSIDE * size[0] or box[3] > _OUTSIDE * size[1] for box in boxes)
    return drawing._replace(size=size, extent=_OTHER_SIZE if leaves else "")


def _image(folder: Path, names: Sequence[str]) -> tuple[str, Size | None]:
    """Return the first image of these names that can be read, as a ``data:`` address, and its size."""
    from PIL import Image

    for path in (folder / f"{name}{ending}" for name in names for ending in _ENDINGS):
        try:
            # No pipe, which has no end, and no link in a circle, which cannot be resolved.
            if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                with Image.open(path, formats=_FORMATS) as image:
                    size, small = image.size, _small(image)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
            continue
        return f"data:image/jpeg;base64,{base64.b64encode(small).decode('ascii')}", size
    return "", None


def _small(image: ImageFile) -> bytes:
    """Return a scaled image as JPEG."""
    image.draft("RGB", (_LONGEST, _LONGEST))
    small, stream = image.convert("RGB"), io.BytesIO()
    small.thumbnail((_LONGEST, _LONGEST))
    small.save(stream, "JPEG", quality=75)
    return stream.getvalue()
