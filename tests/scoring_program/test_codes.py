"""Each code that scoring adds to those of the validator, provoked once by a run."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from organizer.data.prepare import prepare
from quality.task import quality_tasks
from scoring_program.run import BROKEN, INVALID, SCORED
from tests.helpers import REFERENCES, SAMPLES, run_folder

ACTION, GESTURE, KINETICS, DENSEPOSE = "chalearn_action", "chalearn_gesture", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
CSV, PARTS = "DemoSequence0001_prediction.csv", "pred_part_result.json"


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    """Return a function that gives the folder of the demo reference, prepared once where that takes time."""
    body = tmp_path_factory.mktemp("body")
    prepare(DENSEPOSE, REFERENCES / DENSEPOSE, body)
    return lambda task: body if task == DENSEPOSE else REFERENCES / task


@pytest.fixture
def scored(tmp_path, references, capsys):
    """Return a function that changes the good sample of a task, scores it and returns code, problems and notes."""

    def score(task, change, reference=None, **settings):
        submission, output = tmp_path / "submission", tmp_path / "output"
        shutil.copytree(SAMPLES / task / "good", submission)
        change(submission)
        outcome = run_folder(task, reference or references(task), submission, output, **settings)
        capsys.readouterr()
        detail = json.loads((output / "detailed_results.json").read_text(encoding="utf-8"))
        return outcome.exit_code, detail["problems"], detail["notes"]

    return score


def text(name, content):
    """Return a change that writes a file."""
    return lambda folder: (folder / name).write_text(content, encoding="utf-8")


def data(edit, name="*.json"):
    """Return a change of the data of a JSON file."""

    def change(folder):
        (path,) = folder.glob(name)
        document = json.loads(path.read_text(encoding="utf-8"))
        edit(document)
        path.write_text(json.dumps(document), encoding="utf-8")

    return change


def half(document):
    for video in sorted(document)[::2]:
        del document[video]


def of_segments(edit):
    return data(lambda document: edit(document["results"]))


def unknown_words(results):
    """Predict words that no table of lemmas holds and whose lemmas occur as tokens."""
    for video in results.values():
        for segment in video.values():
            segment["clss"] = ["The" for _ in segment["clss"]]


PROBLEMS = [
    ("E-CSV-FRAME", GESTURE, text(CSV, "1,1,2\n1,999999,1000000\n"), CSV, "line 2 column 2"),
    ("E-FILE-CASE", GESTURE, lambda folder: (folder / CSV).rename(folder / CSV.replace("Demo", "demo")), CSV.replace("Demo", "demo"), ""),
]  # fmt: skip
NOTES = [
    ("N-BOXES-OUTSIDE", DENSEPOSE, data(lambda document: [entry.update(bbox=[entry["bbox"][0] + 500, *entry["bbox"][1:]]) for entry in document]), "25 of 26 boxes reach beyond their image"),
    ("N-CATEGORY", DENSEPOSE, data(lambda document: document[0].update(category_id=7)), "1 detection of other categories"),
    ("N-CLASSES-MISSING", KINETICS, data(half, "pred_vid_result.json"), "no class for 18 of 36 videos; this costs 0."),
    ("N-CLASSES-MISSING", KINETICS, lambda folder: [data(half, name)(folder) for name in ("pred_vid_result.json", PARTS)], "no class for 18 of 36 videos and no prediction for 36 of 72 reference frames; this costs 0."),
    ("N-CSV-CUT", GESTURE, text(CSV, "1,1,2\n1,3,1000000\n"), "1 row cut at the last frame"),
    ("N-DETECTIONS-MANY", DENSEPOSE, data(lambda document: document.extend(21 * document[:1])), "beyond the 20 best"),
    ("N-FILE-MISSING", GESTURE, lambda folder: (folder / CSV).unlink(), "no file for 1 of 12 sequences; this costs 0.0"),
    ("N-FRAMES-MISSING", KINETICS, data(half, PARTS), "no prediction for 36 of 72 reference frames; this costs 0."),
    ("N-IMAGES-MISSING", DENSEPOSE, data(lambda document: document.__delitem__(slice(1, None))), "no detection for 11 of 12 densely annotated images; this costs 0."),
    ("N-FRAMES-UNKNOWN", KINETICS, data(lambda document: next(iter(document.values())).update(moon={"humans": []}), PARTS), "1 frame of the submission"),
    ("N-SEGMENTS-MISSING", GIVEN, of_segments(dict.popitem), "annotated segments; this costs 0."),
    ("N-SEGMENTS-OUTSIDE", GIVEN, of_segments(lambda document: document.update(moon=dict(next(iter(document.values()))))), "not annotated in the chosen splits; ignored"),
    ("N-SEGMENTS-OUTSIDE", GENERATED, of_segments(lambda document: document.update(moon=dict(next(iter(document.values()))))), "they stay in the averages per sentence, with 0; this costs 0.0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "task", "change", "file", "where"), PROBLEMS, ids=[case[0] for case in PROBLEMS]
)
def test_problem_that_needs_the_reference_has_its_code_and_place(code, task, change, file, where, scored):
    exit_code, problems, _ = scored(task, change)
    assert exit_code == INVALID
    assert [(problem["code"], problem["file"], problem["where"]) for problem in problems] == [
        (code, file, where)
    ]


def named(change):
    """Return a change of the names of videos, in each file that has them."""

    def rename(document):
        entries = document.get("results", document)
        for video in list(entries):
            entries.update(change(video, entries.pop(video)))

    return rename


def rename_images(first_id):
    def rename(document):
        for number, detection in enumerate(document):
            detection["image_id"] = first_id + number

    return rename


def rename_files(folder):
    for path in sorted(folder.iterdir()):
        path.rename(path.with_name(f"x{path.name}"))


def one_more(video, entry):
    """Return the entry of a video, and for the first one a second, of a video that nobody knows."""
    return {video: entry, "moon": entry}


def rename_both(folder):
    for name in ("pred_vid_result.json", PARTS):
        data(named(lambda video, entry: {f"{video}.mp4": entry}), name)(folder)


ALL_RENAMED = [
    (ACTION, rename_files, "xDemoSeq0001_prediction.csv", ""),
    (GESTURE, rename_files, "xDemoSequence0001_prediction.csv", ""),
    (KINETICS, rename_both, "pred_vid_result.json", "/demo_00000.mp4"),
    (GIVEN, data(named(lambda video, entry: {video[2:]: entry})), "submission_gt.json", ""),
    (GENERATED, data(named(lambda video, entry: {video[2:]: entry})), "submission_gen.json", ""),
    (DENSEPOSE, data(rename_images(10**6)), "densepose_demo_results.json", "/0/image_id"),
]  # fmt: skip
ONE_MORE = [
    (ACTION, text("Moon_prediction.csv", "1,1,1,2\n"), "1 sequence; the first is 'Moon' (Moon_prediction.csv)"),
    (GESTURE, text("Moon_prediction.csv", "1,1,2\n"), "1 sequence; the first is 'Moon' (Moon_prediction.csv)"),
    (KINETICS, data(lambda document: document.update(moon={}), PARTS), f"1 video; the first is 'moon' ({PARTS} /moon)"),
    (KINETICS, data(lambda document: document.update(moon="run"), "pred_vid_result.json"), "1 video; the first is 'moon' (pred_vid_result.json /moon)"),
    (GIVEN, data(named(one_more)), "1 video; the first is 'moon' (submission_gt.json /results/moon)"),
    (GENERATED, data(named(one_more)), "1 video; the first is 'moon' (submission_gen.json /results/moon)"),
    (DENSEPOSE, data(lambda document: document.insert(1, {**document[0], "image_id": 10**6})), "1 image; the first is '1000000' (densepose_demo_results.json /1/image_id)"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "change", "file", "where"), ALL_RENAMED)
def test_submission_without_any_item_of_the_reference_is_refused(task, change, file, where, scored):
    exit_code, (problem,), _ = scored(task, change)
    assert exit_code == INVALID
    assert (problem["code"], problem["file"]) == ("E-ITEMS-NONE", file)
    assert problem["where"].startswith(where)


@pytest.mark.parametrize(("task", "change", "words"), ONE_MORE)
def test_item_that_is_not_in_the_reference_is_noted_with_its_place(task, change, words, scored, tmp_path):
    def scores():
        shutil.rmtree(tmp_path / "submission", ignore_errors=True)
        return json.loads((tmp_path / "output" / "scores.json").read_text())

    scored(task, lambda folder: None)
    expected = scores()
    exit_code, _, notes = scored(task, change)
    assert exit_code == SCORED
    (note,) = [note["text"] for note in notes if note["code"] == "N-ITEMS-UNKNOWN"]
    assert note.endswith(words)
    assert ("ignored" in note) == (task != GENERATED)
    assert (scores() == expected) == (task != GENERATED)


@pytest.mark.parametrize(("code", "task", "change", "words"), NOTES, ids=[case[0] for case in NOTES])
def test_note_that_needs_the_reference_has_its_code(code, task, change, words, scored):
    exit_code, _, notes = scored(task, change)
    assert exit_code == SCORED
    (note,) = [note for note in notes if note["code"] == code]
    assert words in note["text"]


def test_only_the_note_on_what_is_missing_has_a_cost_and_only_where_costs_are_shown(scored, tmp_path):
    def most(document):
        for video in list(document)[1:]:
            del document[video]

    _, _, notes = scored(GIVEN, of_segments(most))
    costs = json.loads((tmp_path / "output" / "detailed_results.json").read_text())["error_costs"]
    (cost,) = [cost["points"] for cost in costs if cost["type"] == "not_submitted"]
    assert costs[0]["type"] == "not_submitted" and cost > 0.5
    assert [note["text"].partition("; this costs ")[2] for note in notes if "cost" in note["text"]] == [
        f"{cost:.4f}"
    ]
    page = (tmp_path / "output" / "detailed_results.html").read_text()
    assert f"this costs {cost:.4f}" in page
    shutil.rmtree(tmp_path / "submission")
    _, _, notes = scored(GIVEN, of_segments(most), detail="none")
    assert [note["code"] for note in notes] == ["N-SEGMENTS-MISSING"] and "cost" not in notes[0]["text"]


@pytest.mark.slow
def test_note_on_areas_without_a_person(scored, tmp_path, references):
    source = shutil.copytree(REFERENCES / DENSEPOSE, tmp_path / "source")
    grow = data(
        lambda document: [person.update(area=50_000) for person in document["annotations"]],
        "annotations.json",
    )
    grow(source)
    prepare(DENSEPOSE, source, tmp_path / "reference")
    _, _, notes = scored(DENSEPOSE, lambda folder: None, tmp_path / "reference")
    assert "for the areas medium" in {note["code"]: note["text"] for note in notes}["N-AREA-EMPTY"]


def test_note_on_guessed_lemmas(scored):
    _, _, notes = scored(GENERATED, of_segments(unknown_words), detail="full", lemma_fallback="lower")
    assert "1 predicted class" in {note["code"]: note["text"] for note in notes}["N-LEMMAS"]


def mistakes():
    """Return one mistake for each code that the mistakes of all tasks have."""
    case_of_code = {}
    for task in quality_tasks().values():
        for mistake in task.mistakes:
            case = pytest.param(task, mistake, id=f"{mistake.code}-{mistake.name}")
            case_of_code.setdefault(mistake.code, case)
    return list(case_of_code.values())


@pytest.mark.slow
@pytest.mark.parametrize(("task", "mistake"), mistakes())
def test_mistake_has_its_note(task, mistake, scored):
    prediction = task.correct_prediction(REFERENCES / task.id, np.random.default_rng(1), 0.0)
    files = task.files(mistake.change(prediction))

    def replaced(folder):
        for path in folder.iterdir():
            path.unlink()
        for name, content in files.items():
            (folder / name).write_bytes(content)

    _, problems, notes = scored(task.id, replaced, detail="full")
    codes = [message["code"] for message in (*problems, *notes)]
    assert any(code.startswith(mistake.code) for code in codes)


def test_problem_of_a_reference_that_is_not_there(scored, tmp_path):
    exit_code, problems, _ = scored(GESTURE, lambda folder: None, tmp_path / "none")
    assert (exit_code, problems[0]["code"]) == (BROKEN, "E-REF-MISSING")


@pytest.mark.parametrize(
    ("detail", "file", "code"), [("full", "reference.sha256", "E-REF-HASH"), ("summary", "", "E-REF")]
)
def test_problem_of_prepared_files_that_were_changed(detail, file, code, scored, tmp_path, references):
    changed = shutil.copytree(references(DENSEPOSE), tmp_path / "changed")
    (changed / "reference.sha256").write_text("0" * 64)
    exit_code, problems, _ = scored(DENSEPOSE, lambda folder: None, changed, detail=detail, strict=True)
    assert exit_code == BROKEN
    assert [(problem["code"], problem["file"]) for problem in problems] == [(code, file)]
    assert "E-REF-HASH" in problems[0]["code"] + problems[0]["problem"]
