"""Build a submission to example_number_csv: ``write_submission("my.zip", {"item_1": 17.5})``."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from people_in_video.writing import save_zip


def write_submission(path: str | Path, values: Mapping[str, str | float]) -> None:
    """Write the number of each item as one zip, check it, and put it at ``path``.

    Nothing is left there if it is not valid.

    Raises
    ------
    ValueError
        The submission is not valid: the message lists what is wrong.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("id", "number"), *values.items()])
    save_zip(path, "example_number_csv", {"example_number_csv.csv": text.getvalue()})
