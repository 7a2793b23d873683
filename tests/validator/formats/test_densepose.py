"""DensePose: which detections are accepted, places of problems, what is passed on, and hints."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tests.helpers import ROOT, compact_lines, findings_of, make_zip, places_of, refused, text_of
from validator import json_text
from validator.formats.densepose import read as fmt
from validator.formats.densepose.read import Detection, DetectionHints
from validator.formats.densepose.write import FORMAT, array_entry, encode_detection
from validator.formats.rules import load_rules
from validator.hints import empty_note
from validator.submission import on_read

pytestmark = pytest.mark.interpreters

RULES = load_rules("densepose")
SCHEMA = RULES.json[0].schema
GOOD = json.loads(
    next((ROOT / "starting_kit" / "samples" / "densepose" / "good").iterdir()).read_text(encoding="utf-8")
)
NAME = "densepose_x_results.json"


def allow_cores(monkeypatch, number):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(number)))


def zipped(tmp_path, detections):
    path = tmp_path / "s.zip"
    text = detections if isinstance(detections, (str, bytes)) else json.dumps(detections)
    path.write_bytes(make_zip({NAME: text}))
    return path


def kept(tmp_path, detections, look=lambda detection: detection.index, n_images=None):
    """Return what is passed on of these detections."""
    found = []
    fmt.read_detections(zipped(tmp_path, detections), RULES, lambda one: found.append(look(one)), n_images)
    return found


def check(detections, tmp_path):
    """Return the findings of a check without a reference."""
    return findings_of(fmt.read, zipped(tmp_path, detections), RULES)


def everything(found):
    pixels = found.pixels.tolist()
    return found.index, found.image_id, found.category_id, found.box, found.score, pixels


@pytest.mark.slow
@pytest.mark.parametrize("n_cores", [1, 3])
def test_detections_are_passed_on_in_the_order_of_the_file(tmp_path, monkeypatch, n_cores):
    allow_cores(monkeypatch, n_cores)
    rng = np.random.default_rng(4)
    expected, texts = [], []
    for index in range(30):
        height, width = (int(side) for side in rng.integers(1, 40, 2))
        iuv = rng.integers(0, 25, (3, height, width)).astype(np.uint8)
        box = (float(index), 2.5, width + 0.75, float(height))
        category = (2,) if index % 2 else ()  # 1 unless another is given
        texts.append(encode_detection(index + 5, box, 0.1 * index, iuv, *category))
        expected.append((index, index + 5, 1 + index % 2, box, 0.1 * index, np.moveaxis(iuv, 0, -1).tolist()))
    assert kept(tmp_path, f"[{','.join(texts)}]", everything) == expected


def test_large_files_are_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "_PIECE", 1000)
    text = json.dumps(GOOD, indent=1, ensure_ascii=False).replace('"score"', '"é": 1, "score"')
    assert kept(tmp_path, text) == list(range(len(GOOD)))
    assert kept(tmp_path, "[]") == []


@pytest.mark.parametrize("n_cores", [1, 3])
def test_problems_of_all_detections_come_together(tmp_path, monkeypatch, n_cores):
    allow_cores(monkeypatch, n_cores)
    bad = [dict(entry) for entry in GOOD]
    bad[7]["score"] = "high"
    bad[3]["uv_shape"] = [3, 1, 1]
    findings = refused(kept, tmp_path, bad)
    assert sorted(problem.where for problem in findings.problems) == ["/3/uv_shape", "/7/score"]
    assert (findings.total, findings.is_complete) == (2, True)


def test_after_a_problem_detections_are_checked_and_not_passed_on(tmp_path):
    entries = [GOOD[0], {**GOOD[1], "uv_shape": [3, 1, 1]}, GOOD[2], {}]
    passed_on = []
    path = zipped(tmp_path, entries)
    findings = refused(fmt.read_detections, path, RULES, lambda one: passed_on.append(one.index))
    assert passed_on in ([], [0])
    assert sorted(problem.where for problem in findings.problems) == ["/1/uv_shape", "/3"]


def test_image_is_not_decoded_where_its_shape_is_wrong(tmp_path):
    (problem,) = check([{**GOOD[0], "uv_shape": [3, 1, 1], "uv_data": "no base64"}], tmp_path).problems
    assert problem.code == "E-DP-SHAPE"


def png(array, **options):
    stream = io.BytesIO()
    image = array if isinstance(array, Image.Image) else Image.fromarray(array)
    image.save(stream, format="PNG", **options)
    return stream.getvalue()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def made(width=8, height=6, depth=8, color=2, interlace=0, raw=None):
    """Return a PNG put together by hand."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    raw = bytes(height * (1 + width * channels * depth // 8)) if raw is None else raw
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    palette = chunk(b"PLTE", bytes(3)) if color == 3 else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + palette
        + chunk(b"IDAT", zlib.compress(raw))
        + chunk(b"IEND", b"")
    )


def detection(data, **changes):
    text = data if isinstance(data, str) else base64.b64encode(data).decode()
    base = {
        "image_id": 1,
        "category_id": 1,
        "bbox": [1.5, 2.5, 8.9, 6.2],
        "score": 0.5,
        "uv_shape": [3, 6, 8],
        "uv_data": text,
    }
    return {**base, **changes}


RGB = np.zeros((6, 8, 3), np.uint8)
INTERLACED = made(
    interlace=1,
    raw=bytes(sum(h * (1 + 3 * w) for w, h in [(1, 1), (1, 1), (2, 1), (2, 2), (4, 1), (4, 3), (8, 3)])),
)


@pytest.mark.parametrize(
    "data",
    [png(RGB), made(), INTERLACED, png(np.full((6, 8, 3), 24, np.uint8)),
     base64.encodebytes(png(np.random.default_rng(1).integers(0, 24, RGB.shape).astype(np.uint8))).decode()],
)  # fmt: skip
def test_pngs_that_hold_8_bit_rgb_are_accepted(tmp_path, data):
    assert compact_lines(check([detection(data)], tmp_path)) == []


@pytest.mark.parametrize(
    ("data", "code", "keyword"),
    [
        (png(RGB)[:-30], "E-DP-PNG", "IEND"),
        (png(RGB) + b"trailing garbage", "E-DP-PNG", "IEND"),
        (png(RGB)[:20], "E-DP-PNG", "(IHDR)"),
        (made(raw=b"abc"), "E-DP-PNG", "less than the pixels"),
        (made(depth=16), "E-DP-PNG", "16-bit RGB"),
        (made(color=3), "E-DP-PNG", "8-bit palette"),
        (made(color=4), "E-DP-PNG", "8-bit grayscale with alpha"),
        (made(color=6), "E-DP-PNG", "8-bit RGB with alpha"),
        (made(width=9), "E-DP-PNG", "6 x 9, uv_shape says 6 x 8"),
        (made(width=60_000, height=60_000, raw=b""), "E-DP-PNG", "60000 x 60000"),
        (b"\xff\xd8\xff\xe0 a JPEG" + bytes(40), "E-DP-PNG", "not a PNG"),
        ("ab!d", "E-DP-BASE64", "'!'"),
        ("é" * 8, "E-DP-BASE64", "'\\xe9'"),
        ("data:image/png;base64,iVBORw0KGgo=", "E-DP-BASE64", "'data:image/png;base64,'; remove that prefix"),
        (png(np.where(np.arange(3) < 2, 200, RGB).astype(np.uint8)), "E-DP-PART", "200, the third at most 0"),
        (png(np.where(np.arange(3) < 2, 200, np.full((6, 8, 3), 25)).astype(np.uint8)), "E-DP-PART", "200, the third at most 25"),
        (png(np.full((6, 8, 3), 25, np.uint8)), "E-DP-PART", "25; write parts"),
    ],
)  # fmt: skip
def test_other_pngs_are_errors_with_the_index(tmp_path, data, code, keyword):
    findings = check([detection(png(RGB)), detection(data)], tmp_path)
    assert places_of(findings) == [(code, NAME, "/1/uv_data")]
    assert keyword in text_of(findings.problems[0])


CORNERS = "not as two corners"


@pytest.mark.parametrize(
    ("changes", "code", "where", "keyword"),
    [
        ({"uv_shape": [3, 7, 8]}, "E-DP-SHAPE", "/0/uv_shape", "[3, 6, 8]"),
        ({"uv_shape": [1, 6, 8]}, "E-DP-SHAPE", "/0/uv_shape", "1 x 6 x 8"),
        ({"bbox": [11.5, 22.5, 19.5, 28.5]}, "E-DP-SHAPE", "/0/uv_shape", CORNERS),
        ({"bbox": [0, 0, 0.5, 6]}, "E-DP-BOX", "/0/bbox", "0.5 x 6 pixels"),
        ({"bbox": [0, 0, -8, 6]}, "E-DP-BOX", "/0/bbox", "-8 x 6"),
        ({"bbox": [0.2, 0.1, 0.25, 0.5]}, "E-DP-BOX", "/0/bbox", "in pixels"),
        ({"bbox": [-9, 0, 0.5, 0.5]}, "E-DP-BOX", "/0/bbox", "0.5 x 0.5 pixels"),
        ({"bbox": [0, 0, 8, 0.5], "uv_shape": [3, 0, 8]}, "E-DP-BOX", "/0/bbox", "8 x 0.5 pixels"),
        ({"bbox": [0, 0, 60_000, 60_000], "uv_shape": [3, 60_000, 60_000]}, "E-DP-SHAPE", "/0/uv_shape", "60000 x 60000 pixels"),
        ({"bbox": [1e300, 0, 8, 6]}, "E-JSON-SCHEMA", "/0/bbox/0", "1000000"),
        ({"bbox": [1, 2, 3]}, "E-JSON-SCHEMA", "/0/bbox", "3 entries"),
        ({"bbox": [11, 22, 19, 28]}, "E-DP-SHAPE", "/0/uv_shape", CORNERS),
        ({"bbox": [11.5, 19.5, 22.5, 28.5]}, "E-DP-SHAPE", "/0/uv_shape", CORNERS),
        ({"bbox": [22, 11, 6, 8]}, "E-DP-SHAPE", "/0/uv_shape", "if bbox is x, y, width, height"),
        ({"bbox": [11, 22, 17, 28]}, "E-DP-SHAPE", "/0/uv_shape", "write [3, 28, 17]"),
        ({"bbox": [11, 22, 19, 26]}, "E-DP-SHAPE", "/0/uv_shape", "write [3, 26, 19]"),
        ({"bbox": [0, 0, 5000, 5001], "uv_shape": [3, 5001, 5000]}, "E-DP-SHAPE", "/0/uv_shape", "5001 x 5000 pixels are more than 25,000,000"),
        ({"bbox": [0, 0, 5000, 5000], "uv_shape": [3, 5000, 5000]}, "E-DP-PNG", "/0/uv_data", "6 x 8, uv_shape says 5000 x 5000"),
        ({"bbox": [0, 0, 1, 1], "uv_shape": [3, 1, 1]}, "E-DP-PNG", "/0/uv_data", "6 x 8, uv_shape says 1 x 1"),
        ({"score": True}, "E-JSON-SCHEMA", "/0/score", "true"),
        ({"image_id": 1.5}, "E-JSON-SCHEMA", "/0/image_id", "1.5"),
        ({"uv_data": 5}, "E-JSON-SCHEMA", "/0/uv_data", "5"),
        ({"uv_shape": [3]}, "E-JSON-SCHEMA", "/0/uv_shape", "[3, height, width]"),
    ],
)  # fmt: skip
def test_other_mistakes_are_located(tmp_path, changes, code, where, keyword):
    findings = check([detection(png(RGB), **changes)], tmp_path)
    assert places_of(findings) == [(code, NAME, where)]
    assert keyword in text_of(findings.problems[0])


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "1e999", "9" * 400])
def test_scores_that_are_not_finite_are_refused(tmp_path, bad):
    text = json.dumps([detection(png(RGB), score="@")]).replace('"@"', bad)
    assert places_of(check(text, tmp_path)) == [("E-JSON-NUMBER", NAME, "/0/score")]


@pytest.mark.parametrize(("end", "column"), [(",", 9), (",,", 9), (", 1", 11)])
def test_what_is_wrong_before_the_list_breaks_off_is_listed_too(tmp_path, end, column):
    *before, last = places_of(check(f"[{{}}, []{end}", tmp_path))
    assert before[:2] == [("E-JSON-SCHEMA", NAME, "/0"), ("E-JSON-SCHEMA", NAME, "/1")]
    assert last == ("E-JSON-SYNTAX", NAME, f"line 1 column {column}")


def test_damaged_file_is_one_problem(tmp_path):
    # More than is read at once.
    path = zipped(tmp_path, [random.Random(index).randbytes(100_000).hex() for index in range(25)])
    data = bytearray(path.read_bytes())
    # A wrong checksum, which is noticed at the end.
    data[data.index(b"PK\x03\x04") + 14] ^= 1
    data[data.index(b"PK\x01\x02") + 16] ^= 1
    path.write_bytes(data)
    assert places_of(refused(fmt.read, path, RULES)) == [("E-ZIP-DAMAGED", NAME, "")]


@pytest.mark.parametrize(
    ("text", "code", "where", "keyword"),
    [
        ("", "E-JSON-SYNTAX", "", "empty"),
        ('{"annotations": []}', "E-JSON-SCHEMA", "/", "object"),
        ("[", "E-JSON-SYNTAX", "line 1 column 2", "too early"),
        ('[{"a": 1}', "E-JSON-SYNTAX", "line 1 column 10", "too early"),
        ('[{"a": 1},\n{"a": "', "E-JSON-SYNTAX", "line 2 column 8", "inside a string"),
        ("[1,]", "E-JSON-SYNTAX", "line 1 column 3", "closing bracket"),
        ("[,1]", "E-JSON-SYNTAX", "line 1 column 2", "missing"),
        ('[{"score": 01}]', "E-JSON-SYNTAX", "line 1 column 12", "'01}]' is in the place of a value"),
        ('[{"score": 9.5px}]', "E-JSON-SYNTAX", "line 1 column 12", "'9.5px}]' is"),
        ('[{"score": 1 "x": 2}]', "E-JSON-SYNTAX", "line 1 column 14", "a comma or a closing bracket"),
        ("[] []", "E-JSON-SYNTAX", "line 1 column 4", "more text"),
        ("[" * 100_000, "E-JSON-DEPTH", "", "64"),
        ('[{"image_id": 1, "image_id": 1}]', "E-JSON-DUPLICATE", "/0", "'image_id'"),
        ("[{'image_id': 1}]", "E-JSON-SYNTAX", "line 1 column 3", "single quotes"),
        ("[null]", "E-JSON-SCHEMA", "/0", "null"),
        (b'[{"x": "\xff"}]', "E-JSON-ENCODING", "line 1 column 9", "byte 8"),
        ("1", "E-JSON-SCHEMA", "/", "the number 1 instead of a list"),
        ("[1]".encode("utf-16"), "E-FILE-KIND", "", "UTF-16"),
    ],
)
def test_files_that_are_no_list_of_detections(tmp_path, text, code, where, keyword):
    problems = {
        (problem.code, problem.file, problem.where): problem for problem in check(text, tmp_path).problems
    }
    assert keyword in text_of(problems[code, NAME, where])


def large_masks(number):
    """Return detections with equal masks of one value and four million pixels; as a zip they are small."""
    mask = np.zeros((3, 2000, 2000), np.uint8)
    return [json.loads(encode_detection(1, (0.0, 0.0, 2000.0, 2000.0), 0.5, mask))] * number


@pytest.mark.slow
@pytest.mark.parametrize("n_cores", [1, 2])
def test_masks_of_more_pixels_than_the_images_can_have_are_refused(tmp_path, monkeypatch, n_cores):
    allow_cores(monkeypatch, n_cores)
    most = fmt.most_pixels(1)
    findings = refused(kept, tmp_path, large_masks(most // 4_000_000 + 1), n_images=1)
    assert places_of(findings) == [("E-JSON-COUNT", NAME, "")]
    (problem,) = findings.problems
    assert f"{most:,}" in problem.problem
    assert "1 image" in problem.problem
    assert "reference" in problem.remedy


@pytest.mark.parametrize(
    ("member", "n_most"), [("", 10), (f', "a": "{"a" * 400_000}"', 2)], ids=["small masks", "long texts"]
)
def test_small_masks_and_long_texts_count_as_more_pixels(tmp_path, monkeypatch, member, n_most):
    """A zip of 1 MB may hold tens of thousands of them, and each takes its time."""
    monkeypatch.setattr(fmt, "_LEAST_PIXELS", 100_000)
    monkeypatch.setattr(fmt, "_PIXELS_AN_IMAGE", 1)
    encoded = encode_detection(1, (0.0, 0.0, 1.0, 1.0), 0.5, np.zeros((3, 1, 1), np.uint8))
    passed_on = []
    path = zipped(tmp_path, f"[{','.join([encoded[:-1] + member + '}'] * 30)}]")
    findings = refused(fmt.read_detections, path, RULES, passed_on.append, 1)
    assert places_of(findings) == [("E-JSON-COUNT", NAME, "")]
    assert len(passed_on) <= n_most


def test_what_is_read_ahead_is_told_and_adds_up_to_the_size(tmp_path):
    text = f"[{json.dumps(GOOD[0])},{' ' * 5_000_000}{json.dumps(GOOD[1])}]"
    sizes = []
    token = on_read.set(sizes.append)
    assert kept(tmp_path, text) == [0, 1]
    on_read.reset(token)
    assert sum(sizes) == len(text)


@pytest.mark.parametrize("n_cores", [1, 3])
def test_after_many_bad_masks_none_is_decoded(tmp_path, monkeypatch, n_cores):
    allow_cores(monkeypatch, n_cores)
    decoded = []
    decode = fmt.decode_base64

    def count(text):
        decoded.append(text)
        return decode(text)

    monkeypatch.setattr(fmt, "decode_base64", count)
    findings = check([detection("%")] * 1000, tmp_path)
    assert {problem.code for problem in findings.problems} == {"E-DP-BASE64"}
    assert not findings.is_complete
    assert 200 <= len(decoded) < 500


def test_of_very_many_bad_entries_200_are_explained(tmp_path):
    findings = check("[" + "1," * 10_000 + "1]", tmp_path)
    assert (len(findings.problems), findings.total, findings.is_complete) == (200, 10_001, False)


def test_limit_of_pixels_follows_the_number_of_images():
    assert fmt.most_pixels(1) == fmt.most_pixels(2)
    assert fmt.most_pixels(2000) == 2 * fmt.most_pixels(1000)


FAR = (12.0, 7.5, 2.0, 2.0)
COARSE = "no part is above 14 in the first 10 detections; the fine parts go from 1 to 24"


PERCENT = "no U or V is above 100 in the first 10 detections; they are round(255 * u), with u in 0..1"


def detections(n=1, box=FAR, first_index=0, last_score=0.5, uv=2, part=24):
    pixels = np.full((2, 2, 3), part, np.uint8)
    pixels[..., 1:] = uv
    # Neither parts nor U and V are the same everywhere.
    pixels[0, 0] = 0 if part == 0 else 1, 0, uv
    pixels[0, 1] = part, uv, 0
    scores = [0.5] * (n - 1) + [last_score]
    return [Detection(first_index + number, 1, 1, box, score, pixels) for number, score in enumerate(scores)]


def hints_of(entries):
    hints = DetectionHints()
    for entry in entries:
        hints.take(entry)
    return hints


@pytest.mark.parametrize(
    ("entries", "texts"),
    [
        ([], [empty_note().text]),
        (detections(), []),
        (
            detections(2, box=(0.0, 0.5, 2.0, 2.0)),
            ["x and y of every box lie between 0 and 1 (2 boxes); they are pixels of the image"],
        ),
        (
            detections(box=(1.0, 0.5, 2.0, 2.0)),
            ["x and y of every box lie between 0 and 1 (1 box); they are pixels of the image"],
        ),
        (detections(box=(0.0, 1.0, 2.0, 2.0)), []),
        (detections(box=(-0.5, 0.5, 2.0, 2.0)), []),
        (detections(box=(0.5, 1.5, 2.0, 2.0)), []),
        (detections(box=(0.5, 0.5, 2.0, 2.0)) + detections(), []),
        (detections(2, uv=0), ["U and V are 0 or 1 in the first 2 detections; they are round(255 * u)"]),
        (
            detections(2, uv=0, part=0),
            ["all pixels of the first 2 detections are background (part 0). Write part 1..24 on the person"],
        ),
        (detections(1, uv=9, part=0, first_index=1) + detections(uv=9), []),
        (detections(11), ["all 11 scores are 0.5. They rank detections: give each its own"]),
        (detections(2, uv=1), ["U and V are 0 or 1 in the first 2 detections; they are round(255 * u)"]),
        (detections(200, uv=1, last_score=0.6) + detections(1, uv=2, first_index=199), []),
        (detections(10, uv=100, last_score=0.6), [PERCENT]),
        (detections(9, uv=100, last_score=0.6), []),
        (detections(10, uv=80, last_score=0.6), []),
        (detections(10, uv=101, last_score=0.6), []),
        (
            detections(200, uv=1, last_score=0.6) + detections(2, uv=2, first_index=200),
            ["U and V are 0 or 1 in the first 200 detections; they are round(255 * u)"],
        ),
        (detections(9), []),
        (detections(10), ["all 10 scores are 0.5. They rank detections: give each its own"]),
        (detections(10, last_score=0.25), []),
        (detections(10, last_score=0.75), []),
        (detections(10, last_score=0.75, part=2), []),
        (detections(10, last_score=0.75, part=15), []),
        (detections(9, last_score=0.75, part=14), []),
        (detections(10, last_score=0.75, part=3), [COARSE]),
        (detections(10, last_score=0.75, part=14), [COARSE]),
        (detections(10, last_score=0.75, part=14) + detections(part=24, first_index=199), []),
    ],
)
def test_hints_of_detections_can_be_joined(entries, texts):
    assert [note.text for note in hints_of(entries).notes()] == texts
    joined = DetectionHints()
    for part in (hints_of(entries[::2]), hints_of(entries[1::2]), DetectionHints()):
        joined.add(part)
    assert joined == hints_of(entries)


@pytest.mark.parametrize(
    ("n", "part", "uv", "codes"),
    [
        (10, (3, 20), (128, 128), ["N-LOOKS-CONSTANT"]),
        (9, (3, 20), (128, 128), []),
        (10, (20, 20), (128, 130), ["N-LOOKS-CONSTANT"]),
        (9, (20, 20), (128, 130), []),
        (10, (3, 20), (128, 130), []),
        # What is 0 everywhere is no coordinate in 0..1, nor what is 100 everywhere one in percent.
        (10, (3, 20), (0, 0), ["N-LOOKS-CONSTANT"]),
        (10, (3, 20), (100, 100), ["N-LOOKS-CONSTANT"]),
        (10, (3, 20), (0, 1), ["N-LOOKS-NORMALIZED"]),
    ],
)
def test_parts_and_coordinates_that_are_the_same_everywhere_are_noted(n, part, uv, codes):
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0] = [[part[0], uv[0], uv[0]], [part[1], uv[1], uv[1]]]
    entries = [Detection(number, 1, 1, FAR, 0.1 * number, pixels) for number in range(n)]
    assert [note.code for note in hints_of(entries).notes()] == codes


@pytest.mark.parametrize(("channel", "text"), [(1, "U is 7 in"), (2, "V is 7 in")])
def test_one_coordinate_that_is_the_same_everywhere_is_noted(channel, text):
    pixels = np.full((1, 2, 3), 7, np.uint8)
    pixels[0, 1, 3 - channel] = 200
    pixels[0, 1, 0] = 20
    entries = [Detection(number, 1, 1, FAR, 0.1 * number, pixels) for number in range(10)]
    (note,) = hints_of(entries).notes()
    assert (note.code, note.text[: len(text)]) == ("N-LOOKS-CONSTANT", text)


def test_equal_scores_below_zero_are_noted():
    entries = [replace(entry, score=-2.0) for entry in detections(10)]
    assert [note.code for note in hints_of(entries).notes()] == ["N-LOOKS-CONSTANT"]


def test_pixels_of_a_detection_in_memory_are_rows_of_pixels():
    iuv = np.arange(3 * 6 * 8, dtype=np.uint8).reshape(3, 6, 8)
    _, pixels = array_entry(1, (0.0, 0.0, 8.0, 6.0), 0.5, iuv)
    assert pixels.tolist() == iuv.transpose(1, 2, 0).tolist()


def test_hints_of_a_file_are_those_of_its_detections(tmp_path):
    entries = [detection(png(RGB), bbox=[0.25 * (number % 4), 0.5, 8, 6]) for number in range(10)]
    notes = FORMAT.hints(fmt.read(zipped(tmp_path, entries), RULES).content, RULES)
    assert [note.code for note in notes] == ["N-LOOKS-NORMALIZED", "N-LOOKS-CONSTANT", "N-LOOKS-CONSTANT"]
