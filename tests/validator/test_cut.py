"""``python -m validator --only ids.txt my.zip cut.zip``: predictions for some items only."""

from __future__ import annotations

import json

import pytest

from organizer.files import read_zip
from tests.helpers import make_zip, refused
from validator.__main__ import main
from validator.archive import Limits
from validator.cut import cut_submission
from validator.formats.rules import CsvRules, Field, JsonFile, Rules

SEGMENT = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}


def sentences(*videos):
    results = {video: {"0": SEGMENT} for video in videos}
    return {"submission_gt.json": json.dumps({"results": results, "eval_mode": "GT", "x": 0.1})}


CASES = [
    ({"a_prediction.csv": "1,2,3\n", "b_predictions.csv": "1,2,3\n", "read.me": "x"}, ["a_prediction.csv", "read.me"]),
    (sentences("a", "b", "c"), sentences("a")),
    ({"pred_vid_result.json": '{"a": "x", "b": "y"}', "pred_part_result.json": '{"b": {}}'},
     {"pred_vid_result.json": '{"a": "x"}', "pred_part_result.json": "{}"}),
    ({"densepose_x_results.json": '[{"image_id": 7, "score": 0.1}, {"image_id": 77}, {"image_id": 7}]'},
     {"densepose_x_results.json": '[{"image_id": 7, "score": 0.1}, {"image_id": 7}]'}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), CASES)
@pytest.mark.parametrize("folder", ["", "mine/"])
def test_only_the_listed_items_stay(tmp_path, capsys, before, after, folder):
    (tmp_path / "in.zip").write_bytes(make_zip({folder + name: text for name, text in before.items()}))
    (tmp_path / "ids.txt").write_text("\ufeffa\n7\r\nnobody\n\n", encoding="utf-8")
    call = ["--only", str(tmp_path / "ids.txt"), str(tmp_path / "in.zip"), str(tmp_path / "out.zip")]
    assert main(call) == 0
    found = {name: data.decode() for name, data in read_zip(tmp_path / "out.zip").items()}
    assert found == ({name: before[name] for name in after} if isinstance(after, list) else after)
    expected = {"densepose": "kept 1 of 2 items", "submission": "kept 1 of 3 items"}
    line = expected.get(next(iter(before)).split("_")[0], "kept 1 of 2 items")
    assert f"note N-CUT: {line}; items of the list without a prediction: 2\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "kept", "note"),
    [
        ('"label","id"\r\n"a, b",one\r\nc,two\r\n', 'label,id\n"a, b",one\n', "kept 1 of 2 items"),
        ("label,id\na,one\nshort\n\nc,three,more\n", "label,id\na,one\n", "kept 1 of 3 items"),
        ("name,label\none,a\n\nthree,b\n", "name,label\none,a\n", "kept 1 of 3 items"),
        ("", "", "kept 1 of 2 items"),
    ],
)
def test_rows_of_a_table_and_entries_by_item_are_kept(tmp_path, monkeypatch, table, kept, note):
    columns = CsvRules("x.csv", (Field("id", "string"), Field("label", "string")), key="id")
    rules = Rules("x", tmp_path, Limits(10, 10**6, 10**6), (columns,), (JsonFile("y.json", tmp_path),))
    monkeypatch.setattr("validator.cut.task_ids", lambda: ["x"])
    monkeypatch.setattr("validator.cut.load_rules", lambda task_id: rules)
    files = {"x.csv": table, "y.json": '{"one": 1.50, "two": 2}'}
    (tmp_path / "in.zip").write_bytes(make_zip(files))
    found = cut_submission(tmp_path / "in.zip", {"one"}, tmp_path / "out.zip")
    assert note in str(found)
    assert read_zip(tmp_path / "out.zip") == {"x.csv": kept.encode(), "y.json": b'{"one": 1.5}'}


def test_baseline_stays_one(tmp_path):
    (tmp_path / "in.zip").write_bytes(make_zip({**sentences("a", "b"), "BASELINE.txt": "perfect"}))
    cut_submission(tmp_path / "in.zip", {"a"}, tmp_path / "out.zip")
    assert read_zip(tmp_path / "out.zip")["BASELINE.txt"] == b"perfect"


@pytest.mark.parametrize(
    ("code", "files", "ids"),
    [
        ("E-CUT-NONE", sentences("a"), "b\n"),
        ("E-CUT-TASK", {"notes.txt": "x"}, "a\n"),
        ("E-CUT-ENTRIES", {"submission_gt.json": "[1]"}, "a\n"),
        ("E-CUT-FILE", sentences("a"), None),
        ("E-CUT-FILE", sentences("a"), b"\xff"),
        ("E-JSON-SYNTAX", {"submission_gt.json": "{"}, "a\n"),
    ],
)
def test_what_cannot_be_cut_is_refused_and_nothing_is_written(tmp_path, capsys, code, files, ids):
    (tmp_path / "in.zip").write_bytes(make_zip(files))
    if ids is not None:
        (tmp_path / "ids.txt").write_bytes(ids if isinstance(ids, bytes) else ids.encode())
    call = [f"--only={tmp_path / 'ids.txt'}", str(tmp_path / "in.zip"), str(tmp_path / "out.zip")]
    assert main(call) == 1
    assert code in capsys.readouterr().out
    assert not (tmp_path / "out.zip").exists()


def test_function_says_which_task_files_it_knows(tmp_path):
    (tmp_path / "in.zip").write_bytes(make_zip({"notes.txt": "x"}))
    assert "densepose" in str(refused(cut_submission, tmp_path / "in.zip", {"a"}, tmp_path / "o.zip").lines())


@pytest.mark.parametrize("output", ["in.zip", "link.zip", "ids.txt", "folder/out.zip"])
def test_what_is_read_is_not_overwritten(tmp_path, monkeypatch, capsys, output):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    source = "folder" if output.startswith("folder") else "in.zip"
    data = make_zip(sentences("a", "b"))
    for path in ("in.zip", "folder/out.zip"):
        (tmp_path / path).write_bytes(data)
    (tmp_path / "link.zip").symlink_to(tmp_path / "in.zip")
    (tmp_path / "ids.txt").write_text("a\n")
    assert main(["--only", "ids.txt", source, output]) == 1
    problem = "the output would replace what is read; give it another name or folder."
    assert capsys.readouterr().out == f"1. E-CUT-FILE {output}: {problem}\n"
    assert (tmp_path / "ids.txt").read_text() == "a\n"
    assert {(tmp_path / path).read_bytes() for path in ("in.zip", "folder/out.zip")} == {data}
