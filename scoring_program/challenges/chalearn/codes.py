"""The codes of notes on submissions to ChaLearn."""

from __future__ import annotations

from validator.message_codes import CodeTable, MessageCode

CODES = CodeTable(
    notes=(
        MessageCode(
            "N-FILE-MISSING",
            "Sequences have no file; they are scored as empty.",
            "Check the names of the files.",
        ),
        MessageCode("N-LEFT-OUT", "Sequences in which neither side has a row do not count."),
    ),
)
