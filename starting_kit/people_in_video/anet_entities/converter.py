"""What GVD writes as submissions: its JSON has their form, under another name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from people_in_video.tools.conversion import ConversionError, ConversionOptions, Converter
from people_in_video.writing import save_zip
from scoring_program.task import load_task
from validator.findings import Note
from validator.formats.anet_entities.write import submission_name
from validator.kinds import HEAD_BYTES, refuse_other_kind

# GVD writes two files for given sentences; its README sends the other one.
_ATTENTION_FILE = "attn-gt-sent"


def _is_needed(source: Any) -> bool:
    """Return False: what GVD writes can be scored as it is."""
    return False


def _convert(task_id: str, source: Any, output: Path, options: ConversionOptions) -> Sequence[Note]:
    """Write the zip of a file of GVD. Raises ValueError if it is no such file, or of the other sub-task."""
    mode = load_task(task_id).eval_mode
    content = _read(source)
    if content.get("eval_mode", mode) != mode:
        problem = f"its eval_mode is {content['eval_mode']!r}, and that of {task_id} is {mode!r}"
        raise ConversionError(f"{problem}; name the other task, or give the other file")
    submission = {"eval_mode": mode, "external_data": {"used": False, "details": ""}, **content}
    save_zip(output, task_id, {submission_name(mode): json.dumps(submission)})
    if _ATTENTION_FILE not in source.name:
        return []
    text = "the boxes are those of the attention. GVD sends its other file for given sentences, grd-gt-sent-*"
    return [Note("N-CONVERTED", text)]


def _read(source: Any) -> dict[str, Any]:
    if not isinstance(source, Path):
        raise ConversionError("a table holds no boxes of objects; give the JSON file of GVD")
    data = source.read_bytes()
    refuse_other_kind(data[:HEAD_BYTES], source.name, "JSON")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ConversionError(f"it is no JSON ({error}); give the JSON file of GVD") from None
    if not isinstance(content, dict) or not isinstance(content.get("results"), dict):
        raise ConversionError('it has no object "results"; give the JSON file of GVD')
    return content


CONVERTER = Converter("the JSON file of GVD", _is_needed, _convert)
