"""Build a submission with a value for each item: ``write_submission(task, "my.zip", {"item_1": ...})``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from people_in_video.writing import save_zip
from validator.formats.items.read import form_of
from validator.formats.items.write import encode
from validator.formats.rules import load_rules

WRITERS: dict[str, Any] = {}
"""Nothing is gathered call by call: a submission is one mapping."""


def write_submission(task: str, path: str | Path, values: Mapping[str, Any]) -> None:
    """Write the value of each item as one zip, check it, and put it at ``path``.

    Nothing is left there if it is not valid. Raises ValueError, which lists what is wrong.
    """
    form = form_of(load_rules(task))
    save_zip(path, task, {form.file: encode(form, values)})
