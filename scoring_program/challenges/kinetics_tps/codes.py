"""The codes of notes on submissions to Kinetics-TPS."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    notes=(
        (
            "N-CLASSES-MISSING",
            "Videos of the reference have no class in the submission; they are wrong.",
            "Predict a class for each video.",
        ),
        (
            "N-FRAMES-MISSING",
            "Frames of the reference have no prediction.",
            "Predict every frame of the reference.",
        ),
        (
            "N-FRAMES-UNKNOWN",
            "Frames of annotated videos are not in the reference; they are ignored.",
            "Every fifth frame is scored. If hardly any is known, write their names exactly as in the data.",
        ),
    )
)
