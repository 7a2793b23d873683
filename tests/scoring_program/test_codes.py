"""Each code that scoring adds to those of the validator, provoked once by a run or as a reference is prepared.

`PROBLEMS` holds (code, task, change of the good sample, file, where), `NOTES` (code, task, change), and
`BAD_REFERENCES` (code, task, change of the demo reference, file, where). What they say stands in
``tests/message_texts.py`` alone.
"""

from __future__ import annotations

import html
import json
import re
import shutil

import numpy as np
import pytest

from organizer.data.prepare import prepare
from quality.task import quality_tasks
from scoring_program.run import BROKEN, INVALID, SCORED
from tests.helpers import REFERENCES, numbered_cases, refused, values_of
from tests.message_texts import SCORING_TEXTS
from tests.scoring_program.sample_changes import change_indexes, rename_files, rename_videos, shift_images

ACTION, GESTURE, KINETICS, DENSEPOSE = "chalearn_action", "chalearn_gesture", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
CSV, PARTS = "DemoSequence0001_prediction.csv", "pred_part_result.json"


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


def add_moon(results):
    """Add a video that nobody knows, with the segments of another one."""
    results["moon"] = dict(next(iter(results.values())))


def unknown_words(results):
    """Predict words that no table of lemmas holds and whose lemmas occur as tokens."""
    for video in results.values():
        for segment in video.values():
            segment["clss"] = ["The" for _ in segment["clss"]]


def in_seconds(folder):
    """Write whole seconds at 20 frames a second, which are frames at the beginning."""
    for path in folder.iterdir():
        rows = [line.split(",") for line in path.read_text(encoding="utf-8").split()]
        seconds = [f"{label},{int(start) // 20 + 1},{int(end) // 20 + 1}\n" for label, start, end in rows]
        path.write_text("".join(seconds), encoding="utf-8")


def segment_of(document):
    """Return the first segment of annotations."""
    return next(iter(next(iter(document["annotations"].values()))["segments"].values()))


PROBLEMS = [
    ("E-CSV-FRAME", GESTURE, text(CSV, "1,1,2\n1,999999,1000000\n"), CSV, "line 2 column 2"),
    ("E-FILE-CASE", GESTURE, lambda folder: (folder / CSV).rename(folder / CSV.replace("Demo", "demo")), CSV.replace("Demo", "demo"), ""),
    ("E-ITEMS-NONE", GESTURE, rename_files("x{}".format), f"x{CSV}", ""),
]  # fmt: skip
NOTES = [
    ("N-CATEGORY", DENSEPOSE, data(lambda document: document[0].update(category_id=7))),
    ("N-CLASSES-MISSING", KINETICS, data(half, "pred_vid_result.json")),
    ("N-CLASSES-MISSING", KINETICS, lambda folder: [data(half, name)(folder) for name in ("pred_vid_result.json", PARTS)]),
    ("N-CSV-CUT", GESTURE, text(CSV, "1,1,2\n1,3,1000000\n")),
    ("N-CSV-EARLY", GESTURE, in_seconds),
    ("N-DETECTIONS-MANY", DENSEPOSE, data(lambda document: document.extend(21 * document[:1]))),
    ("N-FILE-EMPTY", GESTURE, lambda folder: (folder / CSV).write_bytes(b"")),
    ("N-FILE-MISSING", GESTURE, lambda folder: (folder / CSV).unlink()),
    ("N-FRAMES-MISSING", KINETICS, data(half, PARTS)),
    ("N-IMAGES-MISSING", DENSEPOSE, data(lambda document: document.__delitem__(slice(1, None)))),
    ("N-FRAMES-UNKNOWN", KINETICS, data(lambda document: next(iter(document.values())).update(moon={"humans": []}), PARTS)),
    ("N-SEGMENTS-MISSING", GIVEN, of_segments(dict.popitem)),
    ("N-SEGMENTS-OUTSIDE", GIVEN, of_segments(lambda document: document[next(iter(document))].update(moon=next(iter(next(iter(document.values())).values()))))),
    ("N-SEGMENTS-OUTSIDE", GENERATED, of_segments(lambda document: document[next(iter(document))].update(moon=next(iter(next(iter(document.values())).values()))))),
    ("N-WORDS-OUTSIDE", GIVEN, change_indexes(lambda index, _: index + 1)),
    ("N-ITEMS-UNKNOWN", GESTURE, text("Moon_prediction.csv", "1,1,2\n")),
    ("N-ITEMS-UNKNOWN", GENERATED, of_segments(add_moon)),
]  # fmt: skip
BAD_REFERENCES = [
    ("E-REF-CLASS", GIVEN, data(lambda document: segment_of(document)["process_clss"][0].__setitem__(0, "dragon"), "reference.json"), "reference.json", "/annotations/v_demo000000/segments/0"),
    ("E-REF-EMPTY", GIVEN, data(lambda document: document.update(validation=[]), "split.json"), "reference.json", ""),
    ("E-REF-GROUPS", GESTURE, text("settings.yaml", "item_groups: persons.csv\n"), "persons.csv", ""),
    ("E-REF-IMAGE", DENSEPOSE, data(lambda document: document["images"][0].update(height=0), "annotations.json"), "annotations.json", "/images/0"),
    ("E-REF-LEMMAS", GENERATED, text("lemmas.json", "{}"), "lemmas.json", ""),
    ("E-REF-NONE", KINETICS, lambda folder: (folder / "gt_part_result.json").unlink(), "gt_part_result.json", ""),
    ("E-REF-PAIR", GESTURE, text("Moon_labels.csv", "1,1,2\n"), "Moon_labels.csv", ""),
    ("E-REF-PERSON", DENSEPOSE, data(lambda document: document["annotations"][0].update(id=0), "annotations.json"), "annotations.json", "/annotations/0/id"),
    ("E-REF-SEGMENT", GIVEN, data(lambda document: segment_of(document)["frame_ind"].append(1), "reference.json"), "reference.json", "/annotations/v_demo000000/segments/0"),
    ("E-REF-SHAPE", GIVEN, data(lambda document: document.pop("annotations"), "reference.json"), "reference.json", ""),
    ("E-REF-SPLIT", GIVEN, data(lambda document: document["validation"].append("moon"), "split.json"), "split.json", "/validation/16"),
    ("E-SETTINGS-KEY", GESTURE, text("settings.yaml", "protocoll: released\n"), "settings.yaml", "/protocoll"),
    ("E-SETTINGS-NAME", GESTURE, text("settings.yml", "protocol: released\n"), "settings.yml", ""),
    ("E-SETTINGS-VALUE", GESTURE, text("settings.yaml", "protocol: relesed\n"), "settings.yaml", "/protocol"),
    ("E-SETTINGS-YAML", GESTURE, text("settings.yaml", "- protocol\n"), "settings.yaml", ""),
]  # fmt: skip


@pytest.mark.parametrize(("code", "task", "change", "file", "where"), PROBLEMS, ids=numbered_cases(PROBLEMS))
def test_problem_that_needs_the_reference_has_its_code_place_and_words(
    code, task, change, file, where, scored, request
):
    exit_code, (problem,), _ = scored(task, change)
    assert exit_code == INVALID
    assert (problem["code"], problem["file"], problem["where"]) == (code, file, where)
    assert f"{problem['problem']}; {problem['hint']}" == SCORING_TEXTS[request.node.callspec.id]


@pytest.mark.parametrize(
    ("code", "task", "change", "file", "where"), BAD_REFERENCES, ids=numbered_cases(BAD_REFERENCES)
)
def test_problem_of_a_reference_has_its_code_place_and_words(
    code, task, change, file, where, tmp_path, request
):
    source = shutil.copytree(REFERENCES / task, tmp_path / "source")
    change(source)
    problem, *_ = refused(prepare, task, source, tmp_path / "prepared").problems
    assert (problem.code, problem.file, problem.where) == (code, file, where)
    assert f"{problem.problem}; {problem.remedy}" == SCORING_TEXTS[request.node.callspec.id]


@pytest.mark.parametrize(("code", "task", "change"), NOTES, ids=numbered_cases(NOTES))
def test_note_that_needs_the_reference_has_its_code_and_words(code, task, change, scored, request):
    # What counts annotated things is told at home alone.
    at_home = {"detail": "full", "at_home": True} if code == "N-IMAGES-MISSING" else {}
    exit_code, _, notes = scored(task, change, **at_home)
    assert exit_code == SCORED
    (note,) = [note["text"] for note in notes if note["code"] == code]
    # What something costs follows from the sample, not from the words.
    assert re.sub(r"costs 0\.\d+", "costs COST", note) == SCORING_TEXTS[request.node.callspec.id]


def test_every_text_of_the_table_belongs_to_a_case():
    cases = [*numbered_cases(PROBLEMS), *numbered_cases(BAD_REFERENCES), *numbered_cases(NOTES)]
    assert SCORING_TEXTS.keys() == set(cases)


ALL_RENAMED = [
    (ACTION, rename_files("x{}".format), "xDemoSeq0001_prediction.csv", "", "data, as 'DemoSeq0001' for 'xDemoSeq0001'"),
    (GESTURE, rename_files("x{}".format), "xDemoSequence0001_prediction.csv", "", "data, as 'DemoSequence0001' for"),
    (KINETICS, rename_videos("{}.mp4".format), "pred_vid_result.json", "/demo_00000.mp4", "data, as 'demo_00000' for 'demo_00000.mp4'"),
    (GIVEN, rename_videos(lambda video: video[2:]), "submission_gt.json", "", "data, as 'v_"),
    (GENERATED, rename_videos(lambda video: video[2:]), "submission_gen.json", "", "data, as 'v_"),
    (DENSEPOSE, shift_images(10**6), "densepose_demo_results.json", "/0/image_id", "yours are '100"),
]  # fmt: skip
ONE_MORE = [
    (ACTION, text("Moon_prediction.csv", "1,1,1,2\n"), "'Moon'", "Moon_prediction.csv"),
    # It is not even read.
    (GESTURE, text("Moon_prediction.csv", "1;2;3\n"), "'Moon'", "Moon_prediction.csv"),
    (KINETICS, data(lambda document: document.update(moon={}), PARTS), "'moon'", f"{PARTS} /moon"),
    (KINETICS, data(lambda document: document.update(moon="run"), "pred_vid_result.json"), "'moon'", "pred_vid_result.json /moon"),
    (GIVEN, of_segments(add_moon), "'moon'", "submission_gt.json /results/moon"),
    (GENERATED, of_segments(add_moon), "'moon'", "submission_gen.json /results/moon"),
    (DENSEPOSE, data(lambda document: document.insert(1, {**document[0], "image_id": 10**6})), "'1000000'", "densepose_demo_results.json /1/image_id"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "change", "file", "where", "words"), ALL_RENAMED)
def test_submission_without_any_item_of_the_reference_is_refused(task, change, file, where, words, scored):
    exit_code, (problem,), _ = scored(task, change)
    assert exit_code == INVALID
    assert (problem["code"], problem["file"]) == ("E-ITEMS-NONE", file)
    assert problem["where"].startswith(where)
    assert words in problem["hint"]


@pytest.mark.parametrize(("task", "change", "item", "place"), ONE_MORE)
def test_item_that_is_not_in_the_reference_is_noted_with_its_place(
    task, change, item, place, scored, tmp_path
):
    def scores():
        shutil.rmtree(tmp_path / "submission", ignore_errors=True)
        return json.loads((tmp_path / "output" / "scores.json").read_text())

    scored(task, lambda folder: None)
    expected = scores()
    exit_code, _, notes = scored(task, change)
    assert exit_code == SCORED
    (note,) = [note["text"] for note in notes if note["code"] == "N-ITEMS-UNKNOWN"]
    assert values_of(note)[:2] == ["1", item]
    assert place in note
    assert scores() == expected


def test_only_the_note_on_what_is_missing_has_a_cost_and_only_where_costs_are_shown(scored, tmp_path):
    def most(document):
        for video in list(document)[1:]:
            del document[video]

    _, _, notes = scored(GIVEN, of_segments(most))
    costs = json.loads((tmp_path / "output" / "detailed_results.json").read_text())["error_costs"]
    (cost,) = [cost["points"] for cost in costs if cost["type"] == "not_submitted"]
    assert costs[0]["type"] == "not_submitted" and cost > 0.5
    (note,) = [note for note in notes if "cost" in note["text"]]
    assert (note["code"], values_of(note["text"])[-1]) == ("N-SEGMENTS-MISSING", f"{cost:.4f}")
    page = (tmp_path / "output" / "detailed_results.html").read_text()
    assert html.escape(note["text"]) in page
    shutil.rmtree(tmp_path / "submission")
    _, _, notes = scored(GIVEN, of_segments(most), detail="none")
    assert [note["code"] for note in notes] == ["N-SEGMENTS-MISSING"] and "cost" not in notes[0]["text"]


def test_note_on_guessed_lemmas(scored):
    _, _, notes = scored(
        GENERATED, of_segments(unknown_words), detail="full", lemma_fallback="lower", at_home=True
    )
    (note,) = [note["text"] for note in notes if note["code"] == "N-LEMMAS"]
    assert values_of(note)[0] == "1"


def mistakes():
    """Return one mistake for each code that the mistakes of all tasks have."""
    case_of_code = {}
    for task in quality_tasks().values():
        for mistake in task.mistakes:
            # Of several that may be said, data shows one.
            codes = {said.code for said in mistake.said} if len(mistake.said) == 1 else set()
            if mistake.cures:
                codes = {"N-LOOKS"}
            for code in codes:
                case = pytest.param(task, mistake, code, id=f"{code}-{mistake.name}")
                case_of_code.setdefault(code, case)
    return list(case_of_code.values())


@pytest.mark.slow
@pytest.mark.parametrize(("task", "mistake", "code"), mistakes())
def test_mistake_has_its_note(task, mistake, code, scored):
    prediction = task.correct_prediction(REFERENCES / task.id, np.random.default_rng(1), 0.0)
    files = task.files(mistake.change(prediction))

    def replaced(folder):
        for path in folder.iterdir():
            path.unlink()
        for name, content in files.items():
            (folder / name).write_bytes(content)

    _, problems, notes = scored(task.id, replaced, detail="full", at_home=True)
    assert code in {message["code"] for message in (*problems, *notes)}


def test_problem_of_a_reference_that_is_not_there(scored, tmp_path):
    exit_code, problems, _ = scored(GESTURE, lambda folder: None, tmp_path / "none")
    assert (exit_code, problems[0]["code"]) == (BROKEN, "E-REF-MISSING")
