"""The golden cases are of the validation split, and some hold the accuracy of each class."""

import numpy as np
import pytest

from scoring_program.metrics.group_values import group_means

MORE = ("released_per_class",)


def check_more(score, case):
    """Compare mean and number of the words of each class."""
    statistics = score().statistics
    classes = statistics.joined.classes
    means = group_means(statistics.correct, statistics.label, len(classes))
    n_words = np.bincount(statistics.label, minlength=len(classes))
    ours = {name: {"mean": mean, "n": n} for name, mean, n in zip(classes, means.tolist(), n_words.tolist()) if n}
    assert ours.keys() == case["released_per_class"].keys()
    for name, expected in case["released_per_class"].items():
        assert ours[name] == pytest.approx(expected, abs=1e-12), name
