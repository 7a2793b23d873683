"""The codes of notes on submissions to ChaLearn."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    notes=(
        (
            "N-BORDERS",
            "Instances that no row of their class overlaps, and how the borders of the others lie. Said at "
            "home alone.",
        ),
        (
            "N-FILE-EMPTY",
            "Sequences have a file without rows: nothing is predicted there. They count as covered.",
            "Check that predictions were written, unless the sequences have none.",
        ),
        (
            "N-FILE-MISSING",
            "Sequences have no file: nothing is predicted there, and they do not count as covered.",
            "Check the names of the files.",
        ),
        ("N-LEFT-OUT", "Sequences in which neither side has a row do not count."),
    )
)
