"""The two tasks of ChaLearn LAP 2014: track 2, actions, and track 3, gestures.

A row of a submission to track 2 is ``actor,action,start frame,end frame``; of one to track 3
``gesture,start frame,end frame``.
"""

from __future__ import annotations

from functools import partial

from scoring_program.challenges.chalearn import measure, page
from scoring_program.challenges.chalearn.public import notes, public, read_submission
from scoring_program.challenges.chalearn.reference import Track, identity, items, load_reference
from scoring_program.task import Functions, declared_tasks, keep_all, no_names
from validator.formats.rules import load_rules

_ACTIONS = ("wave", "point", "clap", "crouch", "jump", "walk", "run", "shake hands", "hug", "kiss", "fight")
_GESTURES = (
    *("vattene", "vieniqui", "perfetto", "furbo", "cheduepalle"),
    *("chevuoi", "daccordo", "seipazzo", "combinato", "freganiente"),
    *("ok", "cosatifarei", "basta", "prendere", "noncenepiu"),
    *("fame", "tantotempo", "buonissimo", "messidaccordo", "sonostufo"),
)
TRACKS = {
    "chalearn_action": Track("action", _ACTIONS, n_actors=2),
    "chalearn_gesture": Track("gesture", _GESTURES, n_actors=1),
}


def _functions(task_id: str) -> Functions:
    """Return the functions of a track."""
    rules = load_rules(task_id)
    return Functions(
        load=partial(load_reference, TRACKS[task_id], rules),
        items=items,
        public=public,
        read=partial(read_submission, rules),
        measure=measure.measure,
        reduce=measure.mean_score,
        scores=measure.scores,
        error_costs=measure.error_costs,
        sections=page.sections,
        notes=notes,
        identity=identity,
        keeper=keep_all,
        other_names=no_names,
    )


TASKS = declared_tasks(__file__, _functions)
