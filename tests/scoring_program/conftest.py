"""What tests of scoring programs share."""

from __future__ import annotations

import json
import shutil

import pytest

from organizer.data.prepare import prepare
from tests.helpers import REFERENCES, SAMPLES, run_folder


@pytest.fixture(scope="session")
def prepared_densepose(tmp_path_factory):
    """Return the folder of the prepared demo reference of DensePose, which takes a second, and the notes."""
    folder = tmp_path_factory.mktemp("densepose") / "reference"
    _, notes = prepare("densepose", REFERENCES / "densepose", folder)
    return folder, notes


@pytest.fixture
def scored(tmp_path, capsys):
    """Return a function that changes the good sample of a task, scores it and returns code, problems and notes."""

    def score(task, change, reference=None, **settings):
        submission, output = tmp_path / "submission", tmp_path / "output"
        shutil.copytree(SAMPLES / task / "good", submission)
        change(submission)
        outcome = run_folder(task, reference or REFERENCES / task, submission, output, **settings)
        capsys.readouterr()
        detail = json.loads((output / "detailed_results.json").read_text(encoding="utf-8"))
        return outcome.exit_code, detail["problems"], detail["notes"]

    return score
