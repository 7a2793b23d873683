"""What models write, as every command and function takes it: segments, tables, boxes of language models."""

from __future__ import annotations

import csv
import json
import pickle
import shlex
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.files import folder_files
from people_in_video import Evaluator, SubmissionError, check, compare, convert, score
from people_in_video.__main__ import main
from people_in_video.chalearn import converter as chalearn_converter
from people_in_video.densepose import converter as densepose_converter
from people_in_video.densepose import writer as densepose_writer
from scoring_program.run import INVALID, SCORED
from tests.helpers import (
    REFERENCES,
    SAMPLES,
    calls_of,
    every_fourth,
    fewer_examples,
    make_zip,
    n_calls,
    one_task,
)
from tests.starting_kit.test_conversion import IUV, coco_entry, problem_of, rows_of_zip

GESTURES, ACTIONS = "chalearn_gesture", "chalearn_action"
BOXES = ("anet_entities_gt", "anet_entities_gen")
RATE = 20


def text_of(problem):
    return f"{problem.problem}; {problem.remedy}"


def rows_of_sample(task, name="good"):
    """Return sequence, values and frames of each row."""
    rows = []
    for sequence, values in calls_of(task, folder_files(SAMPLES / task / name)):
        rows += [(sequence, *map(int, row)) for row in values]
    return rows


def segments(rows, certainty=0.9):
    """Return rows of gestures as the JSON of ActivityNet has them: seconds from the start of the video."""
    results = {}
    for sequence, label, first, last in rows:
        segment = [(first - 1) / RATE, last / RATE]
        results.setdefault(sequence, []).append({"label": label, "score": certainty, "segment": segment})
    return results


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def data_folder(tmp_path, **rates):
    folder = tmp_path / "data"
    folder.mkdir(exist_ok=True)
    for item, rate in rates.items():
        (folder / f"{item}_data.csv").write_text(f"1000,{rate},8000\n")
    return folder


# -- what temporal detectors write


@pytest.mark.parametrize("is_bare", [False, True])
@pytest.mark.parametrize("option", ["reference", "public"])
def test_the_json_of_temporal_detectors_becomes_the_rows_that_it_was_made_of(is_bare, option, tmp_path):
    rows = rows_of_sample(GESTURES)
    results = segments(rows)
    source = write(tmp_path / "a.json", results if is_bare else {"version": "1.3", "results": results})
    options: Any = {option: REFERENCES / GESTURES}
    convert(GESTURES, source, tmp_path / "my.zip", **options)
    assert sorted(rows_of_zip(tmp_path / "my.zip")) == sorted(rows)


def test_seconds_need_frame_rates_and_an_unknown_sequence_is_counted(tmp_path):
    segment = {"label": 3, "segment": [0.1, 0.5]}
    source = write(tmp_path / "a.json", {"A": [segment], "B": [segment, segment]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert "--public" in problem.remedy
    assert "--reference" in problem.remedy
    (note,) = convert(GESTURES, source, tmp_path / "my.zip", public=data_folder(tmp_path, A=10))
    assert note.text.startswith("2 rows of 1 sequence ")
    assert rows_of_zip(tmp_path / "my.zip") == [("A", 3, 2, 5)]
    write(tmp_path / "a.json", {"C": [segment], "B": [segment]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", public=tmp_path / "data"))
    assert "none of 2 sequences is in the data, the first is B" in problem.problem
    assert problem.remedy == "yours are 'B', 'C', the data's 'A'"
    write(tmp_path / "a.json", {"v_A.mp4": [segment]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", public=tmp_path / "data"))
    assert problem.remedy == "write them as in the data, as 'A' for 'v_A.mp4'"


def test_a_json_file_of_another_form_is_told_before_what_seconds_need(tmp_path):
    source = write(tmp_path / "a.json", {"A": [[3, 1, 5]]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert "it is no segment" in problem.problem


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"results": []},
        {"A": {}},
        {"A": [1]},
        {"A": [{"label": 1}]},
        {"A": [{"label": 1, "segment": [1]}]},
        {"A": [{"label": 1, "segment": "ab"}]},
        {"A": [{"label": 1, "segment": [1, "x"]}]},
        {"A": [{"label": 1, "segment": [2, 1]}]},
        {"A": [{"label": 1, "segment": [1e300, 1.7e308]}]},
        {"A": [{"label": None, "segment": [1, 2]}]},
        {"../A": [{"label": 1, "segment": [1, 2]}]},
    ],
)
def test_other_json_of_temporal_detectors_is_refused_in_one_line(content, tmp_path):
    source = write(tmp_path / "a.json", content)
    public = data_folder(tmp_path, A=RATE)
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", public=public))
    assert problem.code == "E-TOOL-FILE"
    assert not (tmp_path / "my.zip").exists()


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("video-id,t-start,t-end,label", "S,0.2,0.5,3"),
        ("Video-ID,T-Start,T-End,Label", "S,0.2,0.5,3"),
        ("item,start,end,class", "S,5,10,3"),
        ("VIDEO,Start,End,GESTURE", "S,5,10,perfetto"),
        ("sequence,start_frame,stop_frame,label", "S,5,10,PERFETTO"),
        ("item,start frame,end frame,class", "S,5,10,3.0"),
    ],
)
def test_the_names_of_columns_of_the_field_are_known_and_tell_the_unit(header, row, tmp_path):
    source = write(tmp_path / "a.csv", f"{header}\n{row}\n")
    convert(GESTURES, source, tmp_path / "my.zip", public=data_folder(tmp_path, S=RATE))
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 3, 5, 10)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("S,3,5,10\nS,4,11,12\n", ["the first line is a row", "item,class,start,end"]),
        ("3,5,10\n4,11,12\n", ["the first line is a row", "a file for each sequence"]),
        ("item,video,class,start,end\n", ["item is there twice"]),
        ("item,class,t-start,end\n", ["two units"]),
        ("item,frame,class\nS,1,background\n", ["start is missing", "labels of frames"]),
    ],
)
def test_a_table_without_the_columns_says_what_is_there(text, words, tmp_path):
    source = write(tmp_path / "a.csv", text)
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert [word for word in words if word not in text_of(problem)] == []


def test_seconds_after_the_end_of_the_video_are_refused_at_their_row(tmp_path):
    source = write(tmp_path / "a.csv", "item,t-start,t-end,class\nS,1,2,3\nS,197,265,3\n")
    problem = problem_of(
        lambda: convert(GESTURES, source, tmp_path / "my.zip", public=data_folder(tmp_path, S=20))
    )
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "a.csv")
    assert "row 2: 197 to 265 seconds are after the end of the video, 50" in text_of(problem)


def test_the_file_of_one_sequence_is_told_from_a_table(tmp_path):
    source = write(tmp_path / "S_prediction.csv", "3,5,10\n4,11,12\n")
    problem = problem_of(lambda: score(GESTURES, source))
    assert "one sequence" in problem.problem
    assert "zip" in problem.remedy


def test_rows_of_background_are_left_out_with_their_number(tmp_path):
    source = write(
        tmp_path / "a.csv", "item,class,start,end\nS,Background,1,4\nS,3,5,10\nS,background,11,12\n"
    )
    (note,) = convert(GESTURES, source, tmp_path / "my.zip")
    assert note.text.startswith("2 rows of background ")
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 3, 5, 10)]


def test_a_class_0_is_refused_until_it_is_the_first_class(tmp_path):
    source = write(tmp_path / "a.csv", "item,class,start,end\nS,0,1,4\nS,19,5,10\nS,vattene,11,12\n")
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert problem.problem.startswith("row 1: ")
    assert "--first-class 0" in problem.remedy
    convert(GESTURES, source, tmp_path / "my.zip", first_class=0)
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 1, 1, 4), ("S", 20, 5, 10), ("S", 1, 11, 12)]


def test_a_class_beyond_those_from_0_is_refused_as_it_is_written(tmp_path):
    source = tmp_path / "rows.csv"
    source.write_text("item,class,start,end\nS,20,1,5\n")
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", first_class=0))
    assert "the class is 20" in problem.problem
    assert "leave the option out" in problem.remedy


# -- scores


@fewer_examples()
@given(st.lists(st.integers(0, 100), min_size=2, max_size=30))
def test_a_column_of_scores_is_named_with_what_a_threshold_does(tmp_path_factory, percents):
    folder = tmp_path_factory.mktemp("scores")
    rows = [
        f"S,3,{10 * place + 1},{10 * place + 2},{percent / 100}" for place, percent in enumerate(percents)
    ]
    source = write(folder / "a.csv", "\n".join(["item,class,start,end,confidence", *rows]))
    (note,) = convert(GESTURES, source, folder / "my.zip")
    assert note.text.startswith(f"confidence is not read: all {len(rows)} rows ")
    if len(set(percents)) == 1:
        return
    n_low = sum(percent < 30 for percent in percents)
    if n_low == 0:
        assert note.text.endswith(f"scores go from {min(percents) / 100:g} to {max(percents) / 100:g}")
        return
    if n_low == len(rows):
        # A threshold of 0.3 would leave none.
        assert "min-score" not in note.text
        problem = problem_of(lambda: convert(GESTURES, source, folder / "other.zip", min_score=0.3))
        assert f"{n_low} rows" in problem.problem
        return
    assert f" {n_low} have less than 0.3" in note.text
    notes = convert(GESTURES, source, folder / "my.zip", min_score=0.3)
    assert len(rows_of_zip(folder / "my.zip")) == len(rows) - n_low
    assert [note.text.split()[0] for note in notes] == [str(n_low)] * bool(n_low)


def test_scores_that_are_no_probabilities_have_their_median_as_the_threshold(tmp_path):
    source = write(tmp_path / "a.csv", "item,class,start,end,score\nS,3,1,2,-4\nS,3,5,6,2\nS,3,8,9,7\n")
    (note,) = convert(GESTURES, source, tmp_path / "my.zip")
    assert " 1 have less than 2," in note.text


def test_the_scores_of_the_participants_table_count_through_a_threshold(tmp_path):
    """The same segments with forty uncertain ones: a threshold gives the score of the certain ones."""
    rows = [(*row, 0.9) for row in rows_of_sample(GESTURES)]
    uncertain = [
        (sequence, 1 + (label + 3) % 20, first, last, 0.1) for sequence, label, first, last, _ in rows
    ]
    lines = [",".join(map(str, row)) for row in rows + uncertain]
    source = write(tmp_path / "a.csv", "\n".join(["item,class,start,end,score", *lines]))
    everything = score(GESTURES, source)
    assert f" {len(uncertain)} have less than 0.3" in " ".join(note.text for note in everything.notes)
    certain = score(GESTURES, source, min_score=0.3)
    assert certain.score == score(GESTURES, SAMPLES / GESTURES / "good").score > everything.score + 0.2


def test_a_threshold_needs_scores(tmp_path):
    source = write(tmp_path / "a.csv", "item,class,start,end\nS,3,1,2\n")
    assert (
        "column score"
        in problem_of(lambda: convert(GESTURES, source, tmp_path / "o.zip", min_score=1)).problem
    )


# -- one way in for all commands and functions


def table_in_seconds(path):
    rows = rows_of_sample(GESTURES)
    lines = [f"{s},{label},{(first - 1) / RATE},{last / RATE}" for s, label, first, last in rows]
    return write(path, "\n".join(["item,class,start,end", *lines]))


@pytest.mark.parametrize("command", ["convert", "check", "score", "compare", "explain"])
def test_every_command_takes_a_table_in_seconds(command, tmp_path, capsys):
    source = table_in_seconds(tmp_path / "a.csv")
    words = {
        "convert": [GESTURES, str(source), str(tmp_path / "my.zip")],
        "check": [GESTURES, str(source)],
        "score": [GESTURES, str(source), "--output", str(tmp_path / "out")],
        "compare": [
            GESTURES,
            str(source),
            str(SAMPLES / GESTURES / "weak"),
            "--output",
            str(tmp_path / "out"),
        ],
        "explain": [GESTURES, str(source)],
    }[command]
    if command != "compare":
        assert main([command, *words]) == INVALID
        assert "--unit seconds" in "".join(capsys.readouterr())
    if command == "compare":
        words.pop(2)
    assert main([command, *words, "--unit", "seconds", "--public", str(REFERENCES / GESTURES)]) == SCORED


@pytest.mark.parametrize("option", ["--public", "--reference"])
def test_check_says_how_a_file_becomes_the_zip_that_is_uploaded(option, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = table_in_seconds(tmp_path / "my table.csv")
    folder = str(REFERENCES / GESTURES)
    assert main(["check", GESTURES, str(source), "--unit", "seconds", option, folder]) == SCORED
    *_, last_line = capsys.readouterr().out.splitlines()
    program, *words = shlex.split(last_line.partition(": ")[2])
    assert program == "people-in-video"
    assert main(words) == SCORED
    assert score(GESTURES, tmp_path / "my.zip").score == score(GESTURES, SAMPLES / GESTURES / "good").score
    capsys.readouterr()
    assert main(["check", GESTURES, "my.zip"]) == SCORED
    assert "convert" not in capsys.readouterr().out


def test_every_function_takes_a_table_in_seconds(tmp_path):
    source = table_in_seconds(tmp_path / "a.csv")
    expected = score(GESTURES, SAMPLES / GESTURES / "good").score
    assert score(GESTURES, source, unit="seconds").score == expected
    assert score(GESTURES, source, unit="seconds", public=REFERENCES / GESTURES).score == expected
    assert check(GESTURES, source, public=REFERENCES / GESTURES, unit="seconds") == []
    comparison = compare(GESTURES, {"table": source, "table again": source}, unit="seconds")
    assert comparison.standings.scores == pytest.approx([expected, expected])
    with pytest.raises(SubmissionError, match="--unit seconds"):
        score(GESTURES, source)


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
    median = float(np.median([entry["score"] for entry in content]))
    notes = convert("densepose", content, tmp_path / "my.zip", min_score=median)
    assert "the score is below" in notes[0].text


# -- hostile files


def test_a_key_twice_is_refused_by_convert_as_by_check(tmp_path):
    entry = json.dumps(coco_entry({"uv": IUV.tolist()}))
    cases = {
        "densepose": f'[{entry[:-1]}, "score": 0.1}}]',
        "anet_entities_gt": '{"results": {}, "results": {}}',
        GESTURES: '{"A": [{"label": 1, "segment": [1, 2], "label": 2}]}',
    }
    for task, text in cases.items():
        source = write(tmp_path / "a.json", text)
        problem = problem_of(lambda: convert(task, source, tmp_path / "my.zip"))  # noqa: B023
        assert problem.code == "E-JSON-DUPLICATE"
        assert not (tmp_path / "my.zip").exists()


# In an order in which every fourth is what a file of JSON may be, and the next what a table may be.
HOSTILE = {
    "nothing": b"",
    "zeros": bytes(1000),
    "pickle": pickle.dumps([1]),
    "gzip": b"\x1f\x8b\x08\x00",
    "deep": b"[" * 100_000,
    "latin": "Zoë".encode("latin-1"),
    "npy": b"\x93NUMPY\x01\x00",
    "page": b"<!DOCTYPE html><html></html>",
    "deep object": b'{"a":' * 100_000,
    "commas": b"," * 100_000,
    "zip": make_zip({"a": "b"}),
    "numbers": b"9" * 100_000,
    "names": b'{"results": {"a": [{"segment": [1, 2], "label": "' + b"x" * 100_000 + b'"}]}}',
    "quotes": b'"' * 99_999,
}


ENDINGS = [".json", ".csv", ".pkl", ".txt"]
# Each kind with each ending; every fourth has each kind once.
HOSTILE_FILES = [
    (kind, ENDINGS[(number + place) % 4]) for number, kind in enumerate(HOSTILE) for place in range(4)
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "ending"), every_fourth(HOSTILE_FILES))
def test_no_damaged_file_ends_in_anything_but_a_short_message(kind, ending, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / f"a{ending}"
    source.write_bytes(HOSTILE[kind])
    for task in ("densepose", "anet_entities_gt", GESTURES, "kinetics_tps"):
        for words in (["convert", task, str(source), "my.zip"], ["score", task, str(source)]):
            assert main(words) == INVALID, words
            printed = capsys.readouterr()
            assert "Traceback" not in printed.err
            assert max(map(len, printed.err.splitlines())) < 600
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


def test_one_detection_named_a_hundred_times_is_written_once(tmp_path):
    entries = [coco_entry({"densepose": IUV})] * 100
    convert("densepose", entries, tmp_path / "my.zip")
    once = tmp_path / "once.zip"
    convert("densepose", entries[:1], once)
    assert (tmp_path / "my.zip").stat().st_size == once.stat().st_size


def test_a_csv_in_memory_and_on_disk_give_the_same_rows(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = rows_of_sample(ACTIONS)
    names = ["video-id", "actor", "label", "start", "end"]
    with (tmp_path / "a.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows])
    frame = pandas.DataFrame(rows, columns=names)
    assert score(ACTIONS, frame).score == score(ACTIONS, tmp_path / "a.csv").score
