"""Annotations of example_number_csv: a number for each item."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from organizer.content import Content, Values, check_columns
from organizer.files import Files
from organizer.tasks import Annotations, Baseline, Guess, Pools
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_number_csv.reference import TRUTH, Reference
from task_templates.validator.formats.example_number_csv.write import FILE, encode
from validator.findings import Findings

Numbers = dict[str, float]
_KIND = "number"
# In a split the lowest, the middle and the highest third of the numbers divide evenly.
_THIRDS = ("lowest third", "middle third", "highest third")


class NumberAnnotations(Annotations[Reference, Numbers]):
    """The number of each item."""

    perfect_scores = (0.0, 0.0)
    # Each item must have a number, and no class.
    baselines = (Baseline.PERFECT, Baseline.MOST_FREQUENT, Baseline.RANDOM, Baseline.NOISY)

    def pools(self, reference: Reference) -> Pools:
        """Return the annotated numbers."""
        return Pools({}, {}, {_KIND: reference.items.values})

    def predicted(self, reference: Reference, guess: Guess) -> Numbers:
        """Return a number for each item."""
        return {item: guess.number(number, _KIND) for item, number in true_numbers(reference).items()}

    def files(self, prediction: Numbers) -> Files:
        """Return the one file of a submission."""
        return {FILE: encode(prediction)}

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return nothing: a submission can be perfect on each item."""
        return {}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the third that the number of each item is in, which a split divides evenly."""
        keys, values, _ = reference.items
        third = np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values)
        return {item: [_THIRDS[number]] for item, number in zip(keys, third.tolist())}

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the ground truth of some items."""
        part = {item: number for item, number in true_numbers(reference).items() if item in names}
        (output / TRUTH).write_bytes(encode(part))


def true_numbers(reference: Reference) -> Numbers:
    """Return the number of each item."""
    return dict(zip(reference.items.keys, reference.items.values.tolist()))


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: items and their numbers."""
    keys, values, _ = loaded.reference.items
    columns = [Values("number", values, keys.__getitem__, f"{loaded.task.item}s")]
    warnings = Findings()
    check_columns(columns, TRUTH, warnings)
    return Content(
        n_instances=len(keys), counts={f"{loaded.task.item}s": len(keys)}, values=columns, warnings=warnings
    )


ANNOTATIONS = {"example_number_csv": NumberAnnotations()}
