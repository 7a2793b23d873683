"""Writing submissions of COCO DensePose: detections as JSON texts, and the list that a file holds of them."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

import numpy as np

from validator.arrays import Pixels
from validator.checking import Format
from validator.formats.densepose.read import Box, read
from validator.formats.densepose.selection import ArrayEntry
from validator.png import decode_base64, decode_png

PNG_LEVEL = 6
"""How much PNGs are compressed, as zlib counts."""


def encode_detection(
    image_id: int,
    box: Box,
    score: float,
    iuv: Pixels,
    category_id: int = 1,
    png_level: int = PNG_LEVEL,
) -> str:
    """Return a detection as JSON text, on one line.

    Parameters
    ----------
    image_id : int
    box : tuple of 4 float
        ``x, y, width, height`` in pixels.
    score : float
    iuv : uint8 array of shape (3, int(height), int(width))
        Part 0..24 (0 is background), then U and V scaled to 0..255.
    category_id : int
    png_level : int
        1 to 9: 1 is three times as fast as 6, and the file is a tenth larger.
    """
    from PIL import Image

    pixels = np.ascontiguousarray(np.moveaxis(iuv, 0, -1))
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format="PNG", compress_level=png_level)
    return _text(image_id, box, score, iuv, category_id, stream.getvalue())


def array_entry(image_id: int, box: Box, score: float, iuv: Pixels) -> ArrayEntry:
    """Return a detection in memory, whose pixels stay an array; parameters as for `encode_detection`."""
    text = _text(image_id, box, score, iuv, category_id=1, png=b"")
    return text, np.moveaxis(iuv, 0, -1)


def _text(image_id: int, box: Box, score: float, iuv: Pixels, category_id: int, png: bytes) -> str:
    members = {
        "image_id": int(image_id),
        "category_id": int(category_id),
        "bbox": [float(number) for number in box],
        "score": float(score),
        "uv_shape": list(iuv.shape),
        "uv_data": base64.b64encode(png).decode("ascii"),
    }
    return json.dumps(members)


def file_name(team: str) -> str:
    """Return the name of the file of a submission."""
    return f"densepose_{team}_results.json"


class DetectionList:
    """Writes the list of a file, one detection at a time: it may be larger than memory.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> detections = DetectionList(stream)
    >>> detections.add('{"image_id": 1}')
    >>> detections.close()
    >>> stream.getvalue()
    b'[\\n{"image_id": 1}\\n]\\n'
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._is_empty = True

    def add(self, detection: str) -> None:
        """Write a detection, as `encode_detection` gives it."""
        separator = "[\n" if self._is_empty else ",\n"
        self._stream.write(f"{separator}{detection}".encode())
        self._is_empty = False

    def close(self) -> None:
        """Write the end of the list; the stream stays open."""
        self._stream.write(b"[]\n" if self._is_empty else b"\n]\n")


def encode_submission(team: str, detections: Iterable[str]) -> dict[str, bytes]:
    """Return the file of a submission by its name."""
    stream = io.BytesIO()
    detection_list = DetectionList(stream)
    for detection in detections:
        detection_list.add(detection)
    detection_list.close()
    return {file_name(team): stream.getvalue()}


def decode_predictions(
    files: Mapping[str, bytes],
) -> Iterator[tuple[int, list[tuple[Box, float, Pixels]]]]:
    """Yield each image and its detections, from the file of a valid submission.

    A detection is its box, its score, and an array of shape (3, h, w) with parts, U and V.
    """
    (data,) = files.values()
    detections_of_image: dict[int, list[tuple[Box, float, Pixels]]] = {}
    for entry in json.loads(data):
        _, height, width = entry["uv_shape"]
        pixels = np.moveaxis(decode_png(decode_base64(entry["uv_data"]), height, width), -1, 0)
        detections = detections_of_image.setdefault(entry["image_id"], [])
        detections.append((entry["bbox"], entry["score"], pixels))
    yield from detections_of_image.items()


FORMAT = Format(read, lambda hints, rules: hints.notes())
