"""The codes of messages about submissions to ActivityNet-Entities."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    submission_errors=(
        (
            "E-ANET-LENGTH",
            "The three lists of a segment differ in length.",
            "Write one class, one word index and ten boxes for each object.",
        ),
        (
            "E-ANET-MODE",
            "`eval_mode` is that of the other sub-task: `GT` for given sentences, `gen` for generated ones.",
            "Submit the file to that sub-task.",
        ),
    ),
    notes=(
        (
            "N-BOXES-FIRST",
            "All boxes have more than four numbers, the first of which is in 0..1, as if it were a score.",
            "Write x1, y1, x2, y2 first.",
        ),
        ("N-BOXES-NUMBERS", "All boxes have more than four numbers; the first four are read."),
        (
            "N-BOXES-ORDER",
            "At least a tenth of the boxes end more than a pixel before they begin; they meet no other.",
            "Write x1, y1, x2, y2 with x1 <= x2 and y1 <= y2.",
        ),
        (
            "N-ANET-EXTERNAL",
            "The challenge asks for `external_data`; it is missing, or a part of it is or has another type.",
            'Write `{"used": false, "details": ""}`, or `true` and which data.',
        ),
    ),
)
