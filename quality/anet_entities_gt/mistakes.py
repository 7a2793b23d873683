"""Mistakes in submissions to this sub-task."""

from functools import partial

from quality.anet_entities import mistakes
from quality.anet_entities.mistakes import each, honest

__all__ = ["MISTAKES", "files", "honest"]

files = partial(mistakes.files, mode="GT")

_FROM_ONE = ("idx_in_sent from 1", "N-LOOKS-SHIFTED", each("idx_in_sent", lambda index: index + 1))
MISTAKES = [*mistakes.MISTAKES, _FROM_ONE]
