"""Build a kinetics_tps submission from arrays, so that nobody formats JSON by hand.

writer = KineticsTPSWriter()
writer.add_video("vid7", "throw_ball")
writer.add_human("vid7", 1, [10, 20, 90, 200], {"left_arm": ([[12, 30, 40, 80]], ["bend"])})
writer.save("my.zip")
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

import kit_path  # noqa: F401 - makes the validator importable

# isort: split
from validator.check import check_submission
from validator.findings import Findings
from validator.rules import load_rules

Boxes = Union[np.ndarray, Sequence[Sequence[float]]]


class KineticsTPSWriter:
    """Collects classes, humans and their parts, and writes the two JSON files as one zip."""

    def __init__(self) -> None:
        self._classes: dict[str, str] = {}
        self._parts: dict[str, dict[str, dict[str, list[Any]]]] = {}

    def add_video(self, video: str, action: str) -> None:
        """Set the predicted action class of a video."""
        self._classes[video] = action

    def add_frame(self, video: str, frame: int) -> None:
        """Add a frame without humans; `add_human` adds its frame itself. ``frame`` counts from 1."""
        self._parts.setdefault(video, {}).setdefault(f"img_{frame:05d}.json", {"humans": []})

    def add_human(
        self,
        video: str,
        frame: int,
        box: np.ndarray | Sequence[float],
        parts: Mapping[str, tuple[Boxes, Sequence[str]]],
    ) -> None:
        """Add a human to a frame.

        Parameters
        ----------
        video : str
        frame : int
            Number of the frame, counting from 1; every fifth is scored (1, 6, 11, ...).
        box : array of shape (4,)
            ``x1, y1, x2, y2`` in pixels, both ends included.
        parts : mapping of part name to (boxes, states)
            At most 5 proposals a part: boxes of shape (n, 4) and n states.

        Raises
        ------
        ValueError
            A box has another shape, or boxes and states differ in number.
        """
        own = np.asarray(box, dtype=np.float64)
        if own.shape != (4,):
            raise ValueError(f"the box of a human has shape {own.shape} instead of (4,)")
        made = {}
        for name, (boxes, states) in parts.items():
            array = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
            if len(array) != len(states):
                raise ValueError(f"{name}: {len(array)} boxes, but {len(states)} states")
            made[name] = {"box": array.tolist(), "verb": [str(state) for state in states]}
        self.add_frame(video, frame)
        self._parts[video][f"img_{frame:05d}.json"]["humans"].append({"box": own.tolist(), "parts": made})

    def save(self, path: str | Path) -> None:
        """Write the zip and check it.

        Raises
        ------
        ValueError
            The submission is not valid; the message lists what is wrong.
        """
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("pred_vid_result.json", json.dumps(self._classes))
            archive.writestr("pred_part_result.json", json.dumps(self._parts))
        findings = Findings()
        check_submission(Path(path), load_rules("kinetics_tps"), findings)
        if not findings.ok:
            raise ValueError("\n".join(findings.lines()))
