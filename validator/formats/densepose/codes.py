"""The codes of messages about submissions to DensePose."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    submission_errors=(
        ("E-DP-BASE64", "`uv_data` is not base64.", "Encode the bytes of the PNG as base64."),
        ("E-DP-BOX", "A box is smaller than a pixel.", "Write it in pixels, or leave it out."),
        ("E-DP-PART", "The first channel holds a part above 24.", "Write part, U, V as R, G, B."),
        (
            "E-DP-PNG",
            "The pixels are not an 8-bit RGB PNG of the box's size.",
            "Encode the pixels of the box, in its size, as an 8-bit RGB PNG.",
        ),
        (
            "E-DP-SHAPE",
            "`uv_shape` is not 3 and the integer parts of the box's height and width.",
            "Write `[3, height, width]`, both rounded down.",
        ),
    ),
    notes=(
        (
            "N-PARTS-COARSE",
            "No part is above 14, as if the 14 coarse parts of masks were written.",
            "Write the 24 fine parts.",
        ),
    ),
)
