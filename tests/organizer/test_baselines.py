"""Baselines: what they score, which items cost a perfect one points, and where they are recognized."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from organizer import baselines as module
from organizer.__main__ import main
from organizer.baselines import predict_baselines
from organizer.data.prepare import prepare
from organizer.files import write_files
from organizer.tasks import BaselineKind, annotations_of
from organizer.tasks import densepose as of_densepose
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES, loaded, one_of_each_challenge, one_of_each_format
from validator.__main__ import main as validator_main

GESTURE, KINETICS, DENSEPOSE = "chalearn_gesture", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
NAMES = ["perfect", "empty", "most frequent", "random", "one class", "noisy"]


def baselines(name, reference, output):
    assert main(f"baselines {name} --reference {reference} --output {output}".split()) == 0
    return json.loads((output / "baselines.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of_each_challenge(PUBLISHED))
def test_scores_of_baselines_are_in_order(tmp_path, name, capsys):
    found = baselines(name, REFERENCES, tmp_path)
    capsys.readouterr()
    scores = {baseline["name"]: baseline["score"] for baseline in found["baselines"]}
    assert list(scores) == NAMES
    assert scores["empty"] == 0
    assert max(scores["most frequent"], scores["random"]) < scores["noisy"] < scores["perfect"]
    usual = 0.99995 if name == KINETICS else 1
    assert found["perfect"]["usual"] == usual
    if name == GENERATED:
        assert 0.99 < scores["perfect"] < 1
        assert len(found["perfect"]["causes"]) == 1
    else:
        assert (scores["perfect"], found["perfect"]["causes"]) == (usual, [])
    # Without an interval, all halves score the same.
    with_interval = [baseline for baseline in found["baselines"] if "low" in baseline]
    assert "noisy" in [baseline["name"] for baseline in with_interval]
    assert all(baseline["low"] <= baseline["score"] <= baseline["high"] for baseline in with_interval)
    for baseline in scores:
        path = tmp_path / f"{baseline.replace(' ', '_')}.zip"
        assert validator_main([name, str(path)]) == 0
        (note,) = [line for line in capsys.readouterr().out.splitlines() if "N-BASELINE" in line]
        assert f" {baseline} baseline of {name}" in note
        with zipfile.ZipFile(path) as archive:
            assert archive.read("BASELINE.txt").startswith(f"{baseline} baseline of {name}\n".encode())


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of_each_format(PUBLISHED))
def test_prepared_reference_gives_the_same_baselines(tmp_path, name):
    prepare(name, REFERENCES / name, tmp_path / name)
    for source, output in ((REFERENCES, "official"), (tmp_path / name, "prepared")):
        baselines(name, source, tmp_path / output)
    for path in (tmp_path / "official").glob("*.zip"):
        assert path.read_bytes() == (tmp_path / "prepared" / path.name).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of_each_format(PUBLISHED))
def test_released_perfect_score_is_the_usual_one(tmp_path, name):
    reference = tmp_path / name
    shutil.copytree(REFERENCES / name, reference)
    (reference / "settings.yaml").write_text("protocol: released\n")
    found = baselines(name, reference, tmp_path / "out")
    expected = 0.9999 if name == KINETICS else 1
    assert found["baselines"][0]["score"] == pytest.approx(expected, abs=0.01 if name == GENERATED else 1e-9)


def one_frame(folder):
    path = folder / "DemoSequence0003_labels.csv"
    path.write_text(path.read_text() + "4,50,50\n")
    (folder / "settings.yaml").write_text("protocol: released\n")


def edited(name, edit):
    def change(folder):
        data = json.loads((folder / name).read_text())
        edit(data)
        (folder / name).write_text(json.dumps(data))

    return change


def equal_boxes(data):
    humans = next(frame["humans"] for frame in data["demo_00003"].values())
    part = {"head": {"number": 1, "box": [1, 1, 9, 9], "verb": "none", "name": "head"}}
    humans.append({"number": 9, "box": humans[0]["box"], "parts": part})


def crowd(data):
    humans = next(frame["humans"] for frame in data["demo_00003"].values())
    for n in range(12):
        humans.append({**humans[0], "number": n + 20, "box": [n * 300, 900, n * 300 + 90, 990]})


def one_pixel(data):
    segment = data["annotations"]["v_demo000003"]["segments"]["0"]
    segment["process_bnd_box"][0] = [5, 5, 5, 5]


def without_masks(data):
    data["annotations"][4]["dp_masks"] = []


CASES = [
    (GESTURE, "DemoSequence0003", one_frame),
    (KINETICS, "demo_00003", edited("gt_part_result.json", equal_boxes)),
    (KINETICS, "demo_00003", edited("gt_part_result.json", crowd)),
    (GIVEN, "v_demo000003", edited("reference.json", one_pixel)),
    (DENSEPOSE, "", edited("annotations.json", without_masks)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "item", "change"), CASES)
def test_item_that_costs_a_perfect_submission_points_is_named_with_its_score(
    tmp_path, capsys, name, item, change
):
    reference = tmp_path / name
    shutil.copytree(REFERENCES / name, reference)
    change(reference)
    found = baselines(name, reference, tmp_path / "out")["perfect"]["causes"]
    assert len(found) == 1
    assert item in found[0]["item"]
    printed = capsys.readouterr().out
    assert f"  {found[0]['item']} {found[0]['score']:.4f}\n" in printed
    assert "R-CEILING" not in printed


@pytest.mark.slow
def test_vertex_without_its_own_8_bit_point_gets_the_nearest(tmp_path):
    prepare(DENSEPOSE, REFERENCES / DENSEPOSE, tmp_path / "ref")
    reference = loaded(DENSEPOSE, tmp_path / "ref").reference
    nearest, vertex = reference.template.nearest, int(reference.persons.vertex[0])
    before = of_densepose._cells(reference)
    assert nearest.ravel()[before[vertex]] == vertex
    nearest[nearest == vertex] = -1
    after = of_densepose._cells(reference)
    other = int(nearest.ravel()[after[vertex]])
    assert other not in (vertex, -1)
    candidates = np.setdiff1d(np.unique(nearest), [-1])
    from scoring_program.metrics.geodesic import pair_position

    distances = reference.template.lookup(pair_position(np.full(len(candidates), vertex), candidates))
    assert distances[candidates.tolist().index(other)] == distances.min()


def test_one_object_suits_several_words_of_a_class_on_different_frames():
    of_task = loaded(GENERATED, REFERENCES / GENERATED)
    words = of_task.reference.words
    predicted = dict(predict_baselines(annotations_of(GENERATED), of_task.reference))[BaselineKind.PERFECT]
    assert sum(len(segment["clss"]) for of in predicted.values() for segment in of.values()) < len(
        words.label
    )
    for of_video in predicted.values():
        for segment in of_video.values():
            assert len(set(segment["clss"])) == len(segment["clss"])


@pytest.mark.slow
def test_expected_uncertainty_is_that_of_two_noisy_submissions(tmp_path, capsys):
    # It takes a second in each process that collects tests.
    from scipy.stats import t as student_t

    expected = baselines(GESTURE, REFERENCES, tmp_path)["expected"]
    printed = capsys.readouterr().out
    numbers = [f"{expected[key]:.4f}" for key in ("half_width", "visible_difference")]
    assert re.findall(r" about (\d\.\d+)", printed) == numbers
    reference = loaded(GESTURE, REFERENCES / GESTURE)
    annotations, half_widths, halves = annotations_of(GESTURE), [], []
    for seed in (27, 28):
        prediction = annotations.noisy(reference.reference, np.random.default_rng(seed), 0.3)
        write_files(annotations.files(prediction), tmp_path / str(seed))
        result = reference.score_path(tmp_path / str(seed))
        half_widths.append((result.interval.high - result.interval.low) / 2)
        halves.append(np.array([result.halves.first, result.halves.second]))
    assert expected["half_width"] == pytest.approx(sum(half_widths) / 2, abs=1e-6)
    # Both halves have 6 of the 12 sequences, so that their spread is the standard error.
    difference = halves[0] - halves[1]
    standard_error = np.sqrt(np.mean((difference - difference.mean(axis=1, keepdims=True)) ** 2))
    quantile = student_t.ppf(0.975, 11)
    assert expected["visible_difference"] == pytest.approx(quantile * standard_error, abs=1e-6)


def test_expected_uncertainty_has_the_decimals_that_participants_see(tmp_path, capsys):
    shutil.copytree(REFERENCES / GESTURE, tmp_path / GESTURE)
    (tmp_path / GESTURE / "settings.yaml").write_text("score_decimals: 2\n")
    baselines(GESTURE, tmp_path / GESTURE, tmp_path / "out")
    assert re.findall(r" about (\d\.\d+)", capsys.readouterr().out) == ["0.11", "0.18"]


def test_few_items_show_no_difference(tmp_path, capsys):
    shutil.copytree(REFERENCES / GESTURE, tmp_path / GESTURE)
    for path in sorted((tmp_path / GESTURE).glob("*_*.csv"))[18:]:
        path.unlink()
    found = baselines(GESTURE, tmp_path / GESTURE, tmp_path / "out")
    assert found["expected"] is None
    printed = capsys.readouterr().out
    assert " 9 sequences " in printed
    assert " 10 sequences" in printed


def test_a_perfect_score_that_is_worse_where_lower_is_better_is_a_warning(tmp_path, capsys, monkeypatch):
    """The perfect submission scores 1 where the usual one is made to be 0."""
    task = load_task(GESTURE)
    columns = [column._replace(sorting="asc") for column in task.columns]
    monkeypatch.setattr(module, "load_task", lambda task_id: replace(task, columns=columns))
    monkeypatch.setattr(type(annotations_of(GESTURE)), "perfect_scores", (0.0, 0.0))
    found = baselines(GESTURE, REFERENCES, tmp_path)
    printed = capsys.readouterr().out
    assert "a perfect submission scores 1.000000, usually 0" in printed
    assert "R-CEILING" in printed
    assert len(found["perfect"]["causes"]) == 12
