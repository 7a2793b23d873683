"""Marks: what plain answers score, computed with the reference and shown beside a score."""

from __future__ import annotations

import json
import random
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.__main__ import main
from organizer.data import progress
from organizer.data.marks import add_marks
from organizer.data.prepare import prepare
from organizer.tasks import BaselineKind, annotations_of, plain_guess
from scoring_program.marks import MARKS_FILE
from scoring_program.settings import MARK_TEXTS, PROTOCOLS
from tests.helpers import REFERENCES, SAMPLES, fewer_examples, loaded, refused, run_folder, slow_for

ID = "chalearn_gesture"
TEXTS = list(MARK_TEXTS.values())


@pytest.fixture
def reference(tmp_path):
    """Return a copy of a demo reference with its marks."""
    shutil.copytree(REFERENCES / ID, tmp_path / "reference")
    return tmp_path / "reference"


def page_of(reference, tmp_path, **settings):
    outcome = run_folder(ID, reference, SAMPLES / ID / "good", tmp_path / "out", **settings)
    assert outcome.exit_code == 0
    detail = json.loads((tmp_path / "out" / "detailed_results.json").read_text())
    return (tmp_path / "out" / "detailed_results.html").read_text(), [
        mark["name"] for mark in detail["marks"]
    ]


@pytest.mark.parametrize("task", slow_for("densepose"))
def test_demo_references_have_the_marks_that_are_computed_from_them(task, tmp_path):
    (tmp_path / "out").mkdir()
    prepare(task, REFERENCES / task, tmp_path / "out")
    add_marks(task, tmp_path / "out")
    assert (tmp_path / "out" / MARKS_FILE).read_bytes() == (REFERENCES / task / MARKS_FILE).read_bytes()
    scores = json.loads((tmp_path / "out" / MARKS_FILE).read_text())["scores"]
    assert scores["empty"] == 0 and set(scores) <= set(MARK_TEXTS)
    assert max(scores.values()) < 0.5


def thinned(videos, pick):
    """Return the videos of a parts file without some of their frames, humans and parts."""
    left = {}
    for video, frames in videos.items():
        left[video] = {}
        for frame in [name for name in frames if pick.random() < 0.7]:
            humans = [human for human in frames[frame]["humans"] if pick.random() < 0.7]
            for human in humans:
                human["parts"] = {name: part for name, part in human["parts"].items() if pick.random() < 0.5}
            left[video][frame] = {"humans": humans}
    return left


@fewer_examples()
@given(st.integers(0, 999), st.sampled_from([*BaselineKind]), st.sampled_from(PROTOCOLS))
def test_answers_that_are_arrays_score_as_those_in_files(tmp_path_factory, seed, baseline, protocol):
    reference = shutil.copytree(REFERENCES / "kinetics_tps", tmp_path_factory.mktemp("parts") / "reference")
    path = reference / "gt_part_result.json"
    path.write_text(json.dumps(thinned(json.loads(path.read_text()), random.Random(seed))))
    task = loaded("kinetics_tps", reference, protocol=protocol, interval=False)
    annotations = annotations_of("kinetics_tps")
    pools = annotations.pools(task.reference)
    if not all(map(len, pools.boxes.values())):
        return
    files = annotations.files(annotations.predicted(task.reference, plain_guess(baseline, pools)))
    rows = annotations.rows(task, plain_guess(baseline, pools))
    assert task.score(rows).scores == task.score(task.read(files)).scores


@pytest.mark.parametrize(("seconds", "is_named"), [(0, True), (100, False)])
def test_preparing_prints_marks_and_names_what_takes_long(tmp_path, capsys, monkeypatch, seconds, is_named):
    monkeypatch.setattr(progress, "SECONDS", seconds)
    arguments = ["prepare", ID, "--source", str(REFERENCES / ID), "--output", str(tmp_path / "out")]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\nmark: ") == 4
    assert ("... reading the files" in printed.err) == bool(printed.err) == is_named
    assert json.loads((tmp_path / "out" / MARKS_FILE).read_text())["settings"] == {"protocol": "published"}


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"detail": "full"}, ["empty", "most frequent", "one class", "random"]),
        ({"detail": "summary"}, []),
        ({"detail": "none"}, []),
        ({"detail": "summary", "marks": ["random", "empty"]}, ["empty", "random"]),
        # What they score under another protocol is another number.
        ({"detail": "full", "protocol": "released"}, []),
    ],
)
def test_pages_show_all_marks_at_full_and_named_ones_otherwise(reference, tmp_path, settings, names):
    page, shown = page_of(reference, tmp_path, **settings)
    assert sorted(shown) == names
    assert [text in page for text in TEXTS] == [name in names for name in MARK_TEXTS]


def test_marks_move_neither_scores_nor_signature(reference):
    with_marks = loaded(ID, reference)
    (reference / MARKS_FILE).unlink()
    without = loaded(ID, reference)
    named = loaded(ID, reference, marks=["random"])
    assert with_marks.signature == without.signature == named.signature
    assert without.marks == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "has_marks"), [({}, True), ({"kappa": 0.255}, False), ({"measure": "gps"}, False)]
)
def test_marks_of_an_earlier_version_hold_while_added_settings_have_their_defaults(
    tmp_path, settings, has_marks
):
    shutil.copytree(REFERENCES / "densepose", tmp_path / "reference")
    path = tmp_path / "reference" / MARKS_FILE
    content = json.loads(path.read_text())
    del content["settings"]["kappa"]
    path.write_text(json.dumps(content))
    assert bool(loaded("densepose", tmp_path / "reference", **settings).marks) == has_marks


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 100_000, '{"settings": {"protocol": "published"}, "scores": {"random": []}}'],
)
def test_marks_that_cannot_be_read_are_the_organizers_mistake(reference, text):
    (reference / MARKS_FILE).write_text(text)
    (problem,) = refused(loaded, ID, reference).problems
    assert (problem.code, problem.file) == ("E-REF-PREPARED", MARKS_FILE)


@pytest.mark.parametrize("names", [["perfect"], "random", [1]])
def test_other_names_of_marks_are_refused(reference, names):
    (problem,) = refused(loaded, ID, reference, marks=names).problems
    assert (problem.code, problem.where) == ("E-SETTINGS-VALUE", "/marks")
    assert "most frequent" in problem.remedy
