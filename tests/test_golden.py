"""The pinned cases: inputs with the numbers that the released scripts or brute-force programs gave for them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from conftest import GOLDEN, ROOT
from scoring_program.challenge import challenge_ids, load_challenge
from scoring_program.scoring import scored_result
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


@cache
def densepose_reference(case):
    """Prepare the reference of a case once: its table of nearest vertices takes a moment."""
    findings = Findings()
    reference = load_challenge("densepose").program().load_reference(case / "ref", {}, findings)
    assert findings.lines() == []
    return reference


def score_case(case: Path, protocol: str, **settings):
    """Score a golden case through the challenge's program and return its result."""
    challenge = load_challenge(case.parent.name)
    program = challenge.program()
    chosen = {setting.name: setting.default for setting in challenge.settings}
    chosen.update(protocol=protocol, detail="full", **settings)
    findings = Findings()
    reference = (
        densepose_reference(case)
        if case.parent.name == "densepose"
        else program.load_reference(case / "ref", chosen, findings)
    )
    submission = program.read_submission(case / "res", reference, findings)
    assert findings.lines() == []
    return scored_result(challenge, reference, submission, chosen)


def section(result, key):
    """Return the section of this key."""
    return next(found for found in result.sections if found.key == key)


def check_chalearn(challenge_id, result, expected):
    assert result.scores["mean_jaccard"] == pytest.approx(expected.pop("mean_jaccard"), abs=1e-12)
    assert result.scores["score"] == result.scores["mean_jaccard"]
    statistics = result.statistics
    sequences = zip(statistics.items, statistics.mean_jaccard.tolist(), statistics.counts.tolist())
    per_sequence = {name: jaccard for name, jaccard, counts in sequences if counts}
    assert per_sequence == pytest.approx(expected.pop("per_sequence"), abs=1e-12)
    if "per_class" in expected:
        names = load_challenge(challenge_id).program().track.classes
        shown = {str(names.index(row[0]) + 1): row[1] for row in section(result, "classes").rows}
        assert shown == pytest.approx(expected.pop("per_class"), abs=1e-12)
    assert expected == {}


def check_kinetics(challenge_id, result, expected):
    statistics = result.statistics
    psc = dict(zip(statistics.parts.videos, statistics.videos.psc.tolist()))
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
    lost = section(result, "psc_budget")
    assert sum(share for _, share in lost.shares) == pytest.approx(1, abs=1e-9)
    assert expected == {}


def check_anet_gt(challenge_id, result, expected):
    assert result.scores["localization_accuracy"] == pytest.approx(expected.pop("localization_accuracy"), abs=1e-9)
    assert expected == {}


def check_anet_gen(challenge_id, result, expected):
    for mode in ("all", "loc"):
        for name, number in expected.pop(mode).items():
            key = name.replace("prec", "precision", 1).split("_per_sent")
            ours = f"{key[0]}_{mode}{'_per_sent' if len(key) > 1 else ''}"
            assert result.scores[ours] == pytest.approx(number, abs=1e-9), ours
    assert expected == {}


DENSEPOSE_KEYS = {
    "AP": "ap",
    "APm": "ap_medium",
    "APl": "ap_large",
    "AR": "ar",
    "ARm": "ar_medium",
    "ARl": "ar_large",
}


def check_densepose(case, expected):
    for measure, numbers in expected.items():
        result = score_case(
            case, "published", measure={"GPSm": "gpsm", "GPS": "gps", "IOU": "iou"}[measure], kappa=0.0
        )
        for name, number in numbers.items():
            ours = result.scores[DENSEPOSE_KEYS.get(name, name.lower())]
            assert ours == pytest.approx(max(number, 0.0), abs=1e-9), (measure, name)


def check_densepose_pairs(case, pairs):
    """Compare the matrices of GPS, mask IoU and box IoU."""
    statistics = score_case(case, "published", measure="gpsm", kappa=0.0).statistics
    for image_id, wanted in pairs.items():
        image = statistics.images[statistics.items.index(image_id)]
        found = {"gps": image.gps, "mask_iou": image.mask_iou, "box_iou": image.overlap}
        for name, matrix in found.items():
            assert matrix == pytest.approx(np.array(wanted[name], dtype=float).reshape(matrix.shape), abs=1e-9), (
                image_id,
                name,
            )


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
    if case.parent.name == "densepose":
        check_densepose(case, expected)
        return
    CHECKS[case.parent.name](
        case.parent.name, score_case(case, protocol, **SETTINGS.get(case.parent.name, {})), dict(expected)
    )


@pytest.mark.parametrize("case", [c for c in CASES if c.parent.name == "densepose"], ids=lambda c: c.name)
def test_densepose_pairs(case):
    check_densepose_pairs(case, json.loads((case / "expected.json").read_text(encoding="utf-8")).get("pairs", {}))


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
