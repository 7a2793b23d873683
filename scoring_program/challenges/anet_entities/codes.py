"""The codes of messages about references of ActivityNet-Entities, and of notes on its submissions."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    other_errors=(
        (
            "E-REF-CLASS",
            "A class of the reference is blank or not in its vocabulary.",
            "Write it, or take the vocabulary and the annotations from the same release.",
        ),
        (
            "E-REF-LEMMAS",
            "The table of lemmas is missing, malformed or incomplete.",
            "Prepare the reference again.",
        ),
        ("E-REF-SEGMENT", "An annotated segment is malformed.", "Write it as the format page shows."),
        (
            "E-REF-SPLIT",
            "A split is missing, or names videos that are not in the reference.",
            "Set `splits`.",
        ),
    ),
    notes=(
        (
            "N-LEMMAS",
            "Predicted classes are not in the table of lemmas; the note says how their lemmas were made.",
        ),
        (
            "N-LEMMAS-MISSING",
            "Words of the reference are not in the table of lemmas.",
            "Prepare the reference with `--corenlp`.",
        ),
        ("N-LEMMAS-NO-TOKEN", "Words of the reference are blank."),
        ("N-REF-LEMMAS", "The number of lemmas, and their source."),
        ("N-SEGMENTS-MISSING", "Annotated segments are not submitted.", "Predict every annotated segment."),
        (
            "N-SEGMENTS-OUTSIDE",
            "Submitted segments are not annotated in the chosen splits. With `protocol: released` of "
            "generated sentences they count 0 in the averages per sentence.",
            "At home, `people-in-video score --protocol released --subset` leaves them out.",
        ),
        (
            "N-WORDS-OUTSIDE",
            "Word indexes are those of the words to find after 1 is added to each, or taken from it.",
            "Count the words of a sentence from 0.",
        ),
    ),
)
