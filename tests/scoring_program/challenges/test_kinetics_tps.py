"""Kinetics-TPS at the border: hostile boxes, missing things, the writer, the prepared reference."""

from __future__ import annotations

import copy
import html
import json

import numpy as np
import pytest

from organizer.data.prepare import prepare
from organizer.files import write_files
from people_in_video.csv_table import item_rows
from people_in_video.kinetics_tps.writer import KineticsTPSWriter
from scoring_program.run import SCORED
from tests.helpers import REFERENCES, SAMPLES, loaded, make_zip, places_of, run_folder, values_of
from validator.findings import Refused

ID = "kinetics_tps"
REFERENCE = {path.name: path.read_text(encoding="utf-8") for path in (REFERENCES / ID).glob("*.json")}
GOOD = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (SAMPLES / ID / "good").iterdir()}


def files(documents):
    return {name: json.dumps(document) for name, document in documents.items()}


def each_human(documents):
    for frames in documents["pred_part_result.json"].values():
        for frame in frames.values():
            yield from frame["humans"]


def huge(value):
    def change(documents):
        for human in each_human(documents):
            for part in human["parts"].values():
                part["box"][0] = [-value, -value, value, value]

    return change


def huge_humans(documents):
    for human in each_human(documents):
        human["box"] = [-1e308, -1e308, 1e308, 1e308]


def all_twice(documents):
    for human in each_human(documents):
        for part in human["parts"].values():
            part["box"], part["verb"] = (part["box"] * 2)[:5], (part["verb"] * 2)[:5]


def ten_humans(documents):
    for frames in documents["pred_part_result.json"].values():
        for frame in frames.values():
            frame["humans"] = (frame["humans"] * 10)[:10]


def giant_humans(documents):
    for human in each_human(documents):
        human["box"] = [-1e4, -1e4, 1e4, 1e4]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize(
    "change", [huge(1e308), huge(1e154), huge(1e15), huge_humans, all_twice, ten_humans, giant_humans]
)
def test_hostile_boxes_never_score_more(run, change, protocol):
    correct = run(ID, REFERENCE, files(GOOD), protocol=protocol)
    documents = copy.deepcopy(GOOD)
    change(documents)
    hostile = run(ID, REFERENCE, files(documents), protocol=protocol)
    assert hostile.code == SCORED, hostile.err
    for key in ("score", "mean_psc"):
        assert hostile.scores[key] <= correct.scores[key] + 1e-12


@pytest.mark.parametrize("protocol", ["published", "released"])
def test_order_of_videos_and_frames_does_not_matter(run, protocol):
    turned = {
        "pred_vid_result.json": dict(reversed(GOOD["pred_vid_result.json"].items())),
        "pred_part_result.json": {
            video: dict(reversed(frames.items()))
            for video, frames in reversed(GOOD["pred_part_result.json"].items())
        },
    }
    settings = {"protocol": protocol, "interval": False, "notes": False}
    expected = run(ID, REFERENCE, files(GOOD), **settings).scores
    assert run(ID, REFERENCE, files(turned), **settings).scores == expected


def test_unknown_videos_and_frames_are_ignored_and_counted(run):
    documents = copy.deepcopy(GOOD)
    video = next(iter(documents["pred_part_result.json"]))
    documents["pred_part_result.json"]["elsewhere"] = {"img_00001.json": {"humans": []}}
    # After the frames of the data in each order of names.
    documents["pred_part_result.json"][video]["img_99999.json"] = {"humans": []}
    outcome = run(ID, REFERENCE, files(documents))
    assert outcome.scores == run(ID, REFERENCE, files(GOOD)).scores
    notes = {note["code"]: note["text"] for note in outcome.detail["notes"]}
    assert values_of(notes["N-ITEMS-UNKNOWN"])[:2] == ["1", "'elsewhere'"]
    frames = sorted(GOOD["pred_part_result.json"][video])
    assert values_of(notes["N-FRAMES-UNKNOWN"])[:2] == ["1", f"'{video}'"]
    assert f"they are 'img_99999.json', the data's '{frames[0]}'" in notes["N-FRAMES-UNKNOWN"]
    for note in notes.values():
        assert note in outcome.out
        assert note in html.unescape(outcome.page)


def test_a_video_with_frames_or_a_class_is_submitted(tmp_path):
    """A class and frames, frames alone, a class alone, only a frame of others, nothing: the first three are submitted."""
    both, only_frames, only_class, other_frame, nothing = sorted(GOOD["pred_vid_result.json"])[:5]
    frames = GOOD["pred_part_result.json"]
    submission = {
        "pred_vid_result.json": dict.fromkeys((both, only_class), "climb_rope"),
        "pred_part_result.json": {
            both: frames[both],
            only_frames: frames[only_frames],
            other_frame: {"img_00002.json": {"humans": []}},
        },
    }
    (tmp_path / "submission.zip").write_bytes(make_zip(files(submission)))
    result = loaded(ID, REFERENCES / ID).score_path(tmp_path / "submission.zip")
    is_submitted = {row["item"]: row["submitted"] for row in item_rows(result)}
    assert [video for video, yes in is_submitted.items() if yes] == [both, only_frames, only_class]
    assert not is_submitted[other_frame]
    assert not is_submitted[nothing]


def test_a_missing_frame_of_humans_without_parts_is_a_missed_human_in_the_script(run):
    documents = one_frame_each(lambda number: ("head",) if number == 1 else (), n_frames=3)
    reference = as_reference(documents)
    frames = json.loads(reference["gt_part_result.json"])
    frames["video"]["img_00003.json"]["humans"] = []
    reference["gt_part_result.json"] = json.dumps(frames)
    reference["settings.yaml"] = "protocol: released\n"
    del documents["pred_part_result.json"]["video"]["img_00002.json"]
    del documents["pred_part_result.json"]["video"]["img_00003.json"]
    outcome = run(ID, reference, files(documents))
    # Frame 1 is right, frame 2 counts 0, and frame 3, of nobody, does not count.
    assert (outcome.scores["mean_psc"], outcome.scores["score"]) == (0.5, 0.5)
    assert outcome.if_fixed == {
        "not_submitted": 0.9999,
        "action_class": 0.5,
        "humans": 0.9999,
        "boxes_missing": 0.5,
        "boxes_far": 0.5,
        "states": 0.5,
        "extra_proposals": 0.5,
    }


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("submitted", [{}, {"video": {}}])
def test_a_video_without_parts_has_a_psc_of_1_but_in_the_script_if_only_its_frames_are_missing(
    run, protocol, submitted
):
    """The script stops at a video that is missing: there it has the PSC of the published protocol."""
    documents = one_frame_each(lambda number: (), n_frames=1)
    reference = as_reference(documents)
    documents["pred_part_result.json"] = submitted
    outcome = run(ID, reference, files(documents), protocol=protocol)
    is_wrong = protocol == "released" and submitted
    assert outcome.scores["mean_psc"] == (0 if is_wrong else 1)
    assert outcome.if_fixed["humans"] == (0.9999 if protocol == "released" else 0.99995)


# Of a video with the right class and a PSC of 1: the trapezoids up to T = 1, where the accuracy is 0, or the sum of
# the accuracies at 0.0001, ..., 0.9999.
@pytest.mark.parametrize(("protocol", "area"), [("published", 0.99995), ("released", 0.9999)])
def test_a_reference_without_frames_asks_for_the_class_alone(tmp_path, protocol, area):
    classes = json.dumps({"video": "run"})
    reference = {"gt_vid_result.json": classes, "gt_part_result.json": '{"video": {}}'}
    submission = {"pred_vid_result.json": classes, "pred_part_result.json": "{}"}
    for folder, content in (("ref", reference), ("res", submission)):
        write_files({name: text.encode() for name, text in content.items()}, tmp_path / folder)
    result = loaded(ID, tmp_path / "ref", protocol=protocol).score_path(tmp_path / "res")
    assert (result.scores["score"], result.scores["coverage"]) == (area, 1.0)
    assert item_rows(result) == [{"item": "video", "submitted": True, "score": area, "weight": 1}]


def one_frame_each(parts, n_frames=4):
    """Return the files of a video with a human in each frame, the box of each elsewhere, and these parts."""
    frames = {}
    for number in range(1, n_frames + 1):
        box = [100 * number, 0, 100 * number + 50, 80]
        own = {name: {"box": [box], "verb": ["hold"]} for name in parts(number)}
        frames[f"img_{number:05d}.json"] = {"humans": [{"box": box, "parts": own}]}
    return {"pred_vid_result.json": {"video": "run"}, "pred_part_result.json": {"video": frames}}


def as_reference(documents):
    frames = copy.deepcopy(documents["pred_part_result.json"])
    for frame in frames["video"].values():
        for human in frame["humans"]:
            for part in human["parts"].values():
                part["box"], part["verb"] = part["box"][0], part["verb"][0]
    named = {"gt_vid_result.json": documents["pred_vid_result.json"], "gt_part_result.json": frames}
    return files(named)


@pytest.mark.parametrize("protocol", ["published", "released"])
def test_proposals_in_frames_of_nobody_count_for_no_part(run, protocol):
    """Parts without a proposal, and proposals without a frame, have no number on the other side."""
    reference = as_reference(one_frame_each(lambda number: ["head", "hip"], 1))
    documents = one_frame_each(lambda number: ["head"] if number == 1 else ["head", "hip"], 2)
    frames = documents["pred_part_result.json"]["video"]
    frames["img_00002.json"]["humans"][0]["parts"]["hip"]["box"] = [[100, 0, 150, 80]]
    outcome = run(ID, reference, files(documents), protocol=protocol)
    assert outcome.scores["mean_psc"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("protocol", "n_right", "expected"),
    [
        ("published", 1, [1, 0, 0]),
        ("published", 2, [1, 1, 0]),
        ("released", 0, [1, 0, 0]),
        ("released", 1, [1, 1, 0]),
        ("released", 2, [1, 1, 1]),
    ],
)
def test_columns_hold_the_accuracy_at_their_psc(run, protocol, n_right, expected):
    """A PSC of a quarter or a half passes just that threshold under the rule of the released script alone."""
    parts = ["head", "hip", "left_arm", "right_arm"]
    reference = as_reference(one_frame_each(lambda number: parts, 1))
    documents = one_frame_each(lambda number: parts[:n_right], 1)
    scores = run(ID, reference, files(documents), protocol=protocol).scores
    assert [scores[f"accuracy_psc_{percent}"] for percent in (0, 25, 50)] == expected


def test_prepared_reference_gives_the_same_scores(run, tmp_path):
    source, output = tmp_path / "source", tmp_path / "prepared"
    source.mkdir()
    for name, text in REFERENCE.items():
        (source / name).write_text(text, encoding="utf-8")
    prepare(ID, source, output)
    assert sorted(path.name for path in output.iterdir()) == [
        "marks.json",
        "reference.npz",
        "vocabulary.json",
    ]
    plain = run(ID, REFERENCE, files(GOOD))
    assert run_folder(ID, output, tmp_path / "res", tmp_path / "out2").exit_code == SCORED
    assert json.loads((tmp_path / "out2" / "scores.json").read_text()) == plain.scores


def in_reverse_order(reference):
    """Return the files of a reference with its videos from the last to the first."""
    documents = {name: json.loads(text) for name, text in reference.items()}
    return files({name: dict(reversed(document.items())) for name, document in documents.items()})


@pytest.mark.parametrize("protocol", ["published", "released"])
def test_the_order_of_videos_in_the_reference_does_not_matter(tmp_path, protocol):
    """The scores of items, too, are those of the same videos."""
    reversed_reference = in_reverse_order(REFERENCE)
    write_files({name: text.encode() for name, text in reversed_reference.items()}, tmp_path / "reversed")
    (tmp_path / "good.zip").write_bytes(make_zip(files(GOOD)))
    in_order, in_reverse = (
        loaded(ID, folder, protocol=protocol).score_path(tmp_path / "good.zip")
        for folder in (REFERENCES / ID, tmp_path / "reversed")
    )
    assert in_reverse.scores == in_order.scores
    assert item_rows(in_reverse) == item_rows(in_order)


def test_a_reference_prepared_by_1_2_0_in_any_order_gives_the_same_scores(run, tmp_path):
    """The arrays and texts that 1.2.0 wrote, for two videos that are not in ascending order."""
    texts = {
        "form": 2,
        "classes": ["run", "jump"],
        "videos": ["w", "v"],
        "frames": ["img_00001.json", "img_00001.json"],
        "names": ["head", "hip"],
        "states": ["nod", "bend"],
    }
    box = np.array([[0, 0, 9, 9], [20, 0, 29, 9]], dtype=np.float64)
    owner = np.array([0, 1], dtype=np.int32)
    arrays = {
        "frame_video": owner,
        "human_frame": owner,
        "human_box": box,
        "part_human": owner,
        "part_name": owner,
        "proposal_part": owner,
        "proposal_box": box,
        "proposal_state": owner,
        "n_states": np.ones(2, np.int32),
    }
    (tmp_path / "ref").mkdir()
    text = np.frombuffer(json.dumps(texts).encode(), np.uint8)
    np.savez(tmp_path / "ref" / "reference.npz", text=text, **arrays)  # type: ignore[arg-type]

    def predict(box, part, state):
        parts = {part: {"box": [box], "verb": [state]}}
        return {"img_00001.json": {"humans": [{"box": box, "parts": parts}]}}

    submission = {
        "pred_vid_result.json": {"v": "jump", "w": "jump"},
        "pred_part_result.json": {
            "v": predict([20, 0, 29, 9], "hip", "bend"),
            "w": predict([0, 0, 9, 9], "head", "bend"),
        },
    }
    (tmp_path / "submission.zip").write_bytes(make_zip(files(submission)))
    result = loaded(ID, tmp_path / "ref").score_path(tmp_path / "submission.zip")
    assert [(row["item"], row["score"]) for row in item_rows(result)] == [("v", 0.99995), ("w", 0)]
    assert result.scores["mean_psc"] == 0.5
    assert result.scores["top1_accuracy"] == 0.5


def test_malformed_reference_is_reported_with_its_place(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "gt_vid_result.json").write_text('{"a": "x", "b": "y"}')
    (source / "gt_part_result.json").write_text(
        '{"a": {"f": {"humans": [{"box": [9, 1, 2, 3], "parts": {}}]}}}'
    )
    with pytest.raises(Refused) as refused:
        prepare(ID, source, tmp_path / "out")
    assert places_of(refused.value.findings) == [("E-BOX-ORDER", "gt_part_result.json", "/a/f/humans/0/box")]


def test_writer_makes_a_zip_that_scores(run, tmp_path):
    writer = KineticsTPSWriter()
    writer.add_video("vid7", "throw_ball")
    writer.add_human("vid7", 1, np.array([0, 0, 9, 9]), {"head": (np.array([[0, 0, 5, 5]]), ["bend"])})
    writer.add_frame("vid7", 6)
    writer.save(tmp_path / "my.zip")
    reference = {
        "gt_vid_result.json": '{"vid7": "throw_ball"}',
        "gt_part_result.json": json.dumps(
            {"vid7": {"img_00001.json": {"humans": [
                {"box": [0, 0, 9, 9], "parts": {"head": {"box": [0, 0, 5, 5], "verb": "bend"}}}
            ]}}}
        ),
    }  # fmt: skip
    outcome = run(ID, reference, {"my.zip": (tmp_path / "my.zip").read_bytes()})
    assert outcome.scores["mean_psc"] == 1.0


def test_submission_without_anything_scores_zero(run):
    empty = make_zip({"pred_vid_result.json": "{}", "pred_part_result.json": "{}"})
    outcome = run(ID, REFERENCE, {"a.zip": empty})
    assert outcome.scores["score"] == outcome.scores["coverage"] == 0


@pytest.mark.parametrize("protocol", ["published", "released"])
def test_thresholds_are_settings_and_in_the_signature(run, protocol):
    """One human and one part with an IoU of exactly 1/2 each, so that it matters whether a threshold is exceeded."""
    truth = {"box": [0, 0, 9, 9], "parts": {"head": {"box": [0, 0, 9, 9], "verb": "nod"}}}
    guess = {"box": [0, 0, 4, 9], "parts": {"head": {"box": [[0, 0, 4, 9]], "verb": ["nod"]}}}
    reference = {"gt_vid_result.json": {"v": "run"}, "gt_part_result.json": {"v": {"f": {"humans": [truth]}}}}
    submission = {
        "pred_vid_result.json": {"v": "run"},
        "pred_part_result.json": {"v": {"f": {"humans": [guess]}}},
    }

    def psc(settings):
        texts = {**files(reference), "settings.yaml": f"protocol: {protocol}\n{settings}"}
        outcome = run(ID, texts, files(submission))
        return outcome.scores["mean_psc"], outcome.out.splitlines()[0].split("|")[1:4]

    assert psc("") == (0, [f"protocol:{protocol}", "human_iou:0.5", "part_iou:0.3"])
    assert psc("human_iou: 0.4\n") == (1, [f"protocol:{protocol}", "human_iou:0.4", "part_iou:0.3"])
    inclusive = 1 if protocol == "released" else 0
    assert psc("human_iou: 0.4\npart_iou: 0.5\n")[0] == inclusive
    assert psc("human_iou: 0.4\npart_iou: 0.51\n")[0] == 0


def test_frames_named_with_many_digits_are_scored(run):
    documents = copy.deepcopy(GOOD)
    frames = next(iter(documents["pred_part_result.json"].values()))
    first_frame = next(iter(frames.values()))
    for n_digits in (9, 4300, 4301, 20_000):
        frames[f"img_{'1' * n_digits}.json"] = first_frame
    outcome = run(ID, REFERENCE, files(documents))
    assert outcome.code == SCORED
    assert "N-INTERNAL" not in outcome.out
