"""Annotations of a challenge, as organizers use them: predictions made of them, parts, and what they hold.

``organizer/tasks/<challenge>.py`` holds ``ANNOTATIONS``, one object for each task of the challenge,
``content_of``, which puts a `Content` together, and ``PUBLIC_DATA``. Where an official file of labels is of
no use without others, ``labelled_items`` says what it labels by itself, or raises one of `MALFORMED`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np

from organizer.data.content import Content
from organizer.files import MALFORMED, Files
from organizer.public_data import module_of
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from validator.arrays import Floats, Ints
from validator.findings import Findings, Read

_SEED = 27
ReferenceT = TypeVar("ReferenceT")
PredictionT = TypeVar("PredictionT")


@dataclass(frozen=True)
class Pools:
    """What predictions are drawn from, by kind of label or box.

    Attributes
    ----------
    labels : mapping of str to Counter
        How often each label is annotated; those that never are count 0. The first kind is that of classes.
    boxes : mapping of str to float64 array of shape (n, k)
        The annotated boxes (k = 4: ``x1, y1, x2, y2``) or intervals (k = 2: start, end).
    numbers : mapping of str to float64 array of shape (n,)
        The annotated numbers, such as ratings.
    """

    labels: Mapping[str, Counter[str]]
    boxes: Mapping[str, Floats]
    numbers: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def median_boxes(self) -> dict[str, list[float]]:
        """The median box of each kind."""
        medians = {}
        for kind, boxes in self.boxes.items():
            medians[kind] = _as_rounded(np.median(boxes, axis=0))
        return medians


def _as_rounded(numbers: Floats) -> list[float]:
    rounded: list[float] = numbers.round(1).tolist()
    return rounded


class BaselineKind(Enum):
    """A way to make predictions of annotations, whose value is the name of the baseline."""

    PERFECT = "perfect"
    EMPTY = "empty"
    MOST_FREQUENT = "most frequent"
    RANDOM = "random"
    ONE_CLASS = "one class"
    """Right but for the class, which is the most frequent one."""
    NOISY = "noisy"


class Guess:
    """Turns annotations into the predictions of a baseline.

    A noisy submission has a shift and growth of boxes, or a lag, of its own, and misses a share of the
    instances.

    Parameters
    ----------
    baseline : BaselineKind
    pools : Pools
    rng : numpy.random.Generator
    noise : float
        From 0 (right on the annotated frame) to 1 (hardly anything right); for noisy submissions alone.
    bias : float64 array of shape (4,) or ()
        Shift and growth of all boxes, as shares of a box's size: what is added to its four corners; or the
        lag of all intervals.
    """

    def __init__(
        self, baseline: BaselineKind, pools: Pools, rng: np.random.Generator, noise: float, bias: Floats
    ) -> None:
        self.baseline = baseline
        self._pools = pools
        self._rng = rng
        self._noise = noise
        self._bias = bias
        self._missed_share = 0.5 * noise * rng.random()

    def keeps(self) -> bool:
        """Return whether an instance is predicted."""
        if self.baseline is BaselineKind.NOISY:
            return self._rng.random() >= self._missed_share
        return self.baseline is not BaselineKind.EMPTY

    def label(self, label: str, kind: str, share: float = 1) -> str:
        """Return the predicted label, "" for none; ``share`` says how often noise may change it."""
        labels = self._pools.labels[kind]
        is_class = kind == next(iter(self._pools.labels))
        if self.baseline is BaselineKind.MOST_FREQUENT or (
            self.baseline is BaselineKind.ONE_CLASS and is_class
        ):
            return min(labels, key=lambda name: (-labels[name], name))
        if self.baseline is BaselineKind.EMPTY:
            return ""
        is_noise = self.baseline is BaselineKind.NOISY and self._rng.random() < self._noise * share
        if self.baseline is BaselineKind.RANDOM or is_noise:
            return str(self._rng.choice(list(labels)))
        return label

    def box(self, box: Sequence[float], kind: str, far: float = 0) -> list[float]:
        """Return the predicted box or interval; ``far`` is the distance in frames to the annotated one."""
        if self.baseline is BaselineKind.MOST_FREQUENT:
            return self._pools.median_boxes[kind]
        if self.baseline is BaselineKind.RANDOM:
            drawn_box: list[float] = np.asarray(self._rng.choice(self._pools.boxes[kind])).tolist()
            return drawn_box
        if self.baseline is BaselineKind.NOISY:
            return self.shake(np.array(box, dtype=np.float64), far)
        return list(box)

    def number(self, number: float, kind: str) -> float:
        """Return the predicted number, which is within the range of those that are annotated.

        The most frequent one is the median. Noise draws numbers toward others at random.
        """
        numbers = self._pools.numbers[kind]
        if self.baseline is BaselineKind.MOST_FREQUENT:
            return float(np.median(numbers))
        if self.baseline is BaselineKind.RANDOM:
            return float(self._rng.choice(numbers))
        if self.baseline is BaselineKind.NOISY:
            return float(number + self._noise * (self._rng.choice(numbers) - number))
        return number

    def places(self, numbers: Ints) -> Ints:
        """Return a random place below each number, as as many single draws give them."""
        drawn_numbers: Ints = self._rng.integers(0, numbers)
        return drawn_numbers

    def shake(self, box: Floats, far: float) -> list[float]:
        """Return a box with noise in its corners, which stay in order, or an interval, in any order."""
        if len(box) == 2:
            deviation = 0.4 * self._noise * (box[1] - box[0])
            noisy_box: Floats = box + self._bias + self._rng.normal(0, deviation, 2)
            return noisy_box.tolist()
        width_and_height = box[2:] - box[:2]
        noise = self._rng.normal(0, 0.25 * (self._noise + 0.5 * far), 4)
        corners = box + np.tile(width_and_height, 2) * (noise + self._bias)
        return _as_rounded(np.sort(corners.reshape(2, 2), axis=0).ravel())


def plain_guess(baseline: BaselineKind, pools: Pools) -> Guess:
    """Return a guess without noise, the same each time."""
    return Guess(
        baseline=baseline,
        pools=pools,
        rng=np.random.default_rng(_SEED),
        noise=0,
        bias=np.zeros(4),
    )


class Annotations(ABC, Generic[ReferenceT, PredictionT]):
    """The annotations of one task, with predictions as plain data in the form that suits it."""

    perfect_scores: tuple[float, float] = (1.0, 1.0)
    """What a perfect submission usually scores under ``published`` and ``released``."""
    baselines: Collection[BaselineKind] = tuple(BaselineKind)
    """The baselines that can be submitted, and differ: where each item has one label, none is empty."""
    part_settings: Settings = MappingProxyType({})
    """Settings of each part of a reference, so that a part ignores predictions for the others."""
    lag: float = 0
    """How far intervals with noise lag behind, in their unit; 0 where boxes shift and grow."""
    shared: Sequence[str] = ()
    """Files of a prepared reference that all of its parts have."""

    @abstractmethod
    def pools(self, reference: ReferenceT) -> Pools:
        """Return what predictions are drawn from."""

    @abstractmethod
    def predicted(self, reference: ReferenceT, guess: Guess) -> PredictionT:
        """Return a prediction for each annotated instance as ``guess`` changes it."""

    def noisy(self, reference: ReferenceT, rng: np.random.Generator, noise: float) -> PredictionT:
        """Return predictions with noise, 0 to 1."""
        if self.lag:
            bias = np.array(rng.normal(0, self.lag * noise))
        else:
            shift = rng.normal(0, 0.1 * noise, 2)
            growth = rng.normal(0, 0.1 * noise)
            bias = np.concatenate([shift - growth, shift + growth])
        guess = Guess(
            baseline=BaselineKind.NOISY,
            pools=self.pools(reference),
            rng=rng,
            noise=noise,
            bias=bias,
        )
        return self.predicted(reference, guess)

    @abstractmethod
    def files(self, prediction: PredictionT) -> Files:
        """Return the files of a submission that holds a prediction."""

    def rows(self, loaded: AnyLoaded, guess: Guess) -> Read[Any]:
        """Return what is read of a submission with the prediction; a task may make it without files."""
        return loaded.read(self.files(self.predicted(loaded.reference, guess)))

    @abstractmethod
    def classes(self, reference: ReferenceT) -> dict[str, list[str]]:
        """Return the class of each instance by name; names are those of items and others to be divided."""

    @abstractmethod
    def cut(self, source: Path, reference: ReferenceT, names: Collection[str], output: Path) -> None:
        """Write the part of a prepared reference with these names, apart from what is `shared`."""


def annotations_of(task_id: str) -> Annotations[Any, Any]:
    """Return the annotations of a task."""
    annotations: Annotations[Any, Any] = module_of(task_id).ANNOTATIONS[task_id]
    return annotations


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored, and what looks like a mistake. Raises Refused if nothing is annotated."""
    content: Content = module_of(loaded.task.id).content_of(loaded)
    if not content.n_instances:
        problem, remedy = "nothing that is scored is annotated", "give the labels, which may be withheld"
        Findings().refuse("E-REF-EMPTY", problem, remedy, file=loaded.folder.name)
    return content


def labelled_items(task_id: str, name: str, data: bytes) -> set[str]:
    """Return the items that one official file of a reference labels, whatever lies beside it; none of others.

    Parameters
    ----------
    name : str
        The name of the file, without folders.
    """
    items_of_file = getattr(module_of(task_id), "labelled_items", None)
    if items_of_file is not None:
        # Other files may have the name of an official one.
        with suppress(*MALFORMED):
            return set(items_of_file(name, data))
    return set()
