"""Demo data: what is committed, and that what is written is checked."""

from __future__ import annotations

import pytest

from organizer.files import folder_files
from quality.demo_data import write_demo_data
from quality.task import quality_tasks
from scoring_program.task import task_ids
from tests.helpers import ROOT
from validator.findings import Refused

ID = "chalearn_gesture"


def test_demo_data_that_breaks_the_rules_is_refused(tmp_path, monkeypatch):
    def write_reference(folder):
        (folder / "S1_labels.csv").write_text("1,1,10\n")
        (folder / "S1_data.csv").write_text("100,20,2000\n")

    def write_samples(reference, folder):
        (folder / "good").mkdir()
        (folder / "good" / "S1_prediction.csv").write_text("1,1,-10\n")

    kept = tmp_path / "starting_kit" / "samples" / ID / "good" / "kept.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("1,1,10\n")
    task = quality_tasks()[ID]
    monkeypatch.setattr(task, "write_reference", write_reference)
    monkeypatch.setattr(task, "write_samples", write_samples)
    with pytest.raises(Refused, match=r"S1_prediction\.csv: .* At line 1 column 3\."):
        write_demo_data(ID, tmp_path)
    monkeypatch.setattr(task, "write_reference", lambda folder: (folder / "S1_labels.csv").write_text("x\n"))
    with pytest.raises(Refused, match=r"S1_labels\.csv"):
        write_demo_data(ID, tmp_path)
    assert list(folder_files(tmp_path)) == [kept.relative_to(tmp_path).as_posix()]


@pytest.mark.slow
@pytest.mark.parametrize("name", task_ids())
def test_demo_data_is_what_the_generator_writes(tmp_path, name):
    write_demo_data(name, tmp_path)
    for folder in (f"reference_data/{name}", f"starting_kit/samples/{name}"):
        made, committed = folder_files(tmp_path / folder), folder_files(ROOT / folder)
        assert made.keys() == committed.keys()
        for file in made:
            # Versions of the HDF5 and PNG libraries may differ in bytes that say the same.
            if not (name == "densepose" and file.endswith((".mat", "results.json"))):
                assert made[file] == committed[file], file
