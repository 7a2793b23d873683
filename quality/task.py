"""What is made up for a task: synthetic data, gaming tricks, and predictions with mistakes.

``quality/<challenge>/task.py`` holds ``TASKS``: one object for each task of the challenge.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from organizer.files import Files, folder_files, samples_folder
from organizer.tasks import annotations_of
from people_in_video.diagnosis.trials import Family
from quality.cures import Cure
from scoring_program.task import load_task
from validator.discovery import discover

PredictionT = TypeVar("PredictionT")


@dataclass(frozen=True)
class Trick:
    """A gaming trick: a way to raise the score that needs no better predictions.

    ``play`` takes the demo reference and a sample, and returns a submission. The sample is the good one, for
    the released protocol the weak one, which misses more. Some tricks the metric rewards, by its definition.
    """

    name: str
    play: Callable[[Files, Files], Files]
    protocol: str = "published"
    rewarded: bool = False


class Said(NamedTuple):
    """The code of a note or problem, and words that its text holds."""

    code: str
    words: str = ""

    def is_in(self, line: str) -> bool:
        """Return whether a line of a log says it."""
        return line.startswith(self.code) and self.words in line


@dataclass(frozen=True)
class Mistake(Generic[PredictionT]):
    """A mistake that is well-formed, and what should be reported of it.

    Attributes
    ----------
    name : str
    change : callable
        Makes the mistake in a correct prediction, maybe in place.
    said : sequence of Said
        Facts that explain it: one of them is enough. They need no reference or only its public part.
    cures : sequence of Cure
        The repairs that the search should find, all of them, if no such fact explains it.
    size : int
        How many times as large the reference must be at least. Where sizes replace ends, a validator accepts
        few predictions.
    change_files : callable
        Makes the mistake in the files of the submission.
    """

    name: str
    change: Callable[[PredictionT], PredictionT]
    said: Sequence[Said] = ()
    cures: Sequence[Cure] = ()
    size: int = 1
    change_files: Callable[[Files], Files] = lambda files: files


def cured(
    name: str, things: Sequence[str], family: Family, change: Callable[[PredictionT], PredictionT]
) -> Mistake[PredictionT]:
    """Return a mistake that one repair cures, of things that are called one of these."""
    return Mistake(name, change, cures=[Cure(things, family)])


def noted(
    name: str, code: str, change: Callable[[PredictionT], PredictionT], words: str = ""
) -> Mistake[PredictionT]:
    """Return a mistake that a note or problem of a code tells, with these words."""
    return Mistake(name, change, said=[Said(code, words)])


@dataclass(frozen=True)
class WeakModel(Generic[PredictionT]):
    """A model that is honest and weak in some way: a change of a correct prediction of which no repair may be
    reported."""

    name: str
    change: Callable[[PredictionT, np.random.Generator], PredictionT]


class QualityTask(ABC, Generic[PredictionT]):
    """What is made up for one task, with predictions as plain data in the form that suits it."""

    id: str
    tricks: Sequence[Trick]
    mistakes: Sequence[Mistake[PredictionT]] = ()
    weak_models: Sequence[WeakModel[PredictionT]] = ()
    variants: Mapping[str, Callable[[Path], None]] = {"": lambda folder: None}
    """Changes of the reference in a folder with which intervals are measured, too, by the name of each."""

    @abstractmethod
    def write_reference(self, folder: Path, seed: int = ..., size: int = 1) -> None:
        """Write the demo reference, times ``size``, in the organizers' formats; each seed gives another."""

    @abstractmethod
    def write_samples(self, reference: Path, folder: Path) -> None:
        """Write predictions for a reference, a folder each: ``good`` and ``weak``."""

    @abstractmethod
    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write ``ref/`` and ``res/`` of the challenge's size, times ``scale``."""

    def correct_prediction(self, reference: Path, rng: np.random.Generator, noise: float) -> PredictionT:
        """Return a prediction without mistakes: right at ``noise`` 0, hardly anything right at 1."""
        task = load_task(self.id)
        loaded = task.load(reference, task.settings(reference))
        return annotations_of(self.id).noisy(loaded, rng, noise)  # type: ignore[no-any-return]

    def files(self, prediction: PredictionT) -> Files:
        """Return the files of a submission that holds a prediction."""
        return annotations_of(self.id).files(prediction)

    def shortened(self, sample: Files) -> Files:
        """Return a sample that is small enough to be corrupted and read thousands of times."""
        return sample

    def short_samples(self) -> list[Files]:
        """Return the samples of the repository in this form, the good one first."""
        return [self.shortened(folder_files(path)) for path in sorted(samples_folder(self.id).iterdir())]

    def repeated(self, files: Files, copies: Mapping[str, Sequence[str]]) -> Files:
        """Return files of a reference or a submission with each item under all of its new names, maybe none.

        By default items are in names of files, or keys of objects and lists of names in JSON.
        """
        repeated_files: dict[str, bytes] = {}
        for name, data in files.items():
            if name.endswith(".json"):
                repeated_files[name] = _repeat_in_json(data, copies)
                continue
            item = next((item for item in copies if item in name), None)
            if item is None:
                repeated_files[name] = data
            else:
                for copy in copies[item]:
                    repeated_files[name.replace(item, copy)] = data
        return repeated_files


def _repeat_in_json(data: bytes, copies: Mapping[str, Sequence[str]]) -> bytes:
    """Return a JSON file with each item under its new names; without any, it stays as it is."""
    content = json.loads(data)
    repeated_content = _repeated(content, copies)
    return data if repeated_content == content else json.dumps(repeated_content).encode()


def _repeated(value: Any, copies: Mapping[str, Sequence[str]]) -> Any:
    """Return a value of JSON in which lists of items, and keys that are items, are repeated."""
    if isinstance(value, list) and all(isinstance(entry, str) and entry in copies for entry in value):
        return [copy for item in value for copy in copies[item]]
    if not isinstance(value, dict):
        return value
    if copies.keys().isdisjoint(value):
        return {key: _repeated(child, copies) for key, child in value.items()}
    return {copy: content for item, content in value.items() for copy in copies.get(item, ())}


@cache
def quality_tasks() -> dict[str, QualityTask[Any]]:
    """Return the object of each task by its id, in the order of the ids."""
    tasks: list[QualityTask[Any]] = []
    for path in discover("quality", "*/task.py"):
        tasks += import_module(f"quality.{path.parent.name}.task").TASKS
    return {task.id: task for task in sorted(tasks, key=lambda task: task.id)}


def write_json(path: Path, data: object) -> None:
    """Write data as compact JSON, in a folder that is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
