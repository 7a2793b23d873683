"""Annotations of a challenge, as organizers use them: predictions made of them, parts, and what they hold.

``organizer/challenges/<challenge>.py`` holds ``ANNOTATIONS``, one object for each task of the challenge, and
``content_of``, which puts a `Content` together.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np

from organizer.content import Content
from organizer.files import Files
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded, load_task
from validator.arrays import Bools, Floats, Ints
from validator.discovery import discover
from validator.findings import Findings

ReferenceT = TypeVar("ReferenceT")
PredictionT = TypeVar("PredictionT")


@dataclass(frozen=True)
class Pools:
    """What predictions are drawn from, by kind of label or box.

    Attributes
    ----------
    labels : mapping of str to Counter
        How often each label is annotated; those that never are count 0.
    boxes : mapping of str to float64 array of shape (n, k)
        The annotated boxes (k = 4: ``x1, y1, x2, y2``) or intervals (k = 2: start, end).
    """

    labels: Mapping[str, Counter[str]]
    boxes: Mapping[str, Floats]

    @cached_property
    def median(self) -> dict[str, list[float]]:
        """The median box of each kind."""
        return {kind: np.median(boxes, axis=0).round(1).tolist() for kind, boxes in self.boxes.items()}


class Guess:
    """Turns annotations into predictions: ``perfect``, ``empty``, ``most frequent``, ``random`` or ``noisy``.

    ``noise`` is 0 (right on the annotated frame) to 1 (hardly anything right). A noisy submission has a shift
    and growth of its own, ``bias``, as shares of a box's size, and misses a share of the instances.
    """

    def __init__(self, name: str, pools: Pools, rng: np.random.Generator, noise: float, bias: Floats) -> None:
        self.name, self._pools, self._rng, self._noise, self._bias = name, pools, rng, noise, bias
        self._missed = 0.5 * noise * rng.random()

    def keeps(self) -> bool:
        """Return whether an instance is predicted."""
        return self.name != "empty" and (self.name != "noisy" or self._rng.random() >= self._missed)

    def label(self, label: str, kind: str, share: float = 1) -> str:
        """Return the predicted label, "" for none; ``share`` says how often noise may change it."""
        labels = self._pools.labels[kind]
        if self.name == "most frequent":
            return min(labels, key=lambda name: (-labels[name], name))
        if self.name == "random" or (self.name == "noisy" and self._rng.random() < self._noise * share):
            return str(self._rng.choice(list(labels)))
        return "" if self.name == "empty" else label

    def box(self, box: Sequence[float], kind: str, far: float = 0) -> list[float]:
        """Return the predicted box or interval; ``far`` is the distance in frames to the annotated one."""
        if self.name == "most frequent":
            return self._pools.median[kind]
        if self.name == "random":
            return self._rng.choice(self._pools.boxes[kind]).tolist()  # type: ignore[no-any-return, return-value]
        return self.shaken(np.array(box, dtype=np.float64), far) if self.name == "noisy" else list(box)

    def shaken(self, box: Floats, far: float) -> list[float]:
        """Return a box with noise in its corners, which stay in order."""
        size = np.tile(box[2:] - box[:2], 2)
        box = box + size * (self._rng.normal(0, 0.25 * (self._noise + 0.5 * far), 4) + self._bias)
        return np.sort(box.reshape(2, 2), axis=0).ravel().round(1).tolist()


class Annotations(ABC, Generic[ReferenceT, PredictionT]):
    """The annotations of one task, with predictions as plain data in the form that suits it."""

    perfect_scores: tuple[float, float] = (1.0, 1.0)
    """What a perfect submission usually scores under ``published`` and ``released``."""
    part_settings: Settings = MappingProxyType({})
    """Settings of each part of a reference, so that a part ignores predictions for the others."""
    part_rule: str = ""
    """What these settings change, as a sentence for participants."""
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
        shift, growth = rng.normal(0, 0.1 * noise, 2), rng.normal(0, 0.1 * noise)
        bias = np.concatenate([shift - growth, shift + growth])
        return self.predicted(reference, Guess("noisy", self.pools(reference), rng, noise, bias))

    @abstractmethod
    def files(self, prediction: PredictionT) -> Files:
        """Return the files of a submission that holds a prediction."""

    @abstractmethod
    def reasons(self, reference: ReferenceT, settings: Settings) -> dict[str, set[str]]:
        """Return the items of which no submission can be perfect, by the known reason."""

    @abstractmethod
    def classes(self, reference: ReferenceT) -> dict[str, list[str]]:
        """Return the class of each instance by name; names are those of items and others to be divided."""

    @abstractmethod
    def cut(self, source: Path, reference: ReferenceT, names: Collection[str], output: Path) -> None:
        """Write the part of a prepared reference with these names, apart from what is `shared`."""


def annotations_of(task_id: str) -> Annotations[Any, Any]:
    """Return the annotations of a task. Raises Refused if there is no code for its challenge."""
    challenge = load_task(task_id).folder.name
    annotations = _of_challenge(challenge, "ANNOTATIONS")
    if annotations is None:
        problem = f"{task_id} has no baselines and cannot be split yet"
        place = f"organizer/challenges/{challenge}.py"
        Findings().refuse("E-NO-ANNOTATIONS", problem, f"write {place}, as its neighbors do", file=place)
    return annotations[task_id]  # type: ignore[no-any-return]


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored, and what looks like a mistake. Raises Refused if nothing is annotated."""
    make, n_items = _of_challenge(loaded.task.folder.name, "content_of"), len(loaded.items)
    content: Content = make(loaded) if make else Content(n_items, {loaded.task.item: n_items})
    if not content.n_instances:
        problem, remedy = "nothing that is scored is annotated", "give the labels, which may be withheld"
        Findings().refuse("E-REF-EMPTY", problem, remedy, file=loaded.folder.name)
    return content


def _of_challenge(challenge: str, name: str) -> Any:
    """Return what the module of a challenge holds under a name, None if there is neither."""
    if not discover(__name__, f"{challenge}.py"):
        return None
    return getattr(importlib.import_module(f"{__name__}.{challenge}"), name, None)


def ragged(starts: Ints, keep: Bools) -> tuple[Ints, Bools]:
    """Return the starts of the rows that are kept, and which elements stay."""
    sizes = np.diff(starts)
    return np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64), np.repeat(keep, sizes)
