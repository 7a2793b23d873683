"""What the notes at home say of a submission with a mistake."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from organizer.files import write_files
from people_in_video import score
from tests.starting_kit.diagnosis.demo import Demo

CHALEARN, KINETICS, GIVEN, GENERATED = (
    "chalearn_action",
    "kinetics_tps",
    "anet_entities_gt",
    "anet_entities_gen",
)
CASES = [
    (CHALEARN, "frame rate times 0.8", "read with frames times 1.25, "),
    (KINETICS, "boxes of half of the videos at double size", "times 0.5 in 18 of 36 videos, "),
    (KINETICS, "boxes of humans at double size", "times 0.5 and y times 0.5, 100 % of your humans agree; "),
    (KINETICS, "predictions of other videos, in random order", "read as predictions of other videos, in another order"),
    (KINETICS, "left and right swapped", "read with left and right of part names exchanged, "),
    (GIVEN, "words counted from 1", "read with word indexes less 1, "),
    (GENERATED, "classes with a capital letter", "read with classes as 'man' for 'Man', "),
    (GENERATED, "classes as numbers", "read with classes from a list in another order, "),
]  # fmt: skip
MORE_CASES = [
    (CHALEARN, "actor 1 everywhere, and frame rate times 0.75", "read with frames times 1.333, "),
    (CHALEARN, "frames counted from 0", "read with frames plus 1, "),
    (CHALEARN, "classes of a list in another order", "read with classes from a list in another order, "),
    (KINETICS, "boxes of half size", "read with x times 2 and y times 2, 100 % of your humans agree; as submitted, "),
    (KINETICS, "boxes of parts from the corner of their human", "read from the upper left corner of the box that"),
    (KINETICS, "states one place later in their list", "read with states 1 place earlier in their list, "),
    (GIVEN, "the ten frames in reverse", "read with frame numbers in reverse order, "),
    (GIVEN, "boxes of a segment reshaped from (10, n, 4), not transposed", "read with boxes.reshape(10, n, 4)"),
]  # fmt: skip
ARTICLES = ["the", "a young", "two"] * 10


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return cache(lambda task_id: Demo(task_id, tmp_path_factory.mktemp(task_id)))


@pytest.mark.parametrize(
    ("task_id", "name", "words"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in MORE_CASES)],
)
def test_a_repair_is_named_with_items_and_the_score_that_it_gives(demo, task_id, name, words):
    result = demo(task_id).result(demo(task_id).with_mistake(name))
    (text,) = [note.text for note in result.notes if note.code == "N-LOOKS"]
    assert words in text
    (first,) = re.findall(r"that were compared, first ([^,;]+)", text)
    assert first in demo(task_id).loaded().items
    (score,) = re.findall(r"the score would be ([0-9.]+)\.", text)
    # What is fitted is not exact, and rows that were cut are lost.
    right_score = demo(task_id).result(demo(task_id).right_answer()).scores["score"]
    assert float(score) == pytest.approx(right_score, abs=0.1)
    assert float(score) > result.scores["score"]


def test_two_repairs_are_named_and_the_second_score_holds_both(demo):
    results = demo(CHALEARN).with_mistake("frame rate times 0.8, and classes one too high")
    rows, classes = [note.text for note in demo(CHALEARN).result(results).notes if note.code == "N-LOOKS"]
    first, second = (float(re.findall(r"would be ([0-9.]+)\.", text)[0]) for text in (rows, classes))
    assert first < 0.2 < 0.8 < second


@pytest.mark.parametrize(
    ("task_id", "name"),
    [
        (KINETICS, "states with a capital letter"),
        pytest.param(KINETICS, "part names with capital letters", marks=pytest.mark.slow),
        (GENERATED, "classes with a capital letter"),
        (GENERATED, "classes as numbers"),
        (GENERATED, "classes misspelled"),
        (GENERATED, "classes as phrases"),
    ],
)
def test_names_in_another_spelling_get_one_note(demo, task_id, name):
    notes = demo(task_id).result(demo(task_id).with_mistake(name)).notes
    assert len({"N-LOOKS", "N-NAMES-UNKNOWN"} & {note.code for note in notes}) == 1


def test_a_part_of_the_names_in_another_spelling_gets_one_note(demo):
    prediction = demo(KINETICS).right_answer()
    classes = {video: name.replace("o", "\u043e") for video, name in prediction.classes.items()}
    (note,) = demo(KINETICS).mistake_notes(prediction._replace(classes=classes))
    assert note.code == "N-NAMES-UNKNOWN"


def test_phrases_whose_articles_vary_are_no_list_in_another_order(demo):
    prediction = demo(GENERATED).right_answer()
    for segments in prediction.values():
        for objects in segments.values():
            objects["clss"] = [f"{article} {name}" for article, name in zip(ARTICLES, objects["clss"])]
    (note,) = demo(GENERATED).mistake_notes(prediction)
    assert note.code == "N-NAMES-UNKNOWN"


def notes_on_actors(demo, tmp_path, write_actor, protocol="released"):
    """Return the notes at home on right actions of other actors."""
    files = demo.task.files(demo.right_answer())
    for name, data in files.items():
        rows = [line.split(b",", 1) for line in data.splitlines()]
        files[name] = b"".join(b"%d,%s\n" % (write_actor(int(actor)), rest) for actor, rest in rows)
    write_files(files, tmp_path / "files")
    return score(CHALEARN, tmp_path / "files", demo.folder / "source", protocol=protocol).notes


def test_actors_that_are_exchanged_are_told_where_they_count(demo, tmp_path):
    notes = notes_on_actors(demo(CHALEARN), tmp_path, lambda actor: 3 - actor)
    (note,) = [note for note in notes if note.is_mistake]
    assert "read with actor numbers in reverse order, 100 %" in note.text
    assert "the score would be 1.0000" in note.text


@pytest.mark.parametrize(("protocol", "codes"), [("released", ["N-LOOKS-CONSTANT"]), ("published", [])])
def test_one_actor_for_all_rows_is_told_where_actors_count(demo, tmp_path, protocol, codes):
    notes = notes_on_actors(demo(CHALEARN), tmp_path, lambda actor: 1, protocol)
    assert [note.code for note in notes if note.is_mistake] == codes


def test_parts_under_other_videos_leave_right_classes_where_they_are(demo):
    prediction = demo(KINETICS).right_answer()
    names = sorted(prediction.videos)
    videos = {name: prediction.videos[other] for name, other in zip(names, [*names[1:], names[0]])}
    notes = demo(KINETICS).result(prediction._replace(videos=videos)).notes
    (text,) = [note.text for note in notes if note.code == "N-LOOKS"]
    assert "read as predictions of the next video, " in text


def test_names_that_no_repair_makes_known_stay_named(demo):
    prediction = demo(KINETICS).with_mistake("boxes of half size")
    classes = dict.fromkeys(prediction.classes, "juggling")
    notes = demo(KINETICS).result(prediction._replace(classes=classes)).notes
    assert [note.text for note in notes if note.code == "N-LOOKS"]
    (text,) = [note.text for note in notes if note.code == "N-NAMES-UNKNOWN"]
    assert "juggling" in text


@pytest.mark.parametrize("task_id", [CHALEARN, KINETICS, GENERATED])
def test_a_right_answer_gets_no_hint(demo, task_id):
    notes = demo(task_id).result(demo(task_id).right_answer()).notes
    assert "N-LOOKS" not in {note.code for note in notes}


def test_a_low_score_says_at_what_agreement_is_lost(demo):
    prediction = demo(KINETICS).right_answer()
    rng = np.random.default_rng(1)
    for frames in prediction.videos.values():
        for frame in frames.values():
            for human in frame["humans"]:
                corner = rng.uniform(0, 400, 2)
                human["box"] = [*corner.tolist(), *(corner + 20).tolist()]
    (note,) = demo(KINETICS).mistake_notes(prediction)
    assert note.code == "N-LOW"
    assert re.search(r"Agreement is lost here: [0-5] % of your humans fit an annotated one", note.text)
