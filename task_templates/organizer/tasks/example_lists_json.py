"""Annotations of example_lists_json: a list of labels for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import numpy as np

from organizer.content import Content, Values, check_constant
from organizer.files import Files
from organizer.tasks import Annotations, Baseline, Guess, Pools
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_lists_json.reference import TRUTH, Reference
from task_templates.validator.formats.example_lists_json.write import FILE, encode
from validator.findings import Findings

Lists = dict[str, list[str]]
_KIND = "label"


class ListAnnotations(Annotations[Reference, Lists]):
    """The labels of each item."""

    # One label for all is the most frequent one.
    baselines = tuple(baseline for baseline in Baseline if baseline is not Baseline.ONE_CLASS)

    def pools(self, reference: Reference) -> Pools:
        """Return how often each label is annotated, 0 for those that never are."""
        return Pools({_KIND: _count_labels(reference)}, {})

    def predicted(self, reference: Reference, guess: Guess) -> Lists:
        """Return the labels of each item: the most frequent one everywhere, or one for each of its labels."""
        lists = true_lists(reference)
        if guess.baseline is Baseline.MOST_FREQUENT:
            return {item: [guess.label("", _KIND)] for item in lists}
        prediction = {}
        for item, labels in lists.items():
            predicted_labels = [guess.label(label, _KIND) for label in labels if guess.keeps()]
            # Each once.
            prediction[item] = list(dict.fromkeys(predicted_labels))
        return prediction

    def files(self, prediction: Lists) -> Files:
        """Return the one file of a submission."""
        return {FILE: encode(prediction)}

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return nothing: a submission can be perfect on each item."""
        return {}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the labels of each item, which a split divides evenly."""
        return true_lists(reference)

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the ground truth of some items."""
        part = {item: labels for item, labels in true_lists(reference).items() if item in names}
        (output / TRUTH).write_bytes(encode(part))


def true_lists(reference: Reference) -> Lists:
    """Return the labels of each item."""
    keys, values, names = reference.items
    return {key: [names[label] for label in np.flatnonzero(row).tolist()] for key, row in zip(keys, values)}


def _count_labels(reference: Reference) -> Counter[str]:
    return Counter(dict(zip(reference.items.names, reference.items.values.sum(axis=0).tolist())))


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: items and their labels."""
    keys, values, names = loaded.reference.items
    counts, warnings = _count_labels(loaded.reference), Findings()
    noun = loaded.task.item
    for label, has_label in zip(names, values.T):
        if has_label.all():
            check_constant(f"label in their lists: {label}", has_label.tolist(), TRUTH, warnings)
    return Content(
        n_instances=int(values.sum()),
        counts={
            f"{noun}s": len(keys),
            "labels": int(values.any(axis=0).sum()),
            "labels of items": int(values.sum()),
        },
        names={"label": counts},
        values=[Values(f"labels of one {noun}", values.sum(axis=1), keys.__getitem__, f"{noun}s")],
        warnings=warnings,
    )


ANNOTATIONS = {"example_lists_json": ListAnnotations()}
