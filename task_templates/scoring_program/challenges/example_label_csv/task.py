"""The task: one label for each item."""

from __future__ import annotations

from pathlib import Path

from scoring_program.disclosure import min_group
from scoring_program.settings import Settings
from scoring_program.task import Task, declared_tasks
from task_templates.scoring_program.challenges.example_label_csv import measure, page
from task_templates.scoring_program.challenges.example_label_csv.measure import ItemStatistics
from task_templates.scoring_program.challenges.example_label_csv.reference import (
    TRUTH,
    Reference,
    load_reference,
    select_items,
)
from task_templates.validator import formats
from task_templates.validator.formats.example_label_csv import read
from task_templates.validator.formats.example_label_csv.read import Items
from validator.findings import Read
from validator.formats.rules import load_rules
from validator.submission import Source


class ItemTask(Task[Reference, Items, ItemStatistics]):
    """The score is example_metric; there is one protocol."""

    reference_files = (TRUTH,)
    reduce = staticmethod(measure.reduce)
    scores = staticmethod(measure.scores)
    sections = staticmethod(page.sections)
    select_items = staticmethod(select_items)
    measure = staticmethod(measure.measure)

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the ground truth, which looks like a submission."""
        is_open = not min_group(settings["detail"])
        return load_reference(folder, load_rules(self.id, formats.__name__), is_open)

    def items(self, reference: Reference) -> list[str]:
        """Return the keys of the ground truth."""
        return reference.items.keys

    def public_names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the labels, which the rules of the task name."""
        return {"class": list(reference.items.names)}

    def read_submission(self, path: Source, reference: Reference) -> Read[Items]:
        """Check and read the predictions, in the order of the reference."""
        rules = load_rules(self.id, formats.__name__)
        return read.read(path, rules, reference.items.keys, reference.is_open)

    def error_costs(self, statistics: ItemStatistics) -> dict[str, float]:
        """Return nothing: no type of error is declared."""
        return {}


TASKS = declared_tasks(__file__, {"example_label_csv": ItemTask})
