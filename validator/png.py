"""Reading untrusted PNGs: every byte of a file is checked before a decoder is called.

Decoders are lenient, each in its own way. This module walks over the chunks, inflates and counts the
scanlines, and passes only these to a decoder, which never sees the file.
"""

from __future__ import annotations

import binascii
import contextlib
import re
import struct
import zlib
from collections.abc import Iterator

import numpy as np

from validator.arrays import Pixels
from validator.texts import counted

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOR_TYPES = {0: "grayscale", 2: "RGB", 3: "palette", 4: "grayscale with alpha", 6: "RGB with alpha"}
_EIGHT_BIT, _RGB = 8, 2
_CHANNELS = 3
_FILTERS = 5
# Of each pass of an interlaced image: the first column and row, and the steps to the next ones.
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_NO_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_MOST_PADDING = 2
_LONGEST_PREFIX = 40
_AGAIN = "encode it again with a PNG library"


class ImageError(Exception):
    """The text or the file is not what it should be: a constant for the rule, the problem, and the remedy."""

    def __init__(self, rule: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.rule, self.problem, self.remedy = rule, problem, remedy


def decode_base64(text: str) -> bytes:
    """Return the bytes of a text in base64 (RFC 4648, section 4), which may have line breaks anywhere.

    Raises
    ------
    ImageError
        A character is not in the alphabet, or the padding is missing, misplaced or too long.
    """
    if text.startswith("data:"):
        prefix = text[: text.find(",") + 1][:_LONGEST_PREFIX] or "data:"
        raise ImageError("prefix", f"this is not base64: it begins with {prefix!a}", "remove that prefix")
    if "\n" in text or "\r" in text:
        text = text.replace("\n", "").replace("\r", "")
    digits = text.rstrip("=")
    data = b""
    sound = len(text) % 4 == 0 and len(text) - len(digits) <= _MOST_PADDING
    if sound:
        with contextlib.suppress(ValueError):
            data = binascii.a2b_base64(text)
    # The decoder leaves out what is not of the alphabet, in all versions of Python: then there are fewer
    # bytes.
    if not sound or len(data) != len(digits) * 6 // 8:
        wrong = _NO_BASE64.search(digits)
        kind, reason = "length", "its length or padding is wrong"
        if wrong:
            kind, reason = "character", f"character {wrong.start() + 1} is {wrong[0]!a}"
        raise ImageError(kind, f"this is not base64: {reason}", "write base64.b64encode(png).decode()")
    return data


def decode_png(png: bytes, height: int, width: int) -> Pixels:
    """Return the pixels of an 8-bit RGB PNG as uint8 of shape (height, width, 3).

    Raises
    ------
    ImageError
        The file is not a whole and sound PNG (W3C Portable Network Graphics, third edition) of this size and
        type: the signature, one IHDR first, CRCs, IDATs in a row that hold one zlib stream with all scanlines
        and nothing else, IEND last. Further chunks that a decoder may ignore are allowed and not looked at.
    """
    if not png.startswith(_SIGNATURE):
        raise ImageError("signature", "this is not a PNG", "encode the pixels as an 8-bit RGB PNG")
    chunks = _chunks(png)
    _, name, header = next(chunks, (0, b"", b""))
    if name != b"IHDR" or len(header) != 13:
        raise ImageError("header", "the PNG does not begin with a header (IHDR)", _AGAIN)
    interlaced = _check_header(header, height, width)
    stream = _image_data(chunks)
    sizes = [(height, width)]
    if interlaced:
        passes = (own for own in _ADAM7 if own[0] < width and own[1] < height)
        sizes = [(-(-(height - y) // dy), -(-(width - x) // dx)) for x, y, dx, dy in passes]
    lines = _inflate(stream, sum(rows * (1 + _CHANNELS * columns) for rows, columns in sizes))
    begin = 0
    for rows, columns in sizes:
        step = 1 + _CHANNELS * columns
        if max(lines[begin : begin + rows * step : step]) >= _FILTERS:
            raise ImageError("filter", "a scanline of the PNG has an unknown filter", _AGAIN)
        begin += rows * step
    from PIL import Image

    # The scanlines again as a zlib stream, not compressed: Pillow only undoes the filters.
    image = Image.frombytes("RGB", (width, height), zlib.compress(lines, 0), "zip", "RGB", int(interlaced))
    return np.asarray(image)


def _chunks(png: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the position, name and content of each chunk; all were checked to be whole, IEND comes last."""
    at, name = len(_SIGNATURE), b""
    while name != b"IEND":
        if at + 12 > len(png):
            raise ImageError("cut", f"the PNG is cut off at byte {len(png)}", _AGAIN)
        (size,) = struct.unpack_from(">I", png, at)
        name, end = png[at + 4 : at + 8], at + 8 + size
        if not name.isalpha() or end + 4 > len(png):
            raise ImageError("chunk", f"the PNG is damaged or cut off in the chunk at byte {at}", _AGAIN)
        if zlib.crc32(memoryview(png)[at + 4 : end]) != struct.unpack_from(">I", png, end)[0]:
            problem = f"the PNG is damaged: the checksum of the chunk at byte {at} is wrong"
            raise ImageError("checksum", problem, _AGAIN)
        yield at, name, png[at + 8 : end]
        at = end + 4
    if at < len(png):
        raise ImageError("rest", f"{counted(len(png) - at, 'byte')} after the end of the PNG", _AGAIN)


def _check_header(header: bytes, height: int, width: int) -> bool:
    """Return whether the image is interlaced."""
    png_width, png_height, *methods = struct.unpack(">IIBBBBB", header)
    depth, color_type, compression, filtering, interlaced = methods
    if (png_height, png_width) != (height, width):
        problem = f"the PNG is {png_height} x {png_width}, uv_shape says {height} x {width}"
        raise ImageError("size", problem, "encode the array of the box itself")
    if (depth, color_type) != (_EIGHT_BIT, _RGB):
        problem = f"the PNG is {depth}-bit {_COLOR_TYPES.get(color_type, 'of an unknown kind')}"
        raise ImageError(f"type {color_type}", problem, "write an 8-bit RGB PNG without alpha")
    if compression or filtering or interlaced > 1:
        raise ImageError("methods", "the PNG names methods that do not exist", _AGAIN)
    return bool(interlaced)


def _image_data(chunks: Iterator[tuple[int, bytes, bytes]]) -> bytes:
    """Return the content of all IDATs, which must follow each other."""
    parts: list[bytes] = []
    before = b""
    for at, name, content in chunks:
        if name == b"IDAT":
            if parts and before != b"IDAT":
                problem = f"other chunks interrupt the image data of the PNG at byte {at}"
                raise ImageError("order", problem, _AGAIN)
            parts.append(content)
        elif name[:1].isupper() and name not in (b"PLTE", b"IEND"):
            problem = f"the chunk {name.decode()} at byte {at} of the PNG is not allowed there"
            raise ImageError(f"chunk {name.decode()}", problem, _AGAIN)
        elif name == b"IEND" and content:
            raise ImageError("end", "the PNG's end (IEND) is not empty", _AGAIN)
        before = name
    return b"".join(parts)


def _inflate(stream: bytes, size: int) -> bytes:
    inflater = zlib.decompressobj()
    try:
        lines = inflater.decompress(stream, size + 1)
    except zlib.error:
        raise ImageError("data", "the image data of the PNG is damaged", _AGAIN) from None
    if len(lines) != size or not inflater.eof or inflater.unused_data:
        amount = "more" if len(lines) > size or inflater.unused_data else "less"
        raise ImageError(f"pixels {amount}", f"the PNG holds {amount} than the pixels of its size", _AGAIN)
    return lines
