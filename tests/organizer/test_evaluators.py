"""Evaluators of one's own: a published challenge's, and those that raise, print, or change their minds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import partial
from types import ModuleType

import numpy as np
import pytest

from organizer.baselines import baselines_command
from organizer.bundle.modules import needed_modules
from organizer.data.prepare import prepare
from organizer.files import folder_files, write_files, zip_bytes
from organizer.new_task import NewTask, task_files
from organizer.public_data import PublicSource, make_public_data
from organizer.runs import scoring_process
from organizer.runs.rescore import Options, score_all
from organizer.runs.submissions import Submission
from organizer.runs.worker import BuiltTask
from organizer.tasks.items import writing_code
from people_in_video import convert, score
from scoring_program.metrics import evaluator
from scoring_program.run import BROKEN, SCORED, run
from scoring_program.task import read_declaration
from tests.helpers import ROOT, places_of, refused
from tests.item_cases import declared, declared_in, declared_with_evaluator, known_tasks, without_scores
from validator import limits
from validator.submission import Limits

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
    return declared_with_evaluator(folder / "task", wanted, monkeypatch)


def of_code(folder, monkeypatch, body, answers=ANSWERS, **options):
    """Return a task whose evaluator has some lines in its function once it is declared, which return the share."""
    path = folder / "my_eval.py"
    path.write_text(f"def evaluate(truth, predicted):\n    return {{'share': {SHARE}}}\n", encoding="utf-8")
    example = wrapped(folder, monkeypatch, path, ANSWERS, ANSWERS, "share", **options)
    (evaluator.FOLDER / "birds" / "my_eval.py").write_text(
        f"import os, sys\nCALLS = []\n\n\ndef evaluate(truth, predicted):\n{body}\n    return {{'share': {SHARE}}}\n",
        encoding="utf-8",
    )
    write_files({"truth.json": json.dumps(ANSWERS).encode()}, folder / "ref")
    write_files({"birds.json": json.dumps(answers).encode()}, folder / "res")
    return example


def scored(folder, *arguments, **options):
    """Return the result of the answers with an evaluator as `of_code` declares it."""
    return of_code(folder, *arguments, **options).load(folder / "ref").score_path(folder / "res")


@pytest.mark.slow
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
    weights = rng.integers(0, 4, (10, len(truth))).astype(float)
    reduced = example.task.reduce(result.statistics, weights)
    assert reduced == pytest.approx(native.task.reduce(expected.statistics, weights), abs=1e-9)


def test_packages_that_an_evaluator_imports_are_declared(tmp_path, monkeypatch):
    text = "try:\n    import PIL\nexcept ImportError:\n    pass\n"
    write_files(
        {**folder_files(PORT.parent), "eval_detection.py": text.encode() + PORT.read_bytes()}, tmp_path
    )
    instances = [{"label": "run", "segment": [0, 1], "score": 0.5}]
    answers = {"a": instances, "b": instances}
    path = tmp_path / "eval_detection.py"
    (problem,) = refused(wrapped, tmp_path, monkeypatch, path, answers, answers, "Average-mAP").problems
    assert (problem.code, problem.remedy) == ("E-NEW", 'add --needs "scipy"')


FAILURES = {
    "raise ValueError(truth['a'])": "ValueError in my_eval.py line 6 in evaluate",
    "sys.exit(truth['a'])": "SystemExit in my_eval.py line 6 in evaluate",
    "return {'share': float('nan')}": "share",
    "return {'share': 1e300}": "1e+300 for share",
    "return {}": "share",
    "return 1": "numbers by name",
    "CALLS.append(1); return {'share': len(CALLS)}": "deterministic",
}


@pytest.mark.parametrize("line", FAILURES)
def test_why_an_evaluator_fails_is_told_where_nothing_is_hidden(tmp_path, monkeypatch, capfd, line):
    written = written_by_failure(tmp_path, monkeypatch, capfd, line, "full")
    assert "E-EVALUATOR" in written
    assert FAILURES[line] in written
    assert ("robin" in written) == ("truth['a']" in line)


@pytest.mark.parametrize("detail", ["none", "summary"])
def test_all_failures_of_an_evaluator_of_hidden_data_look_the_same(tmp_path, monkeypatch, capfd, detail):
    written = set()
    for number, line in enumerate(FAILURES):
        folder = tmp_path / str(number)
        folder.mkdir()
        written.add(written_by_failure(folder, monkeypatch, capfd, line, detail))
    (text,) = written
    assert "E-EVALUATOR: the evaluator of the task failed; organizers: correct" in text


def written_by_failure(folder, monkeypatch, capfd, line, detail):
    """Return what a run prints and writes whose evaluator has this line, the seconds of its stages aside."""
    example = of_code(folder, monkeypatch, f"    {line}")
    load = partial(example.load, folder / "ref", detail=detail)
    assert run(load, folder / "res", folder / "out").exit_code == BROKEN
    written = b"".join(folder_files(folder / "out").values()).decode() + "".join(capfd.readouterr())
    return re.sub('"stages": {.*}', "", written)


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
    assert "robin" not in captured.out
    assert ("robin" in captured.err) == (detail == "full")


def test_what_an_evaluator_prints_is_said_once_and_not_among_the_numbers(tmp_path, monkeypatch, capfd):
    prints = (
        "    print('about'); print('about', file=sys.stderr); os.write(1, b'about'); os.system('echo about')"
    )
    of_code(tmp_path, monkeypatch, prints).load(tmp_path / "ref", detail="full").score_path(tmp_path / "res")
    captured = capfd.readouterr()
    assert (captured.out.count("about"), captured.err.count("about")) == (0, 4)


def test_each_call_gets_fresh_copies_and_what_is_submitted_alone(tmp_path, monkeypatch):
    body = "    assert 'x' not in predicted\n    truth.pop('b'); predicted.clear(); predicted.update(truth)"
    answers = {"x": "owl", "a": "owl", "c": "owl"}
    result = scored(tmp_path, monkeypatch, body, answers)
    assert (result.scores["score"], result.scores["coverage"]) == (1, 0.5)


def test_a_submission_without_items_is_never_evaluated(tmp_path, monkeypatch):
    example = of_code(tmp_path, monkeypatch, "    1 / len(predicted)", {})
    (problem,) = refused(example.load(tmp_path / "ref").read, tmp_path / "res").problems
    assert problem.code == "E-ITEMS-NONE"


def test_a_half_that_raises_leaves_no_interval(tmp_path, monkeypatch):
    result = scored(
        tmp_path, monkeypatch, "    assert len(truth) == 4 or 'a' not in truth", {"a": "owl", "b": "owl"}
    )
    assert (result.scores["score"], result.interval) == (0.25, None)


@pytest.mark.parametrize("sorting", ["asc", "desc"])
def test_a_half_without_predictions_has_a_score_of_0_unless_that_is_the_best(tmp_path, monkeypatch, sorting):
    example = of_code(tmp_path, monkeypatch, "    1 / len(predicted)", {"b": "owl"}, sorting=sorting)
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    assert result.scores["score"] == 0.25
    assert (result.interval is None) == (sorting == "asc")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"score": "accuracy"}, "share"),
        ({"score": None}, "--score"),
        ({"prediction": None}, "--prediction"),
        ({"sorting": "up"}, "--sorting"),
        ({"labels": ["a", "b"]}, "--labels"),
        ({"form": "csv"}, "--format"),
        ({"kind": "label"}, "--kind"),
    ],
)
def test_an_evaluator_needs_what_cannot_be_seen(tmp_path, monkeypatch, options, named):
    of_code(tmp_path, monkeypatch, "    pass")
    given = {name: tmp_path / f"{name}.json" for name in ("truth", "prediction")}
    given |= {"evaluator": tmp_path / "my_eval.py", "score": "share"}
    (problem,) = refused(task_files, NewTask("birds", **{**given, **options})).problems
    assert problem.code == "E-NEW"
    assert named in f"{problem.problem}; {problem.remedy}"


@pytest.mark.parametrize(
    "body", ["time.sleep(9)", "try:\n            time.sleep(9)\n        except:\n            break"]
)
def test_an_evaluator_that_never_ends_is_refused_at_the_time_limit_of_a_run(tmp_path, monkeypatch, body):
    start = limits.start
    monkeypatch.setattr(limits, "start", lambda seconds: start(seconds / 3e4))
    path = tmp_path / "my_eval.py"
    lines = f"    while True:\n        {body}\n    return {{'share': {SHARE}}}\n"
    path.write_text(f"import time\n\n\ndef evaluate(truth, predicted):\n{lines}", encoding="utf-8")
    (problem,) = refused(wrapped, tmp_path, monkeypatch, path, ANSWERS, ANSWERS, "share").problems
    assert (problem.code, "570 s" in problem.problem) == ("E-NEW", True)


@pytest.mark.parametrize(
    ("script", "truth", "score", "named"),
    [
        ("def main():\n    pass\n", ANSWERS, "share", "no function evaluate"),
        ("", {"version": 1, "annotations": ANSWERS}, "share", "version, annotations"),
        ("def evaluate(truth, predicted):\n    return {'F1': 1, 'f1': 1}\n", ANSWERS, "F1", "F1, f1"),
        ("def evaluate(truth, predicted):\n    return {'F1': 1, 'score': 1}\n", ANSWERS, "F1", "score_low"),
    ],
)
def test_scripts_and_examples_of_another_form_are_told_apart(
    tmp_path, monkeypatch, script, truth, score, named
):
    path = tmp_path / "my_eval.py"
    path.write_text(script, encoding="utf-8")
    (problem,) = refused(wrapped, tmp_path, monkeypatch, path, truth, ANSWERS, score).problems
    assert named in f"{problem.problem}; {problem.remedy}"


def program_files():
    """Return the files of the built program of a task that is declared in a folder beside this repository."""
    modules = [
        "scoring_program.run",
        "scoring_program.challenges.items.task",
        "scoring_program.metrics.evaluator",
    ]
    code = needed_modules(modules)
    return {
        **code,
        **folder_files(evaluator.FOLDER.parents[1]),
        "scoring_program/report/style.css": (ROOT / "scoring_program/report/style.css").read_bytes(),
        "score.py": (ROOT / "scoring_program" / "score.py").read_bytes(),
        "metadata.yaml": (ROOT / "scoring_program" / "metadata.yaml").read_bytes(),
    }


LATE = """\
    import atexit, ctypes, threading
    said = str(truth).encode()
    ctypes.CDLL(None).puts(said)
    threading.Timer(0.5, print, [truth]).start()
    threading.Timer(0.5, os.write, [2, said]).start()
    threading.Timer(0.5, lambda: {}[str(said)]).start()
    atexit.register(print, said, file=sys.stderr)"""


@pytest.mark.slow
def test_what_an_evaluator_says_late_is_discarded_on_the_platform(tmp_path, monkeypatch):
    of_code(tmp_path, monkeypatch, LATE)
    write_files(program_files(), tmp_path / "program")
    write_files(folder_files(tmp_path / "ref"), tmp_path / "input" / "ref")
    write_files(folder_files(tmp_path / "res"), tmp_path / "input" / "res")
    command = [sys.executable, tmp_path / "program" / "score.py", tmp_path / "input", tmp_path / "output"]
    for detail in ("none", "full"):
        write_files({"settings.yaml": f"detail: {detail}\n".encode()}, tmp_path / "input" / "ref")
        done = subprocess.run(command, capture_output=True, check=True)
        for said in (done.stdout, done.stderr):
            assert (b"robin" in said) == (detail == "full")
        assert done.stdout.count(b"birds|") == 1
        assert b"score: 1" in done.stdout
        shutil.rmtree(tmp_path / "output")


@pytest.mark.slow
def test_rescore_shows_organizers_what_an_evaluator_says(tmp_path, monkeypatch, capsys):
    body = "    print('about', *truth.values())\n    if len(predicted) < 3:\n        raise ValueError('not', truth['b'])"
    of_code(tmp_path, monkeypatch, body)
    built = BuiltTask(
        id="birds", program=zip_bytes(program_files()), reference=tmp_path / "ref", time_limit=60
    )
    submissions = []
    for team, answers in (("all", ANSWERS), ("few", {"a": "owl"})):
        data = zip_bytes({"birds.json": json.dumps(answers).encode()})
        (tmp_path / f"{team}.zip").write_bytes(data)
        submissions.append(Submission(f"{team}.zip", team, "", tmp_path / f"{team}.zip"))
    most = Limits(files=2, total_bytes=10_000, file_bytes=10_000)
    records = score_all(built, submissions, most, tmp_path / "out", "", Options(workers=1))
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("hidden | about robin owl robin owl") == 2
    assert "hidden | ValueError: ('not', 'owl')" in lines
    assert [record.entry.outcome for record in records] == [scoring_process.SCORED, scoring_process.CRASHED]
    for record in records:
        page = record.page.read_text(encoding="utf-8")
        assert "owl" not in page + record.entry.problem
    assert "line 8, in evaluate" in "".join(lines)


SCRIPT = """\
from __future__ import annotations
import json
from dataclasses import dataclass
from statistics import mean
from tools.shares import share
@dataclass
class Result:
    shares: list[float]
def evaluate(truth, predicted):
    from utils import HALF
    return {"share": HALF * mean(Result([share(truth, predicted)]).shares)}
"""
BESIDE = {
    "my_eval.py": SCRIPT,
    "utils.py": "HALF = 0.5\n",
    "tools/__init__.py": "from . import shares\n",
    "tools/shares.py": f"from .more import ONE\ndef share(truth, predicted):\n    return ONE * {SHARE}\n",
    "tools/more.py": "ONE = 1\n",
    "unused.py": "raise ValueError\n",
}


def test_an_evaluator_imports_what_is_beside_it_as_a_script_does(tmp_path, monkeypatch):
    """Names of its modules may be those of others, which stay as they are."""
    other = ModuleType("utils")
    monkeypatch.setitem(sys.modules, "utils", other)
    write_files({name: text.encode() for name, text in BESIDE.items()}, tmp_path / "script")
    path = tmp_path / "script" / "my_eval.py"
    example = wrapped(tmp_path, monkeypatch, path, ANSWERS, {**ANSWERS, "a": "owl"}, "share")
    shutil.rmtree(tmp_path / "script")
    assert folder_files(evaluator.FOLDER / "birds").keys() == BESIDE.keys() - {"unused.py"}
    write_files({"truth.json": json.dumps(ANSWERS).encode()}, tmp_path / "ref")
    write_files({"birds.json": json.dumps(ANSWERS).encode()}, tmp_path / "res")
    assert example.load(tmp_path / "ref").score_path(tmp_path / "res").scores["score"] == 0.5
    assert sys.modules["utils"] is other
    assert not {"tools", "my_eval"} & sys.modules.keys()


def test_numbers_that_are_no_columns_are_left_out(tmp_path, monkeypatch):
    """Their names may be hidden labels."""
    body = f"    return {{'share': {SHARE}, **dict.fromkeys(truth.values(), float('nan'))}}"
    result = scored(tmp_path, monkeypatch, body)
    assert result.scores.keys() == {"score", "coverage", "share"}


CHANGES = {
    "scoring_program/evaluators/birds/my_eval.py": ("CALLS = []", "CALLS = [] # changed"),
    "validator/formats/items/birds.files.yaml": ("  missing: empty\n", "  each: results\n"),
    "scoring_program/challenges/items/birds.yaml": ("sorting: desc", "sorting: asc"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_signature_changes_with_the_evaluator_and_its_declarations(tmp_path, monkeypatch, name):
    before = of_code(tmp_path, monkeypatch, "    pass").load(tmp_path / "ref").signature
    path = tmp_path / "task" / name
    text = path.read_text(encoding="utf-8")
    changed = text.replace(*CHANGES[name])
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    read_declaration.cache_clear()
    assert declared_in(tmp_path / "task", "birds").load(tmp_path / "ref").signature != before


TABLES = {
    "truth/a.csv": "label,end\nrobin,5\nowl,7.5\n",
    "truth/b.csv": "label,end\n",
    "predicted/a.csv": "\ufefflabel,end,score\r\nrobin,5,0.5\r\n",
    "predicted/b.csv": "",
}
ROWS = "    assert truth == {'a': [{'label': 'robin', 'end': 5}, {'label': 'owl', 'end': 7.5}], 'b': []}\n"


def test_folders_of_csv_are_examples_and_ground_truth(tmp_path, monkeypatch):
    write_files({name: text.encode() for name, text in TABLES.items()}, tmp_path)
    path = tmp_path / "my_eval.py"
    body = f"{ROWS}    return {{'rows': len(predicted['a'])}}\n"
    path.write_text(f"def evaluate(truth, predicted):\n{body}", encoding="utf-8")
    examples = {"truth": tmp_path / "truth", "prediction": tmp_path / "predicted"}
    wanted = NewTask("birds", evaluator=path, **examples, score="rows")
    example = declared_with_evaluator(tmp_path / "task", wanted, monkeypatch)
    with known_tasks(tmp_path / "task", example):
        convert("birds", tmp_path / "predicted", tmp_path / "my.zip")
        prepare("birds", tmp_path / "truth", tmp_path / "ref")
        settings = example.task.settings(tmp_path / "truth")
        public = make_public_data(PublicSource("birds", tmp_path / "truth", settings, lambda: None))
        result = score("birds", tmp_path / "my.zip", reference=tmp_path / "truth")
    assert public.files == {"items.csv": b"item\na\nb\n"}
    assert result.scores["score"] == 1
    loaded = example.load(tmp_path / "ref", interval=False)
    assert loaded.score_path(tmp_path / "my.zip").scores == {"score": 1, "coverage": 1, "rows": 1}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("truth/a.csv", "1,2\n3,4\n", "no header"),
        ("truth/a.csv", "label,label\na,b\n", "no header"),
        ("truth/a.csv", "label,end\na\n", "line 2"),
        ("truth/a.csv", "label,end\na,1,2\n", "line 2"),
        ("truth/a.csv", 'label,end\n"a,1\n', "no CSV"),
        ("truth/a.csv", "label,end\n\xe9,1\n", "UTF-8"),
        *(("truth.json", text, "") for text in ("", "[" * 100_000, "\xe9")),
    ],
)
def test_a_truth_that_cannot_be_read_is_named(tmp_path, name, text, words):
    write_files({name: text.encode("latin-1"), "my_eval.py": b""}, tmp_path)
    truth = tmp_path / name.partition("/")[0]
    wanted = NewTask("birds", evaluator=tmp_path / "my_eval.py", truth=truth, prediction=truth, score="x")
    (problem,) = refused(task_files, wanted).problems
    assert problem.code == "E-NEW"
    assert name.rpartition("/")[2] in problem.problem
    assert words in problem.problem


@pytest.mark.parametrize(("sorting", "score_of_nothing"), [("desc", 0.0), ("asc", np.nan)])
def test_items_without_predictions_are_not_scored_best(tmp_path, monkeypatch, sorting, score_of_nothing):
    example = of_code(tmp_path, monkeypatch, "    1 / len(predicted)", {"a": "robin"}, sorting=sorting)
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    reduced = example.task.reduce(result.statistics, np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0.0]]))
    assert reduced == pytest.approx([0.5, score_of_nothing, score_of_nothing], nan_ok=True)


def test_what_the_kit_writes_as_an_example_can_be_evaluated(tmp_path, monkeypatch):
    """The evaluator knows some texts only."""
    path = tmp_path / "my_eval.py"
    path.write_text(f"def evaluate(truth, predicted):\n    assert {{'robin', 'owl'}} >= {{*predicted.values()}}\n"
                    f"    return {{'share': {SHARE}}}\n", encoding="utf-8")  # fmt: skip
    example = wrapped(tmp_path, monkeypatch, path, ANSWERS, ANSWERS, "share")
    monkeypatch.chdir(tmp_path)
    truth = {f"demo_{number:05d}": "owl" for number in range(60)}
    write_files({"truth.json": json.dumps(truth).encode()}, tmp_path / "ref")
    with known_tasks(tmp_path / "task", example):
        exec(writing_code(example.task.id, example.rules), {})  # noqa: S102 - what participants run
    assert example.load(tmp_path / "ref").score_path(tmp_path / "my.zip").scores["score"] == 1


def test_a_task_with_an_evaluator_has_no_baselines(tmp_path, monkeypatch):
    example = of_code(tmp_path, monkeypatch, "    pass")
    with known_tasks(tmp_path / "task", example):
        findings = refused(baselines_command, "birds", tmp_path / "ref", tmp_path / "out")
    assert places_of(findings) == [("E-NO-ANNOTATIONS", "", "")]
    assert not (tmp_path / "out").exists()
