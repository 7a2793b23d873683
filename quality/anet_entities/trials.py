"""What tests and tools try on both sub-tasks; see `quality.trials.Trials`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from quality.trials import CANARY, Files, Game, Trials

_WHOLE_IMAGE = [[0, 0, 719, 404]] * 10
Change = Callable[[Any, Any], None]


def giant_boxes(results: Any, reference: Any) -> None:
    """Let every box be the whole image."""
    for segments in results.values():
        for objects in segments.values():
            objects["bbox_for_all_frames"] = [_WHOLE_IMAGE for _ in objects["bbox_for_all_frames"]]


def objects_twice(results: Any, reference: Any) -> None:
    """List every object twice."""
    for segments in results.values():
        for objects in segments.values():
            for key in objects:
                objects[key] = objects[key] * 2


def nothing(results: Any, reference: Any) -> None:
    """Submit nothing."""
    results.clear()


class EntitiesTrials(Trials):
    """The trials of one sub-task: its mode, and its tricks as functions that change the results."""

    def __init__(
        self, mode: str, tricks: Mapping[str, Change], rewarded: frozenset[str] = frozenset()
    ) -> None:
        self._mode = mode
        self.GAMES = {name: self._game(change) for name, change in tricks.items()}
        self.REWARDED = rewarded

    def plant(self, folder: Path) -> None:
        """Write a reference full of canaries."""
        segment = {
            "timestamps": [7391115.5, 7391116.5],
            "process_clss": [[f"{CANARY}class"]],
            "tokens": [f"{CANARY}token", f"{CANARY}other"],
            "frame_ind": [3],
            "process_idx": [[0]],
            "process_bnd_box": [[7391117, 7391118, 7391119, 7391120]],
            "crowds": [0],
        }
        video = {"duration": 7391121.5, "segments": {"0": segment}}
        reference = {"vocab": [f"{CANARY}class"], "annotations": {f"v_{CANARY}": video}}
        lemmas = {f"{CANARY}token": f"{CANARY}lemma", f"{CANARY}other": f"{CANARY}lemma2"}
        (folder / "reference.json").write_text(json.dumps(reference))
        (folder / "split.json").write_text(json.dumps({"validation": [f"v_{CANARY}"]}))
        (folder / "lemmas.json").write_text(json.dumps(lemmas))

    def knowing(self) -> Files:
        """Return a submission that touches the canaries without naming them."""
        objects = {"clss": ["x"], "idx_in_sent": [0], "bbox_for_all_frames": [[[1, 1, 5, 5]] * 10]}
        external = {"used": False, "details": ""}
        content = {
            "results": {f"v_{CANARY}": {"0": objects}},
            "eval_mode": self._mode,
            "external_data": external,
        }
        return {f"submission_{self._mode.lower()}.json": json.dumps(content).encode()}

    def repeat(self, files: Files, copies: Mapping[str, str]) -> Files:
        """Return files with a copy of each item."""
        repeated = dict(files)
        for name, data in files.items():
            content = json.loads(data) if name.endswith(".json") else {}
            for part in {"annotations", "results", "validation"} & content.keys():
                items = content[part]
                if part == "validation":
                    content[part] = list(copies)
                else:
                    content[part] = {copy: items[item] for copy, item in copies.items() if item in items}
                repeated[name] = json.dumps(content).encode()
        return repeated

    def _game(self, change: Change) -> Game:
        def play(reference: Files, sample: Files) -> Files:
            ((name, data),) = sample.items()
            content = json.loads(data)
            change(content["results"], json.loads(reference["reference.json"]))
            return {name: json.dumps(content).encode()}

        return play
