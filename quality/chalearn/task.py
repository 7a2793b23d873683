"""What is made up for the two ChaLearn tracks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from organizer.files import Files, folder_files
from quality.chalearn import synthetic
from quality.chalearn.gaming import tricks
from quality.chalearn.mistakes import MISTAKES
from quality.chalearn.synthetic import Prediction, Track
from quality.task import CANARY, QualityTask
from scoring_program.challenges.chalearn import hints
from scoring_program.hints import Check


class ChalearnTask(QualityTask[Prediction]):
    """A track."""

    mistakes = MISTAKES

    def __init__(self, task_id: str, track: Track) -> None:
        self.id, self._track, self.tricks = task_id, track, tricks(track)

    def write_reference(self, folder: Path, seed: int = 2014, size: int = 1) -> None:
        track = self._track
        synthetic.write_sequences(folder, track, 12 * size, track.n_frames // 2, track.n_rows // 2, seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        files = folder_files(reference)
        synthetic.write_prediction(files, folder / "good", synthetic.slightly_off)
        synthetic.write_prediction(
            files, folder / "weak", partial(synthetic.often_wrong, n_classes=self._track.n_classes)
        )

    def write_full_size(self, folder: Path, scale: float) -> None:
        track, n_sequences = self._track, max(round(self._track.n_sequences * scale), 1)
        synthetic.write_sequences(folder / "ref", track, n_sequences, track.n_frames, track.n_rows, 2014)
        synthetic.write_prediction(folder_files(folder / "ref"), folder / "res", synthetic.slightly_off)

    def plant(self, folder: Path) -> None:
        head = self._track.actors[0]
        (folder / f"{CANARY}one_labels.csv").write_text(f"{head}7,7391101,7391102\n{head}9,7391103,7391104\n")
        (folder / f"{CANARY}one_data.csv").write_text("7391155,20,2000\n")
        (folder / f"{CANARY}two_labels.csv").write_text(f"{head}3,7391105,7391106\n")
        (folder / f"{CANARY}two_data.csv").write_text("7391156,20,2000\n")

    def knowing(self) -> Files:
        return {f"{CANARY}one_prediction.csv": f"{self._track.actors[0]}7,5,6\n".encode()}

    def checks(self, reference: Any, submission: Any) -> Sequence[Check]:
        return hints.checks(reference, submission)

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        for name, data in files.items():
            rows = [list(map(int, line.split(","))) for line in data.decode("ascii").splitlines()]
            yield name.replace("_prediction.csv", ""), np.array(rows)


TASKS = (
    ChalearnTask("chalearn_action", Track("DemoSeq", 11, 2, n_sequences=9, n_frames=3000, n_rows=24)),
    ChalearnTask("chalearn_gesture", Track("DemoSequence", 20, 1, n_sequences=240, n_frames=1800, n_rows=20)),
)
