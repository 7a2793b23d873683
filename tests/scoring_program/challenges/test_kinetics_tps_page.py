"""Every section of the page of Kinetics-TPS, for a case whose numbers are worked out by hand."""

from __future__ import annotations

import json

import pytest

HUMAN, OTHER, PART, FAR = [0, 0, 9, 9], [20, 20, 29, 29], [1, 1, 5, 5], [7, 7, 9, 9]


def human(box, **parts):
    return {"box": box, "parts": {name: {"box": own, "verb": verb} for name, (own, verb) in parts.items()}}


def frames(*humans):
    """Return frames with these humans each."""
    return {f"img_{number}.json": {"humans": list(own)} for number, own in enumerate(humans, start=1)}


CLASSES = {"v1": "run", "v2": "jump", "v3": "jump", "v4": "run"}
TRUTH = {
    "v1": frames([human(HUMAN, head=(PART, "hold"), left_arm=(PART, "bend"))]),
    "v2": frames(
        [human(HUMAN, head=(PART, "bend")), human([20, 20, 29, 29], head=([21, 21, 25, 25], "hold"))]
    ),
    "v3": frames([human(HUMAN, head=(PART, "hold"))], [human(HUMAN, head=(PART, "hold"))]),
    "v4": frames([human(HUMAN, left_arm=(PART, "bend"))]),
}
PREDICTED = {
    # The arm is too far: PSC 1/2.
    "v1": frames([human(HUMAN, head=([PART], ["hold"]), left_arm=([FAR], ["bend"]))]),
    # One of two proposals is right, and the head of the other human has no box: PSC 1/4.
    "v2": frames([human(HUMAN, head=([PART, PART], ["hold", "bend"])), human(OTHER)]),
    # A wrong state, and a frame without a prediction: PSC 0. There is nothing of v4 at all.
    "v3": frames([human(HUMAN, head=([PART], ["bend"]))]),
}
# v1 counts below its PSC, on half of the grid less half a step.
AREA = 0.49995
EXPECTED = {
    "conditioned_accuracy": [[k / 100 for k in range(101)], 50 * [0.25] + 51 * [0.0]],
    "psc": {0.0: 2, 0.25: 1, 0.5: 1},
    # A video weighs 1/4, a frame of v3 1/8, a part of v1 or v2 1/8.
    "psc_budget": [
        ["kept (mean PSC)", 3 / 16],
        ["no human matched", 1 / 8 + 1 / 4],
        ["no box", 1 / 8],
        ["box too far", 1 / 8],
        ["wrong state", 1 / 8],
        ["diluted by extra proposals", 1 / 16],
    ],
    "classes": [["jump", 2, 1 / 2, 1 / 8, 0.0], ["run", 2, 1 / 2, 1 / 4, AREA / 2]],
    "parts": [["left_arm", 0.0, 0.0, 1 / 2, 2, 1.0], ["head", 2 / 5, 3 / 5, 4 / 5, 5, 1.0]],
    "class_confusions": [["jump", "run", 1]],
    "state_confusions": [["hold", "bend", 1]],
    # One part far away lowers the mean IoU of v1; nothing of v4 has one.
    "part_iou": {0.0: 1, 0.95: 3},
    "videos": [["v3", 0.0, 0.0, "jump", "jump", 1.0], ["v4", 0.0, 0.0, "run", None, None],
               ["v2", 0.0, 0.25, "jump", "run", 1.0], ["v1", AREA, 0.5, "run", "run", 1 / 2]],
}  # fmt: skip


# The worst human of each video, the worst video first; frames without a prediction come last.
DRAWN = [
    *("v3, img_1.json", "v2, img_1.json, human 2", "v1, img_1.json", "v3, img_2.json", "v4, img_1.json"),
    "v2, img_1.json, human 1",
]
OUTCOMES = [
    ("human 1", "matched, IoU 1.00"),
    ("head (hold)", "IoU 1.00, wrong state bend"),
    ("human 1", "matched, IoU 1.00"),
    ("human 2", "matched, IoU 1.00"),
    ("head (hold)", "no prediction"),
]


def about(value):
    if isinstance(value, list):
        return [about(entry) for entry in value]
    return pytest.approx(value, rel=0, abs=1e-9) if isinstance(value, float) else value


def test_sections_hold_the_numbers_worked_out_by_hand(run):
    reference = {"gt_vid_result.json": json.dumps(CLASSES), "gt_part_result.json": json.dumps(TRUTH)}
    guessed = {"v1": "run", "v2": "run", "v3": "jump"}
    submission = {"pred_vid_result.json": json.dumps(guessed), "pred_part_result.json": json.dumps(PREDICTED)}
    outcome = run("kinetics_tps", reference, submission, detail="full", at_home=True)
    assert outcome.scores["average_video_accuracy_exact"] == pytest.approx(AREA / 4, abs=1e-9)
    tables = outcome.detail["tables"]
    shown = {key: table.get("rows", table.get("shares")) for key, table in tables.items()}
    (line,) = tables["conditioned_accuracy"]["lines"]
    shown["conditioned_accuracy"] = [line["x"], line["y"]]
    for name in ("psc", "part_iou"):
        bins = zip(tables[name]["edges"], tables[name]["counts"])
        shown[name] = {edge: count for edge, count in bins if count}
    assert tables["part_iou"]["threshold"] == 0.3
    shown.pop("drawings")
    drawn = tables["drawings"]["drawings"]
    assert [drawing["title"] for drawing in drawn] == DRAWN
    outcomes = [(own["label"], own["outcome"]) for own in drawn[0]["objects"] + drawn[1]["objects"]]
    assert outcomes == OUTCOMES
    assert [own["outcome"] for own in drawn[2]["objects"]][2] == "IoU 0.00, needs more than 0.3"
    assert [own["outcome"] for own in drawn[4]["objects"]] == ["no prediction", "its human is not matched"]
    assert (drawn[1]["size"], drawn[1]["files"]) == ([30, 30], ["v2/img_1"])
    assert drawn[1]["extent"].startswith("Canvas: the extent of all boxes")
    assert shown == {key: about(value) for key, value in EXPECTED.items()}
