"""What is made up for the two tasks of ActivityNet-Entities."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from organizer.files import Files
from quality.anet_entities import synthetic
from quality.anet_entities.gaming import GENERATED_TRICKS, GIVEN_TRICKS
from quality.anet_entities.mistakes import GENERATED_MISTAKES, GIVEN_MISTAKES
from quality.anet_entities.synthetic import Json
from quality.task import CANARY, Mistake, QualityTask, Trick
from scoring_program.challenges.anet_entities import hints
from scoring_program.hints import Check


class EntitiesTask(QualityTask[Json]):
    """A task; ``mode`` is what its submissions call it."""

    def __init__(
        self, task_id: str, mode: str, tricks: Sequence[Trick], mistakes: Sequence[Mistake[Json]]
    ) -> None:
        self.id, self.tricks, self.mistakes = task_id, tricks, mistakes
        self._mode, self._generated = mode, mode == "gen"
        if self._generated:
            outside = {f", {n} outside": partial(synthetic.with_outside, n=n) for n in (1, 2)}
            self.variants = {**self.variants, **outside}

    def write_reference(self, folder: Path, seed: int = 2019, size: int = 1) -> None:
        synthetic.write_videos(folder, 16 * size, self._generated, seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(reference, folder / "good", self._mode, jitter=8, wrong=0.1, left_out=0.0)
        synthetic.write_prediction(
            reference, folder / "weak", self._mode, jitter=60, wrong=0.4, left_out=0.25
        )

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 2,500 videos times ``scale``; at 1 with about 23,000 words."""
        n_videos = max(round(2500 * scale), 1)
        synthetic.write_videos(folder / "ref", n_videos, self._generated, 2019, more_words=200)
        synthetic.write_prediction(
            folder / "ref", folder / "res", self._mode, jitter=20, wrong=0.2, left_out=0.02
        )

    def plant(self, folder: Path) -> None:
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
        objects = {"clss": ["x"], "idx_in_sent": [0], "bbox_for_all_frames": [[[1, 1, 5, 5]] * 10]}
        return self.files({f"v_{CANARY}": {"0": objects}})

    def checks(self, reference: Any, submission: Any) -> Sequence[Check]:
        if self._generated:
            return hints.generated_checks(reference.annotated, submission)
        return hints.given_checks(reference, submission)

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        (data,) = files.values()
        for video, segment, objects in synthetic.segments_of(json.loads(data)["results"]):
            boxes = np.array(objects["bbox_for_all_frames"]).reshape(-1, 10, 4)
            yield video, segment, objects["clss"], objects["idx_in_sent"], boxes


TASKS = (
    EntitiesTask("anet_entities_gt", "GT", GIVEN_TRICKS, GIVEN_MISTAKES),
    EntitiesTask("anet_entities_gen", "gen", GENERATED_TRICKS, GENERATED_MISTAKES),
)
