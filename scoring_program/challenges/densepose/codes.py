"""The codes of messages about references of DensePose, and of notes on its submissions."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    other_errors=(
        (
            "E-REF-H5PY",
            "A package is missing that reads the files of the body template: h5py or scipy.",
            "Run the command of the message.",
        ),
        (
            "E-REF-HASH",
            "The prepared files were changed.",
            "Prepare the reference again, or upload it again.",
        ),
        ("E-REF-IMAGE", "An image of the annotations is malformed.", "Write it as the format page shows."),
        ("E-REF-MAT", "A file of the body template cannot be read.", "Download it again."),
        ("E-REF-PERSON", "An annotated person is malformed.", "Write it as the format page shows."),
        (
            "E-REF-TEMPLATE",
            "The files belong to different body templates.",
            "Take all files from the same release.",
        ),
    ),
    notes=(
        ("N-CATEGORY", "Detections of other categories were ignored.", "Write `category_id` 1."),
        ("N-DETECTIONS-MANY", "Only the 20 best detections of an image count."),
        (
            "N-IMAGES-MISSING",
            "Densely annotated images have no detection; their persons are missed.",
            "Check that no image was left out.",
        ),
        (
            "N-REF-TEMPLATE",
            "The body template is not the challenge's, and the challenge's normalizers are used with it.",
            "Declare `mean_distances` or `kappa` in settings.yaml.",
        ),
    ),
)
