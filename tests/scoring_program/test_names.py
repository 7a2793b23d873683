"""Names, ids and frames of submissions that the data does not have: zip in, note or error out."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from people_in_video import score
from scoring_program.run import INVALID, SCORED
from scoring_program.vocabulary import name_notes
from tests.helpers import REFERENCES, SAMPLES, run_folder
from tests.scoring_program.sample_changes import (
    change_indexes,
    edit_json,
    multiply_frames,
    rename_files,
    rename_frames,
    rename_generated,
    rename_segments,
    rename_videos,
    shift_images,
    shift_number,
)

ACTION, KINETICS, DENSEPOSE = "chalearn_action", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"


@pytest.mark.parametrize(
    ("change", "times"),
    [(multiply_frames(25, 20), "1.25"), (rename_files(lambda name: shift_number(name, 1)), "1.15")],
)
def test_frames_after_the_end_are_told_beside_the_last_frames(change, times, scored):
    exit_code, problems, _ = scored(ACTION, change)
    assert exit_code == INVALID
    assert {problem["code"] for problem in problems} == {"E-CSV-FRAME"}
    for problem in problems:
        assert f"up to {times} times as late" in problem["hint"]


@pytest.mark.parametrize(
    ("task", "change"),
    [(DENSEPOSE, shift_images(100)), (ACTION, rename_files(lambda name: shift_number(name, 230)))],
)
def test_items_of_another_phase_are_shown_beside_those_of_the_data(task, change, scored):
    exit_code, (problem,), _ = scored(task, change)
    assert (exit_code, problem["code"]) == (INVALID, "E-ITEMS-NONE")
    assert "for n" not in problem["hint"]
    assert len(re.findall("'[^']*'", problem["hint"])) == 6


@pytest.mark.parametrize(
    ("task", "change", "words"),
    [
        (ACTION, rename_files(lambda name: shift_number(name, 0, 1)), "data, as '"),
        (KINETICS, rename_videos(str.upper), "data, as 'demo_00000' for 'DEMO_00000'"),
        (KINETICS, rename_videos("test/{}_000001_000010".format), "data, as 'demo_00000' for 'test/demo_00000_000001_000010'"),
    ],
)  # fmt: skip
def test_a_submission_of_which_no_item_is_known_is_told_the_spelling(task, change, words, scored):
    exit_code, (problem,), _ = scored(task, change)
    assert (exit_code, problem["code"]) == (INVALID, "E-ITEMS-NONE")
    assert words in problem["hint"]


@pytest.mark.parametrize(
    ("task", "change", "code", "words"),
    [
        (DENSEPOSE, shift_images(1), "N-ITEMS-UNKNOWN", "n - 1 for n"),
        (DENSEPOSE, shift_images(-1), "N-ITEMS-UNKNOWN", "n + 1 for n"),
        (KINETICS, rename_videos(lambda video: shift_number(video, 1, 5)), "N-ITEMS-UNKNOWN", "n - 1 for n"),
        (KINETICS, rename_frames(lambda name: shift_number(name, 1, 5)), "N-FRAMES-UNKNOWN", "n - 1 for n"),
        (KINETICS, rename_frames(lambda name: shift_number(name, -1, 5)), "N-FRAMES-UNKNOWN", "n + 1 for n"),
        (KINETICS, rename_frames(lambda name: f"{name[:-5]}.jpg"), "N-FRAMES-UNKNOWN", "data, as 'img_"),
        (GENERATED, rename_segments("0{}".format), "N-SEGMENTS-OUTSIDE", "data, as '"),
        (GIVEN, rename_segments(lambda segment: str(int(segment) + 1)), "N-SEGMENTS-OUTSIDE", "n - 1 for n"),
        (GIVEN, change_indexes(lambda index, _: index + 1), "N-WORDS-OUTSIDE", "n - 1 for n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "detail", ["none", *(pytest.param(detail, marks=pytest.mark.slow) for detail in ("full", "summary"))]
)
def test_names_that_are_off_are_explained_at_every_level(task, change, code, words, detail, scored):
    exit_code, _, notes = scored(task, change, detail=detail)
    assert exit_code == SCORED
    text_of_code = {note["code"]: note["text"] for note in notes}
    assert words in text_of_code[code]


@pytest.mark.parametrize(
    "change", [lambda index, word: index + (word == 0), lambda index, word: index + word]
)
def test_word_indexes_that_no_shift_explains_are_no_mistake(change, scored):
    _, _, notes = scored(GIVEN, change_indexes(change))
    assert "N-WORDS-OUTSIDE" not in {note["code"] for note in notes}


def rename_classes(old, new):
    return edit_json(
        "pred_vid_result.json", lambda classes: {v: new if c == old else c for v, c in classes.items()}
    )


def rename_in_parts(old, new):
    """Return a change of a part or a state: both are strings in quotation marks."""

    def rename(folder):
        path = folder / "pred_part_result.json"
        path.write_text(path.read_text().replace(json.dumps(old), json.dumps(new)))

    return rename


def woman_as(name):
    return rename_generated(lambda other: name if other == "woman" else other)


UNKNOWN = [
    (KINETICS, rename_classes("push_cart", "pushcart"), "'pushcart' (4 times", "push_cart"),
    (KINETICS, rename_in_parts("touch", "tuch"), "'tuch' (170 times", "touch"),
    (KINETICS, rename_in_parts("none", "None"), "'None' (161 times", "none"),
    (GENERATED, woman_as("womann"), "'womann' (11 times", "woman"),
]


@pytest.mark.parametrize(("task", "change", "words", "nearest"), UNKNOWN)
def test_a_single_unknown_name_is_named_with_the_nearest_and_its_cost(task, change, words, nearest, scored):
    _, _, notes = scored(task, change, detail="full", at_home=True)
    (note,) = [note["text"] for note in notes if note["code"] == "N-NAMES-UNKNOWN"]
    assert f"{words}; the nearest is '{nearest}')" in note
    assert float(note.partition("; this costs ")[2]) > 0.05


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["the boy", "a young man"], "the last word of each of the 2 names is a class of the data"),
        (["The Boy", "A Man."], "the last word of each of the 2 names is a class of the data"),
        (["boy in red", "a man"], "a word of each of the 2 names is a class of the data"),
        (["the boy", "some thing"], "the last word of 1 of the 2 names is a class of the data"),
        (["the boy", "some thing", "other things"], ""),
        (["boy, man and others"], ""),
        (["man with a boy"], "the last word of it is a class of the data"),
    ],
)
def test_phrases_with_a_known_word_are_told_with_it(names, words):
    (note,) = name_notes({"class": dict.fromkeys(names, 1)}, {"class": ["boy", "man"]})
    assert note.text.partition("; ")[2].endswith(words) if words else "a class of the data" not in note.text
    assert (note.text.count("the nearest is") > 0) == bool(words)


def test_the_cost_of_names_in_another_spelling_is_that_of_all_of_them(scored):
    def shout(classes):
        return {video: name.upper() for video, name in classes.items()}

    _, _, notes = scored(KINETICS, edit_json("pred_vid_result.json", shout), detail="full", at_home=True)
    (note,) = [note["text"] for note in notes if note["code"] == "N-NAMES-UNKNOWN"]
    # Without a known class the score is 0.
    good_score = score(KINETICS, SAMPLES / KINETICS / "good").score
    assert float(note.partition("; this costs ")[2]) == pytest.approx(good_score, abs=1e-4)


@pytest.fixture
def hidden(tmp_path, capsys):
    """Return a function that scores the good sample of Kinetics-TPS with a change against a vocabulary, or none."""

    def score(vocabulary, change, detail="summary"):
        folder = shutil.copytree(REFERENCES / KINETICS, tmp_path / "reference", dirs_exist_ok=True)
        (folder / "vocabulary.json").unlink(missing_ok=True)
        if vocabulary:
            (folder / "vocabulary.json").write_text(json.dumps(vocabulary))
        submission, output = tmp_path / "submission", tmp_path / "output"
        shutil.rmtree(submission, ignore_errors=True)
        shutil.copytree(SAMPLES / KINETICS / "good", submission)
        change(submission)
        run_folder(KINETICS, folder, submission, output, detail=detail)
        printed = capsys.readouterr()
        detail_of_run = json.loads((output / "detailed_results.json").read_text(encoding="utf-8"))
        texts = [note["text"] for note in detail_of_run["notes"] if note["code"] == "N-NAMES-UNKNOWN"]
        return texts, printed.out, detail_of_run["signature"]

    return score


CLASSES = ["climb_rope", "jump_rope", "paint_wall", "play_drums", "push_cart", "throw_ball"]


@pytest.mark.parametrize("detail", ["summary", "none"])
def test_without_a_vocabulary_nothing_tells_which_names_the_hidden_data_has(detail, hidden):
    texts, printed, _ = hidden({}, rename_classes("push_cart", "pushcart"), detail)
    assert texts == []
    assert "push_cart" not in printed and "pushcart" not in printed


@pytest.mark.parametrize("detail", ["summary", "none"])
def test_unknown_means_unknown_to_the_vocabulary(detail, hidden):
    """Nothing tells whether a name of the vocabulary occurs in the reference, and the nearest may be one that does not."""
    vocabulary = {"class": [*CLASSES, "push_car", "fly_kite"]}
    assert hidden(vocabulary, rename_classes("push_cart", "fly_kite"), detail)[0] == []
    (text,), _, _ = hidden(vocabulary, rename_classes("push_cart", "push_carr"), detail)
    assert "'push_carr' (4 times; the nearest is 'push_cart')" in text or "'push_car')" in text
    (text,), _, _ = hidden(vocabulary, rename_classes("push_cart", "flykite"), detail)
    assert "'flykite' (4 times; the nearest is 'fly_kite')" in text


def test_a_vocabulary_is_in_no_signature(hidden):
    def nothing(folder):
        pass

    assert hidden({"class": CLASSES}, nothing)[2] == hidden({}, nothing)[2]


def test_hostile_names_are_quoted_and_bounded(hidden):
    def rename(classes):
        return {video: f"<script>{number}\n\u202e{'x' * 10**5}" for number, video in enumerate(classes)}

    (text,), _, _ = hidden({"class": CLASSES}, edit_json("pred_vid_result.json", rename), "full")
    assert len(text) < 1500
    assert "and 31 other names" in text
    assert text.isprintable()


def test_all_names_in_another_spelling_are_told_how(hidden):
    def rename(classes):
        return {video: name.replace("_", " ").title() for video, name in classes.items()}

    (text,), _, _ = hidden({"class": CLASSES}, edit_json("pred_vid_result.json", rename))
    assert "; write them as in the data, as 'play_drums' for 'Play Drums'" in text
    # The rule tells more than further examples.
    assert text.count("; the nearest is ") == 2
    assert "and 4 other names" in text


def test_notes_can_be_switched_off(scored):
    _, _, notes = scored(KINETICS, rename_classes("push_cart", "pushcart"), notes=False)
    assert "N-NAMES-UNKNOWN" not in [note["code"] for note in notes]
