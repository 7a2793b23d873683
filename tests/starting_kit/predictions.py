"""Predictions in memory: the first ones of each sample."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from organizer.files import folder_files
from tests.helpers import PUBLISHED, SAMPLES, calls_of


def sample(task):
    # Of the weak samples an explanation is searched for, which takes ten times as long.
    return SAMPLES / task / "good"


def predictions(task):
    """Return the first calls of a sample: what is tested here does not depend on how many there are."""
    return list(islice(calls_of(task, folder_files(sample(task))), 6))


PREDICTIONS: Any = {task: predictions(task) for task in PUBLISHED}


BOXES = np.tile(np.array([10.0, 20, 90, 200]), (1, 10, 1))


HUMAN = ([10, 20, 90, 200], {"head": ([[12, 30, 40, 80]], ["bend"])})


def first_item(task):
    return PREDICTIONS[task][0][0]


IUV = np.full((3, 6, 8), 20, np.uint8)
