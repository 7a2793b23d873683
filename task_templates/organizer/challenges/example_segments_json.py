"""Annotations of example_segments_json: a list of segments for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

from organizer.challenges import Annotations, Baseline, Guess, Pools
from organizer.content import Content, Values, check_same, repeated, warn_where
from organizer.files import Files
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded
from task_templates.scoring_program.challenges.example_segments_json.reference import TRUTH, Reference
from task_templates.validator.formats.example_segments_json.read import Items
from task_templates.validator.formats.example_segments_json.write import FILE, encode
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings
from validator.texts import pointer_part

# A label, a start and an end.
Segment = dict[str, Any]
Segments = dict[str, list[Segment]]
_KIND = "segment"


class _NoisySegments(Guess):
    """Segments with noise; the bias is a lag in seconds."""

    def shake(self, box: Floats, far: float) -> list[float]:
        """Return start and end with noise, in any order."""
        deviation = 0.4 * self._noise * (box[1] - box[0])
        noisy: Floats = box + self._bias + self._rng.normal(0, deviation, 2)
        return noisy.tolist()


class SegmentAnnotations(Annotations[Reference, Segments]):
    """The segments of each item."""

    def pools(self, reference: Reference) -> Pools:
        """Return how often each label is annotated, 0 for those that never are, and the times."""
        return Pools({_KIND: _count_labels(reference.items)}, {_KIND: reference.items.times})

    def noisy(self, reference: Reference, rng: np.random.Generator, noise: float) -> Segments:
        """Return segments with noise and a lag."""
        lag = np.array(rng.normal(0, 0.2 * noise))
        return self.predicted(
            reference, _NoisySegments(Baseline.NOISY, self.pools(reference), rng, noise, lag)
        )

    def predicted(self, reference: Reference, guess: Guess) -> Segments:
        """Return a segment for each one that is annotated; the most frequent label and the median times
        everywhere."""
        segments = true_segments(reference)
        if guess.baseline is Baseline.MOST_FREQUENT:
            return {
                item: [_predicted_segment({"label": "", "start": 0, "end": 1}, guess)] for item in segments
            }
        prediction = {}
        for item, true in segments.items():
            prediction[item] = [_predicted_segment(segment, guess) for segment in true if guess.keeps()]
        return prediction

    def files(self, prediction: Segments) -> Files:
        """Return the one file of a submission."""
        return {FILE: encode(prediction)}

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return nothing: a submission can be perfect on each item."""
        return {}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the labels of the segments of each item, which a split divides evenly."""
        labels_of_item = {}
        for item, segments in true_segments(reference).items():
            labels_of_item[item] = [segment["label"] for segment in segments]
        return labels_of_item

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the ground truth of some items."""
        part = {item: segments for item, segments in true_segments(reference).items() if item in names}
        (output / TRUTH).write_bytes(encode(part))


def _predicted_segment(segment: Segment, guess: Guess) -> Segment:
    """Return a segment as a guess changes it, its end after its start."""
    label = guess.label(segment["label"], _KIND)
    start, end = guess.box([segment["start"], segment["end"]], _KIND)
    start = max(start, 0.0)
    if end <= start:
        end = start + segment["end"] - segment["start"]
    return {"label": label, "start": start, "end": end}


def true_segments(reference: Reference) -> Segments:
    """Return the segments of each item."""
    items = reference.items
    segments: Segments = {key: [] for key in items.keys}
    for item, label, (start, end) in zip(items.item.tolist(), items.label.tolist(), items.times.tolist()):
        segments[items.keys[item]].append({"label": items.names[label], "start": start, "end": end})
    return segments


def _count_labels(items: Items) -> Counter[str]:
    counts = np.bincount(items.label, minlength=len(items.names)).tolist()
    return Counter(dict(zip(items.names, counts)))


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: items, segments and their labels."""
    items: Items = loaded.reference.items
    counts, place = _count_labels(items), _place_of_segment(items)
    noun = loaded.task.item
    n_segments = np.bincount(items.item, minlength=len(items.keys))
    return Content(
        n_instances=len(items.item),
        counts={
            f"{noun}s": len(items.keys),
            "segments": len(items.item),
            "labels": len(set(items.label.tolist())),
        },
        names={"label": counts},
        values=[
            Values("seconds of one segment", items.times[:, 1] - items.times[:, 0], place, "segments"),
            Values("end of a segment in seconds", items.times[:, 1], place, "segments"),
            Values(f"segments of one {noun}", n_segments, items.keys.__getitem__, f"{noun}s"),
        ],
        warnings=_warnings(items, place),
    )


def _place_of_segment(items: Items) -> Callable[[int], str]:
    """Return what gives the place of a segment in the file."""
    first_of_item = np.searchsorted(items.item, np.arange(len(items.keys)))

    def place(segment: int) -> str:
        item = int(items.item[segment])
        return f"/{pointer_part(items.keys[item])}/{segment - int(first_of_item[item])}"

    return place


def _warnings(items: Items, place: Callable[[int], str]) -> Findings:
    """Return warnings of what looks like a mistake in the segments."""
    warnings = Findings()
    rows: Floats = np.column_stack([items.item, items.label, items.times])
    order = np.lexsort(rows.T[::-1])
    check_same(items.keys, [(items.item, rows[order][:, 1:])], warnings)
    is_repeated = repeated(rows)
    is_overlapping = _find_overlaps(rows, order[~is_repeated[order]])
    at = (TRUTH, place)
    warn_where(is_repeated, "R-REPEATED", "the segment repeats an earlier one", at, warnings)
    warn_where(is_overlapping, "R-OVERLAP", "the segment overlaps another one of its label", at, warnings)
    return warnings


def _find_overlaps(rows: Floats, order: Ints) -> Bools:
    """Return which segments begin before the end of the one before them of their item and label.

    ``rows`` have columns item, label, start and end; ``order`` are the segments to look at, ascending in all
    columns.
    """
    before, after = rows[order[:-1]], rows[order[1:]]
    is_one_group = (before[:, :2] == after[:, :2]).all(axis=1)
    is_overlapping = np.zeros(len(rows), dtype=bool)
    is_overlapping[order[1:]] = is_one_group & (after[:, 2] < before[:, 3])
    return is_overlapping


ANNOTATIONS = {"example_segments_json": SegmentAnnotations()}
