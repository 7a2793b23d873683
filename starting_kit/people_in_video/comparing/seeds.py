"""Trainings with several seeds: submissions whose names differ in the number after "seed" alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from people_in_video.comparing.standings import Standings
from scoring_program.result import Result
from scoring_program.task import ScoreColumn
from validator.texts import counted

_NAME_WITH_SEED = re.compile(r"(.*?)[-_. /]*seed[-_. =]*\d+", re.IGNORECASE)


class SeedGroup(NamedTuple):
    """At least two submissions of one method; ``places`` are those in the standings."""

    name: str
    places: Sequence[int]

    @property
    def text(self) -> str:
        """The name, and how many seeds there are."""
        return f"{self.name}, {counted(len(self.places), 'seed')}".removeprefix(", ")

    def spread(self, results: Sequence[Result], column: ScoreColumn) -> tuple[float, float]:
        """Return the mean of a column and its standard deviation, with n - 1 in the denominator."""
        scores = [results[place].scores[column.key] for place in self.places]
        return float(np.mean(scores)), float(np.std(scores, ddof=1))


def seed_groups(names: Sequence[str]) -> list[SeedGroup]:
    """Return groups of submissions in the order of their first ones.

    Examples
    --------
    >>> [group.text for group in seed_groups(["a_seed1", "b", "a_seed2", "b_seed1", "a/seed3"])]
    ['a, 3 seeds']
    """
    places_of_method: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        match = _NAME_WITH_SEED.fullmatch(name)
        if match:
            places_of_method.setdefault(match[1], []).append(place)
    groups = [SeedGroup(method, places) for method, places in places_of_method.items()]
    return [group for group in groups if len(group.places) > 1]


def seed_sentences(standings: Standings, results: Sequence[Result]) -> list[str]:
    """Return the mean score of each group of seeds in words."""
    column = standings.task.columns[0]
    sentences = []
    for group in seed_groups(standings.names):
        mean, deviation = group.spread(results, column)
        numbers = f"{mean:.{column.precision}f} on average"
        numbers += f", standard deviation {deviation:.{column.precision}f}"
        sentences.append(f"{group.text}: {column.title} {numbers}.")
    return sentences
