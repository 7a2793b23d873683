"""The codes of notes on submissions to ChaLearn that need no reference."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    notes=(
        (
            "N-ROWS-GAPLESS",
            "In nearly all sequences no frame between the first row and the last is without a class.",
            "Write no rows for frames in which nothing happens.",
        ),
        (
            "N-ROWS-OVERLAP",
            "Most rows share more than half of their frames with a row of their class. A frame counts once.",
            "Of several rows for one instance write the best.",
        ),
    ),
)
