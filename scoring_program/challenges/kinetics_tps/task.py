"""The task of Kinetics-TPS."""

from __future__ import annotations

from functools import partial

from scoring_program.challenges.kinetics_tps import page
from scoring_program.challenges.kinetics_tps.measure import (
    average_areas,
    compute_error_costs,
    compute_scores,
    measure_videos,
)
from scoring_program.challenges.kinetics_tps.public import notes, public, read_submission
from scoring_program.challenges.kinetics_tps.reference import items, load_reference
from scoring_program.task import Functions, declared_tasks, keep_all, no_identity, no_names
from validator.formats.rules import load_rules


def _functions(task_id: str) -> Functions:
    """Return the functions of the task."""
    rules = load_rules(task_id)
    return Functions(
        load=partial(load_reference, rules),
        items=items,
        public=public,
        read=partial(read_submission, rules),
        measure=measure_videos,
        reduce=average_areas,
        scores=compute_scores,
        error_costs=compute_error_costs,
        sections=page.sections,
        notes=notes,
        identity=no_identity,
        keeper=keep_all,
        other_names=no_names,
    )


TASKS = declared_tasks(__file__, _functions)
