"""Predictions gathered in memory, as in a training loop: `Evaluator`."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from people_in_video.errors import SubmissionError, submission_error
from people_in_video.gathering import REPEATS, Gathered, GatheredState
from people_in_video.plain_values import half_precision_text
from people_in_video.references.loading import load, load_items
from people_in_video.result import Score, make_score
from scoring_program.settings import SettingValue
from validator.findings import Note, Refused


class Evaluator:
    """Gathers predictions in memory and scores them, as a metric of torchmetrics does.

    An evaluator can be pickled, and merged with those of other processes: neither the order of calls nor that
    of processes changes a number.

    Parameters
    ----------
    task, reference, cache, items, **settings
        As for `score`, with the same errors.
    """

    _gathered: Gathered
    # Those of the last call of `compute`.
    _computed_items: frozenset[str]
    # Whether `merge` or `sync` was called after the last call of `update`.
    _has_merged: bool
    _warned_of_unknown: bool
    _warned_of_epochs: bool

    def __init__(
        self,
        task: str,
        reference: str | Path | None = None,
        cache: str | Path | None = None,
        items: Iterable[str] | None = None,
        **settings: SettingValue,
    ) -> None:
        items = None if items is None else list(items)
        self._arguments = (task, reference, cache, items, settings)
        whole = load(task, reference, cache, settings)
        self._loaded = load_items(task, reference, cache, items, settings)
        self._known_items = frozenset(whole.public.items)
        self.reset()

    def update(self, *arguments: object, **named: object) -> None:
        """Add predictions for an item; it takes what ``update`` of the task's writer takes.

        Arguments are lists, arrays, tensors on any device and with gradients, or columns of data frames. What
        an earlier call gave with equal content is dropped.

        Warns of the first item that is not in the reference, which is ignored as in a zip; of numbers of half
        precision; and of the first new prediction for an item that was predicted before `compute`, which is
        added to the earlier ones.

        Raises SubmissionError, and keeps nothing of the call, if an argument is not valid, or an earlier call
        predicted the same thing otherwise.
        """
        half_types = set(self._gathered.state.half_types)
        name = self._gathered.name_call((*arguments, *named.values()))
        try:
            item, is_new = self._gathered.update(name, arguments, named)
        except Refused as refused:
            raise SubmissionError(refused.findings) from None
        self._has_merged = False
        noun = self._loaded.task.item
        if item not in self._known_items and not self._warned_of_unknown:
            self._warned_of_unknown = True
            text = f"N-ITEMS-UNKNOWN {name}: the {noun} {item!r} is not in the reference"
            warnings.warn(f"{text}; the notes of the score count all of them", stacklevel=2)
        if is_new and item in self._computed_items and not self._warned_of_epochs:
            self._warned_of_epochs = True
            text = f"{name}: the {noun} {item!r} was predicted before compute(), and both count"
            warnings.warn(f"{text}; call reset() before a new epoch", stacklevel=2)
        if self._gathered.state.half_types - half_types:
            text = half_precision_text(self._gathered.state.half_types)
            warnings.warn(f"N-HALF {name}: {text}", stacklevel=2)

    def compute(self) -> Score:
        """Return the score of all predictions, that of a zip with them.

        One of several processes of torch.distributed that lacks items gets a note, unless `sync` was called.

        Raises SubmissionError, or NothingToScoreError if they are valid and nothing in the reference matches.
        """
        try:
            result = self._gathered.result()
        except Refused as refused:
            raise submission_error(self._loaded.explain(refused.findings)) from None
        self._computed_items = self._gathered.items()
        n_processes = 1 if self._has_merged else _number_of_processes()
        if n_processes > 1 and result.scores["coverage"] < 1:
            text = (
                f"these are the predictions of one of {n_processes} processes; call sync() in each of them "
            )
            note = Note("N-SYNC", f"{text}before compute()")
            result = replace(result, notes=[note, *result.notes])
        return make_score(self._loaded, result)

    def reset(self) -> None:
        """Forget all predictions."""
        self._gathered = Gathered(self._loaded)
        self._computed_items = frozenset()
        self._has_merged = False
        self._warned_of_unknown = self._warned_of_epochs = False

    def merge(self, *others: Evaluator, repeats: str = "first") -> None:
        """Add the predictions of other evaluators.

        Parameters
        ----------
        *others : Evaluator
        repeats : str
            What happens to predictions that two evaluators made for the same thing (a sequence, an image, a
            frame or a segment) and that differ; equal ones are always kept once. ``first``: those of the
            first evaluator stay, and a note of the score counts them. ``error``: ValueError is raised.
            ``join``: both are kept, as from two calls of `update`.

        Raises
        ------
        ValueError
            An evaluator has another signature, or predictions contradict; nothing is added then.
        """
        self._merge([(other._loaded.signature, other._gathered.state) for other in others], repeats)

    def sync(self, group: Any = None, repeats: str = "first") -> Evaluator:
        """Add the predictions of all processes of torch.distributed, in the order of their ranks.

        Afterwards each process has the predictions of all; a second call changes nothing. Where
        torch.distributed is not initialized there is one process, and nothing happens.

        Parameters
        ----------
        group : torch.distributed.ProcessGroup, optional
        repeats : str
            As for `merge`.

        Returns
        -------
        Evaluator
            This one.

        Raises
        ------
        ValueError
            As `merge`, in every process.
        ImportError
            torch is not installed.
        """
        distributed = importlib.import_module("torch.distributed")
        if not (distributed.is_available() and distributed.is_initialized()):
            return self
        states: list[Any] = [None] * distributed.get_world_size(group)
        state = self._loaded.signature, self._gathered.state
        distributed.all_gather_object(states, state, group=group)
        gathered = self._gathered
        self._gathered = Gathered(self._loaded)
        try:
            self._merge(states, repeats)
        except ValueError:
            self._gathered = gathered
            raise
        return self

    def _merge(self, states: Sequence[tuple[str, GatheredState]], repeats: str) -> None:
        self._has_merged = True
        if repeats not in REPEATS:
            raise ValueError(f"repeats is {repeats!r}; it must be one of {', '.join(REPEATS)}")
        if any(signature != self._loaded.signature for signature, _ in states):
            raise ValueError("evaluators of another task, reference, or settings cannot be merged")
        gathered = Gathered(self._loaded, self._gathered.state)
        for _, state in states:
            gathered.merge(state, repeats)
        self._gathered = gathered

    def __reduce__(self) -> tuple[Any, ...]:
        # The reference is read again, or taken from the cache of the process that unpickles.
        return _evaluator, (type(self), self._arguments, self._gathered.state)


def _number_of_processes() -> int:
    """Return how many processes of torch.distributed there are, 1 where it is not initialized."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return 1
    return int(distributed.get_world_size(None))


def _evaluator(
    evaluator_class: type[Evaluator], arguments: tuple[Any, ...], state: GatheredState
) -> Evaluator:
    """Return an evaluator that was pickled, made with the arguments that it was made with first."""
    task, reference, cache, items, settings = arguments
    evaluator = evaluator_class(task, reference, cache, items, **settings)
    evaluator._gathered = Gathered(evaluator._loaded, state)
    return evaluator
