"""The codes of messages about references of ActivityNet-Entities, and of notes on its submissions."""

from __future__ import annotations

from validator.codes import CodeTable, MessageCode

CODES = CodeTable(
    other_errors=(
        MessageCode(
            "E-REF-CLASS",
            "A class of the reference is blank or not in its vocabulary.",
            "Write it, or take the vocabulary and the annotations from the same release.",
        ),
        MessageCode(
            "E-REF-LEMMAS",
            "The table of lemmas is missing, malformed or incomplete.",
            "Prepare the reference again.",
        ),
        MessageCode(
            "E-REF-SEGMENT",
            "An annotated segment is malformed.",
            "Write it as the format page shows.",
        ),
        MessageCode(
            "E-REF-SPLIT",
            "A split is missing, or names videos that are not in the reference.",
            "Set `splits`.",
        ),
    ),
    notes=(
        MessageCode(
            "N-LEMMAS",
            "Predicted classes are not in the table of lemmas; the note says how their lemmas were made.",
        ),
        MessageCode(
            "N-LEMMAS-MISSING",
            "Words of the reference are not in the table of lemmas.",
            "Prepare the reference with `--corenlp`.",
        ),
        MessageCode("N-LEMMAS-NO-TOKEN", "Words of the reference are blank."),
        MessageCode("N-REF-LEMMAS", "The number of lemmas, and their source."),
        MessageCode(
            "N-SEGMENTS-MISSING",
            "Annotated segments are not submitted.",
            "Predict every annotated segment.",
        ),
        MessageCode(
            "N-SEGMENTS-OUTSIDE",
            "Submitted segments are not annotated in the chosen splits. With `protocol: released` of "
            "generated sentences they count 0 in the averages per sentence.",
            "At home, `people-in-video score --protocol released --subset` leaves them out.",
        ),
        MessageCode(
            "N-WORDS-OUTSIDE",
            "Word indexes are those of the words to find after 1 is added to each, or taken from it.",
            "Count the words of a sentence from 0.",
        ),
    ),
)
