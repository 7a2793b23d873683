"""A run that is stopped: in each stage it is said whose side it is, and no scores are left."""

from __future__ import annotations

import html

import pytest

from scoring_program import run as pipeline
from scoring_program.report import outputs, page
from scoring_program.run import BROKEN, INVALID
from scoring_program.task import Declaration
from tests.helpers import replace_function
from validator import findings
from validator.limits import TerminatedError, TimeLimitError

ID = "chalearn_gesture"
REFERENCE = {"S1_labels.csv": "1,1,10\n", "S1_data.csv": "100,20,2000\n"}
PERFECT = {"S1_prediction.csv": "1,1,10\n"}

# What is called in each stage: a function of a module, or of the task.
STAGES = [
    ("start", outputs, "begin"),
    ("reference", pipeline, "load_task"),
    ("reference", Declaration, "settings"),
    ("reference", None, "load"),
    ("reference", None, "public"),
    ("submission", None, "read"),
    ("score", None, "measure"),
    ("score", None, "scores"),
    ("interval", None, "reduce"),
    ("error_costs", None, "error_costs"),
    ("sections", None, "sections"),
    ("notes", None, "notes"),
    ("report", page, "result_page"),
    ("report", outputs, "write_scored"),
]
ORGANIZERS = ("start", "reference")
LIMITS = {
    TimeLimitError: ("time", "E-LIMIT-TIME"),
    MemoryError: ("memory", "E-LIMIT-MEMORY"),
}


@pytest.fixture(params=STAGES, ids=[f"{stage}-{function}" for stage, _, function in STAGES])
def stopped(request, run, monkeypatch):
    """Return a function that scores a submission, then again with an exception in a stage; and the stage."""
    stage, place, function = request.param

    def stop(error):
        assert run(ID, REFERENCE, PERFECT).scores is not None

        def fail(*arguments, **options):
            raise error("secret")

        if place is None:
            replace_function(monkeypatch, ID, function, fail)
        else:
            monkeypatch.setattr(place, function, fail)
        return run(ID, REFERENCE, PERFECT), stage

    return stop


def assert_not_scored(outputs, exit_code, name, code, stage):
    """Assert that page, JSON and log name the code and the stage, and that no scores are left."""
    assert sorted(path.name for path in outputs.folder.iterdir()) == [
        "detailed_results.html",
        "detailed_results.json",
    ]
    assert outputs.code == outputs.detail["exit_code"] == exit_code
    assert outputs.detail["outcome"] == name
    (problem,) = outputs.detail["problems"]
    assert problem["code"] == code
    assert f"stage {stage}" in problem["problem"]
    assert outputs.detail["scores"] == outputs.detail["tables"] == {}
    assert all(text in html.unescape(outputs.page) for text in (code, problem["problem"], problem["hint"]))
    assert "Not scored" in outputs.page
    assert f"\n1. {code}: {problem['problem']}" in outputs.err
    assert outputs.out == ""
    for text in (outputs.page, outputs.err):
        assert "Traceback" not in text
        assert "secret" not in text


@pytest.mark.parametrize("error", LIMITS)
def test_a_limit_is_the_organizers_side_until_the_reference_is_read(stopped, error):
    outputs, stage = stopped(error)
    name, code = LIMITS[error]
    exit_code, name = (BROKEN, "broken") if stage in ORGANIZERS else (INVALID, name)
    assert_not_scored(outputs, exit_code, name, code, stage)
    times, head, _ = outputs.err.splitlines()
    assert times.startswith("time: total ")
    assert head.startswith("The organizer's side" if stage in ORGANIZERS else f"The submission to {ID} ")


def test_termination_is_never_the_submissions_fault(stopped):
    outputs, stage = stopped(TerminatedError)
    assert_not_scored(outputs, BROKEN, "broken", "E-STOPPED", stage)
    # What the task is called is known when its reference was loaded.
    title = "Scoring" if stage in ORGANIZERS else "ChaLearn LAP 2014, track 3 (gestures)"
    assert f"<title>{title}</title>" in outputs.page


def test_exception_in_a_stage_costs_the_score_only_where_the_score_is_made(stopped):
    """Notes, tables and error costs change no score: a fault in them leaves it, and one line."""
    outputs, stage = stopped(ValueError)
    words = {"notes": "notes", "error_costs": "error costs", "sections": "tables"}
    if stage not in words:
        assert outputs.scores is None
        assert outputs.code == BROKEN
        return
    assert (outputs.code, outputs.scores["score"]) == (0, 1)
    (note,) = outputs.detail["notes"]
    assert note["code"] == "N-INTERNAL"
    assert f"no {words[stage]}, because of a fault of the program" in note["text"]
    # Where it failed may depend on hidden labels.
    assert "ValueError" not in note["text"]
    assert "secret" not in outputs.page + outputs.out + outputs.err
    assert f"note N-INTERNAL: {note['text']}" in outputs.out


@pytest.mark.parametrize("error", LIMITS)
def test_run_that_is_stopped_while_it_reads_reports_what_was_found(run, monkeypatch, error):
    named = []
    original = findings.quote_path

    def fail(name):
        named.append(name)
        if len(named) == 2:
            raise error
        return original(name)

    monkeypatch.setattr(findings, "quote_path", fail)
    reference = {**REFERENCE, "S2_labels.csv": "1,1,10\n", "S2_data.csv": "100,20,2000\n"}
    outputs = run(ID, reference, {"S1_prediction.csv": "1,1,x\n", "S2_prediction.csv": "1,1,y\n"})
    codes = [problem["code"] for problem in outputs.detail["problems"]]
    name, code = LIMITS[error]
    assert codes == [code, "E-CSV-INTEGER"]
    assert outputs.detail["outcome"] == name
