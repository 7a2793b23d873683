"""Attacks of red teams on notes and refusals, played against what programs run, one against a built program.

Each asks the same question of two references, or asks about something that is hidden and about something that is not
there; what is said must be equal, numbers aside.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from organizer.bundle.programs import program_files
from organizer.data.prepare import reference_files
from organizer.files import folder_files, write_files
from scoring_program.run import load_folder, run
from tests.helpers import REFERENCES, SAMPLES, n_calls

KINETICS, GIVEN, GENERATED = "kinetics_tps", "anet_entities_gt", "anet_entities_gen"
# Boxes that are the same on all frames would be noted.
FAR = [[1, 1, 4 + frame / 10, 4] for frame in range(10)]
# Each unknown name is looked at a few times, and compared with no other one.
MOST_CALLS_PER_NAME = 100


def write_inputs(
    folder: Path, reference: dict[str, bytes], submission: dict[str, Any], settings: dict[str, Any]
) -> None:
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())
    write_files({**reference, "settings.yaml": lines.encode()}, folder / "input" / "ref")
    texts = {name: json.dumps(content).encode() for name, content in submission.items()}
    write_files(texts, folder / "input" / "res")


def all_that_is_said(folder: Path, exit_code: int, stderr: str) -> dict[str, Any]:
    assert exit_code in (0, 1), stderr
    detail = json.loads((folder / "output" / "detailed_results.json").read_text(encoding="utf-8"))
    return {**detail, "stderr": re.sub("(?m)^time: .*\n", "", stderr), "exit_code": exit_code}


@pytest.fixture
def score(tmp_path_factory):
    """Return a function that scores a submission as the program of a task does; it returns all that is said."""

    def score_here(
        task: str, reference: dict[str, bytes], submission: dict[str, Any], **settings: Any
    ) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("run")
        write_inputs(folder, reference, submission, settings)
        load = partial(load_folder, task, folder / "input" / "ref")
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as stderr:
            outcome = run(load, folder / "input" / "res", folder / "output")
        return all_that_is_said(folder, outcome.exit_code, stderr.getvalue())

    return score_here


@pytest.fixture
def score_with_program(tmp_path_factory):
    """Return a function that does the same with the built program, in a process of its own."""

    def score_there(
        task: str, reference: dict[str, bytes], submission: dict[str, Any], **settings: Any
    ) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("run")
        write_inputs(folder, reference, submission, settings)
        write_files(program_files(task), folder / "program")
        done = subprocess.run(
            [
                sys.executable,
                str(folder / "program" / "score.py"),
                str(folder / "input"),
                str(folder / "output"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return all_that_is_said(folder, done.returncode, done.stderr)

    return score_there


def messages(said: dict[str, Any]) -> str:
    return json.dumps([said["exit_code"], said["problems"], said["notes"], said["stderr"]], sort_keys=True)


def numbers(said: dict[str, Any]) -> str:
    return json.dumps([said["scores"], said["interval"], said["error_costs"], said["tables"]], sort_keys=True)


def source(task: str) -> dict[str, bytes]:
    return dict(reference_files(task, REFERENCES / task))


def of_json(files: dict[str, bytes], name: str) -> Any:
    return json.loads(files[name])


@pytest.mark.slow
def test_a_refusal_does_not_tell_which_sampled_frames_are_annotated(score_with_program):
    """Boxes are wrong in a public frame that the reference lacks, and in one that it has."""
    reference = source(KINETICS)
    parts = of_json(reference, "gt_part_result.json")
    video, frames = next(iter(parts.items()))
    first = next(iter(frames.values()))
    names = [f"img_{number:05d}.json" for number in range(1, 61, 5)]
    listed, lacking = names[4], names[5]
    parts[video] = {name: first for name in names if name != lacking}
    reference["gt_part_result.json"] = json.dumps(parts).encode()
    bad = {"humans": [{"box": [9, 9, 1, 20], "parts": {}}]}
    # These use up what is kept of unknown frames.
    others = {"junk video": {f"j{number}": {"humans": []} for number in range(10_000)}}
    said = [
        score_with_program(
            KINETICS,
            reference,
            {
                "pred_part_result.json": {**others, video: {name: bad, "junk": {"humans": []}}},
                "pred_vid_result.json": {video: "x"},
            },
            detail="none",
            score_decimals=2,
        )
        for name in (listed, lacking)
    ]
    assert messages(said[0]).replace(listed, lacking) == messages(said[1])


def objects(entries: list[tuple[int, str, Any]]) -> dict[str, Any]:
    return {
        "idx_in_sent": [index for index, _, _ in entries],
        "clss": [name for _, name, _ in entries],
        "bbox_for_all_frames": [boxes for _, _, boxes in entries],
    }


def submission_of(task: str, results: Any) -> dict[str, Any]:
    mode = "GT" if task == GIVEN else "gen"
    external = {"used": False, "details": ""}
    return {"submission.json": {"results": results, "eval_mode": mode, "external_data": external}}


def test_a_low_score_does_not_tell_whether_a_guess_is_right(score):
    """A far object of a word alone is scored; 25 copies of a guess follow, right or wrong."""
    reference = source(GIVEN)
    annotations = of_json(reference, "reference.json")["annotations"]
    far: dict[str, Any] = {}
    for name_of_video, content in annotations.items():
        far[name_of_video] = {}
        for name_of_segment, words in content["segments"].items():
            # Segments without objects would be noted.
            first_word = (words["process_idx"][0][0], words["process_clss"][0][0], FAR)
            far[name_of_video][name_of_segment] = objects([first_word])
    video = next(iter(annotations))
    name, segment = next(iter(annotations[video]["segments"].items()))
    index, word = segment["process_idx"][0][0], segment["process_clss"][0][0]
    guess = segment["process_bnd_box"][0]
    copies = []
    for number in range(25):
        boxes = [[corner + 0.001 * number + 0.0001 * frame for corner in guess] for frame in range(10)]
        copies.append((index, word, boxes))
    results = {**far, video: {**far[video], name: objects([(index, word, FAR), *copies])}}
    whole = of_json(reference, "reference.json")
    said = []
    for hidden in (guess, [20, 400, 60, 440]):
        changed = whole["annotations"][video]["segments"][name]
        changed["process_bnd_box"] = [hidden, *segment["process_bnd_box"][1:]]
        reference["reference.json"] = json.dumps(whole).encode()
        said.append(
            score(GIVEN, reference, submission_of(GIVEN, results), detail="summary", score_decimals=2)
        )
    assert numbers(said[0]) == numbers(said[1])
    assert messages(said[0]) == messages(said[1])
    # Copies are what explains a low score.
    assert "N-REPEATED" in messages(said[0])


def test_no_table_tells_in_which_frame_a_box_is_and_how_large(score):
    """All words are predicted far away, so that they are wrong wherever their boxes are."""
    reference = source(GIVEN)
    whole = of_json(reference, "reference.json")
    results: dict[str, Any] = {}
    for video, content in whole["annotations"].items():
        for name, segment in content["segments"].items():
            words = zip(segment["process_idx"], segment["process_clss"])
            entries = [(index[0], label[0], FAR) for index, label in words]
            results.setdefault(video, {})[name] = objects(entries)
    said = []
    for frame, box in ((2, [50, 50, 70, 70]), (7, [50, 50, 350, 350])):
        for content in whole["annotations"].values():
            for segment in content["segments"].values():
                n_words = len(segment["frame_ind"])
                segment.update(frame_ind=[frame] * n_words, process_bnd_box=[box] * n_words)
        reference["reference.json"] = json.dumps(whole).encode()
        said.append(score(GIVEN, reference, submission_of(GIVEN, results), detail="summary"))
    assert said[0]["tables"]
    assert numbers(said[0]) == numbers(said[1])
    assert messages(said[0]) == messages(said[1])


def test_no_note_tells_whether_a_word_is_in_the_hidden_sentences(score):
    reference = source(GENERATED)
    annotations = of_json(reference, "reference.json")["annotations"]
    tokens = {
        token
        for content in annotations.values()
        for segment in content["segments"].values()
        for index, token in enumerate(segment["tokens"])
        if [index] not in segment["process_idx"] and token.isalpha()
    }
    *known, hidden = sorted(tokens)[:5]
    assert "volcano" not in tokens
    video = next(iter(annotations))
    name = next(iter(annotations[video]["segments"]))
    said = []
    for word in (hidden, "volcano"):
        entries = [(0, f"{text},", FAR) for text in [*known, word]]
        results = {video: {name: objects(entries)}}
        said.append(score(GENERATED, reference, submission_of(GENERATED, results), detail="none"))
    assert numbers(said[0]) == numbers(said[1])
    assert messages(said[0]).replace(hidden, "volcano") == messages(said[1])


A, B, THERE, ELSEWHERE = [20, 20, 120, 120], [300, 200, 420, 330], [500, 40, 600, 140], [40, 250, 140, 350]


@pytest.mark.parametrize("task", [GIVEN, GENERATED])
def test_no_note_tells_whether_one_hidden_box_fits(score, task):
    """39 of 40 videos are known, and their words exchanged, so that a single box decides whether most agree."""
    n = 40

    def shifted(box, number):
        return [[corner + 0.01 * number for corner in box]] * 10

    results = {
        f"v_{i:02d}": {"0": objects([(1, "man", shifted(B, 0)), (2, "dog", shifted(A, 0))])}
        for i in range(n - 1)
    }
    results[f"v_{n - 1:02d}"] = {"0": objects([(1, "man", FAR), (1, "man", shifted(THERE, 1))])}
    n_wrong = 2 * (n - 1) + 1
    n_right = int(7 * (n_wrong + 1) / 3)
    heavy = [(1, "man", shifted(B, 2)), (2, "dog", shifted(A, 2))]
    results["v_00"] = {"0": objects([*heavy, *((1, "man", shifted(A, 3 + j)) for j in range(n_right))])}
    said = []
    for hidden in (THERE, ELSEWHERE):
        annotations = {}
        for i in range(n):
            boxes = [A if i < n - 1 else hidden, B]
            segment = {
                "tokens": ["a", "man", "dog"],
                "process_clss": [["man"], ["dog"]],
                "process_idx": [[1], [2]],
                "process_bnd_box": boxes,
                "frame_ind": [0, 0],
            }
            annotations[f"v_{i:02d}"] = {"segments": {"0": segment}}
        reference = {
            "reference.json": json.dumps({"vocab": ["man", "dog"], "annotations": annotations}).encode(),
            "split.json": json.dumps({"validation": list(annotations)}).encode(),
            "lemmas.json": json.dumps({"a": "a", "man": "man", "dog": "dog"}).encode(),
            "signature_key.txt": b"0123456789abcdef0123456789abcdef\n",
        }
        said.append(score(task, reference, submission_of(task, results), detail="summary", score_decimals=4))
    assert messages(said[0]) == messages(said[1])


def of_sample(task: str, sample: str = "good") -> dict[str, Any]:
    return {path.name: json.loads(path.read_bytes()) for path in (SAMPLES / task / sample).iterdir()}


def test_no_message_counts_humans_without_parts(score):
    """Humans of one video alone are submitted, at places where nobody is."""
    reference = source(KINETICS)
    parts, classes = (of_json(reference, f"gt_{kind}_result.json") for kind in ("part", "vid"))
    video, frames = next(iter(parts.items()))
    human = {"humans": [{"box": [1, 1, 9, 9], "parts": {}}]}
    submission = {
        "pred_part_result.json": {video: dict.fromkeys(frames, human)},
        "pred_vid_result.json": dict(zip(classes, [*list(classes.values())[1:], "jump_rope"])),
    }
    said = []
    for n_more in (0, 1):
        first = next(iter(frames.values()))
        alone = {"number": 90, "box": [500, 300, 600, 400], "parts": {}}
        first["humans"] = [*first["humans"], *[alone] * n_more]
        reference["gt_part_result.json"] = json.dumps(parts).encode()
        said.append(score(KINETICS, reference, submission, detail="summary"))
    assert numbers(said[0]) == numbers(said[1])
    assert messages(said[0]) == messages(said[1])
    assert "N-LOW" in messages(said[0])


def test_no_message_counts_frames_that_the_reference_lacks(score):
    reference = source(KINETICS)
    parts = of_json(reference, "gt_part_result.json")
    video, frames = next(iter(parts.items()))
    submission = of_sample(KINETICS)
    submission["pred_part_result.json"][video] = {name: {"humans": []} for name in [*frames, "moon"]}
    said = []
    for lacking in (None, next(iter(frames))):
        parts[video] = {name: content for name, content in frames.items() if name != lacking}
        reference["gt_part_result.json"] = json.dumps(parts).encode()
        said.append(score(KINETICS, reference, submission, detail="none", score_decimals=2))
    assert messages(said[0]) == messages(said[1])
    assert "N-FRAMES-UNKNOWN" in messages(said[0])


def test_no_message_counts_segments_without_annotations(score, tmp_path):
    files = folder_files(REFERENCES / GENERATED)
    whole = of_json(files, "reference.json")
    video, content = next(iter(whole["annotations"].items()))
    name, segment = next(iter(content["segments"].items()))
    submission = of_sample(GENERATED)
    (results,) = [document["results"] for document in submission.values()]
    del results[video][name]
    results[video]["moon"] = objects([])
    said = []
    for place in ("annotated", "empty"):
        write_files({**files, "reference.json": json.dumps(whole).encode()}, tmp_path / place)
        reference = dict(reference_files(GENERATED, tmp_path / place))
        said.append(score(GENERATED, reference, submission, detail="none", score_decimals=2))
        segment.update({key: [] for key in segment if key != "tokens"})
    assert messages(said[0]) == messages(said[1])
    assert "N-SEGMENTS-" in messages(said[0])


def test_no_message_tells_whether_a_rare_class_occurs(score):
    """All classes are 30 places later in their list: a class more or less would move half of all videos."""
    reference = source(KINETICS)
    classes = of_json(reference, "gt_vid_result.json")
    vocabulary = of_json(reference, "vocabulary.json")
    vocabulary["class"] += [f"class {number}" for number in range(40)]
    reference["vocabulary.json"] = json.dumps(vocabulary).encode()
    names = vocabulary["class"]
    later = {video: names[(names.index(name) + 30) % len(names)] for video, name in classes.items()}
    video = next(iter(classes))
    rare = next(name for name in names if name not in {*classes.values(), later[video]})
    submission = {**of_sample(KINETICS), "pred_vid_result.json": later}
    said = []
    for name in (classes[video], rare):
        reference["gt_vid_result.json"] = json.dumps({**classes, video: name}).encode()
        said.append(score(KINETICS, reference, submission, detail="summary", score_decimals=2))
    assert messages(said[0]) == messages(said[1])


def frames_of_one_video(n: int) -> dict[str, Any]:
    submission = of_sample(KINETICS)
    frames = next(iter(submission["pred_part_result.json"].values()))
    frames.update({f"Frame {number} of V/{number % 97}.PNG": {"humans": []} for number in range(n)})
    return submission


def videos_of_parts(n: int) -> dict[str, Any]:
    submission = of_sample(KINETICS)
    parts = submission["pred_part_result.json"]
    parts.update({f"Clip {number} of V/{number % 97}.MP4": {} for number in range(n)})
    return submission


def videos_of_sentences(n: int) -> dict[str, Any]:
    submission = of_sample(GENERATED)
    (document,) = submission.values()
    names = [f"V_Clip {number} of/{number % 97}.MP4" for number in range(n)]
    document["results"].update({name: {"0": objects([])} for name in names})
    return submission


@pytest.mark.parametrize(
    ("task", "submission_of_size", "n"),
    [
        (KINETICS, frames_of_one_video, 19_000),
        pytest.param(KINETICS, videos_of_parts, 10_000, marks=pytest.mark.slow),
        pytest.param(GENERATED, videos_of_sentences, 10_000, marks=pytest.mark.slow),
    ],
    ids=["frames", "videos", "videos of sentences"],
)
def test_many_unknown_names_call_few_functions_each(score, task, submission_of_size, n):
    submission = submission_of_size(n)
    calls, said = n_calls(partial(score, task, source(task), submission, detail="summary"))
    assert said["exit_code"] == 0
    assert "UNKNOWN" in messages(said)
    assert calls < MOST_CALLS_PER_NAME * n
