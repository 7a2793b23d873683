"""Prepared references of ChaLearn: one file in place of two for each sequence, and nothing else changes."""

from __future__ import annotations

import pytest

from organizer.data.prepare import prepare
from organizer.files import folder_files
from scoring_program.challenges.chalearn.reference import PREPARED_FILE, read_contents
from tests.helpers import REFERENCES, SAMPLES, loaded, places_of, refused

ID = "chalearn_action"


@pytest.fixture
def prepared(tmp_path):
    prepare(ID, REFERENCES / ID, tmp_path / "out")
    return tmp_path / "out"


def test_prepared_reference_is_one_file_with_the_texts_of_all(prepared):
    texts = {name: data for name, data in folder_files(REFERENCES / ID).items() if name.endswith(".csv")}
    assert read_contents(prepared) == texts
    assert not any(name.endswith(".csv") for name in folder_files(prepared))


def test_scores_and_all_else_are_those_of_the_csv_files(prepared):
    sample = SAMPLES / ID / "good"
    of_folder, of_file = loaded(ID, REFERENCES / ID), loaded(ID, prepared)
    assert of_file.score_path(sample).scores == of_folder.score_path(sample).scores
    assert of_file.items == of_folder.items


def test_signature_is_that_of_a_folder_with_the_csv_files(prepared, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, data in read_contents(prepared).items():
        (folder / name).write_bytes(data)
    assert loaded(ID, prepared).signature == loaded(ID, folder).signature


@pytest.mark.parametrize("text", ["", "[]", '{"a.csv": 1}', "\udcff"])
def test_damaged_file_is_refused(text, tmp_path):
    (tmp_path / PREPARED_FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert places_of(refused(loaded, ID, tmp_path)) == [("E-REF-PREPARED", PREPARED_FILE, "")]
