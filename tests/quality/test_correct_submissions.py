"""Submissions without a mistake get no note on one: golden cases, samples, annotations, and drawn ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from organizer.files import write_files
from quality.task import quality_tasks
from tests.golden_cases import cases, loaded_of, settings_of
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, loaded

LEAST_SCORE = 0.5
# Facts that are no mistakes, and that correct submissions seldom show.
RARE_FACTS = {"N-ROWS-GAPLESS", "N-ROWS-OVERLAP", "N-BOXES-NUMBERS"}
# One class, state or box is all that the smallest cases have; some are about repetitions and unknown names.
GOLDEN_FACTS = {"N-LOOKS-CONSTANT", "N-REPEATED", "N-NAMES-UNKNOWN"}


def alarms(against, folder, codes=frozenset()):
    """Return the notes on likely mistakes and rare facts, but for some codes; none of low scores."""
    read = against.read(folder)
    statistics = against.task.measure(against.reference, read.content, against.settings)
    if against.task.scores(statistics)["score"] < LEAST_SCORE:
        return []
    notes = [*read.notes, *against.task.notes(read.content, against.public)]
    return [
        note.line()
        for note in notes
        if (note.is_mistake or note.code in RARE_FACTS) and note.code not in codes
    ]


@pytest.mark.slow
@pytest.mark.parametrize("task_id", PUBLISHED)
def test_golden_cases_with_good_scores_get_none(task_id):
    for case in cases(task_id):
        if task_id == "densepose" and case.name != "plain":
            continue
        against = loaded_of(case, json.dumps(settings_of(case, "published")))
        assert alarms(against, case / "res", GOLDEN_FACTS) == [], case.name


@pytest.mark.parametrize("task_id", PUBLISHED)
def test_good_samples_get_none(task_id):
    against = loaded(task_id, REFERENCES / task_id)
    assert alarms(against, SAMPLES / task_id / "good") == []


def two_actors(prediction: Any, rng: np.random.Generator) -> Any:
    """Return rows of actions, each for both actors, who do most things together."""
    both = {}
    for key, rows in prediction.items():
        both[key] = list(rows)
        for actor, label, start, end in rows:
            if rng.random() < 0.9:
                shift = int(rng.integers(-3, 4))
                both[key].append([3 - actor, label, max(start + shift, 1), max(end + shift, start + 1)])
    return both


def two_models(prediction: Any, rng: np.random.Generator) -> Any:
    """Return rows of which two thirds are also those of another model, some frames earlier or later."""
    joined = {}
    for key, rows in prediction.items():
        joined[key] = list(rows)
        for *head, start, end in rows:
            if rng.random() < 0.6:
                shift = int(rng.integers(-3, 4))
                joined[key].append([*head, max(start + shift, 1), max(end + shift, start + 1)])
    return joined


def static_camera(results: Any, rng: np.random.Generator) -> Any:
    """Return objects of which three quarters do not move, with boxes in whole pixels."""
    for segments in results.values():
        for objects in segments.values():
            boxes_of_objects = np.rint(np.array(objects["bbox_for_all_frames"]).reshape(-1, 10, 4))
            is_still = rng.random(len(boxes_of_objects)) < 0.75
            boxes_of_objects[is_still] = boxes_of_objects[is_still][:, :1]
            objects["bbox_for_all_frames"] = boxes_of_objects.tolist()
    return results


def as_drawn(prediction: Any, rng: np.random.Generator) -> Any:
    return prediction


MODELS: list[tuple[str, Callable[[Any, np.random.Generator], Any]]] = [
    *[(task_id, as_drawn) for task_id in PUBLISHED if task_id != "densepose"],
    ("chalearn_action", two_actors),
    ("chalearn_action", two_models),
    ("chalearn_gesture", two_models),
    ("anet_entities_gt", static_camera),
    ("anet_entities_gen", static_camera),
]


@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "model"), [*MODELS, ("densepose", as_drawn)])
def test_right_answers_and_drawn_submissions_get_none(task_id, model, tmp_path):
    """The annotations themselves, which are right at a noise of 0, and predictions with errors."""
    made_up, source = quality_tasks()[task_id], REFERENCES / task_id
    against = loaded(task_id, source)
    for number, noise in enumerate((0.0, 0.2, 0.4)):
        rng = np.random.default_rng([3, number])
        folder = tmp_path / f"submission{number}"
        write_files(made_up.files(model(made_up.correct_prediction(source, rng, noise), rng)), folder)
        assert alarms(against, folder) == [], noise
