"""What a file is by its first bytes, and that what messages say to do makes the file readable."""

from __future__ import annotations

import gzip
import io
import pickle
import shutil

import numpy as np
import pytest

from organizer.data.vocabulary import copy_vocabulary
from people_in_video.anet_entities.public_data import SKELETON_FILE
from people_in_video.public_data import load_public_data
from people_in_video.references.preparation import write_prepared
from people_in_video.tools.conversion import DEFAULT_OPTIONS, convert_file
from scoring_program.scoring import load_reference
from scoring_program.task import load_task
from scoring_program.vocabulary_file import read_vocabulary
from tests.helpers import ROOT, SAMPLES, every_fourth, make_zip, places_of, refused
from validator.checking import load_format
from validator.findings import Refused
from validator.formats.anet_entities.read import read as read_given
from validator.formats.rules import load_rules
from validator.kinds import HEAD_BYTES, kind_of

GIVEN = "anet_entities_gt"
FILE = "submission_gt.json"


def saved(save, value):
    """Return the bytes that a function of numpy writes."""
    stream = io.BytesIO()
    save(stream, value)
    return stream.getvalue()


KINDS = [
    (b"version https://git-lfs.github.com/spec/v1\n", "git-lfs"),
    (b"<!DOCTYPE html>\n<html>", "web page"),
    (b"\n  <HTML><head>", "web page"),
    (gzip.compress(b"{}", mtime=0), "gzip"),
    (b"\xfd7zXZ\0\0", "xz"),
    (b"BZh91AY", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (make_zip({"a.json": "{}"}), "a zip file"),
    (make_zip({"[Content_Types].xml": ""}), "Excel"),
    (make_zip({"archive/data.pkl": ""}), "PyTorch"),
    (bytes(257) + b"ustar" + bytes(300), "tar"),
    (saved(np.save, np.zeros(3)), ".npy"),
    (saved(np.savez, np.zeros(3)), ".npz"),
    (pickle.dumps([1]), "pickle"),
    (b"\xd0\xcf\x11\xe0", ".xls"),
    (b"\x89HDF\r\n", "HDF5"),
    (b"MATLAB 5.0 MAT-file", "MATLAB"),
    (b"%PDF-1.7", "PDF"),
    (b"L\0\0\0\x01\x14\x02\0\0\0", "shortcut"),
    (b"bplist00\xd4", "iCloud"),
    (b"PAR1\x15\x04", "Parquet"),
    (b"ARROW1\0\0", "Feather"),
    (b"\x28\xb5\x2f\xfd\x04", "Zstandard"),
    (b"{\\rtf1\\ansi\n", "RTF"),
    (b'<?xml version="1.0"?>\n<annotations/>', "XML"),
    (b"\x89PNG\r\n", "PNG"),
    (b"```json\n{}\n```", "fence"),
    ("{}".encode("utf-16"), "UTF-16"),
    ("[1]".encode("utf-16-be"), "UTF-16"),
    ("{}".encode("utf-32"), "UTF-32"),
]


@pytest.mark.parametrize(("content", "words"), KINDS)
def test_a_kind_is_told_by_the_first_bytes(content, words):
    assert words in kind_of(content[:HEAD_BYTES]).name


def load(task_id, name):
    """Return how a file of the sample's reference, replaced by another, is loaded as it is, unprepared."""

    def load_with(content, folder):
        shutil.copytree(ROOT / "reference_data" / task_id, folder, dirs_exist_ok=True)
        (folder / name).write_bytes(content)
        task = load_task(task_id)
        load_reference(task, folder, task.settings(folder))

    return load_with


def prepare_annotations(content, folder):
    task = load_task("densepose")
    shutil.copytree(ROOT / "reference_data" / "densepose", folder / "source")
    (folder / "source" / "annotations.json").write_bytes(content)
    write_prepared(task, folder / "source", folder, task.settings(folder / "source"), {})


def submit(task_id, name):
    """Return how a submission with another file in place of one of the sample's is read."""

    def read_with(content, folder):
        shutil.copytree(SAMPLES / task_id / "good", folder, dirs_exist_ok=True)
        (folder / name).write_bytes(content)
        form, rules = load_format(task_id)
        form.read(folder, rules)

    return read_with


def convert(task_id, name):
    """Return how a file of another tool is converted."""

    def convert_content(content, folder):
        (folder / name).write_bytes(content)
        convert_file(task_id, folder / name, folder / "out.zip", DEFAULT_OPTIONS)

    return convert_content


def read_given_public_data(content, folder):
    (folder / SKELETON_FILE).write_bytes(content)
    load_public_data(GIVEN, folder)


def read_vocabulary_of_reference(content, folder):
    (folder / "vocabulary.json").write_bytes(content)
    read_vocabulary(folder)


def copy_given_vocabulary(content, folder):
    (folder / "names.json").write_bytes(content)
    copy_vocabulary(folder / "names.json", folder)


BORDERS = {
    "submitted object": submit(GIVEN, FILE),
    "submitted parts": submit("kinetics_tps", "pred_part_result.json"),
    "submitted classes": submit("kinetics_tps", "pred_vid_result.json"),
    "submitted list": submit("densepose", "densepose_demo_results.json"),
    "submitted table": submit("chalearn_gesture", "DemoSequence0001_prediction.csv"),
    "annotations": prepare_annotations,
    "reference": load(GIVEN, "reference.json"),
    "reference parts": load("kinetics_tps", "gt_part_result.json"),
    "reference table": load("chalearn_gesture", "DemoSequence0001_labels.csv"),
    "lemmas": load("anet_entities_gen", "lemmas.json"),
    "vocabulary of a reference": read_vocabulary_of_reference,
    "given vocabulary": copy_given_vocabulary,
    "public data": read_given_public_data,
    "file of GVD": convert(GIVEN, "gvd.json"),
    "detections": convert("densepose", "detections.json"),
    "table of segments": convert("chalearn_gesture", "table.csv"),
}


@pytest.mark.parametrize(("first", "border"), [*enumerate(BORDERS)], ids=BORDERS)
def test_files_of_another_kind_are_named_wherever_files_are_read(tmp_path, first, border):
    # Each border meets every fourth kind, others than the one before it; all at night.
    kinds = every_fourth([*KINDS[first:], *KINDS[:first]])
    for number, (content, words) in enumerate(kinds):
        if border == "file of GVD" and content.startswith(b"```"):
            # The converter takes the fence off.
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        problems = refused(BORDERS[border], content, folder).problems
        assert {problem.code for problem in problems} == {"E-FILE-KIND"}, problems
        assert words in problems[0].problem


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"x", mtime=0), "gzip file; unpack it"),
        (saved(np.savez, np.zeros(3)), "archive of numpy (.npz)"),
    ],
)
def test_what_is_given_in_place_of_a_file_of_torch_is_named(tmp_path, content, words):
    (problem,) = refused(convert("densepose", "detections.pkl"), content, tmp_path).problems
    assert words in f"{problem.problem}; {problem.remedy}"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"1,2,3\n", b"\xef\xbb\xbf{}", b"version,1\n", b"a\0b", b"\0\0", b"<a>", b"\x80abc"],
)
def test_text_and_what_is_not_known_is_of_no_kind(content):
    assert kind_of(content) is None


def read(content, name=FILE):
    return read_given({name: content}, load_rules(GIVEN))


GOOD = (SAMPLES / GIVEN / "good" / FILE).read_bytes().rstrip()


@pytest.mark.parametrize(
    ("wrong", "words", "cure"),
    [
        (gzip.compress(GOOD, mtime=0), "unpack", gzip.decompress),
        (b"```json\n" + GOOD + b"\n```", "delete the lines with ```", lambda data: data[8:-4]),
        (GOOD.decode().encode("utf-16"), "save it as UTF-8", lambda data: data.decode("utf-16").encode()),
    ],
)
def test_what_is_said_to_do_makes_a_submission_readable(wrong, words, cure):
    (problem,) = refused(read, wrong).problems
    assert (problem.code, problem.file) == ("E-FILE-KIND", FILE)
    assert words in problem.remedy
    assert read(cure(wrong)).content.segments == read(GOOD).content.segments


def test_a_packed_file_of_nearly_the_right_name_is_to_be_unpacked():
    with pytest.raises(Refused) as error:
        read(gzip.compress(GOOD, mtime=0), f"{FILE}.gz")
    assert places_of(error.value.findings) == [("E-FILE-NONE", FILE, "")]
    assert "unpack" in error.value.findings.problems[0].remedy
