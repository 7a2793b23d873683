"""The scoring program at its border: folders in, exit code, scores and page out."""

from __future__ import annotations

import itertools
import json
import re
from unittest import mock

import pytest

from scoring_program.run import SCORED, main
from scoring_program.signature import VERSION
from tests.helpers import make_zip, values_of

REFERENCE = {
    "S1_labels.csv": "1,1,10\n2,21,30\n",
    "S1_data.csv": "100,20,2000\n",
    "S2_labels.csv": "3,5,8\n",
    "S2_data.csv": "50,20,2000\n",
}
PERFECT = {"S1_prediction.csv": "1,1,10\n2,21,30\n", "S2_prediction.csv": "3,5,8\n"}
ID = "chalearn_gesture"


def rows(text):
    """Return the file of one sequence."""
    return {"S1_prediction.csv": text}


def test_scored_submission_leaves_all_outputs(run):
    outcome = run(ID, REFERENCE, PERFECT)
    assert outcome.code == SCORED
    assert sorted(path.name for path in outcome.folder.iterdir()) == [
        "detailed_results.html",
        "detailed_results.json",
        "scores.json",
        "scores.txt",
    ]
    assert outcome.scores["score"] == outcome.scores["coverage"] == 1.0
    text = (outcome.folder / "scores.txt").read_text(encoding="utf-8")
    assert {
        key: float(value) for key, value in (line.split(": ") for line in text.splitlines())
    } == outcome.scores
    assert outcome.out.startswith(
        f"chalearn_gesture|protocol:published|item_groups:none|version:{VERSION}|ref:"
    )


def test_signature_follows_settings_and_reference(run):
    def signature(reference):
        return run(ID, reference, PERFECT).out.splitlines()[0]

    first = signature(REFERENCE)
    assert signature({**REFERENCE, "settings.yaml": "detail: none\n"}) == first
    assert "protocol:released" in signature({**REFERENCE, "settings.yaml": "protocol: released\n"})
    other = signature({**REFERENCE, "settings.yaml": "", "S2_labels.csv": "3,5,9\n"})
    assert other.split("ref:")[0] == first.split("ref:")[0]
    assert other != first


@pytest.mark.parametrize(
    ("layout", "note"),
    [
        (lambda files: files, None),
        (lambda files: {f"mine/{name}": content for name, content in files.items()}, "N-FOLDER"),
        (lambda files: {"mine.zip": make_zip(files)}, "N-FOUND-ZIP"),
        (lambda files: {**files, "metadata": "the platform's"}, None),
    ],
)
def test_submission_is_found_where_platforms_leave_it(run, layout, note):
    outcome = run(ID, REFERENCE, layout(PERFECT))
    assert outcome.code == SCORED
    assert outcome.scores["score"] == 1.0
    assert re.findall(r"N-FO\w+-?\w*", outcome.out) == ([note] if note else [])


@pytest.fixture
def ticking(monkeypatch):
    """A clock that goes on by a second whenever it is looked at."""
    clock = mock.Mock(perf_counter=mock.Mock(side_effect=itertools.count(0.0)))
    monkeypatch.setattr("scoring_program.run.time", clock)


def stages_of(outcome):
    return json.loads((outcome.folder / "detailed_results.json").read_bytes())["stages"]


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize("detail", ["none", "summary"])
@pytest.mark.parametrize("submission", [PERFECT, {}])
def test_times_are_whole_seconds_in_total(run, detail, submission):
    outcome = run(ID, REFERENCE, submission, detail=detail)
    seconds = stages_of(outcome)["total"]
    assert (list(stages_of(outcome)), seconds) == (["total"], int(seconds))
    assert "reference 1" not in outcome.out + outcome.err + outcome.page


@pytest.mark.usefixtures("ticking")
def test_at_full_detail_stages_are_timed(run):
    outcome = run(ID, REFERENCE, PERFECT, detail="full")
    times = "time: start 1.00 s, reference 1.00 s, submission 1.00 s, "
    assert outcome.out.splitlines()[-1].startswith(times)
    assert set(stages_of(outcome).values()) <= {1, 2, 3}


def test_file_names_cannot_become_markup(run):
    name = "<img src=x onerror=alert(1)>_prediction.csv"
    page = run(ID, REFERENCE, {**PERFECT, name: ""}).page
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_a_first_page_is_there_while_scoring_runs(run, monkeypatch, tmp_path):
    seen = []

    def look(*_):
        seen.append((tmp_path / "out" / "detailed_results.html").read_text(encoding="utf-8"))
        raise RuntimeError

    monkeypatch.setattr("scoring_program.metrics.frame_jaccard.count_frames", look)
    run(ID, REFERENCE, PERFECT)
    assert "Scoring has begun" in seen[0]


def test_same_input_gives_same_bytes(run):
    first = run(ID, REFERENCE, PERFECT)
    before = contents(first.folder)
    second = run(ID, REFERENCE, PERFECT)
    assert contents(second.folder) == before


def contents(folder):
    """Return what the files of a run hold, the seconds of its stages aside."""
    return {path.name: path.read_text(encoding="utf-8").split(' "stages"')[0] for path in folder.iterdir()}


def test_command_line(tmp_path, capsys):
    for name, files in (("ref", REFERENCE), ("res", PERFECT)):
        (tmp_path / "in" / name).mkdir(parents=True)
        for file, content in files.items():
            (tmp_path / "in" / name / file).write_text(content)
    arguments = ["--task", ID, str(tmp_path / "in"), str(tmp_path / "out")]
    assert main(arguments) == SCORED
    assert json.loads((tmp_path / "out" / "scores.json").read_text())["score"] == 1.0
    with pytest.raises(SystemExit):
        main(arguments[2:])
    err = capsys.readouterr().err
    assert "--task" in err
    assert ID in err


def test_files_of_unknown_sequences_are_not_read(run):
    outcome = run(ID, REFERENCE, {**PERFECT, "S9_prediction.csv": "1;2;3\n"})
    assert outcome.scores["score"] == 1.0
    (note,) = [note["text"] for note in outcome.detail["notes"] if note["code"] == "N-ITEMS-UNKNOWN"]
    assert values_of(note)[:2] == ["1", "'S9'"]
    assert "(S9_prediction.csv)" in note
    twice = {**PERFECT, "S9_prediction.csv": "1,2,3\n", "S9_predictions.csv": "1,2,3\n"}
    assert "E-FILE-TWICE" in run(ID, REFERENCE, twice).err
