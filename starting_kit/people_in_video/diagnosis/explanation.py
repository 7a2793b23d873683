"""What the notes on a submission say at home, where nothing of the reference is hidden.

``diagnosis/<challenge>.py`` holds ``COMPARISONS``: for each task that is searched for repairs a function that
takes the reference and the submission and returns what is compared of them, in the order of scoring. It may
hold ``rename``, which returns a submission with other names, and ``make_keeper``; see `keeper`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from people_in_video.diagnosis.repair_notes import repair_notes
from people_in_video.diagnosis.search import Comparison
from people_in_video.diagnosis.steps import step_texts
from scoring_program.result import Result
from scoring_program.task import AnyLoaded, AnyTask
from scoring_program.vocabulary import UnknownNames, find_unknown_names
from validator.discovery import find_module
from validator.messages import Note, codes_explained_by, mistakes_first

_LOW, _NAMES = "N-LOW", "N-NAMES-UNKNOWN"
_COST_DECIMALS = 4


def comparisons_of(task: AnyTask, reference: Any, submission: Any) -> Sequence[Comparison]:
    """Return what of a submission is compared with the reference to explain it, in the order of scoring."""
    compare = getattr(find_module(__package__, task.folder.name), "COMPARISONS", {}).get(task.id)
    return compare(reference, submission) if compare else ()


def keeper(task: AnyTask, reference: Any) -> Any:
    """Return what keeps of each entry that is read what diagnosis compares, None where all is kept anyway."""
    make_keeper = getattr(find_module(__package__, task.folder.name), "make_keeper", None)
    return make_keeper(reference) if make_keeper else None


def explained_notes(loaded: AnyLoaded, whole_reference: Any, submission: Any, result: Result) -> list[Note]:
    """Return the notes on a submission with all that can be said about likely mistakes.

    Parameters
    ----------
    loaded : Loaded
        A task with the reference that was scored on.
    whole_reference : object
        The same with all of its items, whose names are known.
    submission : object
    result : Result
        The result of scoring, with the notes that need no labels.
    """
    if any(note.code == "N-EMPTY" for note in result.notes):
        return list(result.notes)
    unknown_names = find_unknown_names(
        submitted=loaded.task.submitted_names(submission),
        vocabulary=loaded.vocabulary,
        reference_names=loaded.task.names(whole_reference),
        is_open=True,
    )
    names = [_names_note(loaded, submission, unknown, result.scores["score"]) for unknown in unknown_names]
    comparisons = comparisons_of(loaded.task, loaded.reference, submission)
    repairs = repair_notes(comparisons, result.notes)
    notes = [note for note in result.notes if note.code != _NAMES]
    repairs = [note for note in repairs if note.code not in codes_explained_by([*notes, *names])]
    explained_codes = codes_explained_by([*names, *repairs])
    if any(note.is_mistake for note in [*names, *repairs]):
        explained_codes.add(_LOW)
    others = [note for note in notes if note.code not in explained_codes]
    others = [_with_steps(note, comparisons) if note.code == _LOW else note for note in others]
    return mistakes_first([*repairs, *others, *names])


def _names_note(loaded: AnyLoaded, submission: Any, unknown: UnknownNames, score: float) -> Note:
    """Return the note on names that the data does not have, with what they cost."""
    note = unknown.note()
    rename = getattr(find_module(__package__, loaded.task.folder.name), "rename", None)
    if not unknown.nearest or rename is None:
        return note
    renamed = rename(submission, {unknown.kind: unknown.nearest})
    statistics = loaded.task.measure(loaded.reference, renamed, loaded.settings)
    sign = 1 if loaded.task.higher_is_better else -1
    points = round(sign * (loaded.task.scores(statistics)["score"] - score), _COST_DECIMALS)
    cost = f"; this costs {points:.{_COST_DECIMALS}f}" if points > 0 else ""
    return note._replace(text=note.text + cost)


def _with_steps(note: Note, comparisons: Sequence[Comparison]) -> Note:
    """Return the note on a low score with the step at which agreement is lost."""
    score, usual_causes = note.text.rsplit(". ", 1)
    return note._replace(text=". ".join([score, *step_texts(comparisons), usual_causes]))
