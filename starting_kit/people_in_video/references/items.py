"""The ground truth of tasks with an evaluator of one's own: JSON, or a CSV file for each item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from people_in_video.items.csv_folder import ENDING, read_csv_files
from people_in_video.references.preparation import (
    Notes,
    Options,
    Preparation,
    copy_files,
    declared_files,
)
from scoring_program.challenges.items.reference import Reference
from scoring_program.settings import Settings
from scoring_program.task import Task
from validator.findings import Findings
from validator.formats.items.arrays import Items, PlainValues, Values
from validator.formats.items.read import form_of
from validator.formats.items.write import encode
from validator.formats.rules import load_rules


def _tables(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the names of the files of items, none where the ground truth is one file."""
    if not task.evaluator or declared_files(task, source, settings):
        return []
    names = [path.name for path in sorted(source.glob(f"*{ENDING}"))]
    return [name for name in names if name != settings["item_groups"]]


def _sources(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the names of the files of the ground truth."""
    return _tables(task, source, settings) or declared_files(task, source, settings)


def _write(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Write the ground truth as JSON. Raises Refused."""
    names = _tables(task, source, settings)
    if not names:
        return copy_files(task, source, output, settings, options)
    form = form_of(load_rules(task.id)).truth
    try:
        values = read_csv_files([source / name for name in names])
    except ValueError as error:
        problem, _, remedy = str(error).partition("; ")
        Findings().refuse("E-REF-SHAPE", problem, remedy)
    (output / form.file).write_bytes(encode(form, values))
    return []


def _select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return the ground truth of some items."""
    return reference._replace(items=_select(reference.items, items))


def _select(items: Items, selected_keys: Collection[str]) -> Items:
    """Return some items, in their order."""
    is_selected = np.array([key in selected_keys for key in items.keys], dtype=bool)
    keys = [key for key in items.keys if key in selected_keys]
    if isinstance(items, Values):
        return items._replace(keys=keys, values=items.values[is_selected])
    is_submitted = items.is_submitted[is_selected]
    if isinstance(items, PlainValues):
        values = [value for key, value in zip(items.keys, items.values) if key in selected_keys]
        return items._replace(keys=keys, values=values, is_submitted=is_submitted)
    is_kept = is_selected[items.item]
    new_number = np.cumsum(is_selected) - 1
    return items._replace(
        keys=keys,
        item=new_number[items.item[is_kept]],
        label=items.label[is_kept],
        extent=items.extent[is_kept],
        score=items.score[is_kept],
        is_submitted=is_submitted,
    )


PREPARATIONS: Mapping[str, Preparation] = defaultdict(
    lambda: Preparation(sources=_sources, write=_write, select_items=_select_items)
)
