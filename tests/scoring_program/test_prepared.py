"""Prepared references: what is saved comes back, and anything else is a located problem."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from people_in_video.references.preparation import save_prepared
from scoring_program.prepared import FORM, load_prepared
from tests.helpers import places_of, refused, values_of


def load(path):
    return load_prepared(path, lambda texts, arrays: (texts["names"], arrays["box"].tolist()))


def test_texts_and_arrays_come_back(tmp_path):
    save_prepared(tmp_path / "x.npz", {"names": ["é", "b"]}, {"box": np.array([1.5, 2.0])})
    assert load(tmp_path / "x.npz") == (["é", "b"], [1.5, 2.0])


def assert_refused(path, *values):
    findings = refused(load, path)
    assert places_of(findings) == [("E-REF-PREPARED", "x.npz", "")]
    assert values_of(findings.problems[0].problem) == [*values]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ({"form": 1, "names": []}, ["1", "2"]),
        ({"names": []}, []),
        ({"form": 2}, []),
        ([], []),
    ],
)
def test_another_form_is_refused(tmp_path, text, forms):
    np.savez(tmp_path / "x.npz", text=np.frombuffer(json.dumps(text).encode(), np.uint8), box=np.zeros(1))
    assert_refused(tmp_path / "x.npz", *forms)


def test_texts_that_are_nested_too_deeply_are_refused(tmp_path):
    np.savez(tmp_path / "x.npz", text=np.frombuffer(b"[" * 100_000, np.uint8))
    assert_refused(tmp_path / "x.npz")


def test_an_archive_without_texts_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", box=np.zeros(1))
    assert_refused(tmp_path / "x.npz")


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        for name, data in members.items():
            opened.writestr(f"{name}.npy", data)
    return stream.getvalue()


def declared(shape, data=b"", dtype="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue() + data


FORM_TEXT = json.dumps({"form": FORM}).encode()
TEXT = declared((len(FORM_TEXT),), FORM_TEXT, "|u1")


def test_arrays_are_read_as_they_were_written(tmp_path):
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.array(7), "c": np.zeros((0, 4), np.int32)}
    save_prepared(tmp_path / "x.npz", {}, arrays)
    read = load_prepared(tmp_path / "x.npz", lambda texts, read_arrays: read_arrays)
    assert all(np.array_equal(read[name], array) for name, array in arrays.items())
    (tmp_path / "x.npz").write_bytes(archive(text=TEXT, a=declared((1,), bytes(8))))
    assert load_prepared(tmp_path / "x.npz", lambda texts, read_arrays: read_arrays["a"].tolist()) == [0]


@pytest.mark.parametrize(
    "data",
    [
        archive(text=TEXT, a=declared((10**11,))),
        archive(text=TEXT, a=declared((2,), bytes(8))),
        archive(text=TEXT, a=declared((-1,))),
        archive(text=TEXT, a=declared((1,), bytes(8), "|O")),
        archive(text=TEXT, a=b"text"),
        archive(text=TEXT, a=declared((1,), bytes(8))).replace(b"PK\x05\x06", b"PK\x05\x07"),
        b"",
    ],
)
def test_arrays_that_are_not_what_they_declare_are_refused_before_they_are_made(tmp_path, data):
    (tmp_path / "x.npz").write_bytes(data)
    findings = refused(load_prepared, tmp_path / "x.npz", lambda texts, arrays: arrays)
    assert places_of(findings) == [("E-REF-PREPARED", "x.npz", "")]
