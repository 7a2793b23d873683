"""At which step a submission loses what it has in common with the reference."""

from __future__ import annotations

import numpy as np

from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import Ids, Kind
from people_in_video.diagnosis.search import Comparison
from people_in_video.diagnosis.steps import step_texts

IDS = [f"v{number}" for number in range(40)]


def comparison(kind, what, sample):
    return Comparison(kind, what, lambda repairs, spread: sample, "")


def boxes(n_items, n_right):
    item = np.arange(n_items)
    true = np.tile([10.0, 10, 50, 50], (n_items, 1))
    predicted = np.where(item[:, None] < n_right, true, true + 200)
    return comparison(Kind.BOXES, "boxes", Regions(predicted, item, true, item, n_items))


def test_the_first_lost_step_is_named_after_those_that_agree():
    ids = comparison(Kind.IDS, "videos", Ids(IDS, IDS, what="videos"))
    assert step_texts([ids, boxes(40, 0), boxes(40, 0)]) == [
        "100 % of the reference's videos are in your submission",
        "Agreement is lost at the places: 0 % of your boxes meet an annotated one",
    ]


def test_nothing_is_said_where_no_step_is_lost_or_few_instances_were_compared():
    assert step_texts([boxes(40, 38)]) == []
    assert step_texts([boxes(19, 0)]) == []
