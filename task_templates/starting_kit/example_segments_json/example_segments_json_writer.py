"""Build a submission to example_segments_json: ``write_submission("my.zip", {"item_1": [...]})``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from people_in_video.writing import save_zip
from task_templates.validator.formats.example_segments_json.write import FILE, encode


def write_submission(path: str | Path, values: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write the segments of each item as one zip, check it, and put it at ``path``.

    A segment has a ``label``, and ``start`` and ``end`` in seconds. Nothing is left there if it is not valid.

    Raises
    ------
    ValueError
        The submission is not valid: the message lists what is wrong.
    """
    save_zip(path, "example_segments_json", {FILE: encode(values)})
