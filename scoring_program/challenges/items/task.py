"""Tasks with a value for each item: each ``<id>.yaml`` beside this module declares one, with its metric."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from scoring_program import metrics
from scoring_program.challenges.items import evidence, page
from scoring_program.challenges.items.reference import Reference, load_reference
from scoring_program.disclosure import min_group
from scoring_program.metrics.item_statistics import ItemStatistics
from scoring_program.repairs.search import Comparison
from scoring_program.result import Sections
from scoring_program.settings import Settings
from scoring_program.task import Task, declared_task
from validator.archive import Source
from validator.arrays import Floats
from validator.findings import Read
from validator.formats.items import read
from validator.formats.items.arrays import Items, select
from validator.formats.items.read import form_of
from validator.formats.items.write import example_value
from validator.formats.rules import Rules, load_rules
from validator.formats.values import Form, Kind, reading_declaration
from validator.messages import Note

# The numbers of a submission to the demo reference.
_N_DEMO_ITEMS = 60
_ITEM_KEY = "demo_{index:05d}"


@dataclass(frozen=True, eq=False)
class ItemTask(Task[Reference, Items, ItemStatistics]):
    """A task with a value for each item, as its declaration says; `scoring_program.metrics` has its metric.

    ``rules`` are those of its file.
    """

    rules: Rules = None  # type: ignore[assignment]

    @property
    def form(self) -> Form:
        """What an item has."""
        return form_of(self.rules)

    @property
    def _metric(self) -> ModuleType:
        return import_module(f"{metrics.__name__}.{self.metric}")

    @property
    def reference_files(self) -> tuple[str, ...]:  # type: ignore[override]
        """The ground truth."""
        return (self.form.truth_file,)

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the ground truth, which looks like a submission."""
        return load_reference(folder, self.rules, is_open=not min_group(settings["detail"]))

    def items(self, reference: Reference) -> list[str]:
        """Return the keys of the ground truth."""
        return reference.items.keys

    def select_items(self, reference: Reference, items: Collection[str]) -> Reference:
        """Return the ground truth of some items."""
        return reference._replace(items=select(reference.items, items))

    def public_names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the labels, which the declaration names."""
        has_labels = self.form.kind not in (Kind.NUMBER, Kind.COLUMNS)
        return {"class": list(self.form.names)} if has_labels else {}

    def read_submission(self, path: Source, reference: Reference) -> Read[Items]:
        """Check and read the predictions, in the order of the reference."""
        return read.read(path, self.rules, reference.items.keys, reference.is_open)

    def hints(self, reference: Reference, submission: Items) -> list[Note]:
        """Return notes on lists or segments that are missing, or all the same."""
        return read.hints(submission) if self.form.kind in (Kind.LABELS, Kind.SEGMENTS) else []

    def comparisons(self, reference: Reference, submission: Items) -> list[Comparison]:
        """Return what the search for repairs compares."""
        return evidence.comparisons(reference.items, submission)

    def measure(self, reference: Reference, submission: Items, settings: Settings) -> ItemStatistics:
        """Compare both sides item by item."""
        statistics: ItemStatistics = self._metric.measure(reference.items, submission)
        return statistics

    def reduce(self, statistics: ItemStatistics, weights: Floats) -> Floats:
        """Return the score for each row of weights."""
        scores: Floats = self._metric.reduce(statistics, weights)
        return scores

    def scores(self, statistics: ItemStatistics) -> dict[str, float]:
        """Return the numbers of the metric; a submission without all items is refused."""
        numbers: dict[str, float] = self._metric.scores(statistics)
        return {"score": numbers.pop("score"), "coverage": 1.0, **numbers}

    def error_costs(self, statistics: ItemStatistics) -> dict[str, float]:
        """Return nothing: no type of error is declared."""
        return {}

    def sections(self, reference: Reference, submission: Items, statistics: ItemStatistics) -> Sections:
        """Return all sections, the aggregates first."""
        return page.sections(reference.items, submission, statistics)


def item_task(path: Path, rules: Rules) -> ItemTask:
    """Return the task that a file declares. Raises Refused if it cannot be used."""
    form = form_of(rules)
    with reading_declaration(path):
        task = declared_task(path, ItemTask, rules=rules, kit_example=_kit_example(path.stem, form))
        kinds = import_module(f"{metrics.__name__}.{task.metric}").KINDS
        if form.kind.value not in kinds:
            raise ValueError(f"the metric {task.metric} is for {' or '.join(kinds)}, not {form.kind.value}")
    return task


def _kit_example(task_id: str, form: Form) -> str:
    """Return code that writes a submission for the demo reference."""
    return f"""\
from people_in_video.items.writer import write_submission

value = {example_value(form)!r}
write_submission("{task_id}", "my.zip", {{f"{_ITEM_KEY}": value for index in range({_N_DEMO_ITEMS})}})
"""


TASKS = {
    path.stem: item_task(path, load_rules(path.stem)) for path in sorted(Path(__file__).parent.glob("*.yaml"))
}
