"""Prepared references of ChaLearn: one file in place of two for each sequence, and nothing else changes."""

from __future__ import annotations

import pytest

from organizer.data.prepare import prepare
from organizer.files import folder_files, write_files
from scoring_program.challenges.chalearn.reference import PREPARED_FILE, read_contents
from tests.helpers import REFERENCES, SAMPLES, loaded, places_of, refused

ID = "chalearn_action"


def test_a_prepared_reference_is_one_file_and_scores_and_signs_as_the_csv_files(tmp_path):
    prepared, folder, sample = tmp_path / "prepared", tmp_path / "folder", SAMPLES / ID / "good"
    prepare(ID, REFERENCES / ID, prepared)
    texts = {name: data for name, data in folder_files(REFERENCES / ID).items() if name.endswith(".csv")}
    assert read_contents(prepared) == texts
    assert not any(name.endswith(".csv") for name in folder_files(prepared))
    write_files(texts, folder)
    of_file, of_folder = loaded(ID, prepared), loaded(ID, folder)
    assert of_file.score_path(sample).scores == of_folder.score_path(sample).scores
    assert of_file.items == of_folder.items
    assert of_file.signature == of_folder.signature


@pytest.mark.parametrize("text", ["", "[]", '{"a.csv": 1}', "\udcff"])
def test_damaged_file_is_refused(text, tmp_path):
    (tmp_path / PREPARED_FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert places_of(refused(loaded, ID, tmp_path)) == [("E-REF-PREPARED", PREPARED_FILE, "")]
