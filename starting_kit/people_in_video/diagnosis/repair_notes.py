"""Notes on what would make a submission fit its reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from people_in_video.diagnosis.decision import Family
from people_in_video.diagnosis.samples import Kind
from people_in_video.diagnosis.search import Comparison, Repair, find_repairs
from validator.messages import Note

# Coordinates in 0..1 also fit after a scale, but that says less.
_BOXES_IN_0_TO_1 = "N-LOOKS-NORMALIZED"


def repair_notes(comparisons: Sequence[Comparison], other_notes: Sequence[Note]) -> list[Note]:
    """Search for the repairs of a submission, and return a note on each.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What of the submission is compared with the reference, in the order of scoring.
    other_notes : sequence of Note
        Notes that need no labels: what they tell of is not searched again.
    """
    if any(note.code == _BOXES_IN_0_TO_1 for note in other_notes):
        comparisons = [comparison for comparison in comparisons if comparison.kind is not Kind.BOXES]
    return _notes(find_repairs(comparisons))


def _is_spelling_of_names(repair: Repair) -> bool:
    """Return whether a repair spells names otherwise; the notes on unknown names tell of all of these."""
    return repair.kind is Kind.NAMES and repair.family is Family.SPELLING


def _notes(repairs: Iterable[Repair]) -> list[Note]:
    """Return a note for each repair, one alone where all predictions belong to other items."""
    note_of_words: dict[str, Note] = {}
    for repair in repairs:
        if not _is_spelling_of_names(repair):
            note_of_words.setdefault(repair.words, _note(repair))
    return list(note_of_words.values())


def _note(repair: Repair) -> Note:
    code = "N-LOOKS" if repair.compares_labels else "N-LOOKS-NAMED"
    after, before = _percent(repair.share_after), _percent(repair.share_before)
    of_what = "your" if repair.compares_labels else "the reference's"
    text = f"read {repair.words}, {after} of {of_what} {repair.what} agree; as submitted, {before}"
    return Note(code, f"{text}. {repair.remedy}", repair.explains)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
