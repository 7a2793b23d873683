"""Mistakes in submissions to this sub-task."""

from functools import partial
from typing import Any

from scoring_program.families.anet_entities import mistakes
from scoring_program.families.anet_entities.mistakes import each_objects, honest

__all__ = ["MISTAKES", "files", "honest"]

files = partial(mistakes.files, mode="GT")


def _index_from_one(prediction: Any) -> Any:
    for objects in each_objects(prediction):
        objects["idx_in_sent"] = [index + 1 for index in objects["idx_in_sent"]]
    return prediction


MISTAKES = [*mistakes.MISTAKES, ("idx_in_sent from 1", "N-LOOKS-SHIFTED", _index_from_one)]
