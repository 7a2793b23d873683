"""Tasks with a value for each item: those of all kinds that `organizer new-task` declares, and those that are there."""

from __future__ import annotations

import json
import math
import random
import shutil
from functools import cache, partial
from importlib import import_module
from itertools import chain

import numpy as np
import pytest
import yaml

from organizer.baselines import predict_baselines
from organizer.bundle.programs import program_files
from organizer.files import folder_files, write_files
from organizer.new_task import NewTask, metric_names, task_files
from organizer.tasks import BaselineKind
from organizer.tasks.items import content_of, writing_code
from people_in_video import public_data, writing
from people_in_video.diagnosis import items as diagnosis
from people_in_video.diagnosis.search import Explanation
from people_in_video.home_loaded import at_home
from people_in_video.items import writer
from people_in_video.public_items import encode_items
from quality.task import quality_tasks
from scoring_program.challenges.items.task import TASKS
from scoring_program.run import SCORED, run
from tests import canaries, plain_metrics
from tests.canaries import CANARY
from tests.helpers import ROOT, compact_lines, every_fourth, is_nightly, places_of, refused, scaled, values_of
from tests.item_cases import (
    COLUMNS,
    EXAMPLES,
    declared,
    declared_in,
    random_cases,
    score_case,
    write_case,
)
from validator.formats.items.arrays import Values, corners_of
from validator.formats.items.read import form_of
from validator.formats.items.write import FORMAT, as_instance, decode
from validator.formats.rules import load_rules
from validator.formats.values import Kind

GOLDEN_DETECTIONS = ROOT / "tests" / "golden_detections"
KINDS_OF_METRICS = {
    "accuracy": ["label"],
    "balanced_accuracy": ["label"],
    "detection_ap": ["segments", "boxes"],
    "f1": ["labels"],
    "macro_f1": ["label"],
    "rmse": ["number", "columns"],
    "segment_f1": ["segments"],
}


def declarations(wanted):
    """Return the files of a new task that declare it, without its page, samples and golden cases."""
    return {name: data for name, data in task_files(wanted).items() if name.endswith(".yaml")}


def metric_module(name):
    return import_module(f"scoring_program.metrics.{name}")


# For what does not depend on the format of files: a task of each kind, all examples at night.
ONE_OF_EACH_KIND = pytest.mark.parametrize(
    "example",
    EXAMPLES if is_nightly() else [
        "label_csv", "number_json", "columns_csv", "labels_json", "segments_in_results", "scored_segments", "boxes_json"
    ],
    indirect=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def made_examples(tmp_path_factory):
    """Return a function that makes an example once, and returns it and its folder."""

    @cache
    def make(name):
        folder = tmp_path_factory.mktemp(name)
        example = declared(folder, EXAMPLES[name])
        example.made_up.write_reference(folder / "ref")
        example.made_up.write_samples(folder / "ref", folder)
        return example, folder

    return make


@pytest.fixture(params=EXAMPLES)
def example(request, made_examples, tmp_path):
    """Return a new task; ``tmp_path`` has its ``ref``, ``good`` and ``weak``."""
    example, folder = made_examples(request.param)
    for name in ("ref", "good", "weak"):
        shutil.copytree(folder / name, tmp_path / name)
    return example


@pytest.mark.parametrize(
    ("metric", "kind"), [(name, kind) for name, kinds in KINDS_OF_METRICS.items() for kind in kinds]
)
def test_golden_cases_of_new_tasks_have_the_numbers_of_each_metric(tmp_path, metric, kind):
    # A table cannot hold lists.
    form = "json" if kind in ("labels", "segments", "boxes") else "csv"
    example = declared(tmp_path, NewTask("birds", kind=kind, form=form, metric=metric))
    cases = sorted((tmp_path / "tests" / "golden" / "birds").iterdir())
    assert len(cases) == 3
    for case in cases:
        expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))["published"]
        scores = example.load(case / "ref", interval=False).score_path(case / "res").scores
        assert scores == pytest.approx(expected, abs=1e-12)
        assert list(scores) == [column.key for column in example.task.columns if column.key in scores]


def test_every_metric_says_what_it_is_for():
    assert set(metric_names()) >= KINDS_OF_METRICS.keys()
    assert {name: list(metric_module(name).KINDS) for name in KINDS_OF_METRICS} == KINDS_OF_METRICS


@pytest.mark.parametrize("task_id", TASKS)
def test_a_program_holds_the_metric_of_its_task_and_no_other(task_id):
    packed = [
        name for name in metric_names() if f"scoring_program/metrics/{name}.py" in program_files(task_id)
    ]
    assert packed == [TASKS[task_id].metric]


def yardstick(metric, truth, predicted, weights):
    from sklearn import metrics  # it takes a second to import

    if metric == "rmse":
        return math.sqrt(metrics.mean_squared_error(truth, predicted, sample_weight=weights))
    kept = weights > 0
    truth, predicted, weights = truth[kept], predicted[kept], weights[kept]
    if metric == "f1":
        return metrics.f1_score(truth, predicted, average="samples", sample_weight=weights, zero_division=1)
    if metric == "macro_f1":
        return metrics.f1_score(truth, predicted, average="macro", sample_weight=weights, zero_division=0)
    return {"accuracy": metrics.accuracy_score, "balanced_accuracy": metrics.recall_score}[metric](
        truth, predicted, sample_weight=weights,
        **({"average": "macro", "labels": np.unique(truth), "zero_division": 0} if metric == "balanced_accuracy" else {}),
    )  # fmt: skip


def drawn(metric, rng, n):
    if metric == "f1":
        return rng.random((n, 3)) < 0.4
    return rng.normal(0, 100, n) if metric == "rmse" else rng.integers(0, 5, n)


def reduced(metric, truth, predicted, weights):
    """Return the scores of a metric for rows of weights."""
    module, keys = metric_module(metric), [str(number) for number in range(len(truth))]
    statistics = module.measure(Values(keys, truth, ()), Values(keys, predicted, ()))
    return module.reduce(statistics, weights)


@pytest.mark.slow
@pytest.mark.parametrize("metric", sorted(KINDS_OF_METRICS.keys() - {"segment_f1", "detection_ap"}))
def test_metrics_are_those_of_scikit_learn(metric):
    for seed in range(scaled(100)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        truth, predicted = drawn(metric, rng, n), drawn(metric, rng, n)
        weights = rng.integers(0, 4, (5, n)).astype(float)
        weights[:, 0] += 1
        expected = [yardstick(metric, truth, predicted, row) for row in weights]
        assert reduced(metric, truth, predicted, weights) == pytest.approx(expected, abs=1e-12)
        (unweighted,) = reduced(metric, truth, predicted, np.ones((1, n)))
        plain_metric = getattr(plain_metrics, metric)
        plain_score = plain_metric(plain_labels(metric, truth), plain_labels(metric, predicted))
        assert unweighted == pytest.approx(plain_score, abs=1e-12)


def plain_labels(metric, values):
    """Return the labels of each item by its number, as the plain programs of metrics take them."""
    if metric == "f1":
        return {number: np.flatnonzero(row) for number, row in enumerate(values)}
    return dict(enumerate(values.tolist()))


def test_samples_are_valid_at_home_and_score(example, tmp_path):
    sign = 1 if example.task.higher_is_better else -1
    (trick,) = example.made_up.tricks
    write_files(trick.play(folder_files(tmp_path / "ref"), {}), tmp_path / "trick")
    loaded = example.load(tmp_path / "ref", interval=False)
    names = ("good", "weak", "trick")
    scores = {name: sign * loaded.score_path(tmp_path / name).scores["score"] for name in names}
    assert scores["good"] > max(scores["weak"], scores["trick"])
    hints = {}
    for name in names:
        items = FORMAT.read(tmp_path / name, example.rules).content
        hints[name] = [note.code for note in FORMAT.hints(items, example.rules)]
    assert hints == {"good": [], "weak": [], "trick": ["N-LOOKS-CONSTANT"]}


def test_submissions_are_compared_with_the_items_of_public_data(example, tmp_path, monkeypatch):
    monkeypatch.setattr(public_data, "load_task", lambda task_id: example.task)
    items = example.load(tmp_path / "ref").items

    def check(items):
        (tmp_path / "items.csv").write_bytes(encode_items(items))
        public = public_data.load_public_data(example.task.id, tmp_path)
        return public_data.check_with_public_data(example.task.id, public, tmp_path / "good")

    assert check(items).problems == []
    assert "N-ITEMS-UNKNOWN" in [note.code for note in check(items[1:]).notes]
    if example.form.is_missing_empty:
        assert check([*items, "another_item"]).problems == []
        return
    (problem,) = check([*items, "another_item"]).problems
    assert problem.code == "E-KEY-MISSING"
    assert "another_item" in problem.problem


@ONE_OF_EACH_KIND
def test_weights_repeat_items(example, tmp_path):
    task, made_up, rng = example.task, example.made_up, np.random.default_rng(1)
    sides = [made_up.correct_prediction(tmp_path / "ref", rng, noise) for noise in (1.0, 0.5)]
    write_case(made_up, tmp_path / "once", *sides)
    once = score_case(task, tmp_path / "once")
    items = once.items
    assert list(items) == sorted(items)
    for number, weights in enumerate(rng.integers(0, 4, (3, len(items))).astype(float)):
        copies = {f"{item}-{n}": item for item, times in zip(items, weights) for n in range(int(times))}
        repeated = ({copy: side[item] for copy, item in copies.items()} for side in sides)
        write_case(made_up, tmp_path / str(number), *repeated)
        again = score_case(task, tmp_path / str(number)).scores["score"]
        assert task.reduce(once.statistics, weights[None]) == pytest.approx([again], abs=1e-12)


def predict(example, folder, noise):
    """Return right answers with some noise for the reference in a folder."""
    return example.made_up.correct_prediction(folder / "ref", np.random.default_rng(1), noise)


def with_scores(form, values):
    """Return values of a ground truth as those of a submission."""
    if not form.has_scores:
        return values
    return {
        item: [{**instance, form.instance.score: 0.5} for instance in value] for item, value in values.items()
    }


def other_value(form, value):
    """Return a value of an item that is wrong."""
    if form.kind is Kind.LABEL:
        return form.names[form.names.index(value) - 1]
    if form.kind is Kind.NUMBER:
        return value + 1
    if form.kind is Kind.COLUMNS:
        return {**value, form.names[-1]: value[form.names[-1]] + 1}
    if form.kind is Kind.LABELS:
        return [label for label in form.names if label not in value]
    corners = [100, 101] if form.kind is Kind.SEGMENTS else [100, 100, 101, 101]
    return value[1:] or [as_instance(form.instance, form.names[0], corners)]


@ONE_OF_EACH_KIND
def test_items_are_perfect_where_the_prediction_is(example, tmp_path):
    form = example.form
    truth = decode(form.truth, (tmp_path / "ref" / form.truth_file).read_bytes())
    truth = with_scores(form, truth)
    wrong_items = set(list(truth)[::3])
    predicted = {
        item: other_value(form, value) if item in wrong_items else value for item, value in truth.items()
    }
    write_case(example.made_up, tmp_path, truth, predicted)
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    is_perfect = dict(zip(result.items, result.statistics.item_perfect.tolist()))
    assert is_perfect == {item: item not in wrong_items for item in truth}


@ONE_OF_EACH_KIND
def test_only_full_detail_reveals_the_ground_truth(example, tmp_path):
    (tmp_path / "planted").mkdir()
    canaries.plant(example.made_up, tmp_path / "planted")
    write_files(canaries.knowing(example.made_up), tmp_path / "knowing")
    for detail in ("none", "summary", "full"):
        load = partial(example.load, tmp_path / "planted", detail=detail)
        outcome = run(load, tmp_path / "knowing", tmp_path / "out")
        assert (outcome.name, outcome.exit_code) == ("scored", SCORED)
        written = b"".join(folder_files(tmp_path / "out").values()).decode()
        reveals = CANARY in written or "0.73911" in written
        assert reveals == (detail == "full"), detail


def test_errors_that_all_round_to_zero_are_shown(tmp_path):
    example = declared(tmp_path, EXAMPLES["number_csv"])
    write_case(example.made_up, tmp_path, {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0})
    load = partial(example.load, tmp_path / "ref", detail="full", score_decimals=3)
    assert run(load, tmp_path / "res", tmp_path / "out").exit_code == SCORED


def changed(example, folder, change):
    """Write a submission with changed values; return its problems."""
    values = predict(example, folder, 0.0)
    change(values)
    write_files(example.made_up.files(values), folder / "res")
    return refused(example.load(folder / "ref").read, folder / "res").problems


@pytest.mark.parametrize("example", ["scored_segments"], indirect=True)
def test_items_that_are_left_out_have_no_predictions(example, tmp_path):
    values = predict(example, tmp_path, 0.5)
    left_out = list(values)[10:]
    some = {item: value for item, value in values.items() if item not in left_out}
    write_files(example.made_up.files(some), tmp_path / "some")
    write_files(example.made_up.files({item: some.get(item, []) for item in values}), tmp_path / "empty")
    scores, scores_of_empty = (
        dict(example.load(tmp_path / "ref").score_path(tmp_path / name).scores) for name in ("some", "empty")
    )
    assert (scores.pop("coverage"), scores_of_empty.pop("coverage")) == (pytest.approx(10 / 60), 1)
    assert scores == scores_of_empty


@pytest.mark.parametrize(
    ("example", "change", "codes"),
    [
        ("label_csv", lambda value: "wren", ["N-LOOKS-CONSTANT"]),
        ("number_json", lambda value: 1.5, ["N-LOOKS-CONSTANT"]),
        ("columns_json", lambda value: {**value, "arousal": 1.5}, ["N-LOOKS-CONSTANT"]),
        ("scored_segments", lambda value: [{**one, "score": 1} for one in value], ["N-LOOKS-CONSTANT"]),
        ("scored_segments", lambda value: 2 * value, ["N-REPEATED"]),
        ("segments_json", lambda value: value, []),
    ],
    indirect=["example"],
)
def test_a_check_and_a_score_note_the_same_likely_mistakes(example, tmp_path, change, codes):
    values = predict(example, tmp_path, 0.5)
    files = example.made_up.files({item: change(value) for item, value in values.items()})
    write_files(files, tmp_path / "res")
    read = FORMAT.read(tmp_path / "res", example.rules)
    checked = [*read.notes, *FORMAT.hints(read.content, example.rules)]
    assert [note.code for note in checked] == codes
    assert [note.code for note in example.load(tmp_path / "ref").score_path(tmp_path / "res").notes] == codes


@pytest.mark.parametrize("example", ["boxes_json"], indirect=True)
def test_unknown_labels_of_predictions_with_scores_are_counted_and_change_nothing(example, tmp_path):
    values = predict(example, tmp_path, 0.5)
    write_files(example.made_up.files(values), tmp_path / "res")
    expected = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    box = {"label": "Robin", "box": [0, 0, 1, 1], "score": 1}
    write_files(
        example.made_up.files({item: [box, *value] for item, value in values.items()}), tmp_path / "more"
    )
    result = example.load(tmp_path / "ref").score_path(tmp_path / "more")
    assert dict(result.scores) == dict(expected.scores)
    (note,) = (note for note in result.notes if note.code == "N-NAMES-UNKNOWN")
    assert values_of(note.text)[:1] == ["60"]
    assert "'Robin'" in note.text
    write_files(example.made_up.files({item: [box] for item in values}), tmp_path / "alone")
    for load in (example.load, example.load_at_home):
        notes = load(tmp_path / "ref").score_path(tmp_path / "alone").notes
        assert [note.code for note in notes if note.is_mistake] == ["N-NAMES-UNKNOWN"]


def test_wrong_and_missing_keys_are_refused_and_named(example, tmp_path):
    if example.form.is_missing_empty:
        pytest.skip("items may be left out")
    (missing,) = changed(example, tmp_path, lambda values: values.pop("demo_00007"))
    assert (missing.code, values_of(missing.problem)) == ("E-KEY-MISSING", ["1", "60"])
    assert missing.problem.endswith(" demo_00007")
    unknown, missing = changed(example, tmp_path, lambda values: values.update(x=values.pop("demo_00007")))
    assert (unknown.code, missing.code) == ("E-KEY-UNKNOWN", "E-KEY-MISSING")


@ONE_OF_EACH_KIND
def test_keys_that_are_not_in_the_reference_are_ignored_unless_there_are_no_others(example, tmp_path):
    values = example.made_up.correct_prediction(tmp_path / "ref", np.random.default_rng(0), 0.5)

    def scored(predicted):
        shutil.rmtree(tmp_path / "res", ignore_errors=True)
        write_files(example.made_up.files(predicted), tmp_path / "res")
        return example.load(tmp_path / "ref").score_path(tmp_path / "res")

    expected = scored(values)
    result = scored({"x": values["demo_00001"], **values})
    assert result.scores == expected.scores
    (note,) = [note for note in result.notes if note.code == "N-ITEMS-UNKNOWN"]
    assert values_of(note.text)[:2] == ["1", "'x'"]
    first, *_ = refused(scored, {f"x{key}": value for key, value in values.items()}).problems
    assert first.code == "E-ITEMS-NONE"


def wrong_value(example):
    """Return a value of an item that can be encoded, and is wrong."""
    if example.form.kind is Kind.COLUMNS:
        return {"valence": "parrot", "arousal": 1.5}
    if example.form.kind is Kind.SEGMENTS:
        return [{"label": "parrot", "start": 1, "end": 2}]
    return "parrot"


def test_wrong_values_are_refused_with_their_place(example, tmp_path):
    form = example.form
    code = "E-JSON-SCHEMA"
    if form.is_table:
        code = "E-CSV-LABEL" if form.kind is Kind.LABEL else "E-CSV-NUMBER"
    (problem,) = changed(example, tmp_path, lambda values: values.update(demo_00003=wrong_value(example)))
    place = "line 5" if form.is_table else f"{f'/{form.each}' if form.each else ''}/demo_00003"
    assert problem.code == code
    assert problem.where.startswith(place)


@ONE_OF_EACH_KIND
def test_reference_without_items_is_refused(example, tmp_path):
    form = example.form
    for folder in ("empty", "none"):
        (tmp_path / folder).mkdir()
    example.made_up.write_truth(tmp_path / "empty", {})
    for folder in ("empty", "none"):
        (line,) = compact_lines(refused(example.load, tmp_path / folder))
        assert line.startswith(f"1. E-REF-NONE {form.truth_file}")


def test_writer_writes_what_the_validator_accepts(example, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "load_format", lambda task_id: (FORMAT, example.rules))
    monkeypatch.setattr(writer, "load_rules", lambda task_id: example.rules)
    values = predict(example, tmp_path, 0.0)
    writer.write_submission(example.task.id, tmp_path / "my.zip", values)
    perfect = 1.0 if example.task.higher_is_better else 0.0
    assert example.load(tmp_path / "ref").score_path(tmp_path / "my.zip").scores["score"] == perfect
    with pytest.raises(ValueError, match=r"E-(CSV-LABEL|CSV-NUMBER|JSON-SCHEMA)"):
        writer.write_submission(example.task.id, tmp_path / "none.zip", {"item_1": wrong_value(example)})
    assert not (tmp_path / "none.zip").exists()


def test_example_of_the_kit_writes_a_submission(example, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "load_format", lambda task_id: (FORMAT, example.rules))
    monkeypatch.setattr(writer, "load_rules", lambda task_id: example.rules)
    monkeypatch.chdir(tmp_path)
    exec(writing_code(example.task.id, example.rules), {})  # noqa: S102 - what participants run
    assert example.load(tmp_path / "ref").score_path(tmp_path / "my.zip").scores["coverage"] == 1


@pytest.mark.parametrize(
    "example", ["label_csv", "labels_json", "segments_json", "boxes_json"], indirect=True
)
def test_likely_mistakes_are_reported_with_the_score(example, tmp_path, monkeypatch):
    explanation = diagnosis.EXPLANATION_OF_KIND.get(example.form.kind, Explanation())
    monkeypatch.setitem(diagnosis.EXPLANATIONS, example.task.id, explanation)
    right = predict(example, tmp_path, 0.2)
    assert example.made_up.mistakes
    loaded = example.load_at_home(tmp_path / "ref")

    def noted(predicted):
        shutil.rmtree(tmp_path / "res", ignore_errors=True)
        write_files(example.made_up.files(predicted), tmp_path / "res")
        return [note.code for note in loaded.score_path(tmp_path / "res").notes]

    assert noted(right) == []
    for mistake in every_fourth(example.made_up.mistakes):
        expected = [said.code for said in mistake.said] or ["N-LOOKS"]
        assert noted(mistake.change(right)) == expected, mistake.name


@pytest.mark.parametrize("example", ["segments_json"], indirect=True)
@pytest.mark.parametrize(
    ("scale", "delay", "words"),
    [
        (1000.0, 0.0, "with seconds times 0.001"),
        (25.0, 0.0, "with seconds times 0.04"),
        (1.0, 5.0, "with seconds minus 5"),
    ],
)
def test_other_times_of_segments_are_told_at_home(example, tmp_path, scale, delay, words, monkeypatch):
    explanation = diagnosis.EXPLANATION_OF_KIND[Kind.SEGMENTS]
    monkeypatch.setitem(diagnosis.EXPLANATIONS, "segments_json", explanation)
    prediction = predict(example, tmp_path, 0.0)
    for segment in chain.from_iterable(prediction.values()):
        for end in ("start", "end"):
            segment[end] = scale * segment[end] + delay
    write_files(example.made_up.files(prediction), tmp_path / "res")
    (note,) = example.load_at_home(tmp_path / "ref").score_path(tmp_path / "res").notes
    assert note.code == "N-LOOKS"
    assert f"read {words}," in note.text


@pytest.mark.parametrize("case", sorted(GOLDEN_DETECTIONS.iterdir()), ids=lambda case: case.name)
def test_detections_score_as_the_golden_numbers_say_and_no_fix_costs_anything(tmp_path, case):
    """The files are a reference and a submission as they stand."""
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    is_box = '"box"' in (case / "truth.json").read_text(encoding="utf-8")
    kind, names = ("boxes", "box: [x1, y1, x2, y2]") if is_box else ("segments", "segment: [start, end]")
    write_files(declarations(NewTask("birds", kind=kind, metric="detection_ap")), tmp_path)
    words = f"kind: {kind}, labels: {json.dumps([*sorted(expected['labels']), 'other'])}, scores: true"
    (tmp_path / "validator/formats/items/birds.files.yaml").write_text(
        f"file: birds.json\nvalues: {{{words}, names: {{{names}}}, each: results, missing: empty}}\n"
    )
    path = tmp_path / "scoring_program/challenges/items/birds.yaml"
    declaration = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump({**declaration, "thresholds": expected["thresholds"]}), encoding="utf-8")
    example = declared_in(tmp_path, "birds")
    files = {"birds.json": (case / "prediction.json").read_bytes()}
    write_files({"truth.json": (case / "truth.json").read_bytes()}, tmp_path / "ref")
    write_files(files, tmp_path / "res")
    loaded = example.load(tmp_path / "ref", interval=False)
    result = loaded.score_path(tmp_path / "res")
    assert result.scores["score"] == result.scores["map"] == pytest.approx(expected["map"], abs=1e-12)
    for threshold, score in expected["at"].items():
        assert result.scores[f"map_{round(100 * float(threshold))}"] == pytest.approx(score, abs=1e-12)
    costs = {cost.error_type: cost.points for cost in result.error_costs}
    assert costs.keys() == {"localization", "wrong_label", "found_again", "false", "missed"}
    assert min(costs.values()) >= 0
    assert "thresholds:" in loaded.signature


def scored_segment(times, score, label="robin"):
    return {"label": label, "segment": times, "score": score}


# The prediction for an item in which [0, 10] and [20, 30] are a robin.
PREDICTIONS_WITH_AN_ERROR = {
    "localization": [([0, 3], 0.9, "robin"), ([20, 30], 0.8, "robin")],
    "wrong_label": [([0, 10], 0.9, "wren"), ([20, 30], 0.8, "robin")],
    "found_again": [([0, 10], 0.9, "robin"), ([0, 9.9], 0.8, "robin"), ([20, 30], 0.7, "robin")],
    "false": [([0, 10], 0.9, "robin"), ([50, 60], 0.8, "robin"), ([20, 30], 0.7, "robin")],
}


@pytest.mark.parametrize("error_type", PREDICTIONS_WITH_AN_ERROR)
def test_a_detection_without_its_only_error_is_perfect(tmp_path, error_type):
    example = declared(tmp_path, EXAMPLES["scored_segments"])
    truth = {"a": [scored_segment(times, 1) for times in ([0, 10], [20, 30])]}
    predicted = {"a": [scored_segment(*values) for values in PREDICTIONS_WITH_AN_ERROR[error_type]]}
    write_case(example.made_up, tmp_path, truth, predicted)
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    score = result.scores["score"]
    fixed_scores = {cost.error_type: cost.score_if_fixed for cost in result.error_costs}
    assert score < 1
    assert fixed_scores == {**dict.fromkeys(fixed_scores, pytest.approx(score)), error_type: 1}


def test_missed_instances_cost_the_recall(tmp_path):
    example = declared(tmp_path, EXAMPLES["scored_segments"])
    right = {"label": "robin", "segment": [0, 10], "score": 0.5}
    write_case(example.made_up, tmp_path, {"a": [right], "b": [right]}, {"a": [right]})
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    assert result.scores["score"] == 0.5
    costs = {cost.error_type: cost.points for cost in result.error_costs}
    assert costs == {"missed": 0.5, "localization": 0, "wrong_label": 0, "found_again": 0, "false": 0}


def sections_of(folder, truth, predicted, **settings):
    example = declared(folder, EXAMPLES["labels_json"])
    write_case(example.made_up, folder, truth, predicted)
    result = example.load(folder / "ref", **settings).score_path(folder / "res")
    return {section.key: section for section in result.sections}


def test_labels_of_lists_have_a_row_and_rare_ones_none_of_their_own(tmp_path):
    lists = {f"{n:02d}": ["robin", "wren"] if n < 6 else ["robin"] for n in range(10)}
    truth = {**lists, "10": ["owl"], "11": []}
    predicted = {key: ["wren" if key == "00" else "robin"] for key in truth}
    (labels,) = sections_of(tmp_path / "summary", truth, predicted).values()
    assert labels.rows == [["robin", 10, 0.9], ["(others)", 7, 0.14]]
    full = sections_of(tmp_path / "full", truth, predicted, detail="full")
    titles = [column.title for column in full["labels"].columns]
    assert titles == ["Label", "Items", "Recall", "Predicted", "Precision"]
    assert full["labels"].rows == [
        ["owl", 1, 0.0, 0, None],
        ["wren", 6, pytest.approx(1 / 6), 1, 1.0],
        ["robin", 10, 0.9, 11, pytest.approx(9 / 11)],
    ]
    assert full["items"].rows[0] == ("00", "robin, wren", "wren", pytest.approx(2 / 3))
    assert full["items"].rows[-1] == ("11", None, "robin", 0.0)


def test_only_predicted_labels_change_no_row_of_the_summary(tmp_path):
    truth = {f"{n:02d}": ["robin"] for n in range(10)}
    predicted = {key: ["robin", "owl"] for key in truth}
    (labels,) = sections_of(tmp_path, truth, predicted).values()
    assert labels.rows == [["robin", 10, 1.0]]


def test_reference_of_lists_without_any_label_is_refused(tmp_path):
    findings = refused(sections_of, tmp_path, {"a": [], "b": []}, {"a": [], "b": []})
    assert places_of(findings) == [("E-REF-NONE", "truth.json", "")]


@pytest.mark.parametrize(
    ("labels", "where", "values", "names"),
    [
        (["robin", "Owl"], "/demo_00003/1", ["'Owl'", "'owl'"], "owl, robin, wren"),
        (["owl", "owl"], "/demo_00003", ["'owl'"], ""),
    ],
)
@pytest.mark.parametrize("example", ["labels_json"], indirect=True)
def test_wrong_labels_are_named_in_plain_words(example, tmp_path, labels, where, values, names):
    (problem,) = changed(example, tmp_path, lambda values: values.update(demo_00003=labels))
    assert (problem.code, problem.where, values_of(problem.problem)) == ("E-JSON-SCHEMA", where, values)
    assert names in problem.problem
    assert "robin or wren or owl" in problem.remedy


@ONE_OF_EACH_KIND
def test_baselines_are_in_order_and_repeat_with_a_seed(example, tmp_path):
    loaded, annotations = example.load(tmp_path / "ref", interval=False), example.annotations
    sign = 1 if example.task.higher_is_better else -1
    scores = {}
    for baseline, prediction in predict_baselines(annotations, loaded.reference):
        result = loaded.score(loaded.read(annotations.files(prediction)))
        scores[baseline] = sign * result.scores["score"]
    assert set(scores) == set(annotations.baselines)
    assert scores.pop(BaselineKind.PERFECT) == annotations.perfect_scores[0]
    noisy = scores.pop(BaselineKind.NOISY)
    assert max(scores.values()) < noisy < annotations.perfect_scores[0]
    again = dict(predict_baselines(annotations, loaded.reference))[BaselineKind.NOISY]
    assert loaded.score(loaded.read(annotations.files(again))).scores["score"] == sign * noisy


@ONE_OF_EACH_KIND
def test_parts_of_a_reference_are_references_of_their_items(example, tmp_path):
    loaded, annotations = example.load(tmp_path / "ref"), example.annotations
    classes = annotations.classes(loaded.reference)
    assert list(classes) == list(loaded.items)
    assert len({name for names in classes.values() for name in names}) >= 3
    items = frozenset(list(loaded.items)[5:25])
    (tmp_path / "part").mkdir()
    annotations.cut(tmp_path / "ref", loaded.reference, items, tmp_path / "part")
    part = example.load(tmp_path / "part")
    assert list(part.items) == sorted(items)
    selected = at_home(loaded).select_items(items)
    assert part.score_path(tmp_path / "good").scores == selected.score_path(tmp_path / "good").scores


@ONE_OF_EACH_KIND
def test_demo_data_holds_no_likely_mistake(example, tmp_path):
    content = content_of(example.load(tmp_path / "ref"))
    assert content.is_checked and content.warnings.ok
    assert content.counts["items"] == 60
    assert content.names or content.values


def numbers_in_columns(*rows):
    return [dict(zip(COLUMNS, row)) for row in rows]


def segments(*times):
    return [{"label": "robin", "start": start, "end": end} for start, end in times]


FINE = [number / 7 for number in range(20)]
# The values of all items, and the code, the file and the place of each warning.
SPOILED = [
    ("label_csv", ["robin"] * 5, [("R-CONSTANT", "truth.csv", "")]),
    ("number_json", [*FINE, *[0.5] * 20], [("R-FREQUENT", "truth.json", "")]),
    ("columns_csv", numbers_in_columns(*zip(FINE, [7.0] * 20)), [("R-CONSTANT", "truth.csv", "")]),
    (
        "columns_json",
        numbers_in_columns(*zip([*FINE, FINE[3]], [*FINE, FINE[3]])),
        [("R-SAME", "truth.json", "item_20")],
    ),
    ("labels_json", [["wren"], ["wren", "robin"]], [("R-CONSTANT", "truth.json", "")]),
    (
        "segments_json",
        [segments((0, 2), (0, 2), (1, 3)), segments((4, 5)), segments((4, 5))],
        [
            ("R-SAME", "item_02", ""),
            ("R-REPEATED", "truth.json", "/item_00/1"),
            ("R-OVERLAP", "truth.json", "/item_00/2"),
        ],
    ),
    # The third overlaps the first, not the one before it.
    ("segments_json", [segments((0, 9), (1, 2), (5, 12), (12, 14))], [
        ("R-OVERLAP", "truth.json", "/item_00/1"), ("R-OVERLAP", "truth.json", "/item_00/2")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "places"), SPOILED)
def test_likely_mistakes_in_a_reference_are_warned_of(tmp_path, name, values, places):
    truth = {f"item_{number:02d}": value for number, value in enumerate(values)}
    example = declared(tmp_path, EXAMPLES[name])
    write_case(example.made_up, tmp_path, truth, truth)
    assert places_of(content_of(example.load(tmp_path / "ref")).warnings) == places


@pytest.mark.parametrize(
    ("example", "start", "end", "code", "where"),
    [
        ("segments_json", 2, 2, "E-SEGMENT-ORDER", "/demo_00003/1"),
        ("segments_json", -1, 2, "E-JSON-SCHEMA", "/demo_00003/1/start"),
        ("segments_json", 0, "2", "E-JSON-SCHEMA", "/demo_00003/1/end"),
        ("segments_in_results", 3, 2.5, "E-SEGMENT-ORDER", "/results/demo_00003/1"),
    ],
    indirect=["example"],
)
def test_segments_that_do_not_end_after_their_start_are_refused(example, tmp_path, start, end, code, where):
    right_and_wrong = segments((0, 1), (start, end))
    (problem,) = changed(example, tmp_path, lambda values: values.update(demo_00003=right_and_wrong))
    assert (problem.code, problem.where) == (code, where)


def test_segments_are_matched_as_the_brute_force_says_whatever_their_order():
    rng, match = random.Random(1), metric_module("segment_f1").match
    for _ in range(scaled(200)):
        sides = [random_segments(rng) for _ in range(2)]
        truth, predicted = ({"item": side} for side in sides)
        arrays = [argument for side in sides for argument in as_arrays(side)]
        n_matched = int((match(*arrays) >= 0).sum())
        total = len(sides[0]) + len(sides[1])
        score = 2 * n_matched / total if total else 1.0
        assert score == plain_metrics.segment_f1(truth, predicted)


def random_segments(rng):
    """Return up to five segments of two labels that overlap often, in whole seconds."""
    segments = []
    for _ in range(rng.randint(0, 5)):
        start = rng.randint(0, 5)
        segments.append({"label": rng.choice("ab"), "start": start, "end": start + rng.randint(1, 5)})
    return segments


def as_arrays(segments):
    """Return the groups and the times of segments."""
    groups = np.array([ord(segment["label"]) for segment in segments], dtype=np.int64)
    times = [(segment["start"], segment["end"]) for segment in segments]
    return groups, np.array(times, dtype=np.float64).reshape(len(segments), 2)


def with_plain_words(keys, values):
    """Return segments or boxes with the keys that the plain programs know, whatever a task calls them."""

    def with_words(instance):
        corners = corners_of(keys, instance)
        place = dict(zip(("start", "end"), corners)) if len(corners) == 2 else {}
        return {"label": instance[keys.label], "box": corners, "score": instance.get(keys.score, 1), **place}

    return {item: list(map(with_words, instances)) for item, instances in values.items()}


def plain_score(task, form, truth, predicted):
    """Return what the plain program of a metric, which has its name, says of two sides; of columns the mean."""
    metric = getattr(plain_metrics, task.metric)
    if form.instance is not None:
        sides = [with_plain_words(form.instance, side) for side in (truth, predicted)]
        return metric(*sides, task.thresholds) if task.thresholds else metric(*sides)
    if form.kind is not Kind.COLUMNS:
        return metric(truth, predicted)
    numbers = []
    for name in form.names:
        true_column = {key: row[name] for key, row in truth.items()}
        predicted_column = {key: row[name] for key, row in predicted.items()}
        numbers.append(metric(true_column, predicted_column))
    return sum(numbers) / len(numbers)


# At night all examples and all metrics; else each metric with a kind of values once.
WANTED = [*EXAMPLES.values(), *(NewTask(name, metric=name) for name in KINDS_OF_METRICS)]
if not is_nightly():
    names = (
        "label_csv", "number_json", "columns_csv", "labels_json", "segments_json", "scored_segments", "boxes_json",
        "balanced_accuracy", "macro_f1",
    )  # fmt: skip
    WANTED = [wanted for wanted in WANTED if wanted.id in names]


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.id)
def test_random_cases_of_new_tasks_score_as_the_brute_force_says(tmp_path, wanted):
    example = declared(tmp_path, wanted)
    for truth, predicted, score in random_cases(example.task, example.made_up, tmp_path):
        assert score == pytest.approx(plain_score(example.task, example.form, truth, predicted), abs=1e-9)


@pytest.mark.parametrize("task_id", TASKS)
def test_random_cases_score_as_the_brute_force_says(tmp_path, task_id):
    task, made_up = TASKS[task_id], quality_tasks()[task_id]
    if task.evaluator:
        pytest.skip("an evaluator of one's own is all there is")
    form = form_of(load_rules(task_id))
    for truth, predicted, score in random_cases(task, made_up, tmp_path):
        assert score == pytest.approx(plain_score(task, form, truth, predicted), abs=1e-9)


@pytest.mark.parametrize(
    ("words", "other_words", "named"),
    [
        ("kind: label", "kind: tag", "label, number"),
        ("kind: label", "kind: label, minimum: 1", "minimum"),
        ("kind: label, labels", "kind: label, names", "labels"),
        ("[robin, wren]", "[robin]", "two"),
        ("[robin, wren]", "[robin, robin]", "different"),
        ("[robin, wren]", "[yes, no]", "quotes"),
        ("[robin, wren]", "[1, 2]", "quotes"),
        ("[robin, wren]", "robin", "list"),
        ("[robin, wren]", "[robin, ' wren']", "blanks"),
        ("[robin, wren]}", "[robin, wren], key: label}", "label"),
        ("[robin, wren]}", "[robin, wren], key: [clip]}", "key"),
        ("[robin, wren]}", "[robin, wren], key: ''}", "key"),
        ("[robin, wren]}", "[robin, wren], column: 3}", "column"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {each: [x], kind: boxes", "each"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {names: x, kind: segments", "segment: [start"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {latest: true, kind: segments", "latest"),
        ("birds.csv", "birds.tsv", ".csv"),
        ("kind: label", "kind: segments", ".json"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {scores: 1, kind: boxes", "scores"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {missing: all, kind: boxes", "missing"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {names: {b: [1]}, kind: boxes", "names"),
        ("birds.csv\nvalues: {kind: label", "birds.json\nvalues: {names: {label: x1}, kind: boxes", "names"),
        ("values:", "valuez:", "values"),
        ("{kind", "[kind", "line"),
    ],
)  # fmt: skip
def test_declarations_of_values_that_cannot_be_used_are_refused(tmp_path, words, other_words, named):
    write_files(declarations(NewTask("birds")), tmp_path)
    rules_file = tmp_path / "validator" / "formats" / "items" / "birds.files.yaml"
    text = "file: birds.csv\nvalues: {kind: label, labels: [robin, wren]}\n"
    rules_file.write_text(text.replace(words, other_words), encoding="utf-8")
    (problem,) = refused(declared_in, tmp_path, "birds").problems
    assert (problem.code, problem.file) == ("E-SCHEMA", "birds.files.yaml")
    assert named in f"{problem.where} {problem.problem}"


@pytest.mark.parametrize(
    ("words", "other_words", "named"),
    [
        ("metric: accuracy", "metric: exactness", "exactness"),
        ("metric: accuracy", "metric: rmse", "label"),
        ("metric: accuracy", "metric: grounding", "grounding"),
        ("item: item", "item: item\nthresholds: [0.5]", "thresholds"),
        ("metric: accuracy", "metric: detection_ap", "segments"),
        ("item: item", "thing: item", "thing"),
        ("columns:", "board:", "columns"),
        ("item: item", "item: [item", "line"),
    ],
)
def test_declarations_of_scores_that_cannot_be_used_are_refused(tmp_path, words, other_words, named):
    write_files(declarations(NewTask("birds")), tmp_path)
    path = tmp_path / "scoring_program" / "challenges" / "items" / "birds.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(words, other_words), encoding="utf-8")
    (problem,) = refused(declared_in, tmp_path, "birds").problems
    assert (problem.code, problem.file) == ("E-SCHEMA", "birds.yaml")
    assert named in f"{problem.where} {problem.problem}"


def test_columns_of_a_table_are_those_that_are_declared(tmp_path):
    write_files(declarations(NewTask("birds")), tmp_path)
    rules_file = tmp_path / "validator" / "formats" / "items" / "birds.files.yaml"
    values = "{kind: label, labels: [robin, wren], key: clip, column: bird}"
    rules_file.write_text(f"file: birds.csv\nvalues: {values}\n", encoding="utf-8")
    example = declared_in(tmp_path, "birds")
    write_case(example.made_up, tmp_path, {"a": "robin", "b": "wren"}, {"b": "robin", "a": "robin"})
    assert (tmp_path / "res" / "birds.csv").read_text() == "clip,bird\nb,robin\na,robin\n"
    assert example.load(tmp_path / "ref").score_path(tmp_path / "res").scores["score"] == 0.5


WITH_RANGES = [
    NewTask("birds", kind="segments", values={"latest": 3}),
    NewTask("birds", metric="detection_ap", values={"latest": 10}),
    NewTask("birds", kind="boxes", values={"maximum": 50, "minimum": 10}),
    NewTask("birds", kind="boxes", values={"maximum": 1, "minimum": 0}),
    NewTask("birds", kind="number", values={"maximum": 5, "minimum": 1}),
    NewTask("birds", kind="columns", values={"minimum": 0}),
]


@pytest.mark.parametrize("wanted", WITH_RANGES)
def test_made_up_data_and_golden_cases_have_the_range_that_is_declared(tmp_path, wanted):
    example = declared(tmp_path, wanted)
    example.made_up.write_reference(tmp_path / "ref")
    example.made_up.write_samples(tmp_path / "ref", tmp_path / "samples")
    cases = [(tmp_path / "ref", tmp_path / "samples" / name) for name in ("good", "weak")]
    cases += [(case / "ref", case / "res") for case in (tmp_path / "tests" / "golden" / "birds").glob("*")]
    for reference, submission in cases:
        assert example.load(reference, interval=False).score_path(submission).scores["score"] >= 0
    canaries.plant(example.made_up, tmp_path / "planted")
    assert example.load(tmp_path / "planted")


def test_numbers_have_the_range_that_is_declared(tmp_path):
    write_files(declarations(NewTask("ages", kind="number")), tmp_path)
    rules_file = tmp_path / "validator" / "formats" / "items" / "ages.files.yaml"
    rules_file.write_text(
        "file: ages.json\nvalues: {kind: number, minimum: 1, maximum: 5}\n", encoding="utf-8"
    )
    example = declared_in(tmp_path, "ages")
    example.made_up.write_reference(tmp_path / "ref")
    truth = decode(example.form, (tmp_path / "ref" / "truth.json").read_bytes())
    assert all(1 <= number <= 5 for number in truth.values())
    (problem,) = changed(example, tmp_path, lambda values: values.update(demo_00003=5.5))
    assert (problem.code, problem.where) == ("E-JSON-SCHEMA", "/demo_00003")
    assert "from 1 to 5" in problem.remedy
