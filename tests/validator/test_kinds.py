"""What a file is by its first bytes, and that what messages say to do makes the file readable."""

from __future__ import annotations

import gzip
import io
import pickle

import numpy as np
import pytest

from tests.helpers import SAMPLES, make_zip, places_of, refused
from validator.findings import Refused
from validator.formats.anet_entities.read import read as read_given
from validator.formats.rules import load_rules
from validator.kinds import HEAD_BYTES, kind_of, refuse_other_kind

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
    (b"\x89PNG\r\n", "PNG"),
    (b"```json\n{}\n```", "fence"),
    ("{}".encode("utf-16"), "UTF-16"),
    ("[1]".encode("utf-16-be"), "UTF-16"),
    ("{}".encode("utf-32"), "UTF-32"),
]


@pytest.mark.parametrize(("content", "words"), KINDS)
def test_a_kind_is_told_by_the_first_bytes(content, words):
    assert words in kind_of(content[:HEAD_BYTES]).name
    for name in ("a.json", "a.CSV"):
        (problem,) = refused(refuse_other_kind, content[:HEAD_BYTES], name).problems
        assert (problem.code, problem.file) == ("E-FILE-KIND", name)
    # Of other names nothing is known.
    refuse_other_kind(content[:HEAD_BYTES], "a.pkl")


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
        read(gzip.compress(GOOD), f"{FILE}.gz")
    assert places_of(error.value.findings) == [("E-FILE-NONE", FILE, "")]
    assert "unpack" in error.value.findings.problems[0].remedy
