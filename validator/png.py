"""Pixels of untrusted PNGs, and the base64 that carries them.

Pillow is lenient: of a file that is cut off it shows the lines that are there on black, a second header
replaces the first, 16 bits become 8. So the chunks are walked here: all are whole and have the right
checksum, there is one header, and the lines of pixels are inflated by as many bytes as its size needs. Pillow
only undoes the filters of the lines. Chunks that tell nothing of the pixels are ignored.
"""

from __future__ import annotations

import binascii
import contextlib
import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from validator.arrays import Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Length and name of the chunk that begins each PNG, and what it holds.
_HEADER_BEGIN = b"\0\0\0\x0dIHDR"
_HEADER = struct.Struct(">IIBBBBB")
# Length, name and checksum of the chunk that ends each PNG; it is empty.
_END = b"\0\0\0\0IEND\xae\x42\x60\x82"
# Length and name of a chunk come before its content, the checksum of name and content after it.
_CHUNK = struct.Struct(">I4s")
_CHECKSUM = struct.Struct(">I")
_LENGTH_BYTES = 4
# A chunk takes as long as a kilobyte of pixels. Encoders write chunks of 8 KB and more.
_MOST_SMALL_CHUNKS, _BYTES_OF_CHUNK = 100, 1024
_COLOR_TYPES = {0: "grayscale", 2: "RGB", 3: "palette", 4: "grayscale with alpha", 6: "RGB with alpha"}
_EIGHT_BIT, _RGB = 8, 2
_CHANNELS = 3
# Of each pass of an interlaced image: the first row, the step to the next one, and the first column.
_ADAM7 = ((0, 8, 0), (0, 8, 4), (4, 8, 0), (0, 4, 2), (2, 4, 0), (0, 2, 1), (1, 2, 0))
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
    is_well_padded = len(text) % 4 == 0 and len(text) - len(digits) <= _MOST_PADDING
    if is_well_padded:
        with contextlib.suppress(ValueError):
            data = binascii.a2b_base64(text)
    # The decoder leaves out what is not of the alphabet, in all versions of Python: then there are fewer
    # bytes.
    if not is_well_padded or len(data) != len(digits) * 6 // 8:
        raise _not_base64(digits)
    return data


def _not_base64(digits: str) -> ImageError:
    """Return the error of a text without its padding: its first other character, or else its length."""
    rule, reason = "length", "its length or padding is wrong"
    other_character = _NO_BASE64.search(digits)
    if other_character:
        place = other_character.start() + 1
        rule, reason = "character", f"character {place} is {other_character[0]!a}"
    return ImageError(rule, f"this is not base64: {reason}", "write base64.b64encode(png).decode()")


def decode_png(png: bytes, height: int, width: int) -> Pixels:
    """Return the pixels of an 8-bit RGB PNG as uint8 of shape (height, width, 3).

    Memory is bounded by the size that is asked for and by the length of the file, whatever the file declares.

    Raises
    ------
    ImageError
        The file is no PNG (W3C Portable Network Graphics, third edition) of this size and type, or it is
        damaged: a checksum is wrong, there is a second header, there are fewer or more lines than the header
        says, or it ends too early.
    """
    header = _read_header(png, height, width)
    if not png.endswith(_END):
        raise _wrong_end()
    image_data = _image_data(png)
    return _decode_lines(_inflate(image_data, _line_bytes(header)), header)


class _Header(NamedTuple):
    """The content of the IHDR chunk."""

    width: int
    height: int
    depth: int
    color_type: int
    compression: int
    filtering: int
    interlacing: int


def _read_header(png: bytes, height: int, width: int) -> _Header:
    """Return the header of a PNG of this size. Raises ImageError if the file does not begin with one."""
    if not png.startswith(_SIGNATURE):
        raise ImageError("signature", "this is not a PNG", "encode the pixels as an 8-bit RGB PNG")
    begin = len(_SIGNATURE) + len(_HEADER_BEGIN)
    if png[len(_SIGNATURE) : begin] != _HEADER_BEGIN or len(png) < begin + _HEADER.size:
        raise ImageError("header", "the PNG does not begin with a whole header (IHDR)", _AGAIN)
    header = _Header(*_HEADER.unpack_from(png, begin))
    if (header.height, header.width) != (height, width):
        problem = f"the PNG is {header.height} x {header.width}, uv_shape says {height} x {width}"
        raise ImageError("size", problem, "encode the array of the box itself")
    if (header.depth, header.color_type) != (_EIGHT_BIT, _RGB):
        kind = _COLOR_TYPES.get(header.color_type, "of an unknown kind")
        problem = f"the PNG is {header.depth}-bit {kind}"
        raise ImageError(f"type {header.color_type}", problem, "write an 8-bit RGB PNG without alpha")
    if header.compression or header.filtering or header.interlacing > 1:
        raise _damaged()
    return header


def _wrong_end() -> ImageError:
    problem = "the PNG does not end with its only IEND chunk: it is cut off, or something follows"
    return ImageError("end", problem, _AGAIN)


def _damaged() -> ImageError:
    return ImageError("damaged", "the PNG is damaged or cut off", _AGAIN)


def _chunks(png: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Yield name and content of each chunk. Raises ImageError for one that is not whole, or too many."""
    view = memoryview(png)
    n_left = _MOST_SMALL_CHUNKS + len(png) // _BYTES_OF_CHUNK
    begin = len(_SIGNATURE)
    while begin < len(png):
        n_left -= 1
        if n_left < 0:
            raise ImageError("chunks", "the PNG is made of too many small chunks", _AGAIN)
        try:
            length, name = _CHUNK.unpack_from(png, begin)
            end = begin + _CHUNK.size + length
            (checksum,) = _CHECKSUM.unpack_from(png, end)
        except struct.error:
            raise _damaged() from None
        if zlib.crc32(view[begin + _LENGTH_BYTES : end]) != checksum:
            raise _damaged()
        yield name, view[begin + _CHUNK.size : end]
        begin = end + _CHECKSUM.size


def _image_data(png: bytes) -> bytes:
    """Return the content of all IDAT chunks, which come in a row. Raises ImageError."""
    names: list[bytes] = []
    parts = []
    for name, content in _chunks(png):
        if name == b"IDAT":
            parts.append(content)
        if names[-1:] != [name] or name != b"IDAT":
            names.append(name)
    if names.index(b"IEND") < len(names) - 1:
        raise _wrong_end()
    if names.count(b"IHDR") > 1 or names.count(b"IDAT") > 1:
        raise _damaged()
    return b"".join(parts)


def _line_bytes(header: _Header) -> int:
    """Return how many bytes the lines of pixels have, each with its filter type before it."""
    pixel_bytes = _CHANNELS * header.height * header.width
    if not header.interlacing:
        return pixel_bytes + header.height
    n_lines = 0
    for first_row, row_step, first_column in _ADAM7:
        if first_column < header.width:
            n_lines += len(range(first_row, header.height, row_step))
    return pixel_bytes + n_lines


def _inflate(image_data: bytes, expected_bytes: int) -> bytes:
    """Return the lines of pixels, which must be one whole zlib stream of so many bytes."""
    inflater = zlib.decompressobj()
    try:
        lines = inflater.decompress(image_data, expected_bytes + 1)
    except zlib.error:
        raise _damaged() from None
    if len(lines) != expected_bytes or not inflater.eof or inflater.unused_data:
        amount = "more" if len(lines) > expected_bytes or inflater.unused_data else "less"
        raise ImageError(f"pixels {amount}", f"the PNG holds {amount} than the pixels of its size", _AGAIN)
    return lines


def _decode_lines(lines: bytes, header: _Header) -> Pixels:
    """Undo the filters of the lines, which Pillow takes as a zlib stream; this one is not compressed."""
    from PIL import Image

    stream = zlib.compress(lines, 0)
    size = (header.width, header.height)
    try:
        image = Image.frombytes("RGB", size, stream, "zip", "RGB", header.interlacing)
    except (OSError, ValueError):
        # A line has a filter that does not exist.
        raise _damaged() from None
    return np.frombuffer(image.tobytes(), np.uint8).reshape(header.height, header.width, _CHANNELS)
