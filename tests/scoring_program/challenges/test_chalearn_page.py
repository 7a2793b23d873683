"""The detail page of the ChaLearn tracks: names of classes, and what notes rest on."""

from __future__ import annotations

import pytest

from scoring_program.challenges.chalearn.task import TRACKS
from validator.checking import load_format
from validator.findings import Refused


@pytest.mark.parametrize(
    ("name", "actor", "last"), [("chalearn_action", "1,", "fight"), ("chalearn_gesture", "", "sonostufo")]
)
def test_every_class_that_is_accepted_has_a_name(tmp_path, name, actor, last):
    classes = TRACKS[name].classes
    form, rules = load_format(name)
    path = tmp_path / "S1_prediction.csv"
    path.write_text(f"{actor}{len(classes)},1,2\n")
    assert len(form.read(tmp_path, rules).content.rows.label) == 1
    path.write_text(f"{actor}{len(classes) + 1},1,2\n")
    with pytest.raises(Refused, match=rf"is not in 1\.\.{len(classes)};"):
        form.read(tmp_path, rules)
    assert classes[-1] == last


@pytest.mark.parametrize("n_empty", [0, 1, 5])
def test_sequences_without_a_class_are_counted_at_home_alone(run, n_empty):
    reference = {"S0_labels.csv": "1,1,10\n", "S0_data.csv": "100,20,2000\n"}
    for number in range(1, n_empty + 1):
        reference |= {f"S{number}_labels.csv": "", f"S{number}_data.csv": "100,20,2000\n"}
    submission = {"S0_prediction.csv": "1,1,10\n"}
    for detail, at_home, expected in (
        ("summary", True, False),
        ("none", False, False),
        ("full", True, n_empty > 0),
    ):
        settings = {**reference, "settings.yaml": f"detail: {detail}\n"}
        outcome = run("chalearn_gesture", settings, submission, at_home=at_home)
        assert ("N-LEFT-OUT" in outcome.out) == expected


@pytest.mark.parametrize(
    ("name", "actor", "score"), [("chalearn_action", "1,", 1.0), ("chalearn_gesture", "", 0.5)]
)
def test_a_row_without_a_frame_counts_as_missed_in_gestures_alone(run, name, actor, score):
    reference = {"settings.yaml": "protocol: released\n", "S_data.csv": "100,20,2000\n"}
    reference["S_labels.csv"] = f"{actor}1,5,5\n{actor}2,10,20\n"
    outcome = run(name, reference, {"S_prediction.csv": f"{actor}2,10,20\n"})
    assert outcome.scores["score"] == score
