"""Hints on likely mistakes that score: when they appear, where, and what they may say."""

from __future__ import annotations

import copy
import json
import re
import shutil
from itertools import chain

import numpy as np
import pytest

from organizer.files import write_files
from people_in_video.home_loaded import at_home
from quality.demo_data import load_against
from quality.task import quality_tasks
from scoring_program.run import SCORED
from tests.helpers import REFERENCES, SAMPLES, every_fourth, one_task
from validator.findings import Refused

ID = "anet_entities_gt"
SWAPPED = "boxes as [y1, x1, y2, x2]"
DEMO = REFERENCES / ID
REFERENCE = {path.name: path.read_text(encoding="utf-8") for path in DEMO.glob("*.json")}


def mistaken(name):
    """Return the files of a submission that is right but for one mistake."""
    task = quality_tasks()[ID]
    (mistake,) = (mistake for mistake in task.mistakes if mistake.name == name)
    return task.files(mistake.change(task.correct_prediction(DEMO, np.random.default_rng(3), 0.0)))


def test_hint_is_on_top_of_the_page_and_in_the_log(run):
    outcome = run(ID, REFERENCE, mistaken(SWAPPED), detail="full", at_home=True)
    assert outcome.code == SCORED
    (line,) = [line for line in outcome.out.splitlines() if "N-LOOKS" in line]
    assert re.fullmatch(
        r"likely mistake N-LOOKS: read as \[y1, x1, y2, x2\], 100 % of your boxes agree; as submitted, "
        r"[0-9] %; .*the score would be 1\.0000\. Write boxes as \[x1, y1, x2, y2\], in pixels of videos .*",
        line,
    )
    page = outcome.page
    assert page.index("N-LOOKS") < page.index("Scores</h2>")


@pytest.mark.parametrize("setting", [{"detail": "none"}, {"notes": False}])
def test_hints_that_look_at_the_reference_can_be_left_out(run, setting):
    outcome = run(ID, REFERENCE, mistaken(SWAPPED), **setting)
    assert outcome.code == SCORED
    assert "N-LOOKS" not in outcome.out + outcome.page


def test_hints_on_the_submission_alone_need_no_reference(run):
    task = quality_tasks()[ID]
    results = task.correct_prediction(DEMO, np.random.default_rng(3), 0.0)
    for segment in chain.from_iterable(map(dict.values, results.values())):
        boxes = map(nearly_normalized, segment["bbox_for_all_frames"])
        segment["bbox_for_all_frames"] = [frames.tolist() for frames in boxes]
    outcome = run(ID, REFERENCE, task.files(results), detail="none")
    assert re.search(
        "N-LOOKS-NORMALIZED: all [0-9,]+ coordinates of objects lie between -0.02 and 1", outcome.out
    )
    assert "N-LOW" not in outcome.out


def test_hints_change_neither_scores_nor_signature(run):
    submission = mistaken("boxes of half size")
    outcomes = [run(ID, REFERENCE, submission, notes=notes) for notes in (True, False)]
    assert outcomes[0].scores == outcomes[1].scores
    lines = [next(line for line in outcome.out.splitlines() if line.startswith(ID)) for outcome in outcomes]
    assert lines[0] == lines[1]


def test_few_annotated_instances_are_not_compared(run):
    reference = json.loads(REFERENCE["reference.json"])
    videos = list(reference["annotations"])[:2]
    few = {**REFERENCE, "split.json": json.dumps({"validation": videos})}
    assert (
        sum(len(s["process_idx"]) for v in videos for s in reference["annotations"][v]["segments"].values())
        < 20
    )
    outcome = run(ID, few, mistaken("boxes of half size"))
    assert "N-LOOKS" not in outcome.out
    assert re.search("N-LOW: the score is 0 at a coverage of [0-9.]+[.] Usual causes", outcome.out)


@pytest.mark.slow
@pytest.mark.parametrize("task", one_task())
def test_one_cause_gives_one_note(task, tmp_path):
    """Right answers with one mistake, and all notes and problems on mistakes in them."""
    quality_task = quality_tasks()[task]
    quality_task.write_reference(tmp_path / "source", seed=1, size=2)
    against = at_home(load_against(task, tmp_path / "source", tmp_path / "prepared", detail="full"))
    right = quality_task.correct_prediction(tmp_path / "source", np.random.default_rng([1, 0]), 0.0)
    for number, mistake in enumerate(every_fourth(quality_task.mistakes)):
        if mistake.size > 2:
            continue
        folder = tmp_path / f"submission{number}"
        write_files(quality_task.files(mistake.change(copy.deepcopy(right))), folder)
        said_codes = {said.code for said in mistake.said}
        try:
            notes = against.score_path(folder).notes
        except Refused as refused:
            (code,) = {problem.code for problem in refused.findings.problems}
            assert code in said_codes, mistake.name
            continue
        codes = [note.code for note in notes if note.is_mistake]
        # Public facts may stand beside what the search finds: unknown names, and ids of neighboring items.
        facts = {"N-NAMES-UNKNOWN", "N-ITEMS-UNKNOWN", "N-SEGMENTS-OUTSIDE"}
        assert len(set(codes)) - len(facts.intersection(codes)) <= max(1, len(mistake.cures)), mistake.name
        assert len(codes) == len(set(codes)) or len(mistake.cures) > 1, mistake.name
        # Not all data can show what the search looks for.
        assert said_codes.intersection(note.code for note in notes) or mistake.cures, mistake.name


def nearly_normalized(boxes):
    boxes = (np.array(boxes) / [640, 480, 640, 480]).clip(0, 1)
    boxes[3, 0] = -0.02
    return boxes


@pytest.mark.slow
def test_detections_of_another_category_alone_explain_a_score_of_0(tmp_path):
    submission = tmp_path / "submission"
    shutil.copytree(SAMPLES / "densepose" / "good", submission)
    (path,) = submission.iterdir()
    path.write_text(re.sub('"category_id": *1', '"category_id": 0', path.read_text()))
    result = load_against("densepose", REFERENCES / "densepose", tmp_path / "prepared").score_path(submission)
    assert result.scores["score"] == 0
    (note,) = result.notes
    assert re.fullmatch("N-CATEGORY: [0-9]+ detections of other .* ignored; write category_id 1", note.line())


def test_hints_name_nothing_of_the_reference(run):
    """Other words in the reference than in the submission: a hint says so and quotes none of them."""
    reference = json.loads(REFERENCE["reference.json"])
    for content in reference["annotations"].values():
        for segment in content["segments"].values():
            segment["process_clss"] = [[f"zq{name}" for name in names] for names in segment["process_clss"]]
    hidden = {**REFERENCE, "reference.json": json.dumps({**reference, "vocab": []}), "lemmas.json": "{}"}
    documents = json.loads(mistaken("boxes of half size")["submission_gt.json"])
    gen = {"submission_gen.json": json.dumps({**documents, "eval_mode": "gen"})}
    outcome = run("anet_entities_gen", hidden, gen)
    assert "likely mistake N-LO" in outcome.out
    assert "zq" not in outcome.out


def test_repeated_classes_are_noted_on_page_and_in_the_log(run):
    name = "anet_entities_gen"
    good = (SAMPLES / name / "good" / "submission_gen.json").read_bytes()
    reference = {path.name: path.read_text() for path in (REFERENCES / name).glob("*.*")}
    once = run(name, reference, {"submission_gen.json": good})
    assert "N-REPEATED" not in once.out + once.page
    (trick,) = (trick for trick in quality_tasks()[name].tricks if "segment twice" in trick.name)
    files = {"reference.json": reference["reference.json"].encode()}
    repeated = run(name, reference, trick.play(files, {"submission_gen.json": good}))
    assert "likely mistake N-REPEATED: " in repeated.out
    assert "N-REPEATED: " in repeated.page


def test_a_refused_run_prints_likely_mistakes_before_the_problems(run):
    name = "chalearn_gesture"
    reference = {path.name: path.read_text() for path in (REFERENCES / name).glob("*.*")}
    files = {
        path.name.replace(f"{number:04}", f"{number + 1:04}"): path.read_bytes()
        for number, path in enumerate(sorted((SAMPLES / name / "good").glob("*.csv")), start=1)
    }
    outcome = run(name, reference, files)
    mistake, problem = outcome.err.splitlines()[1:3]
    assert mistake.startswith("likely mistake N-ITEMS-UNKNOWN: ")
    assert problem.startswith("1. E-CSV-FRAME")
