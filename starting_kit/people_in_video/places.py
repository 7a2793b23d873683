"""Where the demo references are: beside the package in a kit, with the other references in a checkout."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent.parent
_IS_KIT = (_FOLDER / "scoring_program").is_dir()
DEMO_REFERENCE = _FOLDER / "demo_reference" if _IS_KIT else _FOLDER.parent / "reference_data"
