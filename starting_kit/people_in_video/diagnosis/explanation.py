"""What the notes on a submission say at home, where nothing of the reference is hidden.

``diagnosis/<challenge>.py`` holds ``EXPLANATIONS``, a `search.Explanation` for each task of the challenge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from people_in_video.challenge_modules import find_module
from people_in_video.diagnosis.samples import Regions
from people_in_video.diagnosis.search import (
    Explanation,
    Measured,
    Repair,
    agreement_as_submitted,
    find_repairs,
)
from people_in_video.references.preparation import names_of_reference
from scoring_program.result import Result
from scoring_program.scoring import AnyLoaded, with_costs
from scoring_program.task import Task
from scoring_program.vocabulary import UnknownNames, find_unknown_names
from validator.findings import Note, codes_explained_by, mistakes_first
from validator.names import REMEDY
from validator.texts import counted

_LOW = "N-LOW"
# Notes on names beside those that are public, for tasks that compare them with those of the reference here.
_PUBLIC_NAMES = ("N-NAMES-UNKNOWN", "N-UNCHECKED")
_DECIMALS = 4
_MOST_PLACES = 3
_LOST_SHARE = 0.05


def _explanation(task: Task) -> Explanation:
    """Return how submissions to a task are explained."""
    module = find_module(__package__, task.folder.name)
    return module.EXPLANATIONS.get(task.id, Explanation()) if module else Explanation()


def _all_names(loaded: AnyLoaded, reference: Any) -> dict[str, list[str]]:
    """Return the public names of each kind, and those that the reference has."""
    names_of_kind = {kind: list(names) for kind, names in loaded.public.vocabulary.items()}
    for kind, names in names_of_reference(loaded.task, reference).items():
        names_of_kind.setdefault(kind, []).extend(names)
    return names_of_kind


def keeper(task: Task, reference: Any) -> Any:
    """Return what keeps of each entry that is read what diagnosis compares, None where all is kept anyway."""
    make_keeper = _explanation(task).make_keeper
    return make_keeper(reference) if make_keeper else None


def repairs_of(loaded: AnyLoaded, submission: Any, statistics: Any) -> list[Repair]:
    """Return the repairs of a submission that was measured."""

    def measure(rows: Any) -> Any:
        return loaded.task.measure(loaded.reference, rows, loaded.settings)

    def score(statistics: Any) -> float:
        sign = 1 if loaded.task.higher_is_better else -1
        return sign * float(loaded.task.scores(statistics)["score"])

    measured = Measured(loaded.reference, submission, statistics)
    return find_repairs(_explanation(loaded.task).comparisons, measured, measure, score)


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
    explanation = _explanation(loaded.task)
    submitted_names, count_notes = explanation.submitted_names, explanation.count_notes
    vocabulary = _all_names(loaded, whole_reference)
    unknown_names = find_unknown_names(submitted_names(submission), vocabulary) if submitted_names else []
    repairs = repairs_of(loaded, submission, result.statistics)
    if submitted_names:
        repairs, unknown_names = _one_for_a_cause(
            repairs, unknown_names, lambda rows: find_unknown_names(submitted_names(rows), vocabulary)
        )
    names = [_names_note(loaded, submission, unknown, result.scores["score"]) for unknown in unknown_names]
    repair_notes = [_repair_note(loaded, repair) for repair in repairs]
    counts = count_notes(loaded, submission, result.statistics) if count_notes else []
    facts = with_costs(counts, loaded.task, result.shown)
    compared_again = _PUBLIC_NAMES if submitted_names else ()
    notes = [*(note for note in result.notes if note.code not in compared_again), *facts]
    explained_codes = codes_explained_by([*result.notes, *names, *repair_notes])
    if any(note.is_mistake for note in [*names, *repair_notes]):
        explained_codes.add(_LOW)
    other_notes = [note for note in notes if note.code not in explained_codes]
    measured = Measured(loaded.reference, submission, result.statistics)
    notes_with_steps = [_with_steps(note, loaded.task, measured) for note in other_notes]
    return mistakes_first([*repair_notes, *notes_with_steps, *names])


def _one_for_a_cause(
    repairs: Sequence[Repair],
    unknown_names: Sequence[UnknownNames],
    find_unknown: Callable[[Any], Sequence[UnknownNames]],
) -> tuple[list[Repair], list[UnknownNames]]:
    """Return repairs and unknown names without the less telling of two that have the same cause.

    They have if fewer names of a kind are unknown after the repair. It tells more if it names their spelling,
    or if they resemble none of the data, and no name is unknown after it; the nearest names tell more than
    another order of a list.
    """
    left_repairs, left_names = list[Repair](), list(unknown_names)
    unknown_before = {unknown.kind: unknown for unknown in unknown_names}
    for repair in repairs:
        unknown_after = dict(unknown_before)
        if repair.repaired is not None and unknown_before:
            unknown_after = {unknown.kind: unknown for unknown in find_unknown(repair.repaired.rows)}
        is_told = False
        for kind, unknown in unknown_before.items():
            still_unknown = unknown_after.get(kind)
            if still_unknown and sum(still_unknown.counts.values()) == sum(unknown.counts.values()):
                continue
            spelling = unknown.explanation.removeprefix(REMEDY)
            has_spelling = bool(spelling) and spelling in repair.trial.words
            if has_spelling or not unknown.nearest:
                if not still_unknown:
                    left_names.remove(unknown)
            elif _has_same_spelling(repair, unknown) or sum(unknown.counts.values()) == unknown.n_used:
                is_told = True
        if not is_told:
            left_repairs.append(repair)
        unknown_before = unknown_after
    return left_repairs, left_names


def _has_same_spelling(repair: Repair, unknown: UnknownNames) -> bool:
    """Return whether a repair makes of each unknown name what a rule for all of them does."""
    if repair.trial.change is None or not unknown.explanation.startswith(REMEDY):
        return False
    word = repair.trial.change.word
    return all(word(name) == nearest_name for name, nearest_name in unknown.nearest.items())


def _names_note(loaded: AnyLoaded, submission: Any, unknown: UnknownNames, score: float) -> Note:
    """Return the note on names that the data does not have, with what they cost."""
    note = unknown.note()
    rename = _explanation(loaded.task).rename
    if not unknown.nearest or rename is None:
        return note
    renamed_submission = rename(submission, {unknown.kind: unknown.nearest})
    statistics = loaded.task.measure(loaded.reference, renamed_submission, loaded.settings)
    sign = 1 if loaded.task.higher_is_better else -1
    points = round(sign * (loaded.task.scores(statistics)["score"] - score), _DECIMALS)
    # What is far from all names of the data may be anything.
    has_all = unknown.nearest.keys() >= unknown.counts.keys()
    phrase = "this costs" if has_all else "those with a nearest name cost"
    cost = f"; {phrase} {points:.{_DECIMALS}f}" if points > 0 else ""
    return note._replace(text=note.text + cost)


def _repair_note(loaded: AnyLoaded, repair: Repair) -> Note:
    """Return the note on a repair: shares, the first items, and the score with it and those before it."""
    trial = repair.trial
    percent_after, percent_before = _percent(trial.share_after), _percent(trial.share_before)
    places = ", ".join(loaded.items[item] for item in repair.better_items[:_MOST_PLACES])
    items = f"{len(repair.better_items)} of {counted(repair.n_items, loaded.task.item)}"
    texts = [
        f"read {trial.words}, {percent_after} of your {repair.noun} agree; as submitted, {percent_before}",
        f"more agree in {items} that were compared, first {places}",
    ]
    if repair.repaired is not None:
        score = loaded.task.scores(repair.repaired.statistics)["score"]
        texts.append(f"the score would be {score:.{_DECIMALS}f}")
    return Note("N-LOOKS", f"{'; '.join(texts)}. {repair.remedy}", repair.comparison.explains)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _with_steps(note: Note, task: Task, measured: Measured) -> Note:
    """Return a note; that on a low score has the step at which agreement is lost."""
    if note.code != _LOW:
        return note
    score, usual_causes = note.text.rsplit(". ", 1)
    # A submission may hold numbers of any size.
    with np.errstate(all="ignore"):
        steps = list(_step_texts(task, measured))
    return note._replace(text=". ".join([score, *steps, usual_causes]))


def _step_texts(task: Task, measured: Measured) -> Iterator[str]:
    """Yield how much agrees, comparison by comparison, up to the first in which hardly anything does."""
    for comparison in _explanation(task).comparisons:
        sample = next(iter(comparison.samples(measured)), None)
        agreement = np.zeros(0, dtype=bool) if sample is None else agreement_as_submitted(sample)
        if not len(agreement):
            continue
        claim = "fit an annotated one" if isinstance(sample, Regions) else "are right"
        text = f"{_percent(agreement.mean())} of your {comparison.noun} {claim}"
        if agreement.mean() <= _LOST_SHARE:
            yield f"Agreement is lost here: {text}"
            return
        yield text
