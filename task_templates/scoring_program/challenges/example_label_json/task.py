"""The task: one label for each item. The score is example_metric; there is one protocol."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from scoring_program.settings import Settings
from scoring_program.task import Functions, PublicItems, declared_tasks, keep_all, no_identity, no_names
from task_templates.scoring_program.challenges.example_label_json import measure, page
from task_templates.scoring_program.challenges.example_label_json.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_label_json.reference import Reference, load_reference
from task_templates.validator import formats
from task_templates.validator.formats.example_label_json import read
from task_templates.validator.formats.example_label_json.read import Items
from validator.archive import Source
from validator.findings import Read
from validator.formats.rules import Rules, load_rules
from validator.messages import Note


def _load(rules: Rules, folder: Path, settings: Settings) -> Reference:
    """Read the ground truth, which looks like a submission."""
    return load_reference(folder, rules)


def _items(reference: Reference) -> list[str]:
    """Return the keys of the ground truth."""
    return reference.items.keys


def _public(reference: Reference) -> PublicItems:
    """Return the keys, and the labels, which the rules of the task name."""
    return PublicItems(reference.items.keys, {"class": list(reference.items.names)})


def _read(rules: Rules, source: Source, public: PublicItems, keep: object) -> Read[Items]:
    """Check and read the predictions, in the order of the reference."""
    return read.read(source, rules, public.items, True)


def _notes(items: Items, public: PublicItems) -> list[Note]:
    """Return notes on likely mistakes."""
    return []


def _error_costs(statistics: ItemStatistics) -> dict[str, float]:
    """Return nothing: no type of error is declared."""
    return {}


def _functions(task_id: str) -> Functions:
    """Return the functions of the task."""
    rules = load_rules(task_id, formats.__name__)
    return Functions(
        load=partial(_load, rules),
        items=_items,
        public=_public,
        read=partial(_read, rules),
        measure=measure.measure,
        reduce=measure.reduce,
        scores=measure.scores,
        error_costs=_error_costs,
        sections=page.sections,
        notes=_notes,
        identity=no_identity,
        keeper=keep_all,
        other_names=no_names,
    )


TASKS = declared_tasks(__file__, _functions, ["example_label_json"])
