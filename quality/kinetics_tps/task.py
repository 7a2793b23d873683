"""What is made up for Kinetics-TPS."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from organizer.files import Files
from quality.kinetics_tps import synthetic
from quality.kinetics_tps.gaming import TRICKS
from quality.kinetics_tps.mistakes import MISTAKES
from quality.kinetics_tps.synthetic import CLASSES, PARTS, Json
from quality.task import CANARY, QualityTask
from scoring_program.challenges.kinetics_tps import hints
from scoring_program.hints import Check


class KineticsTask(QualityTask[Json]):
    """The task of Kinetics-TPS."""

    id, tricks, mistakes = "kinetics_tps", TRICKS, MISTAKES

    def write_reference(self, folder: Path, seed: int = 2021, size: int = 1) -> None:
        synthetic.write_videos(folder, 36 * size, (2, 2), seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(reference, folder / "good", jitter=6, wrong=0.05, most_proposals=2)
        synthetic.write_prediction(reference, folder / "weak", jitter=25, wrong=0.4, most_proposals=5)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 932 videos times ``scale``; at 1 about 70 MB of predictions."""
        synthetic.write_videos(folder / "ref", max(round(932 * scale), 1), (38, 42), 2021)
        synthetic.write_prediction(folder / "ref", folder / "res", jitter=10, wrong=0.2, most_proposals=5)

    def plant(self, folder: Path) -> None:
        part = {
            "number": 7391107, "box": [7391108.5, 1, 7391109.5, 7391110],
            "verb": f"{CANARY}state", "name": f"{CANARY}name",
        }  # fmt: skip
        human = {"number": 7391111, "box": [7391112, 2, 7391113, 7391114], "parts": {f"{CANARY}part": part}}
        classes = {f"{CANARY}vid": f"{CANARY}class", "b": f"{CANARY}other"}
        videos = {f"{CANARY}vid": {f"{CANARY}frame.json": {"humans": [human]}}, "b": {}}
        (folder / "gt_vid_result.json").write_text(json.dumps(classes))
        (folder / "gt_part_result.json").write_text(json.dumps(videos))

    def knowing(self) -> Files:
        human = {"box": [1, 1, 2, 2], "parts": {"head": {"box": [[1, 1, 2, 2]], "verb": ["x"]}}}
        videos = {f"{CANARY}vid": {f"{CANARY}frame.json": {"humans": [human]}}}
        return self.files({CLASSES: {f"{CANARY}vid": "x"}, PARTS: videos})

    def checks(self, reference: Any, submission: Any) -> Sequence[Check]:
        return hints.checks(reference, submission)

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        parts = json.loads(files[PARTS])
        for video, action in json.loads(files[CLASSES]).items():
            frames = {
                int(name[4:-5]): [
                    (human["box"], {key: (part["box"], part["verb"]) for key, part in human["parts"].items()})
                    for human in frame["humans"]
                ]
                for name, frame in parts.get(video, {}).items()
            }
            yield video, action, frames


TASKS = (KineticsTask(),)
