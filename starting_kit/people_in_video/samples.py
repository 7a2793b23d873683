"""The predictions of the samples of the kit, to try loops with before there is a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from people_in_video.demo_data import sample
from people_in_video.telling_task import opened
from scoring_program.task import task_ids
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
    if task not in task_ids():
        raise ValueError(f"there is no task {task!r}; this kit has {', '.join(task_ids())}")
    challenge = rules.load_rules(task).folder.name
    encoder = import_module(f"{rules.__package__}.{challenge}.write")
    if not hasattr(encoder, "decode_predictions"):
        raise ValueError(f"{task} has no evaluator, which takes predictions item by item")
    return list(encoder.decode_predictions(_sample_files(task, name)))


def _sample_files(task: str, name: str) -> dict[str, bytes]:
    """Return the files of a sample, which is a zip in a kit and a folder in a checkout."""
    path = sample(task, name)
    if not path.exists():
        raise ValueError(f"there is no sample {name} of {task}")
    with opened(path) as files:
        return {file: files.read(file) for file in files.names}
