"""The two tasks of ActivityNet-Entities: sub-task I, given sentences, and II, generated sentences.

For given sentences both protocols are the same; for generated ones they average over different sentences.
"""

from __future__ import annotations

from functools import partial

from scoring_program.challenges.anet_entities import measure, page, public
from scoring_program.challenges.anet_entities import reference as references
from scoring_program.task import Functions, declared_tasks, keep_all, no_identity
from validator.formats.rules import load_rules

GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"


def _functions(task_id: str) -> Functions:
    """Return the functions of a sub-task."""
    read_submission = partial(public.read_submission, load_rules(task_id))
    if task_id == GIVEN:
        return Functions(
            load=references.load_reference,
            items=references.items,
            public=public.given_public,
            read=read_submission,
            measure=measure.measure_given,
            reduce=measure.given_score,
            scores=measure.given_scores,
            error_costs=measure.given_error_costs,
            sections=page.given_sections,
            notes=public.given_notes,
            identity=no_identity,
            keeper=keep_all,
            other_names=references.all_videos,
        )
    return Functions(
        load=references.load_with_lemmas,
        items=references.items,
        public=public.generated_public,
        read=read_submission,
        measure=measure.measure_generated,
        reduce=measure.generated_score,
        scores=measure.generated_scores,
        error_costs=measure.generated_error_costs,
        sections=page.generated_sections,
        notes=public.generated_notes,
        identity=references.identity,
        keeper=keep_all,
        other_names=references.all_videos,
    )


TASKS = declared_tasks(__file__, _functions)
