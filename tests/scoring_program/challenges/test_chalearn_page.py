"""The detail page of the ChaLearn tracks: names of classes, and what notes rest on."""

from __future__ import annotations

import pytest

from scoring_program.challenge import load_challenge
from validator.formats.rules import load_csv_rules


@pytest.mark.parametrize(("name", "last"), [("chalearn_action", "fight"), ("chalearn_gesture", "sonostufo")])
def test_every_class_has_a_name(name, last):
    classes = load_challenge(name).program().track.classes
    assert len(classes) == load_csv_rules(name).columns[-3].max
    assert classes[-1] == last


@pytest.mark.parametrize(("n_empty", "told"), [(1, False), (4, False), (5, True)])
def test_few_sequences_without_a_class_are_not_told(run, n_empty, told):
    reference = {"S0_labels.csv": "1,1,10\n", "S0_data.csv": "100,20,2000\n"}
    for number in range(1, n_empty + 1):
        reference |= {f"S{number}_labels.csv": "", f"S{number}_data.csv": "100,20,2000\n"}
    submission = {"S0_prediction.csv": "1,1,10\n"}
    for detail, expected in (("summary", told), ("none", told), ("full", True)):
        outcome = run("chalearn_gesture", {**reference, "settings.yaml": f"detail: {detail}\n"}, submission)
        assert ("N-LEFT-OUT" in outcome.out) == expected
