"""Preparing the references of both tracks of ChaLearn: their CSV files become one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from people_in_video.references.preparation import Notes, Options, Preparation, declared_files
from scoring_program.challenges.chalearn.reference import PREPARED_FILE
from scoring_program.settings import Settings
from scoring_program.task import Task


def write_prepared(contents: Mapping[str, bytes], path: Path) -> None:
    """Write the CSV files of a reference as one file, a line for each."""
    lines = []
    for name, content in sorted(contents.items()):
        lines.append(f"{json.dumps(name)}: {json.dumps(content.decode())}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _sources(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the prepared file if there is one, which is read alone, or the CSV files."""
    is_prepared = (source / PREPARED_FILE).is_file()
    return [PREPARED_FILE] if is_prepared else declared_files(task, source, settings)


def _write(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Check the CSV files and write them as one file."""
    reference = task.load(source, settings)
    write_prepared(reference.contents, output / PREPARED_FILE)
    return []


PREPARATIONS = dict.fromkeys(("chalearn_action", "chalearn_gesture"), Preparation(_sources, _write))
