"""Build a submission to anet_entities_gt or anet_entities_gen from arrays, so that nobody formats JSON by hand.

writer = AnetEntitiesWriter("gen", external_data="")
writer.add_segment("v_abc", "0", ["man", "ball"], [1, 4], boxes)   # boxes: (2, 10, 4)
writer.save("my.zip")
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kit_path  # noqa: F401 - makes the validator importable

# isort: split
from validator.check import check_submission
from validator.findings import Findings
from validator.rules import load_rules

FRAMES = 10


class AnetEntitiesWriter:
    """Collects the objects of segments and writes the one JSON file in a zip.

    Parameters
    ----------
    eval_mode : str
        ``GT`` (given sentences) or ``gen`` (generated sentences).
    external_data : str
        What external data the method used; "" if none.
    """

    def __init__(self, eval_mode: str, external_data: str = "") -> None:
        if eval_mode not in ("GT", "gen"):
            raise ValueError(f"eval_mode is {eval_mode!r}; it must be GT or gen")
        self._mode = eval_mode
        self._external = external_data
        self._results: dict[str, dict[str, dict[str, Any]]] = {}

    def add_segment(
        self, video: str, segment: str | int, classes: Sequence[str], word_indexes: Sequence[int], boxes: np.ndarray
    ) -> None:
        """Set the objects of a segment.

        Parameters
        ----------
        video, segment : str
            As in the annotation file, for example ``v_abc`` and ``0``.
        classes : sequence of n str
        word_indexes : sequence of n int
            Positions of the words in the sentence, from 0.
        boxes : array of shape (n, 10, 4)
            ``x1, y1, x2, y2`` in pixels on each of the ten sampled frames.

        Raises
        ------
        ValueError
            The three do not fit together.
        """
        array = np.asarray(boxes, dtype=np.float64).reshape(-1, FRAMES, 4)
        if not len(classes) == len(word_indexes) == len(array):
            raise ValueError(f"{len(classes)} classes, {len(word_indexes)} word indexes and {len(array)} objects")
        self._results.setdefault(video, {})[str(segment)] = {
            "clss": [str(name) for name in classes],
            "idx_in_sent": [int(index) for index in word_indexes],
            "bbox_for_all_frames": array.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write the zip and check it.

        Raises
        ------
        ValueError
            The submission is not valid; the message lists what is wrong.
        """
        external = {"used": bool(self._external), "details": self._external}
        content = {"results": self._results, "eval_mode": self._mode, "external_data": external}
        name = self._mode.lower()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"submission_{name}.json", json.dumps(content))
        findings = Findings()
        check_submission(Path(path), load_rules(f"anet_entities_{name}"), findings)
        if not findings.ok:
            raise ValueError("\n".join(findings.lines()))
