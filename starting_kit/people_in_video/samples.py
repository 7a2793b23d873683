"""The predictions of the samples of the kit, to try loops with before there is a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from people_in_video.demo_data import sample
from people_in_video.references.loading import check_task
from people_in_video.telling_task import opened
from validator.formats import rules


def sample_predictions(task: str, name: str = "good") -> list[tuple[Any, ...]]:
    """Return the predictions of a sample, as a model would give them for the items of the demo reference.

    Parameters
    ----------
    task : str
        The id of the task.
    name : str
        "good" or "weak".

    Returns
    -------
    list of tuple
        For each item, or segment of a video, the arguments of `Evaluator.update` and of ``update`` of the
        writer.

    Raises
    ------
    ValueError
        There is no such task or sample, or the task has no evaluator.
    """
    check_task(task)
    decode = decoder_of(task)
    if decode is None:
        raise ValueError(f"{task} has no evaluator, which takes predictions item by item")
    return list(decode(_sample_files(task, name)))


def decoder_of(task: str) -> Callable[[Mapping[str, bytes]], Iterator[tuple[Any, ...]]] | None:
    """Return what yields the predictions in the files of a valid submission; None without an evaluator."""
    challenge = rules.load_rules(task).folder.name
    return getattr(import_module(f"{rules.__package__}.{challenge}.write"), "decode_predictions", None)


def _sample_files(task: str, name: str) -> dict[str, bytes]:
    """Return the files of a sample, which is a zip in a kit and a folder in a checkout."""
    path = sample(task, name)
    if not path.exists():
        raise ValueError(f"there is no sample {name} of {task}")
    with opened(path) as files:
        return {file: files.read(file) for file in files.names}
