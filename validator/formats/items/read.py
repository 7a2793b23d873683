"""Submissions with a value for each item: a table in CSV, or a JSON object that maps each item to its value.

What a value is, the task declares (`validator.formats.values`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from validator.arrays import Bools
from validator.choose_named import choose_named
from validator.findings import Findings, Note, Read
from validator.formats.items.arrays import (
    MISSING,
    Items,
    PlainValues,
    Regions,
    as_items,
    corners_of,
    has_values,
)
from validator.formats.items.table import read_table
from validator.formats.rules import Rules
from validator.formats.values import Form, Kind, json_schema
from validator.hints import empty_note, repeat_hints, score_hints
from validator.items import ITEMS_NONE, Place, check_items
from validator.keys import match_keys
from validator.submission import Source, open_submission
from validator.texts import counted, pointer_part

# Fewer items that are the same are no sign of a mistake.
_LEAST_SAME = 4


def form_of(rules: Rules) -> Form:
    """Return what the items of a task have."""
    if rules.form is None:
        raise ValueError(f"{rules.id} declares no values")
    form: Form = rules.form
    return form


def truth_rules(rules: Rules) -> Rules:
    """Return the rules of the ground truth of a task."""
    form = form_of(rules).truth
    # Readers use the name and the text of a schema alone.
    schema = cast(Path, json_schema(form))
    files = tuple(file._replace(name=form.file, schema=schema, each=form.each) for file in rules.json)
    return rules._replace(form=form, json=files)


def read(path: Source, rules: Rules, keys: Sequence[str] | None = None) -> Read[Items]:
    """Check a submission and read its one file. Raises Refused.

    ``keys`` are those of the reference, None at home.
    """
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()
        with submission.open(name) as stream:
            size = submission.size(name)
            items = findings.take(read_file(stream.read, size, name, rules, keys))
        has_scores = bool(form_of(rules).instance and form_of(rules).instance_keys.score)
        if has_scores and isinstance(items, Regions) and len(items.score):
            equal_scores = score_hints(len(items.score), items.score.min(), items.score.max())
            # Where all is the same, equal scores have no other cause.
            if equal_scores and not _what_is_same(items):
                findings.notes += equal_scores
    return Read(items, findings.notes)


def read_file(
    stream: Callable[[int], bytes], size: int, name: str, rules: Rules, keys: Sequence[str] | None = None
) -> Read[Items]:
    """Read the file of a submission, or with its own rules that of the ground truth. Raises Refused.

    ``stream`` takes a number of bytes, and returns the next ones; the file has ``size`` bytes.
    """
    form = form_of(rules)
    if form.is_table:
        table = read_table(stream(size), name, form, keys)
        return Read(table.content, table.notes)
    # Tables are read without the packages that JSON needs.
    from validator.json_reader import as_dict, read_json

    with Findings.collect() as findings:
        entries, _ = findings.take(read_json(stream, name, rules.json[0], as_dict))
        place = f"/{pointer_part(form.each)}" if form.each else ""
        if form.instance is not None:
            _check_order(form, entries, name, place, findings)
        entry_keys = list(entries)

        def where(key: str) -> str:
            return f"{place}/{pointer_part(key)}"

        if keys is not None:
            if form.is_missing_empty:
                findings.notes += check_items(
                    entry_keys, frozenset(keys), "key", lambda key: Place(name, where(key))
                )
            else:
                findings.take(match_keys(entry_keys, keys, name, lambda number: where(entry_keys[number])))
            if form.schema is not None and not entry_keys:
                findings.refuse(ITEMS_NONE, "no item is submitted", "submit at least one", file=name)
            entry_keys = list(keys)
        findings.refuse_problems()
        items = as_items(form, entry_keys, [entries.get(key, MISSING) for key in entry_keys])
    return Read(items, findings.notes)


def _check_order(
    form: Form,
    entries: Mapping[str, Sequence[Mapping[str, Any]]],
    name: str,
    place: str,
    findings: Findings,
) -> None:
    n_axes = len(form.instance_keys.corners) // 2
    for key, instances in entries.items():
        for number, instance in enumerate(instances):
            corners = corners_of(form.instance_keys, instance)
            if any(start >= end for start, end in zip(corners[:n_axes], corners[n_axes:])):
                where = f"{place}/{pointer_part(key)}/{number}"
                problem, remedy = _order_problem(form, corners)
                findings.add("E-SEGMENT-ORDER", problem, remedy, file=name, where=where)


def _order_problem(form: Form, corners: Sequence[float]) -> tuple[str, str]:
    if form.kind is Kind.BOXES:
        numbers = ", ".join(f"{corner:g}" for corner in corners)
        return f"the box [{numbers}] does not end after its start", "write x1 < x2 and y1 < y2"
    start, end = corners
    problem = f"the segment from {start:g} to {end:g} does not end after its start"
    return problem, "write start and end in seconds, the end last"


def hints(items: Items) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    if not has_values(items):
        # Predictions of unknown labels alone are left out, but were made.
        is_empty = not (isinstance(items, Regions) and items.unknown_labels)
        return [empty_note()] if is_empty else []
    same = _what_is_same(items)
    if same:
        return [Note("N-LOOKS-CONSTANT", f"all {same}. Was it written by mistake?")]
    if not isinstance(items, Regions):
        return []
    rows = np.column_stack([items.item, items.label, items.extent])
    return repeat_hints(rows, "prediction", "repeat another of their item. Write each once")


def _what_is_same(items: Items) -> str:
    """Return what all items have in common, "" if nothing that looks like a mistake."""
    if isinstance(items, PlainValues):
        return ""
    if isinstance(items, Regions):
        noun, plural = ("segment", "segments") if items.extent.shape[1] == 2 else ("box", "boxes")
        regions = np.column_stack([items.label, items.extent])
        return f"{counted(len(regions), noun, plural)} are the same" if _is_same(regions).all() else ""
    is_same = _is_same(items.values.reshape(len(items.keys), -1))
    same_names = "value" if is_same.all() else ""
    if items.values.ndim == 2 and items.values.dtype != bool:
        same_names = ", ".join(
            name for name, is_same_name in zip(items.names, is_same.tolist()) if is_same_name
        )
    return f"{counted(len(items.keys), 'item')} have the same {same_names}" if same_names else ""


def _is_same(values: np.ndarray) -> Bools:
    """Return which columns hold one value in all rows, if these are enough to tell."""
    is_same: Bools = (values == values[:1]).all(axis=0) & (len(values) >= _LEAST_SAME)
    return is_same
