"""What is public of a task with a value for each item, and what is said of a submission."""

from __future__ import annotations

from scoring_program.challenges.items.reference import Reference
from scoring_program.task import PublicItems
from scoring_program.vocabulary import count_names, name_notes
from validator.findings import Note, Read
from validator.formats.items import read
from validator.formats.items.arrays import Items, Regions
from validator.formats.rules import Rules
from validator.formats.values import Kind
from validator.submission import Source


def public(reference: Reference) -> PublicItems:
    """Return the keys, and the labels, which the declaration names."""
    form = reference.form
    has_labels = form.kind not in (Kind.NUMBER, Kind.COLUMNS, Kind.VALUE)
    return PublicItems(reference.items.keys, {"class": list(form.names)} if has_labels else {})


def read_submission(rules: Rules, source: Source, public: PublicItems, keep: object) -> Read[Items]:
    """Check and read the predictions, in the order of the reference. Raises Refused."""
    return read.read(source, rules, public.items)


def notes(items: Items, public: PublicItems) -> list[Note]:
    """Return notes on values that are missing, or all the same, and on labels that are unknown."""
    notes = read.hints(items)
    if isinstance(items, Regions):
        labels = {**count_names(items.names, items.label), **items.unknown_labels}
        notes += name_notes({"class": labels}, public.vocabulary)
    return notes
