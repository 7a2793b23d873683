"""Images behind drawings, scaled and inlined: at home and for organizers."""

from __future__ import annotations

import base64
import io
import re
import warnings
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from people_in_video.drawings.scenes import GROUND_TRUTH, Drawing
from people_in_video.drawings.svg import Drawings
from scoring_program.result import Section
from validator import console

if TYPE_CHECKING:
    from PIL.Image import Image as ImageFile

_ENDINGS = (".jpg", ".jpeg", ".png")
# Others, as EPS, may start programs, whatever the ending of the file.
_FORMATS = ("JPEG", "PNG")
# Pixels of the longer side of an image on a page.
_LONGEST = 480
# As base64, so that the page stays below its limit.
MOST_BYTES = 8_000_000
# Boxes that reach beyond this multiple of width or height belong to another size.
_OUTSIDE = 1.02
_OTHER_SIZE = "The boxes belong to another size of the image: give it with --image-size."

Size = tuple[int, int]


class Images(NamedTuple):
    """The folder of the images, and the size that boxes belong to if it is not that of the files."""

    folder: Path | None = None
    size: Size | None = None


def image_size(text: str) -> Size:
    """Return the size that ``WxH`` names. Raises ArgumentTypeError."""
    match = re.fullmatch("([1-9][0-9]{0,4})x([1-9][0-9]{0,4})", text)
    if not match:
        raise ArgumentTypeError("write width and height in pixels, as 1280x720")
    return int(match[1]), int(match[2])


def with_images(sections: Sequence[Section], images: Images, most_bytes: int = MOST_BYTES) -> list[Section]:
    """Return sections whose drawings have the images that were found; print how many were.

    The canvas of a drawing gets the size given, or that of its image, unless the reference holds the size.
    Images beyond ``most_bytes`` in all are left out.
    """
    sections_with_images = list[Section]()
    for section in sections:
        if isinstance(section, Drawings):
            drawings = _with_images(section.drawings, images, most_bytes)
            section = replace(section, drawings=drawings)
            if images.folder:
                _say_number(drawings, images.folder)
        sections_with_images.append(section)
    return sections_with_images


def _say_number(drawings: Sequence[Drawing], folder: Path) -> None:
    """Print how many drawings have images, and one of the images that are missing."""
    missing_files = [drawing.files[0] for drawing in drawings if not drawing.image]
    n_found = len(drawings) - len(missing_files)
    text = f"images: {n_found} of {len(drawings)} from {folder}"
    if missing_files:
        text += f"; missing or not readable, for example: {missing_files[0]}.jpg"
    console.say(text)


def _with_images(drawings: Sequence[Drawing], images: Images, most_bytes: int) -> list[Drawing]:
    drawings_with_images = []
    free_bytes = most_bytes
    for drawing in drawings:
        address, size_of_file = "", None
        if images.folder:
            address, size_of_file = _read_first_image(images.folder, drawing.files)
        if len(address) <= free_bytes:
            free_bytes -= len(address)
            drawing = drawing._replace(image=address)
        size = images.size or size_of_file
        if size and drawing.extent:
            drawing = _on_canvas(drawing, size)
        drawings_with_images.append(drawing)
    return drawings_with_images


def _on_canvas(drawing: Drawing, size: Size) -> Drawing:
    """Return a drawing on a canvas of this size, with a note if boxes of the reference leave it."""
    width, height = size
    has_true_box_outside = False
    for drawn_object in drawing.objects:
        for shape in drawn_object.shapes:
            _, _, right, bottom = shape.box
            is_outside = right > _OUTSIDE * width or bottom > _OUTSIDE * height
            if is_outside and shape.role == GROUND_TRUTH:
                has_true_box_outside = True
    return drawing._replace(size=size, extent=_OTHER_SIZE if has_true_box_outside else "")


def _read_first_image(folder: Path, names: Sequence[str]) -> tuple[str, Size | None]:
    """Return the first image of these names that can be read, as a ``data:`` address, and its size."""
    from PIL import Image

    paths = [folder / f"{name}{ending}" for name, ending in product(names, _ENDINGS)]
    for path in paths:
        try:
            # No pipe, which has no end, and no link in a circle, which cannot be resolved.
            if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                with Image.open(path, formats=_FORMATS) as image:
                    size = image.size
                    jpeg = _scaled_jpeg(image)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
            continue
        return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}", size
    return "", None


def _scaled_jpeg(image: ImageFile) -> bytes:
    """Return an image as JPEG whose longer side has at most `_LONGEST` pixels."""
    # Large files are decoded at a smaller size, which is faster.
    image.draft("RGB", (_LONGEST, _LONGEST))
    rgb_image = image.convert("RGB")
    rgb_image.thumbnail((_LONGEST, _LONGEST))
    stream = io.BytesIO()
    rgb_image.save(stream, "JPEG", quality=75)
    return stream.getvalue()
