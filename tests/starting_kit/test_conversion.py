"""Files of other tools as submissions: the command, `convert`, and `score`, which reads them directly."""

from __future__ import annotations

import base64
import io
import json
import pickle
import random
import sys
import zipfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from organizer.files import folder_files
from people_in_video import SubmissionError, convert, score
from people_in_video.__main__ import main
from people_in_video.densepose.writer import DensePoseWriter, detection_key
from scoring_program.run import BROKEN, INVALID
from tests.helpers import SAMPLES, calls_of, make_zip, text_of
from tests.starting_kit.conversions import IUV, coco_entry, problem_of, write
from validator.formats.densepose.write import encode_detection

FILES = Path(__file__).parent / "torch_files"
# torch is in no lock: these tests are run by hand where it is installed.
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")


def detections(path):
    """Return the detections of a zip, with arrays (3, h, w) in place of PNGs."""
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        entries = json.loads(archive.read(name))
    for entry in entries:
        png = Image.open(io.BytesIO(base64.b64decode(entry.pop("uv_data"))))
        entry["iuv"] = np.moveaxis(np.asarray(png), -1, 0)
    return entries


@needs_torch
def test_predictions_of_detectron2s_evaluator_become_a_submission(tmp_path):
    notes = convert("densepose", FILES / "coco_densepose_predictions.pth", tmp_path / "my.zip")
    assert [note.code for note in notes] == ["N-CONVERTED"]
    first, second, third = detections(tmp_path / "my.zip")
    assert [entry["image_id"] for entry in (first, second, third)] == [1, 1, 2]
    assert {entry["category_id"] for entry in (first, second, third)} == {1}
    assert (first["bbox"], first["score"]) == ([30.25, 22.5, 12.75, 20.5], 0.875)
    assert first["iuv"].shape == (3, 20, 12)
    assert first["iuv"][:, 1, 1:4].tolist() == [[2, 2, 2], [0, 9, 18], [200, 200, 200]]


@needs_torch
def test_a_dump_of_detectron2_becomes_a_submission_with_clipped_coordinates(tmp_path):
    assert convert("densepose", FILES / "results.pkl", tmp_path / "my.zip") == []
    first, second = detections(tmp_path / "my.zip")
    assert (first["image_id"], first["bbox"]) == (1, [30.25, 22.5, 12.5, 20.5])
    assert second["bbox"] == [50, 30, 16, 24]
    u, v = np.linspace(-0.05, 1.03, 2 * 2 * 24 * 16, dtype=np.float32).reshape(2, 2, 24, 16)[1]
    assert np.abs(second["iuv"][1].astype(int) - np.clip(255 * u, 0, 255)).max() <= 1
    assert second["iuv"][2].max() == 255
    assert v.max() > 1
    assert set(np.unique(second["iuv"][0])) == {0, 24}


@needs_torch
def test_a_dump_of_2019_holds_the_same_detections(tmp_path):
    assert convert("densepose", FILES / "dump_2019.pkl", tmp_path / "my.zip") == []
    first, second = detections(tmp_path / "my.zip")
    assert (first["image_id"], first["bbox"]) == (1, [30.25, 22.5, 12.5, 20.5])
    assert first["iuv"][:, 1, 1:4].tolist() == [[2, 2, 2], [0, 9, 18], [200, 200, 200]]
    assert second["iuv"].shape == (3, 24, 16)


@needs_torch
def test_arrays_and_numbers_of_numpy_are_read_from_files_of_torch(tmp_path):
    assert convert("densepose", FILES / "numpy.pth", tmp_path / "my.zip") == []
    (entry,) = detections(tmp_path / "my.zip")
    assert (entry["image_id"], entry["score"]) == (1, 0.875)
    assert entry["iuv"][:, 1, 1:4].tolist() == [[2, 2, 2], [0, 9, 18], [200, 200, 200]]


@pytest.mark.parametrize("command", ["convert", "score"])
@pytest.mark.parametrize(
    ("name", "version"), [("results.pkl", None), ("older.pth", None), ("results.pkl", "2.5.1")]
)
def test_without_a_safe_torch_there_is_one_line(command, name, version, tmp_path, monkeypatch, capsys):
    torch = None if version is None else SimpleNamespace(__version__=version)
    monkeypatch.setitem(sys.modules, "torch", torch)
    more = [str(tmp_path / "my.zip")] if command == "convert" else ["--output", str(tmp_path / "out")]
    assert main([command, "densepose", str(FILES / name), *more]) == INVALID
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "E-TOOL-FILE" in line]
    assert f"E-TOOL-FILE {name}: " in line
    assert "2.6" in line
    assert not (tmp_path / "my.zip").exists()


class Printing:
    def __reduce__(self):
        return (print, ("pwned",))


@pytest.mark.parametrize(
    "content", [b"", b"no pickle", pickle.dumps([Printing()]), pickle.dumps([1]), make_zip({"a.npy": b""})]
)
def test_what_is_no_file_of_torch_gets_one_line_and_is_not_run(content, tmp_path, capsys):
    (tmp_path / "a.pkl").write_bytes(content)
    assert main(["convert", "densepose", str(tmp_path / "a.pkl"), str(tmp_path / "my.zip")]) == INVALID
    printed = capsys.readouterr()
    assert "pwned" not in printed.out
    (line,) = [line for line in printed.err.splitlines() if "E-TOOL-FILE" in line]
    assert "E-TOOL-FILE a.pkl: " in line
    assert [path.name for path in tmp_path.iterdir()] == ["a.pkl"]


@needs_torch
@pytest.mark.parametrize("cut", [0.2, 0.7, 0.99])
def test_damaged_files_of_torch_get_one_line(cut, tmp_path, capsys):
    data = (FILES / "results.pkl").read_bytes()
    (tmp_path / "a.pth").write_bytes(data[: int(cut * len(data))])
    damaged = bytearray(data)
    damaged[len(data) // 4 : len(data) // 3] = b"x" * (len(data) // 3 - len(data) // 4)
    (tmp_path / "b.pth").write_bytes(bytes(damaged))
    for name in ("a.pth", "b.pth"):
        main(["convert", "densepose", str(tmp_path / name), str(tmp_path / "my.zip")])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        assert max(map(len, printed.err.splitlines()), default=0) < 400


@pytest.mark.parametrize(
    ("name", "place", "word"),
    [
        ("storage.pth", "detection 0", "STORAGE none"),
        ("cse.pth", "detection 0", "CSE"),
        ("cse.pkl", "1.jpg", "CSE"),
        ("older.pth", "detection 0", "image_id"),
        ("other_class.pth", "", "elsewhere.Other"),
        ("state_dict.pt", "", "list of detections"),
    ],
)
@needs_torch
def test_what_cannot_be_converted_gets_a_message_of_its_own(name, place, word, tmp_path, capsys):
    problem = problem_of(lambda: convert("densepose", FILES / name, tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", name)
    assert problem.problem.startswith(place)
    assert word in problem.problem + problem.remedy
    assert main(["convert", "densepose", str(FILES / name), str(tmp_path / "my.zip")]) == INVALID
    assert f"E-TOOL-FILE {name}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def base64_png(array, line_breaks=False):
    stream = io.BytesIO()
    Image.fromarray(np.moveaxis(array, 0, -1)).save(stream, format="PNG")
    encode = base64.encodebytes if line_breaks else base64.b64encode
    return encode(stream.getvalue()).decode()


@pytest.mark.parametrize(
    "array_keys",
    [
        {"uv": IUV.tolist()},
        {"iuv": IUV.tolist()},
        {"densepose": IUV.tolist()},
        {"uv": np.concatenate([IUV[:1], IUV[1:] / 255 + 1e-4]).tolist()},
        {"uv_data": base64_png(IUV), "uv_shape": [3, 6, 8]},
        {"densepose": {"shape_chw": [3, 6, 8], "labels_uv_str": base64_png(IUV, line_breaks=True)}},
        {"densepose": {"labels_uv_uint8": IUV.tolist()}},
        {"densepose": [[[3, 6, 8], base64_png(IUV, line_breaks=True)], [1.0, 2.0, 8.5, 6.25]]},
        {"densepose": {"labels": IUV[0].tolist(), "uv": (IUV[1:] / 255 + 1e-4).tolist()}},
    ],
)
def test_lists_of_detections_with_arrays_of_any_form_become_one_submission(array_keys, tmp_path):
    source = tmp_path / "results.json"
    content = [coco_entry(array_keys, category_id=0), coco_entry(array_keys, bbox=[1, 2, 0.5, 6])]
    content.append(coco_entry(array_keys, category_id=17))
    source.write_text(json.dumps(content))
    notes = convert("densepose", source, tmp_path / "my.zip")
    assert sorted(note.text[:24] for note in notes) == [
        "1 detection left out: of",
        "1 detection left out: th",
    ]
    (entry,) = detections(tmp_path / "my.zip")
    assert (entry["category_id"], entry["bbox"]) == (1, [1, 2, 8.5, 6.25])
    assert np.array_equal(entry["iuv"], IUV)


def with_iuv(array):
    return coco_entry({"uv": np.asarray(array).tolist()})


def with_uv(value):
    return with_iuv(np.concatenate([IUV[:1], np.full((2, 6, 8), value)]))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (with_uv(1.02), ["U and V", "np.clip"]),
        (with_uv(-0.0289), ["np.clip"]),
        (with_uv(30.5), ["np.rint"]),
        (with_iuv(IUV / 255), ["parts ", "np.rint(255"]),
        (with_iuv(np.full((3, 6, 8), 0.5)), ["parts "]),
        (with_iuv(np.full((3, 6, 8), 300)), ["parts "]),
        (with_iuv(IUV[:, :4]), ["int(width)) = (3, 6, 8)"]),
        (with_iuv(IUV + np.uint8(30)), ["E-DP-PART", "33"]),
        (coco_entry({}), ["uv_data"]),
        (coco_entry({"uv_data": "%"}), ["base64"]),
        (coco_entry({"densepose": {"embedding": []}}), ["CSE"]),
        (coco_entry({"densepose": {"other": []}}), ["labels"]),
        (coco_entry({"uv": IUV.tolist()}, bbox=[1, 2, 9, 6]), ["(3, 6, 9)"]),
        (coco_entry({"uv": IUV.tolist()}, bbox=[1, 2, 9]), ["bbox"]),
        (coco_entry({"uv": IUV.tolist()}, bbox=None), ["bbox"]),
        (coco_entry({"uv": IUV.tolist()}, score=None), ["score"]),
        (coco_entry({"uv": IUV.tolist()}, category_id=[1]), ["category_id"]),
        (coco_entry({"densepose": {"labels": [["a"]], "uv": [[["a"]], [["b"]]]}}), ["numbers"]),
        (coco_entry({"uv": IUV.tolist()}, image_id="a"), ["the image id is 'a'"]),
        ({"bbox": [1, 2, 8, 6]}, ["image_id"]),
        (7, ["image_id"]),
    ],
)
def test_a_detection_that_cannot_be_converted_is_named(entry, words, tmp_path):
    source = write(tmp_path / "results.json", [with_iuv(IUV), entry])
    problem = problem_of(lambda: convert("densepose", source, tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "results.json")
    assert problem.problem.startswith("detection 1: ")
    assert [word for word in words if word not in text_of(problem)] == []
    assert not (tmp_path / "my.zip").exists()


@pytest.mark.parametrize(
    "arrays",
    [
        {"pred_boxes_XYXY": None, "scores": None},
        {"pred_boxes_XYXY": np.zeros(1), "scores": np.zeros(1)},
        {"pred_boxes_XYXY": np.zeros((1, 5)), "scores": np.zeros(1)},
        {"pred_boxes_XYXY": np.zeros((1, 4)), "scores": np.float32(1)},
        {"pred_boxes_XYXY": np.zeros((2, 4)), "scores": np.zeros(1)},
    ],
)
@needs_torch
def test_an_image_whose_arrays_do_not_fit_is_named(arrays, tmp_path):
    source = tmp_path / "results.pkl"
    import_module("torch").save([{"file_name": "12.jpg", "pred_densepose": [{}], **arrays}], source)
    problem = problem_of(lambda: convert("densepose", source, tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "results.pkl")
    assert problem.problem.startswith("12.jpg: pred_")


@pytest.mark.parametrize("key", ["category_id", "image_id"])
@pytest.mark.parametrize("n_digits", [4000, 10_000])
def test_endless_numbers_of_json_are_told_in_short(key, n_digits, tmp_path, capsys):
    entry = json.dumps(coco_entry({"uv": IUV.tolist()}, **{key: -1})).replace("-1", "9" * n_digits)
    source = write(tmp_path / "a.json", f"[{entry}]")
    main(["convert", "densepose", str(source), str(tmp_path / "my.zip")])
    printed = "".join(capsys.readouterr())
    assert "999…" in printed or "inf" in printed
    assert max(map(len, printed.splitlines())) < 400
    assert "sys." not in printed


@needs_torch
def test_score_notes_what_converting_left_out(tmp_path, capsys):
    found = score("densepose", FILES / "coco_densepose_predictions.pth")
    assert "N-CONVERTED" in [note.code for note in found.notes]
    arguments = ["score", "densepose", str(FILES / "cse.pth"), "--output", str(tmp_path / "out")]
    assert main(arguments) == INVALID
    assert "E-TOOL-FILE cse.pth" in capsys.readouterr().err


def test_boxes_that_are_all_smaller_than_a_pixel_are_refused():
    detection = coco_entry({"uv": np.zeros((3, 0, 0), np.uint8)}, bbox=[0.1, 0.2, 0.5, 0.6])
    problem = problem_of(lambda: score("densepose", [detection] * 2))
    assert (problem.code, "2 detections" in problem.problem) == ("E-TOOL-FILE", True)
    assert "in pixels" in problem.remedy


LABELS, UV = IUV[0].astype(np.int64), (IUV[1:] / 255 + 1e-4).astype(np.float32)


@pytest.mark.parametrize(
    "result",
    [
        IUV,
        SimpleNamespace(labels=LABELS, uv=UV),
        SimpleNamespace(labels=LABELS, uv=UV, sigma_1=None, coarse_segm=None),
        SimpleNamespace(labels_uv_uint8=IUV),
        SimpleNamespace(shape_chw=(3, 6, 8), labels_uv_str=base64_png(IUV)),
        ((3, 6, 8), base64_png(IUV, line_breaks=True)),
        (((3, 6, 8), base64_png(IUV)), [1.0, 2.0, 8.5, 6.25]),
    ],
    ids=["array", "result", "with confidences", "quantized", "compressed", "2019", "2019 with box"],
)
def test_the_writer_takes_results_of_detectron2_as_they_are(result, tmp_path):
    with DensePoseWriter(tmp_path / "my.zip") as writer:
        writer.add(1, [1.0, 2.0, 8.5, 6.25], 0.5, result)
    (entry,) = detections(tmp_path / "my.zip")
    assert np.array_equal(entry["iuv"], IUV)


@pytest.mark.parametrize(
    "result", [SimpleNamespace(embedding=UV), SimpleNamespace(labels=LABELS, uv=UV[:1]), ("", "%")]
)
def test_the_writer_refuses_other_results(result, tmp_path):
    with (
        pytest.raises(ValueError, match=r"CSE|shapes|base64"),
        DensePoseWriter(tmp_path / "my.zip") as writer,
    ):
        writer.add(1, [1.0, 2.0, 8.5, 6.25], 0.5, result)
    assert list(tmp_path.iterdir()) == []


def test_equal_detections_are_written_once(tmp_path, capsys):
    with DensePoseWriter(tmp_path / "my.zip") as writer:
        for _ in range(5):
            writer.add(1, [1.0, 2.0, 8.5, 6.25], 0.5, IUV)
        writer.add(2, [1.0, 2.0, 8.5, 6.25], 0.5, IUV)
    assert [entry["image_id"] for entry in detections(tmp_path / "my.zip")] == [1, 2]
    assert "4 are equal" in capsys.readouterr().err


def test_detections_of_equal_score_are_the_same_in_any_order(tmp_path, capsys):
    """Of more than 20 detections of an image the 20 best are written, the same ones whatever the order."""
    random_numbers = random.Random(1)
    made = []
    for number in range(45):
        iuv = np.full((3, 6, 8), 20, np.uint8)
        iuv[1] = number
        made.append((1 + number % 2, [1.0, 2.0, 8.0, 6.0], [0.5, 0.5, 0.25][number % 3], iuv))
    contents = []
    for attempt in range(4):
        path = tmp_path / f"{attempt}.json"
        random_numbers.shuffle(made)
        with DensePoseWriter(path) as writer:
            for detection in made:
                writer.add(*detection)
        contents.append(path.read_text())
    assert set(contents) == {contents[0]}
    entries = json.loads(contents[0])
    assert [entry["image_id"] for entry in entries] == [1] * 20 + [2] * 20
    assert [entry["score"] for entry in entries].count(0.5) == 30
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith(f"{tmp_path / '0.json'}: 40 detections, ")
    assert "left out 5" in lines[0]


@pytest.mark.slow
def test_leaving_out_all_but_the_best_changes_no_score(tmp_path):
    """A writer that keeps 20 detections of an image scores as a file with all of them."""
    calls: Any = list(calls_of("densepose", folder_files(SAMPLES / "densepose" / "good")))[:1]
    random_numbers = np.random.default_rng(2)
    everything = []
    for image_id, entries in calls:
        for box, certainty, iuv in entries:
            for copy in range(24 // len(entries)):
                changed = iuv.copy()
                changed[1:] = np.roll(iuv[1:], copy, axis=-1)
                rounded = round(certainty * random_numbers.random(), 2)
                everything.append((image_id, box, rounded, changed))
    with DensePoseWriter(tmp_path / "best.zip") as writer:
        for detection in everything:
            writer.add(*detection)
    by_content = sorted(everything, key=lambda entry: detection_key(*entry[1:]))
    text = ",".join(encode_detection(*entry) for entry in by_content)
    (tmp_path / "all.zip").write_bytes(make_zip({"densepose_a_results.json": f"[{text}]"}))
    best, every = (score("densepose", tmp_path / f"{name}.zip", notes=False) for name in ("best", "all"))
    assert best.scores == every.scores


@pytest.mark.parametrize("task", ["anet_entities_gt", "anet_entities_gen"])
def test_files_of_gvd_become_a_submission(task, tmp_path):
    sample = folder_files(SAMPLES / task / "good")
    (text,) = sample.values()
    source = tmp_path / "grd-gt-sent-results-test.json"
    source.write_bytes(text)
    assert convert(task, source, tmp_path / "my.zip") == []
    expected = score(task, SAMPLES / task / "good").scores
    assert score(task, tmp_path / "my.zip").scores == expected
    assert score(task, source).scores == expected
    other = tmp_path / "attn-gt-sent-results-test.json"
    content = json.loads(text)
    other.write_text(json.dumps({"results": content["results"]}))
    (note,) = convert(task, other, tmp_path / "my.zip")
    assert note.code == "N-CONVERTED"
    content["eval_mode"] = "GT" if content["eval_mode"] == "gen" else "gen"
    other.write_text(json.dumps(content))
    problem = problem_of(lambda: convert(task, other, tmp_path / "other.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", other.name)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "E-TOOL-FILE"),
        ("[]", "E-TOOL-FILE"),
        ("{", "E-JSON-SYNTAX"),
        ('{"results": []}', "E-TOOL-FILE"),
        ("[" * 1000, "E-JSON-DEPTH"),
        # What the validator refuses is told as the server does.
        ('{"results": {"v": {"0": {"clss": 1}}}}', "E-JSON-SCHEMA"),
    ],
)
def test_other_json_is_no_file_of_gvd(text, code, tmp_path):
    source = write(tmp_path / "a.json", text)
    with pytest.raises(SubmissionError, match=code):
        convert("anet_entities_gt", source, tmp_path / "my.zip")
    assert not (tmp_path / "my.zip").exists()


def test_a_task_without_converter_says_so(tmp_path):
    (tmp_path / "a.pkl").write_bytes(b"")
    problem = problem_of(lambda: convert("kinetics_tps", tmp_path / "a.pkl", tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "a.pkl")


def test_wrong_options_of_convert_are_refused(tmp_path, capsys):
    with pytest.raises(ValueError, match="no task"):
        convert("moon", "a", "b")
    with pytest.raises(ValueError, match="unit"):
        convert("densepose", "a", "b", unit="hours")
    with pytest.raises(FileNotFoundError):
        convert("densepose", tmp_path / "none.pth", tmp_path / "my.zip")
    (tmp_path / "plain").write_text("")
    source = write(tmp_path / "a.json", "[]")
    target = tmp_path / "plain" / "my.zip"
    assert main(["convert", "densepose", str(source), str(target)]) == BROKEN
    assert capsys.readouterr().err.startswith(f"{target}: ")
