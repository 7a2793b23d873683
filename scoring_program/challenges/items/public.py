"""What is public of a task with a value for each item, and what is said of a submission."""

from __future__ import annotations

from scoring_program.challenges.items.reference import Reference
from scoring_program.task import PublicItems
from validator.findings import Note, Read
from validator.formats.items import read
from validator.formats.items.arrays import Items, Segments
from validator.formats.rules import Rules
from validator.formats.values import Kind
from validator.submission import Source


def public(reference: Reference) -> PublicItems:
    """Return the keys, and the labels, which the declaration names."""
    form = reference.form
    has_labels = form.kind not in (Kind.NUMBER, Kind.COLUMNS)
    return PublicItems(reference.items.keys, {"class": list(form.names)} if has_labels else {})


def read_submission(rules: Rules, source: Source, public: PublicItems, keep: object) -> Read[Items]:
    """Check and read the predictions, in the order of the reference. Raises Refused."""
    return read.read(source, rules, public.items, name_missing=True)


def notes(items: Items, public: PublicItems) -> list[Note]:
    """Return notes on lists or segments that are missing, or all the same."""
    has_lists = isinstance(items, Segments) or items.values.dtype == bool
    return read.hints(items) if has_lists else []
