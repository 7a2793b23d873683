"""The JSON of GVD, and that of language models, as submissions.

Both have the form of a submission. That of GVD has another name; that of a language model can be in a fence
of Markdown, and have boxes of other pixels than those of the video resized to a width of 720.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from people_in_video.anet_entities.box_forms import read_sizes, resize_boxes
from people_in_video.tools.conversion import (
    ConversionError,
    ConversionOptions,
    Converter,
    Purpose,
)
from people_in_video.tools.json_file import FENCE, read_json
from people_in_video.writing import save_zip
from scoring_program.task import load_task
from validator.findings import Note
from validator.formats.anet_entities.write import submission_name
from validator.texts import quote

# GVD writes two files for given sentences; its README sends the other one.
_ATTENTION_FILE = "attn-gt-sent"


def _is_needed(source: Any) -> bool:
    """Return whether a file is in a fence of Markdown; what GVD writes can be scored as it is."""
    if not isinstance(source, Path) or not source.is_file() or source.suffix != ".json":
        return False
    with source.open("rb") as stream:
        return stream.read(100).lstrip().startswith(FENCE)


def _convert(
    task_id: str, source: Any, output: Path, options: ConversionOptions, purpose: Purpose
) -> Sequence[Note]:
    """Write the zip of a JSON file. Raises ValueError if it is no such file, or of the other sub-task."""
    mode = load_task(task_id).eval_mode
    if not isinstance(source, Path):
        raise ConversionError("a table holds no boxes of objects; give a JSON file")
    content, notes = read_json(source)
    if not isinstance(content, dict) or not isinstance(content.get("results"), dict):
        raise ConversionError('it has no object "results"; give the JSON file of GVD, or a submission')
    if content.get("eval_mode", mode) != mode:
        problem = f"its eval_mode is {quote(repr(content['eval_mode']))}, and that of {task_id} is {mode!r}"
        raise ConversionError(f"{problem}; name the other task, or give the other file")
    if options.boxes:
        text = resize_boxes(content["results"], options.boxes, read_sizes(options.sizes))
        notes.append(Note("N-CONVERTED", text))
    elif options.sizes:
        raise ConversionError(
            "--sizes is for boxes of other pixels; say which: --boxes original, in Python boxes='original'"
        )
    submission = {"eval_mode": mode, "external_data": {"used": False, "details": ""}, **content}
    save_zip(output, task_id, {submission_name(mode): json.dumps(submission)})
    if _ATTENTION_FILE in source.name:
        text = "the boxes are those of the attention. GVD sends its other file for given sentences"
        text += ", grd-gt-sent-*"
        notes.append(Note("N-CONVERTED", text))
    return notes


CONVERTER = Converter(
    takes="JSON of GVD or of a language model, in the form of a submission",
    options=frozenset({"boxes", "sizes"}),
    is_needed=_is_needed,
    convert=_convert,
)
