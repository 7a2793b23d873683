"""Mistakes in submissions to this sub-task."""

from functools import partial

from quality.anet_entities import mistakes
from quality.anet_entities.mistakes import each, honest

__all__ = ["MISTAKES", "files", "honest"]

files = partial(mistakes.files, mode="gen")

MISTAKES = [
    *mistakes.MISTAKES,
    ("classes in capitals", "N-LOOKS-SPELLED", each("clss", str.title)),
    ("classes in the plural", "N-LOOKS-SPELLED", each("clss", lambda name: name + "s")),
    ("classes misspelled", "N-LOOKS-SPELLED", each("clss", lambda name: name[0] + name)),
]
