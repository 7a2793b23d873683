"""The score of each item by itself, with its weight, and what is missing."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from people_in_video.csv_table import item_rows
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, loaded

# The number of `Result.scores` that the weighted mean of the scores of items is, where it is one.
MEANS = {
    "anet_entities_gen": "score",
    "anet_entities_gt": "word_accuracy",
    "chalearn_action": "score",
    "chalearn_gesture": "score",
    "kinetics_tps": "average_video_accuracy_exact",
}


@pytest.fixture
def sample(request, tmp_path):
    """Return the task and a copy of its weak sample without the first half of what it predicts."""
    folder = shutil.copytree(SAMPLES / request.param / "weak", tmp_path / "sample")
    paths = sorted(folder.iterdir())
    for path in paths[: len(paths) // 2] if paths[0].suffix == ".csv" else ():
        path.unlink()
    for path in paths if paths[0].suffix == ".json" else ():
        whole = json.loads(path.read_text())
        if isinstance(whole, list):
            kept: object = [
                entry for entry in whole if entry["image_id"] > whole[len(whole) // 2]["image_id"]
            ]
        else:
            entries = whole.get("results", whole)
            half = dict(sorted(entries.items())[len(entries) // 2 :])
            kept = {**whole, "results": half} if "results" in whole else half
        path.write_text(json.dumps(kept))
    return request.param, folder


@pytest.mark.slow
@pytest.mark.parametrize("sample", PUBLISHED, indirect=True)
def test_what_is_not_submitted_counts_0_where_it_lowers_the_score(sample):
    task, folder = sample
    result = loaded(task, REFERENCES / task).score_path(folder)
    rows = item_rows(result)
    assert [row["item"] for row in rows] == list(result.items)
    missing = [row for row in rows if not row["submitted"]]
    assert 0 < len(missing) < len(rows)
    assert {row["score"] for row in missing if row["weight"]} == {0.0}
    assert all((row["score"] is None) == (row["weight"] == 0) for row in rows)
    if task in MEANS:
        assert mean_of_rows(rows) == pytest.approx(result.scores[MEANS[task]], abs=1e-12)


def mean_of_rows(rows):
    return np.average([row["score"] or 0.0 for row in rows], weights=[row["weight"] for row in rows])


@pytest.mark.slow
def test_generated_sentences_that_are_not_submitted_have_no_released_weight(tmp_path):
    folder = shutil.copytree(SAMPLES / "anet_entities_gen" / "good", tmp_path / "sample")
    path = folder / "submission_gen.json"
    whole = json.loads(path.read_text())
    missing = whole["results"].popitem()[0]
    path.write_text(json.dumps(whole))
    result = loaded("anet_entities_gen", REFERENCES / "anet_entities_gen", protocol="released").score_path(
        folder
    )
    rows = {row["item"]: row for row in item_rows(result)}
    assert rows[missing] == {"item": missing, "submitted": False, "score": None, "weight": 0}
    assert mean_of_rows(rows.values()) == pytest.approx(result.scores["score"], abs=1e-12)


@pytest.mark.parametrize("submitted", [False, True])
def test_videos_without_annotations_are_a_row_that_counts_0(tmp_path, submitted):
    reference = shutil.copytree(REFERENCES / "anet_entities_gen", tmp_path / "reference")
    folder = shutil.copytree(SAMPLES / "anet_entities_gen" / "good", tmp_path / "sample")
    lists = ("process_clss", "process_idx", "process_bnd_box", "frame_ind", "tokens")
    empty = {key: [] for key in lists}
    for path, key, entry in (
        (reference / "reference.json", "annotations", {"segments": {"0": empty, "1": empty}}),
        (
            folder / "submission_gen.json",
            "results",
            {"0": {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}},
        ),
    ):
        whole = json.loads(path.read_text())
        if key == "annotations" or submitted:
            whole[key]["v_elsewhere"] = entry
        path.write_text(json.dumps(whole))
    split = json.loads((reference / "split.json").read_text())
    (reference / "split.json").write_text(json.dumps({"validation": [*split["validation"], "v_elsewhere"]}))
    result = loaded("anet_entities_gen", reference).score_path(folder)
    rows = item_rows(result)
    assert rows[-1] == {"item": "(outside)", "submitted": submitted, "score": 0.0, "weight": 2}
    assert len(rows) == len(result.items) + 1
    assert mean_of_rows(rows) == pytest.approx(result.scores["score"], abs=1e-12)


def test_segments_outside_of_the_items_are_a_row_that_counts_0_in_released(tmp_path):
    folder = shutil.copytree(SAMPLES / "anet_entities_gen" / "good", tmp_path / "sample")
    path = folder / "submission_gen.json"
    whole = json.loads(path.read_text())
    segments = next(iter(whole["results"].values()))
    whole["results"]["v_elsewhere"] = {"0": next(iter(segments.values())), "1": next(iter(segments.values()))}
    path.write_text(json.dumps(whole))
    result = loaded("anet_entities_gen", REFERENCES / "anet_entities_gen", protocol="released").score_path(
        folder
    )
    *rows, outside = item_rows(result)
    assert outside == {"item": "(outside)", "submitted": True, "score": 0.0, "weight": 2}
    assert len(rows) == len(result.items)
    assert mean_of_rows([*rows, outside]) == pytest.approx(result.scores["score"], abs=1e-12)


@pytest.mark.parametrize("name", ["anet_entities_gt", "anet_entities_gen"])
def test_a_video_of_which_only_segments_without_annotations_are_predicted_is_submitted(tmp_path, name):
    folder = shutil.copytree(SAMPLES / name / "good", tmp_path / "sample")
    (path,) = folder.iterdir()
    whole = json.loads(path.read_text())
    outside, missing, *_ = whole["results"]
    whole["results"][outside] = {"9999": next(iter(whole["results"][outside].values()))}
    del whole["results"][missing]
    path.write_text(json.dumps(whole))
    rows = item_rows(loaded(name, REFERENCES / name).score_path(folder))
    is_submitted = {row["item"]: row["submitted"] for row in rows}
    assert is_submitted[outside]
    assert not is_submitted[missing]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["gpsm", "iou"])
def test_an_image_has_the_mean_of_the_measure_over_its_dense_persons(measure):
    loaded_task = loaded("densepose", REFERENCES / "densepose", measure=measure)
    result = loaded_task.score_path(SAMPLES / "densepose" / "weak")
    statistics = result.statistics
    compared, persons = statistics.pairing, loaded_task.reference.persons
    values = np.sqrt(compared.gps * compared.mask_iou) if measure == "gpsm" else compared.mask_iou
    of_person = np.zeros(len(persons.dense))
    for detection, person in enumerate(statistics.half.person.tolist()):
        for pair in np.flatnonzero(compared.pairs.detection == detection):
            if compared.pairs.person[pair] == person:
                of_person[person] = values[pair]
    for image, row in enumerate(item_rows(result)):
        own = persons.dense & (persons.image == image)
        assert row["weight"] == own.sum()
        assert row["score"] == (pytest.approx(of_person[own].mean()) if own.any() else None)
    assert len({row["score"] for row in item_rows(result)}) > 4


@pytest.mark.slow
def test_images_have_the_cost_that_the_page_shows():
    result = loaded("densepose", REFERENCES / "densepose", detail="full").score_path(
        SAMPLES / "densepose" / "weak"
    )
    (table,) = (section for section in result.sections if section.key == "images")
    cost = [column.title for column in table.columns].index("Cost")
    shown = {row[0]: row[cost] for row in table.rows}
    assert {row["item"]: row["cost"] for row in item_rows(result)} == shown
