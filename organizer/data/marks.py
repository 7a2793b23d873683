"""Computing the marks of a reference: what answers score that know nothing, or all but the class."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from organizer.data.progress import step
from organizer.files import write_durable
from organizer.tasks import Annotations, BaselineKind, annotations_of, plain_guess
from scoring_program.marks import MARKS_FILE, Mark, signed_settings
from scoring_program.scoring import AnyLoaded, load_reference
from scoring_program.settings import MARK_TEXTS, SettingValue
from scoring_program.task import load_task

_MARKED = tuple(map(BaselineKind, MARK_TEXTS))


def add_marks(task_id: str, folder: Path) -> list[Mark]:
    """Write the marks of the prepared reference in a folder beside it; return them.

    A task without baselines has none. Raises Refused if the reference is not right.
    """
    task = load_task(task_id)
    annotations = annotations_of(task_id)
    if BaselineKind.PERFECT not in annotations.baselines:
        return []
    settings = task.settings(folder)
    loaded = load_reference(task, folder, {**settings, "detail": "none", "interval": False, "notes": False})
    marks = compute_marks(loaded, annotations)
    text = _marks_text(marks, signed_settings(settings, task.known_settings))
    write_durable(folder / MARKS_FILE, text)
    return marks


def _marks_text(marks: Sequence[Mark], signed: Mapping[str, SettingValue]) -> str:
    """Return the content of `MARKS_FILE`: marks with the settings that they were computed with."""
    score_of_mark = {mark.name: round(mark.score, 6) for mark in marks}
    return json.dumps({"settings": dict(signed), "scores": score_of_mark}, indent=1) + "\n"


def compute_marks(loaded: AnyLoaded, annotations: Annotations[Any, Any]) -> list[Mark]:
    """Return what plain answers to a reference score, without one class for all where no class counts."""
    pools = annotations.pools(loaded.reference)
    marked_baselines = [baseline for baseline in _MARKED if baseline in annotations.baselines]
    score_of_baseline: dict[BaselineKind, float] = {}
    for baseline in (*marked_baselines, BaselineKind.PERFECT):
        with step(f"scoring plain answers: {baseline.value}"):
            rows = annotations.rows(loaded, plain_guess(baseline, pools))
            score_of_baseline[baseline] = loaded.score(rows).scores["score"]
    perfect_score = score_of_baseline.pop(BaselineKind.PERFECT)
    if np.isclose(score_of_baseline.get(BaselineKind.ONE_CLASS, np.nan), perfect_score):
        del score_of_baseline[BaselineKind.ONE_CLASS]
    return [Mark(baseline.value, score) for baseline, score in score_of_baseline.items()]
