"""PNGs and base64 of strangers: whole, or refused; one verdict on every interpreter and version of Pillow."""

from __future__ import annotations

import base64
import io
import random
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from quality import ROOT
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
PNG = image(header(), DATA, END)


ANIMATED = struct.pack(">II", 2, 0)
# The first frame of an animation: a few lines at the top.
FRAME = struct.pack(">IIIIIHHBB", 0, WIDTH, 3, 0, 0, 1, 1, 0, 0)


def pillow_pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)))


@pytest.mark.parametrize(
    "chunks",
    [
        [header(), DATA, END],
        [header(), *HALVES, END],
        [header(), chunk(b"IDAT"), DATA, chunk(b"IDAT"), END],
        [header(), chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(1000))), DATA, chunk(b"tEXt", b"x\0y"), END],
        [header(), chunk(b"PLTE", bytes(3)), chunk(b"tRNS", bytes(6)), DATA, END],
        [header(), chunk(b"tEXt", b"x\0y") * 90, DATA, END],
        [header(), chunk(b"iCCP", b"not a profile"), DATA, END],
        [header(), chunk(b"acTL", ANIMATED), chunk(b"fcTL", FRAME), DATA, END],
    ],
)
def test_whole_images_give_their_pixels_whatever_stands_beside_these(chunks):
    assert np.array_equal(decode_png(image(*chunks), HEIGHT, WIDTH), PIXELS)


def first_lines(count):
    return chunk(b"IDAT", zlib.compress(LINES[: count * (1 + 3 * WIDTH)]))


@pytest.mark.parametrize(
    ("png", "rule"),
    [
        (b"", "signature"),
        (SIGNATURE[:7], "signature"),
        (SIGNATURE, "header"),
        (image(DATA, header(), END), "header"),
        (image(chunk(b"IHDR", bytes(12)), DATA, END), "header"),
        (image(chunk(b"IHDR", header()[8:21] + b"x"), DATA, END), "header"),
        (image(chunk(b"IDAT", header()[8:21]), DATA, END), "header"),
        (image(header(9, 9), DATA, END), "size"),
        (image(header(7, 12), DATA, END), "size"),
        (image(header(WIDTH, HEIGHT, 8, 9, 0, 0, 0), DATA, END), "type 9"),
        (image(header(WIDTH, HEIGHT, 8, 2, 1, 0, 0), DATA, END), "damaged"),
        (image(header(WIDTH, HEIGHT, 8, 2, 0, 1, 0), DATA, END), "damaged"),
        (image(header(WIDTH, HEIGHT, 8, 2, 0, 0, 2), DATA, END), "damaged"),
        (image(header(), DATA), "end"),
        (image(header(), DATA, END + b"x"), "end"),
        (image(header(), DATA, chunk(b"IEND", b"x")), "end"),
        (image(header(), chunk(b"tEXt", b"x\0y") * 200, DATA, END), "chunks"),
        (image(header(), chunk(b"IDAT") * 200, DATA, END), "chunks"),
        (image(header(), DATA, END, END), "end"),
        (image(header(), DATA, END, DATA, END), "end"),
        (image(header(), b"\xff\xff\xff\xffIDAT" + STREAM), "end"),
        (image(header(), END), "pixels less"),
        (image(header(), header(), DATA, END), "damaged"),
        (image(header(), header(WIDTH, HEIGHT, 8, 6, 0, 0, 0), DATA, END), "damaged"),
        (image(header(), header(HEIGHT, WIDTH), DATA, END), "damaged"),
        (image(header(), DATA, header(20_000, 20_000), END), "damaged"),
        (image(header()[:-1] + b"x", DATA, END), "damaged"),
        (image(header(), DATA[:-1] + bytes([DATA[-1] ^ 1]), END), "damaged"),
        (image(header(), HALVES[0], HALVES[1][:-1] + bytes([HALVES[1][-1] ^ 1]), END), "damaged"),
        (image(header(), DATA, chunk(b"tEXt", b"x")[:-1] + b"x", END), "damaged"),
        (image(header(), b"\0\0\0\0ID\xc9T\0\0\0\0", END), "damaged"),
        (image(header(), b"\xff\xff\xff\xffIDAT" + STREAM, END), "damaged"),
        (image(header(), chunk(b"IDAT", zlib.compress(b"\5" + LINES[1:])), END), "damaged"),
        (image(header(), HALVES[0], chunk(b"tEXt", b"x"), HALVES[1], END), "damaged"),
        (image(header(), chunk(b"IDAT"), END), "pixels less"),
        (image(header(), first_lines(1), END), "pixels less"),
        (image(header(), first_lines(HEIGHT - 1), END), "pixels less"),
        (image(header(), chunk(b"IDAT", STREAM[:-4]), END), "pixels less"),
        (image(header(), chunk(b"IDAT", zlib.compress(LINES + b"\0")), END), "pixels more"),
        (image(header(), chunk(b"IDAT", BOMB), END), "pixels more"),
        (image(header(), chunk(b"IDAT", STREAM + b"x"), END), "pixels more"),
        (image(header(), chunk(b"IDAT", STREAM[:-4] + bytes(4)), END), "damaged"),
        (image(header(), chunk(b"IDAT", b"x" * 50), END), "damaged"),
    ],
)
def test_all_others_are_refused_by_one_rule_each(png, rule):
    with pytest.raises(ImageError) as caught:
        decode_png(png, HEIGHT, WIDTH)
    assert caught.value.rule == rule
    assert caught.value.problem
    assert caught.value.remedy


def test_memory_that_runs_out_is_no_fault_of_the_file(monkeypatch):
    def fail(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr(Image, "frombytes", fail)
    with pytest.raises(MemoryError):
        decode_png(PNG, HEIGHT, WIDTH)


def test_an_image_that_is_cut_off_anywhere_is_refused():
    for length in range(len(PNG)):
        with pytest.raises(ImageError):
            decode_png(PNG[:length], HEIGHT, WIDTH)
        # Also with an end put after the cut.
        if length < len(PNG) - len(END):
            with pytest.raises(ImageError):
                decode_png(PNG[:length] + END, HEIGHT, WIDTH)


# Prints the rule by which a small file that inflates to 300 MB is refused, and the peak memory it takes in MB.
DECODE_BOMB = """
import resource, struct, sys, zlib
from PIL import Image, PngImagePlugin
from validator.png import ImageError, decode_png

def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

compressor = zlib.compressobj(9)
bomb = b"".join(compressor.compress(bytes(1_000_000)) for _ in range(100)) + compressor.flush()
header = chunk(b"IHDR", struct.pack(">IIBBBBB", 10, 12, 8, 2, 0, 0, 0))
pixels = chunk(b"IDAT", zlib.compress(bytes(12 * 31)))
chunks = {
    "IDAT": [header, chunk(b"IDAT", bomb)],
    "iCCP": [header, chunk(b"iCCP", b"x" + bytes(2) + bomb), pixels],
    "zTXt": [header, chunk(b"zTXt", b"x" + bytes(2) + bomb), pixels],
    "late zTXt": [header, pixels, chunk(b"zTXt", b"x" + bytes(2) + bomb)],
}[sys.argv[1]]
png = bytes([137]) + b"PNG" + bytes([13, 10, 26, 10]) + b"".join(chunks) + chunk(b"IEND")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    decode_png(png, 12, 10)
    rule = "accepted"
except ImageError as error:
    rule = error.rule
print(rule, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "rule"),
    [("IDAT", "pixels more"), ("iCCP", "accepted"), ("zTXt", "accepted"), ("late zTXt", "accepted")],
)
def test_bombs_take_little_memory(place, rule):
    command = [sys.executable, "-c", DECODE_BOMB, place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    printed_rule, megabytes = done.stdout.rsplit(maxsplit=1)
    assert printed_rule == rule
    assert int(megabytes) < 30


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 9), (9, 1), (2, 5), (5, 2), (3, 3), (4, 6), (8, 8), (9, 9), (17, 23)]
)
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
    assert np.array_equal(pillow_pixels(png), pixels)


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
        assert np.array_equal(pixels, pillow_pixels(png))


@given(st.binary(max_size=50), st.integers(1, 30))
def test_base64_of_any_bytes_is_read_with_line_breaks(data, width):
    text = base64.b64encode(data).decode()
    broken = "\r\n".join(text[at : at + width] for at in range(0, len(text), width))
    assert decode_base64(text) == decode_base64(broken) == data


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AAAA=", "length or padding"),
        ("AA=A", "character 3 is '='"),
        ("AAA", "length or padding"),
        ("AAA-", "character 4 is '-'"),
        ("AA\0A", "character 3 is '\\x00'"),
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
        ("data:AAAA", "data:"),
        ("data:" + "x" * 100 + ",AAAA", "data:" + "x" * 35),
    ],
)
def test_a_prefix_is_named(text, prefix):
    with pytest.raises(ImageError) as caught:
        decode_base64(text)
    assert repr(prefix) in caught.value.problem


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
