"""Prepared references: what is saved comes back, and anything else is a located problem."""

from __future__ import annotations

import json

import numpy as np
import pytest

from people_in_video.references.preparation import save_prepared
from scoring_program.prepared import load_prepared
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
