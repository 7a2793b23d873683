"""Mistakes in submissions to this sub-task."""

from collections.abc import Callable
from functools import partial
from typing import Any

from scoring_program.families.anet_entities import mistakes
from scoring_program.families.anet_entities.mistakes import each_objects, honest
from scoring_program.mistakes import Change

__all__ = ["MISTAKES", "files", "honest"]

files = partial(mistakes.files, mode="gen")


def _classes(change: Callable[[str], str]) -> Change:
    def made(prediction: Any) -> Any:
        for objects in each_objects(prediction):
            objects["clss"] = list(map(change, objects["clss"]))
        return prediction

    return made


MISTAKES = [
    *mistakes.MISTAKES,
    ("classes in capitals", "N-LOOKS-SPELLED", _classes(str.title)),
    ("classes in the plural", "N-LOOKS-SPELLED", _classes(lambda name: name + "s")),
    ("classes misspelt", "N-LOOKS-SPELLED", _classes(lambda name: name[0] + name)),
]
