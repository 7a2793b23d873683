"""Evaluators of one's own: a published challenge's, and those that raise, print, or change their minds."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from organizer.files import folder_files, rewrite_files, write_files
from organizer.new_task import NewTask, task_files
from scoring_program.metrics import evaluator
from scoring_program.run import BROKEN, SCORED, run
from tests.helpers import ROOT, refused
from tests.item_cases import declared, declared_in, without_scores

PORT = ROOT / "tests" / "wrapped" / "eval_detection.py"
ANSWERS = {"a": "robin", "b": "owl", "c": "robin", "d": "owl"}
SHARE = "sum(truth[key] == predicted.get(key) for key in truth) / len(truth)"


def wrapped(folder, monkeypatch, path, truth, predicted, score, **options):
    """Declare a task in a folder as organizer new-task does, and return it."""
    for name, values in (("truth", truth), ("prediction", predicted)):
        (folder / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    wanted = NewTask(
        "birds", evaluator=path, truth=folder / "truth.json", prediction=folder / "prediction.json", score=score,
        **options,
    )  # fmt: skip
    rewrite_files(task_files(wanted), folder / "task")
    monkeypatch.setattr(evaluator, "FOLDER", folder / "task" / "scoring_program" / "evaluators")
    return declared_in(folder / "task", "birds")


def of_code(folder, monkeypatch, body, answers=ANSWERS):
    """Return a task whose evaluator has some lines in its function once it is declared, which return the share."""
    path = folder / "my_eval.py"
    path.write_text(f"def evaluate(truth, predicted):\n    return {{'share': {SHARE}}}\n", encoding="utf-8")
    example = wrapped(folder, monkeypatch, path, ANSWERS, ANSWERS, "share")
    (evaluator.FOLDER / "birds" / "my_eval.py").write_text(
        f"import os, sys\nCALLS = []\n\n\ndef evaluate(truth, predicted):\n{body}\n    return {{'share': {SHARE}}}\n",
        encoding="utf-8",
    )
    write_files({"truth.json": json.dumps(ANSWERS).encode()}, folder / "ref")
    write_files({"birds.json": json.dumps(answers).encode()}, folder / "res")
    return example


def test_a_published_evaluator_gives_the_numbers_of_the_metric_on_the_same_data(tmp_path, monkeypatch):
    native = declared(tmp_path / "native", NewTask("native", metric="detection_ap"))
    native.made_up.write_reference(tmp_path / "ref")
    truth = json.loads((tmp_path / "ref" / "truth.json").read_text())
    rng = np.random.default_rng(1)
    predicted = native.made_up.correct_prediction(tmp_path / "ref", rng, 0.4)
    del predicted["demo_00007"]
    write_files(native.made_up.files(predicted), tmp_path / "res_native")
    expected = native.load(tmp_path / "ref").score_path(tmp_path / "res_native")
    example = wrapped(tmp_path, monkeypatch, PORT, truth, predicted, "Average-mAP", needs=["scipy"])
    assert example.task.needs == ["scipy"]
    unknown = {**predicted, "unknown": predicted["demo_00001"]}
    write_files({"birds.json": json.dumps(unknown).encode()}, tmp_path / "res")
    result = example.load(tmp_path / "ref", detail="summary").score_path(tmp_path / "res")
    assert without_scores(native.form, predicted).keys() < truth.keys()
    assert result.scores["score"] == pytest.approx(expected.scores["score"], abs=1e-12)
    assert result.scores["coverage"] == expected.scores["coverage"]
    for percent in range(50, 100, 5):
        mine, theirs = f"map_0_{percent}", f"map_{percent}"
        assert result.scores[mine] == pytest.approx(expected.scores[theirs], abs=1e-9)
    assert [note.code for note in result.notes] == ["N-ITEMS-UNKNOWN"]
    assert result.interval.half_samples == 20
    assert result.interval.low < result.scores["score"] < result.interval.high
    halves = native.load(tmp_path / "ref").half_scores(expected.statistics, 20)
    assert result.halves.first == pytest.approx(halves.first, abs=1e-9)


FAILURES = {
    "raise ValueError(truth['a'])": "ValueError in my_eval.py line 6 in evaluate",
    "sys.exit(truth['a'])": "SystemExit in my_eval.py line 6 in evaluate",
    "return {'share': float('nan')}": "share",
    "return {}": "share",
    "return 1": "numbers by name",
    "CALLS.append(1); return {'share': len(CALLS)}": "deterministic",
}


@pytest.mark.parametrize("line", FAILURES)
@pytest.mark.parametrize("detail", ["none", "summary", "full"])
def test_what_fails_in_an_evaluator_is_told_without_its_message(tmp_path, monkeypatch, capfd, line, detail):
    example = of_code(tmp_path, monkeypatch, f"    {line}")
    load = partial(example.load, tmp_path / "ref", detail=detail)
    assert run(load, tmp_path / "res", tmp_path / "out").exit_code == BROKEN
    written = b"".join(folder_files(tmp_path / "out").values()).decode() + "".join(capfd.readouterr())
    assert "E-EVALUATOR" in written
    assert FAILURES[line] in written
    has_message = "truth['a']" in line and detail == "full"
    assert ("robin" in written) == has_message


PRINTS = """\
    print(truth)
    print(truth, file=sys.stderr)
    print(truth, file=sys.__stdout__)
    os.write(1, str(truth).encode())
    os.write(2, str(truth).encode())
    os.system("echo robin; echo robin >&2")"""


@pytest.mark.parametrize("detail", ["none", "summary", "full"])
def test_what_an_evaluator_prints_is_discarded_where_labels_are_hidden(tmp_path, monkeypatch, capfd, detail):
    example = of_code(tmp_path, monkeypatch, PRINTS)
    load = partial(example.load, tmp_path / "ref", detail=detail, interval=False)
    assert run(load, tmp_path / "res", tmp_path / "out").exit_code == SCORED
    captured = capfd.readouterr()
    assert ("robin" in captured.out, "robin" in captured.err) == ((detail == "full",) * 2)


def test_each_call_gets_fresh_copies_and_what_is_submitted_alone(tmp_path, monkeypatch):
    body = "    assert 'x' not in predicted\n    truth.pop('b'); predicted.clear(); predicted.update(truth)"
    answers = {"x": "owl", "a": "owl", "c": "owl"}
    example = of_code(tmp_path, monkeypatch, body, answers)
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    assert (result.scores["score"], result.scores["coverage"]) == (1, 0.5)


def test_a_submission_without_items_is_never_evaluated(tmp_path, monkeypatch):
    example = of_code(tmp_path, monkeypatch, "    1 / len(predicted)", {})
    (problem,) = refused(example.load(tmp_path / "ref").read, tmp_path / "res").problems
    assert problem.code == "E-ITEMS-NONE"


def test_a_half_that_raises_leaves_no_interval(tmp_path, monkeypatch):
    example = of_code(
        tmp_path, monkeypatch, "    assert len(truth) == 4 or 'a' not in truth", {"a": "owl", "b": "owl"}
    )
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    assert (result.scores["score"], result.interval) == (0.25, None)


def test_the_signature_changes_with_the_evaluator(tmp_path, monkeypatch):
    example = of_code(tmp_path, monkeypatch, "    pass")
    before = example.load(tmp_path / "ref").signature
    path = evaluator.FOLDER / "birds" / "my_eval.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    assert example.load(tmp_path / "ref").signature != before


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"score": "accuracy"}, "share"),
        ({"score": None}, "--score"),
        ({"prediction": None}, "--prediction"),
        ({"sorting": "up"}, "--sorting"),
    ],
)
def test_an_evaluator_needs_what_cannot_be_seen(tmp_path, monkeypatch, options, named):
    of_code(tmp_path, monkeypatch, "    pass")
    given = {
        "evaluator": tmp_path / "my_eval.py",
        "truth": tmp_path / "truth.json",
        "prediction": tmp_path / "prediction.json",
        "score": "share",
    }
    (problem,) = refused(task_files, NewTask("birds", **{**given, **options})).problems
    assert problem.code == "E-NEW"
    assert named in f"{problem.problem}; {problem.remedy}"
