"""The task of COCO DensePose; both protocols are the same."""

from __future__ import annotations

from functools import partial

from scoring_program.challenges.densepose import measure
from scoring_program.challenges.densepose.page import sections
from scoring_program.challenges.densepose.public import notes, public
from scoring_program.challenges.densepose.reference import (
    Gathered,
    Images,
    Keeper,
    identity,
    items,
    load_prepared_folder,
    read_submission,
)
from scoring_program.task import Functions, declared_tasks, no_names
from validator.findings import Note
from validator.formats.rules import load_rules


def _notes(submission: Gathered, public: Images) -> list[Note]:
    """Return notes, which see nothing of hidden persons."""
    return notes(submission.uncompared(), public)


def _functions(task_id: str) -> Functions:
    """Return the functions of the task."""
    return Functions(
        load=load_prepared_folder,
        items=items,
        public=public,
        read=partial(read_submission, load_rules(task_id)),
        measure=measure.measure,
        reduce=measure.average,
        scores=measure.scores,
        error_costs=measure.corrected_scores,
        sections=sections,
        notes=_notes,
        identity=identity,
        keeper=Keeper,
        other_names=no_names,
    )


TASKS = declared_tasks(__file__, _functions)
