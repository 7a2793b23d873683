"""The tasks of task_templates/ where they stand: what `make new-task` copies works before it is copied."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
from functools import partial
from importlib import import_module
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.baselines import predict_baselines
from organizer.challenges import Baseline
from organizer.files import folder_files, write_files
from organizer.new_task import EXAMPLES, METRICS
from people_in_video import public_data, writing
from quality.task import CANARY, quality_tasks
from scoring_program.run import SCORED, run
from scoring_program.task import load_task, task_ids
from task_templates.quality.example_number_json.values import guess
from tests import plain_metrics
from tests.helpers import compact_lines, places_of, refused, scaled, values_of
from tests.item_cases import score_case, write_case
from validator.formats import rules
from validator.items import encode_items

FORMATS, CHALLENGES, QUALITY = (
    "task_templates.validator.formats",
    "task_templates.scoring_program.challenges",
    "task_templates.quality",
)
IDS = task_ids(CHALLENGES)
FORMATS_OF = {
    "label": ("csv", "json"),
    "number": ("csv", "json"),
    "columns": ("csv", "json"),
    "lists": ("json",),
    "segments": ("json",),
}
CASES = sorted(path.parent for path in (EXAMPLES / "tests" / "golden").glob("*/*/expected.json"))


def loaded(task_id, folder, **settings):
    task = load_task(task_id, CHALLENGES)
    return task.load(folder, task.settings(folder, settings))


def metric_of(name):
    return import_module(f"task_templates.scoring_program.metrics.{name}").weighted


def test_all_three_packages_discover_them():
    assert IDS == rules.task_ids(FORMATS) == list(quality_tasks(QUALITY))
    assert set(IDS) == {f"example_{value}_{form}" for value, forms in FORMATS_OF.items() for form in forms}
    assert not set(IDS) & {*task_ids(), *rules.task_ids(), *quality_tasks()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_golden_case_gives_the_number_of_each_metric(case):
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    assert expected.pop("what")
    of_task = loaded(case.parent.name, case / "ref", interval=False)
    result = of_task.score_path(case / "res")
    declared = {"example_metric": expected["accuracy"]} if "example_label" in case.parent.name else expected
    score = sum(declared.values()) / len(declared)
    assert result.scores == pytest.approx({"score": score, "coverage": 1.0, **declared})
    if "example_label" in case.parent.name:
        sides = result.statistics.truth, result.statistics.predicted
        weights = np.ones((1, len(sides[0])))
        numbers = {name: metric_of(name)(*sides, weights)[0] for name in expected}
        assert numbers == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("task_id", IDS)
def test_submissions_are_compared_with_the_items_of_public_data(task_id, tmp_path, monkeypatch):
    monkeypatch.setattr(public_data, "load_task", partial(load_task, root=CHALLENGES))
    monkeypatch.setattr(public_data, "load_format", partial(rules.load_format, root=FORMATS))
    case = next(case for case in CASES if case.parent.name == task_id)
    items = loaded(task_id, case / "ref").items

    def check(items):
        (tmp_path / "items.csv").write_bytes(encode_items(items))
        public = public_data.load_public_data(task_id, tmp_path)
        return public_data.check_with_public_data(public, case / "res")

    assert check(items).problems == []
    assert "N-ITEMS-UNKNOWN" in [note.code for note in check(items[1:]).notes]
    (problem,) = check([*items, "another_item"]).problems
    assert problem.code == "E-KEY-MISSING"
    assert "another_item" in problem.problem


def test_every_metric_has_golden_cases():
    cases = {case: json.loads((case / "expected.json").read_text(encoding="utf-8")) for case in CASES}
    values = {**METRICS, "rmse_example_column_1": "columns", "rmse_example_column_2": "columns"}
    for metric, value in values.items():
        for form in FORMATS_OF[value]:
            with_number = [
                case
                for case, expected in cases.items()
                if case.parent.name == f"example_{value}_{form}" and metric in expected
            ]
            assert len(with_number) == 3, (metric, form)


def test_every_metric_has_a_module():
    modules = {path.stem for path in (EXAMPLES / "scoring_program" / "metrics").glob("[a-z]*.py")}
    assert modules == {*METRICS, "example_metric"}


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


@pytest.mark.slow
@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"segment_f1"}))
def test_metrics_are_those_of_scikit_learn(metric):
    for seed in range(scaled(100)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        truth, predicted = drawn(metric, rng, n), drawn(metric, rng, n)
        weights = rng.integers(0, 4, (5, n)).astype(float)
        weights[:, 0] += 1
        expected = [yardstick(metric, truth, predicted, row) for row in weights]
        assert metric_of(metric)(truth, predicted, weights) == pytest.approx(expected, abs=1e-12)
        unweighted = metric_of(metric)(truth, predicted, np.ones((1, n)))[0]
        plain_metric = getattr(plain_metrics, metric)
        plain_score = plain_metric(plain_labels(metric, truth), plain_labels(metric, predicted))
        assert unweighted == pytest.approx(plain_score, abs=1e-12)


def plain_labels(metric, values):
    """Return the labels of each item by its number, as the plain programs of metrics take them."""
    if metric == "f1":
        return {number: np.flatnonzero(row) for number, row in enumerate(values)}
    return dict(enumerate(values.tolist()))


@given(st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_numbers_of_samples_stay_in_the_range_of_the_demo_data(wrong, seed):
    rng = random.Random(seed)
    assert 0 <= guess(rng.uniform(0, 100), rng, wrong) <= 100


@pytest.fixture(params=IDS)
def example(request, tmp_path):
    """Return what quality makes up for an example, and a folder with its ``ref``, ``good`` and ``weak``."""
    made_up = quality_tasks(QUALITY)[request.param]
    made_up.write_reference(tmp_path / "ref")
    made_up.write_samples(tmp_path / "ref", tmp_path)
    return made_up, tmp_path


def test_samples_are_valid_at_home_and_score(example):
    made_up, folder = example
    form, found = rules.load_format(made_up.id, FORMATS)
    of_task = loaded(made_up.id, folder / "ref")
    sign = 1 if of_task.task.columns[0].sorting == "desc" else -1
    (trick,) = made_up.tricks
    write_files(trick.play(folder_files(folder / "ref"), {}), folder / "trick")
    scores = {
        name: sign * of_task.score_path(folder / name).scores["score"] for name in ("good", "weak", "trick")
    }
    assert scores["good"] > max(scores["weak"], scores["trick"])
    hints = {
        name: [note.code for note in form.hints(form.read(folder / name, found).content)] for name in scores
    }
    assert hints == {"good": [], "weak": [], "trick": ["N-LOOKS-CONSTANT"]}


def test_weights_repeat_items(example):
    made_up, folder = example
    task, rng = load_task(made_up.id, CHALLENGES), np.random.default_rng(1)
    sides = [made_up.correct_prediction(folder / "ref", rng, noise) for noise in (1.0, 0.5)]
    write_case(made_up, folder / "once", *sides)
    once = score_case(task, folder / "once")
    items = once.items
    assert list(items) == sorted(items)
    for number, weights in enumerate(rng.integers(0, 4, (3, len(items))).astype(float)):
        copies = {f"{item}-{n}": item for item, times in zip(items, weights) for n in range(int(times))}
        repeated = ({copy: side[item] for copy, item in copies.items()} for side in sides)
        write_case(made_up, folder / str(number), *repeated)
        again = score_case(task, folder / str(number)).scores["score"]
        assert task.reduce(once.statistics, weights[None]) == pytest.approx([again], abs=1e-12)


@pytest.mark.parametrize("detail", ["none", "summary", "full"])
def test_only_full_detail_reveals_the_ground_truth(example, detail):
    made_up, folder = example
    made_up.plant(folder / "planted")
    write_files(made_up.knowing(), folder / "knowing")
    load = partial(loaded, made_up.id, folder / "planted", detail=detail)
    outcome = run(load, folder / "knowing", folder / "out")
    assert (outcome.name, outcome.exit_code) == ("scored", SCORED)
    written = b"".join(folder_files(folder / "out").values()).decode()
    reveals = CANARY in written or "0.73911" in written
    assert reveals == (detail == "full")


def changed(made_up, folder, change):
    """Write a submission with changed values; return its problems."""
    values = made_up.correct_prediction(folder / "ref", np.random.default_rng(1), 0.0)
    change(values)
    write_files(made_up.files(values), folder / "res")
    return refused(loaded(made_up.id, folder / "ref").read, folder / "res").problems


def test_wrong_keys_are_refused_and_missing_ones_named_at_full_detail_only(example):
    made_up, folder = example
    one_less = partial(changed, made_up, folder, lambda values: values.pop("demo_00007"))
    (missing,) = one_less()
    assert (missing.code, values_of(missing.problem)) == ("E-KEY-MISSING", ["1", "60"])
    assert "demo_00007" not in missing.line()
    (folder / "ref" / "settings.yaml").write_text("detail: full\n")
    (missing,) = one_less()
    assert (missing.code, values_of(missing.problem)) == ("E-KEY-MISSING", ["1", "60"])
    assert missing.problem.endswith(" demo_00007")
    unknown, missing = changed(made_up, folder, lambda values: values.update(x=values.pop("demo_00007")))
    assert (unknown.code, missing.code) == ("E-KEY-UNKNOWN", "E-KEY-MISSING")


def test_keys_that_are_not_in_the_reference_are_ignored_unless_there_are_no_others(example):
    made_up, folder = example
    values = made_up.correct_prediction(folder / "ref", np.random.default_rng(0), 0.5)

    def scored(predicted):
        shutil.rmtree(folder / "res", ignore_errors=True)
        write_files(made_up.files(predicted), folder / "res")
        return loaded(made_up.id, folder / "ref").score_path(folder / "res")

    expected = scored(values)
    result = scored({"x": values["demo_00001"], **values})
    assert result.scores == expected.scores
    (note,) = [note for note in result.notes if note.code == "N-ITEMS-UNKNOWN"]
    assert values_of(note.text)[:2] == ["1", "'x'"]
    first, *_ = refused(scored, {f"x{key}": value for key, value in values.items()}).problems
    assert first.code == "E-ITEMS-NONE"


def wrong_value(made_up):
    """Return a value of an item that can be encoded, and is wrong."""
    if "columns" in made_up.id:
        return {"example_column_1": "parrot", "example_column_2": 1.5}
    return [{"label": "parrot", "start": 1, "end": 2}] if "segments" in made_up.id else "parrot"


def test_wrong_values_are_refused(example):
    made_up, folder = example
    codes = {"example_label_csv": "E-CSV-LABEL"}
    codes |= dict.fromkeys(["example_number_csv", "example_columns_csv"], "E-CSV-NUMBER")
    code = codes.get(made_up.id, "E-JSON-SCHEMA")
    (problem,) = changed(made_up, folder, lambda values: values.update(demo_00003=wrong_value(made_up)))
    assert problem.code == code


HEADERS = {
    "label": b"id,label\n",
    "number": b"id,number\n",
    "columns": b"id,example_column_1,example_column_2\n",
}
HEADERS |= {"lists": b"", "segments": b""}


def test_reference_without_items_is_refused(example):
    made_up, folder = example
    write_files({"truth.json": b"{}", "truth.csv": HEADERS[made_up.id.split("_")[1]]}, folder / "empty")
    for place in ("empty", "none"):
        (folder / place).mkdir(exist_ok=True)
        (line,) = compact_lines(refused(loaded, made_up.id, folder / place))
        assert line.startswith("1. E-REF-NONE truth.")


def test_writer_writes_what_the_validator_accepts(example, monkeypatch):
    made_up, folder = example
    monkeypatch.setattr(writing, "load_format", partial(rules.load_format, root=FORMATS))
    writer = import_module(f"task_templates.starting_kit.{made_up.id}.{made_up.id}_writer")
    values = made_up.correct_prediction(folder / "ref", np.random.default_rng(1), 0.0)
    writer.write_submission(folder / "my.zip", values)
    of_task = loaded(made_up.id, folder / "ref")
    perfect = 1.0 if of_task.task.columns[0].sorting == "desc" else 0.0
    assert of_task.score_path(folder / "my.zip").scores["score"] == perfect
    with pytest.raises(ValueError, match=r"E-(CSV-LABEL|CSV-NUMBER|JSON-SCHEMA)"):
        writer.write_submission(folder / "none.zip", {"item_1": wrong_value(made_up)})
    assert not (folder / "none.zip").exists()


WITH_MISTAKES = [made_up for made_up in quality_tasks(QUALITY).values() if made_up.mistakes]


@pytest.mark.parametrize(
    ("made_up", "mistake"),
    [(made_up, mistake) for made_up in WITH_MISTAKES for mistake in made_up.mistakes],
    ids=lambda value: getattr(value, "name", "") or value.id,
)
def test_likely_mistakes_are_reported_with_the_score(tmp_path, made_up, mistake):
    made_up.write_reference(tmp_path / "ref")
    right = made_up.correct_prediction(tmp_path / "ref", np.random.default_rng(1), 0.2)
    noted = []
    for name, prediction in (("right", right), ("wrong", mistake.change(right))):
        write_files(made_up.files(prediction), tmp_path / name)
        notes = loaded(made_up.id, tmp_path / "ref").score_path(tmp_path / name).notes
        noted.append([note.code for note in notes])
    assert noted == [[], [said.code for said in mistake.said] or ["N-LOOKS"]]


@pytest.mark.parametrize(
    ("scale", "delay", "words"),
    [
        (1000.0, 0.0, "with seconds times 0.001"),
        (25.0, 0.0, "with seconds times 0.04"),
        (1.0, 5.0, "with seconds minus 5"),
    ],
)
def test_other_times_of_segments_are_told_at_full(tmp_path, scale, delay, words):
    made_up = quality_tasks(QUALITY)["example_segments_json"]
    made_up.write_reference(tmp_path / "ref")
    prediction = made_up.correct_prediction(tmp_path / "ref", np.random.default_rng(1), 0.0)
    for segment in chain.from_iterable(prediction.values()):
        for end in ("start", "end"):
            segment[end] = scale * segment[end] + delay
    write_files(made_up.files(prediction), tmp_path / "res")
    (note,) = loaded(made_up.id, tmp_path / "ref", detail="full").score_path(tmp_path / "res").notes
    assert note.code == "N-LOOKS"
    assert f"read {words}," in note.text


def sections_of(folder, truth, predicted, **settings):
    made_up = quality_tasks(QUALITY)["example_lists_json"]
    write_case(made_up, folder, truth, predicted)
    result = loaded(made_up.id, folder / "ref", **settings).score_path(folder / "res")
    return {section.key: section for section in result.sections}


def test_labels_of_lists_have_a_row_and_rare_ones_none_of_their_own(tmp_path):
    lists = {
        f"{n:02d}": ["example_label_1", "example_label_2"] if n < 6 else ["example_label_1"]
        for n in range(10)
    }
    truth = {**lists, "10": ["example_label_3"], "11": []}
    predicted = {key: ["example_label_2" if key == "00" else "example_label_1"] for key in truth}
    (labels,) = sections_of(tmp_path / "summary", truth, predicted).values()
    assert labels.rows == [["example_label_1", 10, 0.9], ["(others)", 7, 0.14]]
    full = sections_of(tmp_path / "full", truth, predicted, detail="full")
    titles = [column.title for column in full["labels"].columns]
    assert titles == ["Label", "Items", "Recall", "Predicted", "Precision"]
    assert full["labels"].rows == [
        ["example_label_3", 1, 0.0, 0, None],
        ["example_label_2", 6, pytest.approx(1 / 6), 1, 1.0],
        ["example_label_1", 10, 0.9, 11, pytest.approx(9 / 11)],
    ]
    assert full["items"].rows[0] == (
        "00",
        "example_label_1, example_label_2",
        "example_label_2",
        pytest.approx(2 / 3),
    )
    assert full["items"].rows[-1] == ("11", None, "example_label_1", 0.0)


def test_only_predicted_labels_change_no_row_of_the_summary(tmp_path):
    truth = {f"{n:02d}": ["example_label_1"] for n in range(10)}
    (labels,) = sections_of(
        tmp_path / "a", truth, {key: ["example_label_1", "example_label_3"] for key in truth}
    ).values()
    assert labels.rows == [["example_label_1", 10, 1.0]]


def test_reference_of_lists_without_any_label_is_refused(tmp_path):
    findings = refused(sections_of, tmp_path, {"a": [], "b": []}, {"a": [], "b": []})
    assert places_of(findings) == [("E-REF-NONE", "truth.json", "")]


@pytest.mark.parametrize(
    ("labels", "where", "values", "names"),
    [
        (
            ["example_label_1", "Example_label_3"],
            "/demo_00003/1",
            ["'Example_label_3'", "'example_label_3'"],
            "example_label_3, example_label_1, example_label_2",
        ),
        (["example_label_3", "example_label_3"], "/demo_00003", ["'example_label_3'"], ""),
    ],
)
def test_wrong_labels_are_named_in_plain_words(tmp_path, labels, where, values, names):
    made_up = quality_tasks(QUALITY)["example_lists_json"]
    made_up.write_reference(tmp_path / "ref")
    (problem,) = changed(made_up, tmp_path, lambda values: values.update(demo_00003=labels))
    assert (problem.code, problem.where, values_of(problem.problem)) == ("E-JSON-SCHEMA", where, values)
    assert names in problem.problem
    assert "example_label_1 or example_label_2 or example_label_3" in problem.remedy


def files_of(example):
    """Return the texts of the files of an example by their paths, with ID for its id."""
    ending = example.rpartition("_")[2]
    return {
        path.replace(example, "ID"): data.decode().replace(example, "ID").replace(f"truth.{ending}", "TRUTH")
        for path, data in folder_files(EXAMPLES).items()
        if example in path
    }


@pytest.mark.parametrize("value", ["label", "number", "columns"])
def test_examples_of_one_value_differ_only_in_what_knows_the_format(value):
    of_csv, of_json = files_of(f"example_{value}_csv"), files_of(f"example_{value}_json")
    different = {path for path in {*of_csv, *of_json} if of_csv.get(path) != of_json.get(path)}
    knows_format = re.compile(r"(pages|starting_kit|validator|tests/golden)/|quality/ID/files\.py")
    assert sorted(path for path in different if not knows_format.match(path)) == []


def test_examples_of_one_format_have_the_same_reference_and_quality():
    of_label, of_number = files_of("example_label_json"), files_of("example_number_json")
    for path in ("scoring_program/challenges/ID/reference.py", "quality/ID/task.py", "quality/ID/files.py"):
        assert of_label[path] == of_number[path]


def annotations_of_example(task_id):
    return import_module(f"task_templates.organizer.challenges.{task_id}").ANNOTATIONS[task_id]


def content_of_example(of_task):
    return import_module(f"task_templates.organizer.challenges.{of_task.task.id}").content_of(of_task)


def test_baselines_are_in_order_and_repeat_with_a_seed(example):
    made_up, folder = example
    of_task, annotations = loaded(made_up.id, folder / "ref"), annotations_of_example(made_up.id)
    sign = 1 if of_task.task.higher_is_better else -1
    scores = {}
    for baseline, prediction in predict_baselines(annotations, of_task.reference):
        result = of_task.score(of_task.read(annotations.files(prediction)))
        scores[baseline] = sign * result.scores["score"]
    assert set(scores) == set(annotations.baselines)
    assert scores.pop(Baseline.PERFECT) == annotations.perfect_scores[0]
    noisy = scores.pop(Baseline.NOISY)
    assert max(scores.values()) < noisy < annotations.perfect_scores[0]
    again = dict(predict_baselines(annotations, of_task.reference))[Baseline.NOISY]
    assert of_task.score(of_task.read(annotations.files(again))).scores["score"] == sign * noisy


def test_parts_of_a_reference_are_references_of_their_items(example):
    made_up, folder = example
    of_task, annotations = loaded(made_up.id, folder / "ref"), annotations_of_example(made_up.id)
    classes = annotations.classes(of_task.reference)
    assert list(classes) == list(of_task.items)
    assert len({name for names in classes.values() for name in names}) >= 3
    items = frozenset(list(of_task.items)[5:25])
    (folder / "part").mkdir()
    annotations.cut(folder / "ref", of_task.reference, items, folder / "part")
    part = loaded(made_up.id, folder / "part")
    assert list(part.items) == sorted(items)
    selected = of_task.select_items(items)
    sample = folder / "good"
    assert part.score_path(sample).scores == selected.score_path(sample).scores


def test_demo_data_holds_no_likely_mistake(example):
    made_up, folder = example
    content = content_of_example(loaded(made_up.id, folder / "ref"))
    assert content.is_checked and content.warnings.ok
    assert content.counts["items"] == 60
    assert content.names or content.values


def numbers_in_columns(*rows):
    return [{"example_column_1": first, "example_column_2": second} for first, second in rows]


def segments(*times):
    return [{"label": "example_label_1", "start": start, "end": end} for start, end in times]


FINE = [number / 7 for number in range(20)]
# The values of all items, and the code, the file and the place of each warning.
SPOILED = [
    ("example_label_csv", ["example_label_1"] * 5, [("R-CONSTANT", "truth.csv", "")]),
    ("example_number_json", [*FINE, *[0.5] * 20], [("R-FREQUENT", "truth.json", "")]),
    ("example_columns_csv", numbers_in_columns(*zip(FINE, [7.0] * 20)), [("R-CONSTANT", "truth.csv", "")]),
    (
        "example_columns_json",
        numbers_in_columns(*zip([*FINE, FINE[3]], [*FINE, FINE[3]])),
        [("R-SAME", "truth.json", "item_20")],
    ),
    (
        "example_lists_json",
        [["example_label_2"], ["example_label_2", "example_label_1"]],
        [("R-CONSTANT", "truth.json", "")],
    ),
    (
        "example_segments_json",
        [segments((0, 2), (0, 2), (1, 3)), segments((4, 5)), segments((4, 5))],
        [
            ("R-SAME", "item_02", ""),
            ("R-REPEATED", "truth.json", "/item_00/1"),
            ("R-OVERLAP", "truth.json", "/item_00/2"),
        ],
    ),
]


@pytest.mark.parametrize(("task_id", "values", "places"), SPOILED)
def test_likely_mistakes_in_a_reference_are_warned_of(tmp_path, task_id, values, places):
    truth = {f"item_{number:02d}": value for number, value in enumerate(values)}
    write_case(quality_tasks(QUALITY)[task_id], tmp_path, truth, truth)
    assert places_of(content_of_example(loaded(task_id, tmp_path / "ref")).warnings) == places


@pytest.mark.parametrize(("start", "end"), [(2, 2), (3, 2.5), (-1, 2), (0, "2")])
def test_segments_that_do_not_end_after_their_start_are_refused(tmp_path, start, end):
    made_up = quality_tasks(QUALITY)["example_segments_json"]
    made_up.write_reference(tmp_path / "ref")
    right_and_wrong = segments((0, 1), (start, end))
    (problem,) = changed(made_up, tmp_path, lambda values: values.update(demo_00003=right_and_wrong))
    place = {-1: "/demo_00003/1/start", 0: "/demo_00003/1/end"}.get(start, "/demo_00003/1")
    assert problem.where == place
    assert problem.code == ("E-SEGMENT-ORDER" if start > 0 else "E-JSON-SCHEMA")


def test_segments_are_matched_as_the_brute_force_says_whatever_their_order():
    rng, match = random.Random(1), import_module("task_templates.scoring_program.metrics.segment_f1").match
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
