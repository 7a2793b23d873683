"""Annotations of example_columns_csv: a number in each column for each item."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from organizer.content import Content, Values, check_columns
from organizer.files import Files
from organizer.tasks import Annotations, Baseline, Guess, Pools
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_columns_csv.reference import TRUTH, Reference
from task_templates.validator.formats.example_columns_csv.write import FILE, encode
from validator.findings import Findings

Numbers = dict[str, dict[str, float]]
# In a split the lowest, the middle and the highest third of the numbers of a column divide evenly.
_THIRDS = ("lowest third", "middle third", "highest third")


class ColumnAnnotations(Annotations[Reference, Numbers]):
    """The numbers of each item."""

    perfect_scores = (0.0, 0.0)
    # Each item must have all numbers, and no class.
    baselines = (Baseline.PERFECT, Baseline.MOST_FREQUENT, Baseline.RANDOM, Baseline.NOISY)

    def pools(self, reference: Reference) -> Pools:
        """Return the annotated numbers of each column."""
        return Pools({}, {}, dict(zip(reference.items.names, reference.items.values.T)))

    def predicted(self, reference: Reference, guess: Guess) -> Numbers:
        """Return a number in each column for each item."""
        prediction = {}
        for item, numbers in true_numbers(reference).items():
            prediction[item] = {column: guess.number(number, column) for column, number in numbers.items()}
        return prediction

    def files(self, prediction: Numbers) -> Files:
        """Return the one file of a submission."""
        return {FILE: encode(prediction)}

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return nothing: a submission can be perfect on each item."""
        return {}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the thirds that the numbers of each item are in, which a split divides evenly."""
        keys, values, names = reference.items
        thirds_of_item: dict[str, list[str]] = {key: [] for key in keys}
        for column, numbers in zip(names, values.T):
            third = np.searchsorted(np.quantile(numbers, [1 / 3, 2 / 3]), numbers)
            for key, number in zip(keys, third.tolist()):
                thirds_of_item[key].append(f"{column}: {_THIRDS[number]}")
        return thirds_of_item

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the ground truth of some items."""
        part = {item: numbers for item, numbers in true_numbers(reference).items() if item in names}
        (output / TRUTH).write_bytes(encode(part))


def true_numbers(reference: Reference) -> Numbers:
    """Return the numbers of each item by their columns."""
    keys, values, names = reference.items
    return {key: dict(zip(names, row)) for key, row in zip(keys, values.tolist())}


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: items and the numbers of each column."""
    keys, values, names = loaded.reference.items
    things = f"{loaded.task.item}s"
    columns = [Values(name, numbers, keys.__getitem__, things) for name, numbers in zip(names, values.T)]
    warnings = Findings()
    check_columns(columns, TRUTH, warnings)
    return Content(
        n_instances=values.size, counts={f"{loaded.task.item}s": len(keys)}, values=columns, warnings=warnings
    )


ANNOTATIONS = {"example_columns_csv": ColumnAnnotations()}
