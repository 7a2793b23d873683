"""What models write, as every command and function takes it: segments, tables, boxes of language models."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from organizer.files import folder_files
from people_in_video import Evaluator, check, compare, convert, score
from people_in_video.chalearn import converter as chalearn_converter
from people_in_video.densepose import converter as densepose_converter
from people_in_video.densepose import writer as densepose_writer
from tests.helpers import (
    SAMPLES,
    calls_of,
    n_calls,
    one_task,
    text_of,
)
from tests.starting_kit.conversions import IUV, coco_entry, problem_of, write

GESTURES, ACTIONS = "chalearn_gesture", "chalearn_action"
BOXES = ("anet_entities_gt", "anet_entities_gen")
RATE = 20


def test_an_option_that_changes_nothing_is_refused(tmp_path):
    good = SAMPLES / GESTURES / "good"
    assert "--min-score" in problem_of(lambda: score(GESTURES, good, min_score=0.5)).problem
    boxes = SAMPLES / BOXES[0] / "good"
    assert "give the JSON file" in problem_of(lambda: score(BOXES[0], boxes, boxes="640x360")).remedy
    source = write(tmp_path / "a.csv", "item,class,start,end\nS,3,1,2\n")
    problem = problem_of(lambda: score(GESTURES, source, boxes="0-1"))
    assert "has no --boxes" in problem.problem
    assert "--min-score" in problem.remedy
    with pytest.raises(ValueError, match="first_class"):
        score(GESTURES, source, first_class=2)


# -- comparing


@pytest.mark.slow
def test_compare_takes_all_that_score_takes_and_names():
    good, weak = SAMPLES / GESTURES / "good", SAMPLES / GESTURES / "weak"
    predictions: Any = [tuple(arguments) for arguments in calls_of(GESTURES, folder_files(weak))]
    evaluator = Evaluator(GESTURES)
    for arguments in predictions:
        evaluator.update(*arguments)
    named = {"ours": good, "in memory": predictions, "epoch 3": evaluator.compute()}
    comparison = compare(GESTURES, named, baseline="ours")
    weak_score = score(GESTURES, weak).score
    expected = {"ours": score(GESTURES, good).score, "in memory": weak_score, "epoch 3": weak_score}
    scores = dict(zip(comparison.standings.names, comparison.standings.scores))
    assert scores == pytest.approx(expected)
    unnamed = compare(GESTURES, [good, predictions, dict(predictions)])
    assert sorted(unnamed.standings.names) == ["good", "submission 2", "submission 3"]


def test_compare_refuses_scores_that_are_not_comparable_and_what_is_no_submission():
    good = SAMPLES / GESTURES / "good"
    released = score(GESTURES, good, protocol="released")
    with pytest.raises(ValueError, match="of other settings"):
        compare(GESTURES, {"a": good, "b": released})
    with pytest.raises(ValueError, match="interval"):
        compare(GESTURES, {"a": good, "b": score(GESTURES, good, interval=False)})
    for value in (0.5, None):
        with pytest.raises(ValueError, match=type(value).__name__):
            compare(GESTURES, [good, value])
    with pytest.raises(ValueError, match="list"):
        compare(GESTURES, str(good))


# -- boxes of language models


def answers(task, change=lambda box, size: box):
    """Return the good sample with its boxes changed, and the size of each video."""
    (data,) = folder_files(SAMPLES / task / "good").values()
    content = json.loads(data)
    sizes = {}
    for number, (video, segment_of) in enumerate(content["results"].items()):
        sizes[video] = [(1280, 720), (640, 480), (404, 720)][number % 3]
        for objects in segment_of.values():
            for boxes in objects["bbox_for_all_frames"]:
                size = np.array([*sizes[video]] * 2, dtype=float)
                boxes[:] = [change(np.array(box, dtype=float), size).tolist() for box in boxes]
    return content, sizes


def write_sizes(path, sizes):
    rows = [f"{video},{width},{height}" for video, (width, height) in sizes.items()]
    return write(path, "\n".join(["video,width,height", *rows]))


def height_at_720(size):
    return np.array([720, 720 * size[1] / size[0]] * 2)


@pytest.mark.parametrize("task", one_task(BOXES))
@pytest.mark.parametrize(
    ("form", "change"),
    [
        ("0-1", lambda box, size: box / height_at_720(size)),
        ("0-1000", lambda box, size: 1000 * box / height_at_720(size)),
        ("original", lambda box, size: box * size[0] / 720),
        ("448x448", lambda box, size: 448 * box / height_at_720(size)),
    ],
)
def test_boxes_of_language_models_become_pixels_of_the_resized_video(task, form, change, tmp_path):
    content, sizes = answers(task, change)
    source = write(tmp_path / "answers.json", content)
    file = write_sizes(tmp_path / "sizes.csv", sizes)
    found = score(task, source, boxes=form, sizes=file)
    assert found.score == pytest.approx(score(task, SAMPLES / task / "good").score, abs=1e-9)
    assert form in found.notes[0].text
    if form != "448x448":
        assert "--sizes, in Python sizes=" in problem_of(lambda: score(task, source, boxes=form)).remedy


def test_boxes_of_frames_of_one_size_need_no_sizes(tmp_path):
    content, _ = answers(BOXES[0], lambda box, size: box * 640 / 720)
    source = write(tmp_path / "answers.json", content)
    found = score(BOXES[0], source, boxes="640x640")
    assert found.score == pytest.approx(score(BOXES[0], SAMPLES / BOXES[0] / "good").score, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "sizes", "word"),
    [
        ({"boxes": "0-100"}, None, "WIDTHxHEIGHT"),
        ({"boxes": "0x5"}, None, "WIDTHxHEIGHT"),
        ({"boxes": "0-1"}, "video,width,height\nv,1,1\n", "has no v_demo000000"),
        ({"boxes": "0-1"}, "video,width\nv,1\n", "the first line"),
        ({"boxes": "0-1"}, "video,width,height\nv,1,0\n", "line 2"),
        ({"boxes": "0-1"}, "video,width,height\nv,1\n", "line 2"),
        ({}, "video,width,height\n", "--boxes"),
        ({"boxes": "9x9"}, None, "end beyond 9x9"),
    ],
)
def test_what_does_not_fit_the_form_of_boxes_is_refused(options, sizes, word, tmp_path):
    source = write(tmp_path / "answers.json", answers(BOXES[0])[0])
    if sizes is not None:
        options = {**options, "sizes": write(tmp_path / "sizes.csv", sizes)}
    problem = problem_of(lambda: convert(BOXES[0], source, tmp_path / "my.zip", **options))
    assert word in text_of(problem)
    assert not (tmp_path / "my.zip").exists()


@pytest.mark.parametrize(("task", "language"), [*zip(BOXES, ["", "json"])])
def test_one_fence_around_the_whole_is_taken_off_with_a_note(language, task, tmp_path):
    text = json.dumps(answers(task)[0], indent=1)
    source = write(tmp_path / "answers.json", f"\n```{language}\n{text}\n```\n")
    found = score(task, source)
    assert "fence" in found.notes[0].text
    assert found.score == score(task, SAMPLES / task / "good").score
    assert "fence" in check(task, source)[0].text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Sure! Here it is:\n{}\n", 1),
        ("\n\nSure!\n```json\n{}\n```", 3),
        ('```json\n{"results": {}}\nI hope it helps.\n```', 3),
        ('{"results": {}}\n\nThat is all.', 3),
        ('```json\n{"results": {}}\n```\nThat is all.', 1),
    ],
)
def test_prose_beside_the_json_is_refused_with_its_line(text, line, tmp_path):
    source = write(tmp_path / "answers.json", text)
    problem = problem_of(lambda: convert(BOXES[0], source, tmp_path / "my.zip"))
    assert problem.problem.startswith(f"line {line} is ")


# -- detections


def test_a_list_of_detections_in_memory_is_taken_as_its_file(tmp_path):
    content = []
    for image_id, entries in calls_of("densepose", folder_files(SAMPLES / "densepose" / "weak")):
        for box, certainty, iuv in entries:
            content.append(
                coco_entry({"densepose": iuv}, image_id=image_id, bbox=np.array(box), score=certainty)
            )
    first = content[0]["densepose"]
    content[0]["densepose"] = SimpleNamespace(labels_uv_uint8=first)
    expected = score("densepose", SAMPLES / "densepose" / "weak", notes=False).scores
    assert score("densepose", content, notes=False).scores == expected
    assert check("densepose", content) == []
    best = max(entry["score"] for entry in content)
    notes = convert("densepose", content, tmp_path / "my.zip", min_score=best)
    n_lower = sum(entry["score"] < best for entry in content)
    assert notes[0].text.startswith(f"{n_lower} detections left out: the score is below ")


# -- hostile files


ENTRY = json.dumps(coco_entry({"uv": IUV.tolist()}))


@pytest.mark.parametrize(
    ("task", "text", "code"),
    [
        ("densepose", f'[{ENTRY[:-1]}, "score": 0.1}}]', "E-JSON-DUPLICATE"),
        ("densepose", f"[{ENTRY.replace('0.5', 'NaN')}]", "E-JSON-NUMBER"),
        ("anet_entities_gt", '{"results": {}, "results": {}}', "E-JSON-DUPLICATE"),
        (GESTURES, '{"A": [{"label": 1, "segment": [1, 2], "label": 2}]}', "E-JSON-DUPLICATE"),
    ],
)
def test_json_is_refused_by_convert_as_by_check(task, text, code, tmp_path):
    source = write(tmp_path / "a.json", text)
    assert problem_of(lambda: convert(task, source, tmp_path / "my.zip")).code == code
    assert not (tmp_path / "my.zip").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("side", "n_detections"), [(8, 1_000_000), (1000, 100_000)])
def test_one_array_that_is_named_many_times_is_refused_before_it_is_read(tmp_path, side, n_detections):
    entry = coco_entry({"uv": np.zeros((3, side, side), np.uint8)}, bbox=[1.0, 2.0, side, side])
    detections = [entry] * n_detections
    calls, problem = n_calls(problem_of, lambda: convert("densepose", detections, tmp_path / "my.zip"))
    assert calls < 10 * n_detections
    assert "more than" in problem.problem
    assert list(tmp_path.iterdir()) == []


def test_converters_stop_at_their_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(chalearn_converter, "_MOST_ROWS", 3)
    source = write(tmp_path / "a.csv", "item,class,start,end\n" + "S,3,1,2\n" * 4)
    assert "more than 3 rows" in problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip")).problem
    entries = [coco_entry({"densepose": IUV - np.uint8(place)}, score=place / 10) for place in range(4)]
    convert("densepose", entries, tmp_path / "my.zip")
    for module, name, most in (
        (densepose_converter, "_MOST_DETECTIONS", 3),
        (densepose_converter, "_MOST_PIXELS", 2 * 48),
        (densepose_writer, "_MOST_WAITING_BYTES", 500),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, most)
            problem = problem_of(lambda: convert("densepose", entries, tmp_path / "other.zip"))
            assert "more than" in problem.problem
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "my.zip"]
