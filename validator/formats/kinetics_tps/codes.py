"""The codes of messages about submissions to Kinetics-TPS."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    submission_errors=(
        (
            "E-BOX-ORDER",
            "x2 is less than x1, or y2 is less than y1.",
            "Write two corners, not x, y, width, height.",
        ),
        (
            "E-FILES-EXCHANGED",
            "Each of the two files holds what belongs in the other.",
            "Exchange their names.",
        ),
        (
            "E-PART-LENGTH",
            "The numbers of boxes and of states of a part differ.",
            "Write one state for each box.",
        ),
    ),
    notes=(
        ("N-PARTS-NONE", "Nearly no human has a part.", "Write the parts of each human, with their states."),
    ),
)
