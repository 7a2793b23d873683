"""What is made up for tasks with a value for each item: data, samples, tricks, mistakes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from organizer.files import Files, write_files
from people_in_video.diagnosis.trials import Family
from quality import ROOT, cures
from quality.box_mistakes import ChangeOfBoxes, mirror, swap_axes
from quality.items import values
from quality.task import Mistake, QualityTask, Trick, cured, noted
from scoring_program.challenges.items.task import TASKS as SCORED
from validator.formats.items.arrays import corners_of
from validator.formats.items.read import form_of
from validator.formats.items.write import as_instance, decode, encode
from validator.formats.rules import load_rules
from validator.formats.values import Form, Kind

# The value of each item, as it is in a JSON file.
Items = dict[str, Any]
_N_ITEMS = 60
_N_FULL_SIZE = 100_000
_FRAMES_A_SECOND, _SECONDS_LATE = 25, 5.0
_WIDTH = 640
# A good sample of an evaluator of one's own is the example as it is.
_LEAST_WRONG = 0.1
_EXAMPLES = ROOT / "tests" / "golden"


class ItemQuality(QualityTask[Items]):
    """A task whose items have a ``form``."""

    def __init__(self, id: str, form: Form) -> None:
        self.id = id
        self.form = form
        self.tricks = (Trick(values.TRICKS[form.kind], self._same_everywhere),)
        self.mistakes = _mistakes(form)

    def _same_everywhere(self, reference: Files, sample: Files) -> Files:
        truth = decode(self.form.truth, reference[self.form.truth_file])
        return self.files(dict.fromkeys(truth, self._value_for_all(list(truth.values()))))

    def _value_for_all(self, true_values: list[Any]) -> Any:
        """Return the value that a trick gives for all items."""
        return values.trick(self.form, true_values)

    def write_reference(self, folder: Path, seed: int = 1, size: int = 1) -> None:
        rng = random.Random(seed)
        items = _demo_items(size)
        self.write_truth(folder, {item: values.random_value(self.form.truth, rng) for item in items})

    def write_truth(self, folder: Path, truth: Items) -> None:
        """Write a ground truth."""
        write_files({self.form.truth_file: encode(self.form.truth, truth)}, folder)

    def write_samples(self, reference: Path, folder: Path) -> None:
        self._write_guesses(reference, folder / "good", wrong_share=0.1)
        self._write_guesses(reference, folder / "weak", wrong_share=0.5)

    def _write_guesses(self, reference: Path, folder: Path, wrong_share: float) -> None:
        guesses = self._guesses(reference, random.Random(2), wrong_share)
        write_files(self.files(guesses), folder)

    def write_full_size(self, folder: Path, scale: float) -> None:
        size = max(round(_N_FULL_SIZE * scale / _N_ITEMS), 1)
        self.write_reference(folder / "ref", size=size)
        self._write_guesses(folder / "ref", folder / "res", wrong_share=0.2)

    def correct_prediction(self, reference: Path, rng: np.random.Generator, noise: float) -> Items:
        seed = int(rng.integers(1 << 32))
        return self._guesses(reference, random.Random(seed), noise)

    def files(self, prediction: Items) -> Files:
        return {self.form.file: encode(self.form, prediction)}

    def repeated(self, files: Files, copies: Mapping[str, Sequence[str]]) -> Files:
        repeated_files = dict(files)
        for form in (self.form, self.form.truth):
            if form.file in files:
                items: Items = {}
                for item, value in decode(form, files[form.file]).items():
                    items.update(dict.fromkeys(copies[item], value))
                repeated_files[form.file] = encode(form, items)
        return repeated_files

    def _guesses(self, reference: Path, rng: random.Random, wrong_share: float) -> Items:
        truth = decode(self.form.truth, (reference / self.form.truth_file).read_bytes())
        return {item: values.guess(self.form, value, rng, wrong_share) for item, value in truth.items()}


class ExampleQuality(ItemQuality):
    """A task with an evaluator of one's own: values cannot be made up, they are those of the example."""

    def _value_for_all(self, true_values: list[Any]) -> Any:
        return next(iter(self.example("res", self.form).values()))

    def write_reference(self, folder: Path, seed: int = 1, size: int = 1) -> None:
        self.write_truth(folder, self._made_of_example("ref", self.form.truth, size))

    def _guesses(self, reference: Path, rng: random.Random, wrong_share: float) -> Items:
        truth = decode(self.form.truth, (reference / self.form.truth_file).read_bytes())
        predicted = self._made_of_example("res", self.form, max(len(truth) // _N_ITEMS, 1))
        right_items = [
            item for item in predicted if item in truth and rng.random() >= wrong_share - _LEAST_WRONG
        ]
        return {item: predicted[item] for item in right_items or list(predicted)[:1]}

    def example(self, side: str, form: Form) -> Items:
        """Return one side of the example."""
        return decode(form, (_EXAMPLES / self.id / "example" / side / form.file).read_bytes())

    def _made_of_example(self, side: str, form: Form, size: int) -> Items:
        """Return one side of demo data: the values of the example in turn."""
        examples, values_of_side = list(self.example("ref", self.form.truth)), self.example(side, form)
        return {
            item: values_of_side[example]
            for item, example in zip(_demo_items(size), cycle(examples))
            if example in values_of_side
        }


def item_quality(task_id: str, form: Form) -> ItemQuality:
    """Return what is made up for a task whose items have a form."""
    return (ExampleQuality if form.kind is Kind.VALUE else ItemQuality)(task_id, form)


def _demo_items(size: int) -> list[str]:
    return [f"demo_{number:05d}" for number in range(_N_ITEMS * size)]


def _mistakes(form: Form) -> list[Mistake[Items]]:
    if form.kind is Kind.LABEL:
        return [
            _constant("the same label everywhere", form.names[0]),
            cured("labels in another order", ("labels",), Family.ORDER, partial(_with_labels, form)),
            cured("the labels of the next item", ("labels",), Family.ITEMS, _of_next_item),
        ]
    if form.kind is Kind.LABELS:
        return [_constant("the same labels everywhere", list(form.names))]
    if form.kind is Kind.SEGMENTS:
        segment = as_instance(form.instance_keys, form.names[0], (0.0, 9.0))
        return [
            _constant("the same segments everywhere", [segment]),
            noted("each segment twice", "N-REPEATED", _twice),
            *_mistakes_of_segments(form),
        ]
    if form.kind is Kind.BOXES:
        box = as_instance(form.instance_keys, form.names[0], (0.0, 0.0, 9.0, 9.0))
        return [_constant("the same boxes everywhere", [box]), *_mistakes_of_boxes(form)]
    return []


def _constant(name: str, value: Any) -> Mistake[Items]:
    return noted(name, "N-LOOKS-CONSTANT", lambda prediction: dict.fromkeys(prediction, value))


def _twice(prediction: Items) -> Items:
    return {item: 2 * segments for item, segments in prediction.items()}


def _with_labels(form: Form, prediction: Items) -> Items:
    """Return a prediction with the labels of a list in another order."""
    write = _label_in_other_order(form)
    return {item: write(label) for item, label in prediction.items()}


def _label_in_other_order(form: Form) -> Callable[[str], str]:
    """Return what gives the label that is written for one, from a list in another order."""
    meant_label = cures.other_order(list(form.names))
    return {name: other for other, name in meant_label.items()}.__getitem__


def _mistakes_of_segments(form: Form) -> list[Mistake[Items]]:
    return [
        _times(form, "milliseconds instead of seconds", 1000, 0),
        _times(form, "frames instead of seconds", _FRAMES_A_SECOND, 0),
        _times(form, "5 seconds late", 1, _SECONDS_LATE),
        cured(
            "labels in another order",
            ("labels",),
            Family.ORDER,
            partial(_with_instances, form, label=_label_in_other_order(form)),
        ),
        cured("the segments of the next item", ("segments",), Family.ITEMS, _of_next_item),
    ]


def _mistakes_of_boxes(form: Form) -> list[Mistake[Items]]:
    def in_boxes(name: str, family: Family, write: ChangeOfBoxes) -> Mistake[Items]:
        def write_corners(corners: list[float]) -> list[float]:
            return list(write(np.array(corners)).tolist())

        return cured(name, ("boxes",), family, partial(_with_instances, form, corners=write_corners))

    return [
        in_boxes("boxes as [y1, x1, y2, x2]", Family.READING, swap_axes),
        in_boxes("boxes of half size", Family.FIT, lambda box: box / 2),
        in_boxes("boxes of mirrored images", Family.FIT, mirror(_WIDTH)),
        cured("the boxes of the next item", ("boxes",), Family.ITEMS, _of_next_item),
    ]


def _times(form: Form, name: str, scale: float, delay: float) -> Mistake[Items]:
    """Return the mistake that times are ``scale`` times as large, and ``delay`` seconds late."""

    def write_times(times: list[float]) -> list[float]:
        return [scale * seconds + delay for seconds in times]

    change = partial(_with_instances, form, corners=write_times)
    return cured(name, ("segments",), Family.FIT, change)


def _with_instances(
    form: Form,
    prediction: Items,
    label: Callable[[str], str] = str,
    corners: Callable[[list[float]], list[float]] = list,
) -> Items:
    """Return a prediction with the labels or the places of all instances changed."""
    keys = form.instance_keys
    changed_items: Items = {}
    for item, instances in prediction.items():
        changed_items[item] = [
            as_instance(
                keys,
                label(instance[keys.label]),
                corners(corners_of(keys, instance)),
                instance.get(keys.score, 1.0),
            )
            for instance in instances
        ]
    return changed_items


def _of_next_item(prediction: Items) -> Items:
    first_value, *other_values = prediction.values()
    return dict(zip(prediction, [*other_values, first_value]))


TASKS = tuple(item_quality(task_id, form_of(load_rules(task_id))) for task_id in SCORED)
