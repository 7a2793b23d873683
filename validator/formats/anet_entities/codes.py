"""The codes of messages about submissions to ActivityNet-Entities."""

from __future__ import annotations

from validator.codes import CodeTable, MessageCode

CODES = CodeTable(
    submission_errors=(
        MessageCode(
            "E-ANET-LENGTH",
            "The three lists of a segment differ in length.",
            "Write one class, one word index and ten boxes for each object.",
        ),
        MessageCode(
            "E-ANET-MODE",
            "`eval_mode` is that of the other sub-task: `GT` for given sentences, `gen` for generated ones.",
            "Submit the file to that sub-task.",
        ),
    ),
    notes=(
        MessageCode(
            "N-ANET-EXTERNAL",
            "The challenge asks for `external_data`; it is missing, or a part of it is or has another type.",
            'Write `{"used": false, "details": ""}`, or `true` and which data.',
        ),
    ),
)
