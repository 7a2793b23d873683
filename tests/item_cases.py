"""Tasks with a value for each item, as `organizer new-task` declares them, and random cases of them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest

from organizer.files import write_files
from organizer.new_task import NewTask, task_files
from organizer.tasks.items import ANNOTATIONS, ItemAnnotations
from people_in_video.home_loaded import at_home
from quality.items.task import ItemQuality, item_quality
from scoring_program import task as task_module
from scoring_program.challenges.items.task import TASKS, item_task
from scoring_program.metrics import evaluator
from scoring_program.scoring import load_reference
from scoring_program.task import Task
from tests.helpers import is_nightly, scaled
from validator import discovery
from validator.formats import rules as rules_module
from validator.formats.items.read import form_of
from validator.formats.rules import Rules, parse_rules
from validator.formats.values import Form

LABELS = ("robin", "wren", "owl")
COLUMNS = ("valence", "arousal")
EXAMPLES = {
    "label_csv": NewTask("label_csv", kind="label", form="csv", labels=LABELS),
    "label_json": NewTask("label_json", kind="label", form="json", labels=LABELS),
    "number_csv": NewTask("number_csv", kind="number", form="csv"),
    "number_json": NewTask("number_json", kind="number", form="json"),
    "columns_csv": NewTask("columns_csv", kind="columns", form="csv", columns=COLUMNS),
    "columns_json": NewTask("columns_json", kind="columns", form="json", columns=COLUMNS),
    "labels_json": NewTask("labels_json", kind="labels", labels=LABELS),
    "segments_json": NewTask("segments_json", kind="segments", labels=LABELS),
    "segments_in_results": NewTask(
        "segments_in_results", kind="segments", labels=LABELS, values={"each": "results"}
    ),
    "scored_segments": NewTask("scored_segments", metric="detection_ap", labels=LABELS),
    "boxes_json": NewTask("boxes_json", kind="boxes", labels=LABELS),
}
"""New tasks of all kinds in all formats; where they end in results, the map of items lies under a key."""


class Example(NamedTuple):
    """A task that is declared in a folder of its own."""

    task: Task
    rules: Rules
    form: Form
    made_up: ItemQuality
    annotations: ItemAnnotations

    def load(self, folder, **settings):
        return load_reference(self.task, folder, self.task.settings(folder, settings))

    def load_at_home(self, folder):
        return at_home(self.load(folder, detail="full"))


def declared(folder, wanted):
    """Write a new task into a folder, and return it."""
    write_files(task_files(wanted), folder)
    return declared_in(folder, wanted.id)


def declared_with_evaluator(folder, wanted, patch):
    """Do the same where the task may have an evaluator of one's own, which programs find until the patch ends."""
    patch.setattr(evaluator, "FOLDER", folder / "scoring_program" / "evaluators")
    return declared(folder, wanted)


def declared_in(folder, task_id):
    """Return the task that files in a folder declare."""
    rules = parse_rules(folder / "validator" / "formats" / "items" / f"{task_id}.files.yaml")
    task = item_task(folder / "scoring_program" / "challenges" / "items" / f"{task_id}.yaml", rules)
    form = form_of(rules)
    return Example(task, rules, form, item_quality(task_id, form), ItemAnnotations(form))


@contextmanager
def known_tasks(folder, *examples):
    """Let programs and commands know tasks that are declared in a folder, as if it were this repository."""

    def discover_there(package, pattern):
        there = folder / package.replace(".", "/")
        return sorted([*discovery.discover(package, pattern), *there.glob(pattern)])

    with pytest.MonkeyPatch.context() as patch:
        for module in (task_module, rules_module):
            patch.setattr(module, "discover", discover_there)
        for example in examples:
            patch.setitem(TASKS, example.task.id, example.task)
            patch.setitem(ANNOTATIONS, example.task.id, ItemAnnotations(form_of(example.rules)))
        yield
    rules_module.load_rules.cache_clear()


def without_scores(form, values):
    """Return values of a submission as those of a ground truth."""
    if not form.has_scores:
        return values
    keys = form.instance.score
    return {
        item: [{key: part for key, part in instance.items() if key != keys} for instance in instances]
        for item, instances in values.items()
    }


def write_case(made_up, folder, truth, predicted):
    """Write ``ref`` and ``res`` in a folder; ``made_up`` is what quality makes up for the task."""
    (folder / "ref").mkdir(parents=True, exist_ok=True)
    made_up.write_truth(folder / "ref", without_scores(made_up.form, truth))
    write_files(made_up.files(predicted), folder / "res")


def score_case(task, folder):
    ref = folder / "ref"
    return load_reference(task, ref, task.settings(ref, {"interval": False})).score_path(folder / "res")


def random_cases(task, made_up, folder):
    """Yield truth, prediction and score of random cases, with the items in any order."""
    made_up.write_reference(folder / "all")
    for seed in range(scaled(60 if is_nightly() else 32)):
        rng = np.random.default_rng(seed)
        sides = [made_up.correct_prediction(folder / "all", rng, noise) for noise in (1.0, rng.random())]
        kept = rng.permutation(list(sides[0]))[: rng.integers(1, 30)].tolist()
        truth, predicted = ({item: side[item] for item in rng.permutation(kept).tolist()} for side in sides)
        if not any(truth.values()):  # a reference without any label is refused
            continue
        write_case(made_up, folder / str(seed), truth, predicted)
        yield truth, predicted, score_case(task, folder / str(seed)).scores["score"]
