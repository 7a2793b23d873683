"""Marks: what plain answers to a reference score, to compare a score with.

``organizer prepare`` computes them and writes them beside the prepared reference. They are in no signature
and move no score.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scoring_program.settings import MARK_TEXTS, Setting, Settings, SettingValue
from validator.findings import Findings

MARKS_FILE = "marks.json"


class Mark(NamedTuple):
    """What a plain answer scores; ``name`` is a key of `MARK_TEXTS`."""

    name: str
    score: float

    @property
    def text(self) -> str:
        """What the answer is, for readers."""
        return MARK_TEXTS[self.name]


def signed_settings(settings: Settings, known_settings: Sequence[Setting]) -> dict[str, SettingValue]:
    """Return the settings that can move a score."""
    return {setting.name: settings[setting.name] for setting in known_settings if setting.signed}


def read_marks(folder: Path, settings: Settings, known_settings: Sequence[Setting]) -> list[Mark]:
    """Return the marks beside a reference, none if there are none for these settings, in ascending order.

    Raises Refused if the file cannot be read.
    """
    default_of_setting = {setting.name: setting.default for setting in known_settings if setting.signed}
    path = folder / MARKS_FILE
    if not path.is_file():
        return []
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        # A reference that an earlier version prepared lacks settings that were added since.
        settings_of_marks = {**default_of_setting, **content["settings"]}
        # Under other settings other scores would stand beside a submission's.
        if settings_of_marks != signed_settings(settings, known_settings):
            return []
        marks = [Mark(name, float(score)) for name, score in content["scores"].items() if name in MARK_TEXTS]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        problem, remedy = "the marks cannot be read", "delete the file, or prepare the reference again"
        Findings().refuse("E-REF-PREPARED", problem, remedy, file=MARKS_FILE)
    return sorted(marks, key=lambda mark: mark.score)
