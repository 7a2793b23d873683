"""How the golden cases of sub-task II are compared: they have the names of the released script."""

import pytest


def check(name, score, expected):
    scores = score().scores
    assert expected.keys() == {"all", "loc"}
    for mode, numbers in expected.items():
        for measure, number in numbers.items():
            key = measure.replace("prec", "precision", 1).split("_per_sent")
            ours = f"{key[0]}_{mode}{'_per_sent' if len(key) > 1 else ''}"
            assert scores[ours] == pytest.approx(number, abs=1e-12), ours
