"""Prepared references: what is saved comes back, and anything else is a located problem."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring_program.prepared import load_prepared, save_prepared
from validator.findings import Refused


def load(path):
    return load_prepared(path, lambda texts, arrays: (texts["names"], arrays["box"].tolist()))


def test_texts_and_arrays_come_back(tmp_path):
    save_prepared(tmp_path / "x.npz", {"names": ["é", "b"]}, {"box": np.array([1.5, 2.0])})
    assert load(tmp_path / "x.npz") == (["é", "b"], [1.5, 2.0])


def assert_refused(path, problem):
    with pytest.raises(Refused) as refused:
        load(path)
    (found,) = refused.value.findings.problems
    assert (found.code, found.file, found.problem) == ("E-REF-PREPARED", "x.npz", problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ({"form": 1, "names": []}, "it was prepared in form 1, and this program reads 2"),
        ({"names": []}, "the prepared reference cannot be read"),
        ({"form": 2}, "the prepared reference cannot be read"),
        ([], "the prepared reference cannot be read"),
    ],
)
def test_another_form_is_refused(tmp_path, text, problem):
    np.savez(tmp_path / "x.npz", text=np.frombuffer(json.dumps(text).encode(), np.uint8), box=np.zeros(1))
    assert_refused(tmp_path / "x.npz", problem)


def test_an_archive_without_texts_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", box=np.zeros(1))
    assert_refused(tmp_path / "x.npz", "the prepared reference cannot be read")
