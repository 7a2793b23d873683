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
from people_in_video.references.preparation import names_of_reference
from scoring_program.result import Result
from scoring_program.scoring import AnyLoaded
from scoring_program.task import Task
from scoring_program.vocabulary import UnknownNames, find_unknown_names
from validator.discovery import find_module
from validator.messages import Note, codes_explained_by, mistakes_first

_LOW, _NAMES = "N-LOW", "N-NAMES-UNKNOWN"
_COST_DECIMALS = 4


def _module(task: Task) -> Any:
    """Return the module of the challenge of a task, None if it has none."""
    return find_module(__package__, task.folder.name)


def _all_names(loaded: AnyLoaded, reference: Any) -> dict[str, list[str]]:
    """Return the public names of each kind, and those that the reference has."""
    names_of_kind = {kind: list(names) for kind, names in loaded.public.vocabulary.items()}
    for kind, names in names_of_reference(loaded.task, reference).items():
        names_of_kind.setdefault(kind, []).extend(names)
    return names_of_kind


def comparisons_of(task: Task, reference: Any, submission: Any) -> Sequence[Comparison]:
    """Return what of a submission is compared with the reference to explain it, in the order of scoring."""
    compare = getattr(_module(task), "COMPARISONS", {}).get(task.id)
    return compare(reference, submission) if compare else ()


def keeper(task: Task, reference: Any) -> Any:
    """Return what keeps of each entry that is read what diagnosis compares, None where all is kept anyway."""
    make_keeper = getattr(_module(task), "make_keeper", None)
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
    submitted_names = getattr(_module(loaded.task), "SUBMITTED_NAMES", {}).get(loaded.task.id)
    vocabulary = _all_names(loaded, whole_reference)
    unknown_names = find_unknown_names(submitted_names(submission), vocabulary) if submitted_names else []
    names = [_names_note(loaded, submission, unknown, result.scores["score"]) for unknown in unknown_names]
    comparisons = comparisons_of(loaded.task, loaded.reference, submission)
    repairs = repair_notes(comparisons, result.notes)
    facts = full_notes(loaded, submission, result.statistics)
    notes = [*(note for note in result.notes if note.code != _NAMES), *facts]
    repairs = [note for note in repairs if note.code not in codes_explained_by([*notes, *names])]
    explained_codes = codes_explained_by([*names, *repairs])
    if any(note.is_mistake for note in [*names, *repairs]):
        explained_codes.add(_LOW)
    others = [note for note in notes if note.code not in explained_codes]
    others = [_with_steps(note, comparisons) if note.code == _LOW else note for note in others]
    return mistakes_first([*repairs, *others, *names])


def full_notes(loaded: AnyLoaded, submission: Any, statistics: Any) -> list[Note]:
    """Return notes that count what is annotated: by the function in ``FULL_NOTES`` of the challenge."""
    count = getattr(_module(loaded.task), "FULL_NOTES", {}).get(loaded.task.id)
    return count(loaded, submission, statistics) if count else []


def _names_note(loaded: AnyLoaded, submission: Any, unknown: UnknownNames, score: float) -> Note:
    """Return the note on names that the data does not have, with what they cost."""
    note = unknown.note()
    rename = getattr(_module(loaded.task), "rename", None)
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
