"""How the golden cases of Kinetics-TPS are compared."""

import pytest


def check(name, score, expected):
    result, expected = score(), dict(expected)
    statistics, scores = result.statistics, result.scores
    sections = {section.key: section for section in result.sections}
    psc = dict(zip(result.items, statistics.correctness.psc.tolist()))
    tolerance = 1e-12 if "area" in expected else 1e-9
    assert psc == pytest.approx(expected.pop("psc"), abs=tolerance)
    if "area" in expected:
        assert scores["average_video_accuracy_exact"] == pytest.approx(expected.pop("area"), abs=1e-12)
    else:
        assert scores["average_video_accuracy"] == expected.pop("average_video_accuracy")
        exact = expected.pop("average_video_accuracy_exact")
        assert scores["average_video_accuracy_exact"] == pytest.approx(exact, abs=1e-12)
        assert scores["mean_psc"] == pytest.approx(expected.pop("mean_psc"), abs=1e-12)
        assert scores["top1_accuracy"] == pytest.approx(expected.pop("top1"), abs=1e-12)
        curve = sections["conditioned_accuracy"]
        points = dict(zip(curve.lines[0].x, curve.lines[0].y))
        accuracy_at = expected.pop("accuracy_at")
        for threshold, accuracy in accuracy_at.items():
            assert points[float(threshold)] == pytest.approx(accuracy, abs=1e-12)
        columns = [scores[f"accuracy_psc_{percent}"] for percent in (0, 50)]
        assert columns == pytest.approx([accuracy_at["0.0"], accuracy_at["0.5"]], abs=1e-12)
    assert sum(share for _, share in sections["psc_budget"].shares) == pytest.approx(1, abs=1e-12)
    assert expected == {}
