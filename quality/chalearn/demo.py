"""Synthetic data for the two ChaLearn tracks: a small demo reference, samples, and full-size benchmark data.

Everything comes from Python's own generator with a fixed seed, so each run writes the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Row = tuple[int, ...]


@dataclass(frozen=True)
class DemoTrack:
    """How the data of one track is made."""

    prefix: str
    n_classes: int
    n_actors: int
    full_sequences: int
    full_frames: int
    per_sequence: int

    def write_reference(self, folder: Path, seed: int = 2014, size: int = 1) -> None:
        """Write the demo reference: twelve short sequences, times ``size``."""
        self._write(folder, 12 * size, self.full_frames // 2, self.per_sequence // 2, seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        """Write a good and a weak prediction for a reference, one folder each."""
        self._predict(reference, folder / "good", _slightly_off)
        self._predict(reference, folder / "weak", _often_wrong(self.n_classes))

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write ``ref/`` and ``res/`` of the challenge's size times ``scale``."""
        n = max(round(self.full_sequences * scale), 1)
        self._write(folder / "ref", n, self.full_frames, self.per_sequence, 2014)
        self._predict(folder / "ref", folder / "res", _slightly_off)

    def _write(self, folder: Path, n_sequences: int, n_frames: int, per_sequence: int, seed: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        rng = random.Random(seed)
        for index in range(1, n_sequences + 1):
            frames = n_frames + rng.randrange(n_frames // 4)
            key = f"{self.prefix}{index:04d}"
            (folder / f"{key}_data.csv").write_text(f"{frames},20,2000\n", encoding="ascii")
            _write_rows(folder / f"{key}_labels.csv", self._labels(rng, frames, per_sequence))

    def _labels(self, rng: random.Random, frames: int, number: int) -> list[Row]:
        rows = []
        slot = frames // number
        for index in range(number):
            length = rng.randrange(slot // 3, slot - 4)
            start = index * slot + 1 + rng.randrange(slot - length)
            actor = (rng.randrange(self.n_actors) + 1,) if self.n_actors > 1 else ()
            rows.append((*actor, rng.randrange(self.n_classes) + 1, start, start + length - 1))
        return rows

    def _predict(
        self, reference: Path, folder: Path, change: Callable[[random.Random, Row, int], Row | None]
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        rng = random.Random(59)
        for path in sorted(reference.glob("*_labels.csv")):
            key = path.name[: -len("_labels.csv")]
            frames = int((reference / f"{key}_data.csv").read_text(encoding="ascii").split(",")[0])
            labels = [
                tuple(map(int, line.split(","))) for line in path.read_text(encoding="ascii").splitlines()
            ]
            rows = [row for label in labels if (row := change(rng, label, frames)) is not None]
            _write_rows(folder / f"{key}_prediction.csv", rows)


def _write_rows(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="ascii")


def _slightly_off(rng: random.Random, row: Row, frames: int) -> Row | None:
    *head, start, end = row
    start = max(1, start + rng.randrange(-6, 7))
    return (*head, start, min(frames, max(start, end + rng.randrange(-6, 7))))


def _often_wrong(n_classes: int) -> Callable[[random.Random, Row, int], Row | None]:
    def change(rng: random.Random, row: Row, frames: int) -> Row | None:
        if rng.random() < 0.25:
            return None
        *actor, label, start, end = row
        if rng.random() < 0.3:
            label = rng.randrange(n_classes) + 1
        start = max(1, start + rng.randrange(-20, 21))
        return (*actor, label, min(start, frames), min(frames, max(start, end + rng.randrange(-20, 21))))

    return change


ACTION = DemoTrack("DemoSeq", 11, 2, full_sequences=9, full_frames=3000, per_sequence=24)
GESTURE = DemoTrack("DemoSequence", 20, 1, full_sequences=240, full_frames=1800, per_sequence=20)
