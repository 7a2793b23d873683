"""How the golden cases of both ChaLearn tracks are compared."""

import pytest

from scoring_program.challenges.chalearn.task import TRACKS


def check(name, score, expected):
    result, expected = score(), dict(expected)
    assert result.scores["mean_jaccard"] == pytest.approx(expected.pop("mean_jaccard"), abs=1e-12)
    assert result.scores["score"] == result.scores["mean_jaccard"]
    statistics = result.statistics
    sequences = zip(result.items, statistics.mean_jaccard.tolist(), statistics.is_counted.tolist())
    per_sequence = {sequence: jaccard for sequence, jaccard, counts in sequences if counts}
    assert per_sequence == pytest.approx(expected.pop("per_sequence"), abs=1e-12)
    if "per_class" in expected:
        names = TRACKS[name].classes
        (table,) = (section for section in result.sections if section.key == "classes")
        shown = {str(names.index(row[0]) + 1): row[1] for row in table.rows}
        assert shown == pytest.approx(expected.pop("per_class"), abs=1e-12)
    assert expected == {}
