"""What the generators of synthetic data share; like ``challenges/<id>/demo.py``, it never goes into a
bundle."""

from __future__ import annotations

import json
from pathlib import Path


def write_json(path: Path, data: object) -> None:
    """Write data as compact JSON, in a folder that is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
