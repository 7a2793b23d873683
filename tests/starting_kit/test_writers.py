"""The writers: what they refuse, with the way out in the message, and that no half-written file is left."""

from __future__ import annotations

import json
import re
import zipfile
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import people_in_video
from people_in_video import writing
from people_in_video.anet_entities.writer import AnetEntitiesWriter
from people_in_video.chalearn.writer import ChalearnWriter
from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.kinetics_tps.writer import KineticsTPSWriter
from tests.helpers import ROOT, make_zip

BOX = [10, 20, 90, 200]
HEAD = ([[12, 30, 40, 80]], ["bend"])
BOXES = np.tile(np.array(BOX), (2, 10, 1))
IUV = np.full((3, 6, 8), 20, np.uint8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("v", 1, [10, 20, 90], {}), r"the box of the human: .*\(3,\).*\(4,\)"),
        (("v", 1, [10, 20, 90, np.nan], {}), "1 of 4 values"),
        (("v", 1, [10, 20, 90, "200"], {}), "type <U"),
        (("v", 1, [90, 20, 10, 200], {}), r"x2 < x1.*x2 = x \+ width - 1"),
        (("v", 1, [0.1, 0.2, 0.5, 0.9], {}), "by the width"),
        (("v", 0, BOX, {}), "the frame is 0"),
        (("v", 1.5, BOX, {}), "the frame is 1.5"),
        (("v", True, BOX, {}), "the frame is True"),
        ((7, 1, BOX, {}), "the video is 7"),
        (("v", 1, BOX, {"head": ([12, 30, 40, 80], ["bend"])}), r"boxes of head: .*\(n, 4\).*array\[None\]"),
        (("v", 1, BOX, {"head": ([[12, 30], [40, 80]], ["bend"])}), r"\(2, 2\).*\(n, 4\)"),
        (("v", 1, BOX, {"head": ([[12, 30, 40, 80], [1]], ["bend"])}), "differ in length"),
        (("v", 1, BOX, {"head": ([[12, 30, 40, 80]], "bend")}), r"the states of head: .*\['bend'\]"),
        (("v", 1, BOX, {"head": ([[12, 30, 40, 80]], [3])}), r"the states of head\[0\] is 3"),
        (("v", 1, BOX, {"head": ([[12, 30, 40, 80]], ["a", "b"])}), "boxes 1, states 2"),
        (("v", 1, BOX, {"head": ([[12, 30, 40, 80]] * 6, ["a"] * 6)}), "6; keep the best 5"),
        (("v", 1, BOX, {1: HEAD}), "the part is 1"),
        (("v", 1, BOX, {"head": [[12, 30, 40, 80]]}), r"head: .*\(boxes, states\)"),
        (("v", 1, BOX, {"head": ([[12, 30, 40, 80]],)}), r"head: .*\(boxes, states\)"),
        (("v", 1, BOX, {"head": {"box": [[12, 30, 40, 80]]}}), r"head: .*\(boxes, states\)"),
        (("v", 1, BOX, {"head": 3}), r"head: .*\(boxes, states\)"),
    ],
)  # fmt: skip
def test_kinetics_writer_refuses(arguments, message):
    writer = KineticsTPSWriter()
    with pytest.raises(ValueError, match=message):
        writer.add_human(*arguments)
    frames = json.loads(writer.files()["pred_part_result.json"]).get("v", {})
    assert not any(frame["humans"] for frame in frames.values())


def test_kinetics_writer_takes_no_proposals_and_refuses_a_class_that_is_no_string():
    writer = KineticsTPSWriter()
    writer.add_human("v", 1, BOX, {"head": ([], [])})
    with pytest.raises(ValueError, match="the action class is 3"):
        writer.add_video("v", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("v", "0", ["man", "ball"], [1, 4], BOXES.reshape(10, 2, 4)), r"\(n, 10, 4\).*np\.swapaxes"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES.reshape(20, 4)), r"\(20, 4\).*\(n, 10, 4\)"),
        (("v", "0", ["man"], [1], BOXES[0]), r"array\[None\]"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES * np.inf), "80 of 80 values"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES / 720), "lies within 0..1; .*of the video, .*frame_size"),
        (("v", "0", "man", [1, 4, 5], BOXES), r"classes: .*\['man'\]"),
        (("v", "0", ["man", "ball"], [1, 1.7], BOXES), r"word_indexes\[1\] is 1.7"),
        (("v", "0", ["man", "ball"], [1, -1], BOXES), r"word_indexes\[1\] is -1;.* 0 or more"),
        (("v", "0", ["man"], [1, 2], BOXES), "classes 1, word_indexes 2, boxes 2"),
        (("v", 0.5, ["man", "ball"], [1, 4], BOXES), "the segment is 0.5"),
        (("", "0", ["man", "ball"], [1, 4], BOXES), "the video is ''"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES * 10), r"720 / width of the video.*frame_size"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES * 10, (800, 2000)), "x = 734, up to 810.*frame_size"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES * 10, (1280, 720)), "y = 413, up to 1125"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES, (1280,)), r"\(width, height\)"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES, (0, 720)), "the width of frame_size is 0"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES, None, {"w": (1280, 720)}), "sizes has no 'v'"),
        (("v", "0", ["man", "ball"], [1, 4], BOXES, (1280, 720), {"v": (1280, 720)}), "not both"),
    ],
)  # fmt: skip
def test_entities_writer_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        AnetEntitiesWriter("gen").add_segment(*arguments)


def written_objects(writer):
    (content,) = writer.files().values()
    return json.loads(content)["results"]["v"]["0"]


def written_boxes(writer):
    return written_objects(writer)["bbox_for_all_frames"]


def test_entities_writer_takes_numbers_of_numpy_and_numbers_segments_as_text(tmp_path):
    writer: Any = AnetEntitiesWriter("gen")
    writer.add_segment("v", np.int64(0), np.array(["man", "ball"]), np.array([1.0, 4.0]), BOXES)
    objects = written_objects(writer)
    assert (objects["clss"], objects["idx_in_sent"]) == (["man", "ball"], [1, 4])
    writer.save(tmp_path / "new" / "my.zip")
    assert zipfile.is_zipfile(tmp_path / "new" / "my.zip")


def test_entities_writer_resizes_boxes_of_the_original_video():
    """To a width of 720, x and y alike; a stray box beyond the frame is no reason to refuse a call."""
    boxes = np.tile(np.array([128.0, 64.0, 1280.0, 720.0]), (11, 10, 1))
    boxes[0, 0, 2] = 1500
    classes, words = ["man"] * 11, list(range(11))
    writer, other = AnetEntitiesWriter("GT"), AnetEntitiesWriter("GT")
    writer.add_segment("v", "0", classes, words, boxes, frame_size=(1280, 720))
    other.add_segment("v", "0", classes, words, boxes, sizes={"v": [1280, 720], "w": (1, 1)})
    assert written_boxes(writer) == written_boxes(other) == (boxes * 0.5625).tolist()
    tall = np.tile(np.array([0.0, 0.0, 720.0, 1280.0]), (1, 10, 1))
    unknown_height = AnetEntitiesWriter("GT")
    unknown_height.add_segment("v", "0", ["man"], [1], tall)
    assert written_boxes(unknown_height) == tall.tolist()


@pytest.mark.parametrize("name", ["valid/Sequence0001", "Sequence0001_prediction.csv"])
def test_chalearn_writer_and_evaluator_refuse_names_of_files_and_other_tasks(name):
    writer = ChalearnWriter("chalearn_gesture")
    with pytest.raises(ValueError, match="'Sequence0001'"):
        writer.add_sequence(name, [[1, 1, 5]])
    with pytest.raises(people_in_video.SubmissionError, match=r"E-ARGUMENT.*'Sequence0001'"):
        people_in_video.Evaluator("chalearn_gesture").update(name, [[1, 1, 5]])
    with pytest.raises(ValueError, match=r"'gesture'.* chalearn_gesture"):
        ChalearnWriter("gesture")


@pytest.mark.parametrize("frame_size", [None, (720, 480)])
def test_entities_writer_takes_single_boxes_beyond_the_frame_in_calls_of_few_objects(frame_size):
    """Those of a larger video are refused, with both remedies."""
    boxes = np.tile(np.array([10.0, 10.0, 700.0, 400.0]), (3, 10, 1))
    boxes[0, 0, 2] = 760
    writer = AnetEntitiesWriter("gen")
    writer.add_segment("v", "0", ["man"] * 3, [0, 1, 2], boxes, frame_size)
    assert written_boxes(writer) == boxes.tolist()
    boxes[0, :, 2] = 760
    with pytest.raises(ValueError, match=r"10 of 30 boxes.*frame_size.*clip"):
        writer.add_segment("v", "1", ["man"] * 3, [0, 1, 2], boxes, frame_size)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, [1, 2, 8, 6], 0.5, np.moveaxis(IUV, 0, -1)), r"\(3, 6, 8\); write np.moveaxis\(iuv, -1, 0\)"),
        ((1, [1, 2, 9, 6], 0.5, IUV), r"int\(width\)\) = \(3, 6, 9\)"),
        ((1, [1, 2, 9, 8], 0.5, IUV), r"\(3, 8, 9\); write the box as x, y, width, height"),
        ((1, [1, 2, 0.5, 6], 0.5, np.zeros((3, 6, 0), np.uint8)), "smaller than a pixel"),
        ((1, [1, 2, 8, 6], 0.5, IUV / 255), r"float64.*uint8.*np.rint\(255 \* u\)"),
        ((1, [1, 2, 8, 6], 0.5, IUV // 20), "U and V are all 0 or 1"),
        ((1, [1, 2, 8, 6], 0.5, IUV + np.uint8(10)), "E-DP-PART: .*30"),
        ((1, [1, 2, 8, np.nan], 0.5, IUV), r"the box\[3\]: .*1 of 4 values"),
        ((1, [0.1, 0.2, 0.8, 0.6], 0.5, IUV), "lies within 0..1"),
        ((1, [1, 2, 8], 0.5, IUV), r"\(3,\).*\(4,\)"),
        ((1, 0.5, [1, 2, 8, 6], IUV), r"the box: the shape is \(\) and must be \(4,\)$"),
        ((1, [1, 2, 8, 6], np.nan, IUV), r"the score: .*1 of 1 value;"),
        ((1, [1, 2, 8, 6], "0.5", IUV), r"the score: .*type <U"),
        ((1.5, [1, 2, 8, 6], 0.5, IUV), "the image id is 1.5"),
    ],
)  # fmt: skip
def test_densepose_writer_refuses(arguments, message, tmp_path):
    with pytest.raises(ValueError, match=message), DensePoseWriter(tmp_path / "my.zip") as writer:
        writer.add(1, [1, 2, 8, 6], 0.5, IUV)
        writer.add(*arguments)
    assert list(tmp_path.iterdir()) == []
    in_call: Any = DensePoseWriter()
    image_id, *detection = arguments
    with pytest.raises(ValueError, match=message):
        in_call.update(image_id, [tuple(detection)])


def test_densepose_writer_updates_and_saves_as_the_others(tmp_path, capsys):
    best, second = ([1, 2, 8, 6], 0.9, IUV), ([2, 2, 8, 6], 0.5, IUV)
    with DensePoseWriter(tmp_path / "block.zip") as block:
        block.add(1, *best)
        block.add(2, *second)
    writer = DensePoseWriter()
    writer.update(2, [second])
    writer.save(tmp_path / "first.json")
    writer.update(1, [best])
    writer.save(tmp_path / "all.zip")
    without_block = DensePoseWriter(tmp_path / "path.zip")
    without_block.update(1, [best])
    without_block.update(2, [second])
    without_block.save()
    contents = []
    for name in ("block", "all", "path"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
            contents.append(archive.read("densepose_mymodel_results.json"))
    assert contents == [contents[0]] * 3
    assert [entry["image_id"] for entry in json.loads((tmp_path / "first.json").read_text())] == [2]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("all.zip", "block.zip", "first.json", "path.zip"),
    ]
    with pytest.raises(ValueError, match="no path"):
        DensePoseWriter().save()
    with pytest.raises(ValueError, match=r"\.zip or \.json"):
        writer.save(tmp_path / "a.csv")


@pytest.mark.parametrize("detections", [([1, 2, 8, 6], 0.9, IUV), [(0.9, IUV)]])
def test_a_single_detection_in_place_of_a_list_is_named(detections):
    writer: Any = DensePoseWriter()
    with pytest.raises(ValueError, match="list of "):
        writer.update(1, detections)
    with pytest.raises(people_in_video.SubmissionError, match="list of "):
        people_in_video.Evaluator("densepose").update(1, detections)


@pytest.fixture
def export(monkeypatch, tmp_path):
    """Return a function that exports predictions with the challenge's own module, from the folder that a kit has."""
    monkeypatch.syspath_prepend(ROOT / "starting_kit" / "chalearn")
    module = import_module("ChalearnLAPSample")
    data = make_zip({"Seq01_labels.csv": "1,1,2,5\n", "Seq01_data.csv": "100,20,8000\n"})
    (tmp_path / "Seq01.zip").write_bytes(data)

    def export_rows(track, rows):
        sample = getattr(module, f"{track}Sample")(tmp_path / "Seq01.zip")
        sample.exportPredictions(rows, tmp_path / "out")

    return export_rows


@pytest.mark.parametrize(
    ("track", "good", "row", "message"),
    [
        ("Action", [1, 1, 2, 5], [1, 1, 0, 5], "row 1: start frame is 0"),
        ("Action", [1, 1, 2, 5], [1, 1, 2.5, 5], "row 1: start frame is 2.5"),
        ("Action", [1, 1, 2, 5], [1, 1, 2, float("nan")], "row 1: end frame is nan"),
        (
            "Action",
            [1, 1, 2, 5],
            [1, 1, 2],
            r"row 1 is \[1, 1, 2\]; give actor, action, start frame, end frame",
        ),
        ("Action", [1, 1, 2, 5], [1, 12, 2, 5], "action 12 "),
        ("Action", [1, 1, 2, 5], [1, 1, 9, 5], r"end frame 5 .*start frame 9"),
        ("Gesture", [20, 2, 5], [21, 2, 5], "gesture 21 "),
    ],
)
def test_exported_predictions_are_checked(export, track, good, row, message, tmp_path):
    export(track, [good])
    with pytest.raises(ValueError, match=message):
        export(track, [good, row])
    (path,) = (tmp_path / "out").iterdir()
    assert (path.name, path.read_text()) == ("Seq01_prediction.csv", ",".join(map(str, good)) + "\n")


def test_what_the_validator_refuses_leaves_the_older_file(tmp_path):
    target = tmp_path / "my.zip"
    target.write_bytes(b"older")
    with pytest.raises(ValueError, match="E-JSON"):
        writing.save_zip(target, "kinetics_tps", {"pred_vid_result.json": "{", "pred_part_result.json": "{}"})
    assert [path.name for path in tmp_path.iterdir()] == ["my.zip"]
    assert target.read_bytes() == b"older"


def test_a_single_string_is_no_list_of_states_in_a_whole_video():
    """A string of as many letters as there are boxes, too."""
    with pytest.raises(ValueError, match=r"frames\[1\]\[0\]: the states of head: .*\['b'\]"):
        KineticsTPSWriter().update("v", "run", {1: [(BOX, {"head": ([[12, 30, 40, 80]], "b")})]})


def test_kinetics_writer_refuses_humans_of_a_video_without_class(tmp_path):
    writer = KineticsTPSWriter()
    writer.add_human("v", 1, BOX, {"head": HEAD})
    with pytest.raises(ValueError, match=r"v: .*add_video"):
        writer.save(tmp_path / "my.zip")
    assert list(tmp_path.iterdir()) == []
    writer.add_video("v", "throw_ball")
    writer.save(tmp_path / "my.zip")
    assert zipfile.is_zipfile(tmp_path / "my.zip")


def test_place_that_cannot_be_written_is_named_as_it_was_given(tmp_path):
    (tmp_path / "plain").write_text("")
    writer = KineticsTPSWriter()
    writer.add_video("v", "throw_ball")
    target = tmp_path / "plain" / "my.zip"
    with pytest.raises(OSError, match=re.escape(f"'{target}'")):
        writer.save(target)


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.npz"])
def test_endings_of_other_files_are_refused(name, tmp_path):
    writer = ChalearnWriter("chalearn_gesture")
    writer.update("DemoSequence0001", [[1, 1, 5]])
    with pytest.raises(ValueError, match=rf"{name}.*\.zip"):
        writer.save(tmp_path / name)
    if name != "a.json":
        with pytest.raises(ValueError, match=rf"{name}.*\.zip"):
            DensePoseWriter(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    writer.save(tmp_path / "a.ZIP")
    writer.save(tmp_path / "a")
    assert people_in_video.score("chalearn_gesture", tmp_path / "a").scores["coverage"] > 0
