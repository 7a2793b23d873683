"""DensePose at the border: PNGs of all kinds, streams, the preparation, the converter."""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import random
import shutil
import struct
import zlib
from unittest import mock

import h5py
import numpy as np
import pytest
from PIL import Image

import densepose_convert
from conftest import GOLDEN, ROOT, make_zip
from organizer.data.prepare import check_reference, prepare
from scoring_program import scoring
from scoring_program.challenge import load_challenge
from scoring_program.challenges.densepose import preparation, reference
from scoring_program.challenges.densepose.gathering import Gatherer
from validator import json_files
from validator.check import check_submission
from validator.findings import Findings
from validator.formats import densepose as fmt
from validator.rules import load_rules

ID = "densepose"
DEMO = ROOT / "reference_data" / ID
GOOD = json.loads(next((ROOT / "starting_kit" / "samples" / ID / "good").iterdir()).read_text(encoding="utf-8"))
NAME = "densepose_x_results.json"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    assert prepare(ID, DEMO, folder).lines() == []
    return folder


def score_with(prepared, tmp_path, detections, **settings):
    submission = tmp_path / "s.zip"
    text = detections if isinstance(detections, (str, bytes)) else json.dumps(detections)
    submission.write_bytes(make_zip({NAME: text}))
    output = tmp_path / "out"
    code = scoring.score_folder(ID, prepared, submission, output, settings)
    scores = json.loads((output / "scores.json").read_text()) if code == scoring.SCORED else None
    return code, scores


def check(text, tmp_path):
    submission = tmp_path / "s.zip"
    submission.write_bytes(make_zip({NAME: text if isinstance(text, (str, bytes)) else json.dumps(text)}))
    findings = Findings()
    check_submission(submission, load_rules(ID), findings)
    return findings


@pytest.mark.slow
def test_prepared_and_official_reference_give_the_same_scores(prepared, tmp_path):
    first = score_with(prepared, tmp_path, GOOD)
    assert first[0] == scoring.SCORED
    assert score_with(DEMO, tmp_path, GOOD) == first


def test_the_signature_names_the_prepared_hash(prepared, tmp_path, capsys):
    score_with(prepared, tmp_path, GOOD)
    digest = (prepared / "reference.sha256").read_text().strip()
    assert f"ref:{digest[:12]}" in capsys.readouterr().out


@pytest.mark.parametrize("measure", ["gpsm", "gps", "iou"])
def test_measure_and_kappa_need_no_new_preparation(prepared, tmp_path, measure):
    _, base = score_with(prepared, tmp_path, GOOD)
    _, scores = score_with(prepared, tmp_path, GOOD, measure=measure, kappa=0.255)
    if measure == "iou":
        assert scores["ap"] == base["ap_iou"]
    assert 0 <= scores["ap"] <= 1


def test_order_of_detections_does_not_matter(prepared, tmp_path):
    _, first = score_with(prepared, tmp_path, GOOD)
    mixed = random.Random(1).sample(GOOD, len(GOOD))
    assert score_with(prepared, tmp_path, mixed)[1] == pytest.approx(first, abs=1e-12)


@pytest.mark.slow
def test_worker_processes_give_the_same_scores(prepared, tmp_path, monkeypatch):
    _, first = score_with(prepared, tmp_path, GOOD)
    monkeypatch.setattr(fmt, "_PARALLEL_FROM_BYTES", 0)
    monkeypatch.setattr(fmt, "_BATCH_BYTES", 10_000)
    monkeypatch.setattr(fmt.forks, "usable_cores", lambda: 3)
    assert score_with(prepared, tmp_path, GOOD)[1] == first
    with monkeypatch.context() as patch:
        patch.setattr(fmt.forks, "start", mock.Mock(side_effect=BlockingIOError("no more processes")))
        assert score_with(prepared, tmp_path, GOOD)[1] == first
    bad = [dict(d) for d in GOOD]
    bad[7]["score"] = "high"
    bad[3]["uv_shape"] = [3, 1, 1]
    findings = check(bad, tmp_path)
    assert [problem.where for problem in findings.problems] == ["/3/uv_shape", "/7/score"]


class Tally:
    """Counts the detections that one process takes."""

    def __init__(self):
        self.count = 0

    def take(self, detection):
        self.count += 1

    def result(self):
        return self.count


def test_workers_take_batches_in_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(fmt, "_PARALLEL_FROM_BYTES", 0)
    monkeypatch.setattr(fmt, "_BATCH_BYTES", 1)
    monkeypatch.setattr(fmt.forks, "usable_cores", lambda: 3)
    submission = tmp_path / "s.zip"
    submission.write_bytes(make_zip({NAME: json.dumps(GOOD[:8])}))
    assert check_submission(submission, load_rules(ID), Findings(), make_consumer=Tally) == [3, 3, 2]


def raising(error):
    def fail(*arguments):
        raise error

    return fail


@pytest.mark.parametrize(
    ("take", "code", "words"),
    [
        (raising(MemoryError("secret")), scoring.INVALID, "E-LIMIT-MEMORY"),
        (lambda self, batch: os._exit(9), scoring.INVALID, "E-LIMIT-MEMORY"),
        (raising(ValueError("secret")), scoring.BROKEN, "E-INTERNAL: RuntimeError"),
        (lambda self, batch: setattr(self, "finish", raising(KeyError("secret"))), scoring.BROKEN, "E-INTERNAL"),
    ],
)
def test_workers_that_fail_end_in_a_verdict(prepared, tmp_path, monkeypatch, capfd, take, code, words):
    monkeypatch.setattr(fmt, "_PARALLEL_FROM_BYTES", 0)
    monkeypatch.setattr(fmt, "_BATCH_BYTES", 10_000)
    monkeypatch.setattr(fmt.forks, "usable_cores", lambda: 2)
    monkeypatch.setattr(fmt._Worker, "take", take)
    assert score_with(prepared, tmp_path, GOOD) == (code, None)
    text = "".join(capfd.readouterr())
    assert words in text
    assert "secret" not in text


class Planted:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_what_participants_write_is_never_unpickled(tmp_path, monkeypatch):
    monkeypatch.setattr(fmt, "_PARALLEL_FROM_BYTES", 0)
    monkeypatch.setattr(fmt.forks, "usable_cores", lambda: 2)
    monkeypatch.setattr(fmt._Worker, "take", raising(ValueError("secret")))
    pool = fmt._Pool(None, None, 1)  # type: ignore[arg-type]
    for index in range(6):
        pool.send([(index, pickle.dumps(Planted(str(tmp_path / "planted"))))])
    with pytest.raises(RuntimeError, match="ValueError"):
        pool.finish()
    assert not (tmp_path / "planted").exists()


def test_detections_beyond_twenty_and_of_other_categories_are_left_out(prepared, tmp_path, capsys):
    _, first = score_with(prepared, tmp_path, GOOD)
    more = [*GOOD, *({**GOOD[0], "score": -1.0 - i} for i in range(30)), {**GOOD[0], "category_id": 7, "score": 2.0}]
    capsys.readouterr()
    _, scores = score_with(prepared, tmp_path, more)
    out = capsys.readouterr().out
    assert "1 detection of other categories" in out
    assert "detections beyond the 20 best" in out
    assert scores["coverage"] == first["coverage"]


def test_empty_list_scores_zero(prepared, tmp_path):
    code, scores = score_with(prepared, tmp_path, "[]")
    assert (code, scores["score"], scores["coverage"]) == (scoring.SCORED, 0, 0)


def test_unknown_image_is_refused_on_the_server(prepared, tmp_path, capsys):
    code, _ = score_with(prepared, tmp_path, [{**GOOD[0], "image_id": 999_999}])
    assert code == scoring.INVALID
    assert "/0/image_id: there is no image 999999" in capsys.readouterr().err


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
    interlace=1, raw=bytes(sum(h * (1 + 3 * w) for w, h in [(1, 1), (1, 1), (2, 1), (2, 2), (4, 1), (4, 3), (8, 3)]))
)


@pytest.mark.parametrize(
    "data",
    [png(RGB), made(), INTERLACED,
     base64.encodebytes(png(np.random.default_rng(1).integers(0, 24, RGB.shape).astype(np.uint8))).decode()],
)  # fmt: skip
def test_pngs_that_hold_8_bit_rgb_are_accepted(tmp_path, data):
    assert check([detection(data)], tmp_path).lines() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (png(RGB)[:-30], "cut off at byte 39"),
        (png(RGB) + b"trailing garbage", "16 bytes after the end of the PNG"),
        (png(RGB)[:40], "cut off at byte 40"),
        (png(RGB)[:20], "cut off in the chunk at byte 8"),
        (made(raw=b"abc"), "the PNG holds less than the pixels of its size"),
        (made(depth=16), "16-bit RGB"),
        (made(color=3), "8-bit palette"),
        (made(color=0), "8-bit grayscale"),
        (made(color=4), "8-bit grayscale with alpha"),
        (made(color=6), "8-bit RGB with alpha"),
        (made(width=9), "the PNG is 6 x 9, uv_shape says 6 x 8"),
        (made(width=60_000, height=60_000, raw=b""), "the PNG is 60000 x 60000"),
        (b"\xff\xd8\xff\xe0 a JPEG" + bytes(40), "this is not a PNG"),
        ("ab!d", "this is not base64"),
        ("é" * 8, "this is not base64"),
        ("", "this is not a PNG"),
        ("data:image/png;base64,iVBORw0KGgo=", "it begins with 'data:image/png;base64,'; remove that prefix"),
        ("data:" + "x" * 99, "remove that prefix"),
        (
            png(np.where(np.arange(3) < 2, 200, RGB).astype(np.uint8)),
            "the first channel holds 200; channels look like B, G, R",
        ),
        (png(np.full((6, 8, 3), 25, np.uint8)), "the first channel holds 25; parts are 0 (background) to 24"),
    ],
)
def test_other_pngs_are_errors_with_the_index(tmp_path, data, words):
    findings = check([detection(png(RGB)), detection(data)], tmp_path)
    (line,) = findings.lines()
    assert line.startswith("1. E-DP-")
    assert f"{NAME} /1/uv_data: " in line
    assert words in line


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"uv_shape": [3, 7, 8]}, "/0/uv_shape: the shape 3 x 7 x 8 does not fit the box; write [3, 6, 8]"),
        ({"uv_shape": [1, 6, 8]}, "/0/uv_shape: the shape 1 x 6 x 8"),
        ({"bbox": [11.5, 22.5, 19.5, 28.5]}, "does not fit the box; bbox looks like two corners; write x, y, width"),
        ({"bbox": [11, 22, 18, 27]}, "bbox looks like two corners"),
        ({"bbox": [0, 0, 0.5, 6]}, "/0/bbox: the box is 0.5 x 6 pixels"),
        ({"bbox": [0, 0, -8, 6]}, "/0/bbox: the box is -8 x 6"),
        ({"bbox": [0, 0, 8, 0.5], "uv_shape": [3, 0, 8]}, "/0/bbox: the box is 8 x 0.5 pixels"),
        (
            {"bbox": [0, 0, 60_000, 60_000], "uv_shape": [3, 60_000, 60_000]},
            "/0/uv_shape: 60000 x 60000 pixels are more",
        ),
        ({"bbox": [1e300, 0, 8, 6]}, "/0/bbox/0: 1e+300 is more than 1000000"),
        ({"bbox": [1, 2, 3]}, "/0/bbox: the list has 3 entries"),
        ({"score": True}, "/0/score: this is true instead of a number"),
        ({"image_id": 1.5}, "/0/image_id: this is the number 1.5 instead of a whole number"),
        ({"uv_data": 5}, "/0/uv_data: this is the number 5 instead of a string"),
    ],
)
def test_other_mistakes_are_located(tmp_path, changes, words):
    lines = check([detection(png(RGB), **changes)], tmp_path).lines()
    assert any(words in line for line in lines), lines


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "1e999", "9" * 400])
def test_scores_that_are_not_finite_are_refused(tmp_path, bad):
    text = json.dumps([detection(png(RGB), score="@")]).replace('"@"', bad)
    assert "/0/score" in check(text, tmp_path).lines()[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", f"E-JSON-SYNTAX {NAME}: the file is empty"),
        ('{"annotations": []}', f"E-JSON-SCHEMA {NAME}: the file holds an object instead of a list"),
        ("[", f"E-JSON-SYNTAX {NAME}: the file ends too early, after 0 whole entries"),
        ('[{"a": 1}', f"{NAME}: the file ends too early, after 0 whole entries"),
        ('[{"a": 1}, {"a": "', f"{NAME}: the file ends too early, after 1 whole entry"),
        ('[{"a": "', "the file ends too early"),
        ("[1,]", "/1: there is a comma before the closing bracket"),
        ("[,1]", "/0: an entry is missing"),
        ("[] []", "there is more text after the end"),
        ("[" * 100_000, "the nesting is deeper"),
        ('[{"image_id": 1, "image_id": 1}]', "/0: the key 'image_id' occurs twice"),
        ("[{'image_id': 1}]", "/0 line 1 column 2 of this entry: strings are in single quotes"),
        ("[null]", "/0: this is null instead of an object"),
        (b'[{"x": "\xff"}]', "/0 line 1 column 8 of this entry: byte 7 is not valid UTF-8"),
        ("[1]".encode("utf-16"), "the file holds something else instead of a list"),
    ],
)
def test_files_that_are_no_list_of_detections(tmp_path, text, words):
    lines = check(text, tmp_path).lines()
    assert any(words in line for line in lines), lines


def test_without_the_compiled_reader_the_verdict_is_the_same(tmp_path, monkeypatch):
    bad = [detection(png(RGB)), detection(png(RGB), score="x"), detection(png(RGB), uv_shape=[3])]
    first = check(bad, tmp_path).lines()
    monkeypatch.setattr(json_files, "typed_json", None)
    assert check(bad, tmp_path).lines() == first
    assert check([detection(png(RGB))], tmp_path).ok


def official(tmp_path):
    folder = tmp_path / "official"
    shutil.copytree(DEMO, folder)
    return folder


def edit(folder, change):
    path = folder / "annotations.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["annotations"][0].update(id=0), "/annotations/0/id: the id must be a whole number from 1"),
        (lambda d: d["annotations"][1].update(id=1), "/annotations/1/id: the id occurs twice"),
        (lambda d: d["annotations"][0].update(image_id=77), "/annotations/0/image_id: there is no image 77"),
        (lambda d: d["annotations"][0].update(bbox=[1, 2, -3, 4]), "/annotations/0/bbox"),
        (lambda d: d["annotations"][0]["dp_x"].pop(), "the lists differ in length"),
        (lambda d: d["annotations"][0]["dp_U"].__setitem__(0, 2.0), "dp_U or dp_V is not in 0..1"),
        (
            lambda d: d["annotations"][0]["dp_masks"][0].update(counts="zz"),
            "/annotations/0/dp_masks/0: this is not a run",
        ),
        (lambda d: d["images"][0].update(height=0), "/images/0: id, height and width must be whole numbers"),
        (lambda d: d.pop("images"), "there are no lists of images and annotations"),
        (lambda d: d.update(annotations=[]), "there are no annotations"),
    ],
)
def test_mistakes_in_annotations_are_found(tmp_path, change, words):
    folder = official(tmp_path)
    edit(folder, change)
    lines = prepare(ID, folder, tmp_path / "out").lines()
    assert any(words in line for line in lines), lines


def test_mistakes_in_the_template_are_found(tmp_path):
    folder = official(tmp_path)
    with h5py.File(folder / "Pdist_matrix.mat", "w") as file:
        file["Pdist_matrix"] = np.zeros((7, 1), np.float32)
    assert "no triangle without its diagonal has 7 distances" in prepare(ID, folder, tmp_path / "out").lines()[0]
    with h5py.File(folder / "Pdist_matrix.mat", "w") as file:
        file["Pdist_matrix"] = np.zeros((6, 1), np.float32)
    assert "the distances are of 4" in prepare(ID, folder, tmp_path / "out").lines()[0]
    (folder / "Pdist_matrix.mat").write_bytes(b"no")
    assert "it is not an HDF5 file" in prepare(ID, folder, tmp_path / "out").lines()[0]
    (folder / "SMPL_subdiv.mat").write_bytes(b"no")
    assert "SMPL_subdiv.mat: it cannot be read" in prepare(ID, folder, tmp_path / "out").lines()[0]
    (folder / "SMPL_subdiv.mat").unlink()
    assert "SMPL_subdiv.mat: the file is missing" in prepare(ID, folder, tmp_path / "out").lines()[0]


def test_changed_prepared_files_are_noticed(prepared, tmp_path):
    folder = tmp_path / "changed"
    shutil.copytree(prepared, folder)
    findings = Findings()
    check_reference(ID, folder, findings)
    assert findings.ok
    data = bytearray((folder / "distances.f32").read_bytes())
    data[0] ^= 1
    (folder / "distances.f32").write_bytes(bytes(data))
    check_reference(ID, folder, findings)
    assert "not those that were prepared" in findings.lines()[0]
    (folder / "distances.f32").write_bytes(bytes(data[:-4]))
    findings = Findings()
    check_reference(ID, folder, findings)
    assert "another size" in findings.lines()[0]


def test_lookups_in_windows_are_those_of_the_whole_file(prepared, monkeypatch):
    whole = np.fromfile(prepared / "distances.f32", "<f4")
    position = np.random.default_rng(1).integers(0, len(whole), 500)
    monkeypatch.setattr(reference, "_WINDOW", 64)
    template = reference.load_folder(prepared, Findings()).template
    assert np.array_equal(template.lookup(position), whole[position])
    assert template.lookup(position[:0]).shape == (0,)


def test_reference_without_h5py_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    findings = Findings()
    preparation.prepare(DEMO, tmp_path, findings)
    assert "pip install h5py" in findings.lines()[0]


def test_writer_makes_what_the_validator_accepts(tmp_path):
    iuv = np.zeros((3, 6, 8), np.uint8)
    with densepose_convert.DensePoseWriter(tmp_path / "my.zip") as writer:
        writer.add(1, [1.5, 2, 8.9, 6], 0.5, iuv)
        writer.add(2, [1, 2, 8, 6], 0.4, iuv)
    findings = Findings()
    check_submission(tmp_path / "my.zip", load_rules(ID), findings)
    assert findings.lines() == []


def test_pickles_of_arrays_are_converted_and_others_refused(tmp_path, capsys):
    source, output = tmp_path / "a.pkl", tmp_path / "densepose_a_results.json"
    uv = np.concatenate([np.full((1, 6, 8), 3.0), np.full((2, 6, 8), 0.5)]).astype(np.float32)
    found = [{"image_id": np.int64(1), "bbox": np.array([0.0, 0, 8, 6]), "score": np.float32(0.5), "uv": uv}]
    for protocol in (2, 4):
        source.write_bytes(pickle.dumps(found, protocol=protocol))
        assert densepose_convert.main([str(source), str(output)]) == 0
    entry = json.loads(output.read_text())[0]
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(entry["uv_data"]))))
    assert pixels[0, 0].tolist() == [3, 128, 128]

    class Evil:
        def __reduce__(self):
            return (print, ("pwned",))

    source.write_bytes(pickle.dumps([Evil()]))
    assert densepose_convert.main([str(source), str(output)]) == 1
    captured = capsys.readouterr()
    assert "builtins.print" in captured.err
    assert "pwned" not in captured.out


def test_the_program_has_no_list_of_detections_beyond_twenty_an_image(prepared):
    loaded = load_challenge(ID).program().load_reference(prepared, {}, Findings())
    assert loaded
    gatherer = Gatherer(loaded)
    pixels = np.zeros((4, 4, 3), np.uint8)
    image = int(loaded.persons.image_id[0])
    scores = [0.5] * 15 + [0.1] * 40 + [0.9] * 10
    for index, value in enumerate(scores):
        gatherer.take(fmt.Detection(index, image, 1, (0.0, 0.0, 4.0, 4.0), value, pixels))
    kept = sorted(gatherer.result().kept, key=lambda k: (-k.score, k.index))
    assert [k.index for k in kept] == [*range(55, 65), *range(10)]


def test_very_many_bad_entries_are_not_all_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(fmt, "_BATCH_BYTES", 1 << 20)
    findings = check("[" + "1," * 300_000 + "1]", tmp_path)
    assert findings.told_total() == "at least 200 problems"
    # Of each batch 200 are explained: three are full, and the last holds 53 entries.
    findings = check(json.dumps([random.Random(index).randbytes(499).hex() for index in range(3200)]), tmp_path)
    assert findings.told_total() == "at least 653 problems"
    assert "/0, /1, /2: this is a string instead of an object {…} (at least 500 such" in findings.lines()[0]


def test_the_last_bits_neither_order_losses_nor_show(tmp_path):
    case = GOLDEN / ID / "label-map-resize"
    assert scoring.score_folder(ID, case / "ref", case / "res", tmp_path) == scoring.SCORED
    losses = json.loads((tmp_path / "detailed_results.json").read_text(encoding="utf-8"))["losses"]
    free = [loss["fix"] for loss in losses if not loss["points"]]
    assert free == ["masks", "background", "wrong_part", "off_within_part"]
    assert "-0.0" not in (tmp_path / "detailed_results.html").read_text(encoding="utf-8").split("<main>")[1]
