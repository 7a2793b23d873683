"""Annotations of example_label_json: a label for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from organizer.content import Content, check_constant
from organizer.files import Files
from organizer.tasks import Annotations, Baseline, Guess, Pools
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from task_templates.scoring_program.challenges.example_label_json.reference import TRUTH, Reference
from task_templates.validator.formats.example_label_json.write import FILE, encode
from validator.findings import Findings

Labels = dict[str, str]
_KIND = "label"


class LabelAnnotations(Annotations[Reference, Labels]):
    """The label of each item."""

    # Each item must have a label, and one for all is the most frequent one.
    baselines = (Baseline.PERFECT, Baseline.MOST_FREQUENT, Baseline.RANDOM, Baseline.NOISY)

    def pools(self, reference: Reference) -> Pools:
        """Return how often each label is annotated, 0 for those that never are."""
        return Pools({_KIND: _count_labels(reference)}, {})

    def predicted(self, reference: Reference, guess: Guess) -> Labels:
        """Return a label for each item."""
        return {item: guess.label(label, _KIND) for item, label in true_labels(reference).items()}

    def files(self, prediction: Labels) -> Files:
        """Return the one file of a submission."""
        return {FILE: encode(prediction)}

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return nothing: a submission can be perfect on each item."""
        return {}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the label of each item, which a split divides evenly."""
        return {item: [label] for item, label in true_labels(reference).items()}

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the ground truth of some items."""
        part = {item: label for item, label in true_labels(reference).items() if item in names}
        (output / TRUTH).write_bytes(encode(part))


def true_labels(reference: Reference) -> Labels:
    """Return the label of each item."""
    items = reference.items
    return {item: items.names[number] for item, number in zip(items.keys, items.values.tolist())}


def _count_labels(reference: Reference) -> Counter[str]:
    counts = Counter(dict.fromkeys(reference.items.names, 0))
    counts.update(true_labels(reference).values())
    return counts


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: items and their labels."""
    counts, warnings = _count_labels(loaded.reference), Findings()
    labels = true_labels(loaded.reference).values()
    check_constant("label", labels, TRUTH, warnings)
    return Content(
        n_instances=len(labels),
        counts={f"{loaded.task.item}s": len(labels), "labels": len(set(labels))},
        names={"label": counts},
        warnings=warnings,
    )


ANNOTATIONS = {"example_label_json": LabelAnnotations()}
