"""PNGs and base64 of strangers: whole and sound, or refused with the place; one verdict on every interpreter."""

from __future__ import annotations

import base64
import io
import itertools
import json
import random
import struct
import zlib

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from quality.fuzzing.damage import damaged_png
from tests.helpers import scaled
from validator.png import ImageError, decode_base64, decode_png

pytestmark = pytest.mark.interpreters

HEIGHT, WIDTH = 12, 10
PIXELS = np.random.default_rng(3).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
LINES = b"".join(b"\0" + row.tobytes() for row in PIXELS)
STREAM = zlib.compress(LINES)
BOMB = zlib.compress(bytes(1_000_000))


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width=WIDTH, height=HEIGHT, *further):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, *(further or (8, 2, 0, 0, 0))))


def image(*chunks):
    return SIGNATURE + b"".join(chunks)


DATA, END = chunk(b"IDAT", STREAM), chunk(b"IEND")
HALVES = chunk(b"IDAT", STREAM[:50]), chunk(b"IDAT", STREAM[50:])


@pytest.mark.parametrize(
    "png",
    [
        image(header(), DATA, END),
        image(header(), *HALVES, END),
        image(header(), chunk(b"IDAT"), DATA, chunk(b"IDAT"), END),
        image(
            header(),
            chunk(b"iCCP", b"not a profile"),
            chunk(b"PLTE", bytes(3)),
            DATA,
            chunk(b"tEXt", b"x\0y"),
            END,
        ),
        lambda: image(header(), DATA, chunk(b"iCCP", zlib.compress(bytes(50_000_000))), END),
    ],
)
def test_whole_images_give_their_pixels(png):
    png = png() if callable(png) else png
    assert np.array_equal(decode_png(png, HEIGHT, WIDTH), PIXELS)


@pytest.mark.parametrize(
    ("png", "words"),
    [
        (b"", "not a PNG"),
        (SIGNATURE, "cut off at byte 8"),
        (image(DATA, header(), END), "does not begin with a header"),
        (image(chunk(b"IHDR", bytes(12)), DATA, END), "does not begin with a header"),
        (image(chunk(b"IDAT", header()[8:21]), DATA, END), "does not begin with a header"),
        (
            image(header(), header(20_000, 20_000), DATA, END),
            "the chunk IHDR at byte 33 of the PNG is not allowed",
        ),
        (image(header(), DATA, header(20_000, 20_000), END), "the chunk IHDR"),
        (image(header(), chunk(b"CODE", b"x"), DATA, END), "the chunk CODE"),
        (
            image(header(), HALVES[0], chunk(b"tEXt", b"x"), HALVES[1], END),
            "other chunks interrupt the image data",
        ),
        (image(header(), DATA), "cut off"),
        (image(header(), END), "less than the pixels"),
        (image(header(), DATA, END + b"x"), "1 byte after the end"),
        (image(header(), DATA, chunk(b"IEND", b"x")), "is not empty"),
        (
            image(header(), DATA[:-1] + bytes([DATA[-1] ^ 1]), END),
            "the checksum of the chunk at byte 33 is wrong",
        ),
        (image(header(), b"\xff\xff\xff\xffIDAT" + STREAM), "cut off in the chunk at byte 33"),
        (image(header(), b"\0\0\0\0ID\xc9T\0\0\0\0", END), "damaged"),
        (image(header(), chunk(b"IDAT", zlib.compress(LINES[: 1 + 3 * WIDTH])), END), "less than the pixels"),
        (image(header(), chunk(b"IDAT", zlib.compress(LINES + b"\0")), END), "more than the pixels"),
        (image(header(), chunk(b"IDAT", BOMB), END), "more than the pixels"),
        (image(header(), chunk(b"IDAT", STREAM + b"x"), END), "more than the pixels"),
        (image(header(), chunk(b"IDAT", STREAM[:-4]), END), "less than the pixels"),
        (image(header(), chunk(b"IDAT", STREAM[:-4] + bytes(4)), END), "image data of the PNG is damaged"),
        (image(header(), chunk(b"IDAT", b"x" * 50), END), "image data of the PNG is damaged"),
        (image(header(), chunk(b"IDAT", zlib.compress(b"\5" + LINES[1:])), END), "unknown filter"),
        (image(header(WIDTH, HEIGHT, 8, 2, 1, 0, 0), DATA, END), "methods that do not exist"),
        (image(header(WIDTH, HEIGHT, 8, 2, 0, 0, 2), DATA, END), "methods that do not exist"),
        (image(header(WIDTH, HEIGHT, 8, 9, 0, 0, 0), DATA, END), "8-bit of an unknown kind"),
    ],
)
def test_all_others_are_refused_with_the_place(png, words):
    with pytest.raises(ImageError) as caught:
        decode_png(png, HEIGHT, WIDTH)
    assert words in caught.value.problem
    assert caught.value.rule
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("rule", "images"),
    [
        ("size", [image(header(9, 9), DATA, END), image(header(7, 12), DATA, END)]),
        ("rest", [image(header(), DATA, END + b"x"), image(header(), DATA, END + b"xyz")]),
        ("cut", [image(), image(header()), image(header(), DATA)]),
        ("pixels less", [image(header(), END), image(header(), chunk(b"IDAT", STREAM[:-4]), END)]),
    ],
)
def test_the_rule_depends_on_what_is_wrong_alone(rule, images):
    for png in images:
        with pytest.raises(ImageError) as caught:
            decode_png(png, HEIGHT, WIDTH)
        assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("depth", "color_type", "name"),
    [
        (16, 2, "16-bit RGB"),
        (8, 0, "8-bit grayscale"),
        (4, 3, "4-bit palette"),
        (8, 4, "8-bit grayscale with alpha"),
        (8, 6, "8-bit RGB with alpha"),
    ],
)
def test_other_kinds_of_pixels_are_named(depth, color_type, name):
    with pytest.raises(ImageError) as caught:
        decode_png(image(header(WIDTH, HEIGHT, depth, color_type, 0, 0, 0), DATA, END), HEIGHT, WIDTH)
    assert caught.value.problem == f"the PNG is {name}"


def test_an_image_may_be_cut_off_anywhere():
    png = image(header(), DATA, END)
    starts = [len(image()), len(image(header())), len(image(header(), DATA))]
    for length in range(len(png)):
        with pytest.raises(ImageError) as caught:
            decode_png(png[:length], HEIGHT, WIDTH)
        if length < starts[0]:
            assert caught.value.problem == "this is not a PNG"
            continue
        start = max(begin for begin in starts if begin <= length)
        told = (
            f"is cut off at byte {length}"
            if length < start + 12
            else f"damaged or cut off in the chunk at byte {start}"
        )
        assert told in caught.value.problem


@pytest.mark.parametrize("size", [*itertools.product(range(1, 10), repeat=2), (17, 23)])
def test_interlaced_images_are_read_as_pillow_reads_them(size):
    height, width = size
    pixels = np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8)
    passes = (
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    )
    lines = b"".join(
        b"\0" + row.tobytes() for x, y, dx, dy in passes for row in pixels[y::dy, x::dx] if row.size
    )
    png = image(header(width, height, 8, 2, 0, 0, 1), chunk(b"IDAT", zlib.compress(lines)), END)
    assert np.array_equal(decode_png(png, height, width), pixels)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png))), pixels)


@settings(max_examples=scaled(300))
@given(st.integers(0, 2**63))
def test_a_damaged_image_is_refused_or_holds_the_same_pixels(seed):
    stream = io.BytesIO()
    Image.fromarray(PIXELS).save(stream, format="PNG")
    png = damaged_png(random.Random(seed), stream.getvalue())
    try:
        pixels = decode_png(png, HEIGHT, WIDTH)
    except ImageError as error:
        assert error.problem
    else:
        assert np.array_equal(pixels, np.asarray(Image.open(io.BytesIO(png))))


@given(st.binary(max_size=50), st.integers(1, 30))
def test_base64_of_any_bytes_is_read_with_line_breaks(data, width):
    text = base64.b64encode(data).decode()
    broken = "\r\n".join(text[at : at + width] for at in range(0, len(text), width))
    assert decode_base64(text) == decode_base64(broken) == data


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AAAA=", "length or padding"),
        ("AAAA====", "length or padding"),
        ("AA==AA==", "character 3 is '='"),
        ("AA=A", "character 3 is '='"),
        ("AAA", "length or padding"),
        ("A===", "length or padding"),
        ("=AAA", "character 1 is '='"),
        ("AA A", "character 3 is ' '"),
        ("AAA-", "character 4 is '-'"),
        ("AA\0A", "character 3 is '\\x00'"),
        ("AAAé", "character 4 is '\\xe9'"),
        ("AAA\ud800", "character 4 is '\\ud800'"),
    ],
)
def test_what_is_not_base64_is_refused_on_every_version_of_python(text, words):
    with pytest.raises(ImageError) as caught:
        decode_base64(text)
    assert words in caught.value.problem


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("data:image/png;base64,AAAA", "data:image/png;base64,"),
        ("data:image/pngs;base64,AAAA", "data:image/pngs;base64,"),
        ("data:AAAA", "data:"),
        ("data:" + "x" * 100 + ",AAAA", "data:" + "x" * 35),
    ],
)
def test_a_prefix_is_named(text, prefix):
    with pytest.raises(ImageError) as caught:
        decode_base64(text)
    assert caught.value.problem == f"this is not base64: it begins with {prefix!r}"


@given(st.text(alphabet="AB/+=-\n é", max_size=12))
def test_base64_has_one_meaning(text):
    joined = text.replace("\n", "")
    try:
        expected = base64.b64decode(joined, validate=True) if "=" not in joined.rstrip("=") else None
    except ValueError:
        expected = None
    if (
        expected is not None
        and len(joined) % 4 == 0
        and joined == joined.rstrip("=") + "=" * min(joined.count("="), 2)
    ):
        assert decode_base64(text) == expected
    else:
        with pytest.raises(ImageError):
            decode_base64(text)


DECODER = msgspec.json.Decoder(bytes)


def quick(text):
    """Return what the fast reader makes of a text, None if it leaves it to the other."""
    try:
        return DECODER.decode(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    except msgspec.MsgspecError:
        return None


def assert_never_more_lenient(text):
    found = quick(text)
    if found is not None:
        assert found == decode_base64(text)


def test_the_fast_reader_takes_no_base64_that_the_other_refuses():
    for length in range(6):
        for letters in itertools.product("AB/=-\n é", repeat=length):
            assert_never_more_lenient("".join(letters))
    for code in range(0x250):
        for text in (f"AAA{chr(code)}", f"A{chr(code)}AA", f"AA{chr(code)}="):
            assert_never_more_lenient(text)


@given(st.binary(max_size=80), st.integers(0, 120), st.text(max_size=2))
def test_the_fast_reader_reads_the_same_bytes(data, at, odd):
    text = base64.b64encode(data).decode()
    assert quick(text) == data
    assert_never_more_lenient(text[:at] + odd + text[at:])
