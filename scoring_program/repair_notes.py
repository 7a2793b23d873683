"""What notes say of the repairs of a submission, at each level of detail.

At ``full`` they say everything. At ``summary`` a repair that was found by comparing labels is an answer about
hidden labels, so that there is one note for all of them, without what was repaired, numbers and shares, and
only if the repair passes what is drawn in secret (`scoring_program.repairs.withheld`). Repairs of ids and of
other things that are public keep their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scoring_program.disclosure import min_group, shows_comparisons
from scoring_program.repairs.decision import Family
from scoring_program.repairs.samples import Kind
from scoring_program.repairs.search import Comparison, Repair, find_repairs
from scoring_program.repairs.withheld import Draw, draw, n_compared
from validator.findings import Note

# A note rests on so many items, or on fewer where the reference has fewer.
LEAST_ITEMS = 20
LEAST_OF_FEW_ITEMS = 6
_LOOKS = (
    "your submission looks as if something was read or written in another way than the task's page says; "
    "score it at home on public data, where the kit names it"
)
# Coordinates in 0..1 also fit after a scale, but that says less.
_BOXES_IN_0_TO_1 = "N-LOOKS-NORMALIZED"


class HiddenSide(NamedTuple):
    """What of the reference is in a draw: its key or a hash of all of it, and its number of items."""

    secret: bytes
    n_items: int


def repair_notes(
    comparisons: Sequence[Comparison],
    submission: object,
    detail: str,
    hidden: HiddenSide,
    other_notes: Sequence[Note],
) -> list[Note]:
    """Search for the repairs of a submission, and return notes on them as far as a level of detail shows.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What of the submission is compared with the reference, in the order of scoring.
    submission : object
        The content of the submission, with which the secret draws change.
    detail : str
        The level of detail.
    hidden : HiddenSide
    other_notes : sequence of Note
        Notes on likely mistakes that need no reference: what they tell of is not searched again.
    """
    if not shows_comparisons(detail):
        return []
    if any(note.code == _BOXES_IN_0_TO_1 for note in other_notes):
        comparisons = [comparison for comparison in comparisons if comparison.kind is not Kind.BOXES]
    if not comparisons:
        return []
    if not min_group(detail):
        return _full_notes(find_repairs(comparisons))
    drawn = draw(hidden.secret, submission, hidden.n_items)
    repairs = find_repairs([drawn.restrict(comparison) for comparison in comparisons])
    least_items = _least_items(hidden.n_items)
    notes = [
        _public_note(repair)
        for repair in repairs
        if not repair.compares_labels and not _is_spelling_of_names(repair)
    ]
    if any(_may_be_told(repair, least_items, drawn) for repair in repairs):
        notes.append(Note("N-LOOKS", _LOOKS))
    return notes


def _least_items(n_items: int) -> int:
    """Return on how many compared items the note on labels rests at least, of those of the reference."""
    if n_items < LEAST_ITEMS:
        return LEAST_OF_FEW_ITEMS
    return min(LEAST_ITEMS, n_compared(n_items))


def _is_spelling_of_names(repair: Repair) -> bool:
    """Return whether a repair spells names otherwise; the notes on unknown names tell of all of these."""
    return repair.kind is Kind.NAMES and repair.family is Family.SPELLING


def _may_be_told(repair: Repair, least_items: int, drawn: Draw) -> bool:
    """Return whether a repair leads to the one note on labels."""
    return (
        drawn.is_told
        and repair.compares_labels
        and repair.n_items >= least_items
        and repair.n_better_items >= drawn.least_better
        and repair.share_after >= drawn.edge
    )


def _public_note(repair: Repair) -> Note:
    text = f"the {repair.what} of the data fit if yours are read {repair.words}. {repair.remedy}"
    return Note("N-LOOKS-NAMED", text)


def _full_notes(repairs: Iterable[Repair]) -> list[Note]:
    """Return a note for each repair, one alone where all predictions belong to other items."""
    note_of_words: dict[str, Note] = {}
    for repair in repairs:
        if not _is_spelling_of_names(repair):
            note_of_words.setdefault(repair.words, _full_note(repair))
    return list(note_of_words.values())


def _full_note(repair: Repair) -> Note:
    code = "N-LOOKS" if repair.compares_labels else "N-LOOKS-NAMED"
    after, before = _percent(repair.share_after), _percent(repair.share_before)
    of_what = "your" if repair.compares_labels else "the reference's"
    text = f"read {repair.words}, {after} of {of_what} {repair.what} agree; as submitted, {before}"
    return Note(code, f"{text}. {repair.remedy}", repair.explains)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
