"""The pinned cases: inputs with the numbers that the released scripts or brute-force programs gave for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from challenges import challenge_ids, load_challenge
from conftest import GOLDEN, ROOT
from validator.findings import Findings

CASES = sorted(path.parent for path in GOLDEN.glob("*/*/expected.json"))


def _protocols():
    for case in CASES:
        expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
        for protocol in ("published", "released"):
            if expected[protocol] is not None:
                yield pytest.param(
                    case, protocol, expected[protocol], id=f"{case.parent.name}-{case.name}-{protocol}"
                )


def score_case(case: Path, protocol: str, **settings):
    """Score a golden case through the challenge's program and return its result."""
    challenge = load_challenge(case.parent.name)
    program = challenge.program()
    chosen = {setting.name: setting.default for setting in challenge.settings}
    chosen.update(protocol=protocol, detail="full", **settings)
    findings = Findings()
    reference = program.load_reference(case / "ref", chosen, findings)
    submission = program.read_submission(case / "res", reference, findings)
    assert findings.lines() == []
    return program.score(reference, submission, chosen)


def check_chalearn(result, expected):
    assert result.scores["mean_jaccard"] == pytest.approx(expected.pop("mean_jaccard"), abs=1e-12)
    assert result.scores["score"] == result.scores["mean_jaccard"]
    counting = result.items["counts"]
    per_sequence = dict(zip(result.items["sequence"][counting].tolist(), result.items["jaccard"][counting].tolist()))
    assert per_sequence == pytest.approx(expected.pop("per_sequence"), abs=1e-12)
    if "per_class" in expected:
        shown = {row[0]: row[1] for row in result.sections[0].rows}
        assert shown == pytest.approx(expected.pop("per_class"), abs=1e-12)
    assert expected == {}


def check_kinetics(result, expected):
    psc = dict(zip(result.items["video"].tolist(), result.items["psc"].tolist()))
    tolerance = 1e-12 if "area" in expected else 1e-9
    assert psc == pytest.approx(expected.pop("psc"), abs=tolerance)
    if "area" in expected:
        assert result.scores["average_video_accuracy_exact"] == pytest.approx(expected.pop("area"), abs=1e-12)
    else:
        assert result.scores["average_video_accuracy"] == expected.pop("average_video_accuracy")
        exact = expected.pop("average_video_accuracy_exact")
        assert result.scores["average_video_accuracy_exact"] == pytest.approx(exact, abs=1e-9)
        assert result.scores["mean_psc"] == pytest.approx(expected.pop("mean_psc"), abs=1e-9)
        assert result.scores["top1_accuracy"] == pytest.approx(expected.pop("top1"), abs=1e-12)
        curve = next(section for section in result.sections if section.title == "Accuracy conditioned on PSC")
        points = dict(zip(curve.lines[0].x, curve.lines[0].y))
        for threshold, accuracy in expected.pop("accuracy_at").items():
            assert points[float(threshold)] == pytest.approx(accuracy, abs=1e-9)
    lost = next(section for section in result.sections if section.title == "Where the score is lost")
    assert sum(share for _, share in lost.shares) == pytest.approx(1, abs=1e-9)
    assert expected == {}


def check_anet_gt(result, expected):
    assert result.scores["localization_accuracy"] == pytest.approx(expected.pop("localization_accuracy"), abs=1e-9)
    assert expected == {}


def check_anet_gen(result, expected):
    for mode in ("all", "loc"):
        for name, number in expected.pop(mode).items():
            key = name.replace("prec", "precision", 1).split("_per_sent")
            ours = f"{key[0]}_{mode}{'_per_sent' if len(key) > 1 else ''}"
            assert result.scores[ours] == pytest.approx(number, abs=1e-9), ours
    assert expected == {}


CHECKS = {
    "anet_entities_gt": check_anet_gt,
    "anet_entities_gen": check_anet_gen,
    "chalearn_action": check_chalearn,
    "chalearn_gesture": check_chalearn,
    "kinetics_tps": check_kinetics,
}


SETTINGS = {
    "anet_entities_gt": {"splits": ["validation"]},
    "anet_entities_gen": {"splits": ["validation"], "lemma_fallback": "lower"},
}


@pytest.mark.parametrize(("case", "protocol", "expected"), list(_protocols()))
def test_golden_case_gives_its_numbers(case, protocol, expected):
    CHECKS[case.parent.name](score_case(case, protocol, **SETTINGS.get(case.parent.name, {})), dict(expected))


@pytest.mark.parametrize("challenge_id", challenge_ids())
def test_every_challenge_has_golden_cases(challenge_id):
    assert any(case.parent.name == challenge_id for case in CASES)


def test_shared_cases_are_all_here():
    shared = ROOT.parent / "shared" / "golden"
    if not shared.is_dir():
        pytest.skip("the shared cases are not on this machine")
    there = {
        f"{path.parent.parent.name}/{path.parent.name}": path.read_bytes()
        for path in shared.glob("*/*/expected.json")
        if path.parent.parent.name in challenge_ids()
    }
    assert there == {f"{case.parent.name}/{case.name}": (case / "expected.json").read_bytes() for case in CASES}
