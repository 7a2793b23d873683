"""Each code of the validator, provoked once through its command: the code, the file and the place.

`CASES` holds (code, task, files, file, where), `NOTES` (code, task, files). What they say stands in
``tests/message_texts.py`` alone: other tests compare codes, files and places. Large files are made where
they are used, by a function. Codes of CSV files with a header are in ``test_csv_files.py``.
"""

from __future__ import annotations

import base64
import io
import json
import stat
import struct
import zipfile

import numpy as np
import pytest
from PIL import Image

from tests.helpers import make_zip, numbered_cases
from tests.message_texts import MESSAGE_TEXTS
from validator import limits
from validator.__main__ import main

pytestmark = pytest.mark.interpreters

ACTION, GESTURE, KINETICS = "chalearn_action", "chalearn_gesture", "kinetics_tps"
GIVEN, GENERATED, DENSEPOSE = "anet_entities_gt", "anet_entities_gen", "densepose"
CSV, CLASSES, PARTS = "S1_prediction.csv", "pred_vid_result.json", "pred_part_result.json"
SENTENCES, DETECTIONS = "submission_gt.json", "densepose_x_results.json"


def rows(text, name=CSV):
    return {name: text}


def videos(text):
    return {CLASSES: text, PARTS: "{}"}


def human(box=(0, 0, 9, 9), boxes=((1, 1, 5, 5),), verbs=("hold",)):
    part = {"box": list(map(list, boxes)), "verb": list(verbs)}
    parts = {"v/1": {"img_1.json": {"humans": [{"box": list(box), "parts": {"left_hand": part}}]}}}
    return {CLASSES: '{"v/1": "run"}', PARTS: json.dumps(parts)}


def segments(mode="GT", n_words=1, box=(1, 2, 3, 4), **members):
    boxes = [[[step / 100, *box[1:]] for step in range(10)]]
    segment = {"clss": ["dog"], "idx_in_sent": list(range(n_words)), "bbox_for_all_frames": boxes}
    members = {"results": {"v": {"0": segment}}, "eval_mode": mode, **members}
    return {SENTENCES: json.dumps(members)}


def png(height=4, width=5, part=1, mode="RGB"):
    stream = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), part, np.uint8)).convert(mode).save(stream, format="PNG")
    return base64.b64encode(stream.getvalue()).decode()


def detections(**members):
    box = {"bbox": [10, 10, 5.5, 4.5], "uv_shape": [3, 4, 5], "uv_data": png()}
    good = {"image_id": 1, "category_id": 1, "score": 0.5, **box}
    return {DETECTIONS: json.dumps([good, {**good, **members}])}


def coarse_detections():
    (first,) = json.loads(detections()[DETECTIONS])[:1]
    coarse = [{**first, "score": 0.1 * number, "uv_data": png(part=14)} for number in range(10)]
    return {DETECTIONS: json.dumps(coarse)}


def large():
    """Return a zip whose only file is larger than a submission may be, and takes no time to be written."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(CSV, bytes(16_000_001))
    return stream.getvalue()


def twice(text, name=CSV):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(name, text)
        archive.writestr(name, text)
    return stream.getvalue()


def member(name=CSV, mode=0, flags=0, method=None):
    """Return a zip whose only file has these attributes; flags and method are written into its directory."""
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(info, "1,1,5\n")
    data = bytearray(stream.getvalue())
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<H", data, at + 8, flags)
    if method is not None:
        struct.pack_into("<H", data, at + 10, method)
    return bytes(data)


def overlapping():
    """Return a zip whose only file reaches into the directory."""
    data = bytearray(member())
    struct.pack_into("<II", data, data.index(b"PK\x01\x02") + 20, 60, 60)
    return bytes(data)


def damaged():
    data = bytearray(make_zip({CSV: "1,1,5\n2,7,9\n"}))
    data[len(CSV) + 31] ^= 0xFF
    return bytes(data)


CASES = [
    ("E-ANET-LENGTH", GIVEN, segments(n_words=2), SENTENCES, "/results/v/0"),
    ("E-ANET-MODE", GIVEN, segments("gen"), SENTENCES, "/eval_mode"),
    ("E-BOX-ORDER", KINETICS, human(box=(9, 0, 0, 9)), PARTS, "/v~11/img_1.json/humans/0/box"),
    ("E-BOX-ORDER", KINETICS, human(boxes=((1, 5, 5, 1),)), PARTS, "/v~11/img_1.json/humans/0/parts/left_hand/box/0"),
    ("E-CSV-COLUMNS", GESTURE, rows("1,1,5\n1,7\n"), CSV, "line 2 column 2"),
    ("E-CSV-EMPTY-LINE", GESTURE, rows("1,1,5\n\n1,7,9\n"), CSV, "line 2 column 1"),
    ("E-CSV-ENCODING", GESTURE, rows(b"1,1,5\n1,7,\xff\n"), CSV, "line 2 column 1"),
    ("E-FILE-KIND", GESTURE, rows(b"PK\x03\x04\x14\0\0\0"), CSV, ""),
    *(("E-FILE-KIND", task, {"archive/data.pkl": "\x80\x02.", "archive/version": "3\n"}, "", "") for task in (ACTION, KINETICS)),
    ("E-CSV-HEADER", GESTURE, rows("gesture,start,end\n1,1,5\n"), CSV, "line 1 column 1"),
    ("E-CSV-INTEGER", GESTURE, rows("1,1.0,5\n"), CSV, "line 1 column 2"),
    ("E-CSV-INTEGER", GESTURE, rows("1,1,5\nwave,1,5\n"), CSV, "line 2 column 1"),
    ("E-CSV-INTEGER", GESTURE, rows("nan,1,5\n"), CSV, "line 1 column 1"),
    ("E-CSV-RANGE", ACTION, rows("1,12,1,5\n"), CSV, "line 1 column 2"),
    ("E-CSV-SEPARATOR", GESTURE, rows("1;1;5\n"), CSV, "line 1 column 1"),
    ("E-DP-BASE64", DENSEPOSE, detections(uv_data="a\u00e9=="), DETECTIONS, "/1/uv_data"),
    ("E-DP-BOX", DENSEPOSE, detections(bbox=[1, 1, 0.5, 4]), DETECTIONS, "/1/bbox"),
    ("E-DP-PART", DENSEPOSE, detections(uv_data=png(part=25)), DETECTIONS, "/1/uv_data"),
    ("E-DP-PNG", DENSEPOSE, detections(uv_data=png(mode="L")), DETECTIONS, "/1/uv_data"),
    ("E-DP-SHAPE", DENSEPOSE, detections(uv_shape=[3, 5, 4]), DETECTIONS, "/1/uv_shape"),
    ("E-FILE-CASE", GESTURE, rows("1,1,5\n", CSV.upper()), CSV.upper(), ""),
    ("E-FILE-CASE", KINETICS, {CLASSES.upper(): "{}", PARTS: "{}"}, CLASSES.upper(), ""),
    ("E-FILES-EXCHANGED", KINETICS, {CLASSES: '{"v": {"img_1.json": {"humans": []}}}', PARTS: '{"v": "run"}'}, CLASSES, ""),
    ("E-FILE-NONE", KINETICS, {CLASSES: "{}"}, PARTS, ""),
    ("E-FILE-NONE", KINETICS, {CLASSES: "{}", f"{PARTS}l": "{}"}, PARTS, ""),
    ("E-FILE-NONE", GENERATED, {"mine.jsonl": "{}"}, "submission_gen.json", ""),
    ("E-FILE-NONE", DENSEPOSE, {"mine.ndjson": "{}"}, "densepose_<name>_results.json", ""),
    ("E-FILE-PLACE", GESTURE, rows("1,1,5\n", f"a/{CSV}") | rows("1,1,5\n", "S2_prediction.csv"), f"a/{CSV}", ""),
    ("E-FILE-PLACE", KINETICS, {CLASSES: "{}", f"a/{PARTS}": "{}"}, f"a/{PARTS}", ""),
    ("E-FILE-RESERVED", GESTURE, rows("1,1,5\n") | {"metadata": "command: x"}, "metadata", ""),
    ("E-FILE-TWICE", GESTURE, rows("1,1,5\n") | rows("1,1,5\n", "S1_predictions.csv"), "S1_predictions.csv", ""),
    ("E-JSON-COUNT", KINETICS, lambda: videos(json.dumps(dict.fromkeys(map(str, range(200_001)), "run"))), CLASSES, "/"),
    ("E-JSON-DEPTH", KINETICS, videos('{"v":' + 70 * "[" + 70 * "]" + "}"), CLASSES, ""),
    ("E-JSON-DEPTH", DENSEPOSE, {DETECTIONS: "[" + 70 * "[" + 71 * "]"}, DETECTIONS, ""),
    ("E-JSON-DUPLICATE", KINETICS, {**human(), PARTS: '{"v": {"f": {"humans": []}, "f": {"humans": []}}}'}, PARTS, "/v"),
    ("E-JSON-ENCODING", KINETICS, videos(b'{"v":\n "\xff"}'), CLASSES, "line 2 column 3"),
    ("E-JSON-NUMBER", KINETICS, human(box=(0, 0, 9, float("nan"))), PARTS, "/v~11/img_1.json/humans/0/box/3"),
    ("E-JSON-SCHEMA", KINETICS, human(box=(0, 0, 9)), PARTS, "/v~11/img_1.json/humans/0/box"),
    ("E-JSON-SCHEMA", DENSEPOSE, detections(score="x"), DETECTIONS, "/1/score"),
    ("E-JSON-SYNTAX", KINETICS, videos("{'v': 1}"), CLASSES, "line 1 column 2"),
    ("E-JSON-SYNTAX", DENSEPOSE, {DETECTIONS: "["}, DETECTIONS, "line 1 column 2"),
    ("E-JSON-SYNTAX", KINETICS, videos('{"v": "run"}\n{"w": "walk"}\n'), CLASSES, "line 2 column 1"),
    ("E-JSON-SYNTAX", GIVEN, {SENTENCES: '{"results": {}, "eval_mode": "GT"}\n' * 2}, SENTENCES, "line 2 column 1"),
    ("E-JSON-SYNTAX", DENSEPOSE, {DETECTIONS: '{"image_id": 1}\n' * 2}, DETECTIONS, "line 2 column 1"),
    ("E-PART-LENGTH", KINETICS, human(verbs=("hold", "kick")), PARTS, "/v~11/img_1.json/humans/0/parts/left_hand"),
    ("E-TASK", GESTURE, {CLASSES: "{}"}, "", ""),
    ("E-TASK", DENSEPOSE, segments(), SENTENCES, ""),
    ("E-ZIP-BOMB", GESTURE, overlapping(), "my.zip", ""),
    ("E-ZIP-CASE", GESTURE, rows("1,1,5\n") | rows("1,1,5\n", CSV.upper()), CSV.upper(), ""),
    ("E-ZIP-COUNT", KINETICS, lambda: make_zip(dict.fromkeys(map(str, range(1001)), "")), "my.zip", ""),
    ("E-ZIP-DAMAGED", GESTURE, damaged(), CSV, ""),
    ("E-ZIP-EMPTY", GESTURE, b"", "my.zip", ""),
    ("E-ZIP-ENCRYPTED", GESTURE, member(flags=1), CSV, ""),
    ("E-ZIP-LINK", GESTURE, member(mode=stat.S_IFLNK | 0o777), CSV, ""),
    ("E-ZIP-METHOD", GESTURE, member(method=9), CSV, ""),
    ("E-ZIP-NAME", GESTURE, rows("1,1,5\n", f"../{CSV}"), f"../{CSV}", ""),
    ("E-ZIP-NESTED", GESTURE, {"inner.zip": make_zip({})} | rows("1,1,5\n"), "inner.zip", ""),
    ("E-ZIP-NOT", GESTURE, b"PK\x03\x04 the begin of a zip", "my.zip", ""),
    ("E-ZIP-SIZE", GESTURE, large, CSV, ""),
    ("E-ZIP-SPECIAL", GESTURE, member(mode=stat.S_IFIFO), CSV, ""),
    ("E-ZIP-TWICE", GESTURE, twice("1,1,5\n"), CSV, ""),
]  # fmt: skip

NOTES = [
    ("N-ANET-EXTERNAL", GIVEN, segments()),
    ("N-CSV-READ", GESTURE, rows("1,1,5\r\n")),
    ("N-EMPTY", GESTURE, rows("")),
    ("N-FILE-IGNORED", GESTURE, rows("1,1,5\n") | {"a.txt": ""}),
    ("N-FILE-SPELLING", GIVEN, {"my.json": segments()[SENTENCES]}),
    ("N-FOLDER", GESTURE, rows("1,1,5\n", f"mine/{CSV}")),
    ("N-JSON-BOM", KINETICS, videos("\ufeff{}")),
    ("N-JUNK", GESTURE, rows("1,1,5\n") | {".DS_Store": ""}),
    ("N-LOOKS-CONSTANT", GESTURE, rows("3,1,5\n" * 4)),
    ("N-LOOKS-NORMALIZED", GIVEN, segments(box=[0.25, 0, 0.5, 1])),
    ("N-PARTS-COARSE", DENSEPOSE, coarse_detections()),
    ("N-UNCHECKED", GESTURE, rows("1,1,5\n")),
]  # fmt: skip


def check(path, task, capsys):
    """Return what ``python -m validator --json`` says of a submission."""
    code = main([task, str(path), "--json"])
    findings = json.loads(capsys.readouterr().out)
    assert code == (0 if findings["valid"] else 1)
    return findings


def zipped(tmp_path, files):
    path, files = tmp_path / "my.zip", files() if callable(files) else files
    path.write_bytes(files if isinstance(files, bytes) else make_zip(files))
    return path


def places(findings):
    return {(problem["code"], problem["file"], problem["where"]) for problem in findings["problems"]}


@pytest.mark.parametrize(
    ("code", "task", "files", "file", "where"),
    # A file of too many entries takes a second to be read.
    [pytest.param(*case, marks=pytest.mark.slow if case[0] == "E-JSON-COUNT" else ()) for case in CASES],
    ids=numbered_cases(CASES),
)
def test_problem_has_its_code_place_and_words(code, task, files, file, where, tmp_path, capsys, request):
    problems = check(zipped(tmp_path, files), task, capsys)["problems"]
    (problem,) = [
        problem
        for problem in problems
        if (problem["code"], problem["file"], problem["where"]) == (code, file, where)
    ]
    assert f"{problem['problem']}; {problem['hint']}" == MESSAGE_TEXTS[request.node.callspec.id]


@pytest.mark.parametrize(("code", "task", "files"), NOTES, ids=numbered_cases(NOTES))
def test_note_has_its_code_and_words(code, task, files, tmp_path, capsys, request):
    findings = check(zipped(tmp_path, files), task, capsys)
    assert findings["problems"] == []
    (text,) = [note["text"] for note in findings["notes"] if note["code"] == code]
    assert text == MESSAGE_TEXTS[request.node.callspec.id]


def test_every_text_of_the_table_belongs_to_a_case():
    assert MESSAGE_TEXTS.keys() == {*numbered_cases(CASES), *numbered_cases(NOTES)}


def test_note_of_a_zip_in_a_folder(tmp_path, capsys):
    zipped(tmp_path, rows("1,1,5\n"))
    notes = check(tmp_path, GESTURE, capsys)["notes"]
    (text,) = [note["text"] for note in notes if note["code"] == "N-FOUND-ZIP"]
    assert "my.zip" in text


def test_problem_of_a_path_that_does_not_exist(capsys):
    assert places(check("none.zip", GESTURE, capsys)) == {("E-FILE-MISSING", "none.zip", "")}


@pytest.mark.parametrize(
    ("error", "code"), [(limits.TimeLimitError, "E-LIMIT-TIME"), (MemoryError, "E-LIMIT-MEMORY")]
)
def test_problem_of_a_limit(error, code, tmp_path, capsys, monkeypatch):
    def fail(*arguments):
        raise error

    monkeypatch.setattr("validator.checking.load_format", fail)
    assert places(check(zipped(tmp_path, rows("1,1,5\n")), GESTURE, capsys)) == {(code, "", "")}
