"""Build a submission to example_columns_csv: ``write_submission("my.zip", {"item_1": {...}})``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from people_in_video.writing import save_zip
from task_templates.validator.formats.example_columns_csv.write import FILE, encode


def write_submission(path: str | Path, values: Mapping[str, Mapping[str, float]]) -> None:
    """Write the numbers of each item, by column, as one zip, check it, and put it at ``path``.

    Nothing is left there if it is not valid.

    Raises
    ------
    ValueError
        The submission is not valid: the message lists what is wrong.
    """
    save_zip(path, "example_columns_csv", {FILE: encode(values)})
