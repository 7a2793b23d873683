"""Annotations of tasks with a value for each item: predictions made of them, parts, and what they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from organizer.data.content import (
    Content,
    Values,
    check_columns,
    check_constant,
    check_same,
    find_overlaps,
    repeated,
    warn_where,
)
from organizer.files import Files
from organizer.public_data import (
    Leak,
    PublicData,
    PublicPart,
    PublicSource,
    differing_files,
    expected_vocabulary,
)
from organizer.tasks import Annotations, BaselineKind, Guess, Pools
from people_in_video.public_items import ITEMS_FILE, encode_items
from people_in_video.references.preparation import load_any
from scoring_program.challenges.items.reference import Reference
from scoring_program.challenges.items.task import TASKS
from scoring_program.scoring import AnyLoaded
from scoring_program.task import load_task
from validator.arrays import Floats
from validator.findings import Findings
from validator.formats.items.arrays import Items, PlainValues, Regions, corners_of
from validator.formats.items.read import form_of
from validator.formats.items.write import as_instance, encode, example_value
from validator.formats.rules import Rules, load_rules
from validator.formats.values import Form, Kind
from validator.texts import pointer_part

_LABEL, _NUMBER = "label", "number"
_SIDES = ("width", "height")
# In a split the lowest, the middle and the highest third of the numbers divide evenly.
_THIRDS = ("lowest third", "middle third", "highest third")
_WITHOUT_CLASS = (BaselineKind.PERFECT, BaselineKind.MOST_FREQUENT, BaselineKind.RANDOM, BaselineKind.NOISY)
_NOT_ONE_CLASS = tuple(baseline for baseline in BaselineKind if baseline is not BaselineKind.ONE_CLASS)
# The numbers of a submission to the demo reference of a task of one's own.
_N_DEMO_ITEMS = 60
_ITEM_KEY = "demo_{index:05d}"
Prediction = dict[str, Any]


def _plain_values(form: Form, items: Items) -> dict[str, Any]:
    """Return the value of each item as it is in a JSON file."""
    if isinstance(items, PlainValues):
        return items.submitted()
    if isinstance(items, Regions):
        instances: dict[str, Any] = {key: [] for key in items.keys}
        columns = (items.item, items.label, items.extent, items.score)
        for item, label, corners, score in zip(*(column.tolist() for column in columns)):
            instance = as_instance(form.instance_keys, items.names[label], corners, score)
            instances[items.keys[item]].append(instance)
        return instances
    keys, values, names = items
    if values.dtype == bool:
        return {
            key: [names[label] for label in np.flatnonzero(row).tolist()] for key, row in zip(keys, values)
        }
    if values.ndim == 2:
        return {key: dict(zip(names, row)) for key, row in zip(keys, values.tolist())}
    return dict(zip(keys, [names[label] for label in values.tolist()] if names else values.tolist()))


class ItemAnnotations(Annotations[Reference, Prediction]):
    """The value of each item of a task."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.kind = form.kind
        if self.kind in (Kind.NUMBER, Kind.COLUMNS):
            self.perfect_scores = (0.0, 0.0)
        if self.kind is Kind.SEGMENTS:
            self.lag = 0.2
        # Those that an item with one value cannot be without; segments and boxes have all, others none.
        if self.kind is Kind.VALUE:
            self.baselines = ()
        elif form.instance is None:
            self.baselines = _NOT_ONE_CLASS if self.kind is Kind.LABELS else _WITHOUT_CLASS

    def pools(self, reference: Reference) -> Pools:
        """Return how often each label is annotated, 0 for those that never are, times, and numbers."""
        items = reference.items
        if isinstance(items, PlainValues):
            return Pools({}, {})
        if isinstance(items, Regions):
            return Pools({_LABEL: _count_labels(items)}, {_LABEL: items.extent})
        if self.kind in (Kind.NUMBER, Kind.COLUMNS):
            return Pools({}, {}, _columns(items))
        return Pools({_LABEL: _count_labels(items)}, {})

    def predicted(self, reference: Reference, guess: Guess) -> Prediction:
        """Return a value for each item; the most frequent label once in each list."""
        values = _plain_values(self.form.truth, reference.items)
        return {item: self._guessed(value, guess) for item, value in values.items()}

    def _guessed(self, value: Any, guess: Guess) -> Any:
        """Return the prediction for one item."""
        if self.kind is Kind.LABEL:
            return guess.label(value, _LABEL)
        if self.kind is Kind.NUMBER:
            return guess.number(value, _NUMBER)
        if self.kind is Kind.COLUMNS:
            return {column: guess.number(number, column) for column, number in value.items()}
        is_most_frequent = guess.baseline is BaselineKind.MOST_FREQUENT
        if self.kind is Kind.LABELS:
            labels = [""] if is_most_frequent else value
            return list(dict.fromkeys(guess.label(label, _LABEL) for label in labels if guess.keeps()))
        keys = self.form.instance_keys
        n_axes = len(keys.corners) // 2
        instances = value
        if is_most_frequent:
            instances = [as_instance(keys, "", [0.0] * n_axes + [1.0] * n_axes)]
        return [self._guessed_instance(instance, guess) for instance in instances if guess.keeps()]

    def _guessed_instance(self, instance: dict[str, Any], guess: Guess) -> dict[str, Any]:
        """Return a segment or a box as a guess changes it, within the range, its ends after its starts."""
        keys = self.form.instance_keys
        lowest, highest = self.form.range
        label = guess.label(instance[keys.label], _LABEL)
        true_corners = corners_of(keys, instance)
        corners = np.clip(guess.box(true_corners, _LABEL), lowest, highest)
        starts, ends = corners.reshape(2, -1)
        if (starts >= ends).any():
            corners = np.array(true_corners)
        return as_instance(keys, label, corners.tolist())

    def files(self, prediction: Prediction) -> Files:
        """Return the one file of a submission."""
        return {self.form.file: encode(self.form, prediction)}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the labels of each item, or the thirds of its numbers, which a split divides evenly."""
        items = reference.items
        if self.kind in (Kind.NUMBER, Kind.COLUMNS):
            return _thirds(items)
        values = _plain_values(self.form.truth, items)
        if self.kind is Kind.VALUE:
            return {item: [self.kind.value] for item in values}
        if self.kind is Kind.LABEL:
            return {item: [label] for item, label in values.items()}
        if self.kind is Kind.LABELS:
            return values
        label_key = self.form.instance_keys.label
        return {item: [instance[label_key] for instance in value] for item, value in values.items()}

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the ground truth of some items."""
        values = _plain_values(self.form.truth, reference.items)
        part = {item: value for item, value in values.items() if item in names}
        (output / self.form.truth_file).write_bytes(encode(self.form.truth, part))


def _columns(items: Any) -> dict[str, Floats]:
    """Return the numbers of each column, "number" if there is one alone."""
    return dict(zip(items.names, items.values.T)) if items.values.ndim == 2 else {_NUMBER: items.values}


def _thirds(items: Any) -> dict[str, list[str]]:
    thirds_of_item: dict[str, list[str]] = {key: [] for key in items.keys}
    for column, numbers in _columns(items).items():
        third = np.searchsorted(np.quantile(numbers, [1 / 3, 2 / 3]), numbers)
        for key, number in zip(items.keys, third.tolist()):
            prefix = f"{column}: " if items.names else ""
            thirds_of_item[key].append(f"{prefix}{_THIRDS[number]}")
    return thirds_of_item


def _count_labels(items: Any) -> Counter[str]:
    n = len(items.names)
    if isinstance(items, Regions):
        counts = np.bincount(items.label, minlength=n)
    else:
        is_list = items.values.dtype == bool
        counts = items.values.sum(axis=0) if is_list else np.bincount(items.values, minlength=n)
    return Counter(dict(zip(items.names, counts.tolist())))


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: items, what they have, and warnings of what looks like a mistake."""
    items, noun, warnings = loaded.reference.items, loaded.task.item, Findings()
    form = loaded.reference.form
    truth, kind, n_items = form.truth_file, form.kind, len(items.keys)
    if kind is Kind.VALUE:
        return Content(n_instances=n_items, counts={f"{noun}s": n_items}, is_checked=False)
    if form.instance is not None:
        return _content_of_regions(items, noun, form, warnings)
    if kind in (Kind.NUMBER, Kind.COLUMNS):
        columns = [
            Values(name, column, items.keys.__getitem__, f"{noun}s")
            for name, column in _columns(items).items()
        ]
        check_columns(columns, truth, warnings)
        return Content(
            n_instances=items.values.size, counts={f"{noun}s": n_items}, values=columns, warnings=warnings
        )
    counts = _count_labels(items)
    n_labels = {f"{noun}s": n_items, "labels": sum(count > 0 for count in counts.values())}
    if kind is Kind.LABEL:
        check_constant("label", _plain_values(form.truth, items).values(), truth, warnings)
        return Content(n_instances=n_items, counts=n_labels, names={"label": counts}, warnings=warnings)
    for label, has_label in zip(items.names, items.values.T):
        if has_label.all():
            check_constant(f"label in their lists: {label}", has_label.tolist(), truth, warnings)
    n_instances = int(items.values.sum())
    return Content(
        n_instances=n_instances,
        counts={**n_labels, "labels of items": n_instances},
        names={"label": counts},
        values=[
            Values(f"labels of one {noun}", items.values.sum(axis=1), items.keys.__getitem__, f"{noun}s")
        ],
        warnings=warnings,
    )


def _content_of_regions(items: Regions, noun: str, form: Form, warnings: Findings) -> Content:
    counts, place, truth = _count_labels(items), _place_of_region(items), form.truth_file
    rows: Floats = np.column_stack([items.item, items.label, items.extent])
    order = np.lexsort(rows.T[::-1])
    check_same(items.keys, [(items.item, rows[order][:, 1:])], warnings)
    is_repeated, location = repeated(rows), (truth, place)
    is_segment = form.kind is Kind.SEGMENTS
    region = "segment" if is_segment else "box"
    warn_where(is_repeated, "R-REPEATED", f"the {region} repeats an earlier one", location, warnings)
    if is_segment:
        is_overlapping = find_overlaps(rows[:, :2], items.extent)
        warn_where(
            is_overlapping, "R-OVERLAP", "the segment overlaps another one of its label", location, warnings
        )
    n_regions = np.bincount(items.item, minlength=len(items.keys))
    regions = form.kind.value
    return Content(
        n_instances=len(items.item),
        counts={
            f"{noun}s": len(items.keys),
            regions: len(items.item),
            "labels": len(set(items.label.tolist())),
        },
        names={"label": counts},
        values=[
            *_sizes(items, form, place),
            Values(f"{regions} of one {noun}", n_regions, items.keys.__getitem__, f"{noun}s"),
        ],
        warnings=warnings,
    )


def _sizes(items: Regions, form: Form, place: Callable[[int], str]) -> list[Values]:
    """Return how large segments or boxes are, and where segments end."""
    starts, ends = np.split(items.extent, 2, axis=1)
    sizes = (ends - starts).T
    if form.kind is Kind.BOXES:
        return [Values(f"{side} of one box", size, place, "boxes") for side, size in zip(_SIDES, sizes)]
    return [
        Values("seconds of one segment", sizes[0], place, "segments"),
        Values("end of a segment in seconds", ends[:, 0], place, "segments"),
    ]


def _place_of_region(items: Regions) -> Callable[[int], str]:
    """Return what gives the place of a segment or a box in the file."""
    first_of_item = np.searchsorted(items.item, np.arange(len(items.keys)))

    def place(region: int) -> str:
        item = int(items.item[region])
        return f"/{pointer_part(items.keys[item])}/{region - int(first_of_item[item])}"

    return place


def writing_code(task_id: str, rules: Rules) -> str:
    """Return code that writes a submission to a task of one's own."""
    return f"""\
from people_in_video.items.writer import write_submission

value = {example_value(form_of(rules))!r}
write_submission("{task_id}", "my.zip", {{f"{_ITEM_KEY}": value for index in range({_N_DEMO_ITEMS})}})
"""


def _public_files(source: PublicSource) -> PublicData:
    """Return the ids of the items, and the names of labels. Raises Refused."""
    loaded = load_any(load_task(source.task_id), source.folder, source.settings)
    return PublicData({ITEMS_FILE: encode_items(loaded.items), **source.vocabulary_file()}, [])


def _find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield the files that are not those of the reference."""
    expected_files = {ITEMS_FILE: encode_items(loaded.items), **expected_vocabulary(loaded)}
    yield from differing_files(files, expected_files)


ANNOTATIONS = {task_id: ItemAnnotations(form_of(load_rules(task_id))) for task_id in TASKS}
PUBLIC_DATA = PublicPart(make=_public_files, find_leaks=_find_leaks)
